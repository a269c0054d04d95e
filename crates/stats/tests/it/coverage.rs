//! Slow: planted strengths are recovered at the stated rate.  Runs where EVENHAND_SLOW=1 is set.

use crate::common::Draws;
use evenhand_stats::inference::{
    Covariance, SmallSample, bca_interval, compare_jointly_from_covariance, covariance_difference,
    sandwich, sandwich_clustered, strength_accelerations,
};
use evenhand_stats::{
    Binning, Bootstrap, Bounded, Cluster, Comparison, Comparisons, Elo, EloRun, Estimate, Game,
    Interval, ItemScore, ItemScores, JudgedComparison, PairMethod, PointMethod, Resampled,
    Undefined, agreement_with_confidence, agreement_with_confidence_interval, bradley_terry,
    bradley_terry_near, brier_interval, calibration_error_interval, draw_clusters, elo,
    elo_clusters, expected_calibration_error, percentile_interval, rank_pairs, rank_scores,
    resample, resample_judge_aware, resample_pairs, separability, separability_interval,
};
use evenhand_testing::{is_slow, is_slow_or_skips};

/// Mean 0; systems 1 and 2 are equal.
const PLANTED: [f64; 5] = [0.9, 0.1, 0.1, -0.25, -0.85];
const K: usize = PLANTED.len();
const SIMULATIONS: u64 = 1000;
const ITEMS: u32 = 150;
const LEVEL: f64 = 0.95;

/// Every pair on every item, judged twice; the second judgment is the first again with probability
/// 1/2, or else new: rows of an item are correlated, and the chances are exactly those of the
/// planted strengths.
fn simulated(simulation: u64) -> Comparisons {
    let pairs = || (0..K).flat_map(|a| (a + 1..K).map(move |b| (a, b)));
    let mut rows = Vec::new();
    for (item, (a, b)) in (0..ITEMS).flat_map(|item| pairs().map(move |pair| (item, pair))) {
        let stream = u64::from(item) << 16 | (a * K + b) as u64;
        let draws: Vec<u32> = draw_clusters(simulation, stream, 1_000_000)
            .take(3)
            .collect();
        let chance = 1e6 / (1.0 + (PLANTED[b] - PLANTED[a]).exp());
        let won = |draw: u32| f64::from(draw) < chance;
        let second = if draws[2] < 500_000 {
            draws[0]
        } else {
            draws[1]
        };
        rows.extend(
            [draws[0], second].map(|draw| Comparison::won(item, a as u16, b as u16, won(draw))),
        );
    }
    Comparisons::new(K, rows).unwrap()
}

fn strengths(data: &Comparisons) -> Vec<Estimate> {
    bradley_terry(&data.tally()).scores.estimates
}

fn rounds(data: &Comparisons, point: &[Estimate], rounds: usize, seed: u64) -> Vec<Vec<Estimate>> {
    let merged = data.merged();
    let plan = Bootstrap {
        rounds,
        seed,
        ..Default::default()
    };
    let round = |weights: &[f64]| {
        let tally = merged.weighted_tally(Cluster::Item, weights).unwrap();
        bradley_terry_near(&tally, point).scores.estimates
    };
    resample(ITEMS as usize, &plan, round).unwrap()
}

fn holds(interval: Interval, value: f64) -> bool {
    interval.low.unwrap() <= value && value <= interval.high.unwrap()
}

/// How far a share of n simulations may be from the level: the normal 99.9 % bound of a binomial.
fn reach(n: u64) -> f64 {
    3.29 * (LEVEL * (1.0 - LEVEL) / n as f64).sqrt()
}

/// Calls `covered` for each simulation, which says for each figure whether its interval holds it;
/// gives the shares.
fn shares(simulations: u64, covered: impl Fn(u64) -> Vec<bool>) -> Vec<f64> {
    let mut counts: Vec<f64> = Vec::new();
    for simulation in 0..simulations {
        let found = covered(simulation);
        counts.resize(found.len(), 0.0);
        counts
            .iter_mut()
            .zip(found)
            .for_each(|(count, held)| *count += f64::from(u8::from(held)));
    }
    counts
        .into_iter()
        .map(|count| count / simulations as f64)
        .collect()
}

fn about_right(shares: &[f64], simulations: u64, what: &str) {
    eprintln!("{what}: {shares:?}");
    assert!(
        shares
            .iter()
            .all(|share| (share - LEVEL).abs() <= reach(simulations)),
        "{what}: {shares:?}"
    );
}

