//! Inference against statsmodels and scipy (cases/record_inference.py), and laws on any data.

use crate::common::numbers;
use evenhand_stats::inference::{
    PairOutcome, SmallSample, bca_interval, covariance_difference, drop_leader, drop_order,
    jackknife_acceleration, mean_accelerations, sandwich, sandwich_clustered,
};
use evenhand_stats::{
    Cluster, Comparison, Comparisons, Estimate, ItemScore, ItemScores, Tally, bradley_terry,
    bradley_terry_near,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

fn cases(topic: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../cases/inference.json")).unwrap();
    all[topic].as_array().unwrap().clone()
}

fn near(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    found
        .iter()
        .zip(expected)
        .for_each(|(x, y)| assert!((x - y).abs() <= within, "{x} {y}"));
}

fn comparisons(case: &Value) -> Comparisons {
    let rows = case["rows"].as_array().unwrap().iter().map(|row| {
        let [item, a, b, points] = numbers(row).try_into().unwrap();
        let (a, b, wins, losses) = (
            a as u16,
            b as u16,
            f64::from(points == 1.0),
            f64::from(points == 0.0),
        );
        Comparison {
            item: item as u32,
            a,
            b,
            wins_a: wins,
            ties: 1.0 - wins - losses,
            wins_b: losses,
        }
    });
    Comparisons::new(case["systems"].as_u64().unwrap() as usize, rows.collect()).unwrap()
}

#[test]
fn covariances_are_those_of_statsmodels() {
    for case in cases("sandwich") {
        let data = comparisons(&case);
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let found: Vec<f64> = strengths.iter().map(|x| x.finite().unwrap()).collect();
        near(&found, &numbers(&case["strengths"]), 1e-8);
        let clustered = |cluster| {
            sandwich_clustered(&data, cluster, &strengths, SmallSample::Uncorrected).unwrap()
        };
        let by_counts = sandwich(&data.tally(), &strengths).unwrap();
        near(by_counts.matrix(), &numbers(&case["hc0"]), 1e-8);
        near(
            clustered(Cluster::None).matrix(),
            &numbers(&case["hc0"]),
            1e-8,
        );
        near(
            clustered(Cluster::Item).matrix(),
            &numbers(&case["cluster"]),
            1e-8,
        );
        let test = covariance_difference(&by_counts, 0, 1, 0.95).unwrap();
        near(
            &[test.p_value],
            &[case["z_test_0_1"].as_f64().unwrap()],
            1e-8,
        );
    }
}

#[test]
fn bca_intervals_are_those_of_scipy() {
    for case in cases("bca") {
        let finite = |list: &Value| {
            numbers(list)
                .into_iter()
                .map(Estimate::Finite)
                .collect::<Vec<_>>()
        };
        let a = jackknife_acceleration(&finite(&case["jackknife"])).unwrap();
        let point = Estimate::Finite(case["point"].as_f64().unwrap());
        let found = bca_interval(
            point,
            &finite(&case["rounds"]),
            a,
            case["level"].as_f64().unwrap(),
        )
        .unwrap();
        near(
            &[found.low.unwrap(), found.high.unwrap()],
            &numbers(&case["interval"]),
            1e-8,
        );
        // A mean's influences are its jackknife.
        let rows = numbers(&case["data"])
            .into_iter()
            .zip(0..)
            .map(|(score, item)| ItemScore::new(item, 0, score));
        let fast = mean_accelerations(&ItemScores::new(1, rows.collect()).unwrap());
        near(&[fast[0].unwrap()], &[a], 1e-10);
    }
}

const K: usize = 4;

type Row = (usize, usize, u8, u8, u8);

/// Whole counts between different systems, with a round trip of wins that makes every strength
/// finite.
fn counts() -> impl Strategy<Value = Vec<Row>> {
    let row =
        (0..K, 1..K, 0u8..4, 0u8..3, 0u8..4).prop_map(|(a, d, x, t, y)| (a, (a + d) % K, x, t, y));
    vec(row, 1..8).prop_map(|mut rows| {
        rows.extend((0..K).map(|i| (i, (i + 1) % K, 1, 0, 0)));
        rows
    })
}

fn tally(rows: &[Row]) -> Tally {
    let mut tally = Tally::new(K).unwrap();
    rows.iter()
        .for_each(|&(a, b, x, t, y)| tally.add(a, b, x.into(), t.into(), y.into()).unwrap());
    tally
}

/// Every count as so many rows of their own; a row's item is the position of its count.
fn repeated(rows: &[Row]) -> Comparisons {
    let one = |(&(a, b, x, t, y), item): (&Row, u32)| {
        let (a, b) = (a as u16, b as u16);
        let won = vec![Comparison::won(item, a, b, true); x.into()];
        let tied = vec![Comparison::tied(item, a, b); t.into()];
        [
            won,
            tied,
            vec![Comparison::won(item, a, b, false); y.into()],
        ]
        .concat()
    };
    Comparisons::new(K, rows.iter().zip(0..).flat_map(one).collect()).unwrap()
}

fn strengths(tally: &Tally) -> Vec<Estimate> {
    bradley_terry(tally).scores.estimates
}

proptest! {
    #[test]
    fn counts_are_repeated_rows(rows in counts()) {
        let (tally, data) = (tally(&rows), repeated(&rows));
        let strengths = strengths(&tally);
        let by_counts = sandwich(&tally, &strengths).unwrap();
        let by_rows = sandwich_clustered(&data, Cluster::None, &strengths, SmallSample::Uncorrected).unwrap();
        near(by_counts.matrix(), by_rows.matrix(), 1e-8);
        prop_assert_eq!(by_counts.clusters(), by_rows.clusters());
        // Rows of an item that agree are one row of their weight.
        let merged = sandwich_clustered(&data.merged(), Cluster::Item, &strengths, SmallSample::Uncorrected).unwrap();
        let items = sandwich_clustered(&data, Cluster::Item, &strengths, SmallSample::Uncorrected).unwrap();
        near(merged.matrix(), items.matrix(), 1e-8);
    }

    #[test]
    fn labels_and_sides_do_not_matter(rows in counts(), turn in 0..K) {
        let label = |i: usize| (3 * i + turn) % K;
        let renamed: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (label(b), label(a), y, t, x)).collect();
        let of = |rows: &[Row]| {
            let data = repeated(rows);
            let strengths = strengths(&data.tally());
            let counts = sandwich(&data.tally(), &strengths).unwrap();
            (counts, sandwich_clustered(&data, Cluster::Item, &strengths, SmallSample::Clusters).unwrap())
        };
        let (here, there) = (of(&rows), of(&renamed));
        for (i, j) in (0..K).flat_map(|i| (0..K).map(move |j| (i, j))) {
            let at = |matrix: &[f64], i: usize, j: usize| matrix[i * K + j];
            prop_assert!((at(here.0.matrix(), i, j) - at(there.0.matrix(), label(i), label(j))).abs() < 1e-8);
            prop_assert!((at(here.1.matrix(), i, j) - at(there.1.matrix(), label(i), label(j))).abs() < 1e-8);
        }
    }

    #[test]
    fn a_dominated_system_changes_no_covariance(rows in counts()) {
        let tally = tally(&rows);
        let mut more = Tally::new(K + 1).unwrap();
        rows.iter().for_each(|&(a, b, x, t, y)| more.add(a, b, x.into(), t.into(), y.into()).unwrap());
        more.add(0, K, 5.0, 0.0, 0.0).unwrap();
        let (here, there) = (sandwich(&tally, &strengths(&tally)).unwrap(), sandwich(&more, &strengths(&more)).unwrap());
        near(here.matrix(), there.matrix(), 1e-8);
    }

    #[test]
    fn what_is_dropped_overturns_the_order(rows in counts()) {
        let tally = tally(&rows);
        let strengths = strengths(&tally);
        if let Ok(found) = drop_leader(&tally, &strengths) {
            if !found.verified {
                // Without all comparisons that speak for the leader, those that are left may
                // determine no order at all.
                prop_assert_eq!(found.leader, None, "{:?}", found);
                return Ok(());
            }
            let mut rest = Tally::new(K).unwrap();
            let gone = |a: usize, b: usize, outcome| -> f64 {
                found.cells.iter().filter(|x| (x.a, x.b, x.outcome) == (a, b, outcome)).map(|x| x.weight).sum()
            };
            for (a, b) in (0..K).flat_map(|a| (a + 1..K).map(move |b| (a, b))) {
                let (wins, losses) = (tally.wins(a, b) - gone(a, b, PairOutcome::Win), tally.wins(b, a) - gone(a, b, PairOutcome::Loss));
                rest.add(a, b, wins, tally.ties(a, b) - gone(a, b, PairOutcome::Tie), losses).unwrap();
            }
            let without = bradley_terry_near(&rest, &strengths).scores;
            let finite = |i: usize| without.estimates[i].finite();
            let ahead = match (finite(found.below), finite(found.above)) {
                (Some(below), Some(above)) => below > above,
                _ => without.ranks[found.below] < without.ranks[found.above] || without.estimates[found.below] == Estimate::PlusInfinity || without.estimates[found.above] == Estimate::MinusInfinity,
            };
            prop_assert!(ahead, "{:?} {:?}", found, without);
            let weight: f64 = found.cells.iter().map(|x| x.weight).sum();
            prop_assert!((weight - found.removed).abs() < 1e-9);
            let direct = drop_order(&tally, &strengths, found.above, found.below).unwrap();
            prop_assert_eq!(direct.removed, found.removed);
        }
    }
}

