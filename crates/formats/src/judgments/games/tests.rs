use super::*;
use crate::error::Place;
use serde_json::json;

/// The lines of a file with this one record, for people to read.
fn lines(record: serde_json::Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut sink = |line: JudgmentLine<'_>, _: &Place| {
        found.push(match line {
            JudgmentLine::Label(label) => format!(
                "label {} {:?} {:?}",
                label.item,
                label.preferred,
                label.systems.unwrap_or_default()
            ),
            JudgmentLine::Game(game) => format!(
                "{} {:?}: {:?}, recorded {:?}",
                game.item, game.shown, game.said, game.recorded
            ),
            JudgmentLine::Battle(game) => {
                format!("battle {} {:?}: {:?}", game.item, game.shown, game.said)
            }
            JudgmentLine::Grade(grade) => format!(
                "{} {} {:?} {:?}",
                grade.item, grade.system, grade.text, grade.score
            ),
        });
        Ok(())
    };
    read_lines(
        record.to_string().as_bytes(),
        "f.jsonl",
        &Options::default(),
        &mut sink,
    )
    .unwrap();
    found
}

fn error(record: serde_json::Value) -> String {
    let mut sink = |_: JudgmentLine<'_>, _: &Place| Ok(());
    read_lines(
        record.to_string().as_bytes(),
        "f.jsonl",
        &Options::default(),
        &mut sink,
    )
    .unwrap_err()
    .to_string()
}

#[test]
fn the_last_round_of_an_llmbar_evaluator_decides() {
    let round = |number: u8, swap: bool, text: &str, winner: &str| json!({"round": number, "swap": swap, "completion": text, "winner": winner});
    let rounds = [
        round(1, false, "x", "2"),
        round(1, true, "y", "1"),
        round(2, false, "Output (a)", "1"),
        round(2, true, "Output (b)", "1"),
    ];
    let found = lines(
        json!({"index": 7, "label": 2, "rounds": rounds, "scores": null, "winner_unswapped": "1", "winner_swapped": "1"}),
    );
    assert_eq!(
        found,
        [
            "label 7 [Second] [\"\", \"\"]",
            "7 Forward: Text(\"Output (a)\", Some(\"output-letter\")), recorded Some(Some(First))",
            "7 Swapped: Text(\"Output (b)\", Some(\"output-letter\")), recorded Some(Some(Second))",
        ]
    );
}

#[test]
fn an_original_llmbar_result_reads_the_same() {
    let results = json!([["1. metric", "stop"], {"swap = False": {"completion": ["Output (b)", "stop"], "winner": "2"},
                         "swap = True": {"completion": ["no idea", "stop"], "winner": null}}]);
    let found = lines(
        json!({"input": "q", "output_1": "abc", "output_2": "d", "label": 1, "results": results}),
    );
    assert_eq!(
        found[1],
        "0 Forward: Text(\"Output (b)\", Some(\"output-letter\")), recorded Some(Some(Second))"
    );
    assert_eq!(
        found[2],
        "0 Swapped: Text(\"no idea\", Some(\"output-letter\")), recorded Some(None)"
    );
}

#[test]
fn ratings_are_in_the_order_of_the_slots() {
    let results = json!([{"score_1": ["4", "stop"], "score_2": ["9", "stop"], "swap = False": {"winner": "2"}, "swap = True": {"winner": "2"}}]);
    let found = lines(
        json!({"input": "q", "output_1": "a", "output_2": "b", "label": 1, "results": results}),
    );
    assert_eq!(
        found[1],
        "0 Forward: Ratings([\"4\", \"9\"]), recorded Some(Some(Second))"
    );
    assert_eq!(
        found[2],
        "0 Swapped: Ratings([\"9\", \"4\"]), recorded Some(Some(First))"
    );
}

#[test]
fn a_decision_of_judgebench_speaks_of_the_slots() {
    let game = |decision: &str, response: Option<&str>| json!({"decision": decision, "response": response, "scores": null});
    let found = lines(
        json!({"pair_id": "p", "label": "A>B", "game_1": game("A>B", Some("[[A>B]]")), "game_2": game("A=B", None)}),
    );
    assert_eq!(
        found[1..],
        [
            "p Forward: Text(\"[[A>B]]\", Some(\"bracketed-strength\")), recorded \
             Some(Some(First))",
            "p Swapped: Shares([0.0, 1.0, 0.0]), recorded Some(Some(Tie))",
        ]
    );
    let original = json!({"pair_id": "p", "label": "B>A", "judge_name": "vanilla", "source": "s",
                          "judgments": [{"judgment": {"response": "Output (a)"}, "decision": "A>B"}, null]});
    assert_eq!(
        lines(original)[1..],
        ["p Forward: Text(\"Output (a)\", Some(\"output-letter\")), recorded Some(Some(First))"]
    );
}

