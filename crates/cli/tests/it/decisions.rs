//! Judges that answer with probabilities and write no text: one request a pair, every low label
//! mass a failure, and each refusal told with what to do.

use crate::common::served::*;
use crate::common::{Desk, Ran, assert_holds, json_line};
use evenhand_testing::server::{DecisionScript, DecisionServer, Fault, Script, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const ITEMS: usize = 12;
/// Pairs of five systems on all items, and their looks in both orders.
const PAIRS: u64 = 10 * ITEMS as u64;
const LOOKS: usize = 2 * PAIRS as usize;

fn server(decisions: DecisionScript) -> Server {
    start(Script {
        decisions,
        keep: 10_000,
        ..quick()
    })
}

fn judge(desk: &Desk, judge: &str, more: &str) -> Ran {
    desk.run(&format!(
        "judge --data data --judge {judge} --format json {more}"
    ))
}

/// The server's probability of each answer, by the state's answers and the order asked for.
fn verdicts(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn both_orders_are_one_request_and_each_keeps_its_own_probabilities() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let mut by_format = Vec::new();
    for api in ["systemone", "decisions"] {
        let server = server(DecisionScript::default());
        let name = format!("{api}:m@{}", server.url());
        let ran = judge(&desk, &name, &format!("--protocol pairwise --run {api}"));
        let judgments = verdicts(&ran);
        assert_eq!(judgments.len(), LOOKS);
        let seen = server.requests();
        let stats = server.stop();
        assert_eq!(stats.requests, PAIRS, "{api}: one request a pair");
        assert_eq!(stats.bodies_replied_more_than_once, 0);
        for one in &seen {
            assert!(one.body.contains("answer_1") && one.body.contains("standards"));
        }
        by_format.push(
            judgments
                .iter()
                .map(|one| one["p_first"].as_f64().unwrap())
                .collect::<Vec<f64>>(),
        );
        // What is kept is what the server said, to the last bit.
        let raws = rows(&desk, api, "SELECT raw FROM calls WHERE raw IS NOT NULL");
        assert_eq!(raws.len() as u64, PAIRS);
        let mut said: Vec<f64> = Vec::new();
        for raw in &raws {
            collect(&serde_json::from_str(raw).unwrap(), &mut said);
        }
        let replies = rows(&desk, api, "SELECT reply FROM calls");
        let mut kept: Vec<f64> = Vec::new();
        for reply in &replies {
            let reply: Value = serde_json::from_str(reply).unwrap();
            kept.extend(
                reply["answers"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|p| p.as_f64().unwrap()),
            );
        }
        said.sort_by(f64::total_cmp);
        kept.sort_by(f64::total_cmp);
        assert_eq!(said, kept);
    }
    // The same server says the same in both formats; only the mass is known in one of them.
    for (one, other) in by_format[0].iter().zip(&by_format[1]) {
        assert!((one - other).abs() < 1e-9);
    }
}

/// The probabilities of the two answers of each question, in either format.
fn collect(raw: &Value, into: &mut Vec<f64>) {
    let answers: Vec<&Value> = match &raw["answers"] {
        Value::Array(list) => list.iter().collect(),
        Value::Object(map) => map.values().collect(),
        other => panic!("{other}"),
    };
    for answer in answers {
        match &answer["probabilities"] {
            Value::Object(map) => into.extend(map.values().map(|p| p.as_f64().unwrap())),
            Value::Array(list) => {
                into.extend(list.iter().map(|one| one["probability"].as_f64().unwrap()));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn it_costs_at_most_055_of_two_chat_calls_and_the_tokens_add_up() {
    // Answers of 150 words, as people's are.
    let desk = Desk::empty();
    let mut items = String::new();
    let mut responses = String::new();
    for item in 0..4 {
        items += &json_line(json!({"id": format!("q{item}"), "instruction": "Tell of it."}));
        for system in SYSTEMS {
            let text = format!("{system} {item} says so, and goes on. ").repeat(22);
            responses +=
                &json_line(json!({"item": format!("q{item}"), "system": system, "output": text}));
        }
    }
    desk.write("data/items.jsonl", items);
    desk.write("data/responses.jsonl", responses);
    let tokens = |run: &str| -> u64 {
        let sum = "SELECT CAST(SUM(prompt_tokens + completion_tokens) AS TEXT) FROM calls";
        rows(&desk, run, sum)[0].parse().unwrap()
    };
    let mut spent = BTreeMap::new();
    for api in ["openai", "systemone", "decisions"] {
        let server = server(DecisionScript::default());
        let name = format!("{api}:m@{}", server.url());
        let ran = judge(&desk, &name, &format!("--protocol pairwise --run {api}"));
        assert_eq!(verdicts(&ran).len(), 80);
        spent.insert(api, (tokens(api), server.stop().requests));
    }
    let (chat, chats) = spent["openai"];
    for api in ["systemone", "decisions"] {
        let (own, requests) = spent[api];
        assert_eq!((requests, chats), (40, 80));
        let share = own as f64 / chat as f64;
        println!("{api}: {own} of {chat} tokens, {share:.3}");
        assert!(share <= 0.55, "{api}: {share}");
    }
    // What the questions of a request have is what the server counted for it.
    let raws = rows(
        &desk,
        "systemone",
        "SELECT raw FROM calls WHERE raw IS NOT NULL",
    );
    let counted: u64 = raws
        .iter()
        .map(|raw| {
            let usage = &serde_json::from_str::<Value>(raw).unwrap()["usage"];
            usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(counted, spent["systemone"].0);
}

#[test]
fn every_low_label_mass_is_a_failure_of_its_own_kind() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let server = server(DecisionScript {
        low_mass: 0.2,
        ..DecisionScript::default()
    });
    let name = format!("systemone:m@{}", server.url());
    let ran = judge(&desk, &name, "--protocol pairwise --run run");
    assert_eq!(verdicts(&ran).len(), LOOKS);
    let low = "SELECT lower(hex(key)) FROM calls WHERE json_extract(reply, '$.label_mass') < 0.5 \
               OR json_extract(reply, '$.argmax_is_label') = 0";
    let low = rows(&desk, "run", low).len();
    assert!(low > 20, "{low} of {LOOKS}");
    assert_eq!(
        failures(&desk, "run"),
        BTreeMap::from([("off-label".into(), low)])
    );
    // A lower limit of the judge's own reads the same replies otherwise, where the most probable
    // token was an answer; here it never was.
    let settings = "least-label-mass = 0.0";
    configure_as(&desk, "systemone:m", &[&server.url()], settings);
    desk.done(&format!(
        "judge {MINE} --protocol pairwise --run other --format json"
    ));
    assert_eq!(
        failures(&desk, "other"),
        BTreeMap::from([("off-label".into(), low)])
    );
    // In the list format nothing says it but the confidence, where that is meant so.
    configure_as(
        &desk,
        "decisions:m",
        &[&server.url()],
        "[judges.mine.dialect]\nconfidence-has-mass = true",
    );
    desk.done(&format!(
        "judge {MINE} --protocol pairwise --run third --format json"
    ));
    assert_eq!(
        failures(&desk, "third"),
        BTreeMap::from([("off-label".into(), low)])
    );
}

#[test]
fn a_checklist_is_one_request_a_response() {
    let desk = Desk::empty();
    let criteria = json!(["It is short.", "It is kind.", {"text": "It is rude.", "weight": -1}]);
    let items: String = (0..5)
        .map(|item| {
            json_line(
                json!({"id": format!("q{item}"), "instruction": "Say hi.", "criteria": criteria}),
            )
        })
        .collect();
    desk.write("data/items.jsonl", items);
    let responses: String = (0..5)
        .flat_map(|item| SYSTEMS.map(|system| crate::common::response(item, system)))
        .collect();
    desk.write("data/responses.jsonl", responses);
    for api in ["systemone", "decisions"] {
        let server = server(DecisionScript::default());
        let name = format!("{api}:m@{}", server.url());
        let ran = judge(&desk, &name, &format!("--protocol checklist --run {api}"));
        assert_eq!(verdicts(&ran).len(), 25);
        assert_eq!(server.stop().requests, 25, "{api}");
        assert_eq!(
            rows(&desk, api, "SELECT lower(hex(key)) FROM calls").len(),
            75
        );
    }
}

#[test]
fn faults_pass_and_nothing_is_paid_for_twice() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let calm = server(DecisionScript::default());
    let name = format!("systemone:m@{}", calm.url());
    let port = calm.port();
    let expected = verdicts(&judge(&desk, &name, "--protocol pairwise --run calm"));
    calm.stop();
    let server = start(Script {
        faults: 0.3,
        fault_kinds: Fault::passing(),
        port,
        ..quick()
    });
    let found = verdicts(&judge(&desk, &name, "--protocol pairwise --run stormy"));
    assert_eq!(found, expected);
    let stats = server.stop();
    assert!(stats.count_faults() > 10);
    assert_eq!(stats.distinct_bodies, PAIRS);
    // A kept run answers without a server.
    let again = verdicts(&judge(
        &desk,
        "recorded:stormy",
        "--protocol pairwise --run again",
    ));
    assert_eq!(again.len(), expected.len());
    for (one, other) in again.iter().zip(&expected) {
        assert_eq!(one["p_first"], other["p_first"]);
    }
}

#[test]
fn each_refusal_says_what_to_do() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    for (played, api, advice) in [
        (
            DecisionServer::ChatModel,
            "systemone",
            "name the judge openai:m",
        ),
        (
            DecisionServer::UnreadArchitecture,
            "systemone",
            "a few architectures only",
        ),
        (
            DecisionServer::UnreadArchitecture,
            "decisions",
            "a few architectures only",
        ),
        (
            DecisionServer::OnlyDecisions,
            "systemone",
            "try decisions:m",
        ),
        (
            DecisionServer::OnlySystemOne,
            "decisions",
            "try systemone:m",
        ),
    ] {
        let server = server(DecisionScript {
            server: played,
            ..DecisionScript::default()
        });
        let name = format!("{api}:m@{}", server.url());
        let ran = judge(
            &desk,
            &name,
            &format!("--protocol pairwise --run {api}{played:?}"),
        );
        assert_eq!(ran.code, Some(1), "{played:?}");
        assert!(
            ran.stderr.contains(advice),
            "{played:?} {api}: {}",
            ran.stderr
        );
        assert!(server.stop().requests < 40, "{played:?}: it ends soon");
    }
    for (protocol, advice) in [
        ("pairwise/cot", "use direct"),
        ("prepair", "use direct"),
        ("listwise", "use pairwise"),
        ("pointwise:0-10", "pointwise:1-10"),
        ("pairwise/direct/portia:3", "swap"),
    ] {
        let ran = judge(
            &desk,
            "systemone:m@http://127.0.0.1:9/v1",
            &format!("--protocol {protocol}"),
        );
        assert_eq!(ran.code, Some(2), "{protocol}: {}", ran.stderr);
        assert!(ran.stderr.contains(advice), "{protocol}: {}", ran.stderr);
    }
    let ran = desk.run(
        "batch export --data data --judge systemone:m@http://127.0.0.1:9/v1 --protocol pairwise \
         --run batch --out files",
    );
    assert_ne!(ran.code, Some(0));
    ran.says("no provider takes batches");
}

#[test]
fn an_estimate_counts_requests_and_says_that_answers_are_not_all_repeatable() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let plan = "estimate --data data --judge decisions:gpt-6-luna --protocol pairwise";
    let ran = desk.done(plan);
    ran.prints("--repeats 3");
    let report = desk.json(&format!("{plan} --format json"));
    assert_eq!(report["calls"], LOOKS);
    assert_eq!(report["requests"], PAIRS);
    assert_eq!(report["deciding_judges"], 1);
    assert!(report["cost_usd"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_look_without_a_text_is_shown_with_its_probabilities() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let judged = "judge --data data --judge simulated:decides=true --protocol pairwise --run run";
    desk.done(judged);
    let shown = desk.done("show run 0").stdout;
    assert_holds(&shown, "answer_1: 0.");
    assert_holds(&shown, "of the probability");
}
