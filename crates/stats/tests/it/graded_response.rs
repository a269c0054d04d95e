//! The graded response model: its derivatives by a slow twin, what is undefined, and how well it
//! recovers what was planted.

use crate::common::{normals, uniforms};
use evenhand_stats::graded_response::{GradedResponse, LEAST_CLUSTERS, graded_response};
use evenhand_stats::{Error, Undefined, sigmoid};
use evenhand_testing::is_slow;

/// Four wordings on a scale of five: discriminations, and thresholds as distances around a centre.
const DISCRIMINATIONS: [f64; 4] = [0.8, 1.5, 2.5, 1.5];
const CENTRES: [f64; 4] = [0.0, 0.3, -0.3, 0.0];

fn threshold(wording: usize, k: usize) -> f64 {
    CENTRES[wording] + [-1.5, -0.5, 0.5, 1.5][k]
}

/// Scores of `per_item` responses to each item, whose qualities share what the item makes of them.
fn planted(seed: u64, items: usize, per_item: usize) -> (Vec<Vec<Option<usize>>>, Vec<u32>) {
    planted_as(seed, items, per_item, DISCRIMINATIONS, CENTRES)
}

/// Draws scores as [`planted`] does, under wordings of these discriminations and centres.
fn planted_as(
    seed: u64,
    items: usize,
    per_item: usize,
    discriminations: [f64; 4],
    centres: [f64; 4],
) -> (Vec<Vec<Option<usize>>>, Vec<u32>) {
    let (shared, own) = (normals(seed, 1, items), normals(seed, 2, items * per_item));
    let mut looks = uniforms(seed, 3);
    let (mut rows, mut clusters) = (Vec::new(), Vec::new());
    for (response, own) in own.iter().enumerate() {
        let item = response / per_item;
        let part = if per_item > 1 { 0.5f64 } else { 0.0 };
        let quality = part.sqrt() * shared[item] + (1.0 - part).sqrt() * own;
        let score = |wording: usize| {
            let luck = looks.next().unwrap();
            let above = |k: usize| {
                let threshold = centres[wording] + [-1.5, -0.5, 0.5, 1.5][k];
                sigmoid(discriminations[wording] * (quality - threshold))
            };
            (0..4).filter(|k| luck < above(*k)).count()
        };
        rows.push((0..4).map(score).map(Some).collect());
        clusters.push(item as u32);
    }
    (rows, clusters)
}

fn fit(seed: u64, items: usize, per_item: usize) -> GradedResponse {
    let (rows, clusters) = planted(seed, items, per_item);
    graded_response(&rows, &clusters, 0.95).unwrap()
}

#[test]
fn what_was_planted_comes_back() {
    let found = fit(1, 400, 1);
    assert!(found.fit.converged, "{:?}", found.fit);
    for (wording, fitted) in found.wordings.iter().enumerate() {
        let fitted = fitted.as_ref().unwrap();
        let ratio = fitted.discrimination.value / DISCRIMINATIONS[wording];
        assert!((0.7..1.4).contains(&ratio), "{wording} {fitted:?}");
        assert_eq!(fitted.used, [0, 1, 2, 3, 4]);
        for (k, found) in fitted.thresholds.iter().enumerate() {
            assert!(
                (found.value - threshold(wording, k)).abs() < 0.6,
                "{wording} {k} {found:?}"
            );
        }
    }
    assert!(found.reliability > 0.7 && found.reliability < 0.95);
    assert!(
        found.variation.unwrap() > 0.1,
        "wordings that measure unlike each other"
    );
}

/// The likelihood of the maximum is no less than at any point beside it: by a slow twin that sums
/// over qualities and knows nothing of tables.
#[test]
fn it_is_a_maximum_by_a_slow_twin() {
    let (rows, clusters) = planted(3, 60, 1);
    let found = graded_response(&rows, &clusters, 0.95).unwrap();
    let numbers = |found: &GradedResponse| -> Vec<(f64, Vec<f64>)> {
        let of = |one: &Result<evenhand_stats::graded_response::Wording, Undefined>| {
            let one = one.as_ref().unwrap();
            let thresholds = one.thresholds.iter().map(|fit| fit.value).collect();
            (one.discrimination.value, thresholds)
        };
        found.wordings.iter().map(of).collect()
    };
    let value = |point: &[(f64, Vec<f64>)]| {
        let mut sum = 0.0;
        for row in &rows {
            let (mut chance, mut total) = (0.0, 0.0);
            for node in -120..=120 {
                let quality = f64::from(node) / 20.0;
                let mut term = (-quality * quality / 2.0).exp();
                total += term;
                for ((a, thresholds), score) in point.iter().zip(row) {
                    let score = score.unwrap();
                    let above = |k: usize| match k {
                        0 => 1.0,
                        5 => 0.0,
                        k => sigmoid(a * (quality - thresholds[k - 1])),
                    };
                    term *= above(score) - above(score + 1);
                }
                chance += term;
            }
            sum += (chance / total).ln();
        }
        for (a, thresholds) in point {
            sum -= (a.ln() / 0.5).powi(2) / 2.0;
            sum -= thresholds.iter().map(|b| b * b / 18.0).sum::<f64>();
        }
        sum
    };
    let best = numbers(&found);
    let most = value(&best);
    for wording in 0..4 {
        for step in [-1e-3, 1e-3] {
            let mut beside = best.clone();
            beside[wording].0 *= 1.0 + step;
            assert!(value(&beside) < most, "{wording}");
            for k in 0..4 {
                let mut beside = best.clone();
                beside[wording].1[k] += step;
                assert!(value(&beside) < most, "{wording} {k}");
            }
        }
    }
}

