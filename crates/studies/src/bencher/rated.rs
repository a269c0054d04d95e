//! People's ratings, against which many rankings are held.

use super::contest::Over;
use super::names::Names;
use super::standing::Standings;
use super::table::Table;
use super::table_record::{Columns, Purpose};
use super::{BencherRow, Held};
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_stats::inference::{InferenceError, JointComparison};
use evenhand_stats::{Bootstrap, Estimate, Resampled};
use std::path::Path;

/// People's ratings of systems.
#[derive(Clone, Debug)]
pub struct Rated {
    standings: Standings,
    names: Names,
}

/// A ranking held against people's ratings.
#[derive(Clone, Debug)]
pub struct RatedRow {
    /// Its agreement.
    pub row: BencherRow,
    /// Spearman's rho in every round, to compare rankings of the same items by.
    pub rho_rounds: Vec<Estimate>,
}

impl Rated {
    /// Reads a table of ratings, and one of names of the same systems.
    ///
    /// # Errors
    /// A file that cannot be read, or is no such table.
    pub fn read(path: &Path, names: Option<&Path>) -> Result<Rated, EngineError> {
        let file = path.display().to_string();
        let table = Table::read(path, &Columns::default(), Purpose::Ratings)?;
        let table = table.ok_or_else(|| {
            Refusal::of_input(format!(
                "{file}: expected a table with a row for each system: system (or model), rating, \
                 and perhaps ci_low, ci_high"
            ))
        })?;
        Ok(Rated {
            standings: Standings::of_table(table, &file).without_notes(),
            names: names.map(Names::read).transpose()?.unwrap_or_default(),
        })
    }

    /// Returns the rating of a system of this name.
    ///
    /// # Errors
    /// A name that could be two systems of the table.
    pub fn rating(&self, system: &str) -> Result<Option<f64>, EngineError> {
        let found = self.names.pair(&[system], &self.standings.names())?;
        let place = found.pairs.first().map(|(_, place)| *place);
        Ok(place.and_then(|place| self.standings.systems[place].score))
    }

    /// Holds a ranking on resampled items against the ratings; `compared` says which of its systems
    /// are apart by the same items.
    ///
    /// # Errors
    /// Fewer than 2 systems with a rating; a bad threshold or resampling.
    pub fn row(
        &self,
        (name, aggregation): (&str, &'static str),
        systems: &[String],
        (found, compared): (&Resampled, Result<JointComparison, InferenceError>),
        u: &[f64],
        plan: &Bootstrap,
    ) -> Result<RatedRow, EngineError> {
        let held = Held {
            bencher: &Standings::of_resampled(systems, found, Some(compared)),
            reference: &self.standings,
            names: &self.names,
            over: Over::Items,
            group: None,
        };
        let found = held.compare(name, u, plan)?;
        Ok(RatedRow {
            row: BencherRow {
                aggregation: Some(aggregation),
                ..found.row
            },
            rho_rounds: found.correlated.spearman.rounds,
        })
    }
}
