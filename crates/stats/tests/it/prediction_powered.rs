//! Prediction-powered inference against ppi_py (tests/cases/record_ppi.py) and against slow,
//! obvious twins.

use crate::common::numbers;
use evenhand_stats::misclassification::{Count, PassCounts, rogan_gladen};
use evenhand_stats::prediction_powered::{
    Judged, JudgedPair, Labelled, LabelledPair, PoweredError, PoweredMean, PoweredStrengths,
    Tuning, bradley_terry, mean,
};
use evenhand_stats::{Error, Tally, Undefined};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

const Z: f64 = 1.959_963_984_540_054;

fn cases() -> Value {
    serde_json::from_str(include_str!("../cases/ppi.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn near(found: f64, expected: f64, within: f64) -> bool {
    (found - expected).abs() <= within
}

/// Labels in which system 0 won everything, and a judge that says something else of it, or nearly
/// the same: a strength that nothing but a tiny weight of the judge keeps finite is none, and others
/// have no interval.
#[test]
fn labels_in_which_one_won_everything_give_no_interval() {
    for (agrees, of) in [(0, 10), (3, 10), (5, 10), (8, 10), (9, 10)] {
        let judge = |at: u32| f64::from(at % of < agrees);
        let labelled = (0..30).map(|at| {
            let (a, b) = [(0, 1), (1, 2), (0, 2)][at as usize % 3];
            let human = if a == 0 { 1.0 } else { f64::from(at % 2) };
            LabelledPair {
                cluster: at,
                a,
                b,
                human,
                judge: judge(at / 3),
            }
        });
        let judged = (30..630).map(|at| {
            let (a, b) = [(0, 1), (1, 2), (0, 2)][at as usize % 3];
            JudgedPair {
                cluster: at,
                a,
                b,
                judge: judge(at / 3),
            }
        });
        let (labelled, judged): (Vec<_>, Vec<_>) = (labelled.collect(), judged.collect());
        match bradley_terry(3, &labelled, &judged, Tuning::Tuned, 0.95) {
            Ok(found) => {
                assert!(found.lambda >= 0.01, "{}", found.lambda);
                for system in &found.estimate.systems {
                    assert_eq!(system.uncertainty, Err(Undefined::LabelsOneSided));
                    assert!(system.value.abs() < 6.0, "{found:?}");
                }
            }
            Err(error) => assert!(
                matches!(error, PoweredError::NoFiniteMaximum { .. }),
                "{error}"
            ),
        }
    }
}

/// Every row in a cluster of its own.
fn single_rows(human: &[f64], labelled: &[f64], others: &[f64]) -> (Vec<Labelled>, Vec<Judged>) {
    let with = human
        .iter()
        .zip(labelled)
        .zip(0..)
        .map(|((&human, &judge), cluster)| Labelled {
            cluster,
            human,
            judge,
        });
    (
        with.collect(),
        others
            .iter()
            .zip(10_000..)
            .map(|(&judge, cluster)| Judged { cluster, judge })
            .collect(),
    )
}

fn variance(values: &[f64], less: f64) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() as f64 - less)
}

/// The standard error by the textbook, with variances over n - less.
fn twin_error(human: &[f64], labelled: &[f64], others: &[f64], lambda: f64, less: f64) -> f64 {
    let rest: Vec<f64> = human
        .iter()
        .zip(labelled)
        .map(|(y, f)| y - lambda * f)
        .collect();
    let judge = lambda * lambda * variance(others, less) / others.len() as f64;
    (variance(&rest, less) / rest.len() as f64 + judge).sqrt()
}

/// Returns what errors of the judge add that labels do not show: 8 sqrt(fourth moment) / n^2.
fn unseen(labelled: &[f64]) -> f64 {
    let n = labelled.len() as f64;
    let mean = labelled.iter().sum::<f64>() / n;
    let fourth = labelled.iter().map(|x| (x - mean).powi(4)).sum::<f64>() / n;
    8.0 * fourth.sqrt() / (n * n)
}

