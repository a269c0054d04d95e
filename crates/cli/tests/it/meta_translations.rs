//! `meta translations` with the real binary.

use crate::common::{Desk, answer, assert_holds};
use serde_json::{Value, json};

/// Questions in three languages, joined by `question_id` or by the original's name.
fn desk(questions: usize, original: bool) -> Desk {
    let desk = Desk::empty();
    let (mut items, mut responses) = (String::new(), String::new());
    for question in 0..questions {
        for (at, code) in ["en", "de", "sw"].iter().enumerate() {
            let number = question * 3 + at;
            let mut item = json!({
                "id": format!("q{number}"), "language": code,
                "instruction": format!("Name thing {question} in {code}."),
            });
            if original && at > 0 {
                item["translation_of"] = json!(format!("q{}", question * 3));
            }
            if !original {
                item["question_id"] = json!(question.to_string());
            }
            items += &format!("{item}\n");
            for system in ["a", "b"] {
                let good = if (question % 2 == 0) == (system == "a") {
                    "good"
                } else {
                    "bad"
                };
                responses += &answer(number, system, &format!("{good} {question} {code}"));
            }
        }
    }
    desk.write("data/items.jsonl", items);
    desk.write("data/responses.jsonl", responses);
    desk
}

fn language<'a>(report: &'a Value, name: &str) -> &'a Value {
    let languages = report["languages"].as_array().unwrap();
    languages
        .iter()
        .find(|row| row["language"] == name)
        .unwrap()
}

#[test]
fn what_joins_translations_is_checked_before_anything_is_judged() {
    let desk = desk(4, true);
    let refused = |arguments: &str| {
        let command = format!("meta translations --data data --judge simulated:seed=1 {arguments}");
        let ran = desk.run(&command);
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        ran.stderr
    };
    for (arguments, message) in [
        ("--across lang", "--across lang: no file has a field"),
        (
            "--translation-of origin",
            "--translation-of origin: no file has a field",
        ),
        (
            "--translation-of instruction",
            "--translation-of instruction: the ids in it are not those of items",
        ),
    ] {
        let said = refused(arguments);
        assert!(said.contains(message), "{said}");
    }
    // Two items of one question in one language, and a translation of a translation.
    let item = |id: &str, code: &str, of: Value| json!({"id": id, "language": code, "instruction": id, "translation_of": of});
    let write = |rows: &[Value]| {
        let rows: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
        desk.write("data/items.jsonl", rows.concat());
        let answers = rows.iter().enumerate().flat_map(|(at, _)| {
            ["a", "b"].map(|system| answer(at, system, &format!("{system} {at}")))
        });
        desk.write("data/responses.jsonl", answers.collect::<String>());
    };
    write(&[
        item("q0", "en", Value::Null),
        item("q1", "de", json!("q0")),
        item("q2", "sw", json!("q1")),
    ]);
    let command = "meta translations --data data --judge simulated:seed=1 \
                   --translation-of translation_of";
    let report = desk.json(command);
    assert_eq!(report["questions"], 1);
    assert_eq!(report["units"], 1);
    assert_eq!(language(&report, "sw")["verdicts"], json!(1));
    write(&[
        item("q0", "en", Value::Null),
        item("q1", "de", json!("q0")),
        item("q2", "de", json!("q0")),
    ]);
    let said = refused("--translation-of translation_of");
    assert_holds(
        &said,
        "items q1 and q2 are of the same question in the same language (de)",
    );
}

#[test]
fn verdicts_on_translations_are_held_against_each_other() {
    for original in [false, true] {
        let desk = desk(40, original);
        let of = if original {
            "--translation-of translation_of"
        } else {
            ""
        };
        let command = format!(
            "meta translations --data data --judge simulated:accuracy=0.9 --protocol \
             pairwise-tie/direct/swap --quiet --run run {of}"
        );
        let report = desk.json(&command);
        assert_eq!(
            (&report["units"], &report["questions"]),
            (&40.into(), &40.into())
        );
        let kappa = report["kappa"]["value"].as_f64().unwrap();
        let agreement = report["agreement"].as_f64().unwrap();
        assert!(
            (-0.5..=1.0).contains(&kappa) && (0.3..1.0).contains(&agreement),
            "{report}"
        );
        for name in ["de", "en", "sw"] {
            let row = language(&report, name);
            assert_eq!(
                row["verdicts"].as_u64().unwrap() + row["without_verdict"].as_u64().unwrap(),
                40
            );
            assert!(row["flips"]["ci"].is_array(), "{row}");
            assert_eq!(row["differs"], false);
        }
        assert!(desk.done(&command).stdout.contains("Fleiss' kappa is"));
        let csv = desk.done(&format!("{command} --format csv")).stdout;
        assert_eq!(csv.lines().count(), 4, "{csv}");
    }
}

/// Both orders within one judgment are read as well, and a coin flips in half of the pairs.
#[test]
fn flips_are_read_off_either_kind_of_protocol() {
    let desk = desk(60, false);
    for protocol in ["pairwise/direct/swap", "pairwise/direct/swap:none"] {
        let run = protocol.replace(['/', ':'], "");
        let report = desk.json(&format!(
            "meta translations --data data --judge simulated:accuracy=0.5 --protocol {protocol} \
             --quiet --run {run}"
        ));
        let flips = language(&report, "en")["flips"]["value"].as_f64().unwrap();
        assert!((0.3..0.7).contains(&flips), "{protocol} {flips}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let desk = desk(4, false);
    for (arguments, expected) in [
        ("--across tongue", "tongue"),
        ("--translation-of source", "source"),
        ("--protocol pointwise:1-5", "use a pairwise form"),
        ("--design swim", "meta translations asks everything"),
    ] {
        desk.refused(
            &format!("meta translations --data data --judge simulated --quiet {arguments}"),
            expected,
        );
    }
}

#[test]
fn conditions_end_the_command_as_they_end_a_ranking() {
    let desk = desk(20, false);
    let measure = "meta translations --data data --judge simulated:accuracy=0.7,invalid=0.4,seed=1";
    for met in ["coverage<0.9", "failures>3"] {
        desk.run(&format!("{measure} --fail-if {met}")).ends(3, met);
    }
    desk.done(&format!("{measure} --fail-if coverage<0.1"));
    let refused = format!("{measure} --fail-if worse(a,b)");
    assert_eq!(desk.run(&refused).code, Some(2));
}
