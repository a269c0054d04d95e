//! Conformal intervals of scores and sets of verdicts: how often they hold the label of a new
//! cluster, whatever the judge is like.
//!
//! With `EVENHAND_SLOW=1` each cell is 400 data sets; else a few.

use crate::common::Draws;
use evenhand_stats::conformal::{
    Nonconformity, conformal_threshold, deal_clusters, fit_line, fit_verdicts,
};
use evenhand_stats::sigmoid;
use evenhand_testing::is_slow;
use proptest::prelude::*;

/// What people's scores have to do with the judge's.
#[derive(Clone, Copy, Debug)]
enum Judge {
    /// A line with noise.
    Good,
    /// Whole points, of judge and people.
    Discrete,
    /// A curve that no line fits, with noise that grows.
    Misfit,
    /// Nothing, and some labels are far away.
    Useless,
}

/// A labelled row: its cluster, the judge's score and people's.
type ScoredRow = (u32, f64, f64);

/// Rows of so many clusters, of 1 row each or of 1 to 12.
fn draw(judge: Judge, clusters: u32, unequal: bool, seed: u64) -> Vec<ScoredRow> {
    let mut draws = Draws::new(seed, 3);
    let mut uniform = || draws.uniform();
    let mut rows = Vec::new();
    for cluster in 0..clusters {
        let size = if unequal {
            (1.0 / uniform()).min(12.0) as u32
        } else {
            1
        };
        // What the rows of a cluster share; large clusters are harder.
        let shared = (2.0 * uniform() - 1.0) * (1.0 + f64::from(size) / 6.0);
        for _ in 0..size {
            let score = 1.0 + 9.0 * uniform();
            let noise = uniform() + uniform() + uniform() - 1.5;
            let label = match judge {
                Judge::Good => 0.5 * score + 0.6 * shared + noise,
                Judge::Discrete => (0.5 * score + 0.6 * shared + noise).round().clamp(1.0, 5.0),
                Judge::Misfit => (score - 5.5).powi(2) * 0.3 + shared + noise * score / 3.0,
                Judge::Useless if uniform() < 0.05 => 100.0 * noise,
                Judge::Useless => shared + noise,
            };
            let score = match judge {
                Judge::Discrete => score.round(),
                _ => score,
            };
            rows.push((cluster, score, label));
        }
    }
    rows
}

/// How much of each new cluster's labels the intervals hold; None where they are infinite.
fn covered(rows: &[ScoredRow], new: &[ScoredRow], coverage: f64, seed: u64) -> Option<Vec<f64>> {
    let clusters: Vec<u32> = rows.iter().map(|row| row.0).collect();
    let part = deal_clusters(&clusters, 2, seed);
    let (fit, rest): (Vec<ScoredRow>, Vec<ScoredRow>) =
        rows.iter().copied().partition(|row| part[&row.0] == 0);
    let column = |of: fn(&ScoredRow) -> f64| fit.iter().map(of).collect::<Vec<f64>>();
    let clusters: Vec<u32> = fit.iter().map(|row| row.0).collect();
    let line = fit_line(&clusters, &column(|row| row.1), &column(|row| row.2)).unwrap();
    let distance = |row: &ScoredRow| (row.2 - line.at(row.1)).abs();
    let known = rest.iter().map(|row| Nonconformity {
        cluster: row.0,
        distance: distance(row),
    });
    let known: Vec<Nonconformity> = known.collect();
    let within = conformal_threshold(&known, coverage).unwrap().distance?;
    let share = |one: &[ScoredRow]| {
        let held = one.iter().filter(|row| distance(row) <= within).count();
        held as f64 / one.len() as f64
    };
    Some(new.chunk_by(|x, y| x.0 == y.0).map(share).collect())
}

