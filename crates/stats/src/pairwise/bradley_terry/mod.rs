//! Bradley-Terry strengths by maximum likelihood, with the cases where there is none.

mod parts;
mod points;
mod refit;
mod ridge;

use super::ascent::maximise;
use crate::data::Sheet;
use crate::estimate::count_better;
use crate::{Estimate, Fit, Scores, Tally, Undefined};
use parts::{PlacedPart, Standing, place_parts};
use points::Points;
pub(crate) use refit::Refit;
pub(crate) use ridge::refit_bradley_terry_ridge;
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

/// Scores a resample of the data set that `refit` was made of; `reference` is the estimates of
/// that.
pub(crate) fn refit_bradley_terry(
    refit: Option<&Refit>,
    sheet: &Sheet,
    reference: &[Estimate],
) -> Scores {
    let found = refit.and_then(|refit| Some((refit.fit_part(sheet)?, refit.everyone)));
    match found {
        Some((part, true)) => scores_of_whole(part),
        Some((part, false)) => fit_parts(&sheet.tally(), reference, Some(part)).scores,
        None => bradley_terry_near(&sheet.tally(), reference).scores,
    }
}

/// The scores where one part holds all systems; what each rests on is left out.
fn scores_of_whole(part: Part) -> Scores {
    let estimates = part.strengths.into_iter().map(Estimate::Finite).collect();
    Scores {
        fit: part.fit,
        ..Scores::ranked(estimates, Vec::new(), RESOLUTION)
    }
}

/// `known` is the fit of a part, where it has been made already.
fn fit_parts(tally: &Tally, reference: &[Estimate], mut known: Option<Part>) -> BradleyTerry {
    let origin = origin_of(tally.systems(), reference);
    // Of equals, the part that was finite in the reference is to be finite again.
    let anchors: Vec<bool> = origin.iter().map(Option::is_some).collect();
    let (places, components) = place_parts(tally, &anchors);
    let mut parts = Vec::with_capacity(places.len());
    for place in &places {
        let known = known.take_if(|part| part.systems == place.systems);
        parts.push(known.unwrap_or_else(|| fit_part(tally, &place.systems, &origin)));
    }
    BradleyTerry {
        scores: collect_scores(tally, &places, &parts, &origin),
        components,
        parts,
    }
}

