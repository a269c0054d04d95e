//! Ranks a sample on the data and on resamples of its items.

use super::lengths::Lengths;
use super::{Data, EqualScores, Sample, SampleRanking};
use crate::Aggregation;
use crate::leaderboard::length::LENGTH_CONTROLLED;
use crate::method::refuse_aggregation;
use crate::ranking::RankOptions;
use crate::score::Evidence;
use evenhand_core::{Cause, Refusal};
use evenhand_engine::EngineError;
use evenhand_stats::inference::{Contributions, InferenceError, JointComparison, compare_jointly};
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Error, Estimate, ItemScores, PairMethod, PointMethod,
    Resampled, Scores, StrengthScale, Tally, Undefined, resample, resample_counts, resample_pairs,
    resample_scores,
};
use std::collections::HashMap;

impl Sample {
    /// Returns the name of how it is ranked.
    pub fn aggregation(&self, how: &SampleRanking) -> &'static str {
        match &self.data {
            Data::Lengths(_) => LENGTH_CONTROLLED,
            Data::Evidence(..) => self.chosen_aggregation(how).name(),
        }
    }

    fn chosen_aggregation(&self, how: &SampleRanking) -> Aggregation {
        let default = if self.has_scores() {
            Aggregation::Mean
        } else {
            Aggregation::BradleyTerry
        };
        how.aggregation.unwrap_or(default)
    }

    /// Returns the scores on the data and on every resample, higher better, log-odds as Elo points.
    ///
    /// A round draws as many of `universe` as there are, with replacement, as
    /// [`evenhand_stats::draw_clusters`] does: samples that are ranked with the same universe and
    /// plan are resampled together. `universe` must hold all of [`Sample::items`]. Where those are
    /// not named it is not used, and clusters of the file, or single comparisons, are drawn.
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
        let (evidence, cluster) = match &self.data {
            Data::Lengths(lengths) => return self.resample_lengths(lengths, universe, plan),
            Data::Evidence(evidence, cluster) => (evidence, *cluster),
        };
        let aggregation = self.chosen_aggregation(how);
        // Whether the files name the items that a resample draws.
        let is_named = !self.items.is_empty();
        let found = match ranked(evidence, cluster, aggregation, how)? {
            Ranked::Scores(data, points) if is_named => {
                self.resample_named_scores(data, points, universe, plan)?
            }
            Ranked::Scores(data, points) => resample_scores(data, points, cluster, plan)?,
            Ranked::Implied(data, pairs) => {
                self.resample_named_pairs(&data, pairs, universe, plan)?
            }
            Ranked::Pairs(data, pairs) if is_named => {
                self.resample_named_pairs(data, pairs, universe, plan)?
            }
            Ranked::Pairs(data, pairs) => resample_pairs(data, pairs, cluster, plan)?,
            Ranked::Counts(tally, pairs) => resample_counts(tally, pairs, plan)?,
        };
        Ok(higher_is_better(found, aggregation))
    }

    /// Returns which systems are apart by the items of the data, by one joint test at the level of
    /// the plan; `scores` are those of [`Sample::rank`]. None with length control, for which no
    /// such test is known.
    pub fn compare(
        &self,
        how: &SampleRanking,
        scores: &Resampled,
        plan: &Bootstrap,
    ) -> Option<Result<JointComparison, InferenceError>> {
        let Data::Evidence(evidence, cluster) = &self.data else {
            return None;
        };
        let cluster = match self.items.is_empty() {
            true => *cluster,
            false => Cluster::Item,
        };
        let shown = &scores.point.estimates;
        let found = match ranked(evidence, cluster, self.chosen_aggregation(how), how).ok()? {
            Ranked::Scores(data, points) => Contributions::of_scores(data, points, cluster, plan),
            Ranked::Implied(data, pairs) => {
                Contributions::of_pairs(&data, pairs, Cluster::Item, shown, plan)
            }
            Ranked::Pairs(data, pairs) => {
                Contributions::of_pairs(data, pairs, cluster, shown, plan)
            }
            Ranked::Counts(tally, pairs) => {
                Contributions::of_pairs_of_counts(tally, pairs, shown, plan)
            }
        };
        Some(found.and_then(|found| compare_jointly(&found, plan)))
    }

    fn resample_named_pairs(
        &self,
        data: &Comparisons,
        method: PairMethod,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        // Rows are sorted by item, so that neighbours are all there is to tell apart.
        let mut items: Vec<u32> = data.rows().iter().map(|row| row.item).collect();
        items.dedup();
        let places = items.iter().filter_map(|item| self.places.get(item));
        let own: Vec<usize> = places.copied().collect();
        let drawn = self.places_in(universe, &own)?;
        let point = method.scores(&data.tally());
        let rounds = draw_rounds(universe, plan, |weights| {
            let tally = data.weighted_tally(Cluster::Item, &at_places(weights, &drawn))?;
            Ok(method.scores_near(&tally, &point))
        })?;
        let (n, clusters) = (data.judgments(), data.clusters_of_systems(Cluster::Item));
        let found = Resampled::new(point, rounds, plan.level, own.len(), n, clusters)?;
        Ok(found.of_comparisons(&data.tally())?)
    }

    fn resample_named_scores(
        &self,
        data: &ItemScores,
        method: PointMethod,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let own: Vec<usize> = (0..self.items.len()).collect();
        let drawn = self.places_in(universe, &own)?;
        let rounds = draw_rounds(universe, plan, |weights| {
            data.weighted_scores(method, &at_places(weights, &drawn))
        })?;
        let (n, clusters) = (data.judgments().to_vec(), data.clusters_of_systems());
        let point = method.scores(data);
        let found = Resampled::new(point, rounds, plan.level, own.len(), n, clusters)?;
        Ok(found.of_scores(data, method)?)
    }

    fn resample_lengths(
        &self,
        lengths: &Lengths,
        universe: &[String],
        plan: &Bootstrap,
    ) -> Result<Resampled, EngineError> {
        let own: Vec<usize> = (0..self.items.len()).collect();
        let drawn = self.places_in(universe, &own)?;
        let rounds = draw_rounds(universe, plan, |weights| {
            // How often each item of the data was drawn.
            let own = at_places(weights, &drawn);
            let times = self.places.iter().map(|(item, place)| (*item, own[*place]));
            Ok(lengths.win_rates(Some(&times.collect())))
        })?;
        let (n, items) = (lengths.judgments_of_systems(), lengths.items_of_systems());
        // The reference's share does not vary, and is known by definition.
        let constant = vec![false; items.len()];
        let point = lengths.win_rates(None);
        let found = Resampled::new(point, rounds, plan.level, own.len(), n, items)?;
        Ok(found.with_constant(constant)?)
    }

    /// Returns where each item of `own`, a position in [`Sample::items`], stands in the universe.
    fn places_in(&self, universe: &[String], own: &[usize]) -> Result<Vec<usize>, Refusal> {
        let names = universe.iter().map(String::as_str);
        let places: HashMap<&str, usize> = names.zip(0..).collect();
        let own = own.iter().map(|item| &self.items[*item]);
        let found = own.map(|name| {
            let place = places.get(name.as_str()).copied();
            place.ok_or_else(|| {
                Refusal::of_input(format!("item {name} is not among those that are resampled"))
            })
        });
        found.collect()
    }
}

