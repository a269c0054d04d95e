//! `meta consistency`: PORTIA's tables 1, 3, 4, 6 and 8.

use crate::common::{Desk, answer, assert_holds, item};
use serde_json::Value;

const SYSTEMS: [&str; 3] = ["ant", "bee", "cat"];
const BIASED: &str = "--judge simulated:accuracy=0.75,first-slot=0.4,tie=0.1";

/// Items with answers of several sentences, so that portia has something to split; one is too
/// short.
fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..40).map(item).collect::<String>());
    let text = |item: usize, system: &str| match (item, system) {
        (0, _) => format!("Short, {system}."),
        _ => format!(
            "Thing {item} is one that {system} names. It has a colour. It also has a size, says \
             {system}. That is all.{}",
            " And more.".repeat(item)
        ),
    };
    let all = (0..40).flat_map(|item| {
        SYSTEMS
            .iter()
            .map(move |system| answer(item, system, &text(item, system)))
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk
}

fn measure(desk: &Desk, rest: &str) -> Value {
    desk.json(&format!("meta consistency --data data --rounds 100 {rest}"))
}

/// Returns the side that a look prefers.
fn side(look: &Value) -> Option<&str> {
    let verdict = look["outcome"].get("Ok")?;
    let share = |side: &str| verdict[side].as_f64().unwrap();
    let sides = ["first", "second", "tie"];
    sides.into_iter().find(|one| {
        sides
            .iter()
            .all(|other| one == other || share(one) > share(other))
    })
}

/// The twin: looks counted one by one, as `judge` prints them.
#[test]
fn shares_are_those_of_the_looks() {
    let desk = desk();
    let protocol = "--protocol pairwise-tie/cot/portia:3,original-first --run run";
    let found = measure(&desk, &format!("{BIASED} {protocol} --figure con.svg"));
    let drawn = desk.read("con.svg");
    assert_holds(&drawn, ">at first</text>");
    assert_holds(&drawn, "120 pairs");
    let judgments = desk.judgments(&format!("--data data {BIASED} {protocol}"));
    let agree = |looks: &[&Value]| {
        let [one, other] = looks else {
            panic!("two looks a step")
        };
        side(one).is_some() && side(one) == side(other)
    };
    let (mut first, mut end, mut mended) = (0, 0, 0);
    for judgment in &judgments {
        let looks: Vec<&Value> = judgment["looks"].as_array().unwrap().iter().collect();
        let (before, after) = (agree(&looks[..2]), agree(&looks[looks.len() - 2..]));
        first += u64::from(before);
        end += u64::from(after);
        mended += u64::from(!before && after);
    }
    let counts = [
        "",
        "_consistent_at_first",
        "_consistent_in_the_end",
        "_mended",
    ]
    .map(|name| found[format!("pairs{name}")].as_u64().unwrap());
    assert_eq!(counts, [120, first, end, mended]);
    assert!(mended > 0 && first < 120, "{found}");
    let fixed = found["fixed_coverage"].as_f64().unwrap();
    assert!((fixed - mended as f64 / (120 - first) as f64).abs() < 1e-12);
    let [low, high] = [0, 1].map(|end| found["fixed_coverage_ci"][end].as_f64().unwrap());
    assert!(low < fixed && fixed < high);
    let inconsistent: u64 = found["by_length"]["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bin| {
            bin["pairs"].as_u64().unwrap() - bin["pairs_consistent_at_first"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(inconsistent, 120 - first);
}

/// Both orders of such a pair are one prompt: a judge that must name one cannot agree with itself.
#[test]
fn pairs_of_the_same_response_are_left_out() {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..40).map(item).collect::<String>());
    let all = (0..40).flat_map(|item| {
        ["ant", "bee"].map(|system| {
            let by = if item % 4 == 0 { "both" } else { system };
            answer(item, system, &format!("Thing {item} as {by} see it."))
        })
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    let ran = desk.done(
        "meta consistency --data data --judge simulated:accuracy=1 --protocol \
         pairwise/direct/swap:none --rounds 100 --format json",
    );
    ran.says("10 of 40 pairs have two identical responses and are left out");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let counts = ["pairs", "pairs_consistent_at_first"].map(|name| found[name].clone());
    assert_eq!(counts, [30, 30].map(Value::from));
}

/// A judge without position bias has nothing to mend, and one that only has it never agrees with
/// itself.
#[test]
fn planted_consistency_comes_back() {
    let desk = desk();
    let protocol = "--protocol pairwise/direct/portia:3,original-first";
    let fair = measure(&desk, &format!("--judge simulated:accuracy=1 {protocol}"));
    assert_eq!(fair["consistent_at_first"], 1.0);
    assert!(fair["fixed_coverage"].is_null() && fair["notes"]["fixed_coverage"].is_string());
    assert!(fair["by_length"]["trend_of_inconsistency"].is_null());
    let biased = measure(&desk, &format!("--judge simulated:first-slot=1 {protocol}"));
    assert_eq!(biased["consistent_at_first"], 0.0);
}

#[test]
fn agreement_with_a_gold_judge_counts_inconsistent_pairs_as_none() {
    let desk = desk();
    let gold =
        "judge --data data --judge simulated:accuracy=1 --protocol pairwise/direct/swap:none";
    desk.write(
        "gold.jsonl",
        desk.done(&format!("{gold} --format json")).stdout,
    );
    let protocol = "--protocol pairwise/direct/portia:3,original-first --gold gold.jsonl";
    let same = measure(&desk, &format!("--judge simulated:accuracy=1 {protocol}"));
    assert_eq!(same["gold"]["agreement_at_first"], 1.0);
    let biased = measure(&desk, &format!("--judge simulated:first-slot=1 {protocol}"));
    assert_eq!(
        (
            &biased["gold"]["pairs"],
            &biased["gold"]["agreement_at_first"]
        ),
        (&120.into(), &0.0.into())
    );
}

/// PORTIA's table 3: six systems of the first vicuna-bench release.
#[test]
fn lengths_are_those_of_the_papers_table() {
    let Some(shared) = evenhand_testing::shared_data() else {
        return;
    };
    let expected =
        std::fs::read_to_string(shared.join("expected/portia_answer_lengths.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let models = expected["models"].as_object().unwrap();
    let bench = shared.join("vicuna_bench");
    let answers: Vec<String> = models
        .keys()
        .map(|model| {
            bench
                .join(format!("answers/{model}.jsonl.gz"))
                .display()
                .to_string()
        })
        .collect();
    let desk = Desk::empty();
    let found = desk.json(&format!(
        "meta consistency --data {} {} --map \
         item=question_id,instruction=question,system=model,output=answer \
         --judge simulated --protocol pairwise/direct/swap:none --rounds 10 --allow-missing",
        bench.join("questions.jsonl").display(),
        answers.join(" ")
    ));
    let rows = found["lengths"].as_array().unwrap();
    assert_eq!(rows.len(), models.len());
    for row in rows {
        let expected = &models[row["system"].as_str().unwrap()];
        assert_eq!(
            (&row["max"], &row["min"]),
            (&expected["max"], &expected["min"]),
            "{row}"
        );
        for (found, name) in [(&row["mean"], "mean"), (&row["sd"], "std")] {
            let gap = found.as_f64().unwrap() - expected[name].as_f64().unwrap();
            assert!(gap.abs() < 0.006, "{row} and {expected}");
        }
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let desk = desk();
    for (rest, words) in [
        (
            "--protocol pairwise/direct/swap",
            "takes both orders of a pair in one judgment",
        ),
        (
            "--protocol pointwise:1-5",
            "takes both orders of a pair in one judgment",
        ),
        ("--protocol portia --device abacus", "expected a100"),
        ("--protocol portia --overhead 0.5", "at least 1"),
        ("--protocol portia --gold data/items.jsonl", "line 1"),
    ] {
        desk.refused(
            &format!("meta consistency --data data --judge simulated {rest}"),
            words,
        );
    }
}

#[test]
fn conditions_end_the_command_as_they_end_a_ranking() {
    let desk = desk();
    let measure = "meta consistency --data data --rounds 100 --protocol pairwise/direct/swap:none \
                   --judge simulated:accuracy=0.75,first-slot=0.4,invalid=0.3";
    desk.run(&format!("{measure} --fail-if coverage<0.9"))
        .ends(3, "coverage<0.9");
    desk.done(&format!("{measure} --fail-if coverage<0.05"));
}
