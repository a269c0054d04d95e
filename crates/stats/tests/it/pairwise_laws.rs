//! Laws that all pairwise estimators obey, and what the tie models are by definition.

use crate::common::{Row, row, tally};
use evenhand_stats::{
    Elo, Error, Estimate, Game, PairMethod, Scores, Tally, TieModel, Undefined, bradley_terry,
    davidson, elo, elo_permuted, newman, rao_kupper,
};
use proptest::collection::vec;
use proptest::prelude::*;

const K: usize = 4;
const METHODS: [PairMethod; 9] = [
    PairMethod::BradleyTerry,
    PairMethod::RaoKupper,
    PairMethod::Davidson,
    PairMethod::WinRatio,
    PairMethod::AverageWinRate,
    PairMethod::Counting,
    PairMethod::Eigenvector,
    PairMethod::PageRank,
    PairMethod::Newman,
];

/// A round trip of wins, which makes every strength finite, and a tie.
fn connected(mut rows: Vec<Row>) -> Vec<Row> {
    rows.extend((0..K).map(|i| (i, (i + 1) % K, 1.0, 0.0, 0.0)));
    rows.push((0, 2, 0.0, 0.5, 0.0));
    rows
}

fn same(x: Estimate, y: Estimate) -> bool {
    match (x, y) {
        (Estimate::Finite(x), Estimate::Finite(y)) => (x - y).abs() <= 1e-7 * x.abs().max(1.0),
        _ => x == y,
    }
}

fn converged(scores: &Scores) -> bool {
    scores.fit.is_none_or(|fit| fit.converged)
}

