//! Meta-evaluation for people and programs.

mod bencher;
mod consistency;
mod judge;
mod judge_notes;
mod paired;
mod people;
mod selection;
mod study;
mod study_extras;
mod study_labelled;
mod study_wide;

pub use bencher::{bencher_csv, bencher_json, bencher_table};
pub use consistency::{ConsistencyOf, consistency_csv, consistency_json, consistency_table};
pub use judge::{judges_csv, judges_json, judges_table};
pub use judge_notes::JudgeSettings;
pub use people::{people_csv, people_json, people_table};
pub use selection::{selection_csv, selection_json, selection_table};
pub use study::{concordances_csv, study_csv, study_json, study_table};

use crate::numbers::{bracketed_interval, or_dash, with_interval};
use crate::serialize::{interval_cells, optional_cell};
use evenhand_studies::Figure;
use evenhand_studies::study::StudyRow;
use serde_json::{Map, Value, json};

/// Inserts a figure under its name, its interval beside it, and why either is missing in the
/// object's `notes`.
pub(crate) fn insert_figure(object: &mut Map<String, Value>, name: &str, figure: &Figure) {
    insert_value_and_interval(object, name, figure);
    if let Some(note) = &figure.note {
        let notes = object.entry("notes").or_insert_with(|| json!({}));
        if let Some(notes) = notes.as_object_mut() {
            notes.insert(name.into(), json!(note));
        }
    }
}

/// Inserts a figure under its name, and its interval beside it.
fn insert_value_and_interval(object: &mut Map<String, Value>, name: &str, figure: &Figure) {
    object.insert(name.into(), json!(figure.value));
    object.insert(format!("{name}_ci"), json!(figure.ci));
}

/// Returns a share in percent with its interval: `72.0 (64 to 79)`.
pub(crate) fn percent_with_interval(figure: &Figure) -> String {
    let ci = bracketed_interval(figure.ci, |end| format!("{:.0}", 100.0 * end));
    or_dash(figure.value, |value| format!("{:.1}{ci}", 100.0 * value))
}

/// Returns a coefficient with its interval: `0.53 (0.11 to 0.80)`.
fn coefficient_with_interval(figure: &Figure) -> String {
    with_interval(figure.value, figure.ci, |number| format!("{number:.2}"))
}

/// Returns the names of figures and of the ends of their intervals, as columns of CSV.
fn figure_columns<const N: usize>(figures: [(&str, &Figure); N]) -> impl Iterator<Item = String> {
    let columns = figures.map(|(name, _)| interval_columns(name, ["low", "high"]));
    columns.into_iter().flatten()
}

/// Returns the figures as cells of CSV, in the order of [`figure_columns`].
fn all_figure_cells<const N: usize>(figures: [(&str, &Figure); N]) -> impl Iterator<Item = String> {
    let cells = figures.map(|(_, figure)| figure_cells(figure));
    cells.into_iter().flatten()
}

/// Returns the names of the CSV columns of a figure and the two ends of its interval.
pub(crate) fn interval_columns(name: &str, [low, high]: [&str; 2]) -> [String; 3] {
    [
        name.into(),
        format!("{name}_{low}"),
        format!("{name}_{high}"),
    ]
}

/// Returns the value and the two ends as cells of CSV, empty where they are missing.
pub(crate) fn figure_cells(figure: &Figure) -> [String; 3] {
    let [low, high] = interval_cells(figure.ci);
    [optional_cell(figure.value), low, high]
}

/// Returns a bencher's name, without its reference.
pub(super) fn bencher_label(row: &StudyRow) -> String {
    format!(
        "{} on {}: {}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}