#[test]
fn clustered_sandwich_intervals_cover() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    let found = shares(SIMULATIONS, |simulation| {
        let data = simulated(simulation);
        let found = sandwich_clustered(
            &data,
            Cluster::Item,
            &strengths(&data),
            SmallSample::Uncorrected,
        )
        .unwrap();
        let mut held: Vec<bool> = (0..K)
            .map(|i| holds(found.interval(i, LEVEL).unwrap(), PLANTED[i]))
            .collect();
        held.push(holds(
            covariance_difference(&found, 0, 3, LEVEL).unwrap().interval,
            PLANTED[0] - PLANTED[3],
        ));
        held.push(covariance_difference(&found, 1, 2, LEVEL).unwrap().p_value > 1.0 - LEVEL);
        held
    });
    about_right(
        &found,
        SIMULATIONS,
        "sandwich by item: five strengths, a difference, the size of a test",
    );
}

#[test]
fn unclustered_intervals_cover_independent_rows_only() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    let with = |keep: fn(usize) -> bool| {
        shares(SIMULATIONS, |simulation| {
            let all = simulated(simulation);
            let rows = all
                .rows()
                .iter()
                .enumerate()
                .filter(|(place, _)| keep(*place))
                .map(|(_, row)| *row)
                .collect();
            let data = Comparisons::new(K, rows).unwrap();
            let found = sandwich(&data.tally(), &strengths(&data)).unwrap();
            (0..K)
                .map(|i| holds(found.interval(i, LEVEL).unwrap(), PLANTED[i]))
                .collect()
        })
    };
    about_right(
        &with(|place| place % 2 == 0),
        SIMULATIONS,
        "sandwich by row, one judgment a pair and item",
    );
    let narrow = with(|_| true);
    assert!(
        narrow
            .iter()
            .all(|share| *share < LEVEL - reach(SIMULATIONS)),
        "rows that share an item: {narrow:?}"
    );
}

#[test]
fn bootstrap_intervals_cover() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    let simulations = SIMULATIONS / 2;
    let found = shares(simulations, |simulation| {
        let data = simulated(simulation);
        let point = strengths(&data);
        let drawn = rounds(&data, &point, 599, simulation + 1_000_000);
        let accelerations = strength_accelerations(&data, Cluster::Item, &point).unwrap();
        let both = (0..K).flat_map(|i| {
            let own: Vec<Estimate> = drawn.iter().map(|round| round[i]).collect();
            let corrected = bca_interval(point[i], &own, accelerations[i].unwrap(), LEVEL).unwrap();
            [
                percentile_interval(point[i], &own, LEVEL).unwrap(),
                corrected,
            ]
            .map(|interval| holds(interval, PLANTED[i]))
        });
        both.collect()
    });
    about_right(
        &found,
        simulations,
        "bootstrap by item: percentile and BCa of five strengths",
    );
}

/// Means of few items: percentiles of resamples alone hold 0.80 to 0.93 of normal and skewed scores.
#[test]
fn bootstrap_intervals_of_few_items_cover() {
    let simulations = if is_slow() { SIMULATIONS } else { 400 };
    for (items, normal_low, skewed_low) in [
        (5, 0.92, 0.86),
        (10, 0.935, 0.88),
        (15, 0.935, 0.91),
        (40, 0.935, 0.92),
    ] {
        let [mut normal, mut skewed] = [0.0; 2];
        for simulation in 0..simulations {
            let draws = even(simulation, u64::from(items), 13 * items);
            let scores = draws.chunks(13).zip(0..).flat_map(|(draws, item)| {
                // A sum of twelve even draws is next to normal.
                let sum = draws[..12].iter().sum::<f64>() - 6.0;
                [(0, sum), (1, -draws[12].ln())]
                    .map(|(system, score)| ItemScore::new(item, system, score))
            });
            let data = ItemScores::new(2, scores.collect()).unwrap();
            let plan = Bootstrap {
                rounds: 399,
                seed: simulation,
                ..Default::default()
            };
            let found = rank_scores(&data, PointMethod::Mean, Cluster::Item, &plan).unwrap();
            let held = |system: usize, truth| {
                f64::from(u8::from(holds(
                    found.systems[system].interval.unwrap(),
                    truth,
                )))
            };
            normal += held(0, 0.0) / simulations as f64;
            skewed += held(1, 1.0) / simulations as f64;
        }
        eprintln!("means of {items} items: normal {normal:.3}, exponential {skewed:.3}");
        let slack = reach(simulations);
        assert!(
            (normal_low - slack..=0.96 + slack).contains(&normal),
            "{items}: {normal}"
        );
        assert!(
            (skewed_low - slack..=0.96 + slack).contains(&skewed),
            "{items}: {skewed}"
        );
    }
}