proptest! {
    #[test]
    fn labels_do_not_matter(rows in vec(row(K), 0..8), turn in 0..K) {
        let label = |i: usize| (3 * i + turn) % K;
        let renamed: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (label(a), label(b), x, t, y)).collect();
        for method in METHODS {
            let (here, there) = (method.scores(&tally(K, &rows)), method.scores(&tally(K, &renamed)));
            for i in 0..K {
                prop_assert!(same(here.estimates[i], there.estimates[label(i)]), "{method:?} \
                    {here:?} {there:?}");
                prop_assert_eq!(here.ranks[i], there.ranks[label(i)]);
            }
        }
    }

    #[test]
    fn sides_do_not_matter_and_weights_are_repeats(rows in vec((row(K), 1usize..4), 0..8)) {
        let weighted = |&((a, b, x, t, y), n): &(Row, usize)| (b, a, n as f64 * y, n as f64 * t, n as f64 * x);
        let swapped: Vec<Row> = rows.iter().map(weighted).collect();
        let repeated: Vec<Row> = rows.iter().flat_map(|&(row, n)| vec![row; n]).collect();
        for method in METHODS {
            prop_assert_eq!(method.scores(&tally(K, &swapped)), method.scores(&tally(K, &repeated)));
        }
    }

    #[test]
    fn the_unit_of_weight_does_not_matter(rows in vec(row(K), 0..8), power in -80i32..80) {
        let unit = 10f64.powi(power);
        let scaled: Vec<Row> = rows.iter().map(|&(a, b, x, t, y)| (a, b, unit * x, unit * t, unit * y)).collect();
        for method in METHODS {
            let (here, there) = (method.scores(&tally(K, &rows)), method.scores(&tally(K, &scaled)));
            let factor = if method == PairMethod::Counting { unit } else { 1.0 };
            for (x, y) in here.estimates.iter().zip(&there.estimates) {
                prop_assert!(same(x.map(|x| x * factor), *y), "{method:?} {here:?} {there:?}");
            }
        }
    }

    #[test]
    fn nothing_is_ever_nan(rows in vec((0..K, 1..K, 0usize..6, 0usize..6, 0usize..6), 0..10)) {
        let weight = |x: usize| [0.0, 1.0, 1e100, 1e-100, 5e-324, 0.3][x];
        let rows: Vec<Row> = rows.iter().map(|&(a, d, x, t, y)| (a, (a + d) % K, weight(x), weight(t), weight(y))).collect();
        for method in METHODS {
            let scores = method.scores(&tally(K, &rows));
            prop_assert!(scores.estimates.iter().all(|x| x.finite().is_none_or(f64::is_finite)), "{method:?} {scores:?}");
            prop_assert!(scores.fit.is_none_or(|fit| fit.gradient.is_finite()), "{method:?} \
                {scores:?}");
        }
        for model in [davidson, rao_kupper] {
            prop_assert!(model(&tally(K, &rows)).tie.finite().is_none_or(f64::is_finite));
        }
    }

    /// True of the likelihood models, where infinitely weak or strong systems say nothing of
    /// others, and of the eigenvector, to which such a system contributes nothing. Not of shares
    /// and counts, which rise with an easy opponent, nor of PageRank, whose wanderer comes from it.
    #[test]
    fn a_dominated_system_leaves_the_order_of_others(
        rows in vec(row(K), 0..8), against in vec((0..K, 1u8..9), 1..4), wins: bool,
    ) {
        let rows = connected(rows);
        let one_sided = |&(other, n): &(usize, u8)| match wins {
            true => (K, other, f64::from(n), 0.0, 0.0),
            false => (K, other, 0.0, 0.0, f64::from(n)),
        };
        let more: Vec<Row> = rows.iter().copied().chain(against.iter().map(one_sided)).collect();
        for method in [
            PairMethod::BradleyTerry, PairMethod::RaoKupper, PairMethod::Davidson, PairMethod::Newman, PairMethod::Eigenvector,
        ] {
            let (before, after) = (method.scores(&tally(K, &rows)), method.scores(&tally(K + 1, &more)));
            let ahead = |scores: &Scores, i: usize, j: usize| scores.ranks[i].unwrap() < scores.ranks[j].unwrap();
            for (i, j) in (0..K).flat_map(|i| (0..K).map(move |j| (i, j))) {
                prop_assert_eq!(ahead(&before, i, j), ahead(&after, i, j), "{:?} {:?} {:?}", method, before, after);
            }
            if method != PairMethod::Eigenvector {
                prop_assert!(before.estimates.iter().zip(&after.estimates).all(|(&x, &y)| same(x, y)));
            }
        }
    }

    #[test]
    fn at_the_maximum_the_likelihood_is_flat(rows in vec(row(K), 0..8)) {
        let rows = connected(rows);
        prop_assert!(converged(&newman(&tally(K, &rows)).scores));
        let total: f64 = rows.iter().map(|row| row.2 + row.3 + row.4).sum();
        for (model, likelihood) in MODELS {
            let found = model(&tally(K, &rows));
            prop_assert!(found.scores.fit.unwrap().converged && found.scores.fit.unwrap().gradient < 1e-7, "{found:?}");
            let mut point: Vec<f64> = found.scores.estimates.iter().map(|x| x.finite().unwrap()).collect();
            prop_assert!(point.iter().sum::<f64>().abs() < 1e-9);
            point.push(found.tie.finite().unwrap());
            for at in 0..=K {
                let slope = derivative(|x| likelihood(&rows, x), &point, at);
                prop_assert!(slope.abs() < 1e-5 * total, "{at}: {slope} {found:?}");
            }
        }
    }

    /// The slow twin of the analysis: all potentials of a small range are tried.
    #[test]
    fn the_tie_parameter_is_infinite_where_nothing_contradicts(
        rows in vec((0..K, 1..K, 0u8..3).prop_map(|(a, d, w)| (a, (a + d) % K, w)), 0..7),
    ) {
        let row = |&(a, b, what): &(usize, usize, u8)| {
            let of = |n: u8| f64::from(u8::from(what == n));
            (a, b, of(0), of(1) + of(2) * 0.5, 0.0)
        };
        let rows: Vec<Row> = rows.iter().map(row).collect();
        let ties = rows.iter().any(|row| row.3 > 0.0);
        let free = potentials().any(|d| rows.iter().all(|&(a, b, x, _, _)| match x > 0.0 {
            true => d[a] > d[b],
            false => (d[a] - d[b]).abs() <= 1,
        }));
        for (model, _) in MODELS {
            let found = model(&tally(K, &rows));
            prop_assert_eq!(found.tie == Estimate::PlusInfinity, ties && free, "{:?}", found);
            prop_assert!(converged(&found.scores), "{:?}", found);
        }
    }

    #[test]
    fn without_ties_the_models_are_bradley_terry(rows in vec(row(K), 0..8)) {
        let rows: Vec<Row> = rows.into_iter().map(|(a, b, x, _, y)| (a, b, x, 0.0, y)).collect();
        let expected = bradley_terry(&tally(K, &rows)).scores;
        for (model, _) in MODELS {
            prop_assert_eq!(&model(&tally(K, &rows)).scores, &expected);
        }
        let newman = newman(&tally(K, &rows)).scores;
        prop_assert!(converged(&newman), "{newman:?}");
        prop_assert_eq!(newman.ranks, expected.ranks);
    }
}

type Model = (fn(&Tally) -> TieModel, fn(&[Row], &[f64]) -> f64);
const MODELS: [Model; 2] = [
    (davidson, davidson_log_likelihood),
    (rao_kupper, rao_kupper_log_likelihood),
];

