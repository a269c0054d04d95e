//! `meta judge` with the real binary: live, from a run, from our own judgments, and from recordings
//! of others.

use crate::common::{Desk, json_line};
use evenhand_testing::shared_data;
use serde_json::{Value, json};

/// 12 items; people prefer a to b on all but the last, which is a tie.
fn desk() -> Desk {
    let desk = Desk::new(12, &["a", "b", "c"]);
    let label = |at: usize| {
        let preferred = if at == 11 { "tie" } else { "a" };
        json_line(json!({
            "item": format!("q{at}"), "a": "a", "b": "b", "preferred": preferred,
            "annotator": "x",
        }))
    };
    desk.write("data/labels.jsonl", (0..12).map(label).collect::<String>());
    desk
}

#[test]
fn a_live_judge_sees_the_labelled_pairs_in_both_orders_and_nothing_else() {
    let desk = desk();
    let report =
        desk.json("meta judge --data data --judge simulated:accuracy=0.9 --run run --quiet");
    assert_eq!(report["n"].as_u64(), Some(12));
    assert_eq!(report["tied_labels"].as_u64(), Some(1));
    assert_eq!(
        report["coverage"],
        json!({"trials": 24, "verdicts": 24, "failures": {}})
    );
    assert_eq!(report["usage"]["calls"], 24);
    let [accuracy, forward, swapped] = ["accuracy", "accuracy_forward", "accuracy_swapped"]
        .map(|key| report[key].as_f64().unwrap());
    assert!((accuracy - (forward + swapped) / 2.0).abs() < 1e-12);
    // A pair judged one response at a time has the same verdict in either order, and that is said.
    let report = desk.json(
        "meta judge --data data --judge simulated --protocol pointwise --quiet --run pointwise",
    );
    assert_eq!(report["consistency"].as_f64(), Some(1.0));
    assert_eq!(report["n"].as_u64(), Some(12));
    assert_eq!(report["coverage"]["trials"], 12);
    assert!(
        report["warnings"]
            .to_string()
            .contains("hold by construction"),
        "{}",
        report["warnings"]
    );
}

/// A run keeps what was shown, and no fields to part items by.
#[test]
fn parts_of_a_kept_run_are_had_from_its_data() {
    let desk = desk();
    let item = |at: usize| {
        let lang = ["de", "en"][at % 2];
        json_line(json!({"id": format!("q{at}"), "instruction": format!("Say {at}"), "lang": lang}))
    };
    desk.write("data/items.jsonl", (0..12).map(item).collect::<String>());
    let judge = "--judge simulated:accuracy=0.9 --quiet";
    desk.done(&format!("meta judge --data data {judge} --run run"));
    desk.refused(
        &format!("meta judge --data run {judge} --run other --by lang"),
        "run: it is a run, not data: of items it keeps what the judge was shown; give the data that \
         were judged there (with --reuse run nothing is asked again)",
    );
    desk.refused(
        &format!("meta judge --data data {judge} --run run --by lang"),
        "with --reuse run that does not repeat the calls made here",
    );
    let parts = desk.json(&format!(
        "meta judge --data data {judge} --run other --by lang --reuse run"
    ));
    assert!(parts["interaction"].is_object(), "{parts}");
}

/// Each of several judges is measured by itself; a rule makes one of them all.
#[test]
fn several_judges_have_a_row_each_and_are_compared_unless_they_are_a_panel() {
    let desk = desk();
    let two = "meta judge --data data --quiet --judge simulated:accuracy=0.9 --judge \
               simulated:accuracy=0.4,seed=3";
    let report = desk.json(two);
    let judges = report["judges"].as_array().unwrap();
    let specs = ["simulated:accuracy=0.9", "simulated:accuracy=0.4,seed=3"];
    assert_eq!(judges.len(), 2, "{report}");
    for (judge, spec) in judges.iter().zip(specs) {
        let alone = desk.json(&format!("meta judge --data data --quiet --judge {spec}"));
        assert_eq!(
            (&judge["judge"], &judge["accuracy"]),
            (&alone["judge"], &alone["accuracy"])
        );
    }
    assert_eq!(
        report["paired_differences"].as_array().unwrap().len(),
        1,
        "{report}"
    );
    assert_eq!(report["usage"]["calls"], 48);
    let panel = desk.json(&format!("{two} --panel mean"));
    assert!(
        panel["judges"].is_null() && panel["accuracy"].is_f64(),
        "{panel}"
    );
    desk.refused(
        &format!("{two} --run run"),
        "--run: several judges are judged one after the other, each in a run of its own; leave it \
         out, or make them one panel with --panel mean",
    );
}

