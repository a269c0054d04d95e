//! How often prediction-powered intervals hold the truth: thousands of simulated studies, most of
//! them run where EVENHAND_SLOW is 1.

use crate::simulated_labels::{MEAN, STRENGTHS, World, pairs, scores};
use evenhand_stats::draw_clusters;
use evenhand_stats::misclassification::{Count, PassCounts, rogan_gladen};
use evenhand_stats::prediction_powered::{
    Judged, JudgedPair, Labelled, LabelledPair, Measured, Tuning, bradley_terry, mean,
};
use evenhand_testing::{is_slow, is_slow_or_skips};

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
        for (labelled, low) in [(200, 0.945), (50, 0.945), (20, 0.94)] {
            let world = World {
                labelled,
                judged: 400,
                skill,
            };
            for tuning in [Tuning::Tuned, Tuning::Given(1.0)] {
                let what = format!("mean, {labelled} labelled items, skill {skill}, {tuning:?}");
                check(&what, of_mean(world, tuning), REPLICATIONS, low, 0.99);
            }
        }
    }
}

fn uniform(seed: u64, replication: u64) -> impl FnMut() -> f64 {
    let mut draws = draw_clusters(seed, replication, 1 << 31);
    move || (f64::from(draws.next().unwrap()) + 0.5) / f64::from(1u32 << 31)
}

/// How a judge that is mostly right errs.
#[derive(Clone, Copy, Debug)]
enum Errs {
    /// It passes some of what people fail.
    Leniently,
    /// It fails some of what people pass.
    Harshly,
    Either,
}

/// Few labels show none of a judge's rare errors or a few of them. Intervals must hold the truth
/// as often as they say, or at least about as often as those of the labels alone, which are too
/// narrow where people pass nearly everything.
#[test]
fn few_labels_do_not_hide_a_judge_s_rare_errors() {
    let (passes, errors, sizes): (&[f64], &[f64], &[u32]) = if is_slow() {
        (
            &[0.1, 0.3, 0.5, 0.7, 0.9],
            &[0.02, 0.1, 0.2],
            &[3, 5, 10, 20, 40, 60, 100],
        )
    } else {
        (&[0.5, 0.7], &[0.02, 0.2], &[3, 10, 40])
    };
    let replications = if is_slow() { 2000 } else { 300 };
    for &passed in passes {
        for errs in [Errs::Leniently, Errs::Harshly, Errs::Either] {
            for &error in errors {
                for &labels in sizes {
                    let row = |next: &mut dyn FnMut() -> f64| {
                        let human = f64::from(next() < passed);
                        let judge = match (next() < error, errs) {
                            (false, _) => human,
                            (true, Errs::Leniently) => 1.0,
                            (true, Errs::Harshly) => 0.0,
                            (true, Errs::Either) => 1.0 - human,
                        };
                        (human, judge)
                    };
                    let (mut powered, mut alone, mut of) = (0, 0, 0);
                    for replication in 0..replications {
                        let mut next = uniform(11, replication);
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
                        // Labels that do not vary have no interval, and with them there is none.
                        of += u64::from(found.estimate.uncertainty.is_ok());
                        powered += u64::from(holds(&found.estimate, passed));
                        alone += u64::from(holds(&found.labels_only, passed));
                    }
                    let what = format!("{labels} labels, {passed} pass, {error} erring {errs:?}");
                    let low = (alone as f64 / of as f64).min(0.95) - 0.02;
                    check(&what, powered, of, low, 1.0);
                }
            }
        }
    }
}