/// Strengths, then nu.
fn davidson_log_likelihood(rows: &[Row], point: &[f64]) -> f64 {
    let chances = |a: usize, b: usize| {
        let (p, q) = (point[a].exp(), point[b].exp());
        let tie = point[K] * (p * q).sqrt();
        [p, tie, q].map(|x| x / (p + tie + q))
    };
    log_likelihood(rows, chances)
}

/// Strengths, then theta.
fn rao_kupper_log_likelihood(rows: &[Row], point: &[f64]) -> f64 {
    let chances = |a: usize, b: usize| {
        let (p, q) = (point[a].exp(), point[b].exp());
        let (win, loss) = (p / (p + point[K] * q), q / (q + point[K] * p));
        [win, 1.0 - win - loss, loss]
    };
    log_likelihood(rows, chances)
}

fn log_likelihood(rows: &[Row], chances: impl Fn(usize, usize) -> [f64; 3]) -> f64 {
    let of = |&(a, b, x, t, y): &Row| -> f64 {
        chances(a, b)
            .iter()
            .zip([x, t, y])
            .map(|(p, n)| n * p.ln())
            .sum()
    };
    rows.iter().map(of).sum()
}

fn derivative(f: impl Fn(&[f64]) -> f64, point: &[f64], at: usize) -> f64 {
    let step = 1e-5
        * if at == K {
            point[K] - 0.99 * f64::from(u8::from(point[K] > 1.0))
        } else {
            1.0
        };
    let moved = |by: f64| {
        point
            .iter()
            .enumerate()
            .map(|(i, x)| if i == at { x + by } else { *x })
            .collect::<Vec<f64>>()
    };
    (f(&moved(step)) - f(&moved(-step))) / (2.0 * step) * if at == K { point[K] } else { 1.0 }
}

fn potentials() -> impl Iterator<Item = [i32; K]> {
    let values = 0..K as i32;
    values.clone().flat_map(move |a| {
        let values = values.clone();
        values.clone().flat_map(move |b| {
            let values = values.clone();
            values
                .clone()
                .flat_map(move |c| values.clone().map(move |d| [a, b, c, d]))
        })
    })
}

#[test]
fn two_systems_by_hand() {
    // 5 won, 2 tied, 1 lost. Davidson: the three chances are free, so they are 5, 2 and 1 of 8: p /
    // q = 5 and nu = 2 / sqrt(5). Rao-Kupper: win = 5/8 gives p / q = theta * 5/3, loss = 1/8 gives
    // q / p = theta / 7.
    let tally = tally(2, &[(0, 1, 5.0, 2.0, 1.0)]);
    let lead = |model: &TieModel| {
        model.scores.estimates[0].finite().unwrap() - model.scores.estimates[1].finite().unwrap()
    };
    let found = davidson(&tally);
    assert!(
        (lead(&found) - 5f64.ln()).abs() < 1e-12
            && (found.tie.finite().unwrap() - 2.0 / 5f64.sqrt()).abs() < 1e-12
    );
    let (found, theta) = (rao_kupper(&tally), (7.0f64 * 3.0 / 5.0).sqrt());
    assert!(
        (lead(&found) - (theta * 5.0 / 3.0).ln()).abs() < 1e-12
            && (found.tie.finite().unwrap() - theta).abs() < 1e-12
    );
}

