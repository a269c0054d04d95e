//! `evenhand meta bencher`: recorded data whose figures are known, and what a user can get wrong.

use crate::common::{Desk, assert_holds};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::path::Path;

fn expected(data: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(data.join(format!("expected/{name}.json"))).unwrap())
        .unwrap()
}

fn near(found: &Value, golden: &Value, tolerance: f64) {
    let (found, golden) = (found.as_f64().unwrap(), golden.as_f64().unwrap());
    assert!((found - golden).abs() <= tolerance, "{found} for {golden}");
}

/// The flags that name the reference of RealRank's setting 1.
fn arena(data: &Path) -> String {
    let data = data.display();
    format!("--ratings {data}/arena/ratings_20240731.csv --names {data}/arena/realrank_systems.csv")
}

#[test]
fn published_scores_have_the_known_correlations() {
    let Some(data) = shared_data() else { return };
    let (desk, golden, shown) = (
        Desk::empty(),
        expected(&data, "realrank_reference"),
        data.display(),
    );
    // The RealRank systems have rows in the one file or in the other.
    let alpaca = format!(
        "alpaca={shown}/alpaca_eval/leaderboards/weighted_alpaca_eval_gpt4_turbo_realrank_only.csv,rest.csv"
    );
    let all = std::fs::read_to_string(
        data.join("alpaca_eval/leaderboards/weighted_alpaca_eval_gpt4_turbo.csv"),
    )
    .unwrap();
    let (header, rest) = all.split_once('\n').unwrap();
    let rest = rest
        .lines()
        .find(|line| line.starts_with("claude-2.1,"))
        .unwrap();
    desk.write("rest.csv", format!("{header}\n{rest}\n"));
    let hard = format!("hard={shown}/arena_hard/leaderboard_20240731.csv");
    let columns = "--score-column win_rate,length_controlled_winrate,score";
    let report = desk.json(&format!(
        "meta bencher --ranking {alpaca} {hard} {columns} --rounds 200 {}",
        arena(&data)
    ));
    let benchers = report["benchers"].as_array().unwrap();
    let names = [
        "alpaca_eval2_win_rate",
        "alpaca_eval2_length_controlled",
        "arena_hard_score",
    ];
    assert_eq!(benchers.len(), names.len());
    for (bencher, name) in benchers.iter().zip(names) {
        assert_eq!(bencher["n"], golden["n_systems"], "{name}");
        assert_eq!(bencher["ci"]["over"], "systems");
        for figure in ["spearman", "kendall_tau_b"] {
            near(
                &bencher[figure],
                &golden["correlations"][name][figure],
                1e-12,
            );
            let ci = bencher[format!("{figure}_ci")].as_array().unwrap();
            assert!(
                ci[0].as_f64() < bencher[figure].as_f64()
                    && bencher[figure].as_f64() <= ci[1].as_f64(),
                "{ci:?}"
            );
        }
        assert_eq!(bencher["tau_u"].as_array().unwrap().len(), 20);
    }
    // The same systems are resampled, so the differences to the first have intervals of their own.
    assert_eq!(report["differences"].as_array().unwrap().len(), 2);
    assert!(report["differences"][1]["spearman_ci"][0].as_f64().unwrap() > 0.0);
}

#[test]
fn bootstrapped_benchers_have_the_known_figures() {
    let Some(data) = shared_data() else { return };
    let (desk, golden, shown) = (
        Desk::empty(),
        expected(&data, "benchmark_stats"),
        data.display(),
    );
    for name in ["alpaca_eval2", "alpaca_eval2_lc", "arena_hard"] {
        let golden = &golden["benchmarks"][name];
        let run = |level: &str| {
            let files = format!(
                "--ranking {shown}/benchmark_stats/{name}.jsonl.gz --ratings \
                 {shown}/benchmark_stats/arena_20240329.csv"
            );
            desk.json(&format!(
                "meta bencher {files} --rounds 100 --level {level}"
            ))
        };
        let (found, narrow) = (run("0.95"), run("0.8"));
        assert_eq!(found["n"], golden["n_models"]);
        assert_eq!(found["ci"]["over"], Value::from("rounds"));
        for figure in ["spearman", "strict_agreement", "agreement_with_confidence"] {
            near(&found[figure], &golden[figure], 1e-12);
        }
        near(&found["brier"], &golden["brier"], 1e-9);
        // A forecast near 1 has lost digits that one near 0 keeps, so the order of the two systems
        // shows.
        near(&found["log_loss"], &golden["log_loss"], 1e-8);
        // Published as a percentage with two digits.
        near(
            &Value::from(100.0 * found["separability"].as_f64().unwrap()),
            &golden["separability_95_pct"],
            0.00501,
        );
        near(
            &Value::from(100.0 * narrow["separability"].as_f64().unwrap()),
            &golden["separability_80_pct"],
            0.00501,
        );
        assert!(
            found["notes"][0].as_str().unwrap().contains("sorted"),
            "{}",
            found["notes"]
        );
    }
}

