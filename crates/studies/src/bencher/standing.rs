//! Scores of systems, whoever gave them: a bencher's ranking, or the reference.

use super::table::{Table, TableRow};
use evenhand_stats::{
    Bounded, Error, Estimate, Interval, Ranked, Resampled, Scores, Undefined, draw_clusters,
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
            Err(why) => Err(format!("{system} has no interval: {why}")),
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
    pub(super) notes: Vec<String>,
}

impl Standings {
    /// Returns the standings of a table without bootstrap scores.
    pub(super) fn of_table(table: Table, file: &str) -> Standings {
        Standings {
            notes: notes_on_missing(&table, file),
            systems: table.rows.into_iter().map(published_standing).collect(),
            rounds: Vec::new(),
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
        let draws = TableDraws::new(&table.rows, seed)?;
        Ok(Standings {
            notes: draws.notes(&table, file),
            rounds: draws.rounds(),
            systems: drawn_standings(table.rows, level)?,
        })
    }

    /// Returns the standings of judgments that were ranked on resampled items.
    pub(super) fn of_resampled(names: &[String], found: &Resampled) -> Standings {
        let ranked = found.ranking().systems;
        let ranked = names.iter().zip(&ranked).enumerate();
        let systems = ranked.map(|(system, (name, ranked))| {
            ranked_standing(name, ranked, finite_draws(found, system))
        });
        Standings {
            systems: systems.collect(),
            rounds: found.rounds.iter().map(places_by_rank).collect(),
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

/// The bootstrap scores of a table.
struct TableDraws<'a> {
    rows: &'a [TableRow],
    count: usize,
    /// Whether the scores of every system are sorted.
    sorted: bool,
    seed: u64,
}

impl<'a> TableDraws<'a> {
    fn new(rows: &'a [TableRow], seed: u64) -> Result<TableDraws<'a>, Error> {
        Ok(TableDraws {
            rows,
            count: draw_count(rows)?,
            sorted: rows.iter().all(|row| row.draws.is_sorted()),
            seed,
        })
    }

    fn notes(&self, table: &Table, file: &str) -> Vec<String> {
        let mut notes = notes_on_missing(table, file);
        if self.sorted {
            notes.push(note_on_sorted(file));
        }
        notes
    }

    fn rounds(&self) -> Vec<Round> {
        (0..self.count).map(|round| self.round(round)).collect()
    }

    fn round(&self, round: usize) -> Round {
        if self.sorted {
            return self.random_round(round as u64);
        }
        self.rows.iter().map(|row| score_in(row, round)).collect()
    }

    /// Picks a score of each system at random.
    fn random_round(&self, round: u64) -> Round {
        // A stream has as many picks as there are scores; systems beyond them go on in a stream of
        // their own.
        let blocks = self.rows.chunks(self.count.max(1)).zip(0u64..);
        blocks
            .flat_map(|(rows, block)| self.pick_scores(rows, round + (block << 32)))
            .collect()
    }

    fn pick_scores(&self, rows: &[TableRow], stream: u64) -> impl Iterator<Item = Option<f64>> {
        let picks = draw_clusters(self.seed, stream, self.count as u32);
        let both = rows.iter().zip(picks);
        both.map(|(row, pick)| score_in(row, pick as usize))
    }
}

fn note_on_sorted(file: &str) -> String {
    format!(
        "{file}: the bootstrap scores are sorted, so a round takes one of each system at random, \
         as if their errors were independent"
    )
}

/// Returns how many bootstrap scores every system has, or one alone.
fn draw_count(rows: &[TableRow]) -> Result<usize, Error> {
    let first = draw_counts(rows).max().unwrap_or_default();
    match draw_counts(rows).find(|count| ![1, first].contains(count)) {
        Some(second) => Err(Error::Lengths { first, second }),
        None if first < 2 => Err(Undefined::TooFewPoints { points: first }.into()),
        None => Ok(first),
    }
}

fn draw_counts(rows: &[TableRow]) -> impl Iterator<Item = usize> {
    rows.iter().map(|row| row.draws.len())
}

/// Returns the scores of a system in all rounds; none where one is not finite.
fn finite_draws(found: &Resampled, system: usize) -> Vec<f64> {
    let draws = found
        .rounds
        .iter()
        .map(|round| round.estimates[system].finite());
    draws.collect::<Option<_>>().unwrap_or_default()
}

/// Returns what systems are ordered by: their ranks, in which rounding is no difference and
/// infinities have their place.
fn places_by_rank(scores: &Scores) -> Vec<Option<f64>> {
    scores
        .ranks
        .iter()
        .map(|rank| rank.map(|rank| -f64::from(rank)))
        .collect()
}

fn notes_on_missing(table: &Table, file: &str) -> Vec<String> {
    table
        .without
        .iter()
        .map(|system| format!("{file}: {system} has no score and is left out"))
        .collect()
}

fn published_standing(row: TableRow) -> Standing {
    Standing {
        system: row.system,
        score: Some(row.score),
        ends: row.ends.ok_or_else(|| "none was given".to_string()),
        order: Ok(row.order),
        draws: row.draws,
    }
}

fn drawn_standings(rows: Vec<TableRow>, level: f64) -> Result<Vec<Standing>, Error> {
    rows.into_iter()
        .map(|row| drawn_standing(row, level))
        .collect()
}

fn drawn_standing(row: TableRow, level: f64) -> Result<Standing, Error> {
    let draws = row.draws.iter().copied();
    let rounds: Vec<Estimate> = draws.map(Estimate::Finite).collect();
    Ok(Standing {
        ends: closed_ends(&percentile_interval(&rounds, level)?),
        ..published_standing(row)
    })
}

fn closed_ends(interval: &Interval) -> Result<[f64; 2], String> {
    match (interval.low, interval.high) {
        (Some(low), Some(high)) => Ok([low, high]),
        _ => Err("it is open".into()),
    }
}

/// Returns a system's score in a round.
fn score_in(row: &TableRow, round: usize) -> Option<f64> {
    match row.draws[..] {
        [fixed] => Some(fixed),
        _ => row.draws.get(round).copied(),
    }
}

fn ranked_standing(name: &str, ranked: &Ranked, draws: Vec<f64>) -> Standing {
    let interval = ranked.interval.as_ref();
    Standing {
        system: name.into(),
        score: ranked.estimate.finite(),
        ends: interval.map_err(ToString::to_string).and_then(closed_ends),
        order: order_of(ranked),
        draws,
    }
}

fn order_of(ranked: &Ranked) -> Result<f64, String> {
    if let Some(rank) = ranked.rank {
        Ok(-f64::from(rank))
    } else {
        Err(why_unranked(&ranked.estimate).to_string())
    }
}

fn why_unranked(estimate: &Estimate) -> Undefined {
    match estimate {
        Estimate::Undefined(why) => *why,
        _ => Undefined::NoRank,
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
        assert_eq!(found.systems[0].ends, Ok([1.05, 2.95]));
    }

    #[test]
    fn picks_of_many_systems_are_independent() {
        let rows: Vec<TableRow> = (0..40)
            .map(|i| row(&i.to_string(), &[0.0, 1.0, 2.0, 3.0]))
            .collect();
        let draws = TableDraws {
            rows: &rows,
            count: 4,
            sorted: true,
            seed: 1,
        };
        let all: Vec<Round> = (0..400).map(|round| draws.random_round(round)).collect();
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
