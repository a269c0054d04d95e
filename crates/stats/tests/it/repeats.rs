//! Judging every item several times: intervals over items hold what they promise, and those that
//! take a repeat for another item do not.

use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, PairMethod, draw_numbers, rank_pairs, sigmoid,
};
use evenhand_testing::is_slow;

const ITEMS: u32 = 60;
const REPEATS: u32 = 4;

/// The chance that the first system wins on an item whose place among all is `share`: between 0.03
/// and 0.99, as items differ.
fn chance(share: f64) -> f64 {
    sigmoid(0.5 + 8.0 * (share - 0.5))
}

/// The share that the first system wins of endlessly many items.
fn truth() -> f64 {
    let steps = 100_000;
    let middles = (0..steps).map(|step| (f64::from(step) + 0.5) / f64::from(steps));
    middles.map(chance).sum::<f64>() / f64::from(steps)
}

/// Items drawn anew, each judged several times by a judge who draws.
fn simulate(seed: u64) -> Vec<Comparison> {
    let mut draws =
        draw_numbers(seed, 11, 1 << 30).map(|draw| f64::from(draw) / f64::from(1 << 30));
    let mut next = || draws.next().unwrap();
    let mut rows = Vec::new();
    for item in 0..ITEMS {
        let wins = chance(next());
        rows.extend((0..REPEATS).map(|_| Comparison::won(item, 0, 1, next() < wins)));
    }
    rows
}

/// The share of simulations whose 95 % interval holds the truth.
fn coverage(simulations: u64, cluster: Cluster) -> f64 {
    let truth = truth();
    let holds = |seed: &u64| {
        let plan = Bootstrap {
            rounds: 499,
            seed: *seed,
            threads: 1,
            ..Bootstrap::default()
        };
        let data = Comparisons::new(2, simulate(*seed)).unwrap();
        let ranking = rank_pairs(&data, PairMethod::WinRatio, cluster, &plan).unwrap();
        let interval = ranking.systems[0].interval.unwrap();
        interval.low.unwrap() <= truth && truth <= interval.high.unwrap()
    };
    (0..simulations).filter(holds).count() as f64 / simulations as f64
}

/// A resample of items with all their repeats holds what items and repeats make of the error.
#[test]
fn intervals_over_items_hold_with_repeats_and_those_over_judgments_do_not() {
    let simulations = if is_slow() { 2000 } else { 300 };
    let by_item = coverage(simulations, Cluster::Item);
    let by_judgment = coverage(simulations, Cluster::None);
    println!("of {simulations}: by item {by_item:.3}, by judgment {by_judgment:.3}");
    let error = (0.95 * 0.05 / simulations as f64).sqrt();
    assert!((by_item - 0.94).abs() < 0.01 + 4.0 * error, "{by_item}");
    assert!(by_judgment < 0.87, "{by_judgment}");
}
