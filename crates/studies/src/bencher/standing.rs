//! Scores of systems, whoever gave them: a bencher's ranking, or the reference.

use super::table::Table;
use super::table_record::TableRow;
use evenhand_stats::inference::{InferenceError, JointComparison};
use evenhand_stats::{
    Bounded, Error, Estimate, Interval, Resampled, Undefined, draw_clusters, percentile_interval,
};

/// One system's score.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standing {
    pub(super) system: String,
    /// None where there is no finite one.
    pub(super) score: Option<f64>,
    pub(super) ends: Result<[f64; 2], String>,
    /// What systems are ordered by, higher better; or why it has no place.
    pub(super) order: Result<f64, String>,
    /// Scores in the rounds, where there are any; finite ones only if all are.
    pub(super) draws: Vec<f64>,
}

impl Standing {
    /// Returns the score with its interval.
    pub(super) fn bounded(&self) -> Result<Bounded, String> {
        let system = &self.system;
        let Some(score) = self.score else {
            return Err(format!("{system} has no finite score"));
        };
        match &self.ends {
            Ok([low, high]) => Ok(Bounded {
                score,
                low: *low,
                high: *high,
            }),
            Err(why) => Err(format!("{system} has no interval of its score: {why}")),
        }
    }
}

/// What each system is ordered by in a round; None where it has no place.
pub(super) type Round = Vec<Option<f64>>;

/// Standings, and how the systems were ordered in every round.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Standings {
    pub(super) systems: Vec<Standing>,
    /// Empty without rounds.
    pub(super) rounds: Vec<Round>,
    /// The systems that one joint test of their data tells apart, the better first, or why it
    /// cannot; None without data that are tested.
    pub(super) apart: Option<Result<Vec<(usize, usize)>, String>>,
    pub(super) notes: Vec<String>,
}

impl Standings {
    /// Returns the standings of a table without bootstrap scores.
    pub(super) fn of_table(table: Table, file: &str) -> Standings {
        Standings {
            notes: notes_on_missing(&table, file),
            systems: table.rows.into_iter().map(published_standing).collect(),
            ..Standings::default()
        }
    }

    /// Returns the standings of a table with bootstrap scores, whose intervals are taken at
    /// `level`.
    ///
    /// Where the scores of every system are sorted, the rounds they came from are lost: round r
    /// then takes one score of each system at random, as if their errors were independent. A system
    /// with one score, as a baseline that is held fixed, has it in every round.
    ///
    /// # Errors
    /// A bad level; systems with different numbers of scores, or fewer than 2.
    pub(super) fn of_draws(
        table: Table,
        file: &str,
        level: f64,
        seed: u64,
    ) -> Result<Standings, Error> {
        let count = draw_count(&table.rows)?;
        let mut notes = notes_on_missing(&table, file);
        let rounds: Vec<Round> = if table.rows.iter().all(|row| row.draws.is_sorted()) {
            notes.push(format!(
                "{file}: the bootstrap scores are sorted, so each round takes a random one of each \
                 system, as if their errors were independent"
            ));
            let rounds = 0..count as u64;
            rounds
                .map(|round| random_round(&table.rows, count, seed, round))
                .collect()
        } else {
            let round = |round| table.rows.iter().map(|row| score_in(row, round)).collect();
            (0..count).map(round).collect()
        };
        let mut systems = Vec::new();
        for row in table.rows {
            let score = Estimate::Finite(row.score);
            let draws: Vec<Estimate> = row.draws.iter().copied().map(Estimate::Finite).collect();
            systems.push(Standing {
                ends: closed_ends(&percentile_interval(score, &draws, level)?),
                ..published_standing(row)
            });
        }
        Ok(Standings {
            systems,
            rounds,
            notes,
            ..Standings::default()
        })
    }

    /// Returns the standings of judgments that were ranked on resampled items, with what a joint
    /// test of them found, where there is one.
    pub(super) fn of_resampled(
        names: &[String],
        found: &Resampled,
        compared: Option<Result<JointComparison, InferenceError>>,
    ) -> Standings {
        let mut systems = Vec::new();
        for (at, (name, ranked)) in names.iter().zip(found.ranking().systems).enumerate() {
            let ends = match &ranked.interval {
                Ok(interval) => closed_ends(interval),
                Err(why) => Err(why.to_string()),
            };
            let order = match (ranked.rank, &ranked.estimate) {
                (Some(rank), _) => Ok(-f64::from(rank)),
                (None, Estimate::Undefined(why)) => Err(why.to_string()),
                (None, _) => Err(Undefined::NoRank.to_string()),
            };
            // None where one is not finite.
            let draws = found
                .rounds
                .iter()
                .map(|round| round.estimates[at].finite());
            systems.push(Standing {
                system: name.clone(),
                score: ranked.estimate.finite(),
                ends,
                order,
                draws: draws.collect::<Option<_>>().unwrap_or_default(),
            });
        }
        // By ranks rounding is no difference, and infinities have their place.
        let rounds = found.rounds.iter().map(|round| {
            let ranks = round.ranks.iter();
            ranks
                .map(|rank| rank.map(|rank| -f64::from(rank)))
                .collect()
        });
        Standings {
            systems,
            rounds: rounds.collect(),
            apart: compared.map(|compared| {
                let apart = compared.map(|compared| compared.apart);
                apart.map_err(|why| why.with_names(names))
            }),
            ..Standings::default()
        }
    }