/// Few items, every pair on each in both orders, the second order the first again with probability
/// 1/2; and the strengths that were planted, with mean 0.
fn few_items(simulation: u64, k: usize, items: u32) -> (Comparisons, Vec<f64>) {
    let planted: Vec<f64> = (0..k).map(|i| 0.8 * i as f64 / k as f64).collect();
    let mut rows = Vec::new();
    for (item, (a, b)) in (0..items)
        .flat_map(|item| (0..k).flat_map(move |a| (a + 1..k).map(move |b| (item, (a, b)))))
    {
        let stream = u64::from(item) << 16 | (a * k + b) as u64;
        let draws: Vec<u32> = draw_clusters(simulation, stream, 1_000_000)
            .take(3)
            .collect();
        let chance = 1e6 / (1.0 + (planted[b] - planted[a]).exp());
        let second = if draws[2] < 500_000 {
            draws[0]
        } else {
            draws[1]
        };
        rows.extend(
            [draws[0], second]
                .map(|draw| Comparison::won(item, a as u16, b as u16, f64::from(draw) < chance)),
        );
    }
    let origin = planted.iter().sum::<f64>() / k as f64;
    let planted = planted.iter().map(|strength| strength - origin);
    (Comparisons::new(k, rows).unwrap(), planted.collect())
}

/// Equal systems on items of unlike weights or numbers of rows: an item counts for as much as it
/// weighs. A program apart has before and after in docs/design/statistics.md.
#[test]
fn intervals_over_uneven_items_cover() {
    let simulations = if is_slow() { 4000 } else { 200 };
    for (weighs, heavy) in [(true, 0.1), (false, 0.1), (true, 0.5), (false, 0.5)] {
        for (k, items) in [(2, 10), (2, 30), (4, 30), (2, 100)] {
            let (mut missed, mut all) = ([0.0; 2], [0.0; 2]);
            for simulation in 0..simulations {
                let mut draws = Draws::new(simulation, 900 + u64::from(items));
                let mut rows = Vec::new();
                for item in 0..items {
                    let is_heavy = draws.uniform() < heavy;
                    let suits: Vec<f64> = (0..k).map(|_| draws.normal()).collect();
                    let repeats = if is_heavy && !weighs { 20 } else { 1 };
                    for (a, b) in (0..repeats)
                        .flat_map(|_| (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))))
                    {
                        let chance = 1.0 / (1.0 + (suits[b] - suits[a]).exp());
                        let won = draws.uniform() < chance;
                        let mut row = Comparison::won(item, a as u16, b as u16, won);
                        if is_heavy && weighs {
                            (row.wins_a, row.wins_b) = (20.0 * row.wins_a, 20.0 * row.wins_b);
                        }
                        rows.push(row);
                    }
                }
                let data = Comparisons::new(k, rows).unwrap();
                let point = strengths(&data);
                let found = sandwich_clustered(&data, Cluster::Item, &point, SmallSample::Clusters);
                let plan = Bootstrap {
                    rounds: 199,
                    seed: simulation,
                    ..Default::default()
                };
                let drawn = rank_pairs(&data, PairMethod::BradleyTerry, Cluster::Item, &plan);
                let drawn = drawn.unwrap();
                for system in 0..k {
                    let by_sandwich = found.as_ref().ok();
                    let by_sandwich = by_sandwich.and_then(|one| one.interval(system, LEVEL).ok());
                    let by_rounds = drawn.systems[system].interval.ok();
                    for (at, interval) in [by_sandwich, by_rounds].into_iter().enumerate() {
                        let Some(interval) = interval else { continue };
                        let is_above = interval.low.is_some_and(|low| low > 1e-9);
                        let is_below = interval.high.is_some_and(|high| high < -1e-9);
                        missed[at] += f64::from(u8::from(is_above || is_below));
                        all[at] += 1.0;
                    }
                }
            }
            let [sandwich, rounds] = [0, 1].map(|at| missed[at] / all[at]);
            let kind = if weighs { "weight" } else { "rows" };
            eprintln!(
                "{heavy} of items of 20 times the {kind}, {k} x {items}: missed by the sandwich \
                 {sandwich:.3}, by rounds {rounds:.3}"
            );
            let most = 0.055 + 3.0 * (0.05 * 0.95 / simulations as f64).sqrt();
            assert!(
                sandwich < most && rounds < most,
                "{kind} {heavy} {k} x {items}: {sandwich} {rounds}"
            );
        }
    }
}

