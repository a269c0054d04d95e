//! `meta select` with the real binary, on recorded judges.

use crate::common::Desk;
use evenhand_testing::shared_data;
use serde_json::Value;

/// JudgeBench (o1-mini by Arena-Hard's prompt, both orders): of 350 pairs, 269 lean to a side when
/// both orders are put together, and 39 of those are wrong; counted by a script in Python.
#[test]
fn what_a_recorded_judge_is_sure_of_is_accepted() {
    let Some(data) = shared_data() else { return };
    let judge = data
        .join("judgebench/judgments/gpt-4o-2024-05-13__arena_hard__o1-mini-2024-09-12.jsonl.gz");
    let desk = Desk::empty();
    let found = desk.json(&format!(
        "meta select --recorded {} --error 0.3",
        judge.display()
    ));
    assert_eq!(
        (&found["pairs"], &found["threshold"]["accepted"]),
        (&350.into(), &269.into())
    );
    assert_eq!(found["threshold"]["wrong"], 39);
    assert_eq!(
        (&found["tried"]["certified"], &found["tried"]["broken"]),
        (&200.into(), &0.into())
    );
    let strict = desk.done(&format!(
        "meta select --recorded {} --error 0.02",
        judge.display()
    ));
    assert!(
        strict.stdout.starts_with("No verdict of "),
        "{}",
        strict.stdout
    );
}

/// LLMBar's adversarial and natural pairs: a judge without rules, and one with metrics and a
/// reference for what it is not sure of.
#[test]
fn a_second_judge_decides_the_rest() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let files = |judge: &str| {
        let of = |part: &str| data.join(format!("llmbar/{part}/evaluators/{judge}.jsonl.gz"));
        let files = ["gptinst", "manual", "natural"].map(|part| of(part).display().to_string());
        files.join(" ")
    };
    let both = [
        files("GPT-4__Vanilla_NoRules"),
        files("GPT-4__Metrics_Reference"),
    ]
    .join(" ");
    let found = desk.json(&format!("meta select --recorded {both} --error 0.2"));
    let share = |name: &str| found["cascade"][name].as_f64().unwrap();
    assert_eq!(found["cascade"]["pairs"], 238);
    assert!(share("first") < share("together") && share("together") <= share("second") + 0.01);
    assert!(share("escalated") < 1.0);
    // One in ten may be.
    assert!(found["tried"]["broken"].as_u64() <= Some(20), "{found}");
    // As right as the second judge, on the other half to within what halves vary by.
    let equal = &found["cascade"]["equal"];
    assert!(
        (equal["together"].as_f64().unwrap() - share("second")).abs() < 0.03,
        "{found}"
    );
    assert!(found["cascade"]["cost"].is_null());
    let priced = desk.json(&format!(
        "meta select --recorded {both} --error 0.2 --costs 1,20"
    ));
    let cost = |name: &str| priced["cascade"]["cost"][name].as_f64().unwrap();
    assert_eq!(cost("second"), 20.0);
    assert!((cost("together") - (1.0 + 20.0 * share("escalated"))).abs() < 1e-9);
    let again: Value = desk.json(&format!("meta select --recorded {both} --error 0.2"));
    assert_eq!(again, found);
}

#[test]
fn settings_that_promise_nothing_are_refused() {
    let desk = Desk::empty();
    desk.write("judged.csv", "item,model_a,model_b,winner\n1,x,y,model_a\n");
    for arguments in [
        "--error 0",
        "--certainty 1",
        "--error x",
        "--costs 1",
        "--costs 1,0",
    ] {
        let refused = desk.run(&format!(
            "meta select --recorded judged.csv --labels judged.csv {arguments}"
        ));
        assert_eq!(refused.code, Some(2), "{arguments}: {}", refused.stderr);
    }
}
