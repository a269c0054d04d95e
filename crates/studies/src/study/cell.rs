//! A cell of the grid: what one judge said in one way about the systems' responses to one input
//! set.

use super::random::RandomCounts;
use crate::bencher::Rated;
use evenhand_core::Usage;
use evenhand_engine::EngineError;
use evenhand_ranking::Aggregation;
use evenhand_stats::{Cluster, Comparisons, Error, ItemScores, PairMethod, PointMethod, Scores};

/// The judgments of a judge on an input set, by one evaluation type.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The input set.
    pub input: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type.
    pub kind: String,
    /// Names of the systems, by number.
    pub systems: Vec<String>,
    /// Their ratings by people; None for a system without one, which is left out of every
    /// correlation.
    pub ratings: Vec<Option<f64>>,
    /// The judgments.
    pub verdicts: Verdicts,
    /// Planned judgments, and those with a verdict.
    pub trials: u64,
    /// See `trials`.
    pub judged: u64,
    /// What they took, where calls are known.
    pub spent: Option<Spending>,
    /// With random verdicts in the place of failures, where that was asked for.
    pub random: Option<RandomCell>,
}

/// The verdicts of a cell by the tolerant reading.
#[derive(Clone, Debug)]
pub struct RandomCell {
    /// With the drawn ones among them.
    pub verdicts: Verdicts,
    /// How many were drawn.
    pub counts: RandomCounts,
}

/// What the judgments of a cell took; a call that several cells use counts in each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// Calls.
    pub calls: u64,
    /// Tokens.
    pub usage: Usage,
    /// US dollars, where a price is known.
    pub usd: Option<f64>,
    /// Seconds of wall time: of each call an equal share of what the evaluation type took that
    /// asked it first. None where no machine was named, or a call was answered from an earlier run.
    pub seconds: Option<f64>,
    /// Kilowatt-hours; None where the time is not known.
    pub kwh: Option<f64>,
    /// Grams of CO2 equivalent.
    pub grams_co2: Option<f64>,
}

/// Judgments as numbers.
#[derive(Clone, Debug)]
pub enum Verdicts {
    /// Of pairs.
    Pairs(Comparisons),
    /// Of single responses; and the comparisons that they imply.
    Scores(ItemScores, Comparisons),
}

impl Spending {
    /// Returns both together; what is not known of one is not known of both.
    pub(super) fn and(self, other: Spending) -> Spending {
        let [one, two] = [self.usage, other.usage];
        let sum = |one: Option<f64>, two: Option<f64>| Some(one? + two?);
        Spending {
            calls: self.calls + other.calls,
            usage: Usage {
                prompt_tokens: one.prompt_tokens + two.prompt_tokens,
                completion_tokens: one.completion_tokens + two.completion_tokens,
                cached_tokens: one.cached_tokens + two.cached_tokens,
                reasoning_tokens: one.reasoning_tokens + two.reasoning_tokens,
            },
            usd: sum(self.usd, other.usd),
            seconds: sum(self.seconds, other.seconds),
            kwh: sum(self.kwh, other.kwh),
            grams_co2: sum(self.grams_co2, other.grams_co2),
        }
    }

    /// Returns the tokens of prompts and replies.
    pub fn tokens(&self) -> u64 {
        self.usage.prompt_tokens + self.usage.completion_tokens
    }

    /// Returns what is known to have cost so many US dollars, and no more.
    pub(super) fn of_usd(usd: f64) -> Spending {
        Spending {
            usd: Some(usd),
            ..Spending::default()
        }
    }
}

impl Verdicts {
    /// Returns judgments of single responses, with the comparisons that they imply.
    ///
    /// # Errors
    /// More comparisons than can be counted.
    pub fn of_scores(scores: ItemScores) -> Result<Verdicts, Error> {
        let pairs = scores.to_comparisons()?;
        Ok(Verdicts::Scores(scores, pairs))
    }

    /// Returns the comparisons, made or implied.
    pub fn pairs(&self) -> &Comparisons {
        match self {
            Verdicts::Pairs(pairs) | Verdicts::Scores(_, pairs) => pairs,
        }
    }

    /// Whether responses were judged one at a time.
    pub fn is_pointwise(&self) -> bool {
        matches!(self, Verdicts::Scores(..))
    }

    /// Returns how these judgments are aggregated; None where they cannot be.
    pub(super) fn method(&self, aggregation: Aggregation) -> Option<CellMethod<'_>> {
        match (aggregation.point_method(), self) {
            (Some(method), Verdicts::Scores(scores, _)) => Some(CellMethod::Points(scores, method)),
            (Some(_), Verdicts::Pairs(_)) => None,
            (None, _) => {
                let method = aggregation.pair_method(None)?;
                Some(CellMethod::Pairs(self.pairs(), method))
            }
        }
    }
}

/// Judgments with the way in which they become scores.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellMethod<'a> {
    Pairs(&'a Comparisons, PairMethod),
    Points(&'a ItemScores, PointMethod),
}

impl CellMethod<'_> {
    /// Returns how many items there are to draw from.
    pub(super) fn item_count(&self) -> usize {
        match self {
            CellMethod::Pairs(pairs, _) => pairs.clusters(Cluster::Item),
            CellMethod::Points(scores, _) => scores.clusters(Cluster::Item),
        }
    }

    /// Returns the scores where each item counts as often as its weight says.
    pub(super) fn weighted_scores(&self, weights: &[f64]) -> Result<Scores, Error> {
        match self {
            CellMethod::Pairs(pairs, method) => {
                let tally = pairs.weighted_tally(Cluster::Item, weights)?;
                Ok(method.scores(&tally))
            }
            CellMethod::Points(scores, method) => scores.weighted_scores(*method, weights),
        }
    }
}

/// Returns the comparisons with one system.
///
/// # Errors
/// Those that the comparisons had already.
pub(super) fn with_reference(pairs: &Comparisons, reference: usize) -> Result<Comparisons, Error> {
    let rows = pairs.rows().iter();
    let own = rows.filter(|row| [row.a, row.b].map(usize::from).contains(&reference));
    Comparisons::new(pairs.systems(), own.copied().collect())
}

/// Returns the ratings of systems, where they have one.
pub(super) fn ratings_of(
    systems: &[String],
    rated: Option<&Rated>,
) -> Result<Vec<Option<f64>>, EngineError> {
    let Some(rated) = rated else {
        return Ok(vec![None; systems.len()]);
    };
    systems.iter().map(|system| rated.rating(system)).collect()
}