#[test]
fn means_are_those_of_ppi_py() {
    for case in list(&cases()["mean"]) {
        let [human, labelled, others] =
            ["human", "labelled", "unlabelled"].map(|key| numbers(&case[key]));
        let (with, without) = single_rows(&human, &labelled, &others);
        for run in list(&case["runs"]) {
            let lambda = number(&run["lambda"]);
            let found = mean(&with, &without, Tuning::Given(lambda), 0.95).unwrap();
            assert!(
                near(found.estimate.value, number(&run["estimate"]), 1e-12),
                "{found:?}"
            );
            // Theirs is over n, ours over n - 1.
            let theirs = (number(&run["high"]) - number(&run["low"])) / 2.0 / Z;
            assert!(near(
                theirs,
                twin_error(&human, &labelled, &others, lambda, 0.0),
                1e-9
            ));
            let ours = found.estimate.uncertainty.unwrap().standard_error;
            assert!(near(
                ours,
                twin_error(&human, &labelled, &others, lambda, 1.0),
                1e-12
            ));
            assert!(ours > theirs && ours < 1.05 * theirs, "{ours} {theirs}");
        }
        // They pool the judge's variance over labelled and other rows, we take it of the difference
        // of the means, and more for errors that the labels do not show.
        let found = mean(&with, &without, Tuning::Tuned, 0.95).unwrap();
        let of_difference = variance(&labelled, 1.0) / labelled.len() as f64
            + variance(&others, 1.0) / others.len() as f64;
        let without_unseen = found.lambda * (1.0 + unseen(&labelled) / of_difference);
        let theirs = number(&case["tuned"]);
        assert!(
            near(without_unseen, theirs, 0.12) && found.lambda <= theirs,
            "{} {without_unseen} {theirs}",
            found.lambda
        );
    }
}

fn pair_rows(case: &Value) -> (Vec<LabelledPair>, Vec<JudgedPair>) {
    let system = |value: &Value| value.as_u64().unwrap() as u16;
    let with = list(&case["labelled"])
        .iter()
        .zip(0..)
        .map(|(row, cluster)| {
            let (a, b) = (system(&row[0]), system(&row[1]));
            LabelledPair {
                cluster,
                a,
                b,
                human: number(&row[2]),
                judge: number(&row[3]),
            }
        });
    let without = list(&case["unlabelled"])
        .iter()
        .zip(10_000..)
        .map(|(row, cluster)| {
            let (a, b) = (system(&row[0]), system(&row[1]));
            JudgedPair {
                cluster,
                a,
                b,
                judge: number(&row[2]),
            }
        });
    (with.collect(), without.collect())
}

#[test]
fn strengths_are_those_of_ppi_py() {
    for case in list(&cases()["pairs"]) {
        let k = case["systems"].as_u64().unwrap() as usize;
        let (with, without) = pair_rows(case);
        for run in list(&case["runs"]) {
            let found = bradley_terry(
                k,
                &with,
                &without,
                Tuning::Given(number(&run["lambda"])),
                0.95,
            )
            .unwrap();
            let (systems, covariance) = (&found.estimate.systems, &found.estimate.covariance);
            let (expected, half) = (numbers(&run["estimate"]), numbers(&run["half"]));
            for i in 0..k - 1 {
                // Theirs is the difference to the last system.
                let lead = systems[i].value - systems[k - 1].value;
                let variance =
                    covariance[i * k + i] - 2.0 * covariance[i * k + k - 1] + covariance[k * k - 1];
                assert!(near(lead, expected[i], 1e-8), "{lead} {}", expected[i]);
                assert!(
                    near(Z * variance.sqrt(), half[i], 1e-8),
                    "{} {}",
                    Z * variance.sqrt(),
                    half[i]
                );
            }
        }
    }
}

#[test]
fn the_adjusted_interval_is_that_of_lang_and_reiczigel() {
    for case in list(&cases()["lang_reiczigel"]) {
        let counts = numbers(&case["counts"]);
        let count = |at: usize| Count {
            successes: counts[at],
            trials: counts[at + 1],
        };
        let counts = PassCounts {
            passed: count(0),
            sensitivity: count(2),
            specificity: count(4),
        };
        let found = rogan_gladen(&counts, number(&case["level"]))
            .unwrap()
            .adjusted
            .unwrap();
        assert!(
            near(found.low.value, number(&case["low"]), 1e-9),
            "{found:?}"
        );
        assert!(
            near(found.high.value, number(&case["high"]), 1e-9),
            "{found:?}"
        );
    }
}

