//! Prediction-powered inference on recorded data: PandaLM's pairs, three human labels each, and
//! gpt-3.5-turbo's verdicts.
//!
//! A part of the human labels is shown to the estimator, the rest kept back; what all human labels
//! say is the figure to be covered. The intervals are for the population that the instructions are
//! drawn from, so of a fixed set of which a fifth is labelled they should cover rather more than
//! the stated share.

use crate::common::json_lines;
use evenhand_stats::prediction_powered::{
    Judged, JudgedPair, Labelled, LabelledPair, Measured, Tuning, bradley_terry, mean,
};
use evenhand_stats::{Tally, draw_clusters};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const DRAWS: u64 = 200;
const LABELS: usize = 200;

/// A comparison by people (the majority of three) and by the judge, for `a`; the cluster is the
/// instruction.
#[derive(Clone, Copy)]
struct Row {
    cluster: u32,
    a: u16,
    b: u16,
    human: f64,
    judge: f64,
}

fn outcome(verdict: i64) -> f64 {
    [0.5, 1.0, 0.0][usize::try_from(verdict).unwrap()]
}

/// What two of the three annotators say; there is no pair on which all three differ.
fn majority(labels: &Value) -> i64 {
    let labels: Vec<i64> = labels
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_i64().unwrap())
        .collect();
    *labels
        .iter()
        .find(|x| labels.iter().filter(|y| x == y).count() >= 2)
        .unwrap()
}

fn number<T: TryFrom<usize>>(seen: &mut BTreeMap<String, usize>, name: &str) -> T {
    let next = seen.len();
    T::try_from(*seen.entry(name.to_owned()).or_insert(next)).unwrap_or_else(|_| panic!("{name}"))
}

