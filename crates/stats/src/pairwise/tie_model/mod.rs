//! Strengths in models that give ties a chance of their own.

mod case;
mod law;
mod likelihood;

use super::ascent::maximise;
use super::linked::why_no_games;
use crate::estimate::count_better;
use crate::index::finite_systems;
use crate::linear::greatest;
use crate::{
    BradleyTerry, Estimate, Fit, Part, Scores, Tally, Undefined, bradley_terry_near, index,
};
pub(super) use case::{Case, find_case};
pub(crate) use law::Terms;
pub use law::TieLaw;
use likelihood::TieLikelihood;

/// Strengths are found to about 1e-10 log-odds; closer ones share a rank.
const RESOLUTION: f64 = 1e-9;

/// Strengths and the tie parameter, by maximum likelihood.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct TieModel {
    /// For each system its strength (a natural logarithm), with mean 0 over the systems that have a
    /// finite one.
    pub scores: Scores,
    /// The tie parameter: [`davidson`]'s nu, 0 or more, or [`rao_kupper`]'s theta, 1 or more; its
    /// lower bound if there are no ties, plus infinity where ties swamp everything, undefined
    /// without comparisons.
    pub tie: Estimate,
    /// Groups of systems linked by comparisons, in ascending order. More than one: the graph is
    /// disconnected.
    pub components: Vec<Vec<usize>>,
}

/// Maximum-likelihood strengths in the model of Davidson (1970): with p_i = exp(s_i),
///
/// ```text
/// P(i wins) : P(tie) : P(j wins) = p_i : nu * sqrt(p_i * p_j) : p_j
/// ```
///
/// Two equal systems tie with chance nu / (2 + nu).  Weights multiply comparisons.
///
/// **When the maximum is finite.** A tie links two systems as a win in both directions does. As in
/// [`crate::bradley_terry`], only within a part (a strongly connected component of that graph) do
/// strengths differ by finite amounts, and the same systems are plus or minus infinity,
/// disconnected, and so on, and say so in the same way. All parts share the tie parameter, so it is
/// fitted to the comparisons within all of them. It is finite and above its bound exactly if there
/// is a tie, and some round trip (from winner to loser, or either way between systems that tied)
/// passes more wins than ties; two systems that both won from each other are enough. (The
/// likelihood is concave; these are the directions in which it rises for ever.) Otherwise:
/// - no ties: nu = 0, and the strengths are those of [`crate::bradley_terry`];
/// - only ties within parts: nu is plus infinity and all systems of a part are equally strong;
/// - ties and wins that never contradict each other (0 ties 1, 1 ties 2, 0 beats 2): nu is plus
///   infinity, the strengths move apart with it, and what would be finite is
///   [`Undefined::InfiniteTies`];
/// - no comparisons: `tie` is [`Undefined::NoData`], or [`Undefined::OneSystem`].
///
/// `fit.gradient` is the largest derivative of the log-likelihood by a strength or ln(nu), in
/// comparisons.
pub fn davidson(tally: &Tally) -> TieModel {
    tie_model_near(TieLaw::Davidson, tally, &[])
}

/// Maximum-likelihood strengths in the model of Rao and Kupper (1967): with p_i = exp(s_i) and
/// theta >= 1,
///
/// ```text
/// P(i wins) = p_i / (p_i + theta * p_j),   P(tie) = (theta^2 - 1) * P(i wins) * P(j wins)
/// ```
///
/// that is, a difference within ln(theta) of zero is not told.  Two equal systems tie with chance
/// (theta - 1) / (theta + 1).  Weights multiply comparisons.
///
/// When the maximum is finite, and what is said where it is not, is as for [`davidson`] (the
/// likelihood is that of an ordered logit, concave in s and ln(theta): Pratt 1981), with theta = 1
/// where there are no ties. `fit.gradient` is the largest derivative of the log-likelihood by a
/// strength or ln(theta), in comparisons.
pub fn rao_kupper(tally: &Tally) -> TieModel {
    tie_model_near(TieLaw::RaoKupper, tally, &[])
}

/// Fits a tie model on the origin of `reference`; see [`bradley_terry_near`].
pub(super) fn tie_model_near(law: TieLaw, tally: &Tally, reference: &[Estimate]) -> TieModel {
    let base = bradley_terry_near(tally, reference);
    let (scores, tie) = match find_case(tally, &base) {
        Case::Empty => (base.scores, Estimate::Undefined(why_no_games(tally))),
        Case::NoTies => (base.scores, Estimate::Finite(law.without_ties())),
        Case::AllTies => (base.scores, Estimate::PlusInfinity),
        Case::Unbounded => (forget_finite(&base.scores), Estimate::PlusInfinity),
        Case::Finite => fit_strengths(law, tally, &base, reference),
    };
    TieModel {
        scores,
        tie,
        components: base.components,
    }
}