    pub(super) fn without_rounds(self) -> Standings {
        Standings {
            rounds: Vec::new(),
            ..self
        }
    }

    pub(super) fn without_notes(self) -> Standings {
        Standings {
            notes: Vec::new(),
            ..self
        }
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.systems
            .iter()
            .map(|standing| standing.system.as_str())
            .collect()
    }
}

/// Returns how many bootstrap scores every system has, or one alone.
fn draw_count(rows: &[TableRow]) -> Result<usize, Error> {
    let counts = || rows.iter().map(|row| row.draws.len());
    let first = counts().max().unwrap_or_default();
    match counts().find(|count| ![1, first].contains(count)) {
        Some(second) => Err(Error::Lengths { first, second }),
        None if first < 2 => Err(Undefined::TooFewPoints { points: first }.into()),
        None => Ok(first),
    }
}

/// Picks one of `count` scores of each system at random.
fn random_round(rows: &[TableRow], count: usize, seed: u64, round: u64) -> Round {
    let mut picked = Vec::new();
    // A stream has as many picks as there are scores; systems beyond them go on in a stream of
    // their own.
    for (rows, block) in rows.chunks(count.max(1)).zip(0_u64..) {
        let picks = draw_clusters(seed, round + (block << 32), count as u32);
        let both = rows.iter().zip(picks);
        picked.extend(both.map(|(row, pick)| score_in(row, pick as usize)));
    }
    picked
}

/// Returns a system's score in a round.
fn score_in(row: &TableRow, round: usize) -> Option<f64> {
    match row.draws[..] {
        [fixed] => Some(fixed),
        _ => row.draws.get(round).copied(),
    }
}

fn notes_on_missing(table: &Table, file: &str) -> Vec<String> {
    let without = table.without.iter();
    without
        .map(|system| format!("{file}: {system} has no score and is left out"))
        .collect()
}

fn published_standing(row: TableRow) -> Standing {
    Standing {
        system: row.system,
        score: Some(row.score),
        ends: row.ends.ok_or_else(|| "its file gives none".to_string()),
        order: Ok(row.order),
        draws: row.draws,
    }
}

fn closed_ends(interval: &Interval) -> Result<[f64; 2], String> {
    match (interval.low, interval.high) {
        (Some(low), Some(high)) => Ok([low, high]),
        _ => Err("it is open".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(system: &str, draws: &[f64]) -> TableRow {
        TableRow {
            system: system.into(),
            score: draws[0],
            order: draws[0],
            ends: None,
            draws: draws.to_vec(),
        }
    }

    fn table(rows: Vec<TableRow>) -> Table {
        Table {
            rows,
            ..Table::default()
        }
    }

    #[test]
    fn rounds_are_kept_together_unless_they_were_sorted() {
        let together = table(vec![row("a", &[3.0, 1.0, 2.0]), row("b", &[1.0, 2.0, 4.0])]);
        let found = Standings::of_draws(together, "f", 0.95, 0).unwrap();
        assert_eq!(
            found.rounds,
            [
                [Some(3.0), Some(1.0)],
                [Some(1.0), Some(2.0)],
                [Some(2.0), Some(4.0)]
            ]
        );
        assert!(found.notes.is_empty());
        let sorted = table(vec![row("a", &[1.0, 2.0, 3.0]), row("b", &[1.0, 2.0, 3.0])]);
        let found = Standings::of_draws(sorted, "f", 0.95, 0).unwrap();
        assert!(
            found.notes[0].starts_with("f: the bootstrap scores are sorted"),
            "{:?}",
            found.notes
        );
        // Of the scores 1.05 is the quantile; the published score of 1 is held.
        assert_eq!(found.systems[0].ends, Ok([1.0, 2.95]));
    }

    #[test]
    fn picks_of_many_systems_are_independent() {
        let rows: Vec<TableRow> = (0..40)
            .map(|i| row(&i.to_string(), &[0.0, 1.0, 2.0, 3.0]))
            .collect();
        let rounds = 0..400;
        let all: Vec<Round> = rounds
            .map(|round| random_round(&rows, 4, 1, round))
            .collect();
        // The mean of 1.5 over 400 draws has a standard error of 0.056; five of them.
        for system in 0..40 {
            let mean = all.iter().map(|round| round[system].unwrap()).sum::<f64>() / 400.0;
            assert!((mean - 1.5).abs() < 0.28, "{system}: {mean}");
        }
        let equal = all.iter().filter(|round| round[0] == round[39]).count();
        assert!(equal.abs_diff(100) < 45, "{equal}");
    }

    #[test]
    fn unequal_numbers_of_scores_are_refused() {
        let unequal = table(vec![row("a", &[3.0, 1.0]), row("b", &[1.0, 2.0, 4.0])]);
        assert_eq!(
            Standings::of_draws(unequal, "f", 0.95, 0),
            Err(Error::Lengths {
                first: 3,
                second: 2
            })
        );
    }

    #[test]
    fn a_single_score_is_that_of_every_round() {
        let fixed = table(vec![row("a", &[3.0, 1.0]), row("fixed", &[2.0])]);
        let found = Standings::of_draws(fixed, "f", 0.95, 0).unwrap();
        assert_eq!(
            found.rounds,
            [[Some(3.0), Some(2.0)], [Some(1.0), Some(2.0)]]
        );
        assert_eq!(found.systems[1].ends, Ok([2.0, 2.0]));
    }
}
