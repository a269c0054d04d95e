//! Recorded judgments as a sample of items: ranked on the items that there are, and again on every
//! resample of them.

mod lengths;
#[cfg(test)]
mod tests;
mod votes;

pub use votes::Votes;

use super::evidence::{self, Sort, sort};
use super::{LeaderboardOptions, check, recorded};
use crate::rank::ranking::RankOptions;
use crate::rank::score::Evidence;
use crate::{Aggregation, Coverage, EngineError, Warning};
use evenhand_formats::judgments::Recorded;
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Error, Estimate, ItemScores, PairMethod, PointMethod,
    Resampled, Scores, StrengthScale, Undefined, resample, resample_counts, resample_pairs,
    resample_scores,
};
use lengths::Lengths;
use std::collections::{BTreeSet, HashMap};

/// Judgments that can be ranked on any resample of their items.
#[derive(Debug)]
pub struct Sample {
    /// Names of the systems, by number.
    pub systems: Vec<String>,
    /// Names of the items that have a verdict; empty where the files name none (battles, counts).
    pub items: Vec<String>,
    /// Whether items are resampled, and not single comparisons.
    pub by_item: bool,
    /// Judgments, and those that have a verdict.
    pub coverage: Coverage,
    /// What cannot be overlooked.
    pub warnings: Vec<Warning>,
    /// Position in `items` by the number of an item in the data.
    places: HashMap<u32, usize>,
    data: Data,
}

/// What judgments a sample holds.
#[derive(Clone, Copy, Debug)]
pub enum SampleData<'a> {
    /// Of pairs, under their items.
    Comparisons(&'a Comparisons),
    /// Of single responses.
    Scores(&'a ItemScores),
}

#[derive(Debug)]
enum Data {
    Evidence(Evidence, Cluster),
    Lengths(Lengths),
}

/// What equal scores of two responses to an item are, where scores are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EqualScores {
    /// A tie.
    #[default]
    Tie,
    /// No comparison.
    Nothing,
}

/// How a sample is ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleRanking {
    /// None: the mean for scores, else Bradley-Terry; of no effect with length control.
    pub aggregation: Option<Aggregation>,
    /// The weight of a ridge prior on Bradley-Terry strengths.
    pub prior: Option<f64>,
    /// What equal scores are where scores are compared.
    pub equal: EqualScores,
}

impl Sample {
    /// Reads the files of `options`; of `options.rank` only the aggregation and the prior matter,
    /// which may be given anew in [`Sample::rank`]. `votes` says what several verdicts on the same
    /// pair and item count.
    ///
    /// # Errors
    /// As [`crate::leaderboard`]; Elo ratings, which are of an order and not of a sample.
    pub fn read(options: &LeaderboardOptions, votes: Votes) -> Result<Sample, EngineError> {
        let options = &options.with_files()?;
        let sort = sort(options)?;
        check(options, sort)?;
        if options.length_control {
            return Sample::of_lengths(options);
        }
        if sort == Sort::Recorded {
            return Sample::of_recorded(
                &votes.counted(recorded::read(&options.paths, options)?),
                options,
            );
        }
        let found = evidence::gather(options, sort)?;
        let by_item = found.about.by_item;
        let (systems, coverage, warnings) = (
            found.about.names,
            found.about.coverage,
            found.about.warnings,
        );
        let data = Data::Evidence(found.evidence, found.cluster);
        Ok(Sample {
            systems,
            items: Vec::new(),
            by_item,
            coverage,
            warnings,
            places: HashMap::new(),
            data,
        })
    }

    fn of_recorded(
        recorded: &Recorded,
        options: &LeaderboardOptions,
    ) -> Result<Sample, EngineError> {
        let found = recorded::gathered(recorded, options)?;
        let numbers: BTreeSet<u32> = match &found.evidence {
            Evidence::Comparisons(data) => data.rows().iter().map(|row| row.item).collect(),
            _ => recorded
                .scores
                .iter()
                .filter(|row| kept(recorded, row.system, &found.about.names))
                .map(|row| row.item)
                .collect(),
        };
        let items = numbers
            .iter()
            .map(|&item| recorded.items[item as usize].clone())
            .collect();
        let places = match &found.evidence {
            Evidence::Comparisons(_) => numbers.into_iter().zip(0..).collect(),
            // Scores number their items anew, in ascending order.
            _ => (0..numbers.len() as u32).zip(0..).collect(),
        };
        let (systems, coverage, warnings) = (
            found.about.names,
            found.about.coverage,
            found.about.warnings,
        );
        Ok(Sample {
            systems,
            items,
            by_item: true,
            coverage,
            warnings,
            places,
            data: Data::Evidence(found.evidence, found.cluster),
        })
    }

