//! How far people agree among themselves: JSON and CSV.

use super::judge_notes::interval_json;
use super::{figure_cells, insert_figure, interval_columns};
use crate::serialize::{array_of, csv_text, json_text, object_of};
use evenhand_stats::Bootstrap;
use evenhand_studies::people::{Agreement, AnnotatorRow, CountedFigure, PeopleReport};
use serde_json::{Map, Value, json};

fn named_figures(agreement: &Agreement) -> [(&'static str, &CountedFigure); 8] {
    [
        ("alpha_nominal", &agreement.alpha_nominal),
        ("alpha_ordinal", &agreement.alpha_ordinal),
        ("agreement", &agreement.agreement),
        ("agreement_without_ties", &agreement.agreement_without_ties),
        ("unanimous", &agreement.unanimous),
        ("ties", &agreement.ties),
        ("ceiling_leave_one_out", &agreement.ceiling_leave_one_out),
        ("ceiling_in_sample", &agreement.ceiling_in_sample),
    ]
}

/// Returns the report as one object; shares are from 0 to 1, null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn people_json(report: &PeopleReport, plan: &Bootstrap) -> Result<String, serde_json::Error> {
    let mut object = agreement_json(&report.all);
    object.extend(count_members(report));
    insert_counted(&mut object, "self_agreement", &report.self_agreement);
    object.insert("subsets".into(), subsets_json(report));
    let annotators = array_of(&report.annotators, annotator_json);
    object.insert("by_annotator".into(), annotators);
    object.insert("ci".into(), interval_json(plan));
    object.insert("seed".into(), json!(plan.seed));
    json_text(&object)
}

fn count_members(report: &PeopleReport) -> Map<String, Value> {
    object_of(json!({
        "items": report.items,
        "questions": report.questions,
        "annotators": report.annotators.len(),
        "labels": report.labels,
        "labels_without_annotator": report.unnamed,
        "self_comparisons": report.self_comparisons,
        "units_by_annotators": units_by_annotators_json(report),
    }))
}

fn units_by_annotators_json(report: &PeopleReport) -> Value {
    let counts = report.units_by_annotators.iter();
    counts
        .map(|(annotators, units)| json!({"annotators": annotators, "units": units}))
        .collect()
}

fn subsets_json(report: &PeopleReport) -> Value {
    let parts = report.parts.iter();
    parts
        .map(|(name, part)| (name.clone(), Value::Object(agreement_json(part))))
        .collect()
}

fn agreement_json(agreement: &Agreement) -> Map<String, Value> {
    let mut object = object_of(json!({
        "units": agreement.units,
        "units_compared": agreement.compared,
    }));
    for (name, counted) in named_figures(agreement) {
        insert_counted(&mut object, name, counted);
    }
    object
}

/// Inserts a figure, its interval, and how many it rests on.
fn insert_counted(object: &mut Map<String, Value>, name: &str, counted: &CountedFigure) {
    insert_figure(object, name, &counted.figure);
    object.insert(format!("{name}_n"), json!(counted.n));
}

fn annotator_json(row: &AnnotatorRow) -> Map<String, Value> {
    let mut object = object_of(json!({
        "annotator": row.annotator,
        "labels": row.labels,
        "units": row.units,
    }));
    insert_counted(&mut object, "agreement", &row.agreement);
    insert_counted(&mut object, "kappa", &row.kappa);
    object
}

/// Returns a line for each category and one for all.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn people_csv(report: &PeopleReport) -> Result<String, csv::Error> {
    let parts = report.parts.iter();
    let parts = parts.map(|(name, part)| csv_row(name, part));
    csv_text(csv_header(), parts.chain([csv_row("", &report.all)]))
}

fn csv_header() -> Vec<String> {
    let mut header = ["subset", "units", "units_compared"]
        .map(String::from)
        .to_vec();
    // The names of the figures are the same whatever their values.
    for (name, _) in named_figures(&Agreement::default()) {
        header.extend(interval_columns(name, ["low", "high"]));
        header.push(format!("{name}_n"));
    }
    header
}

fn csv_row(subset: &str, agreement: &Agreement) -> Vec<String> {
    let counts = [agreement.units, agreement.compared].map(|count| count.to_string());
    let mut cells = vec![subset.to_string()];
    cells.extend(counts);
    for (_, counted) in named_figures(agreement) {
        cells.extend(figure_cells(&counted.figure));
        cells.push(counted.n.to_string());
    }
    cells
}
