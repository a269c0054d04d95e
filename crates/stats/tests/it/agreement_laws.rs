//! Laws of correlation and agreement on any data, and slow, obvious twins of them.

use evenhand_stats::{
    Binning, Bootstrap, Bounded, Confusion, Correlation, Disagreement, Error, Estimate, Interval,
    KendallCounts, Measurement, Undefined, agreement_with_confidence, benjamini_hochberg, brier,
    cohen_kappa, correlation_interval, draw_clusters, expected_calibration_error, holm,
    kendall_counts, krippendorff_alpha, percentile_interval, separability, spearman,
    strict_agreement, tau_u, tau_u_interval, u_for_share,
};
use proptest::collection::vec;
use proptest::prelude::*;

type Points = (Vec<f64>, Vec<f64>);

/// Points with many ties.
fn points() -> impl Strategy<Value = Points> {
    vec((-4i8..5, -3i8..4), 0..40).prop_map(|points| {
        points
            .into_iter()
            .map(|(x, y)| (f64::from(x), f64::from(y)))
            .unzip()
    })
}

fn kendall_by_pairs(x: &[f64], y: &[f64]) -> KendallCounts {
    let mut counts = KendallCounts::default();
    for i in 0..x.len() {
        for j in 0..i {
            let (dx, dy) = (x[i] - x[j], y[i] - y[j]);
            match (dx == 0.0, dy == 0.0) {
                (true, true) => counts.tied_both += 1,
                (true, false) => counts.tied_x += 1,
                (false, true) => counts.tied_y += 1,
                _ if dx * dy > 0.0 => counts.concordant += 1,
                _ => counts.discordant += 1,
            }
        }
    }
    counts
}

/// The values below, and the middle of the places that the equal ones take.
fn rank_of(value: f64, values: &[f64]) -> f64 {
    let count = |test: fn(f64, f64) -> bool| {
        values.iter().filter(|&&other| test(other, value)).count() as f64
    };
    count(|other, value| other < value) + (count(|other, value| other == value) + 1.0) / 2.0
}

fn same(x: &Result<f64, Error>, y: &Result<f64, Error>) -> bool {
    match (x, y) {
        (Ok(x), Ok(y)) => (x - y).abs() < 1e-10,
        _ => x == y,
    }
}

proptest! {
    #[test]
    fn kendall_counts_are_those_of_all_pairs((x, y) in points()) {
        prop_assume!(x.len() > 1);
        prop_assert_eq!(kendall_counts(&x, &y).unwrap(), kendall_by_pairs(&x, &y));
    }

    #[test]
    fn kendall_counts_of_many_points(seed in 0u64..1000, n in 200u32..600, kinds in 1u32..400) {
        let draw = |round| draw_clusters(seed, round, n).map(|x| f64::from(x % kinds)).collect::<Vec<_>>();
        let (x, y) = (draw(0), draw(1));
        prop_assert_eq!(kendall_counts(&x, &y).unwrap(), kendall_by_pairs(&x, &y));
    }

    #[test]
    fn spearman_is_the_correlation_of_ranks_by_counting((x, y) in points()) {
        let ranks = |values: &[f64]| values.iter().map(|&value| rank_of(value, values)).collect::<Vec<_>>();
        prop_assert!(same(&spearman(&x, &y), &Correlation::Pearson.correlate(&ranks(&x), &ranks(&y))));
    }

    #[test]
    fn rank_correlations_see_only_the_order((x, y) in points()) {
        let bent: Vec<f64> = x.iter().map(|x| (2.0 * x).exp() - 7.0).collect();
        for which in [Correlation::Spearman, Correlation::KendallTauB] {
            prop_assert_eq!(which.correlate(&x, &y), which.correlate(&bent, &y));
        }
    }

    #[test]
    fn correlations_are_symmetric_and_turn_with_the_sign((x, y) in points(), scale in 0.1f64..50.0, shift in -50.0f64..50.0) {
        let moved: Vec<f64> = x.iter().map(|x| shift - scale * x).collect();
        for which in [Correlation::Pearson, Correlation::Spearman, Correlation::KendallTauB] {
            let found = which.correlate(&x, &y);
            prop_assert!(same(&found, &which.correlate(&y, &x)));
            prop_assert!(same(&found.map(|r| -r), &which.correlate(&moved, &y)));
        }
    }
}