/// Of the labelled items three have as many rows as all others: a mean and a strength rest on
/// three.
#[test]
fn labels_over_uneven_items_cover() {
    let replications = if is_slow() { 2000 } else { 200 };
    for items in [10, 30, 100] {
        let (mut missed, mut of) = ([0.0; 2], [0.0; 2]);
        for replication in 0..replications {
            let mut next = uniform(13 + u64::from(items), replication);
            let (mut labelled, mut judged) = (Vec::new(), Vec::new());
            for cluster in 0..items + 200 {
                let is_heavy = cluster < items && cluster % (items / 3) == 0;
                let chance = next();
                for _ in 0..if is_heavy { items / 2 } else { 1 } {
                    let human = f64::from(next() < chance);
                    let judge = if next() < 0.8 { human } else { 1.0 - human };
                    let (a, b) = (0, 1);
                    if cluster < items {
                        labelled.push(LabelledPair {
                            cluster,
                            a,
                            b,
                            human,
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
            }
            let rows = labelled.iter().map(|row| Labelled {
                cluster: row.cluster,
                human: row.human,
                judge: row.judge,
            });
            let others = judged.iter().map(|row| Judged {
                cluster: row.cluster,
                judge: row.judge,
            });
            let rows: Vec<Labelled> = rows.collect();
            let others: Vec<Judged> = others.collect();
            let mean = mean(&rows, &others, Tuning::Tuned, 0.95).unwrap().estimate;
            let strength = bradley_terry(2, &labelled, &judged, Tuning::Tuned, 0.95);
            let strength = strength.ok().map(|found| found.estimate.systems[0]);
            for (at, (found, truth)) in [(Some(mean), 0.5), (strength, 0.0)].iter().enumerate() {
                let found = found.filter(|found| found.uncertainty.is_ok());
                of[at] += f64::from(found.is_some());
                missed[at] += f64::from(found.is_some_and(|found| !holds(&found, *truth)));
            }
        }
        let [mean, strength] = [0, 1].map(|at| missed[at] / of[at]);
        eprintln!("{items} uneven items: missed a mean {mean:.3}, a strength {strength:.3}");
        let most = 0.055 + 3.0 * (0.05 * 0.95 / replications as f64).sqrt();
        assert!(
            mean.max(strength) < most,
            "{items}: mean {mean}, strength {strength}"
        );
    }
}

/// Holds intervals of strengths to it, where the judge gives one system a share of its losses.
#[test]
fn few_labels_do_not_hide_that_a_judge_favours_a_system() {
    let replications = if is_slow() { 1000 } else { 60 };
    for truth in [vec![0.0; 4], vec![1.0, 0.3, -0.3, -1.0], vec![0.5, -0.5]] {
        let k = truth.len();
        for favour in [0.1, 0.3, 0.6] {
            for labels in [6, 10, 20, 40, 100] {
                let (mut covered, mut of) = (0, 0);
                for replication in 0..replications {
                    let mut next = uniform(12, replication);
                    let (mut labelled, mut judged) = (Vec::new(), Vec::new());
                    for cluster in 0..labels + 600 {
                        let from = (next() * k as f64) as usize;
                        let to = (from + 1 + (next() * (k - 1) as f64) as usize) % k;
                        let lead: f64 = truth[from] - truth[to];
                        let human = f64::from(next() < 1.0 / (1.0 + (-lead).exp()));
                        let favours = next() < favour;
                        let judge = match (from, to) {
                            (0, _) if favours => 1.0,
                            (_, 0) if favours => 0.0,
                            _ => human,
                        };
                        let (a, b) = (from as u16, to as u16);
                        if cluster < labels {
                            labelled.push(LabelledPair {
                                cluster,
                                a,
                                b,
                                human,
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
                    let Ok(found) = bradley_terry(k, &labelled, &judged, Tuning::Tuned, 0.95)
                    else {
                        continue;
                    };
                    let first = &found.estimate.systems[0];
                    // Without finite strengths by the labels alone there is no interval.
                    assert!(found.labels_only.is_ok() || first.uncertainty.is_err());
                    of += u64::from(first.uncertainty.is_ok());
                    covered += u64::from(holds(first, truth[0]));
                }
                let what =
                    format!("{k} systems, {labels} labels, a judge that favours by {favour}");
                check(&what, covered, of, 0.94, 1.0);
            }
        }
    }
}

/// A judge that says what people say in so small a share of cases that its lambda is at or near 0,
/// and elsewhere favours the weak: strengths miss no more often than they should, and near 0 their
/// intervals are as wide as those of the labels alone, which they are at 0.
#[test]
fn strengths_by_a_judge_of_little_weight_cover() {
    let replications = if is_slow() { 1000 } else { 40 };
    for labels in [30, 60, 100, 300] {
        for skill in [0.0, 0.1, 0.2, 0.4] {
            let [mut missed, mut alone, mut of] = [0.0; 3];
            let (mut near, mut zero) = (Vec::new(), 0);
            for replication in 0..replications {
                let mut next = uniform(14, replication);
                let (mut labelled, mut judged) = (Vec::new(), Vec::new());
                for cluster in 0..labels + 600 {
                    let a = (next() * 4.0) as u16;
                    let b = (a + 1 + (next() * 3.0) as u16) % 4;
                    let lead = STRENGTHS[usize::from(a)] - STRENGTHS[usize::from(b)];
                    let mut wins = |lead: f64| f64::from(next() < 1.0 / (1.0 + (-lead).exp()));
                    let (human, biased) = (wins(lead), wins(-lead));
                    let judge = if next() < skill { human } else { biased };
                    match cluster < labels {
                        true => labelled.push(LabelledPair {
                            cluster,
                            a,
                            b,
                            human,
                            judge,
                        }),
                        false => judged.push(JudgedPair {
                            cluster,
                            a,
                            b,
                            judge,
                        }),
                    }
                }
                let found = bradley_terry(4, &labelled, &judged, Tuning::Tuned, 0.95);
                let Ok(found) = found else { continue };
                let Ok(labels_only) = &found.labels_only else {
                    continue;
                };
                zero += u64::from(found.lambda == 0.0);
                let both = found.estimate.systems.iter().zip(&labels_only.systems);
                for ((found, labels_only), truth) in both.clone().zip(STRENGTHS) {
                    missed += f64::from(!holds(found, truth));
                    alone += f64::from(!holds(labels_only, truth));
                    of += 1.0;
                }
                if found.lambda > 0.0 && found.lambda < 0.05 {
                    let error = |one: &Measured| one.uncertainty.unwrap().standard_error;
                    near.extend(both.map(|(found, alone)| error(found) / error(alone)));
                }
            }
            let (missed, alone) = (missed / of, alone / of);
            let widest = near.iter().copied().fold(1.0, f64::max);
            let narrowest = near.iter().copied().fold(1.0, f64::min);
            eprintln!(
                "{labels} labels, skill {skill}: missed {missed:.4}, labels alone {alone:.4}; lambda \
                 0 in {zero} of {replications}, near 0 {} of {of} as wide as by labels alone \
                 {narrowest:.3} to {widest:.3}",
                near.len()
            );
            // Four strengths of a data set are as three independent ones at most.
            let most = 0.06 + 3.0 * (0.05 * 0.95 / (replications as f64)).sqrt() / 3f64.sqrt();
            assert!(missed <= most, "{labels} labels, skill {skill}: {missed}");
            assert!(narrowest > 0.8 && widest < 1.2, "{narrowest} to {widest}");
        }
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
