use super::*;
use crate::Undefined;
use Estimate::{Finite, MinusInfinity, PlusInfinity};

fn shifted(point: &[f64], by: &[[f64; 3]]) -> (Vec<Estimate>, Vec<Vec<Estimate>>) {
    let round = |shift: &[f64; 3]| {
        point
            .iter()
            .zip(shift)
            .map(|(x, d)| Finite(x + d))
            .collect()
    };
    (
        point.iter().map(|&x| Finite(x)).collect(),
        by.iter().map(round).collect(),
    )
}

#[test]
fn the_critical_value_by_hand() {
    // Only system 0 moves, by -2, -1, 0, 1, 2: its differences have standard error sqrt(10 /
    // 4), that of 1 and 2 none.
    let moves = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|x| [x, 0.0, 0.0]);
    let (point, rounds) = shifted(&[9.0, 5.0, 0.0], &moves);
    let found = rank_sets(&point, &rounds, 0.5, Coverage::Joint).unwrap();
    // The third smallest of 0, 1, 1, 2, 2 over the standard error.
    assert!((found.critical[0].unwrap() - 1.0 / 2.5f64.sqrt()).abs() < 1e-12);
    assert_eq!(found.apart, [(0, 1), (0, 2)]);
    let ranks: Vec<_> = found
        .intervals
        .iter()
        .map(|x| x.as_ref().map(|x| (x.low, x.high)).unwrap())
        .collect();
    assert_eq!(ranks, [(1, 1), (2, 3), (2, 3)]);
    let needed = rank_sets(&point, &rounds, 0.95, Coverage::Joint).unwrap_err();
    assert_eq!(
        needed,
        InferenceError::FewRounds {
            rounds: 5,
            needed: 19
        }
    );
}

#[test]
fn infinite_and_undefined_systems_have_their_places() {
    let moves: Vec<[f64; 3]> = (0..40)
        .map(|x| [f64::from(x % 5) / 10.0, f64::from(x % 7) / 10.0, 0.0])
        .collect();
    let (mut point, mut rounds) = shifted(&[3.0, 0.0, -3.0], &moves);
    let others = [
        PlusInfinity,
        MinusInfinity,
        MinusInfinity,
        Estimate::Undefined(Undefined::NoData),
    ];
    point.extend(others);
    rounds.iter_mut().for_each(|round| round.extend(others));
    let found = rank_sets(&point, &rounds, 0.9, Coverage::Joint).unwrap();
    let ranks: Vec<_> = found.intervals[..3]
        .iter()
        .map(|x| x.as_ref().map(|x| (x.low, x.high)).unwrap())
        .collect();
    // Any of the three infinite ones may in truth be above or below.
    assert_eq!(ranks, [(1, 4), (2, 5), (3, 6)]);
    assert_eq!(
        found.intervals[3],
        Err(InferenceError::Infinite { system: 3 })
    );
    assert_eq!(found.intervals[6], Err(Undefined::NoData.into()));
}

#[test]
fn incomplete_rounds_widen_and_then_forbid() {
    let moves: Vec<[f64; 3]> = (0..99)
        .map(|x| {
            [
                f64::from(x % 10) / 10.0 - 0.45,
                f64::from(x % 7) / 10.0 - 0.3,
                0.0,
            ]
        })
        .collect();
    let (point, mut rounds) = shifted(&[3.0, 0.0, -3.0], &moves);
    let critical =
        |rounds: &[Vec<Estimate>]| rank_sets(&point, rounds, 0.9, Coverage::Joint).unwrap();
    let before = critical(&rounds).critical[0].unwrap();
    rounds[..4]
        .iter_mut()
        .for_each(|round| round[0] = PlusInfinity);
    let found = critical(&rounds);
    assert!(
        found.critical[0].unwrap() >= before
            && found.intervals[0].as_ref().unwrap().undetermined == 4
    );
    rounds[4..8]
        .iter_mut()
        .for_each(|round| round[1] = Estimate::Undefined(Undefined::NoData));
    rounds[8..12]
        .iter_mut()
        .for_each(|round| round[2] = MinusInfinity);
    let found = critical(&rounds);
    assert_eq!(
        (
            found.critical[0],
            found.intervals[0].as_ref().map(|x| (x.low, x.high))
        ),
        (None, Ok((1, 3)))
    );
    rounds[..6]
        .iter_mut()
        .for_each(|round| round[0] = PlusInfinity);
    assert_eq!(
        critical(&rounds).intervals[0],
        Err(InferenceError::UnsettledRounds {
            system: 0,
            rounds: 6
        })
    );
}

#[test]
fn independent_normals_give_the_studentised_range() {
    // Unit variances: the maximum over pairs of |x_i - x_j| / sqrt 2 is the studentised range
    // over sqrt 2; its 0.95 quantiles are 3.3145 (three means) and 3.6332 (four), infinite
    // degrees of freedom (scipy.stats.studentized_range).
    for (m, range) in [(3, 3.314_493), (4, 3.633_160)] {
        let identity = (0..m * m).map(|i| f64::from(i % (m + 1) == 0)).collect();
        let point = (0..m).map(|i| Finite(f64::from(i as u32))).collect();
        let covariance = Covariance::new(point, identity, 9.0, vec![9; m]).unwrap();
        let plan = Bootstrap {
            rounds: 40_000,
            ..Default::default()
        };
        let found = rank_sets_from_covariance(&covariance, &plan, Coverage::Joint).unwrap();
        assert!(
            (found.critical[0].unwrap() - range / 2f64.sqrt()).abs() < 0.03,
            "{found:?}"
        );
        let again = rank_sets_from_covariance(
            &covariance,
            &Bootstrap { threads: 2, ..plan },
            Coverage::Joint,
        );
        assert_eq!(again, Ok(found.clone()));
        let each = rank_sets_from_covariance(&covariance, &plan, Coverage::Each).unwrap();
        assert!(
            each.critical
                .iter()
                .zip(&found.critical)
                .all(|(one, all)| one.unwrap() < all.unwrap())
        );
    }
}
