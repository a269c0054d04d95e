//! `meta conformal`: what people may say of each judgment.

use crate::common::{Desk, assert_holds};
use evenhand_testing::shared_data;
use serde_json::{Value, json};

/// A judge's scores of two systems on so many items, and people's of the first items.
fn desk(items: usize, labelled: usize) -> Desk {
    let desk = Desk::empty();
    let (mut judged, mut people) = (String::new(), "item,system,score\n".to_owned());
    for item in 0..items {
        for (at, system) in ["v1", "v2"].iter().enumerate() {
            let score = 1 + (item * 7 + at * 3) % 10;
            let row = json!({"trial": 2 * item + at, "item": format!("q{item}"), "first": system,
                             "second": null, "p_first": null, "p_tie": null, "p_second": null,
                             "score": score, "failure": null});
            judged += &format!("{row}\n");
            if item < labelled {
                let off = (item * 13 + at * 5) % 11;
                let label = 1.0 + 0.4 * score as f64 + (off as f64 - 5.0) / 10.0;
                people += &format!("q{item},{system},{label}\n");
            }
        }
    }
    desk.write("judged.jsonl", judged);
    desk.write("people.csv", people);
    desk
}

const COMMAND: &str = "meta conformal --recorded judged.jsonl --labels people.csv";

