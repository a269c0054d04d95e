//! Published tables: a row for each system with its score, perhaps an interval, perhaps bootstrap
//! scores.

use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_formats::records::Filter;

/// The columns of a table; None: the usual names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The system.
    pub system: Option<String>,
    /// The score or rating.
    pub score: Option<String>,
    /// Which rows are read, as far as the table has the fields.
    pub filter: Filter,
}

/// One system of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TableRow {
    pub(super) system: String,
    pub(super) score: f64,
    /// What systems are ordered by, higher better: the score, or a rank that the table gives.
    pub(super) order: f64,
    pub(super) ends: Option<[f64; 2]>,
    /// Bootstrap scores.
    pub(super) draws: Vec<f64>,
}

/// A table, and the systems in it that have no score.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    pub(super) rows: Vec<TableRow>,
    pub(super) without: Vec<String>,
    /// Whether the ranks are those of `evenhand leaderboard` or `rank`.
    pub(super) ranked: bool,
}

const SCORE: [&str; 5] = ["score", "win_rate", "rating", "elo", "mean_score"];
const RATING: [&str; 4] = ["rating", "score", "elo", "win_rate"];

/// The most rows that a table may have.
const MOST_ROWS: usize = 100_000;

/// What a table is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Ranking,
    Ratings,
}

impl Purpose {
    /// Returns the usual names of the score's column, the first to be tried first.
    pub(super) fn score_names(self) -> &'static [&'static str] {
        match self {
            Purpose::Ranking => &SCORE,
            Purpose::Ratings => &RATING,
        }
    }
}

impl Table {
    /// Keeps only these systems; without a selection, all.
    pub(super) fn only_systems(mut self, systems: Option<&[String]>) -> Table {
        if let Some(systems) = systems {
            self.rows.retain(|row| systems.contains(&row.system));
            self.without.retain(|system| systems.contains(system));
        }
        self
    }

    /// Joins two tables.
    ///
    /// # Errors
    /// A system that is in both.
    pub(super) fn joined_with(mut self, other: Table, name: &str) -> Result<Table, EngineError> {
        if let Some(row) = other.rows.iter().find(|row| self.has_row_of(&row.system)) {
            return Err(system_twice(name, &row.system).into());
        }
        self.rows.extend(other.rows);
        self.without.extend(other.without);
        Ok(self)
    }

    fn has_row_of(&self, system: &str) -> bool {
        self.rows.iter().any(|row| row.system == system)
    }

    pub(super) fn check_size(&self, name: &str) -> Result<(), Refusal> {
        if self.rows.len() + self.without.len() <= MOST_ROWS {
            return Ok(());
        }
        let why = format!("{name}: the table has more than {MOST_ROWS} rows");
        Err(Refusal::of_input(why))
    }
}

pub(super) fn system_twice(name: &str, system: &str) -> Refusal {
    Refusal::of_input(format!(
        "{name}: the system {system} is there twice; expected one row for each system"
    ))
}
