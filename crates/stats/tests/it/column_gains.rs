//! How often the intervals of means over judges, and of mean relative gains, hold: studies of 20 to
//! 400 items and one to six judges. A few hundred studies a cell always, thousands where
//! EVENHAND_SLOW=1 is set.

use evenhand_stats::{ColumnMean, ItemCount, ItemGain, column_share, mean_relative_gain};
use evenhand_testing::is_slow;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

fn gain(method: bool, baseline: bool) -> ItemGain {
    let once = |yes: bool| ItemCount {
        sum: f64::from(u8::from(yes)),
        count: 1.0,
    };
    ItemGain {
        method: once(method),
        baseline: once(baseline),
    }
}

/// The share of studies whose intervals leave out the truth, of those with an interval: `items`
/// with a difficulty of their own, the same for all judges, and `columns` judges.
fn misses(items: usize, columns: usize, shares: [f64; 2], studies: u64) -> [f64; 3] {
    let [method, baseline] = shares;
    let mut counts = [[0.0; 2]; 2];
    for study in 0..studies {
        let mut random = ChaCha8Rng::seed_from_u64(study);
        let mut uniform = || random.next_u64() as f64 / 2f64.powi(64);
        let rows: Vec<Vec<ItemGain>> = (0..items)
            .map(|_| {
                // A hard item is hard for all: half of the items share one draw.
                let (common, is_common) = (uniform(), uniform() < 0.5);
                let mut draw = || if is_common { common } else { uniform() };
                (0..columns)
                    .map(|_| gain(draw() < method, draw() < baseline))
                    .collect()
            })
            .collect();
        let gains = mean_relative_gain(&rows, 0.95);
        let shares: Vec<Vec<ItemCount>> = rows
            .iter()
            .map(|item| item.iter().map(|one| one.method).collect())
            .collect();
        let share = column_share(&shares, 0.95);
        let truths = [method / baseline - 1.0, method];
        for ((found, truth), count) in [gains, share].into_iter().zip(truths).zip(&mut counts) {
            if let Ok(ColumnMean {
                interval: Ok([low, high]),
                ..
            }) = found
            {
                count[0] += 1.0;
                count[1] += f64::from(u8::from(truth < low - 1e-12 || truth > high + 1e-12));
            }
        }
    }
    let [gain, share] = counts.map(|[all, missed]| missed / f64::max(all, 1.0));
    [gain, share, counts[0][0] / studies as f64]
}

#[test]
fn intervals_hold_over_sizes_judges_and_shares() {
    let studies = if is_slow() { 4000 } else { 200 };
    let limit = 0.05 + 2.0 * (0.05 * 0.95 / studies as f64).sqrt();
    let sizes: &[usize] = if is_slow() {
        &[20, 40, 80, 160, 400]
    } else {
        &[20, 80]
    };
    for &items in sizes {
        for columns in [1, 3, 6] {
            for shares in [
                [0.5, 0.1],
                [0.6, 0.3],
                [0.3, 0.3],
                [0.75, 0.6],
                [0.95, 0.9],
                [0.4, 0.8],
            ] {
                let [gain, share, known] = misses(items, columns, shares, studies);
                println!(
                    "{items} items, {columns} judges, {shares:?}: gain misses {gain:.3} (an \
                     interval in {known:.2}), share {share:.3}"
                );
                // Where few studies have an interval, their errors are of few.
                let slack = limit - 0.05;
                let slack = slack / f64::max(known, 0.05).sqrt();
                // Many comparisons at once: a third standard error for the largest of them.
                assert!(
                    gain <= 0.05 + 1.5 * slack,
                    "{items} {columns} {shares:?}: {gain}"
                );
                assert!(share <= 0.05 + 1.5 * (limit - 0.05), "{share}");
            }
        }
    }
}
