//! Strengths in models that give ties a chance of their own.

mod case;
mod kind;
mod newton;

use crate::{BradleyTerry, Estimate, Fit, Scores, Tally, Undefined, bradley_terry_near};
pub(super) use case::{Case, case};
pub(super) use kind::Kind;
use newton::Problem;

/// Strengths are found to about 1e-10 log-odds; closer ones share a rank.
const RESOLUTION: f64 = 1e-9;

/// Strengths and the tie parameter, by maximum likelihood.
#[derive(Clone, Debug, PartialEq)]
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

/// What i won and lost against j, and how often they tied, as shares of the largest such count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) i: usize,
    pub(super) j: usize,
    pub(super) wins: f64,
    pub(super) ties: f64,
    pub(super) losses: f64,
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
    tie_model_near(Kind::Davidson, tally, &[])
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
    tie_model_near(Kind::RaoKupper, tally, &[])
}

/// The same on the origin of `reference`; see [`bradley_terry_near`].
pub(super) fn tie_model_near(kind: Kind, tally: &Tally, reference: &[Estimate]) -> TieModel {
    let base = bradley_terry_near(tally, reference);
    let (scores, tie) = match case(tally, &base) {
        Case::Empty if tally.systems() == 1 => {
            (base.scores, Estimate::Undefined(Undefined::OneSystem))
        }
        Case::Empty => (base.scores, Estimate::Undefined(Undefined::NoData)),
        Case::NoTies => (base.scores, Estimate::Finite(kind.without_ties())),
        Case::AllTies => (base.scores, Estimate::PlusInfinity),
        Case::Unbounded => (unbounded(&base.scores), Estimate::PlusInfinity),
        Case::Finite => fit(kind, tally, &base, reference),
    };
    TieModel {
        scores,
        tie,
        components: base.components,
    }
}

/// What stays known if nothing finite does.
pub(super) fn unbounded(base: &Scores) -> Scores {
    let finite = |i: usize| base.estimates[i].finite().is_some();
    let estimate = |i: usize| {
        if finite(i) {
            Estimate::Undefined(Undefined::InfiniteTies)
        } else {
            base.estimates[i]
        }
    };
    let rank = |i: usize| if finite(i) { None } else { base.ranks[i] };
    let systems = || 0..base.estimates.len();
    Scores {
        estimates: systems().map(estimate).collect(),
        ranks: systems().map(rank).collect(),
        fit: None,
        ..base.clone()
    }
}

fn fit(
    kind: Kind,
    tally: &Tally,
    base: &BradleyTerry,
    reference: &[Estimate],
) -> (Scores, Estimate) {
    let k = tally.systems();
    let (pairs, most) = pairs(tally, base);
    let pinned: Vec<usize> = base
        .parts
        .iter()
        .filter_map(|part| part.systems.last().copied())
        .collect();
    let problem = Problem {
        kind,
        systems: k,
        pairs: &pairs,
        pinned: &pinned,
    };
    let (mut point, fit) = newton::maximise(&problem, start(kind, &pairs, base, k));
    let tie = point.pop().map_or(Estimate::PlusInfinity, exponential);
    let fit = Fit {
        gradient: (fit.gradient * most).min(f64::MAX),
        ..fit
    };
    (rescored(base, &on_origin(base, point, reference), fit), tie)
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

/// The comparisons within parts, and the largest count among them.
pub(super) fn pairs(tally: &Tally, base: &BradleyTerry) -> (Vec<Pair>, f64) {
    let of_part = |s: &[usize]| -> Vec<(usize, usize)> {
        s.iter()
            .flat_map(|&i| s.iter().map(move |&j| (i, j)).filter(|&(i, j)| i < j))
            .collect()
    };
    let within = base.parts.iter().flat_map(|part| of_part(&part.systems));
    let compared: Vec<(usize, usize)> = within.filter(|&(i, j)| tally.games(i, j) > 0.0).collect();
    let most = compared
        .iter()
        .map(|&(i, j)| tally.games(i, j))
        .fold(0.0, f64::max);
    let pair = |&(i, j): &(usize, usize)| Pair {
        i,
        j,
        wins: tally.wins(i, j) / most,
        ties: tally.ties(i, j) / most,
        losses: tally.wins(j, i) / most,
    };
    (compared.iter().map(pair).collect(), most)
}

/// Bradley-Terry strengths, and the tie parameter that the share of ties would give equally strong
/// systems.
fn start(kind: Kind, pairs: &[Pair], base: &BradleyTerry, k: usize) -> Vec<f64> {
    let mut start = vec![0.0; k];
    for part in &base.parts {
        part.systems
            .iter()
            .zip(&part.strengths)
            .for_each(|(&i, &strength)| start[i] = strength);
    }
    let (ties, all) = pairs.iter().fold((0.0, 0.0), |(ties, all), p| {
        (ties + p.ties, all + p.wins + p.ties + p.losses)
    });
    start.push(kind.start(ties / all));
    start
}

/// The strengths with mean 0 in each part, or with the mean that those of its systems which
/// `reference` has have there.
fn on_origin(base: &BradleyTerry, mut strengths: Vec<f64>, reference: &[Estimate]) -> Vec<f64> {
    for part in &base.parts {
        let known = |&&i: &&usize| reference.get(i).is_some_and(|x| x.finite().is_some());
        let anchors: Vec<usize> = part.systems.iter().filter(known).copied().collect();
        let there: f64 = anchors.iter().filter_map(|&i| reference[i].finite()).sum();
        let mean = if anchors.is_empty() {
            &part.systems
        } else {
            &anchors
        };
        let here: f64 = mean.iter().map(|&i| strengths[i]).sum();
        let shift = (there - here) / mean.len() as f64;
        part.systems.iter().for_each(|&i| strengths[i] += shift);
    }
    strengths
}

/// `base` with other strengths: the same systems are finite, and ranks within a part follow the
/// strengths.
pub(super) fn rescored(base: &BradleyTerry, strengths: &[f64], fit: Fit) -> Scores {
    let mut scores = Scores {
        fit: Some(fit),
        resolution: RESOLUTION,
        ..base.scores.clone()
    };
    for part in &base.parts {
        let first = part
            .systems
            .iter()
            .filter_map(|&i| base.scores.ranks[i])
            .min();
        for &i in &part.systems {
            scores.estimates[i] = scores.estimates[i].map(|_| strengths[i]);
            let better = part
                .systems
                .iter()
                .filter(|&&j| strengths[j] - strengths[i] > RESOLUTION)
                .count() as u32;
            scores.ranks[i] = first.map(|first| first + better);
        }
    }
    scores
}
