//! `audit` of judges that follow verifiable constraints exactly, served on loopback: nothing that
//! is shown to them turns one.

use crate::common::{Desk, answer, assert_holds};
use evenhand_constraints::Constraints;
use evenhand_testing::server::{Judge, Script, Server};
use serde_json::{Value, json};
use std::collections::HashMap;

const PROBES: &str =
    "--probes position,distractors,protocols,null-answer,severity,transitivity,failures";

/// What stands between the marks of this name.
fn fenced<'a>(prompt: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = prompt.split_once(&format!("< {name}\n"))?;
    let (text, _) = rest.split_once(&format!(" END OF {name}"))?;
    Some(text.trim_end_matches('>').strip_suffix('\n').unwrap())
}

/// A judge who counts the constraints that answers keep, and knows nothing else: the better answer
/// keeps more, and the score is 1 and two for each. In a share of the prompts it takes the longer
/// of two answers instead.
fn judge(desk: &Desk, longer: f64) -> Judge {
    let lines = desk.lines("tweaks/items.jsonl");
    let items = lines
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let read = |item: Value| {
        let instruction = item["instruction"].as_str().unwrap().to_string();
        (
            instruction.clone(),
            Constraints::parse(&item["constraints"], &instruction).unwrap(),
        )
    };
    let known: HashMap<String, Constraints> = items.map(read).collect();
    Judge::new(move |prompt| {
        let constraints = &known[fenced(prompt, "INSTRUCTION").unwrap()];
        let kept = |answer: &str| {
            constraints
                .check(answer)
                .strict
                .iter()
                .filter(|kept| **kept)
                .count()
        };
        let two = fenced(prompt, "ANSWER A").zip(fenced(prompt, "ANSWER B"));
        match two {
            Some((a, b)) if drawn(prompt) < longer => {
                ["B", "A"][usize::from(a.len() > b.len())].into()
            }
            Some((a, b)) => ["B", "C", "A"][(kept(a).cmp(&kept(b)) as i32 + 1) as usize].into(),
            None => (1 + 2 * kept(fenced(prompt, "ANSWER").unwrap())).to_string(),
        }
    })
}

/// A number in [0, 1) that follows from the prompt (FNV-1a).
fn drawn(prompt: &str) -> f64 {
    let hash = prompt.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 40) as f64 / f64::from(1 << 24)
}

/// The report of an audit of such a judge on 40 items of the tweak set.
fn audited(longer: f64, more: &str) -> Value {
    let desk = Desk::empty();
    desk.done("audit tweak-set tweaks --items 40");
    let script = Script {
        judge: Some(judge(&desk, longer)),
        logprobs: false,
        threads: 2,
        ..Script::default()
    };
    let server = Server::start(script).unwrap();
    let audit = "audit --data tweaks --run run --quiet";
    desk.json(&format!("{audit} --judge openai:m@{} {more}", server.url()))
}

#[test]
fn items_of_one_question_count_once() {
    let desk = Desk::empty();
    desk.done("audit tweak-set tweaks --items 122");
    let audit = "audit --data tweaks --tweak-set tweaks --run run --quiet --judge simulated \
                 --probes position,severity,null-answer --rewrites assertive";
    let report = desk.json(audit);
    assert_eq!(
        [&report["items"], &report["questions"], &report["responses"]],
        [122, 61, 488]
    );
    for name in ["first slot", "wins", "1 broken, assertive: accuracy lost"] {
        let found = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|finding| finding["name"] == name)
            .unwrap();
        assert!(
            found["items"].as_u64() > Some(70) && found["clusters"].as_u64() <= Some(61),
            "{found}"
        );
    }
    let card = desk.done(audit).stdout;
    assert_holds(
        &card,
        "\n488 responses to 61 questions: intervals and tests count each question once",
    );
    assert_holds(&card, "items (questions)");
    assert_holds(&card, " 122 (61)");
    let rows = desk.done(&format!("{audit} --format csv")).stdout;
    assert!(
        rows.lines().next().unwrap().ends_with(",biased,clusters") && rows.contains(",false,61\n"),
        "{rows}"
    );
}

/// Questions that have an id in common are one, and so are those that are asked in the same words,
/// and what is chained by these.
#[test]
fn a_question_is_known_by_its_id_or_its_words() {
    let desk = Desk::new(0, &[]);
    let item = |at: usize, words: &str, more: &str| {
        format!("{{\"id\": {at}, \"instruction\": \"{words}\"{more}}}\n")
    };
    let items = [
        item(0, "a", ", \"question_id\": 7"),
        item(1, "b", ", \"question_id\": 7"),
        item(2, "b", ""),
        item(3, "b", ""),
    ];
    desk.write("data/items.jsonl", items.concat());
    let answers = |system: &str| {
        (0..4)
            .map(|at| answer(at, system, "It is so.").replace("\"q", "\""))
            .collect::<String>()
    };
    desk.write("data/responses.jsonl", answers("x") + &answers("y"));
    let report =
        desk.json("audit --data data --run run --quiet --judge simulated --probes position");
    assert_eq!(
        [&report["items"], &report["questions"], &report["responses"]],
        [4, 1, 8]
    );
}

fn biased(report: &Value) -> Vec<&str> {
    let all = report["findings"].as_array().unwrap().iter();
    all.filter(|finding| finding["biased"] == true)
        .map(|finding| finding["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_judge_that_follows_constraints_exactly_has_no_defect() {
    let report = audited(0.0, &format!("--tweak-set tweaks {PROBES} --rewrites all"));
    assert_eq!(biased(&report), Vec::<&str>::new(), "{report:#}");
    assert!(report["tested"].as_u64() > Some(60), "{}", report["tested"]);
    // Nothing that was shown moved a verdict, so that every figure is what it is without any
    // rewrite.
    for finding in report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| !finding["unbiased"].is_null())
    {
        let expected = if finding["probe"] == "null answer" || finding["probe"] == "transitivity" {
            &json!(0.0)
        } else {
            &finding["unbiased"]
        };
        assert_eq!(finding["value"], *expected, "{finding}");
        assert!(
            finding["probe"] == "null answer" || finding["failed"].as_u64() < Some(4),
            "{finding}"
        );
    }
    for rewrite in report["rewrites"].as_array().unwrap() {
        assert!(
            rewrite["dropped"].as_u64().unwrap() * 50 <= rewrite["responses"].as_u64().unwrap(),
            "{rewrite}"
        );
    }
}

#[test]
fn a_taste_of_such_a_judge_is_found_all_the_same() {
    let report = audited(
        0.4,
        "--probes distractors --rewrites filler,padding --protocol pairwise-tie/direct/swap",
    );
    let found = biased(&report);
    assert!(
        ["filler: preferred", "padding: preferred"]
            .iter()
            .all(|name| found.contains(name)),
        "{report:#}"
    );
    let values = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["name"].as_str().unwrap().ends_with(": preferred"));
    // In 0.4 of the looks the longer one, which is the rewritten one, and else a tie: 0.64 of pairs
    // with such a look, and half of the others.
    values.for_each(|finding| {
        assert!(
            (finding["value"].as_f64().unwrap() - 0.82).abs() < 0.12,
            "{finding}"
        )
    });
}