/// For each system its strength in the reference, if it is finite there.
fn origin_of(systems: usize, reference: &[Estimate]) -> Vec<Option<f64>> {
    (0..systems)
        .map(|i| reference.get(i).and_then(|estimate| estimate.finite()))
        .collect()
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

fn collect_scores(
    tally: &Tally,
    places: &[PlacedPart],
    parts: &[Part],
    origin: &[Option<f64>],
) -> Scores {
    let k = tally.systems();
    let mut scores = Scores {
        estimates: vec![Estimate::Undefined(Undefined::OneSystem); k],
        ranks: vec![None; k],
        weight: tally.weights(),
        resolution: RESOLUTION,
        fit: worst_fit(parts),
    };
    for (place, part) in places.iter().zip(parts) {
        add_part(&mut scores, place, part, shift_to_origin(part, origin));
    }
    scores
}

/// Puts in the estimates and ranks of one part, its strengths moved by `shift`.
fn add_part(scores: &mut Scores, place: &PlacedPart, part: &Part, shift: f64) {
    let alone = scores.estimates.len() == 1;
    for (&system, &strength) in part.systems.iter().zip(&part.strengths) {
        if !alone {
            scores.estimates[system] = estimate_of(place.standing, strength + shift);
        }
        let strengths = part.strengths.iter().copied();
        let better = count_better(strengths, strength, RESOLUTION);
        scores.ranks[system] = place.above.map(|above| 1 + above + better);
    }
}

fn estimate_of(standing: Standing, strength: f64) -> Estimate {
    match standing {
        Standing::Main => Estimate::Finite(strength),
        Standing::Above => Estimate::PlusInfinity,
        Standing::Below => Estimate::MinusInfinity,
        Standing::Unknown(reason) => Estimate::Undefined(reason),
    }
}

/// The shift of a part's strengths to the origin: the mean difference to it, of the systems that
/// have one.
fn shift_to_origin(part: &Part, origin: &[Option<f64>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (&i, own) in part.systems.iter().zip(&part.strengths) {
        if let Some(origin) = origin[i] {
            sum += origin - own;
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

fn worst_fit(parts: &[Part]) -> Option<Fit> {
    let fits = parts.iter().filter_map(|part| part.fit);
    fits.reduce(|x, y| Fit {
        iterations: x.iterations.max(y.iterations),
        gradient: x.gradient.max(y.gradient),
        converged: x.converged && y.converged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tally_of;
    use Estimate::{Finite, MinusInfinity, PlusInfinity};

    fn undefined(reason: Undefined) -> Estimate {
        Estimate::Undefined(reason)
    }

    fn near(found: Estimate, expected: f64) -> bool {
        found.finite().is_some_and(|x| (x - expected).abs() < 1e-9)
    }

    #[test]
    fn two_systems_by_hand() {
        // 5 won, 2 tied, 1 lost: odds 6 : 2, so the strengths are plus and minus ln(3) / 2.
        let found = bradley_terry(&tally_of(2, &[(0, 1, 5.0, 2.0, 1.0)]));
        let half = 3f64.ln() / 2.0;
        assert!(
            near(found.scores.estimates[0], half) && near(found.scores.estimates[1], -half),
            "{found:?}"
        );
        let fit = found.scores.fit.unwrap();
        assert!(
            fit.converged && fit.gradient < 1e-12 && fit.iterations < 10,
            "{fit:?}"
        );
        assert_eq!(
            (found.scores.ranks, found.scores.weight),
            (vec![Some(1), Some(2)], vec![8.0, 8.0])
        );
    }

    #[test]
    fn a_perfect_fit_is_found_exactly() {
        // Strengths ln 4, ln 2, 0: odds 2, 4 and 2, met exactly by these counts; the mean is ln 2.
        let found = bradley_terry(&tally_of(
            3,
            &[
                (0, 1, 2.0, 0.0, 1.0),
                (0, 2, 4.0, 0.0, 1.0),
                (1, 2, 20.0, 0.0, 10.0),
            ],
        ));
        let expected = [2f64.ln(), 0.0, -(2f64.ln())];
        assert!(
            found
                .scores
                .estimates
                .iter()
                .zip(expected)
                .all(|(&x, y)| near(x, y)),
            "{found:?}"
        );
    }

    #[test]
    fn the_elo_scale() {
        // A factor of ten in the odds is 400.
        let difference =
            StrengthScale::Elo.from_log_odds(10f64.ln()) - StrengthScale::Elo.from_log_odds(0.0);
        assert!((difference - 400.0).abs() < 1e-12);
        assert_eq!(
            (
                StrengthScale::Elo.from_log_odds(0.0),
                StrengthScale::LogOdds.from_log_odds(0.5)
            ),
            (1000.0, 0.5)
        );
    }

    #[test]
    fn nothing_to_compare() {
        assert_eq!(bradley_terry(&tally_of(0, &[])).scores.estimates, []);
        let one = bradley_terry(&tally_of(1, &[]));
        assert_eq!(
            (&one.scores.estimates[..], &one.scores.ranks[..]),
            (&[undefined(Undefined::OneSystem)][..], &[None][..])
        );
        let none = bradley_terry(&tally_of(3, &[]));
        assert_eq!(none.scores.estimates, [undefined(Undefined::NoData); 3]);
        assert_eq!(
            (none.scores.ranks, none.components.len()),
            (vec![None; 3], 3)
        );
    }

    #[test]
    fn a_system_that_won_everything_does_not_disturb_the_others() {
        let others = [(0, 1, 3.0, 0.0, 1.0), (1, 2, 2.0, 1.0, 1.0)];
        let alone = bradley_terry(&tally_of(3, &others)).scores;
        let rows = [&others[..], &[(3, 0, 9.0, 0.0, 0.0), (3, 2, 1.0, 0.0, 0.0)]].concat();
        let found = bradley_terry(&tally_of(4, &rows)).scores;
        assert_eq!(
            (found.estimates[3], found.ranks[3]),
            (PlusInfinity, Some(1))
        );
        assert!(
            found
                .estimates
                .iter()
                .zip(&alone.estimates)
                .all(|(&x, y)| near(x, y.finite().unwrap()))
        );
        assert_eq!(found.ranks[..3], [Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn a_system_that_lost_everything_is_last() {
        let found = bradley_terry(&tally_of(
            3,
            &[(0, 1, 3.0, 0.0, 1.0), (1, 2, 2.0, 0.0, 0.0)],
        ))
        .scores;
        assert_eq!(
            (found.estimates[2], &found.ranks[..]),
            (MinusInfinity, &[Some(1), Some(2), Some(3)][..])
        );
    }

    #[test]
    fn one_sided_throughout_still_has_ranks() {
        // 0 always beats 1, 1 always beats 2, 0 and 2 never met: a total order without a single
        // finite difference.
        let found = bradley_terry(&tally_of(
            3,
            &[(0, 1, 1.0, 0.0, 0.0), (1, 2, 1.0, 0.0, 0.0)],
        ))
        .scores;
        assert_eq!(
            found.estimates,
            [PlusInfinity, undefined(Undefined::OneSided), MinusInfinity]
        );
        assert_eq!(
            (found.ranks, found.fit),
            (vec![Some(1), Some(2), Some(3)], None)
        );
    }

    #[test]
    fn a_partial_order_leaves_ranks_open() {
        // 0 always beats 1 and 2, which never met.
        let found = bradley_terry(&tally_of(
            3,
            &[(0, 1, 1.0, 0.0, 0.0), (0, 2, 1.0, 0.0, 0.0)],
        ))
        .scores;
        assert_eq!(
            found.estimates,
            [PlusInfinity, MinusInfinity, MinusInfinity]
        );
        assert_eq!(found.ranks, [Some(1), None, None]);
    }

    #[test]
    fn neither_above_nor_below_is_said() {
        // 0 and 1 are finite; both always beat 2; 3 always beats 2 and met nobody else.
        let rows = [
            (0, 1, 1.0, 0.0, 1.0),
            (0, 2, 1.0, 0.0, 0.0),
            (1, 2, 1.0, 0.0, 0.0),
            (3, 2, 1.0, 0.0, 0.0),
        ];
        let found = bradley_terry(&tally_of(4, &rows)).scores;
        assert_eq!(
            found.estimates[2..],
            [MinusInfinity, undefined(Undefined::NotComparable)]
        );
        assert_eq!(found.ranks, [None, None, Some(4), None]);
    }

    #[test]
    fn the_larger_part_is_finite_and_the_smaller_keeps_its_own_order() {
        // {0, 1} always beat {2, 3, 4}.  3 : 1 and 2 : 1 within.
        let rows = [
            (0, 1, 1.0, 0.0, 3.0),
            (0, 2, 1.0, 0.0, 0.0),
            (2, 3, 2.0, 0.0, 1.0),
            (3, 4, 0.0, 2.0, 0.0),
        ];
        let found = bradley_terry(&tally_of(5, &rows));
        assert_eq!(found.scores.estimates[..2], [PlusInfinity; 2]);
        assert_eq!(
            found.scores.ranks,
            [Some(2), Some(1), Some(3), Some(4), Some(4)]
        );
        assert_eq!(
            (&found.parts[0].systems[..], found.parts[1].systems.len()),
            (&[0, 1][..], 3)
        );
        assert!((found.parts[0].strengths[1] - 3f64.ln() / 2.0).abs() < 1e-9);
        let third = 2f64.ln() / 3.0;
        assert!(
            near(found.scores.estimates[2], 2.0 * third) && near(found.scores.estimates[4], -third)
        );
    }

    #[test]
    fn a_disconnected_graph_scores_its_largest_component() {
        let rows = [
            (0, 1, 2.0, 0.0, 1.0),
            (1, 2, 1.0, 0.0, 1.0),
            (3, 4, 1.0, 0.0, 2.0),
        ];
        let found = bradley_terry(&tally_of(6, &rows));
        assert_eq!(found.components, [vec![0, 1, 2], vec![3, 4], vec![5]]);
        assert!(
            found.scores.estimates[..3]
                .iter()
                .all(|x| x.finite().is_some())
        );
        let disconnected = undefined(Undefined::Disconnected);
        assert_eq!(
            found.scores.estimates[3..],
            [disconnected, disconnected, undefined(Undefined::NoData)]
        );
        assert_eq!(
            found.scores.ranks,
            [Some(1), Some(2), Some(2), None, None, None]
        );
        // The strengths within the other component are still to be had.
        assert!(
            found
                .parts
                .iter()
                .any(|part| part.systems == [3, 4] && part.strengths[1] > 0.3)
        );
    }

    #[test]
    fn of_two_equal_components_neither_is_chosen() {
        let found = bradley_terry(&tally_of(
            4,
            &[(0, 1, 2.0, 0.0, 1.0), (2, 3, 1.0, 0.0, 2.0)],
        ));
        assert_eq!(
            found.scores.estimates,
            [undefined(Undefined::Disconnected); 4]
        );
        assert_eq!(
            (found.scores.ranks, found.components.len()),
            (vec![None; 4], 2)
        );
    }

    #[test]
    fn a_resample_keeps_to_the_origin() {
        // 2 is infinite in the second tally; 0 and 1 keep the mean they had in the first.
        let point = bradley_terry(&tally_of(
            3,
            &[
                (0, 1, 2.0, 0.0, 1.0),
                (1, 2, 0.0, 0.0, 9.0),
                (0, 2, 1.0, 0.0, 9.0),
            ],
        ))
        .scores;
        let again = tally_of(
            3,
            &[
                (0, 1, 1.0, 0.0, 1.0),
                (1, 2, 0.0, 0.0, 9.0),
                (0, 2, 0.0, 0.0, 9.0),
            ],
        );
        let found = bradley_terry_near(&again, &point.estimates).scores;
        let mean = |x: &[Estimate]| (x[0].finite().unwrap() + x[1].finite().unwrap()) / 2.0;
        assert_eq!(found.estimates[2], PlusInfinity);
        assert!(
            (mean(&found.estimates) - mean(&point.estimates)).abs() < 1e-12
                && mean(&point.estimates) < -0.5
        );
        assert!(matches!(bradley_terry(&again).scores.estimates[0], Finite(x) if x.abs() < 1e-12));
    }
}
