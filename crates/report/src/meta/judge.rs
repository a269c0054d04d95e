//! How good judges are on labelled pairs: table, JSON, CSV.

use super::judge_notes::{JudgeSettings, notes_text, settings_json};
use super::paired::{paired_json, paired_table};
use super::{
    all_figure_cells, coefficient_with_interval, figure_columns, insert_figure,
    percent_with_interval,
};
use crate::View;
use crate::numbers::{group_digits, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
use crate::slices::deviation_of;
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_core::Side;
use evenhand_engine::InteractionReport;
use evenhand_studies::Figure;
use evenhand_studies::judge::{
    Evaluated, Evaluation, Measures, ReadingDifference, Repeats, SystemLevel,
};
use serde_json::{Map, Value, json};

/// Returns one object for a judge; of several, a list `judges`.
///
/// # Errors
/// Those of the JSON writer; no evaluation is known to cause one.
pub fn judges_json(
    judges: &[Evaluation],
    with: JudgeSettings<'_>,
) -> Result<String, serde_json::Error> {
    let mut object = all_judges_json(judges);
    object.extend(settings_json(with.settings));
    if judges.len() > 1 {
        let differences = array_of(with.differences, paired_json);
        object.insert("paired_differences".into(), differences);
    }
    if let Some(found) = with.interaction {
        object.insert("interaction".into(), interaction_json(found)?);
    }
    if let Some(usage) = with.usage {
        object.insert("usage".into(), serde_json::to_value(usage)?);
    }
    json_text(&object)
}

/// Deviations are of judges here.
fn interaction_json(found: &InteractionReport) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(found)?;
    let rows = value.get_mut("deviations").and_then(Value::as_array_mut);
    for row in rows.into_iter().flatten().filter_map(Value::as_object_mut) {
        let judge = row.remove("system").unwrap_or_default();
        row.insert("judge".into(), judge);
    }
    Ok(value)
}

fn all_judges_json(judges: &[Evaluation]) -> Map<String, Value> {
    if let [judge] = judges {
        return evaluation_json(judge);
    }
    Map::from_iter([("judges".to_string(), array_of(judges, evaluation_json))])
}

/// Returns one judge as an object.
pub(super) fn evaluation_json(judge: &Evaluation) -> Map<String, Value> {
    let mut object = judge_members(judge);
    insert_part(&mut object, &judge.total);
    if let Some(figure) = &judge.accuracy_macro {
        insert_figure(&mut object, "accuracy_macro", figure);
    }
    object.insert("subsets".into(), subsets_json(judge));
    object.extend(optional_parts(judge));
    object.insert("warnings".into(), json!(judge.warnings));
    object
}

/// Returns the judge, and the protocol where it is known.
fn judge_members(judge: &Evaluation) -> Map<String, Value> {
    let mut object = object_of(json!({"judge": judge.judge}));
    if !judge.protocol.is_empty() {
        object.insert("protocol".into(), json!(judge.protocol));
    }
    object
}

/// Returns what only some evaluations have: systems ranked by the judge, and verdicts read anew.
fn optional_parts(judge: &Evaluation) -> impl Iterator<Item = (String, Value)> {
    let differences = judge.differences.as_deref();
    let named = [
        ("systems", judge.systems.as_ref().map(system_level_json)),
        (
            "differences",
            differences.map(|all| array_of(all, difference_json)),
        ),
        ("repeats", judge.repeats.as_ref().map(repeats_json)),
    ];
    named
        .into_iter()
        .filter_map(|(name, part)| Some((name.into(), part?)))
}

fn subsets_json(judge: &Evaluation) -> Value {
    let subsets = judge.subsets.iter();
    subsets
        .map(|(name, part)| (name.clone(), part_json(part)))
        .collect()
}

fn part_json(part: &Evaluated) -> Value {
    let mut object = Map::new();
    insert_part(&mut object, part);
    Value::Object(object)
}

fn insert_part(object: &mut Map<String, Value>, part: &Evaluated) {
    for (name, figure) in named_figures(&part.measures) {
        insert_figure(object, name, figure);
    }
    object.extend(counts_json(part));
    if let Some(recorded) = &part.recorded {
        object.insert("recorded_counts".into(), json!(recorded));
    }
}

