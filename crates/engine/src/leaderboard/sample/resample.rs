//! Ranks a sample on the data and on resamples of its items.

use super::lengths::Lengths;
use super::{Data, EqualScores, Sample, SampleRanking};
use crate::leaderboard::length::LENGTH_CONTROLLED;
use crate::rank::method::{Method, refuse_aggregation};
use crate::rank::ranking::RankOptions;
use crate::rank::score::Evidence;
use crate::{Aggregation, EngineError};
use evenhand_core::{Cause, Refusal};
use evenhand_stats::{
    Bootstrap, Cluster, Comparisons, Error, Estimate, ItemScores, PairMethod, PointMethod,
    Resampled, Scores, StrengthScale, Undefined, resample, resample_counts, resample_pairs,
    resample_scores,
};
use std::collections::HashMap;

/// The items that a resample draws from, and how it draws.
#[derive(Clone, Copy)]
struct Draw<'a> {
    universe: &'a [String],
    plan: &'a Bootstrap,
}

impl Draw<'_> {
    /// Returns all rounds; none where there are fewer than 2 items, and intervals will say so.
    fn rounds(
        &self,
        round: impl Fn(&[f64]) -> Result<Scores, Error> + Sync,
    ) -> Result<Vec<Scores>, EngineError> {
        match resample(self.universe.len(), self.plan, round) {
            Err(Error::Undefined(Undefined::TooFewClusters { .. })) => Ok(Vec::new()),
            found => Ok(found?.into_iter().collect::<Result<_, _>>()?),
        }
    }
}

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
        let draw = Draw { universe, plan };
        let (evidence, cluster) = match &self.data {
            Data::Lengths(lengths) => return self.resample_lengths(lengths, draw),
            Data::Evidence(evidence, cluster) => (evidence, *cluster),
        };
        let aggregation = self.chosen_aggregation(how);
        let options = RankOptions {
            prior: how.prior,
            cluster,
            ..RankOptions::default()
        };
        let method = options.method(aggregation)?;
        let found = if aggregation.needs_scores() {
            self.resample_points(evidence, &method, draw)?
        } else {
            self.resample_pairs(evidence, &method, how.equal, draw)?
        };
        Ok(higher_is_better(found, aggregation))
    }

    /// Whether the files name the items that a resample draws.
    fn names_items(&self) -> bool {
        !self.items.is_empty()
    }

    fn resample_points(
        &self,
        evidence: &Evidence,
        method: &Method,
        draw: Draw,
    ) -> Result<Resampled, EngineError> {
        let aggregation = method.aggregation;
        let (Evidence::Scores(data), Some(points)) = (evidence, aggregation.point_method()) else {
            let reason = "it needs scores of single responses, and these are comparisons";
            return Err(refuse_aggregation(aggregation, Cause::Data, reason).into());
        };
        if self.names_items() {
            self.resample_named_scores(data, points, draw)
        } else {
            Ok(resample_scores(data, points, method.cluster, draw.plan)?)
        }
    }

    fn resample_pairs(
        &self,
        evidence: &Evidence,
        method: &Method,
        equal: EqualScores,
        draw: Draw,
    ) -> Result<Resampled, EngineError> {
        let (aggregation, cluster) = (method.aggregation, method.cluster);
        let pairs = aggregation.pair_method(method.prior);
        let pairs = pairs.ok_or_else(|| refuse_order_of_games(aggregation))?;
        match evidence {
            Evidence::Scores(data) => {
                let implied = implied_comparisons(data, equal)?;
                self.resample_named_pairs(&implied, pairs, draw)
            }
            Evidence::Comparisons(data) if self.names_items() => {
                self.resample_named_pairs(data, pairs, draw)
            }
            Evidence::Comparisons(data) => Ok(resample_pairs(data, pairs, cluster, draw.plan)?),
            Evidence::Counts(tally) => Ok(resample_counts(tally, pairs, draw.plan)?),
            _ => Err(refuse_order_of_games(aggregation).into()),
        }
    }

    fn resample_named_pairs(
        &self,
        data: &Comparisons,
        method: PairMethod,
        draw: Draw,
    ) -> Result<Resampled, EngineError> {
        let own = self.places_of_items(data);
        let (drawn, point) = (self.find_drawn(&own, draw)?, method.scores(&data.tally()));
        let rounds = draw.rounds(|weights| {
            let tally = data.weighted_tally(Cluster::Item, &drawn.weights(weights))?;
            Ok(method.scores_near(&tally, &point))
        })?;
        Ok(Resampled::new(
            point,
            rounds,
            draw.plan.level,
            own.len(),
            data.judgments(),
            data.clusters_of_systems(Cluster::Item),
        )?)
    }

    /// Returns the position in [`Sample::items`] of each item of the data.
    fn places_of_items(&self, data: &Comparisons) -> Vec<usize> {
        let mut items: Vec<u32> = data.rows().iter().map(|row| row.item).collect();
        items.dedup();
        let places = items.iter().filter_map(|item| self.places.get(item));
        places.copied().collect()
    }

    fn resample_named_scores(
        &self,
        data: &ItemScores,
        method: PointMethod,
        draw: Draw,
    ) -> Result<Resampled, EngineError> {
        let own: Vec<usize> = (0..self.items.len()).collect();
        let drawn = self.find_drawn(&own, draw)?;
        let point = method.scores(data);
        let rounds =
            draw.rounds(|weights| data.weighted_scores(method, &drawn.weights(weights)))?;
        let found = Resampled::new(
            point,
            rounds,
            draw.plan.level,
            own.len(),
            data.judgments().to_vec(),
            data.clusters_of_systems(),
        )?;
        Ok(found.with_constant(data.constant_systems())?)
    }

    fn resample_lengths(&self, lengths: &Lengths, draw: Draw) -> Result<Resampled, EngineError> {
        let own: Vec<usize> = (0..self.items.len()).collect();
        let drawn = self.find_drawn(&own, draw)?;
        let point = lengths.win_rates(None);
        let rounds = draw.rounds(|weights| {
            let times = self.times_of_items(&drawn.weights(weights));
            Ok(lengths.win_rates(Some(&times)))
        })?;
        let items = lengths.items_of_systems();
        let n = items.iter().map(|&n| n as u64).collect();
        // The reference's share does not vary, and is known by definition.
        let constant = vec![false; items.len()];
        let found = Resampled::new(point, rounds, draw.plan.level, own.len(), n, items)?;
        Ok(found.with_constant(constant)?)
    }

    /// Returns how often each item of the data was drawn, from how often each of
    /// [`Sample::items`] was.
    fn times_of_items(&self, own: &[f64]) -> HashMap<u32, f64> {
        let places = self.places.iter();
        places.map(|(item, place)| (*item, own[*place])).collect()
    }

    /// Finds where each item of `own`, a position in [`Sample::items`], stands in the universe.
    fn find_drawn(&self, own: &[usize], draw: Draw) -> Result<Drawn, Refusal> {
        let numbered = draw.universe.iter().enumerate();
        let places: HashMap<&str, usize> = numbered.map(|(place, name)| (&**name, place)).collect();
        let mut drawn = Vec::new();
        for item in own {
            let name = &self.items[*item];
            let place = places.get(name.as_str()).ok_or_else(|| {
                Refusal::of_input(format!("item {name} is not among those that are resampled"))
            })?;
            drawn.push(*place);
        }
        Ok(Drawn(drawn))
    }
}

