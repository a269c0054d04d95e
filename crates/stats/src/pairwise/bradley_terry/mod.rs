//! Bradley-Terry strengths by maximum likelihood, with the cases where there is none.

mod met;
mod parts;
mod points;
mod refit;
mod ridge;

use super::ascent::maximise;
use crate::data::Sheet;
use crate::estimate::count_better;
use crate::linear::weighted_mean;
use crate::{Estimate, Fit, Scores, Tally, Undefined};
pub(crate) use met::{Met, ridge_of_met};
use parts::{Standing, place_parts};
use points::Points;
pub(crate) use refit::Refit;
pub use ridge::{Ridge, bradley_terry_ridge};

/// Strengths are found to about 1e-10 log-odds; closer ones share a rank.
const RESOLUTION: f64 = 1e-9;

/// Bradley-Terry strengths, and how they hang together.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct BradleyTerry {
    /// For each system its strength in log-odds (natural logarithm), with mean 0 over the systems
    /// that have a finite one.
    pub scores: Scores,
    /// Groups of systems linked by comparisons, in ascending order. More than one: the graph is
    /// disconnected.
    pub components: Vec<Vec<usize>>,
    /// Groups of systems within which strengths are finite; those of the scored component first,
    /// from the top down.
    pub parts: Vec<Part>,
}

impl BradleyTerry {
    /// Every system and its strength within its part.
    pub(super) fn strengths_in_parts(&self) -> impl Iterator<Item = (usize, f64)> {
        self.parts.iter().flat_map(Part::strengths_of_systems)
    }
}

/// Systems with finite differences in strength: each of them won something, directly or through
/// others, from each other.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// The systems, in ascending order.
    pub systems: Vec<usize>,
    /// Their strengths in log-odds, with mean 0 over this part; as many as systems.
    pub strengths: Vec<f64>,
    /// How their fit ended; None for a single system, whose strength is 0 by definition.
    pub fit: Option<Fit>,
}

impl Part {
    fn strengths_of_systems(&self) -> impl Iterator<Item = (usize, f64)> {
        let systems = self.systems.iter().copied();
        systems.zip(self.strengths.iter().copied())
    }
}

/// The scale on which Bradley-Terry strengths are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StrengthScale {
    /// Natural logarithm of the odds, mean 0.
    LogOdds,
    /// 400 per factor of ten in the odds, mean 1000 (Elo 1978).
    Elo,
}

impl StrengthScale {
    /// A strength in log-odds on this scale.
    pub fn from_log_odds(self, strength: f64) -> f64 {
        match self {
            StrengthScale::LogOdds => strength,
            StrengthScale::Elo => 1000.0 + 400.0 * strength * std::f64::consts::LOG10_E,
        }
    }
}

/// Maximum-likelihood strengths in the model of Bradley and Terry (1952): i beats j with odds
/// exp(s_i - s_j). Weights multiply comparisons; a tie is half a win for both.
///
/// The maximum is finite exactly where the graph "i won something from j" is strongly connected
/// (Ford 1957; Hunter 2004, assumption 1). Where it is not, the likelihood is greatest as the parts
/// move infinitely far apart, and each part keeps its own maximum. So, of the largest connected
/// component:
/// - the largest part (of two or more systems; of equals the highest) has finite strengths, which
///   no system that won or lost everything against it can disturb;
/// - systems above it are [`Estimate::PlusInfinity`], below it [`Estimate::MinusInfinity`], neither
///   [`Undefined::NotComparable`];
/// - without such a part, systems that only won are at plus infinity, that only lost at minus
///   infinity, the rest [`Undefined::OneSided`];
/// - a rank is given wherever everybody else is known to be above, below or of the same part, so
///   also among infinities.
///
/// Other components are [`Undefined::Disconnected`] (all of them, if none is the largest), systems
/// without comparisons [`Undefined::NoData`]; a lone system is [`Undefined::OneSystem`].
pub fn bradley_terry(tally: &Tally) -> BradleyTerry {
    bradley_terry_near(tally, &[])
}