/// Equal systems, three judges, and three items that weigh as much as all others.
#[test]
fn scores_of_panels_and_elo_over_uneven_items_cover() {
    let simulations = if is_slow() { 1000 } else { 100 };
    for (k, items) in [(2, 10), (4, 30)] {
        let (mut missed, mut all, mut ordered) = ([0.0; 2], [0.0; 2], 0.0);
        for simulation in 0..simulations {
            let mut draws = Draws::new(simulation, 1700 + u64::from(items));
            let (mut rows, mut games, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
            for item in 0..items {
                let is_heavy = item % (items / 3) == 0;
                let weight = if is_heavy { f64::from(items) } else { 1.0 };
                let suits: Vec<f64> = (0..k).map(|_| draws.normal()).collect();
                for (a, b) in (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))) {
                    let chance = 1.0 / (1.0 + (suits[b] - suits[a]).exp());
                    for judge in 0..3 {
                        let won = draws.uniform() < chance;
                        let score = f64::from(u8::from(won));
                        let (a, b) = (a as u16, b as u16);
                        let mut comparison = Comparison::won(item, a, b, won);
                        comparison.wins_a *= weight;
                        comparison.wins_b *= weight;
                        rows.push(JudgedComparison { judge, comparison });
                        if judge == 0 {
                            games.push(Game {
                                a,
                                b,
                                score,
                                weight,
                            });
                            clusters.push(item);
                        }
                    }
                }
            }
            let plan = Bootstrap {
                rounds: 99,
                seed: simulation,
                ..Default::default()
            };
            let panel = resample_judge_aware(k, 3, &rows, Cluster::Item, &plan).unwrap();
            let covariance = panel.systems.covariance().map(Covariance::of_few_clusters);
            let joint = covariance.and_then(|one| compare_jointly_from_covariance(&one, &plan));
            ordered += f64::from(u8::from(joint.is_ok_and(|joint| !joint.apart.is_empty())));
            let rounds = resample(items as usize, &plan, |drawn| {
                let mut run = EloRun::new(k, Elo::default()).unwrap();
                for (game, cluster) in games.iter().zip(&clusters) {
                    for _ in 0..drawn[*cluster as usize] as u64 {
                        run.push_game(game).unwrap();
                    }
                }
                run.scores()
            });
            let elo = Resampled::new(
                elo(k, &games, Elo::default()).unwrap(),
                rounds.unwrap(),
                LEVEL,
                items as usize,
                vec![u64::from(items); k],
                elo_clusters(k, &games, &clusters, Elo::default()).unwrap(),
            );
            for (at, (found, truth)) in [(panel.systems, 0.0), (elo.unwrap(), 1000.0)]
                .into_iter()
                .enumerate()
            {
                for interval in found.ranking().systems.iter().map(|one| one.interval) {
                    let Ok(interval) = interval else { continue };
                    let is_above = interval.low.is_some_and(|low| low > truth + 1e-9);
                    let is_below = interval.high.is_some_and(|high| high < truth - 1e-9);
                    missed[at] += f64::from(u8::from(is_above || is_below));
                    all[at] += 1.0;
                }
            }
        }
        let [panel, elo] = [0, 1].map(|at| missed[at] / all[at]);
        let ordered = ordered / simulations as f64;
        eprintln!("{k} x {items}: panel {panel:.3}, false order {ordered:.3}, Elo {elo:.3}");
        let most = 0.06 + 3.0 * (0.05 * 0.95 / simulations as f64).sqrt();
        assert!(
            panel.max(elo).max(ordered) < most,
            "{k} x {items}: {panel} {ordered} {elo}"
        );
    }
}

/// Systems and items.
const FEW: [(usize, u32); 7] = [(2, 10), (2, 20), (3, 6), (3, 10), (4, 20), (5, 8), (10, 15)];

