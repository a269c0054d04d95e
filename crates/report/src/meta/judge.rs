//! How good judges are on labelled pairs: table, JSON, CSV.

use super::judge_notes::{JudgeSettings, notes_text, settings_json};
use super::paired::{paired_json, paired_table};
use super::{
    all_figure_cells, coefficient_with_interval, figure_columns, insert_figure,
    percent_with_interval,
};
use crate::View;
use crate::columns::{Column, table_of};
use crate::numbers::{group_digits, or_dash, percent};
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
use crate::slices::deviation_of;
use crate::terminal::printable;
use crate::view::{fit_table, sentences_text};
use evenhand_core::Side;
use evenhand_ranking::InteractionReport;
use evenhand_studies::Figure;
use evenhand_studies::judge::{Evaluated, Evaluation, Measures, Repeats};
use serde_json::{Map, Value, json};

/// Returns one object for a judge; of several, a list `judges`.
///
/// # Errors
/// Those of the JSON writer; no evaluation is known to cause one.
pub fn judges_json(
    judges: &[Evaluation],
    with: JudgeSettings<'_>,
) -> Result<String, serde_json::Error> {
    let mut object = match judges {
        [judge] => evaluation_json(judge),
        _ => object_of(json!({"judges": array_of(judges, evaluation_json)})),
    };
    object.extend(settings_json(with.settings));
    if judges.len() > 1 {
        let differences = array_of(with.differences, paired_json);
        object.insert("paired_differences".into(), differences);
    }
    if let Some(found) = with.interaction {
        let mut found = serde_json::to_value(found)?;
        // Deviations are of judges here.
        let rows = found.get_mut("deviations").and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten().filter_map(Value::as_object_mut) {
            let judge = row.remove("system").unwrap_or_default();
            row.insert("judge".into(), judge);
        }
        object.insert("interaction".into(), found);
    }
    if let Some(usage) = with.usage {
        object.insert("usage".into(), serde_json::to_value(usage)?);
    }
    json_text(&object)
}

/// Returns one judge as an object.
pub(super) fn evaluation_json(judge: &Evaluation) -> Map<String, Value> {
    let mut object = object_of(json!({"judge": judge.judge}));
    if !judge.protocol.is_empty() {
        object.insert("protocol".into(), json!(judge.protocol));
    }
    insert_part(&mut object, &judge.total);
    if let Some(figure) = &judge.accuracy_macro {
        insert_figure(&mut object, "accuracy_macro", figure);
    }
    let subsets = judge.subsets.iter().map(|(name, part)| {
        let mut object = Map::new();
        insert_part(&mut object, part);
        (name.clone(), object)
    });
    object.insert("subsets".into(), subsets.collect());
    // Only some rank systems, read verdicts anew or repeat pairs.
    if let Some(systems) = &judge.systems {
        let mut ranked = object_of(json!({"n": systems.n}));
        insert_figure(&mut ranked, "spearman", &systems.rho);
        insert_figure(&mut ranked, "kendall_tau_b", &systems.tau);
        object.insert("systems".into(), ranked.into());
    }
    if let Some(differences) = &judge.differences {
        let differences = array_of(differences, |one| {
            json!({
                "subset": one.subset,
                "pair": one.pair,
                "order": if one.swapped { "swapped" } else { "forward" },
                "recorded": one.recorded.map(side_name),
                "read": one.read.map(side_name),
                "why": one.why,
            })
        });
        object.insert("differences".into(), differences);
    }
    if let Some(repeats) = &judge.repeats {
        object.insert("repeats".into(), repeats_json(repeats));
    }
    object.insert("warnings".into(), json!(judge.warnings));
    object
}

fn insert_part(object: &mut Map<String, Value>, part: &Evaluated) {
    let measures = &part.measures;
    for (name, figure) in named_figures(measures) {
        insert_figure(object, name, figure);
    }
    // How often each verdict met each label.
    let confusion = SIDES.iter().zip(measures.confusion).map(|(label, counts)| {
        let row = SIDES.iter().map(|side| side.to_string()).zip(counts);
        (label.to_string(), row.collect::<Value>())
    });
    let calibration = array_of(
        &measures.calibration,
        |bin| json!({"n": bin.n, "forecast": bin.forecast, "observed": bin.observed}),
    );
    object.extend(object_of(json!({
        "n": measures.n,
        "items": measures.items,
        "tied_labels": measures.tied_labels,
        "coverage": {
            "trials": measures.coverage.trials,
            "verdicts": measures.coverage.verdicts,
            "failures": measures.coverage.failures,
        },
        "counts": part.counts,
        "confusion": confusion.collect::<Value>(),
        "calibration": calibration,
    })));
    if let Some(recorded) = &part.recorded {
        object.insert("recorded_counts".into(), json!(recorded));
    }
}

/// Returns the accuracy in each repeat, from 0 to 1, their mean and their standard deviation.
pub(super) fn repeats_json(repeats: &Repeats) -> Value {
    let accuracies = array_of(&repeats.accuracies, |one| json!(one.value));
    let mut object = object_of(json!({"accuracies": accuracies}));
    insert_figure(&mut object, "mean", &repeats.mean);
    object.insert("sd".into(), json!(repeats.sd.value));
    Value::Object(object)
}