    fn of_lengths(options: &LeaderboardOptions) -> Result<Sample, EngineError> {
        let (lengths, recorded) = Lengths::read(options)?;
        let numbers: BTreeSet<u32> = recorded.comparisons.iter().map(|row| row.item).collect();
        let items = numbers
            .iter()
            .map(|&item| recorded.items[item as usize].clone())
            .collect();
        let keep: Vec<Option<u16>> = (0..recorded.systems.len() as u16).map(Some).collect();
        let about = recorded::about(&recorded, &keep);
        let (systems, coverage, warnings) = (about.names, about.coverage, about.warnings);
        let places = numbers.into_iter().zip(0..).collect();
        Ok(Sample {
            systems,
            items,
            by_item: true,
            coverage,
            warnings,
            places,
            data: Data::Lengths(lengths),
        })
    }

    /// The judgments themselves; None where they are counts without items, or length-controlled.
    pub fn data(&self) -> Option<SampleData<'_>> {
        match &self.data {
            Data::Evidence(Evidence::Comparisons(pairs), _) => Some(SampleData::Comparisons(pairs)),
            Data::Evidence(Evidence::Scores(scores), _) => Some(SampleData::Scores(scores)),
            _ => None,
        }
    }

    /// Whether scores of single responses are what the files hold.
    pub fn has_scores(&self) -> bool {
        matches!(self.data, Data::Evidence(Evidence::Scores(_), _))
    }

    /// The name of how it is ranked.
    pub fn aggregation(&self, how: &SampleRanking) -> &'static str {
        match &self.data {
            Data::Lengths(_) => "length-controlled-win-rate",
            Data::Evidence(..) => self.chosen(how).name(),
        }
    }

    fn chosen(&self, how: &SampleRanking) -> Aggregation {
        how.aggregation.unwrap_or(if self.has_scores() {
            Aggregation::Mean
        } else {
            Aggregation::BradleyTerry
        })
    }

    /// The scores on the data and on every resample, higher better, log-odds as Elo points.
    ///
    /// A round draws as many of `universe` as there are, with replacement, as
    /// [`evenhand_stats::draw_clusters`] does: samples that are ranked with the same universe and plan are
    /// resampled together. `universe` must hold all of [`Sample::items`]. Where those are not named
    /// it is not used, and clusters of the file, or single comparisons, are drawn.
    ///
    /// # Errors
    /// An aggregation that these judgments do not have; a universe without an item; bad settings of
    /// the resampling.
    pub fn rank(
        &self,
        how: &SampleRanking,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let found = match &self.data {
            Data::Lengths(lengths) => return self.rank_lengths(lengths, universe, plan),
            Data::Evidence(evidence, cluster) => {
                self.rank_evidence(evidence, *cluster, how, universe, plan)?
            }
        };
        let aggregation = self.chosen(how);
        match (aggregation.is_log_odds(), aggregation.low_is_good()) {
            (true, _) => on(
                found,
                |strength| StrengthScale::Elo.from_log_odds(strength),
                false,
            ),
            (_, true) => on(found, |weakness| -weakness, true),
            _ => Ok(found),
        }
    }

    fn rank_evidence(
        &self,
        evidence: &Evidence,
        cluster: Cluster,
        how: &SampleRanking,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let aggregation = self.chosen(how);
        let options = RankOptions {
            aggregation: Some(aggregation),
            prior: how.prior,
            ..RankOptions::default()
        };
        let method = options.method(aggregation)?;
        let named = !self.items.is_empty();
        match (
            evidence,
            aggregation.of_points(),
            aggregation.of_pairs(method.prior),
        ) {
            (Evidence::Scores(data), Some(points), _) if named => {
                self.points(data, points, universe, plan)
            }
            (Evidence::Scores(data), Some(points), _) => {
                Ok(resample_scores(data, points, cluster, plan)?)
            }
            (Evidence::Scores(data), None, Some(pairs)) => {
                self.pairs(&compared(data, how.equal)?, pairs, universe, plan)
            }
            (Evidence::Comparisons(data), None, Some(pairs)) if named => {
                self.pairs(data, pairs, universe, plan)
            }
            (Evidence::Comparisons(data), None, Some(pairs)) => {
                Ok(resample_pairs(data, pairs, cluster, plan)?)
            }
            (Evidence::Counts(tally), None, Some(pairs)) => {
                Ok(resample_counts(tally, pairs, plan)?)
            }
            (_, Some(_), _) => Err(wrong(
                aggregation,
                "it needs scores of single responses, and these are comparisons",
            )),
            _ => Err(wrong(
                aggregation,
                "its ratings depend on the order of the games, which a resample has not",
            )),
        }
    }

    fn pairs(
        &self,
        data: &Comparisons,
        method: PairMethod,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let mut items: Vec<u32> = data.rows().iter().map(|row| row.item).collect();
        items.dedup();
        let own: Vec<usize> = items
            .iter()
            .filter_map(|item| self.places.get(item).copied())
            .collect();
        let (drawn, point) = (self.drawn(&own, universe)?, method.scores(&data.tally()));
        let round = |weights: &[f64]| {
            Ok(method.scores_near(
                &data.weighted_tally(Cluster::Item, &drawn.of(weights))?,
                &point,
            ))
        };
        let rounds = rounds(universe.len(), plan, round)?;
        let (n, clusters) = (data.judgments(), data.clusters_of_systems(Cluster::Item));
        Ok(Resampled::new(
            point,
            rounds,
            plan.level,
            own.len(),
            n,
            clusters,
        )?)
    }

    fn points(
        &self,
        data: &ItemScores,
        method: PointMethod,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let own: Vec<usize> = (0..self.items.len()).collect();
        let (drawn, point) = (self.drawn(&own, universe)?, method.scores(data));
        let rounds = rounds(universe.len(), plan, |weights| {
            data.weighted_scores(method, &drawn.of(weights))
        })?;
        let (n, clusters) = (data.judgments().to_vec(), data.clusters_of_systems());
        Ok(
            Resampled::new(point, rounds, plan.level, own.len(), n, clusters)?
                .with_constant(data.constant_systems())?,
        )
    }

    fn rank_lengths(
        &self,
        lengths: &Lengths,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let own: Vec<usize> = (0..self.items.len()).collect();
        let (drawn, point) = (self.drawn(&own, universe)?, lengths.scores(None));
        let mut numbers: Vec<(u32, usize)> = self
            .places
            .iter()
            .map(|(&item, &place)| (item, place))
            .collect();
        numbers.sort_unstable();
        let round = |weights: &[f64]| {
            let own = drawn.of(weights);
            let times: HashMap<u32, f64> = numbers
                .iter()
                .map(|&(item, place)| (item, own[place]))
                .collect();
            Ok(lengths.scores(Some(&times)))
        };
        let rounds = rounds(universe.len(), plan, round)?;
        let (n, clusters) = lengths.counts();
        // The reference's share does not vary, and is known by definition.
        let constant = vec![false; n.len()];
        Ok(
            Resampled::new(point, rounds, plan.level, self.items.len(), n, clusters)?
                .with_constant(constant)?,
        )
    }

    /// Where each item of `own`, a position in [`Sample::items`], stands in the universe.
    fn drawn(&self, own: &[usize], universe: &[String]) -> Result<Drawn, EngineError> {
        let places: HashMap<&str, usize> = universe
            .iter()
            .enumerate()
            .map(|(place, name)| (name.as_str(), place))
            .collect();
        let place = |&item: &usize| {
            let name = &self.items[item];
            let missing = || {
                EngineError::Setting(format!("item {name} is not among those that are resampled"))
            };
            places.get(name.as_str()).copied().ok_or_else(missing)
        };
        own.iter().map(place).collect::<Result<_, _>>().map(Drawn)
    }
}