/// Student's quantiles and gradients raised by leverage in place of the normal ones.
#[test]
fn clustered_sandwich_intervals_of_few_items_cover() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    for (k, items) in FEW {
        let (mut held, mut all) = ([0.0; 2], 0.0);
        for simulation in 0..2000 {
            let (data, planted) = few_items(simulation, k, items);
            let point = strengths(&data);
            for (corrected, held) in [SmallSample::Uncorrected, SmallSample::Clusters]
                .into_iter()
                .zip(&mut held)
            {
                let found = sandwich_clustered(&data, Cluster::Item, &point, corrected);
                let Ok(found) = found else { continue };
                for (system, planted) in planted.iter().enumerate() {
                    if let Ok(interval) = found.interval(system, LEVEL) {
                        *held += f64::from(u8::from(holds(interval, *planted)));
                        all += f64::from(u8::from(corrected == SmallSample::Clusters));
                    }
                }
            }
        }
        let [before, now] = held.map(|held| held / all);
        eprintln!("sandwich, {k} x {items}: uncorrected {before:.3}, of few clusters {now:.3}");
        assert!(now >= LEVEL - 0.015, "{k} x {items}: {now}");
    }
}

/// Expanded percentiles and BCa; an end that is open holds everything on its side.
#[test]
fn bootstrap_strengths_of_few_items_cover() {
    let simulations = if is_slow() { SIMULATIONS } else { 100 };
    for (k, items) in FEW {
        let (mut held, mut of) = ([0.0; 2], [0.0; 2]);
        for simulation in 0..simulations {
            let (data, planted) = few_items(simulation, k, items);
            let plan = Bootstrap {
                rounds: 199,
                seed: simulation,
                ..Default::default()
            };
            let drawn =
                resample_pairs(&data, PairMethod::BradleyTerry, Cluster::Item, &plan).unwrap();
            let accelerations =
                strength_accelerations(&data, Cluster::Item, &drawn.point.estimates);
            let ranking = drawn.ranking();
            for (system, planted) in planted.iter().enumerate() {
                let acceleration = accelerations.as_ref().ok().and_then(|all| all[system]);
                let corrected = acceleration.and_then(|a| drawn.bca(system, a).ok());
                let both = [ranking.systems[system].interval.ok(), corrected];
                for (at, interval) in both.into_iter().enumerate() {
                    let Some(interval) = interval else { continue };
                    let above = interval.low.is_none_or(|low| low <= *planted);
                    let below = interval.high.is_none_or(|high| *planted <= high);
                    of[at] += 1.0;
                    held[at] += f64::from(u8::from(above && below));
                }
            }
        }
        let [percentile, bca] = [held[0] / of[0], held[1] / of[1]];
        eprintln!("strengths, {k} x {items}: percentile {percentile:.3}, BCa {bca:.3}");
        let low = 0.925 - reach(simulations);
        assert!(
            percentile > low && bca > low,
            "{k} x {items}: {percentile} {bca}"
        );
    }
}

/// A number from 0 to 1 for each place.
fn even(simulation: u64, stream: u64, n: u32) -> Vec<f64> {
    draw_clusters(simulation, stream, 1_000_000)
        .take(n as usize)
        .map(|draw| (f64::from(draw) + 0.5) / 1e6)
        .collect()
}

/// Forecasts spread evenly over (0, 1), two on each item, whose outcomes are the same with
/// probability 1/2; what is forecast at p happens at 1/2 + (1 - over) (p - 1/2).
fn forecasts(simulation: u64, items: u32, over: f64) -> (Vec<f64>, Vec<bool>, Vec<u32>) {
    let [p, first, second, same] = [0, 1, 2, 3].map(|stream| even(simulation, stream, items));
    let happens = |p: f64, draw: f64| draw < 0.5 + (1.0 - over) * (p - 0.5);
    let of = |i: usize| {
        let again = if same[i] < 0.5 { first[i] } else { second[i] };
        [
            (p[i], happens(p[i], first[i])),
            (p[i], happens(p[i], again)),
        ]
    };
    let rows: Vec<(f64, bool)> = (0..items as usize).flat_map(of).collect();
    let (p, outcomes) = rows.into_iter().unzip();
    (
        p,
        outcomes,
        (0..items).flat_map(|item| [item, item]).collect(),
    )
}