#[test]
fn pointwise_scores_are_aggregated_and_compared() {
    let Some(data) = shared_data() else { return };
    let (desk, golden, shown) = (
        Desk::empty(),
        expected(&data, "arena_bench"),
        data.display(),
    );
    let reference = format!(
        "--ratings {shown}/arena/ratings_20240731.csv --names {shown}/arena_bench/systems.csv"
    );
    let aggregates = "mean,median,bradley-terry,win-ratio";
    let report = desk.json(&format!(
        "meta bencher --ranking ab={shown}/arena_bench/judgments --aggregate {aggregates} --rounds \
         50 {reference}"
    ));
    let benchers = report["benchers"].as_array().unwrap();
    assert_eq!(benchers.len(), 4);
    for (bencher, aggregation) in benchers.iter().zip(aggregates.split(',')) {
        assert_eq!(bencher["aggregation"], Value::from(aggregation));
        assert_eq!(bencher["n"], Value::from(11));
        assert_eq!(
            bencher["unmatched"]["ranking"],
            serde_json::json!(["gpt-3.5-turbo"])
        );
        assert_eq!(bencher["ci"]["over"], "items");
        assert_eq!(bencher["items"]["judged"], 300);
    }
    let mean = |name: &str| {
        let row = golden["models"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["model"] == name)
            .unwrap();
        row["mean_score"].clone()
    };
    for row in benchers[0]["systems"].as_array().unwrap() {
        near(&row["score"], &mean(row["system"].as_str().unwrap()), 1e-9);
    }
    assert_eq!(report["differences"].as_array().unwrap().len(), 3);
}

#[test]
fn a_judge_is_held_against_the_majority_of_people() {
    let Some(data) = shared_data() else { return };
    let (desk, shown) = (Desk::empty(), data.display());
    let pairs = format!("{shown}/pandalm/pairs.jsonl.gz");
    let judge = format!("gpt-3.5={pairs},{shown}/pandalm/judgments/gpt-3.5-turbo.jsonl.gz");
    let arguments =
        format!("meta bencher --ranking {judge} --labels {pairs} --votes majority --rounds 200");
    let found = desk.json(&format!("{arguments} --aggregate win-ratio"));
    assert_eq!(found["n"], Value::from(5));
    assert_eq!(found["ci"]["over"], Value::from("items"));
    assert_eq!(found["coverage"]["failures"]["unparsed"], 25);
    assert_eq!(
        found["items"],
        serde_json::json!({"judged": 169, "labelled": 170, "both": 169})
    );
    // Shares of people's majorities and of the judge's verdicts, computed by another program
    // (Python); the first and the last system stand the wrong way round, and people do not tell
    // them apart: rho = 1 - 6 * 2 / (5 * 24).
    let shares = [
        (0.48894348894348894, 0.5163727959697733),
        (0.3380102040816326, 0.3293963254593176),
        (0.7114014251781473, 0.7034313725490197),
        (0.422279792746114, 0.43157894736842106),
        (0.5229591836734694, 0.5039267015706806),
    ];
    for (row, (people, judge)) in found["systems"].as_array().unwrap().iter().zip(shares) {
        near(&row["rating"], &Value::from(people), 1e-12);
        near(&row["score"], &Value::from(judge), 1e-12);
    }
    near(&found["spearman"], &Value::from(0.9), 1e-12);
    near(&found["kendall_tau_b"], &Value::from(0.8), 1e-12);
    assert_eq!(found["tau_u"][19]["tau"], 1.0);
    // Bradley-Terry, the usual aggregation of comparisons, orders them alike.
    near(&desk.json(&arguments)["spearman"], &Value::from(0.9), 1e-12);
}

const RATINGS: &str = "system,rating,ci_low,ci_high\na,1100,1095,1105\nb,1050,1045,1055\nc,1047,1042,1052\nd,1000,995,1005\n";

fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("ratings.csv", RATINGS);
    desk.write("table.csv", "model,score\na,4\nb,2\nc,3\nd,1\n");
    desk
}

#[test]
fn one_bencher_is_a_flat_object() {
    let found = desk().json("meta bencher --ranking table.csv --ratings ratings.csv --u 60,5");
    // b and c are not told apart, and stand the wrong way round: rho = 1 - 6 * 2 / (4 * 15), tau =
    // (5 - 1) / 6.
    assert_eq!(found["bencher"], Value::from("table"));
    assert_eq!(found["n"], Value::from(4));
    near(&found["spearman"], &Value::from(0.8), 1e-12);
    near(&found["kendall_tau_b"], &Value::from(4.0 / 6.0), 1e-12);
    let rows = found["tau_u"].as_array().unwrap();
    assert_eq!(rows[0]["share"], Value::from(0.05));
    assert_eq!(rows[0]["u"], Value::from(47.0));
    assert_eq!(rows[0]["pairs"], Value::from(1));
    assert_eq!(rows[19]["tau"], Value::from(1.0));
    assert_eq!(rows[19]["pairs"], Value::from(5));
    assert_eq!(rows[20]["u"], Value::from(60.0));
    assert_eq!(rows[20]["pairs"], Value::from(4));
    assert_eq!(rows[20]["share"], Value::from(0.8));
    // No pair that people tell apart is as close as 5.
    assert_eq!(rows[21]["tau"], Value::Null);
    assert_eq!(rows[21]["pairs"], Value::from(0));
    assert!(
        rows[21]["note"].as_str().unwrap().contains("no pair"),
        "{}",
        rows[21]
    );
    assert_eq!(found["separability"], Value::Null);
}

#[test]
fn a_report_of_the_leaderboard_is_a_ranking() {
    let desk = desk();
    let battles = "model_a,model_b,winner\na,b,model_a\na,b,model_b\nb,c,model_a\nc,b,model_a\nb,d,model_a\nd,b,model_a\na,d,model_a\na,d,model_a\n";
    desk.write("battles.csv", battles);
    for (format, name) in [("json", "board.json"), ("csv", "board.csv")] {
        let board = desk
            .done(&format!(
                "leaderboard battles.csv --aggregate win-ratio --rounds 50 --format {format}"
            ))
            .stdout;
        desk.write(name, board);
    }
    let of = |file: &str| {
        desk.json(&format!(
            "meta bencher --ranking {file} --ratings ratings.csv --aggregate win-ratio"
        ))
    };
    let (json, csv, battles) = (of("board.json"), of("board.csv"), of("battles.csv"));
    let board = desk.read("board.json");
    for (name, more) in [("garbage.json", "x"), ("two.json", &*board)] {
        desk.write(name, format!("{board}{more}"));
        desk.refused(
            &format!("meta bencher --ranking {name} --ratings ratings.csv"),
            &format!("{name}: there is text after the report, which ends at byte "),
        );
    }
    assert_eq!(json["spearman"], csv["spearman"]);
    assert_eq!(json["spearman"], battles["spearman"]);
    assert_eq!(json["separability"], csv["separability"]);
    assert_eq!(json["ci"]["over"], Value::from("systems"));
    assert_eq!(battles["ci"]["over"], Value::from("comparisons"));
}

#[test]
fn tables_and_figures_are_the_same_each_time() {
    let desk = desk();
    desk.write("other.csv", "model,score\na,4\nb,3\nc,2\nd,1\n");
    let arguments =
        "meta bencher --ranking one=table.csv <b>=other.csv --ratings ratings.csv --rounds 100";
    let run = |threads: usize| {
        desk.done(&format!(
            "{arguments} --threads {threads} --figure {threads}.svg"
        ))
        .stdout
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one, two);
    assert_holds(&one, "spearman");
    assert_holds(&one, "<b> - one");
    let (svg, again) = (desk.read("1.svg"), desk.read("2.svg"));
    assert_eq!(svg, again);
    assert!(
        svg.contains("&lt;b&gt; (4 systems)") && !svg.contains("<b>"),
        "{svg}"
    );
    let csv = desk.done(&format!("{arguments} --format csv")).stdout;
    assert!(
        csv.starts_with(
            "bencher,figure,u,share,value,ci_low,ci_high,pairs,n,note\none,spearman,,,0.79"
        ),
        "{csv}"
    );
}

