//! The ranking as a table: a row for each system.

use self::Column::{Interval, Judgments, Rank, RankInterval, Score, StandardError, System};
use super::{range_text, score_decimals};
use crate::View;
use crate::numbers::{group_digits, or_dash};
use crate::text_table::TextTable;
use crate::view::fit_table;
use evenhand_ranking::{NoScore, RankingRow, Report, ScoreUnit};

/// Rows of a report that are shown as a table: the whole ranking, or a part of it.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) rows: &'a [RankingRow],
    pub(super) unit: ScoreUnit,
    /// The level of the intervals.
    pub(super) level: f64,
}

impl<'a> Shown<'a> {
    pub(super) fn whole(report: &'a Report) -> Shown<'a> {
        Shown {
            rows: &report.ranking,
            unit: report.unit,
            level: report.ci.level,
        }
    }

    pub(super) fn with_rows(self, rows: &'a [RankingRow]) -> Shown<'a> {
        Shown { rows, ..self }
    }

    /// Returns the columns that have something to show.
    fn columns(self) -> Vec<Column> {
        let mut columns = COLUMNS.to_vec();
        if !has_standard_errors(self.rows) {
            columns.retain(|column| *column != StandardError);
        }
        columns
    }

    /// Returns the header and the cells of each row.
    pub(super) fn cells(self) -> (Vec<String>, Vec<Vec<String>>) {
        let columns = self.columns();
        let header = columns.iter().map(|column| column.header(self.level));
        let decimals = score_decimals(self.unit);
        let rows = self.rows.iter().map(|row| {
            let cells = columns.iter().map(|column| column.cell(row, decimals));
            cells.collect()
        });
        (header.collect(), rows.collect())
    }
}

/// Whether any system has a standard error; without one, its column is left out.
pub(super) fn has_standard_errors(rows: &[RankingRow]) -> bool {
    rows.iter().any(|row| row.standard_error.is_some())
}

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
pub(super) fn leaderboard(shown: Shown<'_>, view: View) -> String {
    let columns = shown.columns();
    let place = |column: &Column| columns.iter().position(|shown| shown == column);
    let droppable: Vec<usize> = DROPPABLE.iter().filter_map(place).collect();
    let (header, rows) = shown.cells();
    let mut table = TextTable::with_header(header).with_rows(rows);
    table.align_right((0..columns.len()).filter(|at| columns[*at] != System));
    fit_table(table, view, &droppable)
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
            Rank => or_dash(row.rank, |rank| rank.to_string()),
            System => row.system.clone(),
            Score => match (row.score, row.no_score) {
                (Some(score), _) => format!("{score:.decimals$}"),
                (None, Some(NoScore::WonAll)) => "+inf".into(),
                (None, Some(NoScore::LostAll)) => "-inf".into(),
                (None, Some(NoScore::Undefined) | None) => "-".into(),
            },
            StandardError => or_dash(row.standard_error, |error| format!("{error:.4}")),
            Interval => or_dash(row.ci, |ci| range_text(ci, decimals)),
            RankInterval => or_dash(row.rank_ci, |[low, high]| format!("{low} to {high}")),
            Judgments => group_digits(row.n),
        }
    }
}
