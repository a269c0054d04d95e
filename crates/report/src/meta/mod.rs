//! Meta-evaluation for people and programs.

mod bencher;
mod judge;
mod study;

pub use bencher::{bencher_csv, bencher_json, bencher_table};
pub use judge::{JudgeSettings, judges_csv, judges_json, judges_table};
pub use study::{concordances_csv, study_csv, study_json, study_table};

use evenhand_studies::Figure;
use serde_json::{Map, Value, json};

/// A figure under its name, its interval beside it, and why either is missing in the object's
/// `notes`.
pub(crate) fn put(object: &mut Map<String, Value>, name: &str, figure: &Figure) {
    object.insert(name.into(), json!(figure.value));
    object.insert(format!("{name}_ci"), json!(figure.ci));
    if let Some(note) = &figure.note {
        let notes = object.entry("notes").or_insert_with(|| json!({}));
        notes.as_object_mut().into_iter().for_each(|notes| {
            notes.insert(name.into(), json!(note));
        });
    }
}

/// A share in percent with its interval: `72.0 (64 to 79)`.
pub(crate) fn percent(figure: &Figure) -> String {
    let Some(value) = figure.value else {
        return "-".into();
    };
    let end = |end: Option<f64>| end.map_or("?".into(), |end| format!("{:.0}", 100.0 * end));
    let ci = figure
        .ci
        .map(|[low, high]| format!(" ({} to {})", end(low), end(high)));
    format!("{:.1}{}", 100.0 * value, ci.unwrap_or_default())
}

/// A coefficient with its interval: `0.53 (0.11 to 0.80)`.
fn coefficient(figure: &Figure) -> String {
    let Some(value) = figure.value else {
        return "-".into();
    };
    let end = |end: Option<f64>| end.map_or("?".into(), |end| format!("{end:.2}"));
    let ci = figure
        .ci
        .map(|[low, high]| format!(" ({} to {})", end(low), end(high)));
    format!("{value:.2}{}", ci.unwrap_or_default())
}

/// The value and the two ends as cells of CSV, empty where there is none.
pub(crate) fn figure_cells(figure: &Figure) -> [String; 3] {
    let [low, high] = figure.ci.unwrap_or_default();
    [figure.value, low, high]
        .map(|number| number.map_or_else(String::new, |number| number.to_string()))
}
