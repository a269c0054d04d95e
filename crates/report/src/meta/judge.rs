//! How good judges are on labelled pairs: table, JSON, CSV.

use super::{coefficient, figure_cells, percent, put};
use crate::table::plain;
use crate::view::{View, fitted, summary, unsorted_warnings};
use crate::{Usage, grouped};
use comfy_table::CellAlignment;
use evenhand_core::Side;
use evenhand_stats::Bootstrap;
use evenhand_studies::Figure;
use evenhand_studies::judge::{
    Difference, Evaluated, Evaluation, Failures, Measures, Settings, Ties,
};
use serde_json::{Map, Value, json};

/// What the figures were made with, for people and programs.
#[derive(Clone, Copy, Debug)]
pub struct JudgeSettings<'a> {
    /// Of the figures.
    pub settings: &'a Settings,
    /// What a live run took; None where nobody was asked.
    pub usage: Option<&'a Usage>,
}

/// One object for a judge; of several, a list `judges`.
///
/// # Errors
/// None that is known; those of the JSON writer.
pub fn judges_json(
    judges: &[Evaluation],
    with: JudgeSettings<'_>,
) -> Result<String, serde_json::Error> {
    let mut object = match judges {
        [judge] => evaluation(judge),
        judges => Map::from_iter([(
            "judges".to_string(),
            judges.iter().map(evaluation).collect(),
        )]),
    };
    let Bootstrap {
        rounds,
        level,
        seed,
        ..
    } = with.settings.bootstrap;
    object.insert("ties".into(), json!(ties(with.settings.ties)));
    object.insert("failures".into(), json!(failures(with.settings.failures)));
    object.insert(
        "ci".into(),
        json!({"method": "bootstrap", "cluster": "item", "rounds": rounds, "level": level}),
    );
    object.insert("seed".into(), json!(seed));
    if let Some(usage) = with.usage {
        object.insert("usage".into(), serde_json::to_value(usage)?);
    }
    serde_json::to_string_pretty(&object).map(|text| text + "\n")
}

pub(super) fn evaluation(judge: &Evaluation) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("judge".into(), json!(judge.judge));
    if !judge.protocol.is_empty() {
        object.insert("protocol".into(), json!(judge.protocol));
    }
    fill(&mut object, &judge.total);
    if let Some(figure) = &judge.accuracy_macro {
        put(&mut object, "accuracy_macro", figure);
    }
    let subset = |(name, part): &(String, Evaluated)| {
        let mut object = Map::new();
        fill(&mut object, part);
        (name.clone(), Value::Object(object))
    };
    object.insert(
        "subsets".into(),
        Value::Object(judge.subsets.iter().map(subset).collect()),
    );
    if let Some(systems) = &judge.systems {
        let mut level = Map::from_iter([("n".to_string(), json!(systems.n))]);
        put(&mut level, "spearman", &systems.rho);
        put(&mut level, "kendall_tau_b", &systems.tau);
        object.insert("systems".into(), Value::Object(level));
    }
    if let Some(differences) = &judge.differences {
        object.insert(
            "differences".into(),
            differences.iter().map(difference).collect(),
        );
    }
    object.insert("warnings".into(), json!(judge.warnings));
    object
}

fn fill(object: &mut Map<String, Value>, part: &Evaluated) {
    figures(&part.measures)
        .into_iter()
        .for_each(|(name, figure)| put(object, name, figure));
    let Measures {
        n,
        items,
        tied_labels,
        coverage,
        ..
    } = &part.measures;
    object.insert("n".into(), json!(n));
    object.insert("items".into(), json!(items));
    object.insert("tied_labels".into(), json!(tied_labels));
    let coverage = json!({"trials": coverage.trials, "verdicts": coverage.verdicts, "failures": coverage.failures});
    object.insert("coverage".into(), coverage);
    object.insert("counts".into(), json!(part.counts));
    if let Some(recorded) = &part.recorded {
        object.insert("recorded_counts".into(), json!(recorded));
    }
}