/// Like [`bradley_terry`], for data that are like others already scored, such as a resample: starts
/// from `reference` and keeps to its origin, that is, systems finite in both have the same mean in
/// both, and prefers to keep finite what was finite there. Systems that `reference` lacks count as
/// not finite.
pub fn bradley_terry_near(tally: &Tally, reference: &[Estimate]) -> BradleyTerry {
    fit_parts(tally, reference, None)
}

/// Scores a resample from the refit of its part; None where that needs a fit of its own.
/// `reference` is the estimates of the data set that `refit` was made of.
pub(crate) fn refit_scores(refit: &Refit, sheet: &Sheet, reference: &[Estimate]) -> Option<Scores> {
    let part = refit.fit_part(sheet)?;
    Some(match refit.everyone {
        true => scores_of_strengths(part.strengths, part.fit),
        false => fit_parts(&sheet.tally(), reference, Some(part)).scores,
    })
}

/// Finite scores without what each rests on.
fn scores_of_strengths(strengths: Vec<f64>, fit: Option<Fit>) -> Scores {
    let estimates = strengths.into_iter().map(Estimate::Finite).collect();
    Scores {
        fit,
        ..Scores::ranked(estimates, Vec::new(), RESOLUTION)
    }
}

/// `known` is the fit of a part, where it has been made already.
fn fit_parts(tally: &Tally, reference: &[Estimate], mut known: Option<Part>) -> BradleyTerry {
    // For each system its strength in the reference, if it is finite there.
    let origin = (0..tally.systems()).map(|i| reference.get(i)?.finite());
    let origin: Vec<Option<f64>> = origin.collect();
    // Of equals, the part that was finite in the reference is to be finite again.
    let anchors: Vec<bool> = origin.iter().map(Option::is_some).collect();
    let (places, components) = place_parts(tally, &anchors);
    let fits = places.iter().map(|place| {
        let known = known.take_if(|part| part.systems == place.systems);
        known.unwrap_or_else(|| fit_part(tally, &place.systems, &origin))
    });
    let parts: Vec<Part> = fits.collect();
    let k = tally.systems();
    let mut scores = Scores {
        estimates: vec![Estimate::Undefined(Undefined::OneSystem); k],
        ranks: vec![None; k],
        weight: tally.weights(),
        resolution: RESOLUTION,
        fit: parts.iter().filter_map(|part| part.fit).reduce(Fit::worse),
    };
    for (place, part) in places.iter().zip(&parts) {
        // The mean difference to the origin, of the systems that have one.
        let shifts = part
            .strengths_of_systems()
            .filter_map(|(system, own)| Some((1.0, origin[system]? - own)));
        let shift = weighted_mean(shifts).unwrap_or(0.0);
        for (system, strength) in part.strengths_of_systems() {
            // A system that is alone in the whole field keeps its reason.
            if k > 1 {
                scores.estimates[system] = match place.standing {
                    Standing::Main => Estimate::Finite(strength + shift),
                    Standing::Above => Estimate::PlusInfinity,
                    Standing::Below => Estimate::MinusInfinity,
                    Standing::Unknown(reason) => Estimate::Undefined(reason),
                };
            }
            let better = count_better(part.strengths.iter().copied(), strength, RESOLUTION);
            scores.ranks[system] = place.above.map(|above| 1 + above + better);
        }
    }
    BradleyTerry {
        scores,
        components,
        parts,
    }
}

fn fit_part(tally: &Tally, systems: &[usize], origin: &[Option<f64>]) -> Part {
    let systems = systems.to_vec();
    if systems.len() == 1 {
        return Part {
            systems,
            strengths: vec![0.0],
            fit: None,
        };
    }
    let start = systems.iter().map(|&i| origin[i].unwrap_or(0.0)).collect();
    let (strengths, fit) = maximise(&Points::new(tally, &systems, 0.0), start);
    Part {
        systems,
        strengths,
        fit: Some(fit),
    }
}

#[cfg(test)]
mod tests;
