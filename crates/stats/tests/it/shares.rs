//! How often the interval of a share over clusters holds: 3 to 400 clusters of one trial or many,
//! of one size or several, alike within or not. A few hundred shares a cell always, thousands where
//! EVENHAND_SLOW=1 is set.

use evenhand_stats::{
    Error, ItemCount, Undefined, clustered_share, column_share, mean_difference, part_share,
};
use evenhand_testing::is_slow;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Clusters of `sizes` in turn; each trial is a success with the chance `share`, and says what its
/// cluster says with the chance `alike`.
fn draw(clusters: usize, sizes: &[u32], share: f64, alike: f64, seed: u64) -> Vec<(f64, f64)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || random.next_u64() as f64 / 2f64.powi(64);
    let mut rows = Vec::new();
    for _ in 0..clusters {
        let (of_cluster, size) = (uniform(), sizes[(uniform() * sizes.len() as f64) as usize]);
        let successes = (0..size).filter(|_| {
            let own = uniform();
            let drawn = if uniform() < alike { of_cluster } else { own };
            drawn < share
        });
        rows.push((successes.count() as f64, f64::from(size)));
    }
    rows
}

#[test]
fn intervals_hold_over_sizes_shares_and_likeness() {
    let studies = if is_slow() { 4000 } else { 200 };
    let error = (0.05_f64 * 0.95 / f64::from(studies)).sqrt();
    for sizes in [&[1][..], &[3], &[15], &[1, 2, 6, 15]] {
        for clusters in [3, 5, 10, 20, 50, 100, 400] {
            let (mut most, mut width, mut cells) = (0.0_f64, 0.0, 0.0);
            for share in [0.02, 0.1, 0.3, 0.5, 0.8] {
                for alike in [0.0, 0.3, 0.6, 0.8, 0.95, 1.0] {
                    let mut missed = 0.0;
                    for study in 0..studies {
                        let rows = draw(clusters, sizes, share, alike, study as u64);
                        let [low, high] = clustered_share(&rows, 0.95).unwrap().interval.unwrap();
                        missed += f64::from(u8::from(share < low - 1e-12 || share > high + 1e-12));
                        width += (high - low) / f64::from(studies);
                    }
                    cells += 1.0;
                    most = most.max(missed / f64::from(studies));
                }
            }
            println!(
                "{sizes:?} a cluster, {clusters} clusters: misses at most {most:.4}, mean width {:.3}",
                width / cells
            );
            // The largest of thirty: a third standard error.
            assert!(most <= 0.05 + 3.0 * error, "{sizes:?} {clusters}: {most}");
        }
    }
}

/// The figures of audits: a question counts once, with the mean of its items.
#[test]
fn intervals_of_means_of_shares_hold_over_sizes_and_likeness() {
    let studies = if is_slow() { 4000 } else { 100 };
    let error = (0.05_f64 * 0.95 / f64::from(studies)).sqrt();
    let errors = if is_slow() { 3.0 } else { 4.0 };
    for sizes in [&[3][..], &[15], &[1, 2, 6, 15]] {
        for clusters in [3, 5, 10, 20, 50, 100, 400] {
            let (mut most, mut width, mut cells) = (0.0_f64, 0.0, 0.0);
            for share in [0.02, 0.1, 0.3, 0.5, 0.8, 0.98] {
                for alike in [0.0, 0.3, 0.6, 0.8, 0.95, 1.0] {
                    let mut missed = 0.0;
                    for study in 0..studies {
                        let rows = draw(clusters, sizes, share, alike, study as u64);
                        let means = rows.iter().map(|(sum, count)| (sum / count, 1.0));
                        let found = clustered_share(&means.collect::<Vec<_>>(), 0.95).unwrap();
                        let [low, high] = found.interval.unwrap();
                        missed += f64::from(u8::from(share < low - 1e-12 || share > high + 1e-12));
                        width += (high - low) / f64::from(studies);
                    }
                    cells += 1.0;
                    most = most.max(missed / f64::from(studies));
                }
            }
            println!(
                "means of {sizes:?}, {clusters} clusters: misses at most {most:.4}, width {:.3}",
                width / cells
            );
            // The largest of thirty-six, of which few draws are skewed.
            assert!(
                most <= 0.05 + errors * error,
                "{sizes:?} {clusters}: {most}"
            );
        }
    }
}