/// Only the labelled pairs are judged, so only their responses are needed.
#[test]
fn responses_of_other_systems_are_not_missed() {
    let desk = desk();
    let lines = desk.lines("data/responses.jsonl");
    let of_two = lines
        .iter()
        .filter(|line| !line.contains("\"c\"") || line.contains("\"q0\""));
    let of_two: String = of_two.map(|line| format!("{line}\n")).collect();
    desk.write("data/responses.jsonl", &of_two);
    let report = desk.json("meta judge --data data --judge simulated --quiet");
    assert_eq!(report["n"], 12);
    let of_one = of_two.lines().filter(|line| !line.contains("\"q3\""));
    let of_one: String = of_one.map(|line| format!("{line}\n")).collect();
    desk.write("data/responses.jsonl", of_one);
    desk.refused(
        "meta judge --data data --judge simulated --quiet",
        "1 of 12 items lack a response of some system: `q3` (no response of `a`, `b`)",
    );
}

#[test]
fn of_a_trial_with_both_orders_the_looks_are_measured() {
    let desk = desk();
    let judge = "--data data --judge simulated:accuracy=0.5,first-slot=1 --quiet";
    for protocol in ["pairwise/direct/swap:average", "pairwise/cot/mec+bpc:2"] {
        let run = protocol.replace(['/', ':'], "-");
        let report = desk.json(&format!(
            "meta judge {judge} --protocol {protocol} --run {run}"
        ));
        // A judge that always takes the first slot: never the same in both orders, and each trial
        // counts once.
        assert_eq!(
            (
                report["consistency"].as_f64(),
                report["first_slot"].as_f64()
            ),
            (Some(0.0), Some(1.0)),
            "{protocol}"
        );
        assert_eq!(report["coverage"]["trials"], 12, "{protocol}");
        assert_eq!(
            report["accuracy_forward"].as_f64(),
            Some(11.0 / 12.0),
            "{protocol}: a is the better one of 11"
        );
        assert_eq!(report["accuracy_swapped"].as_f64(), Some(0.0), "{protocol}");
        assert!(
            report["warnings"]
                .to_string()
                .contains("of the looks in each order"),
            "{protocol}"
        );
        let judged = desk.json(&format!(
            "rank {judge} --design labelled --protocol {protocol} --run {run}"
        ));
        let of = |key: &str| judged[key]["value"].as_f64();
        assert_eq!(
            (of("consistency"), of("first_slot")),
            (Some(0.0), Some(1.0)),
            "{protocol}: as rank says"
        );
    }
    // Of portia's trials those that stay inconsistent have no verdict.
    let portia = "--judge simulated:accuracy=0.7,first-slot=0.4 --protocol pairwise/direct/portia \
                  --run portia --quiet";
    let report = desk.json(&format!("meta judge --data data {portia}"));
    let failed = report["coverage"]["failures"]["inconsistent"]
        .as_u64()
        .unwrap();
    assert_eq!(report["coverage"]["trials"], 12);
    let consistent = 1.0 - failed as f64 / 12.0;
    assert!(
        (report["consistency"].as_f64().unwrap() - consistent).abs() < 1e-12,
        "{report}"
    );
}

#[test]
fn a_run_and_its_judgments_give_the_same_figures() {
    let desk = desk();
    let live = "meta judge --data data --judge simulated:accuracy=0.7,first-slot=0.2,invalid=0.1 \
                --run run --quiet";
    let figures = |report: &Value| {
        [
            "accuracy",
            "accuracy_ci",
            "consistency",
            "first_slot",
            "kappa",
            "counts",
        ]
        .map(|key| report[key].clone())
    };
    let first = desk.json(&format!("{live} --figure accuracy.svg"));
    let accuracy = format!("{:.3} (95 % interval ", first["accuracy"].as_f64().unwrap());
    assert!(desk.read("accuracy.svg").contains(&accuracy), "{accuracy}");
    assert!(first["coverage"]["failures"]["unparsed"].as_u64().unwrap() > 0);
    let replayed = desk.json("meta judge --data data --judge recorded:run --quiet --run replay");
    assert_eq!(figures(&first), figures(&replayed));
    let judged = desk.done(
        "judge --data data --judge recorded:run --design labelled --quiet --run \
                            replay2 --format json",
    );
    desk.write("judgments.jsonl", judged.stdout);
    let recorded = desk.json("meta judge --recorded judgments.jsonl --labels data/labels.jsonl");
    assert_eq!(figures(&first), figures(&recorded));
}

#[test]
fn labels_may_stand_the_other_way_round() {
    let desk = desk();
    let report =
        desk.json("meta judge --data data --judge simulated:accuracy=0.9 --run run --quiet");
    let turned = desk.read("data/labels.jsonl").replace(
        r#""a":"a","b":"b","preferred":"a""#,
        r#""a":"b","b":"a","preferred":"b""#,
    );
    desk.write("data/labels.jsonl", turned);
    let other =
        desk.json("meta judge --data data --judge simulated:accuracy=0.9 --run run2 --quiet");
    assert_eq!(report["accuracy"], other["accuracy"]);
    assert_eq!(report["consistency"], other["consistency"]);
    assert_eq!(report["accuracy_forward"], other["accuracy_swapped"]);
}

