//! Scores of systems, whoever gave them: a bencher's ranking, or the reference.

use super::table::{Row, Table};
use evenhand_stats::{
    Bounded, Error, Estimate, Ranked, Resampled, Scores, Undefined, draw_clusters,
    percentile_interval,
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
    /// The score with its interval.
    pub(super) fn bounded(&self) -> Result<Bounded, String> {
        let score = self
            .score
            .ok_or_else(|| format!("{} has no finite score", self.system))?;
        let [low, high] = self
            .ends
            .as_ref()
            .map_err(|why| format!("{} has no interval: {why}", self.system))?;
        Ok(Bounded {
            score,
            low: *low,
            high: *high,
        })
    }
}

/// Standings, and how the systems were ordered in every round.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Standings {
    pub(super) systems: Vec<Standing>,
    /// For each round, what each system is ordered by; None where it has no place. Empty without
    /// rounds.
    pub(super) rounds: Vec<Vec<Option<f64>>>,
    pub(super) notes: Vec<String>,
}

impl Standings {
    /// Of a table without bootstrap scores.
    pub(super) fn of_table(table: Table, file: &str) -> Standings {
        let notes = without(&table, file);
        Standings {
            systems: table.rows.into_iter().map(published).collect(),
            rounds: Vec::new(),
            notes,
        }
    }

    /// Of a table with bootstrap scores, whose intervals are taken at `level`.
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
        let mut notes = without(&table, file);
        let count = table
            .rows
            .iter()
            .map(|row| row.draws.len())
            .max()
            .unwrap_or_default();
        if let Some(other) = table
            .rows
            .iter()
            .find(|row| ![1, count].contains(&row.draws.len()))
        {
            return Err(Error::Lengths {
                first: count,
                second: other.draws.len(),
            });
        }
        if count < 2 {
            return Err(Undefined::TooFewPoints { points: count }.into());
        }
        let sorted = table.rows.iter().all(|row| row.draws.is_sorted());
        let rounds = (0..count).map(|round| match sorted {
            false => table.rows.iter().map(|row| score(row, round)).collect(),
            true => at_random(&table.rows, count, seed, round as u64),
        });
        let rounds = rounds.collect();
        if sorted {
            notes.push(format!(
                "{file}: the bootstrap scores are sorted, so a round takes one of each system at \
                 random, as if their errors were independent"
            ));
        }
        let systems = table
            .rows
            .into_iter()
            .map(|row| drawn(row, level))
            .collect::<Result<_, _>>()?;
        Ok(Standings {
            systems,
            rounds,
            notes,
        })
    }

    /// Of judgments that were ranked on resampled items.
    pub(super) fn of_resampled(names: &[String], found: &Resampled) -> Standings {
        let ranking = found.ranking();
        let draws = |system: usize| -> Vec<f64> {
            let all: Option<Vec<f64>> = found
                .rounds
                .iter()
                .map(|round| round.estimates[system].finite())
                .collect();
            all.unwrap_or_default()
        };
        let one = |(system, name): (usize, &String)| {
            ranked(name, &ranking.systems[system], draws(system))
        };
        Standings {
            systems: names.iter().enumerate().map(one).collect(),
            rounds: found.rounds.iter().map(places).collect(),
            notes: Vec::new(),
        }
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.systems
            .iter()
            .map(|standing| standing.system.as_str())
            .collect()
    }
}

/// What systems are ordered by: their ranks, in which rounding is no difference and infinities have
/// their place.
fn places(scores: &Scores) -> Vec<Option<f64>> {
    scores
        .ranks
        .iter()
        .map(|rank| rank.map(|rank| -f64::from(rank)))
        .collect()
}

fn without(table: &Table, file: &str) -> Vec<String> {
    table
        .without
        .iter()
        .map(|system| format!("{file}: {system} has no score and is left out"))
        .collect()
}

fn published(row: Row) -> Standing {
    let ends = row.ends.ok_or_else(|| "none was given".to_string());
    Standing {
        system: row.system,
        score: Some(row.score),
        ends,
        order: Ok(row.order),
        draws: row.draws,
    }
}

fn drawn(row: Row, level: f64) -> Result<Standing, Error> {
    let rounds: Vec<Estimate> = row
        .draws
        .iter()
        .map(|&score| Estimate::Finite(score))
        .collect();
    let found = percentile_interval(&rounds, level)?;
    let ends = found.low.zip(found.high).map(|(low, high)| [low, high]);
    Ok(Standing {
        ends: ends.ok_or_else(|| "it is open".to_string()),
        ..published(row)
    })
}

/// A system's score in a round.
fn score(row: &Row, round: usize) -> Option<f64> {
    if row.draws.len() == 1 {
        row.draws.first().copied()
    } else {
        row.draws.get(round).copied()
    }
}

fn at_random(rows: &[Row], count: usize, seed: u64, round: u64) -> Vec<Option<f64>> {
    // As many picks as there are scores are to be had; systems beyond them go on in a stream of
    // their own.
    let streams = rows.chunks(count.max(1)).zip(0u64..);
    let picked = streams.flat_map(|(rows, block)| {
        let picks = draw_clusters(seed, round + (block << 32), count as u32);
        rows.iter()
            .zip(picks)
            .map(|(row, pick)| score(row, pick as usize))
    });
    picked.collect()
}

fn ranked(name: &str, ranked: &Ranked, draws: Vec<f64>) -> Standing {
    let ends = match ranked.interval {
        Ok(found) => found
            .low
            .zip(found.high)
            .map(|(low, high)| [low, high])
            .ok_or_else(|| "it is open".to_string()),
        Err(why) => Err(why.to_string()),
    };
    let order = ranked
        .rank
        .map(|rank| -f64::from(rank))
        .ok_or_else(|| match ranked.estimate {
            Estimate::Undefined(why) => why.to_string(),
            _ => Undefined::NoRank.to_string(),
        });
    Standing {
        system: name.into(),
        score: ranked.estimate.finite(),
        ends,
        order,
        draws,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(system: &str, draws: &[f64]) -> Row {
        Row {
            system: system.into(),
            score: draws[0],
            order: draws[0],
            ends: None,
            draws: draws.to_vec(),
        }
    }

    fn table(rows: Vec<Row>) -> Table {
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
        assert_eq!(found.systems[0].ends, Ok([1.05, 2.95]));
    }

    #[test]
    fn picks_of_many_systems_are_independent() {
        let rows: Vec<Row> = (0..40)
            .map(|i| row(&i.to_string(), &[0.0, 1.0, 2.0, 3.0]))
            .collect();
        let all: Vec<Vec<Option<f64>>> = (0..400)
            .map(|round| at_random(&rows, 4, 1, round))
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