/// How items are spread over the parts of a mean.
#[derive(Clone, Copy, Debug)]
enum Spread {
    /// Each item is in one part, of which the first has this share of them: better responses that
    /// are the longer one, subsets of an input set.
    Apart(f64),
    /// Each is in all parts: repeats.
    Shared,
    /// Half of them are in one part, half in two.
    Mixed(f64),
}

/// What items add to so many parts with these shares. An item has one to six trials in a part that
/// it is in; a trial says what its item says with the chance `alike`.
fn draw_parts(
    items: usize,
    shares: &[f64],
    spread: Spread,
    alike: f64,
    seed: u64,
) -> Vec<Vec<ItemCount>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || random.next_u64() as f64 / 2f64.powi(64);
    let mut rows = Vec::new();
    for _ in 0..items {
        let of_item = uniform();
        let others = (shares.len() - 1) as f64;
        let mut one_part = |first: f64| match uniform() < first {
            true => 0,
            false => 1 + (uniform() * others) as usize,
        };
        let parts: Vec<usize> = match spread {
            Spread::Apart(first) => vec![one_part(first)],
            Spread::Shared => (0..shares.len()).collect(),
            Spread::Mixed(first) => {
                let own = one_part(first);
                let other = (own + 1) % shares.len();
                if uniform() < 0.5 {
                    vec![own]
                } else {
                    vec![own, other]
                }
            }
        };
        let mut item = vec![ItemCount::default(); shares.len()];
        for part in parts {
            let size = [1, 1, 3, 6][(uniform() * 4.0) as usize];
            for _ in 0..size {
                let own = uniform();
                let drawn = if uniform() < alike { of_item } else { own };
                item[part].sum += f64::from(u8::from(drawn < shares[part]));
                item[part].count += 1.0;
            }
        }
        rows.push(item);
    }
    rows
}

/// Means over parts, some of which rest on 4 in 100 items. Draws in which a part has no item have
/// no mean and are not counted; cells in which that is every second one are left out.
#[test]
fn intervals_of_means_over_parts_hold_over_sizes_and_spreads() {
    let (studies, errors, all_sizes): (u64, f64, &[usize]) = match is_slow() {
        true => (2000, 4.0, &[3, 5, 10, 20, 50, 100, 400]),
        false => (100, 5.0, &[3, 20, 100]),
    };
    let spreads = [
        Spread::Apart(0.5),
        Spread::Apart(0.15),
        Spread::Apart(0.04),
        Spread::Mixed(0.04),
        Spread::Shared,
    ];
    for parts in [2, 4] {
        for &items in all_sizes {
            let (mut most, mut width, mut cells) = (0.0_f64, 0.0, 0.0);
            for spread in spreads {
                for pair in [
                    [0.9, 0.5],
                    [0.5, 0.9],
                    [0.02, 0.02],
                    [0.98, 0.98],
                    [0.8, 0.3],
                ] {
                    for alike in [0.0, 0.6, 1.0] {
                        let shares: Vec<f64> = (0..parts).map(|part| pair[part % 2]).collect();
                        let truth = shares.iter().sum::<f64>() / parts as f64;
                        let (mut known, mut missed, mut own_width) = (0.0, 0.0, 0.0);
                        for study in 0..studies {
                            let rows = draw_parts(items, &shares, spread, alike, study);
                            let Ok(found) = part_share(&rows, &vec![1.0; parts], 0.95) else {
                                continue;
                            };
                            let [low, high] = found.interval.unwrap();
                            known += 1.0;
                            own_width += high - low;
                            let is_out = truth < low - 1e-12 || truth > high + 1e-12;
                            missed += f64::from(u8::from(is_out));
                        }
                        if known < studies as f64 / 2.0 {
                            continue;
                        }
                        cells += 1.0;
                        width += own_width / known;
                        most = most.max(missed / known);
                        // The largest of some thousand cells, and chances of few draws are skewed.
                        let error = (0.05 * 0.95 / known).sqrt();
                        assert!(
                            missed / known <= 0.05 + errors * error,
                            "{parts} parts, {items} items, {spread:?}, {pair:?}, {alike}: {missed}"
                        );
                    }
                }
            }
            println!(
                "{parts} parts, {items} items: misses at most {most:.4} in {cells} cells, mean \
                 width {:.3}",
                width / f64::max(cells, 1.0)
            );
        }
    }
}

