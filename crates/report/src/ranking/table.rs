//! The ranking as a table: a row for each system.

use self::Column::{Interval, Judgments, Rank, RankInterval, Score, StandardError, System};
use super::{range_text, score_decimals};
use crate::View;
use crate::numbers::{group_digits, or_dash};
use crate::text_table::TextTable;
use crate::view::fit_table;
use evenhand_engine::{NoScore, RankingRow, Report};

/// A column of the ranking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Rank,
    System,
    Score,
    StandardError,
    Interval,
    RankInterval,
    Judgments,
}

const COLUMNS: [Column; 7] = [
    Rank,
    System,
    Score,
    StandardError,
    Interval,
    RankInterval,
    Judgments,
];

/// Columns that a narrow terminal does without, the least important first: all but the system and
/// its score.
const DROPPABLE: [Column; 5] = [Judgments, RankInterval, Rank, Interval, StandardError];

/// Returns the ranking alone.
pub(super) fn leaderboard(report: &Report, view: View) -> String {
    let columns = filled_columns(report);
    let level = report.ci.level;
    let mut table = TextTable::with_header(columns.iter().map(|column| column.header(level)));
    let decimals = score_decimals(report.unit);
    for row in &report.ranking {
        table.add_row(columns.iter().map(|column| column.cell(row, decimals)));
    }
    table.align_right((0..columns.len()).filter(|at| columns[*at] != System));
    fit_table(table, view, &droppable_places(&columns))
}

/// Returns the columns that have something to show.
fn filled_columns(report: &Report) -> Vec<Column> {
    let has_errors = report
        .ranking
        .iter()
        .any(|row| row.standard_error.is_some());
    COLUMNS
        .into_iter()
        .filter(|column| has_errors || *column != StandardError)
        .collect()
}

fn droppable_places(columns: &[Column]) -> Vec<usize> {
    DROPPABLE
        .iter()
        .filter_map(|column| columns.iter().position(|shown| shown == column))
        .collect()
}

impl Column {
    fn header(self, level: f64) -> String {
        match self {
            Rank => "rank".into(),
            System => "system".into(),
            Score => "score".into(),
            StandardError => "standard error".into(),
            Interval => format!("{:.0} % interval", 100.0 * level),
            RankInterval => "rank interval".into(),
            Judgments => "judgments".into(),
        }
    }

    fn cell(self, row: &RankingRow, decimals: usize) -> String {
        match self {
            Rank => row.rank.map_or("-".into(), |rank| rank.to_string()),
            System => row.system.clone(),
            Score => score_cell(row, decimals),
            StandardError => or_dash(row.standard_error, |error| format!("{error:.4}")),
            Interval => row.ci.map_or("-".into(), |ci| range_text(ci, decimals)),
            RankInterval => rank_interval_cell(row),
            Judgments => group_digits(row.n),
        }
    }
}

fn score_cell(row: &RankingRow, decimals: usize) -> String {
    match (row.score, row.no_score) {
        (Some(score), _) => format!("{score:.decimals$}"),
        (None, Some(NoScore::WonAll)) => "+inf".into(),
        (None, Some(NoScore::LostAll)) => "-inf".into(),
        (None, Some(NoScore::Undefined) | None) => "-".into(),
    }
}

fn rank_interval_cell(row: &RankingRow) -> String {
    row.rank_ci
        .map_or("-".into(), |[low, high]| format!("{low} to {high}"))
}