#[test]
fn what_is_undefined_says_why() {
    let (mut rows, clusters) = planted(5, 60, 1);
    // A wording that always says 2, one that never says 3, one without any score.
    for row in &mut rows {
        row[0] = Some(2);
        row[1] = row[1].map(|score| if score == 3 { 4 } else { score });
        row.push(None);
    }
    let found = graded_response(&rows, &clusters, 0.95).unwrap();
    assert_eq!(found.wordings[0], Err(Undefined::Constant));
    assert_eq!(found.wordings[4], Err(Undefined::NoData));
    let wording = found.wordings[1].as_ref().unwrap();
    assert_eq!(
        (&wording.used[..], wording.thresholds.len()),
        (&[0, 1, 2, 4][..], 3)
    );

    let few = graded_response(&rows[..20], &clusters[..20], 0.95).unwrap();
    let why = Undefined::TooFewResponses {
        clusters: 20,
        least: LEAST_CLUSTERS,
    };
    let wording = few.wordings[2].as_ref().unwrap();
    assert_eq!(
        (
            wording.discrimination.interval,
            wording.severity.standard_error
        ),
        (Err(why), Err(why))
    );
    for row in &mut rows {
        row[1] = None;
        row[2] = None;
    }
    let refused = graded_response(&rows, &clusters, 0.95);
    assert_eq!(refused, Err(Undefined::TooFewPoints { points: 0 }.into()));
    assert!(matches!(
        graded_response(&[], &[], 0.95),
        Err(Error::Undefined(Undefined::NoData))
    ));
    assert!(graded_response(&rows, &clusters[1..], 0.95).is_err());
    assert!(graded_response(&rows, &clusters, 0.0).is_err());
}

/// Wordings that always agree have no finite discrimination by likelihood alone.
#[test]
fn wordings_that_always_agree_stay_finite() {
    let (rows, clusters) = planted(7, 80, 1);
    let same: Vec<Vec<Option<usize>>> = rows.iter().map(|row| vec![row[2]; 3]).collect();
    let found = graded_response(&same, &clusters, 0.95).unwrap();
    let wording = found.wordings[0].as_ref().unwrap();
    assert!(wording.discrimination.value > 4.0 && wording.discrimination.value < 100.0);
    assert!(
        found.reliability > 0.9 && found.variation.unwrap() < 1e-6,
        "{:?}",
        found.variation
    );
}

/// How often intervals hold what was planted. Below [`LEAST_CLUSTERS`] there are none.
#[test]
fn intervals_hold_what_was_planted() {
    // (items, responses to each, seeds)
    let sizes: &[(usize, usize, u64)] = match is_slow() {
        true => &[
            (20, 1, 100),
            (50, 1, 300),
            (100, 1, 200),
            (200, 1, 120),
            (400, 1, 60),
            (50, 4, 120),
            (100, 4, 60),
        ],
        false => &[(50, 1, 12)],
    };
    for &(items, per_item, seeds) in sizes {
        // Of discriminations, thresholds and severities: how many are held, of how many; and the
        // mean estimate over the truth, or less it.
        let mut held = [[0.0; 2]; 3];
        let mut bias = [0.0; 3];
        for seed in 0..seeds {
            let found = fit(seed, items, per_item);
            for (wording, fitted) in found.wordings.iter().enumerate() {
                let fitted = fitted.as_ref().unwrap();
                if fitted.thresholds.len() < 4 {
                    continue;
                }
                let mut add =
                    |kind: usize, fit: &evenhand_stats::graded_response::WordingFit, truth: f64| {
                        bias[kind] += if kind == 0 {
                            fit.value / truth - 1.0
                        } else {
                            fit.value - truth
                        };
                        held[kind][1] += 1.0;
                        if let Ok([low, high]) = fit.interval {
                            held[kind][0] += f64::from(u8::from(low <= truth && truth <= high));
                        }
                    };
                add(0, &fitted.discrimination, DISCRIMINATIONS[wording]);
                add(2, &fitted.severity, CENTRES[wording]);
                for (k, found) in fitted.thresholds.iter().enumerate() {
                    add(1, found, threshold(wording, k));
                }
            }
        }
        let share = held.map(|[held, of]| held / of);
        let bias: Vec<f64> = bias
            .iter()
            .zip(held)
            .map(|(bias, [_, of])| bias / of)
            .collect();
        eprintln!(
            "{items} items of {per_item}: discriminations {:.3} ({:+.3}), thresholds {:.3} \
             ({:+.3}), severities {:.3} ({:+.3}), standard error at most {:.3}",
            share[0],
            bias[0],
            share[1],
            bias[1],
            share[2],
            bias[2],
            (0.05 * 0.95 / seeds as f64).sqrt()
        );
        if items >= LEAST_CLUSTERS {
            let margin = 3.0 * (0.05 * 0.95 / seeds as f64).sqrt();
            assert!(
                share.iter().all(|share| *share > 0.93 - margin),
                "{items} {per_item} {share:?}"
            );
        }
    }
}