#[test]
fn a_condition_on_a_figure_ends_with_3() {
    let desk = desk();
    let run = |condition: &str| {
        desk.run(&format!(
            "meta bencher --ranking table.csv --ratings ratings.csv --fail-if {condition}"
        ))
    };
    assert_eq!(
        (run("spearman<0.7").code, run("tau_u<0.5").code),
        (Some(0), Some(0))
    );
    assert_eq!(
        (
            run("tau_u>=1").code,
            run("tau_u>1").code,
            run("spearman<=0.1").code
        ),
        (Some(3), Some(2), Some(0)),
        "a bound that can never be met is refused"
    );
    let ran = run("kendall_tau_b<0.7");
    ran.ends(3, "kendall_tau_b<0.7 (table: it is 0.666");
    for (condition, why) in [
        ("rho<1", "expected FIGURE<NUMBER"),
        ("separability<1", "table has no such figure"),
    ] {
        let ran = run(condition);
        ran.ends(2, why);
    }
}

#[test]
fn what_is_wrong_is_said() {
    let desk = desk();
    desk.write(
        "broken.jsonl",
        "{\"model\": \"a\", \"score\": 1}\n{\"model\": \"b\", \"score\": \n",
    );
    desk.write("odd.csv", "model,score\na,4\nb,much\n");
    desk.write("others.csv", "model,score\nx,4\ny,2\n");
    desk.write("texts.txt", "nothing of use\nat all\n");
    desk.write("names.csv", "one,two\nx,a\nx,b\n");
    let report = r#"{"ranking":[{"system":"a","score":1},{"system":"b","score":2}]}"#;
    // No report is as long; of a gzip file a few kilobytes can be.
    desk.write(
        "long.json",
        format!("{{\"rest\":\"{}\",{}", "x".repeat(64 << 20), &report[1..]),
    );
    let cases = [
        (
            "--ranking long.json --ratings ratings.csv",
            "long.json:1: the record that begins here is longer than 67108864",
        ),
        (
            "--ranking none.csv --ratings ratings.csv",
            "none.csv: cannot be read: ",
        ),
        (
            "--ranking table.csv --ratings none.csv",
            "none.csv: cannot be read: ",
        ),
        (
            "--ranking broken.jsonl --ratings ratings.csv",
            "broken.jsonl:2",
        ),
        (
            "--ranking odd.csv --ratings ratings.csv",
            "odd.csv:3: field `score`: expected a finite number, found \"much\"",
        ),
        (
            "--ranking others.csv --ratings ratings.csv",
            "others: 0 of its 2 systems (x, y) can be compared with the 4 of the reference",
        ),
        (
            "--ranking others.csv --ratings ratings.csv --names names.csv",
            "--names: x could be a or b",
        ),
        ("--ranking texts.txt --ratings ratings.csv", "texts.txt"),
        (
            "--ranking table.csv --ratings texts.txt",
            "--ratings texts.txt: expected a table with one row for each system",
        ),
        (
            "--ranking table.csv --ratings ratings.csv --score-column elo",
            "--score-column: the table of table has none of the columns elo",
        ),
        (
            "--ranking table.csv --ratings ratings.csv --u=-3",
            "--u -3: expected a number from 0",
        ),
        (
            "--ranking table.csv --ratings ratings.csv --level 2",
            "--level 2: expected a number strictly between 0 and 1",
        ),
        (
            "--ranking table.csv --ratings ratings.csv --aggregate meen",
            "expected one of bradley-terry",
        ),
        ("--ranking table.csv", "--ratings <FILE>"),
        (
            "--ranking table.csv --ratings ratings.csv --labels table.csv",
            "cannot be used with",
        ),
    ];
    for (arguments, why) in cases {
        let ran = desk.refused(&format!("meta bencher {arguments}"), why);
        assert_eq!(ran.stdout, "", "{arguments}");
    }
}

#[test]
fn aggregations_that_judgments_do_not_have_are_refused() {
    let desk = desk();
    desk.write(
        "labels.jsonl",
        "{\"item\": \"1\", \"a\": \"a\", \"b\": \"b\", \"preferred\": \"a\"}\n",
    );
    for (aggregation, why) in [
        ("mean", "it needs scores of single responses"),
        ("elo", "depend on the order of the games"),
    ] {
        desk.refused(&format!(
            "meta bencher --ranking labels.jsonl --ratings ratings.csv --aggregate {aggregation}"
        ), why);
    }
}