#[test]
fn lambda_0_is_the_labels_and_their_maximum_likelihood() {
    let all = cases();
    let (with, without) = pair_rows(&all["pairs"][1]);
    let found = bradley_terry(4, &with, &without, Tuning::Given(0.0), 0.95).unwrap();
    let mut tally = Tally::new(4).unwrap();
    for row in &with {
        tally
            .add(row.a.into(), row.b.into(), row.human, 0.0, 1.0 - row.human)
            .unwrap();
    }
    let alone = found.labels_only.unwrap();
    for (i, twin) in evenhand_stats::bradley_terry(&tally)
        .scores
        .estimates
        .iter()
        .enumerate()
    {
        assert!(near(
            found.estimate.systems[i].value,
            twin.finite().unwrap(),
            1e-9
        ));
        assert!(near(alone.systems[i].value, twin.finite().unwrap(), 1e-9));
    }
    assert_eq!(found.estimate, alone);
    // A judge that is wrong throughout has no weight, and changes nothing.
    let mut wrong = with.clone();
    for row in &mut wrong {
        row.judge = 1.0 - row.human;
    }
    let found = bradley_terry(4, &wrong, &without, Tuning::Tuned, 0.95).unwrap();
    assert_eq!(found.lambda, 0.0);
    assert_eq!(Ok(&found.estimate), found.labels_only.as_ref());
}

#[test]
fn a_judge_that_is_always_right_lends_all_its_verdicts() {
    let all = cases();
    let (mut with, mut without) = pair_rows(&all["pairs"][1]);
    without
        .iter_mut()
        .for_each(|row| row.judge = row.judge.round());
    with.iter_mut().for_each(|row| row.judge = row.human);
    // 280 rows; the best lambda is N / (n + N) = 5/7 but for the noise of the variances.
    let given = bradley_terry(4, &with, &without, Tuning::Given(5.0 / 7.0), 0.95).unwrap();
    assert!(
        near(given.effective_labels.unwrap(), 280.0, 28.0),
        "{:?}",
        given.effective_labels
    );
    // 80 labels may hide errors, which are 8/80 of the labels' variance or a little more: lambda is
    // 1 / (1 + 80/200 + 0.1) or a little less, and the variance 1 - lambda of the labels'.
    let found = bradley_terry(4, &with, &without, Tuning::Tuned, 0.95).unwrap();
    assert!(near(found.lambda, 0.65, 0.08), "{}", found.lambda);
    assert!(
        near(
            found.effective_labels.unwrap() * (1.0 - found.lambda),
            80.0,
            12.0
        ),
        "{:?} {}",
        found.effective_labels,
        found.lambda
    );
}

#[test]
fn what_is_undefined_is_said_with_the_systems() {
    let with = |cluster, a, b, human| LabelledPair {
        cluster,
        a,
        b,
        human,
        judge: 0.5,
    };
    let without = |cluster, a, b| JudgedPair {
        cluster,
        a,
        b,
        judge: 0.5,
    };
    let judged = [
        without(10, 0, 1),
        without(11, 1, 2),
        without(12, 2, 3),
        without(13, 3, 0),
    ];
    let run = |labelled: &[LabelledPair]| bradley_terry(4, labelled, &judged, Tuning::Tuned, 0.95);
    let apart = run(&[with(0, 0, 2, 1.0), with(1, 2, 0, 1.0), with(2, 1, 0, 1.0)]).unwrap_err();
    assert_eq!(
        apart,
        PoweredError::LabelsDisconnected {
            components: vec![vec![0, 1, 2], vec![3]]
        }
    );
    assert!(apart.to_string().contains("[[0, 1, 2], [3]]"), "{apart}");
    // 3 won everything from all others, and the judge says nothing of it.
    let rows = [
        with(0, 0, 1, 0.5),
        with(1, 1, 2, 0.5),
        with(2, 2, 3, 0.0),
        with(3, 0, 3, 0.0),
        with(4, 0, 2, 0.5),
    ];
    let found = bradley_terry(4, &rows, &judged, Tuning::Given(0.0), 0.95);
    assert_eq!(
        found.unwrap_err(),
        PoweredError::NoFiniteMaximum {
            lambda: 0.0,
            above: vec![3]
        }
    );
    let found = bradley_terry(4, &rows, &judged, Tuning::Given(1.0), 0.95).unwrap();
    assert!(
        matches!(found.labels_only, Err(PoweredError::NoFiniteMaximum { .. })),
        "{found:?}"
    );
    assert_eq!(found.effective_labels, Err(Undefined::NotComparable));
    let few = run(&[with(0, 0, 1, 1.0), with(0, 1, 2, 1.0), with(0, 2, 3, 1.0)]);
    assert!(matches!(
        few,
        Err(PoweredError::TooFewClusters {
            list: "with a label",
            clusters: 1
        })
    ));
    let bad = run(&[with(0, 0, 1, 1.0), with(0, 1, 4, 1.0)]).unwrap_err();
    assert_eq!(
        bad,
        PoweredError::Row {
            list: "with a label",
            error: Error::NoSuchSystem {
                row: 1,
                system: 4,
                systems: 4
            }
        }
    );
    let one = bradley_terry(1, &[], &[], Tuning::Tuned, 0.95).unwrap_err();
    assert_eq!(one, PoweredError::Input(Undefined::OneSystem.into()));
}