/// The bootstrap written out: the rows as picked, one after the other.
fn by_hand<T: Clone>(
    rows: &[T],
    plan: &Bootstrap,
    statistic: impl Fn(&[T]) -> Result<f64, Error>,
) -> Interval {
    let round = |number| {
        let drawn: Vec<T> = draw_clusters(plan.seed, number, rows.len() as u32)
            .map(|i| rows[i as usize].clone())
            .collect();
        statistic(&drawn).map_or(Estimate::Undefined(Undefined::NoData), Estimate::Finite)
    };
    let point = statistic(rows).map_or(Estimate::Undefined(Undefined::NoData), Estimate::Finite);
    percentile_interval(
        point,
        &(0..plan.rounds as u64).map(round).collect::<Vec<_>>(),
        plan.level,
    )
    .unwrap()
}

fn near(x: Interval, y: Interval) -> bool {
    let end = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) => (x - y).abs() < 1e-10,
        _ => x == y,
    };
    end(x.low, y.low) && end(x.high, y.high) && (x.rounds, x.undefined) == (y.rounds, y.undefined)
}

/// An interval is that of its twin, for any number of threads; or there is none, for the data do
/// not vary.
fn check(
    found: impl Fn(&Bootstrap) -> Result<Interval, Error>,
    twin: impl Fn(&Bootstrap) -> Interval,
) -> bool {
    let plan = Bootstrap {
        rounds: 60,
        level: 0.7,
        seed: 5,
        threads: 1,
    };
    let one = found(&plan);
    assert_eq!(one, found(&Bootstrap { threads: 2, ..plan }));
    match one {
        Ok(one) => near(one, twin(&plan)),
        Err(reason) => matches!(reason, Error::Undefined(_)),
    }
}

fn labels() -> impl Strategy<Value = Vec<(usize, usize)>> {
    vec((0usize..4, 0usize..4, any::<bool>()), 1..40).prop_map(|rows| {
        rows.into_iter()
            .map(|(i, j, agree)| if agree { (i, i) } else { (i, j) })
            .collect()
    })
}

fn kappa(rows: &[(usize, usize)], weights: Disagreement) -> Result<f64, Error> {
    let (first, second): (Vec<usize>, Vec<usize>) = rows.iter().copied().unzip();
    cohen_kappa(&Confusion::of_labels(&first, &second, 4)?, weights).map(|kappa| kappa.value)
}

/// Agreement and chance agreement counted row by row.
fn kappa_by_rows(rows: &[(usize, usize)]) -> f64 {
    let n = rows.len() as f64;
    let observed = rows.iter().filter(|(i, j)| i == j).count() as f64 / n;
    let by_chance: usize = rows
        .iter()
        .map(|(i, _)| rows.iter().filter(|(_, j)| i == j).count())
        .sum();
    let by_chance = by_chance as f64 / (n * n);
    (observed - by_chance) / (1.0 - by_chance)
}

fn units() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
    let rating = prop_oneof![
        Just(None),
        (1u8..5).prop_map(|x| Some(f64::from(x))),
        (1u8..3).prop_map(|x| Some(f64::from(x)))
    ];
    vec(vec(rating, 3), 1..15)
}

fn alpha(units: &[Vec<Option<f64>>], scale: Measurement) -> Result<f64, Error> {
    krippendorff_alpha(units, scale).map(|alpha| alpha.value)
}

type Difference = fn(f64, f64) -> f64;

/// Alpha by all pairs of ratings.
fn alpha_by_pairs(units: &[Vec<Option<f64>>], difference: Difference) -> f64 {
    let units: Vec<Vec<f64>> = units
        .iter()
        .map(|unit| unit.iter().flatten().copied().collect())
        .collect();
    let units: Vec<Vec<f64>> = units.into_iter().filter(|unit| unit.len() > 1).collect();
    let sum = |rows: &[f64]| {
        rows.iter()
            .flat_map(|a| rows.iter().map(move |b| difference(*a, *b)))
            .sum::<f64>()
    };
    let all = units.concat();
    let observed: f64 = units
        .iter()
        .map(|unit| sum(unit) / (unit.len() - 1) as f64)
        .sum();
    1.0 - observed * (all.len() - 1) as f64 / sum(&all)
}

const WEIGHTS: [Disagreement; 3] = [
    Disagreement::Any,
    Disagreement::Linear,
    Disagreement::Quadratic,
];
const SCALES: [Measurement; 4] = [
    Measurement::Nominal,
    Measurement::Ordinal,
    Measurement::Interval,
    Measurement::Ratio,
];

