//! Laws of the readers of recorded judgments: the layout of a file makes no difference, nothing is
//! lost, nothing panics.

use evenhand_formats::judgments::{Options, RecordedJudgments, detect_format, read_judgments};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

const SYSTEMS: [&str; 3] = ["a, large", "b", "ç"];
const FAILURES: [&str; 3] = ["unparsed", "refused", "model-error"];

/// One judgment of ours: item, first, second (the same number: itself), and what came of it.
#[derive(Clone, Debug)]
struct Judged {
    item: u8,
    first: usize,
    second: usize,
    /// Quarters for the first and for a tie, or a failure.
    outcome: Result<(u8, u8), usize>,
}

fn judged() -> impl Strategy<Value = Judged> {
    let outcome = prop_oneof![
        4 => (0u8..=4).prop_flat_map(|first| (Just(first), 0..=(4 - first))).prop_map(Ok),
        1 => (0..FAILURES.len()).prop_map(Err),
    ];
    (0u8..6, 0..3usize, 0..3usize, outcome).prop_map(|(item, first, second, outcome)| Judged {
        item,
        first,
        second,
        outcome,
    })
}

impl Judged {
    fn shares(&self) -> Option<[f64; 3]> {
        let (first, tie) = self.outcome.ok()?;
        Some([first, tie, 4 - first - tie].map(|quarters| f64::from(quarters) / 4.0))
    }

    fn record(&self) -> Value {
        let share = |slot: usize| self.shares().map(|shares| shares[slot]);
        json!({
            "trial": 0, "item": self.item.to_string(), "first": SYSTEMS[self.first], "second": SYSTEMS[self.second],
            "p_first": share(0), "p_tie": share(1), "p_second": share(2), "score": null,
            "failure": self.outcome.err().map(|kind| FAILURES[kind]), "detail": null,
        })
    }
}

fn csv_of(records: &[Value]) -> Vec<u8> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(records[0].as_object().unwrap().keys())
        .unwrap();
    for record in records {
        let cells = record
            .as_object()
            .unwrap()
            .values()
            .map(|value| match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
        out.write_record(cells).unwrap();
    }
    out.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn read_one(bytes: &[u8]) -> RecordedJudgments {
    read_judgments([("f", bytes)], &Options::default()).unwrap()
}

/// What should come out, found the slow way: rows by name, failures by kind, and how many judged a
/// system against itself.
type Expected = (
    Vec<(String, String, String, [f64; 3])>,
    BTreeMap<String, u64>,
    u64,
);

fn expected(judgments: &[Judged]) -> Expected {
    let (mut rows, mut failures, mut alone) = (Vec::new(), BTreeMap::new(), 0);
    for judged in judgments {
        match judged.shares() {
            Some(_) if judged.first == judged.second => alone += 1,
            Some(shares) => {
                rows.push((
                    judged.item.to_string(),
                    SYSTEMS[judged.first].into(),
                    SYSTEMS[judged.second].into(),
                    shares,
                ));
            }
            None => {
                *failures
                    .entry(FAILURES[judged.outcome.unwrap_err()].to_owned())
                    .or_default() += 1
            }
        }
    }
    (rows, failures, alone)
}

fn found(recorded: &RecordedJudgments) -> Expected {
    let name = |system: u16| recorded.systems[usize::from(system)].clone();
    let row = |c: &evenhand_formats::judgments::RecordedComparison| {
        (
            recorded.items[c.item as usize].clone(),
            name(c.a),
            name(c.b),
            [c.wins_a, c.ties, c.wins_b],
        )
    };
    (
        recorded.comparisons.iter().map(row).collect(),
        recorded.failures.clone(),
        recorded.self_comparisons,
    )
}

proptest! {
    #[test]
    fn every_layout_gives_the_same_and_nothing_is_lost(judgments in prop::collection::vec(judged(), 1..40)) {
        let records: Vec<Value> = judgments.iter().map(Judged::record).collect();
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        let recorded = read_one(lines.join("\n").as_bytes());
        prop_assert_eq!(found(&recorded), expected(&judgments));
        prop_assert_eq!(recorded.judgment_count(), judgments.len() as u64);
        let names: BTreeSet<&str> = judgments.iter().flat_map(|j| [SYSTEMS[j.first], SYSTEMS[j.second]]).collect();
        prop_assert_eq!(recorded.systems.iter().map(|name| &name[..]).collect::<BTreeSet<_>>(), names);
        for file in [csv_of(&records), gzip(lines.join("\r\n").as_bytes()), serde_json::to_vec_pretty(&records).unwrap()] {
            prop_assert_eq!(read_one(&file), recorded.clone());
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_or_judgments_but_never_a_panic(
        which in 0..SAMPLES.len(), at in 0..200usize, with in prop::sample::select(&b"\"{}[],:0-9ntA>=\xff\n"[..]), both_games: bool,
    ) {
        let mut bytes = SAMPLES[which].as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = with;
        let options = Options { both_games, ..Options::default() };
        let kind = detect_format(&bytes[..], &options);
        if let Ok(recorded) = read_judgments([("f", &bytes[..])], &options) {
            prop_assert!(kind.is_some() && recorded.comparisons.iter().all(|c| c.a != c.b));
            prop_assert!(recorded.scores.iter().all(|scored| scored.score.is_finite()));
        }
    }
}

const SAMPLES: [&str; 7] = [
    r#"{"instruction":"i","output_1":"a","generator_1":"r","output_2":"b","generator_2":"n","preference":1.5}"#,
    r#"{"instruction_id":7,"model":"n","reference":"r","preference":2,"len_output_1":10,"len_output_2":20}"#,
    r#"{"question_id":"q","model":"m","baseline":"b","judge":"j","games":[{"score":"A>B"},{"score":null}]}"#,
    r#"{"question_id":81,"turn":2,"model_1":"x","model_2":"y","judge":["g"],"g1_winner":"tie","g2_winner":"error"}"#,
    r#"{"question_id":81,"model":"m","judge":["g","s"],"judgment":"","score":9,"turn":1}"#,
    r#"{"idx":0,"model_1":"x","model_2":"y","instruction":"i","input":"","human":[1,2,0]}"#,
    "model,question_id,score\nx,1,0.5\ny,1,\nx,2,-3\n",
];