/// Rows of a mean: (cluster, human if labelled, judge).
type Row = (u32, Option<f64>, f64);

fn run_mean(rows: &[Row], tuning: Tuning) -> Result<PoweredMean, PoweredError> {
    let labelled = rows.iter().filter_map(|row| {
        Some(Labelled {
            cluster: row.0,
            human: row.1?,
            judge: row.2,
        })
    });
    let judged = rows.iter().filter(|row| row.1.is_none()).map(|row| Judged {
        cluster: row.0,
        judge: row.2,
    });
    mean(
        &labelled.collect::<Vec<_>>(),
        &judged.collect::<Vec<_>>(),
        tuning,
        0.95,
    )
}

/// The slow twin of the clustered variance: each cluster's share of the estimate, one cluster after
/// another.
fn twin_variance(rows: &[Row], lambda: f64) -> f64 {
    let of = |keep: &dyn Fn(&Row) -> bool, value: &dyn Fn(&Row) -> f64, cluster: u32| {
        let kept: Vec<&Row> = rows.iter().filter(|row| keep(row)).collect();
        let mean = kept.iter().map(|row| value(row)).sum::<f64>() / kept.len() as f64;
        let own: Vec<&&Row> = kept.iter().filter(|row| row.0 == cluster).collect();
        let share = own.len() as f64 / kept.len() as f64;
        let sum: f64 = own.iter().map(|row| value(row) - mean).sum();
        sum / kept.len() as f64 / (1.0 - share).sqrt()
    };
    (0..8)
        .map(|cluster| {
            let labels = of(
                &|row| row.1.is_some(),
                &|row| row.1.unwrap() - lambda * row.2,
                cluster,
            );
            let others = of(&|row| row.1.is_none(), &|row| lambda * row.2, cluster);
            (labels + others).powi(2)
        })
        .sum()
}

/// Returns what errors of the judge add that the labels do not show: 8 times the root of the mean fourth
/// power of what each labelled cluster adds to the judge's mean, of as many clusters of one size.
fn twin_unseen(rows: &[Row]) -> f64 {
    let labelled: Vec<&Row> = rows.iter().filter(|row| row.1.is_some()).collect();
    let n = labelled.len() as f64;
    let mean = labelled.iter().map(|row| row.2).sum::<f64>() / n;
    let of_clusters: Vec<f64> = (0..8)
        .filter(|cluster| labelled.iter().any(|row| row.0 == *cluster))
        .map(|cluster| {
            let rows = labelled.iter().filter(|row| row.0 == cluster);
            rows.map(|row| (row.2 - mean) / n).sum()
        })
        .collect();
    let fourth = of_clusters.iter().map(|x: &f64| x.powi(4)).sum::<f64>();
    let size = |cluster| labelled.iter().filter(|row| row.0 == cluster).count() as f64;
    let sizes = |power: i32| (0..8).map(|cluster| size(cluster).powi(power)).sum::<f64>();
    let clusters = (sizes(2).powi(2) / sizes(4) - 1e-9).ceil();
    8.0 * (fourth / clusters.max((of_clusters.len() as f64).min(2.0))).sqrt()
}