proptest! {
    #[test]
    fn kappa_is_symmetric_and_sees_no_names(rows in labels(), turn in 0usize..4) {
        if let Ok(found) = kappa(&rows, Disagreement::Any) {
            prop_assert!((found - kappa_by_rows(&rows)).abs() < 1e-12);
        }
        let swapped: Vec<_> = rows.iter().map(|&(i, j)| (j, i)).collect();
        let reversed: Vec<_> = rows.iter().map(|&(i, j)| (3 - i, 3 - j)).collect();
        for weights in WEIGHTS {
            prop_assert!(same(&kappa(&rows, weights), &kappa(&swapped, weights)));
            prop_assert!(same(&kappa(&rows, weights), &kappa(&reversed, weights)));
        }
        let name = |i: usize| (3 * i + turn) % 4;
        let renamed: Vec<_> = rows.iter().map(|&(i, j)| (name(i), name(j))).collect();
        prop_assert!(same(&kappa(&rows, Disagreement::Any), &kappa(&renamed, Disagreement::Any)));
    }

    #[test]
    fn alpha_is_that_of_all_pairs(units in units()) {
        let twins: [(Measurement, Difference); 3] = [
            (Measurement::Nominal, |a, b| f64::from(u8::from(a != b))),
            (Measurement::Interval, |a, b| (a - b) * (a - b)),
            (Measurement::Ratio, |a, b| ((a - b) / (a + b)).powi(2)),
        ];
        for (scale, difference) in twins {
            if let Ok(found) = alpha(&units, scale) {
                prop_assert!((found - alpha_by_pairs(&units, difference)).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn alpha_keeps_what_its_scale_allows(units in units()) {
        let map = |f: fn(f64) -> f64| units.iter().map(|unit| unit.iter().map(|x| x.map(f)).collect()).collect::<Vec<Vec<_>>>();
        prop_assert!(same(&alpha(&units, Measurement::Nominal), &alpha(&map(|x| (3.0 * x) % 5.0), Measurement::Nominal)));
        prop_assert!(same(&alpha(&units, Measurement::Ordinal), &alpha(&map(|x| x.powi(3) - 9.0), Measurement::Ordinal)));
        prop_assert!(same(&alpha(&units, Measurement::Interval), &alpha(&map(|x| 4.0 - 0.3 * x), Measurement::Interval)));
        prop_assert!(same(&alpha(&units, Measurement::Ratio), &alpha(&map(|x| 0.3 * x), Measurement::Ratio)));
        let turned: Vec<Vec<_>> = units.iter().map(|unit| unit.iter().rev().copied().collect()).collect();
        for scale in SCALES {
            prop_assert!(same(&alpha(&units, scale), &alpha(&turned, scale)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn intervals_are_those_of_rows_drawn_one_by_one((x, y) in points()) {
        let pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
        for which in [Correlation::Pearson, Correlation::Spearman, Correlation::KendallTauB] {
            let drawn = |pairs: &[(f64, f64)]| pairs.iter().copied().unzip();
            let twin = |plan: &Bootstrap| by_hand(&pairs, plan, |pairs| { let (x, y): Points = drawn(pairs); which.correlate(&x, &y) });
            prop_assert!(check(|plan| correlation_interval(&x, &y, which, plan), twin));
        }
    }
}

/// Scores and bounded ratings of the same systems.
fn rated() -> impl Strategy<Value = Vec<(f64, Bounded)>> {
    let system = (-5i8..6, 0u8..60, 0u8..6).prop_map(|(score, rating, half)| {
        let (rating, half) = (f64::from(rating), f64::from(half));
        (
            f64::from(score),
            Bounded {
                score: rating,
                low: rating - half,
                high: rating + half,
            },
        )
    });
    vec(system, 0..12)
}

fn split(systems: &[(f64, Bounded)]) -> (Vec<f64>, Vec<Bounded>) {
    systems.iter().copied().unzip()
}

proptest! {
    #[test]
    fn tau_u_of_points_without_width_is_tau_b(mut systems in rated()) {
        systems.iter_mut().for_each(|(_, rating)| (rating.low, rating.high) = (rating.score, rating.score));
        // With equal ratings told apart by nothing, pairs tied in the ratings do not count in
        // tau_u: keep one of each.
        systems.sort_by(|a, b| a.1.score.total_cmp(&b.1.score));
        systems.dedup_by(|a, b| a.1.score == b.1.score);
        prop_assume!(systems.len() > 1);
        let (scores, ratings) = split(&systems);
        let truth: Vec<f64> = ratings.iter().map(|rating| rating.score).collect();
        let found = tau_u(&scores, &ratings, f64::INFINITY).map(|found| found.tau);
        prop_assert_eq!(found, Correlation::KendallTauB.correlate(&scores, &truth));
    }

    #[test]
    fn a_larger_u_keeps_more_pairs_and_a_share_of_all_keeps_all(systems in rated(), u in 0.0f64..60.0) {
        let (scores, ratings) = split(&systems);
        let pairs = |u| tau_u(&scores, &ratings, u).map(|found| (found.counts.pairs(), found.told_apart));
        if let (Ok((few, _)), Ok((many, _))) = (pairs(u), pairs(u + 5.0)) {
            prop_assert!(few <= many);
        }
        if let (Ok(all), Ok(half)) = (u_for_share(&ratings, 1.0), u_for_share(&ratings, 0.5)) {
            if let Ok((found, told_apart)) = pairs(all) {
                prop_assert_eq!(found, told_apart);
            }
            if let Ok((found, told_apart)) = pairs(half) {
                prop_assert!(2 * found >= told_apart);
            }
        }
    }

    #[test]
    fn the_order_of_the_systems_does_not_matter(systems in rated(), turn in 0usize..12) {
        let (mut turned, places) = (systems.clone(), turn % systems.len().max(1));
        turned.rotate_left(places);
        let ((scores, ratings), (turned_scores, turned_ratings)) = (split(&systems), split(&turned));
        let truth = |ratings: &[Bounded]| ratings.iter().map(|rating| rating.score).collect::<Vec<_>>();
        prop_assert_eq!(tau_u(&scores, &ratings, 20.0), tau_u(&turned_scores, &turned_ratings, 20.0));
        prop_assert_eq!(separability(&ratings), separability(&turned_ratings));
        let strict = strict_agreement(&turned_scores, &truth(&turned_ratings));
        prop_assert_eq!(strict_agreement(&scores, &truth(&ratings)), strict);
        if let Ok(found) = agreement_with_confidence(&ratings, &ratings) {
            prop_assert_eq!(found.value(), 1.0);
        }
    }

    #[test]
    fn adjusted_p_values_are_no_smaller_and_keep_the_order(p in vec(0.0f64..=1.0, 0..12)) {
        for adjusted in [holm(&p).unwrap(), benjamini_hochberg(&p).unwrap()] {
            for i in 0..p.len() {
                prop_assert!(adjusted[i] >= p[i] && adjusted[i] <= 1.0);
                prop_assert!((0..p.len()).all(|j| p[i] > p[j] || adjusted[i] <= adjusted[j]));
            }
        }
        let (holm, fdr) = (holm(&p).unwrap(), benjamini_hochberg(&p).unwrap());
        prop_assert!(holm.iter().zip(&fdr).all(|(holm, fdr)| *fdr <= holm + 1e-15));
    }

    #[test]
    fn calibration_counts_every_forecast_once(rows in vec((0u8..=20, any::<bool>()), 1..60), bins in 1usize..12, turn in 0usize..60) {
        let p: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 20.0).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let (mut p_turned, mut outcomes_turned) = (p.clone(), outcomes.clone());
        p_turned.rotate_left(turn % rows.len());
        outcomes_turned.rotate_left(turn % rows.len());
        for binning in [Binning::EqualWidth, Binning::EqualMass] {
            let found = expected_calibration_error(&p, &outcomes, bins, binning).unwrap();
            prop_assert_eq!(found.bins.iter().map(|bin| bin.n).sum::<usize>(), rows.len());
            // By Jensen's inequality, as the forecasts' squared error is at least that of the bins'
            // misses.
            prop_assert!(found.error * found.error <= brier(&p, &outcomes).unwrap() + 1e-12);
            let turned = expected_calibration_error(&p_turned, &outcomes_turned, bins, binning).unwrap();
            prop_assert!((turned.error - found.error).abs() < 1e-12);
        }
    }
}

#[test]
fn the_interval_of_tau_u_is_that_of_systems_drawn_one_by_one() {
    let bounded = |score: f64, half: f64| Bounded {
        score,
        low: score - half,
        high: score + half,
    };
    let systems: Vec<(f64, Bounded)> = [3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0]
        .iter()
        .enumerate()
        .map(|(i, &score)| (score, bounded(10.0 * i as f64, 3.0 + i as f64)))
        .collect();
    let (scores, ratings) = split(&systems);
    let twin = |plan: &Bootstrap| {
        by_hand(&systems, plan, |systems| {
            let (scores, ratings) = split(systems);
            tau_u(&scores, &ratings, 40.0).map(|found| found.tau)
        })
    };
    assert!(tau_u_interval(&scores, &ratings, 40.0, &Bootstrap::default()).is_ok());
    assert!(check(
        |plan| tau_u_interval(&scores, &ratings, 40.0, plan),
        twin
    ));
}