fn named_figures(m: &Measures) -> [(&'static str, &Figure); 19] {
    [
        ("accuracy", &m.accuracy),
        ("accuracy_forward", &m.accuracy_forward),
        ("accuracy_swapped", &m.accuracy_swapped),
        ("accuracy_averaged", &m.accuracy_averaged),
        ("best_of", &m.best_of),
        ("ties_score", &m.ties_score),
        ("accuracy_length_balanced", &m.accuracy_length_balanced),
        ("longer_wins", &m.longer_wins),
        ("shorter_wins", &m.shorter_wins),
        ("brier", &m.brier),
        ("calibration_error", &m.calibration_error),
        ("accuracy_both", &m.accuracy_both),
        ("consistency", &m.consistency),
        ("first_slot", &m.first_slot),
        ("kappa", &m.kappa),
        ("kappa_averaged", &m.kappa_averaged),
        ("sensitivity", &m.sensitivity),
        ("specificity", &m.specificity),
        ("kappa_orders", &m.kappa_orders),
    ]
}

/// Labels and verdicts in the order of a table of them.
const SIDES: [&str; 3] = ["a", "tie", "b"];

fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "a",
        Side::Tie => "tie",
        Side::Second => "b",
    }
}

/// A judge on a part of the input set.
struct JudgePart<'a> {
    judge: &'a str,
    protocol: &'a str,
    /// The part's name; empty where there is one part.
    subset: &'a str,
    measures: &'a Measures,
}

/// Returns the parts of each judge, and behind them the whole.
fn parts_of(judges: &[Evaluation]) -> impl Iterator<Item = JudgePart<'_>> {
    judges.iter().flat_map(|judge| {
        let subsets = judge.subsets.iter();
        let whole = if judge.subsets.is_empty() { "" } else { "all" };
        subsets
            .map(|(name, part)| (name.as_str(), part))
            .chain([(whole, &judge.total)])
            .map(|(subset, part)| JudgePart {
                judge: &judge.judge,
                protocol: &judge.protocol,
                subset,
                measures: &part.measures,
            })
    })
}

/// Columns that a narrow terminal does without, the least important first: all but judge, subset
/// and accuracy.
const DROPPABLE: [usize; 10] = [5, 4, 6, 7, 8, 10, 2, 11, 12, 9];

/// Returns a row for each judge and part of the input set, and what they rest on.
pub fn judges_table(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let columns: [Column<JudgePart<'_>>; 13] = [
        ("judge", |part| part.judge.into()),
        ("subset", |part| part.subset.into()),
        ("pairs", |part| group_digits(part.measures.n)),
        ("accuracy %", |part| {
            percent_with_interval(&part.measures.accuracy)
        }),
        ("length-balanced", |part| {
            percent_with_interval(&part.measures.accuracy_length_balanced)
        }),
        ("longer wins", |part| {
            or_dash(part.measures.longer_wins.value, percent)
        }),
        ("forward", |part| {
            or_dash(part.measures.accuracy_forward.value, percent)
        }),
        ("swapped", |part| {
            or_dash(part.measures.accuracy_swapped.value, percent)
        }),
        ("both", |part| {
            or_dash(part.measures.accuracy_both.value, percent)
        }),
        ("consistent", |part| {
            percent_with_interval(&part.measures.consistency)
        }),
        ("first slot", |part| {
            or_dash(part.measures.first_slot.value, percent)
        }),
        ("kappa", |part| {
            coefficient_with_interval(&part.measures.kappa)
        }),
        ("no verdict", |part| {
            let coverage = &part.measures.coverage;
            group_digits(coverage.trials - coverage.verdicts)
        }),
    ];
    let main = table_of(&columns, parts_of(judges)).with_numbers_from(2);
    let mut parts = vec![fit_table(main, view, &DROPPABLE)];
    if let Some(found) = with.interaction {
        parts.push(sentences_text(&printable(&found.summary), view));
    }
    let paired = paired_table(with.differences);
    if paired.has_rows() {
        parts.push(paired.to_text());
    }
    parts.push(notes_text(judges, with, view));
    parts.join("\n\n") + "\n"
}

/// Returns the columns of a judge's figures; the second column tells its rows apart.
pub(super) fn measure_columns(second: &str) -> Vec<String> {
    let names = ["judge", second, "n", "trials", "verdicts"];
    let mut columns: Vec<String> = names.map(String::from).into();
    // The names of the figures are the same whatever their values.
    columns.extend(figure_columns(named_figures(&Measures::default())));
    columns
}

/// Returns the cells of [`measure_columns`].
pub(super) fn measure_cells(judge: &str, second: &str, measures: &Measures) -> Vec<String> {
    let coverage = &measures.coverage;
    let counts = [measures.n, coverage.trials, coverage.verdicts];
    let mut cells = vec![judge.to_string(), second.to_string()];
    cells.extend(counts.map(|count| count.to_string()));
    cells.extend(all_figure_cells(named_figures(measures)));
    cells
}

/// Returns one row for each judge and part of the input set, with a header. How far a part is from
/// the whole follows where that was tested.
///
/// # Errors
/// Those of the CSV writer; no evaluation is known to cause one.
pub fn judges_csv(
    judges: &[Evaluation],
    interaction: Option<&InteractionReport>,
) -> Result<String, csv::Error> {
    let mut columns = measure_columns("subset");
    if interaction.is_some() {
        columns.extend(["deviation", "pooled", "p_adjusted"].map(String::from));
    }
    let rows = parts_of(judges).map(|part| {
        let mut cells = measure_cells(part.judge, part.subset, part.measures);
        if interaction.is_some() {
            // Judges of one name are told apart by protocols.
            let asked = format!("{}, {}", part.judge, part.protocol);
            let own = deviation_of(interaction, part.judge, part.subset)
                .or_else(|| deviation_of(interaction, &asked, part.subset));
            cells.push(optional_cell(own.map(|own| own.deviation)));
            cells.push(optional_cell(own.map(|own| own.pooled)));
            cells.push(optional_cell(own.and_then(|own| own.p_adjusted)));
        }
        cells
    });
    csv_text(columns, rows)
}