/// The position in the universe of each item of a data set.
struct Drawn(Vec<usize>);

impl Drawn {
    fn of(&self, weights: &[f64]) -> Vec<f64> {
        self.0.iter().map(|&place| weights[place]).collect()
    }
}

fn kept(recorded: &Recorded, system: u16, names: &[String]) -> bool {
    names.contains(&recorded.systems[usize::from(system)])
}

fn wrong(aggregation: Aggregation, why: &str) -> EngineError {
    EngineError::Setting(format!("--aggregate {}: {why}", aggregation.name()))
}

/// The comparisons that scores imply.
fn compared(data: &ItemScores, equal: EqualScores) -> Result<Comparisons, EngineError> {
    let all = data.to_comparisons()?;
    match equal {
        EqualScores::Tie => Ok(all),
        EqualScores::Nothing => {
            let decided = all.rows().iter().copied().filter(|row| row.ties == 0.0);
            Ok(Comparisons::new(all.systems(), decided.collect())?)
        }
    }
}

/// All rounds; none where there are fewer than 2 items, and intervals will say so.
fn rounds(
    items: usize,
    plan: &Bootstrap,
    round: impl Fn(&[f64]) -> Result<Scores, Error> + Sync,
) -> Result<Vec<Scores>, EngineError> {
    match resample(items, plan, round) {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        found => Ok(found?.into_iter().collect::<Result<_, _>>()?),
    }
}

/// On another scale, increasing or, where `turn`, decreasing.
fn on(found: Resampled, scale: impl Fn(f64) -> f64, turn: bool) -> Result<Resampled, EngineError> {
    let unit = (scale(1.0) - scale(0.0)).abs();
    let one = |scores: &Scores| Scores {
        estimates: scores
            .estimates
            .iter()
            .map(|&estimate| turned(estimate.map(&scale), turn))
            .collect(),
        resolution: scores.resolution * unit,
        ..scores.clone()
    };
    let mut found = found;
    found.point = one(&found.point);
    found.rounds = found.rounds.iter().map(one).collect();
    Ok(found)
}

fn turned(estimate: Estimate, turn: bool) -> Estimate {
    match (estimate, turn) {
        (Estimate::PlusInfinity, true) => Estimate::MinusInfinity,
        (Estimate::MinusInfinity, true) => Estimate::PlusInfinity,
        (estimate, _) => estimate,
    }
}
