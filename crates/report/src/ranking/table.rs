//! The ranking as a table: a row for each system.

use super::{range_text, score_decimals};
use crate::View;
use crate::columns::Columns;
use crate::markdown::MarkdownTable;
use crate::numbers::{chosen_percent, group_digits, or_dash};
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

/// Whether any system has a standard error; without one, its column is left out.
pub(super) fn has_standard_errors(rows: &[RankingRow]) -> bool {
    rows.iter().any(|row| row.standard_error.is_some())
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
    fn columns(self) -> Columns<'static, RankingRow> {
        let decimals = score_decimals(self.unit);
        let mut columns: Columns<RankingRow> = Columns::new(&[
            ("rank", |row| or_dash(row.rank, |rank| rank.to_string())),
            ("system", |row| row.system.clone()),
        ]);
        columns.push("score", move |row| match (row.score, row.no_score) {
            (Some(score), _) => format!("{score:.decimals$}"),
            (None, Some(NoScore::WonAll)) => "+inf".into(),
            (None, Some(NoScore::LostAll)) => "-inf".into(),
            (None, Some(NoScore::Undefined) | None) => "-".into(),
        });
        if has_standard_errors(self.rows) {
            columns.push("standard error", |row| {
                or_dash(row.standard_error, |error| format!("{error:.4}"))
            });
        }
        columns.push(self.interval_name(), move |row| {
            or_dash(row.ci, |ci| range_text(ci, decimals))
        });
        columns.extend(&[
            ("rank interval", |row| {
                or_dash(row.rank_ci, |[low, high]| format!("{low} to {high}"))
            }),
            ("judgments", |row| group_digits(row.n)),
        ]);
        columns
    }

    fn interval_name(self) -> String {
        format!("{} % interval", chosen_percent(self.level))
    }

    /// Returns the table for a terminal. A narrow one does without all but the system and its
    /// score, the least important first.
    pub(super) fn table(self, view: View) -> String {
        let columns = self.columns();
        let mut table = columns.table(self.rows);
        let system = columns.place("system");
        table.align_right((0..columns.len()).filter(|at| Some(*at) != system));
        let interval = self.interval_name();
        let droppable = [
            "judgments",
            "rank interval",
            "rank",
            &interval,
            "standard error",
        ];
        let droppable: Vec<usize> = droppable
            .into_iter()
            .filter_map(|name| columns.place(name))
            .collect();
        fit_table(table, view, &droppable)
    }

    pub(super) fn markdown(self) -> MarkdownTable {
        self.columns().markdown(self.rows, &["system"])
    }
}
