//! The ranking as a table: a row for each system.

use self::Column::{Interval, Judgments, Rank, RankInterval, Score, StandardError, System};
use super::{has_standard_errors, range_text, score_decimals};
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
    let rows = report.ranking.iter();
    let mut table = TextTable::with_header(header_row(report, &columns))
        .with_rows(rows.map(|row| ranking_row(row, report, &columns)));
    table.align_right((0..columns.len()).filter(|at| columns[*at] != System));
    fit_table(table, view, &droppable_places(&columns))
}

/// Returns the header and the cells of the ranking, as they are in the table.
pub(super) fn cells_of_ranking(report: &Report) -> (Vec<String>, Vec<Vec<String>>) {
    let columns = filled_columns(report);
    let rows = report.ranking.iter();
    let rows = rows.map(|row| ranking_row(row, report, &columns)).collect();
    (header_row(report, &columns), rows)
}

/// Whether the cells of this column are words.
pub(super) fn is_left(report: &Report, column: usize) -> bool {
    filled_columns(report).get(column) == Some(&System)
}

fn header_row(report: &Report, columns: &[Column]) -> Vec<String> {
    let level = report.ci.level;
    columns.iter().map(|column| column.header(level)).collect()
}

fn ranking_row(row: &RankingRow, report: &Report, columns: &[Column]) -> Vec<String> {
    let decimals = score_decimals(report.unit);
    let cells = columns.iter().map(|column| column.cell(row, decimals));
    cells.collect()
}

/// Returns the columns that have something to show.
fn filled_columns(report: &Report) -> Vec<Column> {
    let mut columns = COLUMNS.to_vec();
    if !has_standard_errors(report) {
        columns.retain(|column| *column != StandardError);
    }
    columns
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
            System => row.system.clone(),
            Judgments => group_digits(row.n),
            Rank | RankInterval => self.rank_cell(row).unwrap_or("-".into()),
            Score | StandardError | Interval => self.score_cell(row, decimals),
        }
    }

    fn rank_cell(self, row: &RankingRow) -> Option<String> {
        if self == Rank {
            return row.rank.map(|rank| rank.to_string());
        }
        row.rank_ci.map(|[low, high]| format!("{low} to {high}"))
    }

    fn score_cell(self, row: &RankingRow, decimals: usize) -> String {
        match self {
            Interval => row.ci.map_or("-".into(), |ci| range_text(ci, decimals)),
            StandardError => or_dash(row.standard_error, |error| format!("{error:.4}")),
            _ => score_text(row, decimals),
        }
    }
}

fn score_text(row: &RankingRow, decimals: usize) -> String {
    let Some(score) = row.score else {
        return infinite_score(row.no_score).into();
    };
    format!("{score:.decimals$}")
}

fn infinite_score(why: Option<NoScore>) -> &'static str {
    match why {
        Some(NoScore::WonAll) => "+inf",
        Some(NoScore::LostAll) => "-inf",
        Some(NoScore::Undefined) | None => "-",
    }
}