#[test]
fn recordings_of_others_are_read_anew() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let file = |name: &str| data.join(name).display().to_string();
    let report = desk.json(&format!(
        "meta judge --recorded {}",
        file("llmbar/natural/evaluators/GPT-4__CoT.jsonl.gz")
    ));
    assert_eq!(report["judge"].as_str(), Some("GPT-4__CoT"));
    assert_eq!(report["accuracy"].as_f64(), Some(0.945));
    assert_eq!(report["recorded_counts"], report["counts"]);
    let two = ["natural", "manual"]
        .map(|subset| file(&format!("llmbar/{subset}/evaluators/PaLM2__CoT.jsonl.gz")))
        .join(" ");
    let report = desk.json(&format!("meta judge --recorded {two} --subsets file"));
    assert_eq!(
        report["subsets"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["natural", "manual"]
    );
    let difference = &report["differences"][0];
    assert!(
        difference["pair"].is_string() && difference["recorded"] != difference["read"],
        "{difference}"
    );
    let differences = report["differences"].as_array().unwrap();
    assert!(differences.iter().all(|difference| {
        difference["why"]
            .as_str()
            .is_some_and(|why| !why.is_empty())
    }));
    // Ratings of single answers against people's votes.
    desk.write(
        "votes.jsonl",
        r#"{"question_id": 81, "turn": 1, "model_a": "phi-3-dpo", "model_b": "phi-3", "winner": "model_a", "judge": "x"}"#,
    );
    let pairs = file("mt_bench/judgments/pairwise_phi-3__vs__phi-3-dpo.jsonl.gz");
    let report = desk.json(&format!(
        "meta judge --recorded {pairs} --labels votes.jsonl"
    ));
    assert_eq!(report["n"].as_u64(), Some(1));
    assert_eq!(report["coverage"]["trials"].as_u64(), Some(2));
    // A field of the items parts recordings too; one that fits none of them is refused.
    let data = file("mt_bench/questions.jsonl");
    let vote = |question: usize| {
        json_line(json!({
            "question_id": question, "turn": 1, "model_a": "phi-3-dpo", "model_b": "phi-3",
            "winner": "model_a", "judge": "x"
        }))
    };
    desk.write("votes.jsonl", (81..161).map(vote).collect::<String>());
    let report = desk.json(&format!(
        "meta judge --recorded {pairs} --labels votes.jsonl --data {data} --by category --votes each"
    ));
    assert_eq!(report["subsets"].as_object().unwrap().len(), 8, "{report}");
    desk.write(
        "others.jsonl",
        json_line(json!({"id": "x", "instruction": "Say x", "category": "odd"})),
    );
    desk.refused(
        &format!(
            "meta judge --recorded {pairs} --labels votes.jsonl --data others.jsonl --by category"
        ),
        "--by category: no judged pair is of an item of the data with this field",
    );
    // Labels of other pairs are none of these; a recording's own come first, and that is said.
    desk.write("votes.jsonl", vote(7_000_000));
    let llmbar = file("llmbar/natural/evaluators");
    desk.refused(
        &format!("meta judge --recorded {llmbar} --labels votes.jsonl"),
        "--labels: none of the 1 labels is about a recorded pair",
    );
}

#[test]
fn what_is_missing_is_said() {
    let desk = desk();
    let refused = |arguments: &str, expected: &str| {
        desk.refused(arguments, expected);
    };
    refused("meta judge", "expected --data PATH...");
    refused(
        "meta judge --data data",
        "expected --data PATH... with labelled pairs and --judge JUDGE",
    );
    refused(
        "meta judge --recorded none.jsonl",
        "none.jsonl: cannot be read",
    );
    refused(
        "meta judge --recorded data/labels.jsonl",
        "--recorded data/labels.jsonl: no judge's verdict is in it, only labels",
    );
    refused(
        "meta judge --recorded data/items.jsonl",
        "this is a data set's file (`items`)",
    );
    refused(
        "meta judge --data data --judge simulated --design all-pairs,x",
        "--design",
    );
    refused(
        "meta judge --recorded data/labels.jsonl --judge simulated",
        "--recorded asks no judge",
    );
    refused(
        "meta judge --recorded data/labels.jsonl --notation x",
        "unknown notation `x`",
    );
    refused(
        "meta judge --data data --judge simulated --level 2",
        "--level 2",
    );
    std::fs::remove_file(desk.path("data/labels.jsonl")).unwrap();
    refused(
        "meta judge --data data --judge simulated --quiet",
        "the data has no labels",
    );
}

