//! Prediction-powered inference where the truth is known: the judge's bias goes, intervals get
//! narrower when the judge knows something, and no wider when it does not. Coverage is measured in
//! coverage_ppi.rs.

use crate::common::Draws;
use crate::simulated_labels::{MEAN, STRENGTHS, World, pairs, scores};
use evenhand_stats::prediction_powered::{
    Judged, JudgedPair, Labelled, LabelledPair, Measured, Strengths, Tuning, bradley_terry, mean,
};

fn error(found: &Measured) -> f64 {
    found.uncertainty.unwrap().standard_error
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard error of an average of replications.
fn spread(values: &[f64]) -> f64 {
    let centre = average(values);
    let squares = values.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
    (squares / (values.len() as f64 - 1.0) / values.len() as f64).sqrt()
}

#[test]
fn the_bias_of_a_mean_goes_and_its_interval_narrows() {
    let world = World {
        labelled: 60,
        judged: 600,
        skill: 0.8,
    };
    let found = (0..200).map(|replication| {
        let (labelled, judged) = scores(world, 1, replication);
        mean(&labelled, &judged, Tuning::Tuned, 0.95).unwrap()
    });
    let found: Vec<_> = found.collect();
    let values: Vec<f64> = found.iter().map(|x| x.estimate.value).collect();
    assert!(
        (average(&values) - MEAN).abs() < 4.0 * spread(&values),
        "{}",
        average(&values)
    );
    // The judge alone is 0.2 * (0.85 - 0.6) = 0.05 too kind.
    let judge: Vec<f64> = found.iter().map(|x| x.judge_only.value).collect();
    assert!(
        (average(&judge) - MEAN - 0.05).abs() < 4.0 * spread(&judge),
        "{}",
        average(&judge)
    );
    // What the intervals say of the spread is what it is, and it is less than that of the labels
    // alone.
    let claimed = average(&found.iter().map(|x| error(&x.estimate)).collect::<Vec<_>>());
    let real = spread(&values) * 200f64.sqrt();
    assert!((claimed / real - 1.0).abs() < 0.2, "{claimed} {real}");
    let ratios: Vec<f64> = found
        .iter()
        .map(|x| error(&x.estimate) / error(&x.labels_only))
        .collect();
    assert!(
        ratios.iter().all(|&ratio| ratio < 0.85) && average(&ratios) < 0.7,
        "{}",
        average(&ratios)
    );
    assert!(
        found
            .iter()
            .all(|x| x.effective_labels.unwrap() > 1.3 * 180.0)
    );
}

#[test]
fn a_useless_judge_never_widens_the_interval_of_a_mean() {
    let world = World {
        labelled: 40,
        judged: 400,
        skill: 0.0,
    };
    for replication in 0..200 {
        let (labelled, judged) = scores(world, 2, replication);
        let found = mean(&labelled, &judged, Tuning::Tuned, 0.95).unwrap();
        assert!(
            error(&found.estimate) <= error(&found.labels_only) * (1.0 + 1e-12),
            "{found:?}"
        );
    }
}

fn total(found: &Strengths) -> f64 {
    found
        .systems
        .iter()
        .map(|x| error(x).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[test]
fn the_bias_of_strengths_goes_and_their_intervals_narrow() {
    let world = World {
        labelled: 150,
        judged: 900,
        skill: 0.8,
    };
    let found = (0..60).map(|replication| {
        let (labelled, judged) = pairs(world, 3, replication);
        bradley_terry(4, &labelled, &judged, Tuning::Tuned, 0.95).unwrap()
    });
    let found: Vec<_> = found.collect();
    for (system, truth) in STRENGTHS.iter().enumerate() {
        let values: Vec<f64> = found
            .iter()
            .map(|x| x.estimate.systems[system].value)
            .collect();
        // Maximum likelihood itself is off by O(1/n) at this size, some hundredths.
        assert!(
            (average(&values) - truth).abs() < 4.0 * spread(&values) + 0.02,
            "{}",
            average(&values)
        );
        let judge: Vec<f64> = found
            .iter()
            .map(|x| x.judge_only.as_ref().unwrap().systems[system].value)
            .collect();
        assert!(
            (average(&judge) - truth).abs() > 0.3 * truth.abs(),
            "{}",
            average(&judge)
        );
    }
    let ratios: Vec<f64> = found
        .iter()
        .map(|x| total(&x.estimate) / total(x.labels_only.as_ref().unwrap()))
        .collect();
    assert!(
        ratios.iter().all(|&ratio| ratio < 0.9) && average(&ratios) < 0.75,
        "{}",
        average(&ratios)
    );
}

#[test]
fn a_useless_judge_hardly_widens_the_intervals_of_strengths() {
    let world = World {
        labelled: 150,
        judged: 600,
        skill: 0.0,
    };
    for replication in 0..60 {
        let (labelled, judged) = pairs(world, 4, replication);
        let found = bradley_terry(4, &labelled, &judged, Tuning::Tuned, 0.95).unwrap();
        assert!(
            total(&found.estimate) <= 1.01 * total(&found.labels_only.unwrap()),
            "{}",
            found.lambda
        );
    }
}

/// Beside a judge that says nothing, intervals of strengths cover as those of the labels do.
#[test]
fn strengths_of_few_labels_are_covered_with_a_useless_judge() {
    for labelled in [12, 30] {
        let world = World {
            labelled,
            judged: 200,
            skill: 0.0,
        };
        let (mut covered, mut alone, mut of) = (0, 0, 0);
        for replication in 0..300 {
            let (labelled, judged) = pairs(world, 9, replication);
            let Ok(found) = bradley_terry(4, &labelled, &judged, Tuning::Tuned, 0.95) else {
                continue;
            };
            let Ok(labels_only) = &found.labels_only else {
                continue;
            };
            let held = |systems: &[Measured]| {
                let systems = systems.iter().zip(STRENGTHS);
                let held = systems.filter(|(found, truth)| {
                    let range = found.uncertainty.unwrap();
                    range.low <= *truth && *truth <= range.high
                });
                held.count()
            };
            covered += held(&found.estimate.systems);
            alone += held(&labels_only.systems);
            of += 4;
        }
        let [covered, alone] = [covered, alone].map(|held| held as f64 / f64::from(of));
        // 300 sets; 0.93 is 1.6 standard errors of one strength's coverage below 0.95.
        assert!(
            of >= 1000 && covered > 0.93,
            "{labelled}: {covered} {alone} of {of}"
        );
        assert!(covered > alone - 0.02, "{labelled}: {covered} {alone}");
        println!("{labelled} labelled items: {covered:.3}, the labels alone {alone:.3} of {of}");
    }
}

const FAIR: World = World {
    labelled: 100,
    judged: 400,
    skill: 0.8,
};

fn p_of_scores(replication: u64, keep: impl Fn(u32, f64) -> bool) -> f64 {
    let (mut labelled, judged) = scores(FAIR, 5, replication);
    labelled.retain(|row| keep(row.cluster, row.judge));
    mean(&labelled, &judged, Tuning::Tuned, 0.95)
        .unwrap()
        .sampling
        .test
        .unwrap()
        .p_value
}

fn p_of_pairs(replication: u64, keep: impl Fn(u32, u16) -> bool) -> f64 {
    let (mut labelled, judged) = pairs(FAIR, 6, replication);
    labelled.retain(|row| keep(row.cluster, row.a.min(row.b)));
    let test = bradley_terry(4, &labelled, &judged, Tuning::Given(0.0), 0.95)
        .unwrap()
        .sampling
        .test
        .unwrap();
    assert_eq!(test.degrees, 5);
    test.p_value
}

#[test]
fn a_random_sample_is_seldom_suspected() {
    // 5 % of 200 is 10, standard deviation 3.1; four of them.
    let suspected = |p: &dyn Fn(u64) -> f64| {
        (0..200)
            .filter(|&replication| p(replication) < 0.05)
            .count()
    };
    let (by_scores, by_pairs) = (
        suspected(&|x| p_of_scores(x, |_, _| true)),
        suspected(&|x| p_of_pairs(x, |_, _| true)),
    );
    assert!(by_scores < 23 && by_pairs < 23, "{by_scores} {by_pairs}");
}

/// Five labels are seldom of a response that the judge failed where it fails one in ten, and
/// questions of six rows of one pair are labelled as wholes.
#[test]
fn few_labels_and_large_questions_are_seldom_suspected() {
    // Warned of below 0.01.
    let suspected = |p: f64| u32::from(p < 0.01);
    let (mut few, mut large) = (0, 0);
    for replication in 0..300 {
        let mut draws = Draws::new(replication, 1800);
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for cluster in 0..100 {
            let judge = f64::from(draws.uniform() < 0.9);
            if cluster < 5 {
                labelled.push(Labelled {
                    cluster,
                    human: judge,
                    judge,
                });
            } else {
                judged.push(Judged { cluster, judge });
            }
        }
        let found = mean(&labelled, &judged, Tuning::Tuned, 0.95).unwrap();
        few += suspected(found.sampling.test.map_or(1.0, |test| test.p_value));

        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for row in 0..360 {
            let cluster = row / 6;
            let mut pair = Draws::new(replication, 1801 + u64::from(cluster));
            let a = (pair.uniform() * 4.0) as u16;
            let b = (a + 1 + (pair.uniform() * 3.0) as u16) % 4;
            let judge = f64::from(draws.uniform() < 0.5);
            if cluster < 20 {
                labelled.push(LabelledPair {
                    cluster,
                    a,
                    b,
                    human: judge,
                    judge,
                });
            } else {
                judged.push(JudgedPair {
                    cluster,
                    a,
                    b,
                    judge,
                });
            }
        }
        if let Ok(found) = bradley_terry(4, &labelled, &judged, Tuning::Given(0.5), 0.95) {
            large += suspected(found.sampling.test.unwrap().p_value);
        }
    }
    // Of few labels that are wrong or right p is coarse: 5 % of 300 are 15, standard deviation 3.8.
    assert!(few < 23 && large < 10, "{few} {large}");
}

#[test]
fn a_chosen_sample_is_noticed() {
    for replication in 0..10 {
        // On every other item only what the judge passed is labelled.
        assert!(
            p_of_scores(replication, |cluster, judge| judge == 1.0
                || cluster % 2 == 0)
                < 0.01
        );
        // On every other item only comparisons with system 0 are.
        assert!(p_of_pairs(replication, |cluster, lower| lower == 0 || cluster % 2 == 0) < 0.05);
    }
}
