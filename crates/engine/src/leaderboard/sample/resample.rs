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
    /// Returns where each item stands in the universe, by its name.
    fn places(&self) -> HashMap<&str, usize> {
        let names = self.universe.iter().map(String::as_str);
        names.zip(0..).collect()
    }

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
        let draw = Draw { universe, plan };
        match &self.data {
            Data::Lengths(lengths) => self.resample_lengths(lengths, draw),
            Data::Evidence(evidence, cluster) => {
                let method = self.method(how, *cluster)?;
                let found = self.resample_evidence(evidence, &method, how.equal, draw)?;
                Ok(higher_is_better(found, method.aggregation))
            }
        }
    }

    fn method(&self, how: &SampleRanking, cluster: Cluster) -> Result<Method, EngineError> {
        let options = RankOptions {
            prior: how.prior,
            cluster,
            ..RankOptions::default()
        };
        options.method(self.chosen_aggregation(how))
    }

    fn resample_evidence(
        &self,
        evidence: &Evidence,
        method: &Method,
        equal: EqualScores,
        draw: Draw,
    ) -> Result<Resampled, EngineError> {
        if method.aggregation.needs_scores() {
            self.resample_points(evidence, method, draw)
        } else {
            self.resample_pairs(evidence, method, equal, draw)
        }
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
        match (evidence, aggregation.point_method()) {
            (Evidence::Scores(data), Some(points)) if self.names_items() => {
                self.resample_named_scores(data, points, draw)
            }
            (Evidence::Scores(data), Some(points)) => {
                Ok(resample_scores(data, points, method.cluster, draw.plan)?)
            }
            _ => Err(refuse_comparisons(aggregation).into()),
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
        let (n, clusters) = (data.judgments(), data.clusters_of_systems(Cluster::Item));
        let level = draw.plan.level;
        Ok(
            Resampled::new(point, rounds, level, own.len(), n, clusters)?
                .of_comparisons(&data.tally())?,
        )
    }

    /// Returns the position in [`Sample::items`] of each item of the data.
    fn places_of_items(&self, data: &Comparisons) -> Vec<usize> {
        // Rows are sorted by item, so that neighbours are all there is to tell apart.
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
        let own = self.all_places();
        let drawn = self.find_drawn(&own, draw)?;
        let rounds =
            draw.rounds(|weights| data.weighted_scores(method, &drawn.weights(weights)))?;
        let (n, clusters) = (data.judgments().to_vec(), data.clusters_of_systems());
        let (point, level) = (method.scores(data), draw.plan.level);
        let found = Resampled::new(point, rounds, level, own.len(), n, clusters)?;
        Ok(found.with_constant(data.constant_systems())?)
    }

    fn all_places(&self) -> Vec<usize> {
        (0..self.items.len()).collect()
    }

    fn resample_lengths(&self, lengths: &Lengths, draw: Draw) -> Result<Resampled, EngineError> {
        let own = self.all_places();
        let rounds = self.rounds_of_lengths(lengths, &self.find_drawn(&own, draw)?, draw)?;
        let (n, items) = (lengths.judgments_of_systems(), lengths.items_of_systems());
        // The reference's share does not vary, and is known by definition.
        let constant = vec![false; items.len()];
        let (point, level) = (lengths.win_rates(None), draw.plan.level);
        let found = Resampled::new(point, rounds, level, own.len(), n, items)?;
        Ok(found.with_constant(constant)?)
    }

    fn rounds_of_lengths(
        &self,
        lengths: &Lengths,
        drawn: &Drawn,
        draw: Draw,
    ) -> Result<Vec<Scores>, EngineError> {
        draw.rounds(|weights| {
            let times = self.times_of_items(&drawn.weights(weights));
            Ok(lengths.win_rates(Some(&times)))
        })
    }

    /// Returns how often each item of the data was drawn, from how often each of
    /// [`Sample::items`] was.
    fn times_of_items(&self, own: &[f64]) -> HashMap<u32, f64> {
        self.places
            .iter()
            .map(|(item, place)| (*item, own[*place]))
            .collect()
    }

    /// Finds where each item of `own`, a position in [`Sample::items`], stands in the universe.
    fn find_drawn(&self, own: &[usize], draw: Draw) -> Result<Drawn, Refusal> {
        let places = draw.places();
        let own = own.iter().map(|item| &self.items[*item]);
        let drawn = own.map(|name| find_place(&places, name));
        Ok(Drawn(drawn.collect::<Result<_, _>>()?))
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

fn find_place(places: &HashMap<&str, usize>, name: &str) -> Result<usize, Refusal> {
    let place = places.get(name).copied();
    place.ok_or_else(|| refuse_foreign_item(name))
}

fn refuse_foreign_item(name: &str) -> Refusal {
    Refusal::of_input(format!("item {name} is not among those that are resampled"))
}

fn refuse_comparisons(aggregation: Aggregation) -> Refusal {
    let reason = "it needs scores of single responses, and these are comparisons";
    refuse_aggregation(aggregation, Cause::Data, reason)
}

fn refuse_order_of_games(aggregation: Aggregation) -> Refusal {
    let reason = "its ratings depend on the order of the games, which a resample has not";
    refuse_aggregation(aggregation, Cause::Data, reason)
}

/// Returns the comparisons that scores imply.
fn implied_comparisons(data: &ItemScores, equal: EqualScores) -> Result<Comparisons, Error> {
    let all = data.to_comparisons()?;
    match equal {
        EqualScores::Tie => Ok(all),
        EqualScores::Nothing => decided_comparisons(&all),
    }
}

fn decided_comparisons(all: &Comparisons) -> Result<Comparisons, Error> {
    let rows = all.rows().iter().copied();
    let decided = rows.filter(|row| row.ties == 0.0);
    Comparisons::new(all.systems(), decided.collect())
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
fn rescaled(mut found: Resampled, scale: impl Fn(f64) -> f64, turn: bool) -> Resampled {
    let unit = (scale(1.0) - scale(0.0)).abs();
    for scores in found.rounds.iter_mut().chain([&mut found.point]) {
        for estimate in &mut scores.estimates {
            *estimate = turned(estimate.map(&scale), turn);
        }
        scores.resolution *= unit;
    }
    found
}

fn turned(estimate: Estimate, turn: bool) -> Estimate {
    match (estimate, turn) {
        (Estimate::PlusInfinity, true) => Estimate::MinusInfinity,
        (Estimate::MinusInfinity, true) => Estimate::PlusInfinity,
        (estimate, _) => estimate,
    }
}