fn figures(m: &Measures) -> [(&'static str, &Figure); 14] {
    [
        ("accuracy", &m.accuracy),
        ("accuracy_forward", &m.accuracy_forward),
        ("accuracy_swapped", &m.accuracy_swapped),
        ("accuracy_averaged", &m.accuracy_averaged),
        ("accuracy_length_balanced", &m.accuracy_length_balanced),
        ("longer_wins", &m.longer_wins),
        ("shorter_wins", &m.shorter_wins),
        ("brier", &m.brier),
        ("calibration_error", &m.calibration_error),
        ("accuracy_both", &m.accuracy_both),
        ("consistency", &m.consistency),
        ("first_slot", &m.first_slot),
        ("kappa", &m.kappa),
        ("kappa_orders", &m.kappa_orders),
    ]
}

fn difference(difference: &Difference) -> Value {
    let side = |side: Option<Side>| side.map(word);
    let order = if difference.swapped {
        "swapped"
    } else {
        "forward"
    };
    let Difference {
        subset,
        pair,
        recorded,
        read,
        why,
        ..
    } = difference;
    let (recorded, read) = (side(*recorded), side(*read));
    json!({"subset": subset, "pair": pair, "order": order, "recorded": recorded, "read": read, "why": why})
}

fn word(side: Side) -> &'static str {
    match side {
        Side::First => "a",
        Side::Tie => "tie",
        Side::Second => "b",
    }
}

fn ties(ties: Ties) -> &'static str {
    match ties {
        Ties::Class => "class",
        Ties::Half => "half",
        Ties::Exclude => "exclude",
    }
}

fn failures(failures: Failures) -> &'static str {
    match failures {
        Failures::Wrong => "wrong",
        Failures::Exclude => "exclude",
    }
}

