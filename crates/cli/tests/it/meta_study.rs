//! `meta study` with the real binary: simulated judges whose order of the systems is the ratings',
//! or is not.

use crate::common::{Desk, assert_holds, database, item, json_line, systems};
use serde_json::{Value, json};

const SYSTEMS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A desk with 20 items, labels of the pair a, b on each, and ratings in the order that a faultless
/// judge gives.
fn desk() -> Desk {
    let desk = Desk::new(20, &SYSTEMS);
    let report = desk.json("rank --data data --judge simulated:accuracy=1 --run faultless --quiet");
    let rating = |(place, system): (usize, &str)| {
        let rating = 1100 - 40 * place;
        format!("{system},{rating},{},{}\n", rating - 5, rating + 5)
    };
    let ratings: String = systems(&report)
        .into_iter()
        .enumerate()
        .map(rating)
        .collect();
    desk.write(
        "ratings.csv",
        format!("system,rating,ci_low,ci_high\n{ratings}"),
    );
    let label = |at: usize| {
        json_line(json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"}))
    };
    desk.write(
        "labelled/items.jsonl",
        (0..20).map(item).collect::<String>(),
    );
    desk.write(
        "labelled/responses.jsonl",
        desk.read("data/responses.jsonl"),
    );
    desk.write(
        "labelled/labels.jsonl",
        (0..20).map(label).collect::<String>(),
    );
    desk
}

const STUDY: &str = r#"
types = ["pointwise:1-10", "pairwise"]
references = "all"
fixed-budget = true
rounds = 100
share-rounds = 20
budget-rounds = 20
shares = [0.1, 0.5, 1.0]
run = "run"

[advice]
closest = 50.0

[ratings]
file = "ratings.csv"

[inputs.all]
data = ["data"]

[labelled.pairs]
data = ["labelled"]

[judges.good]
spec = "simulated:accuracy=0.95,seed=1"

[judges.fair]
spec = "simulated:accuracy=0.8,seed=2"

[judges.bad]
spec = "simulated:accuracy=0.5,first-slot=0.3,seed=3"
"#;

fn row<'a>(report: &'a Value, judge: &str, kind: &str, aggregation: &str) -> &'a Value {
    let is = |row: &&Value| {
        row["judge"] == judge
            && row["type"].as_str().unwrap().starts_with(kind)
            && row["aggregation"] == aggregation
            && row["reference"].is_null()
    };
    report["benchers"]
        .as_array()
        .unwrap()
        .iter()
        .find(is)
        .unwrap()
}

/// Sets, totals and judges stand in the order of the file; `single` asks each pair once, in an
/// order that is drawn or, with `fixed`, in that of the data.
#[test]
fn a_study_keeps_the_order_of_its_file() {
    let desk = desk();
    let set = |name: &str| format!("[labelled.{name}]\ndata = [\"labelled\"]\n");
    let names = ["natural", "manual", "gptinst", "zeta", "beta"];
    desk.write(
        "order.toml",
        format!(
            "types = [\"pairwise/direct/single\", \"pairwise/direct/single:fixed\", \"pairwise\"]\n\
             run = \"ordered\"\nrounds = 50\n[totals]\nwhole = [\"zeta\", \"beta\"]\n\
             half = [\"manual\", \"beta\"]\n{}[judges.second]\nspec = \"simulated:first-slot=1\"\n\
             [judges.first]\nspec = \"simulated:first-slot=1,seed=2\"\n",
            names.map(set).concat()
        ),
    );
    let report = desk.json("meta study order.toml --quiet");
    let of = |list: &str, key: &str| -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for row in report[list].as_array().unwrap() {
            let name = row[key].as_str().unwrap().to_owned();
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    };
    assert_eq!(of("labelled", "input"), names);
    assert_eq!(of("labelled", "judge"), ["second", "first"]);
    assert_eq!(of("totals", "input"), ["whole", "half"]);
    let natural = |kind: &str| {
        let rows = report["labelled"].as_array().unwrap().iter();
        let mut own = rows.filter(|row| row["input"] == "natural" && row["judge"] == "second");
        own.find(|row| row["protocol"] == kind).unwrap()
    };
    // The judge prefers what is shown first, and a is better on all 20 items.
    let single = natural("pairwise/direct/single");
    assert_eq!(single["coverage"]["trials"], 20);
    assert_eq!(single["consistency"], Value::Null);
    let share = single["accuracy"].as_f64().unwrap();
    assert!(share > 0.1 && share < 0.9, "{single}");
    let fixed = natural("pairwise/direct/single:fixed");
    assert_eq!(fixed["coverage"]["trials"], 20);
    assert_eq!(fixed["accuracy"], 1.0);
    let both = natural("pairwise");
    assert_eq!(both["coverage"]["trials"], 40);
    assert_eq!(both["accuracy"], 0.5);
}