/// The slow twin: every way to leave out comparisons of three systems.
fn fewest(cells: &[(usize, usize, u8, u8)], above: usize, below: usize) -> u32 {
    let sizes: Vec<u32> = cells
        .iter()
        .flat_map(|&(_, _, x, y)| [u32::from(x) + 1, u32::from(y) + 1])
        .collect();
    let overturned = |mut code: u32| {
        let mut gone = sizes.iter().map(|size| {
            let digit = code % size;
            code /= size;
            digit
        });
        let (mut rest, mut removed) = (Tally::new(3).unwrap(), 0);
        for &(a, b, x, y) in cells {
            let (wins, losses) = (gone.next().unwrap(), gone.next().unwrap());
            rest.add(
                a,
                b,
                f64::from(u32::from(x) - wins),
                0.0,
                f64::from(u32::from(y) - losses),
            )
            .unwrap();
            removed += wins + losses;
        }
        let left = bradley_terry(&rest).scores.estimates;
        let ahead = matches!((left[below], left[above]), (Estimate::Finite(x), Estimate::Finite(y)) if x > y + 1e-9);
        ahead.then_some(removed)
    };
    (0..sizes.iter().product())
        .filter_map(overturned)
        .min()
        .unwrap()
}

#[test]
fn few_more_are_dropped_than_need_be() {
    for cells in [
        [(0, 1, 4, 3), (0, 2, 4, 2), (1, 2, 3, 2)],
        [(0, 1, 4, 2), (0, 2, 3, 2), (1, 2, 4, 1)],
        [(0, 1, 3, 4), (0, 2, 4, 1), (1, 2, 2, 3)],
    ] {
        let mut tally = Tally::new(3).unwrap();
        cells
            .iter()
            .for_each(|&(a, b, x, y)| tally.add(a, b, f64::from(x), 0.0, f64::from(y)).unwrap());
        let found = drop_leader(&tally, &strengths(&tally)).unwrap();
        let twin = fewest(&cells, found.above, found.below);
        assert!(
            found.verified
                && f64::from(twin) <= found.removed
                && found.removed <= f64::from(twin + 1),
            "{found:?} {twin}"
        );
    }
}

#[test]
fn the_unit_of_weights_does_not_matter() {
    let rows = |unit: f64| {
        let row = |item: u32| {
            let (a, b, won) = ((item % 3) as u16, ((item + 1) % 3) as u16, item * 7 % 5 < 3);
            Comparison {
                item: item / 2,
                a,
                b,
                wins_a: unit * f64::from(won),
                ties: unit / 4.0,
                wins_b: unit * f64::from(!won),
            }
        };
        Comparisons::new(3, (0..40).map(row).collect()).unwrap()
    };
    let of = |unit, cluster| {
        let data = rows(unit);
        sandwich_clustered(
            &data,
            cluster,
            &strengths(&data.tally()),
            SmallSample::Uncorrected,
        )
        .unwrap()
    };
    for (unit, cluster) in [
        (1e-12, Cluster::Item),
        (1e9, Cluster::Item),
        (1e-12, Cluster::None),
    ] {
        near(of(unit, cluster).matrix(), of(1.0, cluster).matrix(), 1e-9);
    }
}
