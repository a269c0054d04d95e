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
