//! How often prediction-powered intervals hold the truth: thousands of simulated studies, most of
//! them run where EVENHAND_SLOW is 1.

use crate::simulated_labels::{MEAN, STRENGTHS, World, pairs, scores};
use evenhand_stats::draw_clusters;
use evenhand_stats::misclassification::{Count, PassCounts, rogan_gladen};
use evenhand_stats::prediction_powered::{Judged, Labelled, Measured, Tuning, bradley_terry, mean};
use evenhand_testing::is_slow_or_skips;

const REPLICATIONS: u64 = 4000;

fn holds(found: &Measured, truth: f64) -> bool {
    found
        .uncertainty
        .is_ok_and(|x| (x.low..=x.high).contains(&truth))
}

/// The covered share must be within four binomial standard deviations of `low..=high`.
fn check(what: &str, covered: u64, of: u64, low: f64, high: f64) {
    let share = covered as f64 / of as f64;
    let slack = 4.0 * (0.95f64 * 0.05 / of as f64).sqrt();
    eprintln!(
        "{what}: {covered} of {of} hold the truth, {:.2} %",
        100.0 * share
    );
    assert!(
        (low - slack..=high + slack).contains(&share),
        "{what}: {share}"
    );
}

fn of_mean(world: World, tuning: Tuning) -> u64 {
    let run = |replication| {
        let (labelled, judged) = scores(world, 7, replication);
        holds(
            &mean(&labelled, &judged, tuning, 0.95).unwrap().estimate,
            MEAN,
        )
    };
    (0..REPLICATIONS)
        .filter(|&replication| run(replication))
        .count() as u64
}

#[test]
fn means() {
    if !is_slow_or_skips("thousands of simulated studies, which take a minute") {
        return;
    }
    for skill in [0.0, 0.5, 0.9] {
        for (labelled, low) in [(200, 0.945), (50, 0.93), (20, 0.9)] {
            let world = World {
                labelled,
                judged: 400,
                skill,
            };
            for tuning in [Tuning::Tuned, Tuning::Given(1.0)] {
                let what = format!("mean, {labelled} labelled items, skill {skill}, {tuning:?}");
                check(&what, of_mean(world, tuning), REPLICATIONS, low, 0.955);
            }
        }
    }
}

/// People pass half of the answers, the judge all that people pass and one in ten of the others.
/// Few labels show none of these errors or a few, and the interval is too narrow: rankings with so
/// few warn of it.
#[test]
fn a_judge_that_errs_rarely_takes_a_hundred_labels() {
    let row = |next: &mut dyn FnMut() -> f64| {
        let human = f64::from(next() < 0.5);
        let lenient = f64::from(next() < 0.1);
        (human, human.max(lenient))
    };
    for (labels, low, high) in [
        (10, 0.40, 0.50),
        (20, 0.62, 0.72),
        (40, 0.84, 0.90),
        (100, 0.92, 0.955),
    ] {
        let (mut covered, mut of) = (0, 0);
        for replication in 0..REPLICATIONS / 4 {
            let mut draws = draw_clusters(11, replication, 1 << 31);
            let mut next = || (f64::from(draws.next().unwrap()) + 0.5) / f64::from(1u32 << 31);
            let labelled = (0..labels).map(|cluster| {
                let (human, judge) = row(&mut next);
                Labelled {
                    cluster,
                    human,
                    judge,
                }
            });
            let labelled: Vec<Labelled> = labelled.collect();
            let judged = (labels..labels + 1000).map(|cluster| Judged {
                cluster,
                judge: row(&mut next).1,
            });
            let judged: Vec<Judged> = judged.collect();
            let found = mean(&labelled, &judged, Tuning::Tuned, 0.95).unwrap();
            of += u64::from(found.estimate.uncertainty.is_ok());
            covered += u64::from(holds(&found.estimate, 0.5));
        }
        let what = format!("mean, {labels} labels, a judge that errs rarely");
        check(&what, covered, of, low, high);
    }
}

#[test]
fn strengths() {
    if !is_slow_or_skips("thousands of simulated studies, which take a minute") {
        return;
    }
    for (skill, labelled, low) in [
        (0.0, 200, 0.94),
        (0.6, 200, 0.94),
        (0.9, 200, 0.94),
        (0.9, 60, 0.92),
    ] {
        let world = World {
            labelled,
            judged: 600,
            skill,
        };
        let (mut covered, mut undefined) = (0, 0);
        for replication in 0..REPLICATIONS / 4 {
            let (labelled, judged) = pairs(world, 8, replication);
            match bradley_terry(4, &labelled, &judged, Tuning::Tuned, 0.95) {
                Ok(found) => {
                    let systems = found.estimate.systems.iter().zip(STRENGTHS);
                    covered += systems
                        .filter(|(found, truth)| holds(found, *truth))
                        .count() as u64;
                }
                Err(_) => undefined += 1,
            }
        }
        // The four of a replication are not independent, so the number of replications is what
        // counts; here all four are pooled, and the bounds are for a fourth of them.
        let what =
            format!("strengths, {labelled} labelled items, skill {skill}, {undefined} undefined");
        check(&what, covered / 4, REPLICATIONS / 4 - undefined, low, 0.96);
    }
}

/// Successes of independent trials; crude, and exact enough.
fn binomial(seed: u64, replication: u64, trials: u32, chance: f64) -> Count {
    let limit = (chance * f64::from(u32::MAX)) as u32;
    let successes = draw_clusters(seed, replication, u32::MAX)
        .take(trials as usize)
        .filter(|&draw| draw < limit)
        .count();
    Count {
        successes: successes as f64,
        trials: f64::from(trials),
    }
}

#[test]
fn corrected_pass_rates() {
    if !is_slow_or_skips("thousands of simulated studies, which take a minute") {
        return;
    }
    let (sensitivity, specificity): (f64, f64) = (0.9, 0.8);
    for (truth, trials, labels) in [(0.5, 500, 100), (0.1, 200, 50), (0.9, 100, 30)] {
        let chance = truth * sensitivity + (1.0 - truth) * (1.0 - specificity);
        let (mut delta, mut adjusted) = (0, 0);
        for replication in 0..REPLICATIONS {
            let counts = PassCounts {
                passed: binomial(1, replication, trials, chance),
                sensitivity: binomial(2, replication, labels, sensitivity),
                specificity: binomial(3, replication, labels, specificity),
            };
            let found = rogan_gladen(&counts, 0.95).unwrap();
            let within = |ends: &evenhand_stats::misclassification::ClippedInterval| {
                (ends.low.value..=ends.high.value).contains(&truth)
            };
            delta += u64::from(found.delta.is_ok_and(|ends| within(&ends)));
            adjusted += u64::from(found.adjusted.is_some_and(|ends| within(&ends)));
        }
        check(
            &format!("delta method, truth {truth}, {labels} labels each"),
            delta,
            REPLICATIONS,
            0.9,
            0.98,
        );
        check(
            &format!("adjusted, truth {truth}, {labels} labels each"),
            adjusted,
            REPLICATIONS,
            0.94,
            0.98,
        );
    }
}
