//! `evenhand leaderboard --labels`: prediction-powered rankings, against the estimators themselves
//! and figures by hand.

mod errors;
mod pandalm;

use crate::common::{Desk, json_line, row, systems};
use evenhand_stats::prediction_powered::{
    Judged, JudgedPair, Labelled, LabelledPair, Tuning, bradley_terry, mean,
};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

#[track_caller]
fn close(found: &Value, expected: f64) {
    let number = found
        .as_f64()
        .unwrap_or_else(|| panic!("{found} is no number"));
    assert!(
        (number - expected).abs() < 1e-6 * expected.abs().max(1.0),
        "{number} is not {expected}"
    );
}

fn lines(path: PathBuf) -> Vec<Value> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// PandaLM's five systems.
const SYSTEMS: [&str; 5] = [
    "bloom-7b",
    "llama-7b",
    "cerebras-gpt-6.7B",
    "opt-7b",
    "pythia-6.9b",
];

/// PandaLM by a reader of the test's own: comparisons with a label (of every fifth instruction) and
/// without.
struct PandaLm {
    desk: Desk,
    labelled: Vec<LabelledPair>,
    judged: Vec<JudgedPair>,
    /// Labelled pairs on which the judge has no verdict.
    lost: u64,
}

/// What the first of two got: 1 or 2 for the better one, 0 for a tie.
fn points(verdict: &Value) -> Option<f64> {
    Some([0.5, 1.0, 0.0][verdict.as_u64()? as usize])
}

impl PandaLm {
    fn read(data: &Path) -> PandaLm {
        let pairs = lines(data.join("pandalm/pairs.jsonl.gz"));
        let verdicts = lines(data.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"));
        let verdicts: HashMap<u64, Option<f64>> = verdicts
            .iter()
            .map(|row| (row["idx"].as_u64().unwrap(), points(&row["verdict"])))
            .collect();
        let (mut items, mut labels) = (HashMap::new(), String::new());
        let mut all = PandaLm {
            desk: Desk::empty(),
            labelled: vec![],
            judged: vec![],
            lost: 0,
        };
        for pair in &pairs {
            let next = items.len() as u32;
            let cluster = *items
                .entry((pair["instruction"].to_string(), pair["input"].to_string()))
                .or_insert(next);
            let has_label = cluster.is_multiple_of(5);
            if has_label {
                labels += &format!("{pair}\n");
            }
            all.add(
                pair,
                cluster,
                verdicts[&pair["idx"].as_u64().unwrap()],
                has_label,
            );
        }
        all.desk.write("labels.jsonl", labels);
        std::fs::copy(
            data.join("pandalm/pairs.jsonl.gz"),
            all.desk.path("pairs.jsonl.gz"),
        )
        .unwrap();
        std::fs::copy(
            data.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"),
            all.desk.path("verdicts.jsonl.gz"),
        )
        .unwrap();
        all
    }

    fn add(&mut self, pair: &Value, cluster: u32, verdict: Option<f64>, has_label: bool) {
        let system = |field: &str| {
            SYSTEMS
                .iter()
                .position(|name| *name == pair[field].as_str().unwrap())
                .unwrap() as u16
        };
        let (a, b) = (system("model_1"), system("model_2"));
        let people: Vec<f64> = pair["human"]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| points(label).unwrap())
            .collect();
        match (verdict, has_label) {
            (Some(judge), true) => {
                let human = people.iter().sum::<f64>() / people.len() as f64;
                self.labelled.push(LabelledPair {
                    cluster,
                    a,
                    b,
                    human,
                    judge,
                });
            }
            (Some(judge), false) => self.judged.push(JudgedPair {
                cluster,
                a,
                b,
                judge,
            }),
            (None, true) => self.lost += 1,
            (None, false) => {}
        }
    }

    fn json(&self, arguments: &str) -> Value {
        self.desk.json(&format!(
            "leaderboard pairs.jsonl.gz verdicts.jsonl.gz --labels labels.jsonl {arguments}"
        ))
    }
}

/// What is said of a system beside its score.
fn beside<'a>(report: &'a Value, system: &str) -> &'a Value {
    report["labels"]["systems"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["system"] == system)
        .unwrap()
}

#[test]
fn threads_change_nothing() {
    let Some(data) = shared_data() else { return };
    let pandalm = PandaLm::read(&data);
    let run = |threads: usize| {
        let files = "leaderboard pairs.jsonl.gz verdicts.jsonl.gz --labels labels.jsonl";
        pandalm
            .desk
            .done(&format!(
                "{files} --differences --format json --threads {threads}"
            ))
            .timeless()
    };
    assert_eq!(run(1), run(2));
}

