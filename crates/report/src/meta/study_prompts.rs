//! How far a judge's accuracy depends on its prompts: a row for each pack.

use super::judge::repeats_json;
use super::paired::{corrected_p_text, paired_json};
use super::percent_with_interval;
use crate::numbers::or_dash;
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::judge::{PairedDifference, Repeats};
use evenhand_studies::study::PromptVariation;
use serde_json::{Value, json};
use std::iter::once;

/// Returns a row for each pack, with how far the built-in prompts are ahead of it, and behind them
/// the mean and the standard deviation over packs.
pub(super) fn variation_table(one: &PromptVariation) -> TextTable {
    let [accuracy, ahead, p] = HEADER.map(String::from);
    TextTable::with_header([title_of(one), accuracy, ahead, p])
        .with_rows(variation_rows(one).chain([spread_row(&one.accuracies)]))
        .with_numbers_from(1)
}

/// The columns behind the names of the prompts.
const HEADER: [&str; 3] = ["accuracy %", "built-in ahead by", "p (corrected)"];

fn title_of(one: &PromptVariation) -> String {
    format!("{}, {}, {}: prompts", one.judge, one.protocol, one.total)
}

fn variation_rows(one: &PromptVariation) -> impl Iterator<Item = [String; 4]> {
    // The first prompts are not compared with themselves.
    let differences = once(None).chain(one.differences.iter().map(Some));
    let accuracies = one.prompts.iter().zip(&one.accuracies.accuracies);
    let rows = accuracies.zip(differences);
    rows.map(|(accuracy, difference)| variation_row(accuracy, difference))
}

fn variation_row(
    (name, accuracy): (&String, &Figure),
    difference: Option<&PairedDifference>,
) -> [String; 4] {
    let [ahead, p] = difference.map_or_else(|| ["-", "-"].map(String::from), difference_cells);
    [name.clone(), percent_with_interval(accuracy), ahead, p]
}

fn difference_cells(one: &PairedDifference) -> [String; 2] {
    [
        percent_with_interval(&one.difference),
        corrected_p_text(one),
    ]
}

fn spread_row(accuracies: &Repeats) -> [String; 4] {
    let mean = percent_with_interval(&accuracies.mean);
    let sd = or_dash(accuracies.sd.value, |sd| format!("{:.1}", 100.0 * sd));
    let spread = format!("{mean} sd {sd}");
    ["mean", &spread, "-", "-"].map(String::from)
}

/// Returns the accuracies in the order of the prompts, from 0 to 1, and the differences of the first
/// from each of the others.
pub(super) fn variation_json(one: &PromptVariation) -> Value {
    json!({
        "total": one.total,
        "judge": one.judge,
        "protocol": one.protocol,
        "prompts": one.prompts,
        "accuracy": repeats_json(&one.accuracies),
        "differences": one.differences.iter().map(paired_json).collect::<Vec<_>>(),
    })
}