fn counts_json(part: &Evaluated) -> Map<String, Value> {
    let measures = &part.measures;
    object_of(json!({
        "n": measures.n,
        "items": measures.items,
        "tied_labels": measures.tied_labels,
        "coverage": coverage_json(measures),
        "counts": part.counts,
        "confusion": confusion_json(measures),
        "calibration": calibration_json(measures),
    }))
}

/// Returns how often each verdict met each label.
fn confusion_json(measures: &Measures) -> Value {
    let rows = SIDES.iter().zip(measures.confusion);
    let row = |counts: [u64; 3]| {
        SIDES
            .iter()
            .map(|side| side.to_string())
            .zip(counts.map(Value::from))
    };
    rows.map(|(label, counts)| (label.to_string(), row(counts).collect::<Value>()))
        .collect()
}

fn calibration_json(measures: &Measures) -> Value {
    array_of(&measures.calibration, |bin| {
        object_of(json!({"n": bin.n, "forecast": bin.forecast, "observed": bin.observed}))
    })
}

fn coverage_json(measures: &Measures) -> Value {
    let coverage = &measures.coverage;
    json!({
        "trials": coverage.trials,
        "verdicts": coverage.verdicts,
        "failures": coverage.failures,
    })
}

fn system_level_json(systems: &SystemLevel) -> Value {
    let mut object = object_of(json!({"n": systems.n}));
    insert_figure(&mut object, "spearman", &systems.rho);
    insert_figure(&mut object, "kendall_tau_b", &systems.tau);
    Value::Object(object)
}

/// Returns the accuracy in each repeat, from 0 to 1, their mean and their standard deviation.
pub(super) fn repeats_json(repeats: &Repeats) -> Value {
    let accuracies = repeats.accuracies.iter().map(|one| json!(one.value));
    let mut object = Map::from_iter([("accuracies".to_string(), accuracies.collect())]);
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

fn difference_json(difference: &ReadingDifference) -> Value {
    json!({
        "subset": difference.subset,
        "pair": difference.pair,
        "order": order_name(difference.swapped),
        "recorded": difference.recorded.map(side_name),
        "read": difference.read.map(side_name),
        "why": difference.why,
    })
}

fn order_name(swapped: bool) -> &'static str {
    if swapped { "swapped" } else { "forward" }
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

/// Returns a row for each judge and part of the input set, and what they rest on.
pub fn judges_table(judges: &[Evaluation], with: JudgeSettings<'_>, view: View) -> String {
    let main = fit_table(main_table(judges), view, &DROPPABLE);
    let paired = paired_table(with.differences);
    let mut parts = vec![main];
    let answers = with.interaction.iter();
    parts.extend(answers.map(|found| sentences_text(&printable(&found.summary), view)));
    if paired.has_rows() {
        parts.push(paired.to_text());
    }
    parts.push(notes_text(judges, with, view));
    parts.join("\n\n") + "\n"
}

fn main_table(judges: &[Evaluation]) -> TextTable {
    TextTable::with_header(HEADER)
        .with_rows(parts_of(judges).map(|part| part.table_row()))
        .with_numbers_from(2)
}

/// A judge on a part of the input set.
struct JudgePart<'a> {
    judge: &'a str,
    protocol: &'a str,
    /// The part's name; empty where there is one part.
    subset: &'a str,
    part: &'a Evaluated,
}

/// Returns the parts of each judge, and behind them the whole.
fn parts_of(judges: &[Evaluation]) -> impl Iterator<Item = JudgePart<'_>> {
    judges.iter().flat_map(parts_of_judge)
}

fn parts_of_judge(judge: &Evaluation) -> impl Iterator<Item = JudgePart<'_>> {
    let subsets = judge.subsets.iter();
    let subsets = subsets.map(|(name, part)| (name.as_str(), part));
    let parts = subsets.chain([(whole_name(judge), &judge.total)]);
    parts.map(|(subset, part)| JudgePart {
        judge: &judge.judge,
        protocol: &judge.protocol,
        subset,
        part,
    })
}

