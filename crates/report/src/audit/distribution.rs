//! How often each score of a scale was given.

use crate::View;
use crate::numbers::{bracketed_interval, group_digits, or_dash};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{ScoreDistribution, ScoreShare};

/// A scale of more scores than these is shown without those that nobody gave.
const FEW_SCORES: usize = 11;

pub(super) fn distribution_text(distribution: &ScoreDistribution, view: View) -> String {
    let shown = shown_scores(distribution).map(score_row);
    let table = TextTable::with_header(["score", "share"])
        .with_rows(shown)
        .with_numbers_from(0);
    let head = sentences_text(&distribution_heading(distribution), view);
    format!("{head}\n{}", fit_table(table, view, &[]))
}

fn shown_scores(distribution: &ScoreDistribution) -> impl Iterator<Item = &ScoreShare> {
    let all = distribution.scores.len() <= FEW_SCORES;
    let scores = distribution.scores.iter();
    scores.filter(move |score| all || score.share.value > Some(0.0))
}

fn distribution_heading(distribution: &ScoreDistribution) -> String {
    let responses = group_digits(distribution.responses);
    let by_probabilities = match distribution.by_probabilities {
        0 => String::new(),
        count => format!(", {} of them by probabilities", group_digits(count)),
    };
    let protocol = &distribution.protocol;
    format!("Scores of {responses} responses, {protocol}: per cent{by_probabilities}")
}

fn score_row(score: &ScoreShare) -> [String; 2] {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let ci = bracketed_interval(score.share.ci, percent);
    let share = or_dash(score.share.value, |share| percent(share) + &ci);
    [score.score.clone(), share]
}