#[test]
fn intervals_of_scores_hold_new_labels() {
    let (seeds, sizes): (u64, &[u32]) = match is_slow() {
        true => (400, &[20, 40, 100, 400]),
        false => (100, &[40]),
    };
    for coverage in [0.8, 0.9] {
        for judge in [Judge::Good, Judge::Discrete, Judge::Misfit, Judge::Useless] {
            for unequal in [false, true] {
                for &clusters in sizes {
                    let (mut sum, mut squares, mut infinite) = (0.0, 0.0, 0);
                    for seed in 0..seeds {
                        let seed = seed ^ u64::from(clusters) << 20 ^ (judge as u64) << 40;
                        let rows = draw(judge, clusters + 20, unequal, seed);
                        let (known, new): (Vec<ScoredRow>, Vec<ScoredRow>) =
                            rows.into_iter().partition(|row| row.0 < clusters);
                        // Each new cluster counts once.
                        let held = covered(&known, &new, coverage, seed);
                        infinite += u64::from(held.is_none());
                        let share =
                            held.map_or(1.0, |all| all.iter().sum::<f64>() / all.len() as f64);
                        sum += share;
                        squares += share * share;
                    }
                    let mean = sum / seeds as f64;
                    let spread = (squares / seeds as f64 - mean * mean).max(0.0);
                    let error = (spread / seeds as f64).sqrt();
                    println!(
                        "{coverage} {judge:?} unequal {unequal} clusters {clusters}: {mean:.3} \
                         ({error:.4}), infinite {infinite}"
                    );
                    assert!(
                        mean >= coverage - 3.0 * error - 1e-9,
                        "{judge:?} {clusters} {mean}"
                    );
                }
            }
        }
    }
}

/// Judged and labelled pairs: cluster, lean and label of each.
#[derive(Default)]
struct Pairs {
    clusters: Vec<u32>,
    leans: Vec<f64>,
    labels: Vec<usize>,
}

/// Pairs of so many clusters of 1 to 3, of a judge whose lean of 1 is worth so many log-odds; a
/// hard one says all or nothing.
fn draw_pairs(hard: bool, worth: f64, clusters: u32, seed: u64) -> Pairs {
    let mut draws = Draws::new(seed ^ (u64::from(clusters) << 20), 4);
    let mut uniform = || draws.uniform();
    let mut pairs = Pairs::default();
    for cluster in 0..clusters {
        let shared = uniform() - 0.5;
        for _ in 0..1 + (3.0 * uniform()) as u32 {
            let lean = (2.0 * uniform() - 1.0 + shared).clamp(-1.0, 1.0);
            let lean = if hard { lean.signum() } else { lean };
            let lead = worth * lean + shared;
            let (first, second) = (sigmoid(lead - 0.5), sigmoid(-lead - 0.5));
            let drawn = uniform();
            pairs.clusters.push(cluster);
            pairs.leans.push(lean);
            pairs.labels.push(match drawn {
                _ if drawn < first => 0,
                _ if drawn < first + second => 2,
                _ => 1,
            });
        }
    }
    pairs
}

/// Of the clusters from `known` on, each counted once: the share of labels in the set that the
/// others give, and how many verdicts a set has.
fn held_in_sets(pairs: &Pairs, known: u32, coverage: f64, seed: u64) -> (f64, f64) {
    let Pairs {
        clusters,
        leans,
        labels,
    } = pairs;
    let rows = 0..clusters.len();
    let labelled: Vec<u32> = clusters
        .iter()
        .copied()
        .filter(|one| *one < known)
        .collect();
    let part = deal_clusters(&labelled, 2, seed);
    let of_part = |wanted: usize| {
        let own = rows
            .clone()
            .filter(|row| part.get(&clusters[*row]) == Some(&wanted));
        own.collect::<Vec<usize>>()
    };
    let fit = of_part(0);
    let chances = fit_verdicts(
        &Vec::from_iter(fit.iter().map(|row| clusters[*row])),
        &Vec::from_iter(fit.iter().map(|row| leans[*row])),
        &Vec::from_iter(fit.iter().map(|row| labels[*row])),
    )
    .unwrap();
    let distance = |row: usize, label: usize| 1.0 - chances.at(leans[row])[label];
    let rest = of_part(1).into_iter().map(|row| Nonconformity {
        cluster: clusters[row],
        distance: distance(row, labels[row]),
    });
    let found = conformal_threshold(&rest.collect::<Vec<_>>(), coverage).unwrap();
    let within = found.distance.unwrap_or(1.0);
    let (mut held, mut sizes, mut count) = (0.0, 0.0, 0.0);
    let new: Vec<usize> = rows.clone().filter(|row| clusters[*row] >= known).collect();
    for one in new.chunk_by(|x, y| clusters[*x] == clusters[*y]) {
        for row in one.iter().copied() {
            let size = (0..3)
                .filter(|label| distance(row, *label) <= within)
                .count();
            sizes += size as f64 / one.len() as f64;
            let is_held = distance(row, labels[row]) <= within;
            held += f64::from(u8::from(is_held)) / one.len() as f64;
        }
        count += 1.0;
    }
    (held / count, sizes / count)
}