/// Rows of comparisons: (cluster, a, b less a, human if labelled, judge).
fn pair_rows_of(
    k: u16,
    rows: &[(u32, u16, u16, Option<f64>, f64)],
    flip: bool,
) -> Result<PoweredStrengths, PoweredError> {
    let turned = |a: u16, d: u16, x: f64| {
        if flip {
            ((a + d) % k, a, 1.0 - x)
        } else {
            (a, (a + d) % k, x)
        }
    };
    let (mut labelled, mut judged) = (Vec::new(), Vec::new());
    for &(cluster, from, d, human, judge) in rows {
        let (a, b, judge) = turned(from, d, judge);
        match human {
            Some(human) => labelled.push(LabelledPair {
                cluster,
                a,
                b,
                human: turned(from, d, human).2,
                judge,
            }),
            None => judged.push(JudgedPair {
                cluster,
                a,
                b,
                judge,
            }),
        }
    }
    bradley_terry(k.into(), &labelled, &judged, Tuning::Tuned, 0.95)
}

fn outcome() -> impl Strategy<Value = f64> {
    (0u8..5).prop_map(|x| f64::from(x) / 4.0)
}

proptest! {
    #[test]
    fn a_clustered_mean_meets_its_twin(rows in vec((0u32..8, proptest::option::of(outcome()), outcome()), 8..40)) {
        let Ok(tuned) = run_mean(&rows, Tuning::Tuned) else { return Ok(()) };
        let error = |found: &PoweredMean| found.estimate.uncertainty.map_or(0.0, |x| x.standard_error);
        let with_unseen = |lambda: f64| twin_variance(&rows, lambda) + lambda * lambda * twin_unseen(&rows);
        prop_assert!(near(error(&tuned).powi(2), with_unseen(tuned.lambda), 1e-12));
        for lambda in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let given = run_mean(&rows, Tuning::Given(lambda)).unwrap();
            prop_assert!(near(error(&given).powi(2), twin_variance(&rows, lambda), 1e-12));
            // No other lambda does better, and 0 is the labels alone.
            prop_assert!(with_unseen(lambda) >= error(&tuned).powi(2) - 1e-9);
            prop_assert!(lambda > 0.0 || given.estimate == given.labels_only);
        }
    }

    #[test]
    fn two_systems_differ_by_the_log_odds_of_the_mean(
        rows in vec((0u32..8, proptest::option::of(outcome()), outcome()), 8..40)
    ) {
        // The delta method: the difference is ln(p / (1 - p)), its standard error that of p over p
        // (1 - p).
        let rows_of = |row: &Row| (row.0, 0u16, 1u16, row.1, row.2);
        let Ok(twin) = run_mean(&rows, Tuning::Tuned) else { return Ok(()) };
        let Ok(found) = pair_rows_of(2, &rows.iter().map(rows_of).collect::<Vec<_>>(), false) else { return Ok(()) };
        let (p, lead) = (twin.estimate.value, 2.0 * found.estimate.systems[0].value);
        prop_assert!(near(found.lambda, twin.lambda, 1e-6), "{} {}", found.lambda, twin.lambda);
        prop_assert!(near(lead, (p / (1.0 - p)).ln(), 1e-6 * (1.0 + lead.abs())), "{lead} {} p {p} \
            lambda {} {}", (p / (1.0 - p)).ln(), found.lambda, twin.lambda);
        if let (Ok(found), Ok(twin)) = (found.estimate.systems[0].uncertainty, twin.estimate.uncertainty) {
            let expected = twin.standard_error / (p * (1.0 - p)) / 2.0;
            prop_assert!(near(found.standard_error / expected, 1.0, 1e-5), "{found:?} {expected}");
        }
    }

    #[test]
    fn the_order_and_the_sides_of_rows_do_not_matter(
        rows in vec((0u32..9, 0u16..3, 1u16..3, proptest::option::of(outcome()), outcome()), 12..50)
    ) {
        let reversed: Vec<_> = rows.iter().rev().copied().collect();
        match (pair_rows_of(3, &rows, false), pair_rows_of(3, &reversed, true)) {
            (Ok(x), Ok(y)) => {
                prop_assert!(near(x.lambda, y.lambda, 1e-6));
                for (x, y) in x.estimate.systems.iter().zip(&y.estimate.systems) {
                    prop_assert!(near(x.value, y.value, 1e-6 * (1.0 + x.value.abs())), "{x:?} \
                        {y:?}");
                }
                prop_assert!(near(x.estimate.systems.iter().map(|x| x.value).sum(), 0.0, 1e-9));
            }
            (Err(_), Err(_)) => {}
            (x, y) => prop_assert!(false, "{x:?} {y:?}"),
        }
    }
}
