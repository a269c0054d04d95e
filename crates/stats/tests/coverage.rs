//! Slow: planted strengths are recovered at the stated rate.  Runs where EVENHAND_SLOW=1 is set.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "the purity fence is for the crate, and this test reads the environment")]

use evenhand_stats::inference::{
    Coverage, RankSets, SmallSample, bca_interval, covariance_difference, rank_sets, rank_sets_from_covariance, sandwich,
    sandwich_clustered, strength_accelerations,
};
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, Estimate, Interval, bradley_terry, bradley_terry_near, percentile_interval,
    picks, resample,
};

/// Mean 0; systems 1 and 2 are equal.
const PLANTED: [f64; 5] = [0.9, 0.1, 0.1, -0.25, -0.85];
const K: usize = PLANTED.len();
const SIMULATIONS: u64 = 1000;
const ITEMS: u32 = 150;
const LEVEL: f64 = 0.95;

/// Whether the slow tests are to run; says so if not.
fn slow() -> bool {
    let asked = std::env::var_os("EVENHAND_SLOW").is_some_and(|value| value == "1");
    if !asked {
        eprintln!("skipped: a slow coverage simulation; set EVENHAND_SLOW=1 to run it");
    }
    asked
}

/// Every pair on every item, judged twice; the second judgment is the first again with probability 1/2, or else new: rows
/// of an item are correlated, and the chances are exactly those of the planted strengths.
fn simulated(simulation: u64) -> Comparisons {
    let pairs = || (0..K).flat_map(|a| (a + 1..K).map(move |b| (a, b)));
    let mut rows = Vec::new();
    for (item, (a, b)) in (0..ITEMS).flat_map(|item| pairs().map(move |pair| (item, pair))) {
        let stream = u64::from(item) << 16 | (a * K + b) as u64;
        let draws: Vec<u32> = picks(simulation, stream, 1_000_000).take(3).collect();
        let chance = 1e6 / (1.0 + (PLANTED[b] - PLANTED[a]).exp());
        let won = |draw: u32| f64::from(draw) < chance;
        let second = if draws[2] < 500_000 { draws[0] } else { draws[1] };
        rows.extend([draws[0], second].map(|draw| Comparison::won(item, a as u16, b as u16, won(draw))));
    }
    Comparisons::new(K, rows).unwrap()
}

fn strengths(data: &Comparisons) -> Vec<Estimate> {
    bradley_terry(&data.tally()).scores.estimates
}

fn rounds(data: &Comparisons, point: &[Estimate], rounds: usize, seed: u64) -> Vec<Vec<Estimate>> {
    let merged = data.merged();
    let plan = Bootstrap { rounds, seed, ..Default::default() };
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

/// Calls `covered` for each simulation, which says for each figure whether its interval holds it; gives the shares.
fn shares(simulations: u64, covered: impl Fn(u64) -> Vec<bool>) -> Vec<f64> {
    let mut counts: Vec<f64> = Vec::new();
    for simulation in 0..simulations {
        let found = covered(simulation);
        counts.resize(found.len(), 0.0);
        counts.iter_mut().zip(found).for_each(|(count, held)| *count += f64::from(u8::from(held)));
    }
    counts.into_iter().map(|count| count / simulations as f64).collect()
}

fn about_right(shares: &[f64], simulations: u64, what: &str) {
    eprintln!("{what}: {shares:?}");
    assert!(shares.iter().all(|share| (share - LEVEL).abs() <= reach(simulations)), "{what}: {shares:?}");
}

#[test]
fn clustered_sandwich_intervals_cover() {
    if !slow() {
        return;
    }
    let found = shares(SIMULATIONS, |simulation| {
        let data = simulated(simulation);
        let found = sandwich_clustered(&data, Cluster::Item, &strengths(&data), SmallSample::Uncorrected).unwrap();
        let mut held: Vec<bool> = (0..K).map(|i| holds(found.interval(i, LEVEL).unwrap(), PLANTED[i])).collect();
        held.push(holds(covariance_difference(&found, 0, 3, LEVEL).unwrap().interval, PLANTED[0] - PLANTED[3]));
        held.push(covariance_difference(&found, 1, 2, LEVEL).unwrap().p_value > 1.0 - LEVEL);
        held
    });
    about_right(&found, SIMULATIONS, "sandwich by item: five strengths, a difference, the size of a test");
}

#[test]
fn unclustered_intervals_cover_independent_rows_only() {
    if !slow() {
        return;
    }
    let with = |keep: fn(usize) -> bool| {
        shares(SIMULATIONS, |simulation| {
            let all = simulated(simulation);
            let rows = all.rows().iter().enumerate().filter(|(place, _)| keep(*place)).map(|(_, row)| *row).collect();
            let data = Comparisons::new(K, rows).unwrap();
            let found = sandwich(&data.tally(), &strengths(&data)).unwrap();
            (0..K).map(|i| holds(found.interval(i, LEVEL).unwrap(), PLANTED[i])).collect()
        })
    };
    about_right(&with(|place| place % 2 == 0), SIMULATIONS, "sandwich by row, one judgment a pair and item");
    let narrow = with(|_| true);
    assert!(narrow.iter().all(|share| *share < LEVEL - reach(SIMULATIONS)), "rows that share an item: {narrow:?}");
}

#[test]
fn bootstrap_intervals_cover() {
    if !slow() {
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
            [percentile_interval(&own, LEVEL).unwrap(), corrected].map(|interval| holds(interval, PLANTED[i]))
        });
        both.collect()
    });
    about_right(&found, simulations, "bootstrap by item: percentile and BCa of five strengths");
}

/// Whether each interval holds all ranks that its system's true strength allows.
fn ranks_held(found: &RankSets) -> Vec<bool> {
    let held = |i: usize| {
        let interval = found.intervals[i].clone().unwrap();
        let better = PLANTED.iter().filter(|&&other| other > PLANTED[i]).count() as u32;
        let worse = PLANTED.iter().filter(|&&other| other < PLANTED[i]).count() as u32;
        interval.low <= 1 + better && K as u32 - worse <= interval.high
    };
    (0..K).map(held).collect()
}

#[test]
fn rank_intervals_cover_all_ranks_together() {
    if !slow() {
        return;
    }
    let simulations = SIMULATIONS / 2;
    let found = shares(simulations, |simulation| {
        let data = simulated(simulation);
        let point = strengths(&data);
        let plan = Bootstrap { rounds: 999, level: LEVEL, seed: simulation, threads: 1 };
        let covariance = sandwich_clustered(&data, Cluster::Item, &point, SmallSample::Uncorrected).unwrap();
        let drawn = rounds(&data, &point, 599, simulation + 1_000_000);
        let joint = [
            rank_sets_from_covariance(&covariance, &plan, Coverage::Joint).unwrap(),
            rank_sets(&point, &drawn, LEVEL, Coverage::Joint).unwrap(),
        ];
        let each = rank_sets_from_covariance(&covariance, &plan, Coverage::Each).unwrap();
        let together = joint.iter().map(|sets| ranks_held(sets).into_iter().all(|held| held));
        together.chain(ranks_held(&each)).collect()
    });
    eprintln!("rank intervals: joint by covariance, joint by bootstrap, each alone: {found:?}");
    assert!(found.iter().all(|share| *share >= LEVEL - reach(simulations)), "{found:?}");
}