#[test]
fn sets_of_verdicts_hold_new_labels() {
    let (seeds, sizes): (u64, &[u32]) = match is_slow() {
        true => (400, &[20, 40, 100, 400]),
        false => (100, &[40]),
    };
    let coverage = 0.9;
    // A judge of probabilities, one that says all or nothing, one that is wrong more often than
    // right, and one that knows nothing.
    for (hard, worth) in [(false, 4.0), (true, 2.0), (false, -2.0), (true, 0.0)] {
        for &clusters in sizes {
            let (mut sum, mut squares, mut size) = (0.0, 0.0, 0.0);
            for seed in 0..seeds {
                let pairs = draw_pairs(hard, worth, clusters + 20, seed);
                let (held, verdicts) = held_in_sets(&pairs, clusters, coverage, seed);
                sum += held;
                squares += held * held;
                size += verdicts;
            }
            let mean = sum / seeds as f64;
            let error = ((squares / seeds as f64 - mean * mean).max(0.0) / seeds as f64).sqrt();
            println!(
                "hard {hard} worth {worth} clusters {clusters}: {mean:.3} ({error:.4}), verdicts \
                 in a set {:.2}",
                size / seeds as f64
            );
            let least = coverage - 3.0 * error - 1e-9;
            assert!(mean >= least, "{hard} {worth} {clusters} {mean}");
        }
    }
}

/// The least distance of which enough rows, by their weight, are no further, from all of them.
fn slow_threshold(rows: &[Nonconformity], coverage: f64) -> Option<f64> {
    let mut clusters: Vec<u32> = rows.iter().map(|row| row.cluster).collect();
    clusters.sort_unstable();
    clusters.dedup();
    let weight = |row: &Nonconformity| {
        let own = rows
            .iter()
            .filter(|other| other.cluster == row.cluster)
            .count();
        1.0 / (own as f64 * (clusters.len() + 1) as f64)
    };
    let mut distances: Vec<f64> = rows.iter().map(|row| row.distance).collect();
    distances.sort_by(f64::total_cmp);
    distances.into_iter().find(|distance| {
        let within = rows.iter().filter(|row| row.distance <= *distance);
        within.map(weight).sum::<f64>() >= coverage - 1e-9
    })
}

proptest! {
    #[test]
    fn the_threshold_is_that_of_its_definition(
        rows in proptest::collection::vec((0u32..8, 0u8..6), 1..60),
        coverage in 0.3..0.95f64,
    ) {
        let rows: Vec<Nonconformity> = rows
            .into_iter()
            .map(|(cluster, distance)| Nonconformity { cluster, distance: distance.into() })
            .collect();
        let found = conformal_threshold(&rows, coverage).unwrap();
        prop_assert_eq!(found.distance, slow_threshold(&rows, coverage));
        prop_assert_eq!(found.distance.is_some(), found.clusters >= found.least_clusters);
    }
}

#[test]
fn nine_clusters_are_enough_for_nine_in_ten() {
    let rows = |count: u32| -> Vec<Nonconformity> {
        (0..count)
            .map(|cluster| Nonconformity {
                cluster,
                distance: cluster.into(),
            })
            .collect()
    };
    assert_eq!(conformal_threshold(&rows(8), 0.9).unwrap().distance, None);
    assert_eq!(
        conformal_threshold(&rows(9), 0.9).unwrap().distance,
        Some(8.0)
    );
    assert_eq!(
        conformal_threshold(&rows(9), 0.9).unwrap().least_clusters,
        9
    );
    assert_eq!(
        conformal_threshold(&rows(19), 0.9).unwrap().distance,
        Some(17.0)
    );
}

#[test]
fn exchanging_the_two_responses_changes_nothing() {
    let leans = [0.9, -0.4, 0.2, -0.8, 0.0];
    let labels = [0, 2, 1, 2, 0];
    let clusters = [0, 1, 2, 3, 3];
    let found = fit_verdicts(&clusters, &leans, &labels).unwrap();
    let turned = fit_verdicts(
        &clusters,
        &leans.map(|lean| -lean),
        &labels.map(|label| 2 - label),
    )
    .unwrap();
    assert!((found.slope - turned.slope).abs() < 1e-8 && (found.tie - turned.tie).abs() < 1e-8);
    let [first, tie, second] = found.at(0.3);
    let [x, y, z] = found.at(-0.3);
    assert!((first - z).abs() < 1e-12 && (second - x).abs() < 1e-12 && (tie - y).abs() < 1e-12);
    assert!((first + tie + second - 1.0).abs() < 1e-12 && tie > 0.0);
}
