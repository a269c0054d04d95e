//! People's ratings, against which many rankings are held.

use super::contest::{Contest, Over};
use super::figures::{curve, figures};
use super::names::Names;
use super::standing::Standings;
use super::table::{Columns, Purpose, Table};
use super::{BencherRow, CiRow, Figures, notes, rows, too_few, unmatched};
use evenhand_engine::EngineError;
use evenhand_stats::{Bootstrap, Resampled};
use std::path::Path;

/// People's ratings of systems.
#[derive(Clone, Debug)]
pub struct Rated {
    standings: Standings,
    names: Names,
}

impl Rated {
    /// Reads a table of ratings, and one of names of the same systems.
    ///
    /// # Errors
    /// A file that cannot be read, or is no such table.
    pub fn read(path: &Path, names: Option<&Path>) -> Result<Rated, EngineError> {
        let file = path.display().to_string();
        let expected = || {
            EngineError::Setting(format!(
                "{file}: expected a table with a row for each system: system (or model), rating, \
                 and perhaps ci_low, ci_high"
            ))
        };
        let table =
            Table::read(path, &Columns::default(), Purpose::Ratings)?.ok_or_else(expected)?;
        let names = names.map(Names::read).transpose()?.unwrap_or_default();
        Ok(Rated {
            standings: Standings {
                notes: Vec::new(),
                ..Standings::of_table(table, &file)
            },
            names,
        })
    }

    /// The rating of a system of this name.
    ///
    /// # Errors
    /// A name that could be two systems of the table.
    pub fn rating(&self, system: &str) -> Result<Option<f64>, EngineError> {
        let found = self.names.pair(&[system], &self.standings.names())?;
        Ok(found
            .pairs
            .first()
            .and_then(|&(_, place)| self.standings.systems.get(place)?.score))
    }

    /// A ranking on resampled items, held against the ratings.
    ///
    /// # Errors
    /// Fewer than 2 systems with a rating; a bad threshold or resampling.
    pub fn row(
        &self,
        (name, aggregation): (&str, &'static str),
        systems: &[String],
        found: &Resampled,
        u: &[f64],
        plan: &Bootstrap,
    ) -> Result<BencherRow, EngineError> {
        let bencher = Standings::of_resampled(systems, found);
        let (own, other) = (bencher.names(), self.standings.names());
        let matching = self.names.pair(&own, &other)?;
        let contest = Contest::new(&bencher, &self.standings, &matching, Over::Items);
        if contest.systems() < 2 {
            return Err(too_few(name, &own, &other, &contest));
        }
        let (figures, _) = figures(&contest, plan)?;
        let tau_u = curve(&contest, u, plan)?;
        let (method, over_systems) = ("bootstrap", Figures::OVER_SYSTEMS);
        let rounds = contest.count(plan);
        Ok(BencherRow {
            bencher: name.to_string(),
            aggregation: Some(aggregation),
            n: contest.systems(),
            figures,
            tau_u,
            ci: CiRow {
                method,
                over: contest.over,
                rounds,
                level: plan.level,
                over_systems,
            },
            systems: rows(&contest),
            notes: notes(&bencher, &self.standings, &contest, Vec::new()),
            unmatched: unmatched(matching),
            coverage: None,
            items: None,
        })
    }
}