/// What LLMBar is made to show: its adversarial parts are hard for ChatGPT, and not for GPT-4.
#[test]
fn a_recorded_judge_that_errs_on_one_part_is_named_and_another_is_not() {
    let Some(data) = shared_data() else { return };
    let of = |judge: &str| {
        let parts = ["gptinst", "manual", "natural"];
        let file = |part| format!("llmbar/{part}/evaluators/{judge}__Vanilla.jsonl.gz");
        parts
            .map(|part| data.join(file(part)).display().to_string())
            .join(" ")
    };
    let desk = Desk::empty();
    let files = [of("GPT-4"), of("ChatGPT")].join(" ");
    let found = desk.json(&format!("meta judge --recorded {files}"));
    let rows = found["interaction"]["deviations"].as_array().unwrap();
    let row = |judge: &str, part: &str| {
        let is_own =
            |row: &&Value| row["judge"] == format!("{judge}__Vanilla") && row["value"] == part;
        let row = rows.iter().find(is_own).unwrap();
        ["deviation", "p_adjusted"].map(|name| row[name].as_f64().unwrap())
    };
    let [natural, p] = row("ChatGPT", "natural");
    assert!(natural > 0.25 && p < 0.01, "{rows:#?}");
    let [gptinst, p] = row("GPT-4", "gptinst");
    assert!(gptinst > -0.05 && p > 0.3, "{rows:#?}");
    let csv = desk
        .done(&format!("meta judge --recorded {files} --format csv"))
        .stdout;
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with("deviation,pooled,p_adjusted"),
        "{csv}"
    );
}

/// Sixty labelled pairs, judged in both orders: right in the first, and in the second on the even
/// ones, and a file where the second row of a pair stands in the same order.
#[test]
fn battles_in_both_orders_are_two_games_of_a_pair() {
    let desk = Desk::empty();
    let head = "question_id,model_a,model_b,winner\n";
    let (mut labels, mut both, mut same) = (head.to_owned(), head.to_owned(), head.to_owned());
    for question in 0..60 {
        labels += &format!("q{question},a,b,model_a\n");
        both += &format!("q{question},a,b,model_a\n");
        let turned = ["model_b", "model_a"][question % 2];
        both += &format!("q{question},b,a,{turned}\n");
        same += &format!("q{question},a,b,model_a\n").repeat(2);
    }
    desk.write("lab.csv", labels);
    desk.write("both.csv", both);
    desk.write("same.csv", same);
    let figures = |file: &str| desk.json(&format!("meta judge --recorded {file} --labels lab.csv"));
    let found = figures("both.csv");
    for (name, value) in [
        ("accuracy", 0.75),
        ("accuracy_forward", 1.0),
        ("accuracy_swapped", 0.5),
        ("accuracy_both", 0.5),
        ("consistency", 0.5),
        ("first_slot", 0.75),
    ] {
        assert_eq!(found[name], value, "{name}: {found}");
    }
    assert!(
        !found["warnings"].to_string().contains("left out"),
        "{found}"
    );
    let found = figures("same.csv");
    let said = "60 judgments repeat a pair and are left out: the recording does not say which \
                response was shown first";
    assert!(found["warnings"].to_string().contains(said), "{found}");
}

#[test]
fn conditions_stop_a_pipeline() {
    let desk = Desk::empty();
    let rows: String = (0..20).map(|at| format!("q{at},a,b,model_a\n")).collect();
    let text = format!("question_id,model_a,model_b,winner\n{rows}");
    desk.write("lab.csv", &text);
    desk.write("j.csv", text.replacen("model_a\n", "model_b\n", 5));
    let run = |gate: &str| {
        let command = "meta judge --recorded j.csv --labels lab.csv --fail-if";
        desk.run(&format!("{command} {gate}"))
    };
    for (gate, code, says) in [
        ("accuracy<0.8", 3, "accuracy<0.8 (j: it is 0.75)"),
        ("accuracy<0.7,failures>0,coverage<1", 0, ""),
        ("accuracy<75", 2, "0.75 is 75 %"),
        ("acuracy<0.7", 2, "with one of accuracy, accuracy_both"),
        ("consistency<0.7", 2, "has no such figure"),
    ] {
        let ran = run(gate);
        assert_eq!(ran.code, Some(code), "{gate}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{gate}: {}", ran.stderr);
    }
}

#[test]
fn conditions_on_a_live_judge_are_on_its_agreement() {
    let desk = desk();
    for (gate, code) in [("accuracy<0.01,coverage<1", 0), ("failures<1", 3)] {
        let ran = desk.run(&format!(
            "meta judge --data data --judge simulated:accuracy=0.9 --run run --fail-if {gate}"
        ));
        assert_eq!(ran.code, Some(code), "{gate}: {}", ran.stderr);
    }
}