/// The position in the universe of each item of a data set.
struct Drawn(Vec<usize>);

impl Drawn {
    /// Returns the weights of the data set's own items.
    fn weights(&self, universe: &[f64]) -> Vec<f64> {
        self.0.iter().map(|&place| universe[place]).collect()
    }
}

fn refuse_order_of_games(aggregation: Aggregation) -> Refusal {
    let reason = "its ratings depend on the order of the games, which a resample has not";
    refuse_aggregation(aggregation, Cause::Data, reason)
}

/// Returns the comparisons that scores imply.
fn implied_comparisons(data: &ItemScores, equal: EqualScores) -> Result<Comparisons, EngineError> {
    let all = data.to_comparisons()?;
    match equal {
        EqualScores::Tie => Ok(all),
        EqualScores::Nothing => {
            let decided = all.rows().iter().copied().filter(|row| row.ties == 0.0);
            Ok(Comparisons::new(all.systems(), decided.collect())?)
        }
    }
}

/// Puts log-odds on Elo's scale, and turns what is the better the lower.
fn higher_is_better(found: Resampled, aggregation: Aggregation) -> Resampled {
    if aggregation.is_log_odds() {
        let to_elo = |strength| StrengthScale::Elo.from_log_odds(strength);
        rescaled(found, to_elo, false)
    } else if aggregation.low_is_good() {
        rescaled(found, |weakness| -weakness, true)
    } else {
        found
    }
}

/// Puts scores on another scale, increasing or, where `turn`, decreasing.
fn rescaled(found: Resampled, scale: impl Fn(f64) -> f64, turn: bool) -> Resampled {
    let unit = (scale(1.0) - scale(0.0)).abs();
    let on_scale = |scores: &Scores| {
        let estimates = scores.estimates.iter();
        let estimates = estimates.map(|estimate| turned(estimate.map(&scale), turn));
        Scores {
            estimates: estimates.collect(),
            resolution: scores.resolution * unit,
            ..scores.clone()
        }
    };
    let mut found = found;
    found.point = on_scale(&found.point);
    found.rounds = found.rounds.iter().map(on_scale).collect();
    found
}

fn turned(estimate: Estimate, turn: bool) -> Estimate {
    match (estimate, turn) {
        (Estimate::PlusInfinity, true) => Estimate::MinusInfinity,
        (Estimate::MinusInfinity, true) => Estimate::PlusInfinity,
        (estimate, _) => estimate,
    }
}
