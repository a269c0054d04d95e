//! Two judges or protocols on the same pairs: differences of their accuracies.

use super::percent_with_interval;
use crate::columns::{Column, table_of};
use crate::named_figures::NamedFigures;
use crate::numbers::or_dash;
use crate::text_table::TextTable;
use evenhand_core::p_value_text;
use evenhand_studies::judge::{NotCompared, PairedDifference, PairedMeasure, WhyNotCompared};
use schemars::JsonSchema;
use serde::Serialize;

const COLUMNS: [Column<PairedDifference>; 8] = [
    ("on the same pairs", |one| one.names[0].clone()),
    ("compared with", |one| one.names[1].clone()),
    ("by", |one| match one.measure {
        PairedMeasure::Accuracy => "accuracy".into(),
        PairedMeasure::AccuracyBoth => "right in both orders".into(),
    }),
    ("pairs", |one| one.pairs.to_string()),
    ("points ahead", |one| percent_with_interval(&one.difference)),
    ("ahead on", |one| one.ahead[0].to_string()),
    ("behind on", |one| one.ahead[1].to_string()),
    ("p (corrected)", corrected_p_text),
];

/// Returns a row for each difference: in points, with its interval and the p-value of the test that
/// the interval is the inversion of.
pub(super) fn paired_table(differences: &[PairedDifference]) -> TextTable {
    table_of(&COLUMNS, differences).with_numbers_from(3)
}

/// Returns the p-value, and in brackets the one that is corrected for all differences.
pub(super) fn corrected_p_text(one: &PairedDifference) -> String {
    let text = |p: Option<f64>| or_dash(p, p_value_text);
    format!("{} ({})", text(one.p), text(one.p_corrected))
}

const TEST: &str = "p of the differences on the same pairs: sign flips of the items' differences, \
                    and a score test; their intervals are what it does not reject";

const BOTH_ORDERS: &str = ". If only one of two methods gives an inconsistent pair no winner, they \
                           are compared by how often they are right in both orders";

/// Says by which test differences are; and why two are compared by what is right in both orders,
/// where some are. None where there are none.
pub(super) fn paired_note<'a>(
    differences: impl IntoIterator<Item = &'a PairedDifference>,
) -> Option<String> {
    let differences: Vec<&PairedDifference> = differences.into_iter().collect();
    let is_unlike = |one: &&PairedDifference| one.measure == PairedMeasure::AccuracyBoth;
    let why = if differences.iter().any(is_unlike) {
        BOTH_ORDERS
    } else {
        ""
    };
    (!differences.is_empty()).then(|| format!("{TEST}{why}"))
}

/// Two judges or protocols on the same pairs. Accuracies and the difference are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(super) struct PairedJson<'a> {
    /// One of the two, by judge and protocol.
    first: &'a str,
    /// The other.
    second: &'a str,
    /// Pairs that both have judged and that count.
    pairs: usize,
    /// By what the two are compared.
    measure: PairedMeasure,
    /// That of the first on these pairs.
    accuracy_first: f64,
    /// That of the second.
    accuracy_second: f64,
    /// Pairs on which the first was more often right.
    pairs_first_ahead: u32,
    /// Pairs on which the second was.
    pairs_second_ahead: u32,
    /// Two-sided p-value of the difference; null for fewer than two items.
    p: Option<f64>,
    /// The least that `p` can be, where sign patterns were drawn; null where all were counted.
    p_floor: Option<f64>,
    /// By which tests the p-value and the interval are.
    test: &'static str,
    /// The p-value, corrected for all differences of the report, of a study for those of its total
    /// (Holm 1979).
    p_holm: Option<f64>,
    #[serde(flatten)]
    difference: NamedFigures<'a, PairedDifference>,
}

impl<'a> From<&'a PairedDifference> for PairedJson<'a> {
    fn from(one: &'a PairedDifference) -> Self {
        PairedJson {
            first: &one.names[0],
            second: &one.names[1],
            pairs: one.pairs,
            measure: one.measure,
            accuracy_first: one.accuracies[0],
            accuracy_second: one.accuracies[1],
            pairs_first_ahead: one.ahead[0],
            pairs_second_ahead: one.ahead[1],
            p: one.p,
            p_floor: one.drawn.map(|drawn| 1.0 / (drawn as f64 + 1.0)),
            test: "sign flips and score",
            p_holm: one.p_corrected,
            difference: NamedFigures::new(
                &[("difference", |one: &PairedDifference| &one.difference)],
                one,
            ),
        }
    }
}

/// Two judges or protocols that could not be compared on the same pairs.
#[derive(Serialize, JsonSchema)]
pub(super) struct NotComparedJson<'a> {
    /// One of the two, by judge and protocol.
    first: &'a str,
    /// The other.
    second: &'a str,
    /// Why they were not compared.
    why: WhyNotCompared,
}

impl<'a> From<&'a NotCompared> for NotComparedJson<'a> {
    fn from(one: &'a NotCompared) -> Self {
        NotComparedJson {
            first: &one.names[0],
            second: &one.names[1],
            why: one.why,
        }
    }
}