/// The scores that stay known where nothing finite does.
pub(super) fn forget_finite(base: &Scores) -> Scores {
    let mut scores = base.clone();
    for i in finite_systems(&base.estimates) {
        scores.estimates[i] = Estimate::Undefined(Undefined::InfiniteTies);
        scores.ranks[i] = None;
    }
    Scores {
        fit: None,
        ..scores
    }
}

fn fit_strengths(
    law: TieLaw,
    tally: &Tally,
    base: &BradleyTerry,
    reference: &[Estimate],
) -> (Scores, Estimate) {
    let (pairs, most) = pairs_within_parts(tally, base);
    // One system of each part holds its origin.
    let pinned = base.parts.iter().filter_map(|part| part.systems.last());
    let pinned: Vec<usize> = pinned.copied().collect();
    let likelihood = TieLikelihood {
        law,
        systems: tally.systems(),
        pairs: &pairs,
        pinned: &pinned,
    };
    // From Bradley-Terry strengths, and the tie parameter that the share of ties would give equally
    // strong systems.
    let mut start = vec![0.0; base.scores.estimates.len()];
    for (system, strength) in base.strengths_in_parts() {
        start[system] = strength;
    }
    let (mut ties, mut all) = (0.0, 0.0);
    for pair in &pairs {
        ties += pair.ties;
        all = all + pair.wins + pair.ties + pair.losses;
    }
    start.push(law.parameter_for(ties / all));
    let (mut point, fit) = maximise(&likelihood, start);
    let tie = point.pop().map_or(Estimate::PlusInfinity, exponential);
    let strengths = shift_to_origin(base, point, reference);
    let scores = replace_strengths(base, &strengths, in_comparisons(fit, most));
    (scores, tie)
}

/// A fit to shares of `most` comparisons, with its gradient in comparisons.
pub(super) fn in_comparisons(fit: Fit, most: f64) -> Fit {
    Fit {
        gradient: (fit.gradient * most).min(f64::MAX),
        ..fit
    }
}

/// exp(x), or plus infinity where no number can hold it.
pub(super) fn exponential(x: f64) -> Estimate {
    let power = x.exp();
    if power.is_finite() {
        Estimate::Finite(power)
    } else {
        Estimate::PlusInfinity
    }
}

/// The strengths with mean 0 in each part, or with the mean that those of its systems which
/// `reference` has have there.
pub(super) fn shift_to_origin(
    base: &BradleyTerry,
    mut strengths: Vec<f64>,
    reference: &[Estimate],
) -> Vec<f64> {
    for part in &base.parts {
        // The systems that are finite in the reference.
        let known = |&i: &usize| reference.get(i).is_some_and(|x| x.finite().is_some());
        let anchors: Vec<usize> = part.systems.iter().copied().filter(known).collect();
        let there: f64 = anchors.iter().filter_map(|&i| reference[i].finite()).sum();
        // Without an anchor the mean of all goes to 0.
        let moved = if anchors.is_empty() {
            &part.systems
        } else {
            &anchors
        };
        let here: f64 = moved.iter().map(|&i| strengths[i]).sum();
        let shift = (there - here) / moved.len() as f64;
        for &i in &part.systems {
            strengths[i] += shift;
        }
    }
    strengths
}

/// `base` with other strengths: the same systems are finite, and ranks within a part follow the
/// strengths.
pub(super) fn replace_strengths(base: &BradleyTerry, strengths: &[f64], fit: Fit) -> Scores {
    let mut scores = Scores {
        fit: Some(fit),
        resolution: RESOLUTION,
        ..base.scores.clone()
    };
    for part in &base.parts {
        let own = part.systems.iter().map(|&i| strengths[i]);
        // The ranks of a part go on from the best that it has.
        let first = part.systems.iter().filter_map(|&i| scores.ranks[i]).min();
        for &i in &part.systems {
            scores.estimates[i] = scores.estimates[i].map(|_| strengths[i]);
            let better = count_better(own.clone(), strengths[i], RESOLUTION);
            scores.ranks[i] = first.map(|first| first + better);
        }
    }
    scores
}

/// The wins, ties and losses of i against j, as shares of the largest count of any pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairShares {
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) wins: f64,
    pub(crate) ties: f64,
    pub(crate) losses: f64,
}

/// The comparisons within parts, and the largest count among them.
pub(super) fn pairs_within_parts(tally: &Tally, base: &BradleyTerry) -> (Vec<PairShares>, f64) {
    // The systems of a part are in ascending order.
    let pairs = base.parts.iter().flat_map(|Part { systems, .. }| {
        index::pairs(systems.len()).map(|(i, j)| (systems[i], systems[j]))
    });
    let compared: Vec<(usize, usize)> = pairs.filter(|&(i, j)| tally.games(i, j) > 0.0).collect();
    let most = greatest(compared.iter().map(|&(i, j)| tally.games(i, j)));
    let shares = compared.into_iter().map(|(i, j)| {
        let [wins, ties, losses] = tally.outcome(i, j).map(|count| count / most);
        PairShares {
            i,
            j,
            wins,
            ties,
            losses,
        }
    });
    (shares.collect(), most)
}