#[test]
fn scores_get_intervals_on_peoples_scale() {
    let desk = desk(80, 60);
    let report = desk.json(COMMAND);
    assert_eq!(report["labels"], 120);
    assert_eq!(report["questions"], 30);
    let slope = report["line"]["slope"].as_f64().unwrap();
    assert!((slope - 0.4).abs() < 0.05, "{slope}");
    let judgments = report["judgments"].as_array().unwrap();
    assert_eq!(judgments.len(), 160);
    let unlabelled = judgments.iter().find(|one| one["label"].is_null()).unwrap();
    let ends: Vec<f64> = (unlabelled["interval"].as_array().unwrap().iter())
        .map(|end| end.as_f64().unwrap())
        .collect();
    assert!(ends[0] < ends[1] && ends[1] - ends[0] < 1.5, "{ends:?}");
    assert_eq!(unlabelled["held"], Value::Null);
    let realised = report["realised"]["value"].as_f64().unwrap();
    assert!(realised > 0.8, "{realised}");
    assert_eq!(report["slices"].as_array().unwrap().len(), 2);

    let text = desk.done(COMMAND).stdout;
    assert_holds(&text, "In 90 % of new questions people's score is within");
    let csv = desk.done(&format!("{COMMAND} --format csv")).stdout;
    assert!(
        csv.starts_with("item,first,second,judge,label,low,high,set,held\n"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 161);
    let again = desk.done(&format!("{COMMAND} --format json")).stdout;
    assert_eq!(again, desk.done(&format!("{COMMAND} --format json")).stdout);
}

#[test]
fn few_labels_rule_nothing_out_and_say_so() {
    let desk = desk(30, 10);
    let text = desk.done(COMMAND).stdout;
    assert_holds(
        &text,
        "too few labels to rule anything out at 90 %: there are 10 labelled questions, and half of \
         them are used to fit; label 17 or more",
    );
    let report = desk.json(COMMAND);
    assert_eq!(report["distance"], Value::Null);
    assert_eq!(report["mean_width"], Value::Null);
    assert_eq!(report["unbounded"][0], report["labels"]);
    assert_holds(
        &text,
        "nothing is ruled out: they are held whatever the judge says",
    );
    assert_eq!(report["judgments"][0]["interval"], json!([null, null]));
    let promised = desk.done(&format!("{COMMAND} --coverage 0.9995")).stdout;
    assert!(promised.contains("at 99.95 %"), "{promised}");
    let seeded = desk.json(&format!("{COMMAND} --seed {}", u64::MAX));
    assert_eq!(seeded["labels"], report["labels"]);
    let bounded = desk.json(&format!("{COMMAND} --label-scale 0,6"));
    assert_eq!(bounded["judgments"][0]["interval"], json!([0.0, 6.0]));
    for (arguments, message) in [
        ("--coverage 1.5", "--coverage 1.5"),
        ("--label-scale 5,1", "--label-scale: expected two numbers"),
        ("--label-scale 1,inf", "--label-scale: expected two numbers"),
        ("--label-scale 4,5", "--label-scale 4,5: people's score"),
    ] {
        desk.refused(&format!("{COMMAND} {arguments}"), message);
    }
    desk.write(
        "votes.csv",
        "item,model_a,model_b,winner\nq1,v1,v2,model_a\n",
    );
    let ran = desk.run("meta conformal --recorded judged.jsonl --labels votes.csv");
    ran.says("both must be of the same kind");
}

#[test]
fn pairs_get_sets_of_verdicts() {
    let desk = Desk::empty();
    let (mut judged, mut people) = (String::new(), "item,model_a,model_b,winner\n".to_owned());
    for item in 0..120 {
        let first = if item % 2 == 0 { 0.9 } else { 0.2 };
        let row = json!({"trial": item, "item": format!("q{item}"), "first": "v1",
                         "second": "v2", "p_first": first, "p_tie": 0.0, "p_second": 1.0 - first,
                         "score": null, "failure": null});
        judged += &format!("{row}\n");
        let wrong = item % 20 == 0;
        let winner = if (first > 0.5) != wrong {
            "model_a"
        } else {
            "model_b"
        };
        if item < 100 {
            people += &format!("q{item},v1,v2,{winner}\n");
        }
    }
    desk.write("judged.jsonl", judged);
    desk.write("people.csv", people);
    let report = desk.json(COMMAND);
    let [one, two, three] = [0, 1, 2].map(|at| report["set_sizes"][at].as_f64().unwrap());
    assert!(
        one > 0.9 && (one + two + three - 1.0).abs() < 1e-9,
        "{report}"
    );
    assert_eq!(report["judgments"][119]["label"], Value::Null);
    assert!(
        !report["judgments"][119]["set"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

/// LLMBar's recordings hold labels of their own.
#[test]
fn recordings_with_labels_are_tried_by_parts() {
    let Some(data) = shared_data() else {
        return;
    };
    let file = data.join("llmbar/natural/evaluators/GPT-4__Vanilla.jsonl.gz");
    let desk = Desk::empty();
    let report = desk.json(&format!("meta conformal --recorded {}", file.display()));
    assert_eq!(report["labels"], json!(100));
    let [low, high] = [0, 1].map(|end| report["realised"]["ci"][end].as_f64().unwrap());
    assert!(high >= 0.9 && low > 0.7, "{}", report["realised"]);
}

/// Ten questions of twenty pairs each, which the labels alone name: ten are independent.
#[test]
fn questions_that_labels_name_count_once() {
    let desk = Desk::empty();
    let (mut judged, mut people) = (String::new(), String::new());
    for question in 0..10 {
        for pair in 0..20 {
            let item = format!("q{question}.{pair}");
            let first = f64::from(u8::from(pair % 2 == 0));
            let row = json!({"trial": 20 * question + pair, "item": item, "first": "a",
                             "second": "b", "p_first": first, "p_tie": 0.0,
                             "p_second": 1.0 - first, "score": null, "failure": null});
            judged += &format!("{row}\n");
            let preferred = if pair % 2 == 0 { "a" } else { "b" };
            let label = json!({"item": item, "question_id": format!("q{question}"), "a": "a",
                               "b": "b", "preferred": preferred});
            people += &format!("{label}\n");
        }
    }
    desk.write("judged.jsonl", judged);
    desk.write("labels.jsonl", people);
    let files = "--recorded judged.jsonl --labels labels.jsonl";
    let text = desk.done(&format!("meta conformal {files}")).stdout;
    assert_holds(&text, "200 of 200 judgments on 10 questions");
    let selection = desk.json(&format!("meta select {files} --error 0.3"));
    assert_eq!(selection["questions"], 10);
}