/// A mean over one part, or over equal ones, is a share; a part without a weight does not count.
#[test]
fn parts_that_are_one_are_a_share() {
    let rows: Vec<(f64, f64)> = (0..30).map(|at| (f64::from(at % 3), 3.0)).collect();
    let item = |&(sum, count): &(f64, f64)| ItemCount { sum, count };
    let alone: Vec<Vec<ItemCount>> = rows.iter().map(|row| vec![item(row)]).collect();
    let share = clustered_share(&rows, 0.95).unwrap();
    let found = part_share(&alone, &[3.0], 0.95).unwrap();
    assert!((found.value - share.value).abs() < 1e-12);
    let ends = found
        .interval
        .unwrap()
        .into_iter()
        .zip(share.interval.unwrap());
    assert!(ends.clone().all(|(x, y)| (x - y).abs() < 1e-9), "{ends:?}");
    let ignored: Vec<Vec<ItemCount>> = rows
        .iter()
        .map(|row| {
            vec![
                item(row),
                ItemCount {
                    sum: 0.0,
                    count: 1.0,
                },
            ]
        })
        .collect();
    let found = part_share(&ignored, &[1.0, 0.0], 0.95).unwrap();
    let ends = found
        .interval
        .unwrap()
        .into_iter()
        .zip(share.interval.unwrap());
    assert!(ends.clone().all(|(x, y)| (x - y).abs() < 1e-9), "{ends:?}");
    // As far as one item of half of the weight reaches, at least.
    let mut few = ignored.clone();
    few.iter_mut()
        .skip(1)
        .for_each(|item| item[1] = ItemCount::default());
    let [low, high] = part_share(&few, &[1.0, 1.0], 0.95)
        .unwrap()
        .interval
        .unwrap();
    assert!(low < 1e-9 || high - low > 0.5, "{low} {high}");
    for weights in [&[1.0][..], &[0.0, 0.0], &[-1.0, 2.0], &[f64::NAN, 1.0]] {
        assert!(part_share(&ignored, weights, 0.95).is_err(), "{weights:?}");
    }
}

/// How a cluster moves: all the way or not at all, by so many comparisons of its own, or a part of
/// the way.
#[derive(Clone, Copy, Debug)]
enum Move {
    Whole,
    OfTen,
    Part,
}

