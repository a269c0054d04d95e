//! A ranking of systems, and what it rests on.

mod criteria;
mod csv;
mod extras;
mod json;
mod markdown;
mod recorded;
mod slices;
mod summary;
mod table;

pub(crate) use criteria::heading as criterion_heading;
pub use csv::ranking_csv;
pub use json::ranking_json;
pub use markdown::ranking_markdown;
pub use recorded::recorded_table;
pub use summary::summary_table;

use crate::numbers::group_digits;
use crate::slices::slices_answer;
use crate::view::Line;
use crate::{Usage, View};
use evenhand_engine::{Report, ScoreUnit};

/// Below this share of trials with a verdict, that is said before anything else.
const FEW_VERDICTS: f64 = 0.95;

/// Returns the ranking and, below it, what it rests on. Where many trials have no verdict, that
/// stands first.
pub fn ranking_table(report: &Report, usage: &Usage, view: View) -> String {
    format!(
        "{}{}{}{}{}{}\n\n{}",
        slices_answer(report.interaction.as_ref()),
        missing_verdicts(report),
        table::leaderboard(report, view),
        turn_tables(report, view),
        criteria::criterion_tables(report, view),
        slices::slice_tables(report, view),
        summary_table(report, usage, view)
    )
}

/// Returns the ranking by each turn, where there are any.
fn turn_tables(report: &Report, view: View) -> String {
    let turns = report.turns.iter();
    let tables = turns.map(|turn| {
        let of_turn = Report {
            ranking: turn.ranking.clone(),
            ..report.clone()
        };
        let table = table::leaderboard(&of_turn, view);
        format!("\n\nTurn {} alone\n{table}", turn.turn)
    });
    tables.collect()
}

/// Says how few trials came to a verdict; blank where nearly all did.
fn missing_verdicts(report: &Report) -> String {
    let coverage = &report.coverage;
    let share = coverage.verdicts as f64 / coverage.trials.max(1) as f64;
    if coverage.trials == 0 || share >= FEW_VERDICTS {
        return String::new();
    }
    let [verdicts, trials] = [coverage.verdicts, coverage.trials].map(group_digits);
    format!(
        "Only {verdicts} of {trials} trials ({:.0} %) came to a verdict; the others are \
         excluded.\n\n",
        100.0 * share
    )
}

/// Returns the decimals of scores: Elo points are whole; shares and log-odds need three, scores on
/// a scale two.
pub(crate) fn score_decimals(unit: ScoreUnit) -> usize {
    match unit {
        ScoreUnit::FittedElo | ScoreUnit::OnlineElo => 0,
        ScoreUnit::Points | ScoreUnit::FormPoints | ScoreUnit::FilePoints => 2,
        ScoreUnit::ComparisonsWon => 1,
        _ => 3,
    }
}

/// Returns `LOW to HIGH`, where an open end is infinite.
pub(crate) fn range_text([low, high]: [Option<f64>; 2], decimals: usize) -> String {
    let low = end_text(low, "-inf", decimals);
    let high = end_text(high, "+inf", decimals);
    format!("{low} to {high}")
}

fn end_text(end: Option<f64>, open: &str, decimals: usize) -> String {
    end.map_or_else(|| open.into(), |end| format!("{end:.decimals$}"))
}

/// Whether any system has a standard error; without one, its column is left out.
fn has_standard_errors(report: &Report) -> bool {
    let mut rows = report.ranking.iter();
    rows.any(|row| row.standard_error.is_some())
}

/// Returns the notes of the systems that have one, as rows of a summary.
fn system_notes(report: &Report) -> impl Iterator<Item = Line> {
    let rows = report.ranking.iter();
    let notes = rows.filter_map(|row| Some((&row.system, row.note.as_ref()?)));
    notes.map(|(system, note)| ("note", format!("{system}: {note}")))
}