/// The pairs that the judge gave a verdict on; the 25 others are no part of what is estimated.
fn rows(folder: &Path) -> Vec<Row> {
    let judgments = json_lines(folder.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"));
    let (mut instructions, mut systems) = (BTreeMap::new(), BTreeMap::new());
    let pairs = json_lines(folder.join("pandalm/pairs.jsonl.gz"));
    assert_eq!(
        pairs
            .iter()
            .filter(|pair| majority(&pair["human"]) == 1)
            .count(),
        422
    );
    let rows = pairs.iter().zip(&judgments).filter_map(|(pair, judgment)| {
        assert_eq!(pair["idx"], judgment["idx"]);
        let instruction = format!("{}\n{}", pair["instruction"], pair["input"]);
        let cluster = number(&mut instructions, &instruction);
        let [a, b] =
            ["model_1", "model_2"].map(|key| number(&mut systems, pair[key].as_str().unwrap()));
        let judge = outcome(judgment["verdict"].as_i64()?);
        Some(Row {
            cluster,
            a,
            b,
            human: outcome(majority(&pair["human"])),
            judge,
        })
    });
    rows.collect()
}

/// The rows in an order that only the seed decides.
fn shuffled(rows: &[Row], seed: u64) -> Vec<Row> {
    let mut keyed: Vec<(u32, Row)> = draw_clusters(seed, 0, u32::MAX)
        .zip(rows.iter().copied())
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// Whole instructions in an order that only the seed decides.
fn shuffled_instructions(rows: &[Row], seed: u64) -> Vec<Row> {
    let keys: Vec<u32> = draw_clusters(seed, 0, u32::MAX).take(rows.len()).collect();
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| (keys[row.cluster as usize], row.cluster));
    rows
}

/// What many draws of labels gave.
#[derive(Default)]
struct Summary {
    intervals: f64,
    /// Draws whose labels were all the same, so that there is no interval.
    undefined: usize,
    covered: f64,
    alone_covered: f64,
    judge_covered: f64,
    relative_width: f64,
    lambda: f64,
    gained: f64,
}

fn holds(found: &Measured, truth: f64) -> f64 {
    f64::from(u8::from(
        found
            .uncertainty
            .is_ok_and(|x| (x.low..=x.high).contains(&truth)),
    ))
}

impl Summary {
    fn add(
        &mut self,
        [powered, alone, judge]: [&Measured; 3],
        truth: f64,
        lambda: f64,
        gained: f64,
    ) {
        let width = |x: &Measured| x.uncertainty.unwrap().standard_error;
        self.intervals += 1.0;
        self.covered += holds(powered, truth);
        self.alone_covered += holds(alone, truth);
        self.judge_covered += holds(judge, truth);
        self.relative_width += width(powered) / width(alone);
        self.lambda += lambda;
        self.gained += gained;
    }

    fn show(&self, what: &str) {
        let share = |x: f64| x / self.intervals;
        eprintln!(
            "{what}: of {} intervals at 95 % ({} undefined), {:.1} % hold the figure of all labels \
             (labels only {:.1} %, judge only {:.1} %); \
             mean width {:.3} of labels only, mean lambda {:.2}, {:.2} effective labels for one",
            self.intervals,
            self.undefined,
            100.0 * share(self.covered),
            100.0 * share(self.alone_covered),
            100.0 * share(self.judge_covered),
            share(self.relative_width),
            share(self.lambda),
            share(self.gained)
        );
    }
}

/// A row as `system` sees it, if it is in it: (human, judge).
fn seen_by(row: &Row, system: u16) -> Option<(f64, f64)> {
    match system {
        _ if row.a == system => Some((row.human, row.judge)),
        _ if row.b == system => Some((1.0 - row.human, 1.0 - row.judge)),
        _ => None,
    }
}

/// What one figure is made of: a row as (human, judge), if it is in it.
type View = Box<dyn Fn(&Row) -> Option<(f64, f64)>>;

fn win_rates(rows: &[Row], views: &[View], order: fn(&[Row], u64) -> Vec<Row>) -> Summary {
    let mut summary = Summary::default();
    for draw in 0..DRAWS {
        let drawn = order(rows, draw);
        let (with, without) = drawn.split_at(LABELS);
        for view in views {
            let all: Vec<f64> = rows.iter().filter_map(|row| Some(view(row)?.0)).collect();
            let label = |row: &Row| {
                view(row).map(|(human, judge)| Labelled {
                    cluster: row.cluster,
                    human,
                    judge,
                })
            };
            let labelled: Vec<Labelled> = with.iter().filter_map(label).collect();
            let verdict = |row: &Row| {
                view(row).map(|(_, judge)| Judged {
                    cluster: row.cluster,
                    judge,
                })
            };
            let judged: Vec<Judged> = without.iter().filter_map(verdict).collect();
            let found = mean(&labelled, &judged, Tuning::Tuned, 0.95).unwrap();
            let Ok(effective) = found.effective_labels else {
                summary.undefined += 1;
                continue;
            };
            let gained = effective / labelled.len() as f64;
            let truth = all.iter().sum::<f64>() / all.len() as f64;
            summary.add(
                [&found.estimate, &found.labels_only, &found.judge_only],
                truth,
                found.lambda,
                gained,
            );
        }
    }
    summary
}

fn check_win_rates(what: &str, views: &[View], at_least: f64) {
    let Some(folder) = shared_data() else { return };
    let rows = rows(&folder);
    assert_eq!(rows.len(), 974);
    for (by, order) in [
        ("rows", shuffled as fn(&[Row], u64) -> Vec<Row>),
        ("instructions", shuffled_instructions),
    ] {
        let summary = win_rates(&rows, views, order);
        summary.show(&format!("win rates of {what}, 200 of 974 labelled by {by}"));
        assert!(summary.covered / summary.intervals > at_least);
        assert!(summary.relative_width / summary.intervals < 1.0);
    }
}

#[test]
fn win_rates_of_systems() {
    let view = |system: u16| Box::new(move |row: &Row| seen_by(row, system)) as View;
    check_win_rates("systems", &(0..5).map(view).collect::<Vec<_>>(), 0.93);
}

#[test]
fn win_rates_of_pairs() {
    // Some 20 labels each: few for a normal approximation.
    let pairs = (0u16..5).flat_map(|i| (i + 1..5).map(move |j| (i, j)));
    let view = |(i, j): (u16, u16)| {
        Box::new(move |row: &Row| seen_by(row, i).filter(|_| row.a == j || row.b == j)) as View
    };
    check_win_rates("pairs", &pairs.map(view).collect::<Vec<_>>(), 0.9);
}

#[test]
fn strengths_of_systems() {
    let Some(folder) = shared_data() else { return };
    let rows = rows(&folder);
    let mut tally = Tally::new(5).unwrap();
    rows.iter().for_each(|row| {
        tally
            .add(row.a.into(), row.b.into(), row.human, 0.0, 1.0 - row.human)
            .unwrap()
    });
    let truth = evenhand_stats::bradley_terry(&tally).scores.estimates;
    let mut summary = Summary::default();
    for draw in 0..DRAWS {
        let drawn = shuffled(&rows, draw);
        let (with, without) = drawn.split_at(LABELS);
        let labelled = with.iter().map(|x| LabelledPair {
            cluster: x.cluster,
            a: x.a,
            b: x.b,
            human: x.human,
            judge: x.judge,
        });
        let judged = without.iter().map(|x| JudgedPair {
            cluster: x.cluster,
            a: x.a,
            b: x.b,
            judge: x.judge,
        });
        let (labelled, judged): (Vec<_>, Vec<_>) = (labelled.collect(), judged.collect());
        let found = bradley_terry(5, &labelled, &judged, Tuning::Tuned, 0.95).unwrap();
        let gained = found.effective_labels.unwrap() / LABELS as f64;
        let (alone, judge) = (found.labels_only.unwrap(), found.judge_only.unwrap());
        for (i, truth) in truth.iter().enumerate() {
            let three = [
                &found.estimate.systems[i],
                &alone.systems[i],
                &judge.systems[i],
            ];
            summary.add(three, truth.finite().unwrap(), found.lambda, gained);
        }
    }
    summary.show("strengths, 200 of 974 labelled by rows");
    assert!(summary.covered / summary.intervals > 0.93);
    assert!(summary.relative_width / summary.intervals < 1.0);
}