#[test]
fn intervals_of_differences_hold_over_sizes_and_ways_to_move() {
    let studies = if is_slow() { 4000 } else { 200 };
    let error = (0.05_f64 * 0.95 / f64::from(studies)).sqrt();
    for clusters in [3, 5, 8, 13, 20, 30, 50, 100, 200, 400] {
        let (mut most, mut width, mut cells) = (0.0_f64, 0.0, 0.0);
        for moved in [0.02, 0.1, 0.3, 0.6, 1.0] {
            for up in [0.5, 0.6, 0.8, 0.95, 1.0] {
                for way in [Move::Whole, Move::OfTen, Move::Part] {
                    let mut random = ChaCha8Rng::seed_from_u64(clusters);
                    let mut uniform = || random.next_u64() as f64 / 2f64.powi(64);
                    let mut step = |chance: f64| match uniform() < chance {
                        true if uniform() < up => 1.0,
                        true => -1.0,
                        false => 0.0,
                    };
                    let mut difference = |part: f64, of_cluster: f64| match way {
                        Move::Whole => step(moved),
                        Move::Part => step(moved) * part,
                        // Clusters whose chances lie from 0 to twice the mean, or at it where that
                        // would be above 1.
                        Move::OfTen => {
                            let chance = match moved <= 0.5 {
                                true => 2.0 * of_cluster * moved,
                                false => moved,
                            };
                            (0..10).map(|_| step(chance)).sum::<f64>() / 10.0
                        }
                    };
                    let mean_part = match way {
                        Move::Part => 0.5,
                        Move::Whole | Move::OfTen => 1.0,
                    };
                    let truth = moved * (2.0 * up - 1.0) * mean_part;
                    let mut others = ChaCha8Rng::seed_from_u64(clusters + 1);
                    let mut other = || others.next_u64() as f64 / 2f64.powi(64);
                    let mut missed = 0.0;
                    for _ in 0..studies {
                        let values: Vec<f64> = (0..clusters)
                            .map(|_| difference(other(), other()))
                            .collect();
                        let found = mean_difference(&values, 1.0, 0.95).unwrap();
                        let [low, high] = found.interval.unwrap();
                        let is_out = truth < low - 1e-12 || truth > high + 1e-12;
                        missed += f64::from(u8::from(is_out));
                        width += (high - low) / f64::from(studies);
                    }
                    cells += 1.0;
                    most = most.max(missed / f64::from(studies));
                }
            }
        }
        println!(
            "differences of {clusters} clusters: misses at most {most:.4}, mean width {:.3}",
            width / cells
        );
        // The largest of seventy-five: a third standard error.
        assert!(most <= 0.05 + 3.0 * error, "{clusters}: {most}");
    }
}

#[test]
fn it_weighs_clusters_by_their_counts_and_leaves_out_those_without() {
    let rows = [(1.0, 1.0), (0.0, 3.0), (0.0, 0.0), (2.0, 4.0)];
    let found = clustered_share(&rows, 0.95).unwrap();
    assert_eq!((found.value, found.n), (3.0 / 8.0, 8.0));
    let without = clustered_share(&[rows[0], rows[1], rows[3]], 0.95);
    assert_eq!(Ok(found), without);
    // One column of items is a share over clusters.
    let items = rows.map(|(sum, count)| vec![ItemCount { sum, count }]);
    let column = column_share(&items, 0.95).unwrap();
    assert_eq!(
        (found.value, found.interval),
        (column.value, column.interval)
    );
}

/// Where all clusters are alike, as many trials as clusters.
#[test]
fn clusters_that_are_alike_are_clopper_and_pearson_s_trials() {
    let [low, high] = clustered_share(&[(3.0, 3.0); 20], 0.95)
        .unwrap()
        .interval
        .unwrap();
    // 0.025^(1/20).
    assert!(
        (low - 0.831_566_5).abs() < 1e-6 && high == 1.0,
        "{low} {high}"
    );
    // 10 of 50, one trial each: Clopper and Pearson's ends for 50 trials are 0.1003 and 0.3372;
    // these are of 50 (49 / 50) (z / t)^2 trials and a little wider.
    let rows: Vec<(f64, f64)> = (0..50)
        .map(|at| (f64::from(u8::from(at < 10)), 1.0))
        .collect();
    let [low, high] = clustered_share(&rows, 0.95).unwrap().interval.unwrap();
    assert!(
        (0.095..0.1003).contains(&low) && (0.3372..0.345).contains(&high),
        "{low} {high}"
    );
}

#[test]
fn what_is_undefined_or_out_of_range_is_said() {
    let found = clustered_share(&[(1.0, 2.0)], 0.95).unwrap();
    assert_eq!(
        found.interval,
        Err(Undefined::TooFewClusters { clusters: 1 })
    );
    for none in [&[][..], &[(0.0, 0.0)]] {
        assert_eq!(clustered_share(none, 0.95), Err(Undefined::NoData.into()));
    }
    for row in [
        (2.0, 1.0),
        (-1.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        let found = clustered_share(&[(1.0, 1.0), row], 0.95);
        assert!(
            matches!(found, Err(Error::Value { row: 1, .. })),
            "{found:?}"
        );
    }
    assert!(matches!(
        clustered_share(&[(1.0, 2.0)], 1.0),
        Err(Error::Share { .. })
    ));
}