#[test]
fn a_study_ranks_its_benchers_and_asks_nothing_twice() {
    let desk = desk();
    desk.write("study.toml", STUDY);
    let first = desk.done("meta study study.toml --format json --quiet");
    let calls = |desk: &Desk| -> i64 {
        database(&desk.path("run"))
            .unwrap()
            .query_row("SELECT count(*) FROM calls", [], |row| row.get(0))
            .unwrap()
    };
    let asked = calls(&desk);
    let again = desk.done("meta study study.toml --format json --quiet --threads 1");
    assert_eq!(calls(&desk), asked);
    assert_eq!(
        first.stdout, again.stdout,
        "the same bytes, and nothing is asked again"
    );
    // What the tables leave bare is told why, below them; a correlation that is known has an
    // interval of what unlimited items would give, perfect ones too.
    let table = desk.done("meta study study.toml --quiet").stdout;
    assert_holds(&table, "bounds of what unlimited items would give");
    for bencher in first.json()["benchers"].as_array().unwrap() {
        assert_eq!(bencher["ci"]["correlations"], "bounds");
        let notes = bencher["notes"].as_array().unwrap().iter();
        let why = notes.filter_map(|note| note.as_str().unwrap().strip_prefix("spearman: "));
        for why in why.filter(|_| !bencher["spearman"].is_null()) {
            assert_holds(&table, &format!("a correlation without an interval: {why}"));
        }
        assert_eq!(
            bencher["spearman"].is_null(),
            bencher["spearman_ci"].is_null(),
            "{bencher}"
        );
    }
    // The labelled pairs are among all pairs: 3 judges on 20 items, 100 responses alone and 200
    // ordered pairs of 5 systems.
    assert_eq!(asked, 3 * (100 + 400));

    let report = first.json();
    let rho = |judge: &str| {
        row(&report, judge, "pairwise", "bradley-terry")["spearman"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(rho("good"), 1.0);
    assert!(rho("good") >= rho("bad"));
    // Scores of single responses have all four aggregations, comparisons have two.
    let of = |kind: &str| -> usize {
        let rows = report["benchers"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["judge"] == "good" && row["reference"].is_null());
        rows.filter(|row| row["type"].as_str().unwrap().starts_with(kind))
            .count()
    };
    assert_eq!((of("pointwise"), of("pairwise")), (4, 2));
    let good = row(&report, "good", "pairwise", "bradley-terry");
    assert_eq!(good["references"]["points"].as_array().unwrap().len(), 5);
    assert_eq!(
        good["shares"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point["items"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [2, 10, 20]
    );
    // As many comparisons as responses: 100 of the 400.
    let splits = good["fixed_budget"].as_array().unwrap();
    assert_eq!(splits[0]["items"].as_u64(), Some(20));
    assert_eq!(splits[0]["comparisons"].as_u64(), Some(5));
    assert!(
        report["recommendation"]["text"][0]
            .as_str()
            .unwrap()
            .starts_with("Take ")
    );
}

#[test]
fn judges_are_compared_in_the_three_settings() {
    let desk = desk();
    desk.write("study.toml", STUDY);
    let report = desk.json("meta study study.toml --quiet");
    let measures = report["measures"].as_array().unwrap();
    assert_eq!(
        measures
            .iter()
            .map(|m| m["setting"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [1, 2]
    );
    assert!(
        measures
            .iter()
            .all(|measure| measure["judges"].as_object().unwrap().len() == 3)
    );
    assert_eq!(report["concordances"][0]["judges"], 3);
    let labelled = report["labelled"].as_array().unwrap();
    assert_eq!(labelled.len(), 6);
    assert!(
        labelled
            .iter()
            .all(|judge| judge["n"] == 20 && judge["input"] == "pairs")
    );
}

#[test]
fn a_judge_of_the_command_line_needs_none_in_the_file() {
    let desk = desk();
    let study = "types = [\"pairwise\"]\nrun = \"own\"\n[labelled.pairs]\ndata = [\"labelled\"]\n";
    desk.write("study.toml", study);
    let report = desk.json("meta study study.toml --judge simulated:accuracy=0.9 --quiet");
    let labelled = report["labelled"].as_array().unwrap();
    assert_eq!((labelled.len(), &labelled[0]["n"]), (1, &json!(20)));
}

#[test]
fn recorded_judgments_are_benchers_too() {
    let desk = desk();
    let judged = desk.done(
        "judge --data data --judge simulated:accuracy=0.9 --run recorded --quiet --format json",
    );
    desk.write("judgments.jsonl", judged.stdout);
    let study = "share-rounds = 10\nrounds = 50\n[ratings]\nfile = \
                 'ratings.csv'\n[[recorded]]\njudge = 'then'\ninput = 'all'\ntype = \
                 'pairwise'\nfiles = ['judgments.jsonl']\ncost-usd = 2.0\n";
    desk.write("study.toml", study);
    let report = desk.json("meta study study.toml --quiet");
    assert_eq!(report["unit"], "usd");
    let rows = report["benchers"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(
        rows.iter()
            .all(|row| row["judge"] == "then" && row["spent"]["cost_usd"] == 2.0)
    );
    let frontier = report["frontier"].as_array().unwrap();
    assert!(
        !frontier.is_empty()
            && frontier
                .iter()
                .all(|point| point["cost"].as_f64().unwrap() <= 2.0)
    );
    assert!(!desk.path("runs").exists(), "nobody is asked");
}

#[test]
fn a_judge_without_a_price_is_left_out_and_named() {
    let desk = desk();
    let judged = desk.done(
        "judge --data data --judge simulated:accuracy=0.9 --run recorded --quiet --format json",
    );
    desk.write("judgments.jsonl", judged.stdout);
    let recorded = |judge: &str, cost: &str| {
        format!(
            "[[recorded]]\njudge = '{judge}'\ninput = 'all'\ntype = 'pairwise'\nfiles = \
             ['judgments.jsonl']\n{cost}\n"
        )
    };
    let head = "share-rounds = 20\nrounds = 50\nadvice = { budget = 1.0 }\nratings = \
                { file = 'ratings.csv' }\n";
    let judges = recorded("then", "cost-usd = 2.0") + &recorded("gratis", "");
    desk.write("study.toml", format!("{head}{judges}"));
    let report = desk.json("meta study study.toml --quiet");
    let advice = &report["recommendation"];
    assert!(
        advice["bencher"]
            .as_str()
            .unwrap()
            .starts_with("then on all"),
        "{advice}"
    );
    // The judgments of 20 items cost 2 dollars: each item a tenth of one.
    let items = advice["items"].as_u64().unwrap();
    assert!(
        (advice["cost"].as_f64().unwrap() - items as f64 / 10.0).abs() < 1e-12,
        "{advice}"
    );
    assert!(
        advice["text"][0]
            .as_str()
            .unwrap()
            .contains(&format!("on {items} of 20 inputs")),
        "{advice}"
    );
    let warned = report["warnings"].to_string();
    assert_holds(&warned, "no cost is known of gratis on all (benchers: 2)");
    // The same judge and type by another aggregation is no other bencher in the test.
    assert!(
        advice["not_shown_worse"].as_array().unwrap().is_empty(),
        "{advice}"
    );
}

#[test]
fn everything_is_checked_before_anybody_is_asked() {
    let desk = desk();
    let responses = desk.read("data/responses.jsonl");
    let (_, all_but_one) = responses.split_once('\n').unwrap();
    desk.write("gaps/items.jsonl", (0..20).map(item).collect::<String>());
    desk.write("gaps/responses.jsonl", all_but_one);
    let refused = |more: &str, expected: &str| {
        desk.write("study.toml", format!("{STUDY}\n{more}"));
        let ran = desk.run("meta study study.toml --quiet");
        assert_eq!(ran.code, Some(2), "{more}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{more}: {}", ran.stderr);
        assert!(!desk.path("run").exists(), "{more}: nobody is asked");
    };
    refused("[inputs.z]\ndata = ['none']", "[inputs.z] ");
    refused("[labelled.z]\ndata = ['none']", "[labelled.z] ");
    refused("[inputs.z]\ndata = ['gaps']", "with allow-missing = true");
    refused("[labelled.z]\ndata = ['data']", "[labelled.z] ");
    refused("[judges.z]\nspec = 'gguf:none.gguf'", "judges.z: none.gguf");
}

#[test]
fn figures_are_drawn() {
    let desk = desk();
    desk.write("study.toml", STUDY);
    desk.done("meta study study.toml --quiet --figures plots");
    for name in [
        "spearman",
        "kendall",
        "shares-all-good-pairwise",
        "shares-all-good-pointwise-1-10",
        "tau-u-all-good-pairwise",
        "references-all-good-pairwise",
        "budget-all-good-pairwise",
        "frontier-all",
    ] {
        let plot = desk.read(&format!("plots/{name}.svg"));
        assert!(
            plot.starts_with("<svg ") && plot.contains("<circle"),
            "{name}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_study_is_said() {
    let desk = desk();
    let refused = |study: &str, expected: &str| {
        desk.write("study.toml", study);
        desk.refused("meta study study.toml --quiet", expected);
    };
    refused("tipes = ['pairwise']", "unknown field `tipes`");
    refused("tipes = ['pairwise']", "`recorded`; did you mean `types`?");
    refused(
        "[labelled.x]\ndat = ['data']",
        "`gold`; did you mean `data`?",
    );
    refused(
        "[judges.j]\nsepc = 'simulated'",
        "key `judges.j`: unknown field `sepc`; did you mean `spec`?",
    );
    refused(
        "[judges.j]\nrpm = 3",
        "key `judges.j`: missing field `spec`: expected spec = \"openai:MODEL\"",
    );
    refused(
        "[judges]\nj = 'simulated'",
        "key `judges.j`: expected a table: write [judges.j] with spec = ",
    );
    for recorded in ["[recorded.x]\njudge = 'a'", "[recorded]\njudge = 'a'"] {
        refused(
            recorded,
            "key `recorded`: expected a list of tables, found a table: write [[recorded]], \
             without a name, above each",
        );
    }
    for key in ["inputs", "labelled", "unlabelled", "judges"] {
        refused(
            &format!("[[{key}]]\ndata = ['data']"),
            &format!(
                "key `{key}`: expected a table, found a list: write [{key}.NAME] above each, \
                 with a name of your own"
            ),
        );
    }
    for key in ["ratings", "advice", "totals"] {
        refused(
            &format!("[[{key}]]\nfile = 'x'"),
            &format!("key `{key}`: expected a table, found a list: write [{key}], once"),
        );
    }
    refused("", "nothing to study");
    refused(
        "[inputs.x]\ndata = ['data']",
        "expected [ratings] with file",
    );
    refused(
        &STUDY.replace("types = [", "types = []\nu = ["),
        "invalid type: string",
    );
    refused(&STUDY.replace("\"pairwise\"]", "\"pairwize\"]"), "pairwize");
    refused(&STUDY.replace("ratings.csv", "none.csv"), "none.csv");
    refused(
        &STUDY.replace("simulated:accuracy=0.95", "simulatd:"),
        "simulatd",
    );
    refused(
        &STUDY.replace("rounds = 100\n", "rounds = 1\n"),
        "rounds: expected 2 to 1000000",
    );
    refused(
        &format!("aggregations = ['mean', 'most']\n{STUDY}"),
        "aggregations: `most` is not known",
    );
    assert_eq!(desk.run("meta study none.toml").code, Some(2));
}

/// Cells share calls and one store: a call is asked again once, whichever cells want it.
#[test]
fn a_study_asks_its_failed_calls_again_once() {
    let desk = desk();
    desk.write(
        "study.toml",
        STUDY.replace("accuracy=0.95,", "accuracy=0.95,invalid=0.1,"),
    );
    let calls = |attempt: usize| -> i64 {
        let sql = format!("SELECT count(*) FROM calls WHERE attempt = {attempt}");
        database(&desk.path("run"))
            .unwrap()
            .query_row(&sql, [], |row| row.get(0))
            .unwrap()
    };
    desk.done("meta study study.toml --quiet");
    let asked = calls(0);
    desk.done("meta study study.toml --quiet --retry truncated");
    assert_eq!((calls(0), calls(1)), (asked, 0), "none was cut short");
    desk.done("meta study study.toml --quiet --retry unparsed");
    let again = calls(1);
    assert!(
        calls(0) == asked && (1..asked / 10).contains(&again) && calls(2) == 0,
        "{again} of {asked}"
    );
    desk.done("meta study study.toml --quiet");
    assert_eq!((calls(1), calls(2)), (again, 0));
}

/// A judge without verdicts is as inconsistent as it can be, and the report says why; pairs without
/// labels have their table whether or not there are baselines.
#[test]
fn failures_are_named_beside_the_consistency_that_they_cost() {
    let desk = desk();
    let study = "name = \"refused\"\n\
                 types = [\"pairwise/direct/swap:none\"]\n\
                 [unlabelled.u]\ndata = [\"data\"]\n\
                 [judges.shy]\nspec = \"simulated:refuse=1,seed=1\"\n";
    desk.write("refused.toml", study);
    let ran = desk.done("meta study refused.toml --quiet");
    ran.prints("consistent %");
    ran.prints(
        "of u, shy, pairwise/direct/swap:none, have no verdict in some order: they count as \
             inconsistent",
    );
    let method = &desk.json("meta study refused.toml --quiet")["methods"][0];
    assert_eq!(method["failed"], method["pairs"]);
    assert_eq!(method["consistent"], 0.0);
}