/// How often some of four wordings that are alike are told apart, and how often those that differ
/// are.
#[test]
fn equal_wordings_are_not_told_apart() {
    let alike = ([1.5; 4], [0.0; 4]);
    let sharp = ([3.0; 4], [0.5; 4]);
    // The first is stricter, the last is vaguer.
    let differing = ([1.5, 1.5, 1.5, 0.5], [0.5, 0.0, 0.0, 0.0]);
    // (items, responses to each, seeds)
    let cells: &[(_, usize, usize, u64)] = match is_slow() {
        true => &[
            (alike, 50, 1, 400),
            (alike, 100, 1, 200),
            (alike, 200, 1, 100),
            (alike, 400, 1, 60),
            (alike, 50, 4, 60),
            (sharp, 50, 1, 200),
            (differing, 50, 1, 100),
            (differing, 100, 1, 100),
            (differing, 200, 1, 60),
        ],
        false => &[(alike, 50, 1, 8)],
    };
    for &((discriminations, centres), items, per_item, seeds) in cells {
        // Severities and discriminations that are told apart: of those alike, of those that differ.
        let mut told = [[0.0; 2]; 2];
        for seed in 0..seeds {
            let (rows, clusters) = planted_as(seed, items, per_item, discriminations, centres);
            let found = graded_response(&rows, &clusters, 0.95).unwrap();
            let mut some = [[false; 2]; 2];
            for one in found.differences.unwrap() {
                let (i, j) = one.pair;
                let severity = one.severity.map(|one| (centres[i] != centres[j], one));
                let slope = discriminations[i] != discriminations[j];
                let kinds = [severity, Some((slope, one.log_discrimination))];
                for (kind, found) in kinds.into_iter().enumerate() {
                    if let Some((differ, contrast)) = found {
                        some[usize::from(differ)][kind] |= contrast.p_adjusted <= 0.05;
                    }
                }
            }
            for (told, some) in told.iter_mut().flatten().zip(some.iter().flatten()) {
                *told += f64::from(u8::from(*some)) / seeds as f64;
            }
        }
        let error = (0.05 * 0.95 / seeds as f64).sqrt();
        let [wrong, right] = told;
        println!(
            "{items} items of {per_item}, discriminations {discriminations:?}, centres \
             {centres:?}: severities told apart wrongly {:.4}, rightly {:.3}; discriminations \
             {:.4}, {:.3} ({error:.4})",
            wrong[0], right[0], wrong[1], right[1]
        );
        let most = 0.05 + 3.0 * error;
        assert!(wrong.iter().all(|share| *share <= most), "{wrong:?}");
    }
}

/// Where no response has scores under two wordings, nothing says how one stands to another; where
/// few have, what the intervals would rest on is few.
#[test]
fn wordings_are_told_apart_by_the_responses_that_they_share() {
    let (rows, clusters) = planted(3, 120, 1);
    let halves = |shared: usize| {
        let rows = rows.iter().enumerate().map(|(at, row)| {
            let of = |wording: usize| row[wording].filter(|_| at < shared || at % 2 == wording);
            vec![of(0), of(1)]
        });
        graded_response(&rows.collect::<Vec<_>>(), &clusters, 0.95)
    };
    assert_eq!(halves(0), Err(Undefined::TooFewPoints { points: 0 }.into()));
    let few = halves(20).unwrap();
    let interval = few.wordings[0].as_ref().unwrap().discrimination.interval;
    let least = LEAST_CLUSTERS;
    let clusters = 20;
    assert_eq!(
        interval,
        Err(Undefined::TooFewResponses { clusters, least })
    );
    let many = halves(60).unwrap();
    assert!(
        many.wordings[0]
            .as_ref()
            .unwrap()
            .discrimination
            .interval
            .is_ok()
    );
}
