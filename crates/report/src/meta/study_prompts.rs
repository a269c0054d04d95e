//! How far a judge's accuracy depends on its prompts: a row for each pack.

use super::judge::repeats_json;
use super::paired::paired_json;
use super::percent_with_interval;
use crate::numbers::or_dash;
use crate::text_table::TextTable;
use evenhand_studies::judge::PairedDifference;
use evenhand_studies::study::PromptVariation;
use serde_json::{Value, json};

/// Returns a row for each pack, with how far the built-in prompts are ahead of it, and behind them
/// the mean and the standard deviation over packs.
pub(super) fn variation_table(one: &PromptVariation) -> TextTable {
    let PromptVariation {
        judge,
        protocol,
        total,
        ..
    } = one;
    let title = format!("{judge}, {protocol}, {total}: prompts");
    let header = [
        title.as_str(),
        "accuracy %",
        "built-in ahead by",
        "p (corrected)",
    ];
    TextTable::with_header(header.map(String::from))
        .with_rows(variation_rows(one).chain([spread_row(one)]))
        .with_numbers_from(1)
}

fn variation_rows(one: &PromptVariation) -> impl Iterator<Item = [String; 4]> {
    // The first prompts are not compared with themselves.
    let differences = std::iter::once(None).chain(one.differences.iter().map(Some));
    let accuracies = one.prompts.iter().zip(&one.accuracies.accuracies);
    accuracies
        .zip(differences)
        .map(|((name, accuracy), difference)| {
            let [ahead, p] = difference_cells(difference);
            [name.clone(), percent_with_interval(accuracy), ahead, p]
        })
}

fn difference_cells(difference: Option<&PairedDifference>) -> [String; 2] {
    match difference {
        Some(one) => [
            percent_with_interval(&one.difference),
            format!("{} ({})", p_text(one.p), p_text(one.p_corrected)),
        ],
        None => ["-".into(), "-".into()],
    }
}

fn p_text(p: Option<f64>) -> String {
    or_dash(p, |p| format!("{p:.3}"))
}

fn spread_row(one: &PromptVariation) -> [String; 4] {
    let mean = percent_with_interval(&one.accuracies.mean);
    let sd = or_dash(one.accuracies.sd.value, |sd| format!("{:.1}", 100.0 * sd));
    [
        "mean".into(),
        format!("{mean} sd {sd}"),
        "-".into(),
        "-".into(),
    ]
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