#[test]
fn a_pair_of_mt_bench_is_two_games() {
    let record = json!({"question_id": 1, "turn": 2, "model_1": "x", "model_2": "y", "judge": "j",
                        "g1_winner": "model_2", "g2_winner": "error", "g1_judgment": "[[B]]", "g2_judgment": "?"});
    assert_eq!(
        lines(record),
        [
            "1/2 Systems([\"x\", \"y\"]): Text(\"[[B]]\", Some(\"bracketed-letter\")), recorded \
             Some(Some(Second))",
            "1/2 Systems([\"y\", \"x\"]): Text(\"?\", Some(\"bracketed-letter\")), recorded \
             Some(None)",
        ]
    );
}

#[test]
fn people_vote_and_label() {
    let vote = json!({"question_id": 1, "turn": 1, "model_a": "x", "model_b": "y", "winner": "tie", "judge": "human"});
    assert_eq!(
        lines(vote),
        ["battle 1/1 Unordered([\"x\", \"y\"]): Shares([0.0, 1.0, 0.0])"]
    );
    let pair =
        json!({"idx": 3, "model_1": "x", "model_2": "y", "human": [1, 2, 0], "instruction": "i"});
    assert_eq!(lines(pair), ["label 3 [First, Second, Tie] [\"x\", \"y\"]"]);
}

#[test]
fn our_own_judgments_keep_their_failures() {
    let base = |first: Option<f64>, failure: Option<&str>| json!({"trial": 0, "item": "i", "first": "x", "second": "y", "p_first": first, "p_tie": first.map(|_| 0.0), "p_second": first.map(|p| 1.0 - p), "score": null, "failure": failure});
    assert_eq!(
        lines(base(Some(0.75), None)),
        ["i Systems([\"x\", \"y\"]): Shares([0.75, 0.0, 0.25]), recorded None"]
    );
    assert_eq!(
        lines(base(None, Some("truncated"))),
        ["i Systems([\"x\", \"y\"]): Nothing(\"truncated\"), recorded None"]
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    assert_eq!(
        error(json!({"pair_id": "p", "label": "A", "game_1": null})),
        "f.jsonl:1: field `label`: expected `A>B` or `B>A`, found `A`"
    );
    assert!(
        error(json!({"x": 1}))
            .starts_with("f.jsonl:1: these are not judgments or scores of a known form")
    );
}

#[test]
fn our_own_judgments_say_which_question_an_item_asks() {
    let ours = |more: &serde_json::Value| {
        let mut record = json!({
            "trial": 0, "item": "1", "first": "x", "second": "y", "p_first": 1.0, "p_tie": 0.0,
            "p_second": 0.0, "score": null, "failure": null
        });
        for (name, value) in more.as_object().unwrap() {
            record[name] = value.clone();
        }
        record
    };
    let question = |record: &serde_json::Value| {
        let mut found = None;
        let mut sink = |line: JudgmentLine<'_>, _: &Place| {
            found = match line {
                JudgmentLine::Game(game) => game.question,
                JudgmentLine::Grade(grade) => grade.question,
                _ => None,
            };
            Ok(())
        };
        let text = record.to_string();
        read_lines(text.as_bytes(), "f.jsonl", &Options::default(), &mut sink).unwrap();
        found
    };
    let asked = json!({"question_id": "q", "instruction": "Why?"});
    let worded = json!({"question_id": null, "instruction": "Why?"});
    let by_words = evenhand_core::name_of_text("Why?");
    for alone in [
        json!({}),
        json!({"second": null, "p_first": null, "score": 3.0}),
    ] {
        let of = |more: &serde_json::Value| {
            let mut record = ours(&alone);
            for (name, value) in more.as_object().unwrap() {
                record[name] = value.clone();
            }
            question(&record)
        };
        assert_eq!(of(&asked).as_deref(), Some("q"));
        assert_eq!(of(&worded), Some(by_words.clone()));
        assert_eq!(of(&json!({})), None);
    }
}

/// A battle of another weight counts neither once nor as often as that: it is refused, as where
/// battles become comparisons.
#[test]
fn battles_with_weights_are_no_judgments() {
    let battle = |weight: u32| json!({"item": "q1", "model_a": "a", "model_b": "b", "winner": "model_a", "weight": weight});
    let options = Options {
        battles: true,
        ..Options::default()
    };
    for weight in [0, 1, 100] {
        let mut sink = |_: JudgmentLine<'_>, _: &Place| Ok(());
        let text = battle(weight).to_string();
        let read = read_lines(text.as_bytes(), "f.jsonl", &options, &mut sink);
        let refused = read.err().map(|error| error.to_string());
        let says_so = refused.is_some_and(|text| text.contains("count once each"));
        assert_eq!(says_so, weight != 1, "{weight}");
    }
}

#[test]
fn labels_keep_the_name_of_their_question() {
    let mut found = None;
    let mut sink = |line: JudgmentLine<'_>, _: &Place| {
        if let JudgmentLine::Label(label) = line {
            found = label.cluster;
        }
        Ok(())
    };
    let label = json!({"item": "q1.2", "question_id": "q1", "a": "a", "b": "b", "preferred": "a"});
    let text = label.to_string();
    read_lines(text.as_bytes(), "f.jsonl", &Options::default(), &mut sink).unwrap();
    assert_eq!(found.as_deref(), Some("q1"));
}