const SCORES: &str =
    "system,item,score\nmine,1,0\nmine,2,1\nmine,3,0\nmine,4,0\nmine,5,1\nmine,6,1\nmine,7,0\n";
const GRADES: &str = "system,item,score\nmine,1,0\nmine,2,1\nmine,3,1\nmine,4,0\nmine,99,1\n";

#[test]
fn means_are_those_by_hand() {
    // The judge says 0, 1, 0, 0 where people say 0, 1, 1, 0, and 1, 1, 0 of the others: covariance
    // 1/6 over 4, variances 1/4 over 4 and 1/3 over 3, and sqrt(21)/32 for errors that the labels do
    // not show, so lambda = (1/24) / (1/16 + 1/9 + sqrt(21)/32); the score is 0.5 - lambda (1/4 -
    // 2/3).
    let lambda = (1.0 / 24.0) / (1.0 / 16.0 + 1.0 / 9.0 + 21f64.sqrt() / 32.0);
    let score = 0.5 + lambda * 5.0 / 12.0;
    let desk = Desk::empty();
    desk.write("judge.csv", SCORES);
    desk.write("people.csv", GRADES);
    let report = desk.json("leaderboard judge.csv --labels people.csv");
    let (mine, alone) = (row(&report, "mine"), beside(&report, "mine"));
    close(&mine["score"], score);
    close(&alone["lambda"], lambda);
    let (both, labels) = ((1.0 / 12.0 - lambda / 24.0).sqrt(), (1.0f64 / 12.0).sqrt());
    // Student's with 3 degrees of freedom.
    let quantile = 3.182_446_305_284_263;
    close(&mine["ci"][0], score - quantile * both);
    close(&alone["labels_only"]["ci"][1], 0.5 + quantile * labels);
    close(&alone["effective_labels"], 4.0 * (labels / both).powi(2));
    close(&alone["narrower"], 1.0 - both / labels);
    close(&alone["judge_only"]["score"], 3.0 / 7.0);
    // 1 of 4 where 12/7 of 4 are expected, with variance 4/7 * 3/7 * 12/7: the chance of a normal
    // deviate beyond sqrt(175/144).
    close(&report["labels"]["sampling_p"], 0.270_289_384_801_698_7);
    assert_eq!(report["aggregation"], "mean");
    assert_eq!(report["labels"]["matched"], 4);
    assert_eq!(mine["n"], 7);
    assert_eq!(
        report["warnings"],
        json!(["1 of 5 labelled rows have no verdict of the judge; they are excluded"])
    );
    let table = desk
        .done("leaderboard judge.csv --labels people.csv")
        .stdout;
    for line in [
        "interval   prediction-powered (PPI++) covariance over items; no rank intervals\n",
        "labels     4 of the judged rows have one (57.1 %)\n",
        "intervals  on average 3.3 % narrower than by the labels alone\n",
    ] {
        assert!(table.contains(line), "{table}");
    }
    let none = desk.json("leaderboard judge.csv --labels people.csv --ci none");
    assert_eq!(none["ci"]["method"], "none");
    assert_eq!(row(&none, "mine")["ci"], Value::Null);
    assert_eq!(
        beside(&none, "mine")["labels_only"],
        json!({"score": 0.5, "ci": null})
    );
    assert_eq!(beside(&none, "mine")["corrected"]["ci"], Value::Null);
}

#[test]
fn pass_rates_are_corrected_by_sensitivity_and_specificity() {
    // The judge passes 3 of 7, 1 of the 2 that people passed and none of the 2 that they failed:
    // (3/7 + 1 - 1) / (1/2 + 1 - 1) = 6/7.
    let desk = Desk::empty();
    desk.write("judge.csv", SCORES);
    desk.write("people.csv", GRADES);
    let report = desk.json("leaderboard judge.csv --labels people.csv");
    let found = &beside(&report, "mine")["corrected"];
    close(&found["rate"], 6.0 / 7.0);
    close(&found["sensitivity"]["value"], 0.5);
    close(&found["specificity"]["value"], 1.0);
    assert_eq!(
        [&found["sensitivity"]["n"], &found["specificity"]["n"]],
        [2, 2]
    );
    assert!(found["ci"][0].as_f64().unwrap() < 6.0 / 7.0 && found["ci"][1] == 1.0);
    assert_eq!(found["note"], Value::Null);
    let table = desk
        .done("leaderboard judge.csv --labels people.csv")
        .stdout;
    assert!(table.contains("mine: 85.7 % ("), "{table}");
    // No better than chance; no failed label; several rows of an item; scores that are no verdicts.
    let corrected = |judge: &str, people: &str| {
        desk.write("judge.csv", format!("system,item,score\n{judge}"));
        desk.write("people.csv", format!("system,item,score\n{people}"));
        let report = desk.json("leaderboard judge.csv --labels people.csv");
        beside(&report, "s")["corrected"].clone()
    };
    let rows = |scores: [&str; 6]| {
        let rows = scores.iter().enumerate();
        rows.map(|(at, score)| format!("s,{at},{score}\n"))
            .collect::<String>()
    };
    let judge = rows(["1", "0", "1", "0", "1", "0"]);
    let worse = corrected(&judge, "s,0,0\ns,1,1\ns,2,0\n");
    assert!(
        worse["note"]
            .as_str()
            .unwrap()
            .contains("no better than chance")
    );
    assert_eq!((&worse["rate"], &worse["ci"]), (&Value::Null, &Value::Null));
    let lacking = corrected(&judge, "s,0,1\ns,1,1\n");
    assert!(
        lacking["note"]
            .as_str()
            .unwrap()
            .contains("specificity is not known")
    );
    assert_eq!(lacking["specificity"], Value::Null);
    assert_eq!(
        corrected(&rows(["3", "1", "4", "1", "5", "9"]), "s,0,1\ns,1,0\n"),
        Value::Null
    );
}