/// Judgments as they are ranked.
enum Ranked<'a> {
    Scores(&'a ItemScores, PointMethod),
    /// The comparisons that scores imply.
    Implied(Comparisons, PairMethod),
    Pairs(&'a Comparisons, PairMethod),
    Counts(&'a Tally, PairMethod),
}

fn ranked<'a>(
    evidence: &'a Evidence,
    cluster: Cluster,
    aggregation: Aggregation,
    how: &SampleRanking,
) -> Result<Ranked<'a>, EngineError> {
    let options = RankOptions {
        prior: how.prior,
        cluster,
        ..RankOptions::default()
    };
    let method = options.method(aggregation)?;
    if aggregation.needs_scores() {
        if let (Evidence::Scores(data), Some(points)) = (evidence, aggregation.point_method()) {
            return Ok(Ranked::Scores(data, points));
        }
        let reason = "it needs scores of single responses, and these are comparisons";
        return Err(refuse_aggregation(aggregation, Cause::Data, reason).into());
    }
    match (evidence, aggregation.pair_method(method.prior)) {
        (Evidence::Scores(data), Some(pairs)) => {
            let mut implied = data.to_comparisons()?;
            if how.equal == EqualScores::Nothing {
                let decided = implied.rows().iter().filter(|row| row.ties == 0.0);
                implied = Comparisons::new(implied.systems(), decided.copied().collect())?;
            }
            Ok(Ranked::Implied(implied, pairs))
        }
        (Evidence::Comparisons(data), Some(pairs)) => Ok(Ranked::Pairs(data, pairs)),
        (Evidence::Counts(tally), Some(pairs)) => Ok(Ranked::Counts(tally, pairs)),
        _ => {
            let reason = "its ratings depend on the order of the games, which a resample does not \
                          have";
            Err(refuse_aggregation(aggregation, Cause::Data, reason).into())
        }
    }
}

/// Returns all rounds; none where there are fewer than 2 items, and intervals will say so.
fn draw_rounds(
    universe: &[String],
    plan: &Bootstrap,
    round: impl Fn(&[f64]) -> Result<Scores, Error> + Sync,
) -> Result<Vec<Scores>, EngineError> {
    match resample(universe.len(), plan, round) {
        Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
        found => Ok(found?.into_iter().collect::<Result<_, _>>()?),
    }
}

/// The weights of a data set's own items, of those of the universe.
fn at_places(universe: &[f64], places: &[usize]) -> Vec<f64> {
    places.iter().map(|&place| universe[place]).collect()
}

/// Puts log-odds on Elo's scale, and turns what is the better the lower.
fn higher_is_better(mut found: Resampled, aggregation: Aggregation) -> Resampled {
    let (is_log_odds, is_turned) = (aggregation.is_log_odds(), aggregation.low_is_good());
    let scale = |score: f64| match is_log_odds {
        true => StrengthScale::Elo.from_log_odds(score),
        false => -score,
    };
    if !is_log_odds && !is_turned {
        return found;
    }
    let unit = (scale(1.0) - scale(0.0)).abs();
    for scores in found.rounds.iter_mut().chain([&mut found.point]) {
        for estimate in &mut scores.estimates {
            *estimate = match estimate.map(scale) {
                Estimate::PlusInfinity if !is_log_odds => Estimate::MinusInfinity,
                Estimate::MinusInfinity if !is_log_odds => Estimate::PlusInfinity,
                scaled => scaled,
            };
        }
        scores.resolution *= unit;
    }
    found
}