fn whole_name(judge: &Evaluation) -> &'static str {
    if judge.subsets.is_empty() { "" } else { "all" }
}

impl JudgePart<'_> {
    fn table_row(&self) -> Vec<String> {
        let mut cells = vec![self.judge.to_string(), self.subset.to_string()];
        cells.push(group_digits(self.part.measures.n));
        cells.extend(self.accuracy_cells());
        cells.extend(self.position_cells());
        cells.push(group_digits(self.failure_count()));
        cells
    }

    fn failure_count(&self) -> u64 {
        let coverage = &self.part.measures.coverage;
        coverage.trials - coverage.verdicts
    }

    fn accuracy_cells(&self) -> [String; 6] {
        let m = &self.part.measures;
        [
            percent_with_interval(&m.accuracy),
            percent_with_interval(&m.accuracy_length_balanced),
            percent_alone(&m.longer_wins),
            percent_alone(&m.accuracy_forward),
            percent_alone(&m.accuracy_swapped),
            percent_alone(&m.accuracy_both),
        ]
    }

    fn position_cells(&self) -> [String; 3] {
        let m = &self.part.measures;
        [
            percent_with_interval(&m.consistency),
            percent_alone(&m.first_slot),
            coefficient_with_interval(&m.kappa),
        ]
    }

    /// Returns how far the part is from the whole; judges of one name are told apart by protocols.
    fn deviation_cells(&self, found: &InteractionReport) -> [String; 3] {
        let asked = format!("{}, {}", self.judge, self.protocol);
        let mut names = [self.judge, &asked].into_iter();
        let own = names.find_map(|name| deviation_of(Some(found), name, self.subset));
        [
            optional_cell(own.map(|own| own.deviation)),
            optional_cell(own.map(|own| own.pooled)),
            optional_cell(own.and_then(|own| own.p_adjusted)),
        ]
    }

    fn csv_row(&self) -> Vec<String> {
        let m = &self.part.measures;
        let counts = [m.n, m.coverage.trials, m.coverage.verdicts];
        let mut cells = vec![self.judge.to_string(), self.subset.to_string()];
        cells.extend(counts.map(|count| count.to_string()));
        cells.extend(all_figure_cells(named_figures(m)));
        cells
    }
}

/// Returns the columns of an evaluation, in the order of [`evaluation_cells`].
pub(super) fn evaluation_columns() -> Vec<String> {
    let names = ["judge", "type", "n", "trials", "verdicts"];
    let mut columns: Vec<String> = names.map(String::from).into();
    columns.extend(figure_columns(named_figures(&Measures::default())));
    columns
}

/// Returns a judge by one evaluation type on all its pairs as cells of CSV.
pub(super) fn evaluation_cells(evaluation: &Evaluation) -> Vec<String> {
    let m = &evaluation.total.measures;
    let counts = [m.n, m.coverage.trials, m.coverage.verdicts];
    let mut cells = vec![evaluation.judge.clone(), evaluation.protocol.clone()];
    cells.extend(counts.map(|count| count.to_string()));
    cells.extend(all_figure_cells(named_figures(m)));
    cells
}

fn percent_alone(figure: &Figure) -> String {
    or_dash(figure.value, |value| format!("{:.1}", 100.0 * value))
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
    let Some(found) = interaction else {
        return csv_text(csv_header(), parts_of(judges).map(|part| part.csv_row()));
    };
    let header = csv_header().into_iter();
    let header = header.chain(["deviation", "pooled", "p_adjusted"].map(String::from));
    let rows = parts_of(judges).map(|part| {
        let mut cells = part.csv_row();
        cells.extend(part.deviation_cells(found));
        cells
    });
    csv_text(header, rows)
}

fn csv_header() -> Vec<String> {
    let counts = ["judge", "subset", "n", "trials", "verdicts"];
    let mut header: Vec<String> = counts.map(String::from).into();
    // The names of the figures are the same whatever their values.
    header.extend(figure_columns(named_figures(&Measures::default())));
    header
}
