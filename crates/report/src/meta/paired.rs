//! Two judges or protocols on the same pairs: differences of their accuracies.

use super::{insert_figure, percent_with_interval};
use crate::numbers::or_dash;
use crate::serialize::object_of;
use crate::text_table::TextTable;
use evenhand_studies::judge::PairedDifference;
use serde_json::{Map, Value, json};

const HEADER: [&str; 7] = [
    "on the same pairs",
    "compared with",
    "pairs",
    "points ahead",
    "ahead on",
    "behind on",
    "p (corrected)",
];

/// Returns a row for each difference: in points, with its interval and the exact sign test.
pub(super) fn paired_table<'a>(
    differences: impl IntoIterator<Item = &'a PairedDifference>,
) -> TextTable {
    TextTable::with_header(HEADER)
        .with_rows(differences.into_iter().map(paired_row))
        .with_numbers_from(2)
}

fn paired_row(one: &PairedDifference) -> [String; 7] {
    let [first, second] = one.names.clone();
    let p = format!("{} ({})", p_text(one.p), p_text(one.p_corrected));
    [
        first,
        second,
        one.pairs.to_string(),
        percent_with_interval(&one.difference),
        one.ahead[0].to_string(),
        one.ahead[1].to_string(),
        p,
    ]
}

fn p_text(p: Option<f64>) -> String {
    or_dash(p, |p| format!("{p:.3}"))
}

/// Returns a difference as an object; accuracies and the difference are from 0 to 1.
pub(super) fn paired_json(one: &PairedDifference) -> Value {
    let mut object = accuracies_json(one);
    object.insert("p".into(), json!(one.p));
    object.insert("p_holm".into(), json!(one.p_corrected));
    insert_figure(&mut object, "difference", &one.difference);
    Value::Object(object)
}

fn accuracies_json(one: &PairedDifference) -> Map<String, Value> {
    object_of(json!({
        "first": one.names[0],
        "second": one.names[1],
        "pairs": one.pairs,
        "accuracy_first": one.accuracies[0],
        "accuracy_second": one.accuracies[1],
        "pairs_first_ahead": one.ahead[0],
        "pairs_second_ahead": one.ahead[1],
    }))
}