#[test]
fn the_undefined_is_said() {
    let none = |reason| Estimate::Undefined(reason);
    for (model, _) in MODELS {
        let lone = model(&tally(1, &[]));
        assert_eq!(
            (lone.scores.estimates, lone.tie),
            (vec![none(Undefined::OneSystem)], none(Undefined::OneSystem))
        );
        assert_eq!(model(&tally(0, &[])).tie, none(Undefined::NoData));
        assert_eq!(
            model(&tally(2, &[])).scores.estimates,
            [none(Undefined::NoData); 2]
        );
        // All ties: equally strong.
        let even = model(&tally(3, &[(0, 1, 0.0, 2.0, 0.0), (1, 2, 0.0, 1.0, 0.0)]));
        assert_eq!(
            (even.scores.ranks, even.tie),
            (vec![Some(1); 3], Estimate::PlusInfinity)
        );
        // 0 ties 1, 1 ties 2, 0 beats 2: nothing contradicts, and 3 lost to all.
        let rows = [
            (0, 1, 0.0, 1.0, 0.0),
            (1, 2, 0.0, 1.0, 0.0),
            (0, 2, 1.0, 0.0, 0.0),
            (0, 3, 1.0, 0.0, 0.0),
        ];
        let found = model(&tally(4, &rows));
        assert_eq!(
            found.scores.estimates[..3],
            [none(Undefined::InfiniteTies); 3]
        );
        assert_eq!(
            (found.scores.estimates[3], found.scores.ranks[3]),
            (Estimate::MinusInfinity, Some(4))
        );
        // Disconnected: the larger component is scored, with the tie parameter of all.
        let rows = [
            (0, 1, 2.0, 1.0, 1.0),
            (1, 2, 1.0, 1.0, 3.0),
            (3, 4, 1.0, 0.0, 2.0),
        ];
        let apart = model(&tally(5, &rows));
        assert_eq!(apart.components, [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(
            apart.scores.estimates[3..],
            [none(Undefined::Disconnected); 2]
        );
        assert!(
            apart.scores.estimates[..3]
                .iter()
                .all(|x| x.finite().is_some())
        );
    }
    let even = newman(&tally(2, &[(0, 1, 0.0, 2.0, 0.0)]));
    assert_eq!(
        (even.scores.estimates, even.tie),
        (vec![Estimate::Finite(1.0); 2], Estimate::PlusInfinity)
    );
}

fn games(n: u16) -> Vec<Game> {
    let game = |i: u16| Game {
        a: i % 5,
        b: (i % 5 + 1 + i % 3) % 5,
        score: f64::from(i % 7 % 3) / 2.0,
        weight: 1.0,
    };
    (0..n).map(game).collect()
}

#[test]
fn elo_over_permutations_is_the_same_on_any_number_of_threads() {
    let run = |threads| elo_permuted(6, &games(300), Elo::default(), 20, 7, threads).unwrap();
    let found = run(1);
    assert_eq!(found, run(2));
    assert_eq!(found, run(5));
    assert_ne!(
        found,
        elo_permuted(6, &games(300), Elo::default(), 20, 8, 1).unwrap()
    );
    assert_eq!(
        found.scores.estimates[5],
        Estimate::Undefined(Undefined::NoData)
    );
    assert_eq!(found.deviations[5], Err(Undefined::NoData));
    assert!(
        found.deviations[..5]
            .iter()
            .all(|x| x.is_ok_and(|x| x > 0.1 && x < 20.0)),
        "{found:?}"
    );
    // Points only change hands.
    let sum: f64 = found
        .scores
        .estimates
        .iter()
        .filter_map(|x| x.finite())
        .sum();
    assert!((sum - 5000.0).abs() < 1e-8);
}

#[test]
fn elo_over_both_orders_of_two_games() {
    // 0 beats 1, then 1 beats 0, or the other way round: 1000 + 2 - 4 F and its mirror image, F
    // just above a half.
    let won = |score| Game {
        a: 0,
        b: 1,
        score,
        weight: 1.0,
    };
    let both = [won(1.0), won(0.0)];
    let one = |games: &[Game]| {
        elo(2, games, Elo::default()).unwrap().estimates[0]
            .finite()
            .unwrap()
    };
    let (first, second) = (one(&both), one(&[both[1], both[0]]));
    assert!((first + second - 2000.0).abs() < 1e-10 && first < 1000.0);
    let found = elo_permuted(2, &both, Elo::default(), 400, 1, 1).unwrap();
    let mean = found.scores.estimates[0].finite().unwrap();
    // A coin of 400 throws: five standard deviations of its mean are a quarter of the deviation.
    assert!((mean - 1000.0).abs() < 0.25 * (second - 1000.0), "{mean}");
    assert!((found.deviations[0].unwrap() / (second - 1000.0) - 1.0).abs() < 0.05);
}

#[test]
fn what_elo_cannot_use_is_said() {
    let one = |game: Game| elo(2, &[game], Elo::default());
    let good = Game {
        a: 0,
        b: 1,
        score: 1.0,
        weight: 1.0,
    };
    assert!(matches!(
        one(Game { b: 0, ..good }),
        Err(Error::SelfComparison { row: 0, .. })
    ));
    assert!(matches!(
        one(Game { b: 2, ..good }),
        Err(Error::NoSuchSystem { row: 0, .. })
    ));
    assert!(matches!(
        one(Game { score: 1.5, ..good }),
        Err(Error::Value { field: "score", .. })
    ));
    assert!(matches!(
        one(Game {
            weight: -1.0,
            ..good
        }),
        Err(Error::Value {
            field: "weight",
            ..
        })
    ));
    for (k, base, scale) in [
        (0.0, 10.0, 400.0),
        (4.0, 1.0, 400.0),
        (4.0, 10.0, 0.0),
        (f64::NAN, 10.0, 400.0),
    ] {
        assert!(matches!(
            elo(
                2,
                &[good],
                Elo {
                    k,
                    base,
                    scale,
                    start: 0.0
                }
            ),
            Err(Error::Setting { .. })
        ));
    }
    assert!(matches!(
        elo_permuted(2, &[good], Elo::default(), 1, 0, 1),
        Err(Error::Rounds { rounds: 1, .. })
    ));
}
