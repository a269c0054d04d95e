//! Two judges or protocols on the same pairs: differences of their accuracies.

use super::{insert_figure, percent_with_interval};
use crate::numbers::or_dash;
use crate::serialize::object_of;
use crate::text_table::TextTable;
use evenhand_studies::judge::{PairedDifference, PairedMeasure};
use serde_json::{Map, Value, json};

const HEADER: [&str; 8] = [
    "on the same pairs",
    "compared with",
    "by",
    "pairs",
    "points ahead",
    "ahead on",
    "behind on",
    "p (corrected)",
];

/// Returns a row for each difference: in points, with its interval and the p-value of the test that
/// the interval is the inversion of.
pub(super) fn paired_table<'a>(
    differences: impl IntoIterator<Item = &'a PairedDifference>,
) -> TextTable {
    TextTable::with_header(HEADER)
        .with_rows(differences.into_iter().map(paired_row))
        .with_numbers_from(3)
}

fn paired_row(one: &PairedDifference) -> [String; 8] {
    let [first, second] = one.names.clone();
    let measure = match one.measure {
        PairedMeasure::Accuracy => "accuracy",
        PairedMeasure::AccuracyBoth => "right in both orders",
    };
    [
        first,
        second,
        measure.into(),
        one.pairs.to_string(),
        percent_with_interval(&one.difference),
        one.ahead[0].to_string(),
        one.ahead[1].to_string(),
        corrected_p_text(one),
    ]
}

/// Returns the p-value, and in brackets the one that is corrected for all differences.
pub(super) fn corrected_p_text(one: &PairedDifference) -> String {
    let text = |p: Option<f64>| match p {
        Some(p) if p < 0.0005 => "<0.001".into(),
        p => or_dash(p, |p| format!("{p:.3}")),
    };
    format!("{} ({})", text(one.p), text(one.p_corrected))
}

/// Says by which test differences are; and why two are compared by what is right in both orders,
/// where some are. None where there are none.
pub(super) fn paired_note<'a>(
    differences: impl IntoIterator<Item = &'a PairedDifference>,
) -> Option<String> {
    let differences: Vec<&PairedDifference> = differences.into_iter().collect();
    let unlike = differences
        .iter()
        .any(|one| one.measure == PairedMeasure::AccuracyBoth);
    let why = if unlike { BOTH_ORDERS } else { "" };
    (!differences.is_empty()).then(|| format!("{TEST}{why}"))
}

const TEST: &str = "p of the differences on the same pairs: sign flips of the items' differences, and \
                    a score test; their intervals are what it does not reject";

const BOTH_ORDERS: &str = ". Where one of two methods gives an inconsistent pair no winner and the \
                           other does not, what is compared is how often they are right in both \
                           orders";

/// Returns a difference as an object; accuracies and the difference are from 0 to 1.
pub(super) fn paired_json(one: &PairedDifference) -> Value {
    let mut object = accuracies_json(one);
    let floor = one.drawn.map(|drawn| 1.0 / (drawn as f64 + 1.0));
    object.insert("p".into(), json!(one.p));
    object.insert("p_floor".into(), json!(floor));
    object.insert("test".into(), json!("sign flips and score"));
    object.insert("p_holm".into(), json!(one.p_corrected));
    insert_figure(&mut object, "difference", &one.difference);
    Value::Object(object)
}

fn accuracies_json(one: &PairedDifference) -> Map<String, Value> {
    object_of(json!({
        "first": one.names[0],
        "second": one.names[1],
        "pairs": one.pairs,
        "measure": one.measure.name(),
        "accuracy_first": one.accuracies[0],
        "accuracy_second": one.accuracies[1],
        "pairs_first_ahead": one.ahead[0],
        "pairs_second_ahead": one.ahead[1],
    }))
}
