//! A ranking of systems, and what it rests on.

mod csv;
mod extras;
mod json;
mod recorded;
mod summary;
mod table;

pub use csv::ranking_csv;
pub use json::ranking_json;
pub use recorded::recorded_table;
pub use summary::summary_table;

use crate::numbers::group_digits;
use crate::{Usage, View};
use evenhand_engine::{Report, ScoreUnit};

/// Below this share of trials with a verdict, that is said before anything else.
const FEW_VERDICTS: f64 = 0.95;

/// Returns the ranking and, below it, what it rests on. Where many trials have no verdict, that
/// stands first.
pub fn ranking_table(report: &Report, usage: &Usage, view: View) -> String {
    format!(
        "{}{}\n\n{}",
        missing_verdicts(report),
        table::leaderboard(report, view),
        summary_table(report, usage, view)
    )
}

fn missing_verdicts(report: &Report) -> String {
    let (verdicts, trials) = (report.coverage.verdicts, report.coverage.trials);
    let share = verdicts as f64 / trials.max(1) as f64;
    if trials == 0 || share >= FEW_VERDICTS {
        return String::new();
    }
    format!(
        "Only {} of {} trials ({:.0} %) came to a verdict; the others are excluded.\n\n",
        group_digits(verdicts),
        group_digits(trials),
        100.0 * share
    )
}

/// Returns the decimals of scores: Elo points are whole; shares and log-odds need three, scores on a
/// scale two.
fn score_decimals(unit: ScoreUnit) -> usize {
    match unit {
        ScoreUnit::FittedElo | ScoreUnit::OnlineElo => 0,
        ScoreUnit::Points | ScoreUnit::FormPoints | ScoreUnit::FilePoints => 2,
        ScoreUnit::ComparisonsWon => 1,
        _ => 3,
    }
}

/// Returns `LOW to HIGH`, where an open end is infinite.
fn range_text([low, high]: [Option<f64>; 2], decimals: usize) -> String {
    let end = |end: Option<f64>, open: &str| {
        end.map_or_else(|| open.to_string(), |end| format!("{end:.decimals$}"))
    };
    format!("{} to {}", end(low, "-inf"), end(high, "+inf"))
}

/// Returns the notes of the systems that have one, as rows of a summary.
fn system_notes(report: &Report) -> impl Iterator<Item = (&'static str, String)> {
    report.ranking.iter().filter_map(|row| {
        let note = row.note.as_ref()?;
        Some(("note", format!("{}: {note}", row.system)))
    })
}