#[test]
fn a_system_without_enough_labels_has_no_mean() {
    let desk = Desk::empty();
    desk.write(
        "judge.csv",
        format!("{SCORES}other,1,1\nother,2,0\nother,3,1\n"),
    );
    desk.write("people.csv", format!("{GRADES}other,2,1\n"));
    let report = desk.json("leaderboard judge.csv --labels people.csv");
    assert_eq!(
        row(&report, "other")["note"],
        "no score: it rests on 1 cluster, and an interval needs at least 2"
    );
    assert_eq!(
        report["warnings"][2],
        "other has no score: the rows with a label are of 1 cluster; expected at least 2"
    );
    assert_eq!(systems(&report), ["mine", "other"]);
}

/// A label or a verdict as a line of `labels.jsonl`.
fn label(item: usize, a: &str, b: &str, preferred: &str) -> String {
    json_line(json!({"item": format!("q{item}"), "a": a, "b": b, "preferred": preferred}))
}

/// Verdicts on x, y and z on 60 items, each right but for every seventh; labels of the items that
/// are chosen.
fn desk_with(labelled: impl Fn(usize, &str, &str) -> bool) -> Desk {
    let (mut verdicts, mut labels) = (String::new(), String::new());
    for (item, (a, b)) in
        (0..60).flat_map(|item| [("x", "y"), ("y", "z"), ("x", "z")].map(|pair| (item, pair)))
    {
        let better = if item % 3 == 0 { "b" } else { "a" };
        let wrong = if better == "a" { "b" } else { "a" };
        verdicts += &label(item, a, b, if item % 7 == 0 { wrong } else { better });
        if labelled(item, a, b) {
            // The other way round: labels and verdicts meet whatever the order.
            labels += &label(item, b, a, wrong);
        }
    }
    let desk = Desk::empty();
    desk.write("verdicts.jsonl", verdicts);
    desk.write("labels.jsonl", labels);
    desk
}

const FILES: &str = "leaderboard verdicts.jsonl --labels labels.jsonl";

#[test]
fn labels_that_were_chosen_are_warned_of() {
    let fair = desk_with(|item, _, _| item % 4 == 0).json(FILES);
    assert!(
        fair["labels"]["sampling_p"].as_f64().unwrap() > 0.9,
        "{}",
        fair["labels"]
    );
    assert_eq!(
        (
            &fair["labels"]["matched"],
            fair["warnings"].as_array().unwrap().len()
        ),
        // Neighbours that are not told apart.
        (&json!(45), 1),
        "{}",
        fair["warnings"]
    );
    let chosen = desk_with(|item, a, b| item % 10 == 0 || (a, b) == ("x", "y")).json(FILES);
    // 60 of 60, 6 of 60 and 6 of 60: chi-squared 135 with 2 degrees, exp(-67.5).
    close(
        &json!(chosen["labels"]["sampling_p"].as_f64().unwrap().ln()),
        -67.5,
    );
    let warning = "the labelled rows do not look like a random sample of all rows (p < 0.001), but \
                   the ranking assumes that they are";
    assert_eq!(chosen["warnings"][0], warning);
}

#[test]
fn some_systems_can_be_left_out() {
    let report = desk_with(|item, _, _| item % 4 == 0).json(&format!("{FILES} --systems x,z"));
    assert_eq!(report["labels"]["matched"], 15);
    assert_eq!(report["labels"]["unmatched"], 0);
    assert_eq!(systems(&report).len(), 2);
    assert_eq!(row(&report, "x")["n"], 60);
}