/// A row for each judge and part of the input set, and what they rest on.
pub fn judges_table(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let mut table = plain();
    table.set_header(HEADER);
    for (judge, subset, part) in rows(judges) {
        table.add_row(row(judge, subset, part));
    }
    for column in 2..HEADER.len() {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    format!(
        "{}\n\n{}\n",
        fitted(table, view, &DROPPABLE),
        notes(judges, with, view)
    )
}

/// Columns that a narrow terminal does without, the least important first: all but judge, subset
/// and accuracy.
const DROPPABLE: [usize; 10] = [5, 4, 6, 7, 8, 10, 2, 11, 12, 9];

const HEADER: [&str; 13] = [
    "judge",
    "subset",
    "pairs",
    "accuracy %",
    "length-balanced",
    "longer wins",
    "forward",
    "swapped",
    "both",
    "consistent",
    "first slot",
    "kappa",
    "no verdict",
];

fn rows(judges: &[Evaluation]) -> impl Iterator<Item = (&str, &str, &Evaluated)> {
    judges.iter().flat_map(|judge| {
        let parts = judge
            .subsets
            .iter()
            .map(|(name, part)| (judge.judge.as_str(), name.as_str(), part));
        parts.chain([(
            judge.judge.as_str(),
            if judge.subsets.is_empty() { "" } else { "all" },
            &judge.total,
        )])
    })
}

fn row(judge: &str, subset: &str, part: &Evaluated) -> Vec<String> {
    let m = &part.measures;
    let short = |figure: &Figure| {
        figure
            .value
            .map_or("-".into(), |value| format!("{:.1}", 100.0 * value))
    };
    let missing = m.coverage.trials - m.coverage.verdicts;
    vec![
        judge.into(),
        subset.into(),
        grouped(m.n),
        percent(&m.accuracy),
        percent(&m.accuracy_length_balanced),
        short(&m.longer_wins),
        short(&m.accuracy_forward),
        short(&m.accuracy_swapped),
        short(&m.accuracy_both),
        percent(&m.consistency),
        short(&m.first_slot),
        coefficient(&m.kappa),
        grouped(missing),
    ]
}

fn notes(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let Bootstrap {
        rounds,
        level,
        seed,
        ..
    } = with.settings.bootstrap;
    let intervals = format!(
        "{:.0} %, {rounds} bootstrap rounds over items, seed {seed}",
        100.0 * level
    );
    rows.push(("intervals", intervals));
    rows.push(("ties", ties_line(with.settings.ties).to_string()));
    rows.push((
        "failures",
        failures_line(with.settings.failures).to_string(),
    ));
    for (judge, systems) in judges
        .iter()
        .filter_map(|judge| Some((&judge.judge, judge.systems.as_ref()?)))
    {
        let (rho, tau) = (coefficient(&systems.rho), coefficient(&systems.tau));
        let line = format!(
            "{judge}: {} systems ranked by the judge and by people: rho {rho}, tau-b {tau}",
            systems.n
        );
        rows.push(("systems", line));
    }
    for judge in judges
        .iter()
        .filter(|judge| judge.total.measures.brier.value.is_some())
    {
        let m = &judge.total.measures;
        let line = format!(
            "{}: calibration error {}, Brier {}",
            judge.judge,
            coefficient(&m.calibration_error),
            coefficient(&m.brier)
        );
        rows.push(("forecast", line));
    }
    let differing: usize = judges
        .iter()
        .filter_map(|judge| judge.differences.as_ref())
        .map(Vec::len)
        .sum();
    let recorded: u64 = judges
        .iter()
        .filter(|judge| judge.differences.is_some())
        .map(|j| j.total.measures.coverage.trials)
        .sum();
    if recorded > 0 {
        let line = format!(
            "{} of {} verdicts read otherwise than their source did (listed by --format json)",
            grouped(differing as u64),
            grouped(recorded)
        );
        rows.push(("read anew", line));
    }
    if let Some(usage) = with.usage {
        rows.push(("usage", crate::table::usage_line(usage)));
    }
    let warned = |judge: &Evaluation| {
        judge
            .warnings
            .iter()
            .map(|warning| format!("{}: {warning}", judge.judge))
            .collect::<Vec<_>>()
    };
    rows.extend(unsorted_warnings(
        &judges.iter().flat_map(warned).collect::<Vec<_>>(),
        view,
    ));
    summary(rows, view)
}

fn ties_line(ties: Ties) -> &'static str {
    match ties {
        Ties::Class => "an outcome of their own: a verdict is right if it is the label",
        Ties::Half => "half of either outcome",
        Ties::Exclude => "left out, of labels and of verdicts",
    }
}

fn failures_line(failures: Failures) -> &'static str {
    match failures {
        Failures::Wrong => "count as wrong",
        Failures::Exclude => "left out of the accuracy",
    }
}

/// One row for each judge and part of the input set, with a header.
///
/// # Errors
/// Those of the CSV writer.
pub fn judges_csv(judges: &[Evaluation]) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let names = |name: &str| {
        [
            name.to_string(),
            format!("{name}_low"),
            format!("{name}_high"),
        ]
    };
    let mut header: Vec<String> = ["judge", "subset", "n", "trials", "verdicts"]
        .map(String::from)
        .to_vec();
    header.extend(
        figures(&Measures::default())
            .iter()
            .flat_map(|(name, _)| names(name)),
    );
    out.write_record(&header)?;
    for (judge, subset, part) in rows(judges) {
        let m = &part.measures;
        let mut cells = vec![judge.to_string(), subset.to_string()];
        cells.extend([m.n, m.coverage.trials, m.coverage.verdicts].map(|count| count.to_string()));
        cells.extend(
            figures(m)
                .iter()
                .flat_map(|(_, figure)| figure_cells(figure)),
        );
        out.write_record(&cells)?;
    }
    let bytes = out
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