#[test]
fn intervals_of_forecasts_cover() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    let simulations = SIMULATIONS / 2;
    for (items, over) in [50, 200, 1000]
        .into_iter()
        .flat_map(|items| [0.0, 0.3, 0.6].map(|over| (items, over)))
    {
        // The mean of q (1 - p)^2 + (1 - q) p^2 over even p is 1/6 + over / 6 for q = p + over
        // (1/2 - p); the bins' misses are over |p - 1/2| at their middles, on average over / 4.
        let (score, error) = ((1.0 + over) / 6.0, over / 4.0);
        let mut errors = 0.0;
        let mut held = [0.0; 3];
        for simulation in 0..simulations {
            let (p, outcomes, of) = forecasts(simulation, items, over);
            let plan = Bootstrap {
                rounds: 399,
                seed: simulation + 1_000_000,
                ..Default::default()
            };
            let calibration = |p: &[f64], outcomes: &[bool]| {
                expected_calibration_error(p, outcomes, 10, Binning::EqualWidth)
                    .unwrap()
                    .error
            };
            errors += calibration(&p, &outcomes) / simulations as f64;
            let plain = |times: &[f64]| {
                let rows = (0..p.len()).flat_map(|row| {
                    std::iter::repeat_n((p[row], outcomes[row]), times[row / 2] as usize)
                });
                let (p, outcomes): (Vec<f64>, Vec<bool>) = rows.unzip();
                Estimate::Finite(calibration(&p, &outcomes))
            };
            let drawn = resample(items as usize, &plan, plain).unwrap();
            // Its quantiles alone.
            let plain =
                percentile_interval(Estimate::Undefined(Undefined::NoData), &drawn, LEVEL).unwrap();
            let sound =
                calibration_error_interval(&p, &outcomes, (10, Binning::EqualWidth), &of, &plan)
                    .unwrap();
            let found = [
                holds(brier_interval(&p, &outcomes, &of, &plan).unwrap(), score),
                holds(sound, error),
                holds(plain, error),
            ];
            held.iter_mut()
                .zip(found)
                .for_each(|(share, held)| *share += f64::from(u8::from(held)) / simulations as f64);
        }
        eprintln!(
            "{items} items, error {error}: mean found {errors:.4}; Brier, error, percentile of \
             error: {held:.3?}"
        );
        // A percentile interval of 50 items is a little narrow.
        let short = if items == 50 { 0.025 } else { 0.0 };
        assert!(
            (held[0] - LEVEL).abs() <= short + reach(simulations),
            "{held:?}"
        );
        assert!(held[1] >= LEVEL - reach(simulations), "{held:?}");
        assert!(errors > error, "biased upwards");
        assert!(
            error > 0.0 || held[2] < 0.1,
            "a percentile interval does not hold an error of 0: {held:?}"
        );
    }
}

/// Systems of a population: ratings spread evenly over a range of 4 with small errors, scores with
/// larger ones.
fn population(simulation: u64, systems: u32) -> (Vec<Bounded>, Vec<Bounded>) {
    let [quality, taste, noise] = [0, 1, 2].map(|stream| even(simulation, stream, systems));
    let bounded = |score: f64, half: f64| Bounded {
        score,
        low: score - half,
        high: score + half,
    };
    let place = |i: usize| {
        (
            bounded(4.0 * quality[i] + 1.6 * taste[i], 0.3),
            bounded(4.0 * quality[i] + 0.3 * noise[i], 0.15),
        )
    };
    (0..systems as usize).map(place).unzip()
}

#[test]
fn intervals_over_systems_cover() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    let (scores, ratings) = population(5_000_000, 3000);
    let agreement = agreement_with_confidence(&scores, &ratings)
        .unwrap()
        .value();
    let apart = separability(&scores).unwrap().value();
    for systems in [10, 20, 40] {
        let found = shares(SIMULATIONS, |simulation| {
            let (scores, ratings) = population(simulation, systems);
            let plan = Bootstrap {
                rounds: 599,
                seed: simulation + 1_000_000,
                ..Default::default()
            };
            // Where all systems agree, or are told apart, there is no interval: counted as not
            // held. One of the 3000 samples has two open ends, for people tell apart few of its
            // systems, and is not counted as held either.
            let holds = |found: Interval, value| {
                found.low.is_some() && found.high.is_some() && holds(found, value)
            };
            let agreed = agreement_with_confidence_interval(&scores, &ratings, &plan);
            let told = separability_interval(&scores, &plan);
            vec![
                agreed.is_ok_and(|found| holds(found, agreement)),
                told.is_ok_and(|found| holds(found, apart)),
            ]
        });
        eprintln!(
            "{systems} systems, agreement {agreement:.3}, separability {apart:.3}: {found:?}"
        );
        // With few systems the interval is too wide rather than too narrow.
        assert!(
            found
                .iter()
                .all(|share| *share >= LEVEL - reach(SIMULATIONS)),
            "{found:?}"
        );
    }
}
