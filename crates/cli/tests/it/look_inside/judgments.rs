//! `evenhand judgments`.

use super::{hostile, is_harmless, judge, judged, older};
use crate::common::{Desk, Ran, answer, assert_holds, json_line};
use evenhand_formats::{ParquetRows, Place};
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use std::process::Command;

fn records(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn trials(desk: &Desk, arguments: &str) -> Vec<u64> {
    let ran = desk.done(&format!("judgments run --format json {arguments}"));
    let records = records(&ran);
    records
        .iter()
        .map(|record| record["trial"].as_u64().unwrap())
        .collect()
}

fn refusal(desk: &Desk, arguments: &str) -> String {
    let ran = desk.run(&format!("judgments run {arguments}"));
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    ran.stderr
}

#[test]
fn a_row_has_both_orders_in_one_line() {
    let desk = judged();
    let shown = desk.done("judgments run").stdout;
    let expected = " judgment  item  a    b    outcome      p  a first    b first    marks    cost
        0  q0    ant  bee  bee      0.000  bee 1.000  bee 1.000              -
        2  q1    ant  bee  tie      0.500  ant 1.000  bee 1.000  flipped     -
        4  q2    ant  bee  bee      0.000  bee 1.000  bee 1.000              -

3 rows of 6 judgments: 1 flipped, 0 split
";
    assert_eq!(shown, expected);
}

#[test]
fn filters_are_those_of_the_pages_and_all_must_hold() {
    let desk = judged();
    for (filters, expected) in [
        ("--where flipped", vec![2, 3]),
        ("--where flipped=0 --where item=q2", vec![4, 5]),
        ("--where winner=bee", vec![0, 1, 4, 5]),
        ("--where pair=bee~ant --where outcome=tie", vec![2, 3]),
        ("--where confidence=..0.2", vec![2, 3]),
        ("--where failure=any", vec![]),
        ("--where text=NUMBER", vec![0, 1, 2, 3, 4, 5]),
        ("--sort confidence --limit 1", vec![2, 3]),
        ("--sort -confidence --limit 2", vec![0, 1, 4, 5]),
    ] {
        assert_eq!(trials(&desk, filters), expected, "{filters}");
    }
    let sums = "1 row of 2 judgments: 1 flipped, 0 split\n";
    assert!(
        desk.done("judgments run --where flipped")
            .stdout
            .ends_with(sums)
    );
    let limited = "3 rows of 6 judgments (1 shown; --limit has more): 1 flipped, 0 split\n";
    assert!(
        desk.done("judgments run --limit 1")
            .stdout
            .ends_with(limited)
    );
    let none = "0 rows of 0 judgments: 0 flipped, 0 split\n";
    assert_eq!(desk.done("judgments run --where failure=any").stdout, none);
}

#[test]
fn a_value_is_taken_as_it_stands() {
    let desk = Desk::new(1, &["a=b&c%20", "d+e"]);
    judge(&desk, "simulated:gap=0.2");
    assert_eq!(trials(&desk, "--where system=a=b&c%20"), [0, 1]);
    assert_eq!(trials(&desk, "--where pair=d+e~a=b&c%20"), [0, 1]);
}

#[test]
fn filters_that_say_nothing_are_refused() {
    let desk = judged();
    for (filter, message) in [
        (
            "--where system=cat",
            "--where system: the run has no \"cat\"; it has ant, bee",
        ),
        (
            "--where sytem=ant",
            "--where sytem: there is no such filter; expected one of system,",
        ),
        (
            "--where flipped=maybe",
            "--where flipped: expected one of 1, 0, found \"maybe\"",
        ),
        (
            "--where flipped --where flipped=0",
            "--where flipped: given twice",
        ),
        ("--where cost=1", "--where cost: expected a range LO..HI"),
        (
            "--where people=disagree",
            "--where people: there are no labels of what was judged",
        ),
    ] {
        let told = refusal(&desk, filter);
        assert!(told.starts_with(&format!("error: {message}")), "{told}");
    }
}

#[test]
fn labels_of_people_are_held_against_the_rows() {
    let desk = judged();
    let label = |item: &str, preferred: &str| {
        let label = json!({"item": item, "a": "ant", "b": "bee", "preferred": preferred});
        format!("{label}\n")
    };
    desk.write("labels.jsonl", label("q0", "a") + &label("q2", "b"));
    assert_eq!(
        trials(&desk, "--labels labels.jsonl --where people=disagree"),
        [0, 1]
    );
    let shown = desk
        .done("judgments run --labels labels.jsonl --where people=any")
        .stdout;
    assert!(shown.contains("  people: ant "), "{shown}");
    assert!(shown.contains("  people: bee "), "{shown}");
}

#[test]
fn json_has_the_texts_of_each_judgment() {
    let desk = judged();
    let ran = desk.done("judgments run --where flipped --format json");
    let record = &records(&ran)[1];
    let expected = json!({
        "trial": 3, "item": "q1", "first": "bee", "second": "ant",
        "p_first": 1.0, "p_tie": 0.0, "p_second": 0.0, "score": null,
        "failure": null, "detail": null, "strength": null, "source": "text",
        "systems": null, "places": null, "both_orders": false, "question_id": null,
        "replicate": 0, "category": null,
        "instruction": "Name thing number 1.", "reference": null,
        "responses": [
            {"system": "bee", "text": "Thing 1, says bee."},
            {"system": "ant", "text": "Thing 1, says ant."}
        ],
        "reply": "A",
        "calls": [{
            "judge": "simulated:gap=0.5,first-slot=0.3,seed=2", "reply": "A",
            "prompt_tokens": 269, "completion_tokens": 1, "cost_usd": null
        }],
        "prompt_tokens": 269, "completion_tokens": 1, "cost_usd": null,
        "row": {"id": 2, "winner": "tie", "flipped": true, "split": false, "people": null}
    });
    assert_eq!(*record, expected);
    assert_eq!(
        ran.stdout,
        desk.done("judgments run --where flipped --format jsonl")
            .stdout
    );
}

#[test]
fn csv_has_a_line_for_each_judgment() {
    let desk = judged();
    let shown = desk.done("judgments run --limit 1 --format csv").stdout;
    let expected = "\
trial,item,first,second,p_first,p_tie,p_second,score,failure,detail,strength,source,systems,places,\
both_orders,question_id,replicate,category,row,row_winner,row_flipped,row_split,row_people,\
prompt_tokens,completion_tokens,cost_usd,\
instruction,reference,response_first,response_second,responses,reply
0,q0,ant,bee,0.0,0.0,1.0,,,,,text,,,false,,0,,0,bee,false,false,,269,1,,Name thing number 0.,,\
\"Thing 0, says ant.\",\"Thing 0, says bee.\",,B
1,q0,bee,ant,1.0,0.0,0.0,,,,,text,,,false,,0,,0,bee,false,false,,269,1,,Name thing number 0.,,\
\"Thing 0, says bee.\",\"Thing 0, says ant.\",,A
";
    assert_eq!(shown, expected);
}

#[test]
fn judgments_without_a_verdict_are_there_with_their_reason() {
    let desk = Desk::new(3, &["ant", "bee"]);
    judge(&desk, "simulated:invalid=0.6,seed=3");
    let failed = records(&desk.done("judgments run --where failure=unparsed --format json"));
    let reasons: Vec<&Value> = failed
        .iter()
        .filter(|one| one["failure"] == "unparsed")
        .collect();
    assert!(!reasons.is_empty());
    for one in reasons {
        assert!(
            one["detail"]
                .as_str()
                .unwrap()
                .starts_with("expected one of A, B"),
            "{one}"
        );
        assert_eq!(one["p_first"], Value::Null);
        assert!(one["reply"].is_string(), "{one}");
    }
    let shown = desk.done("judgments run --where failure=any").stdout;
    assert_holds(&shown, " unparsed ");
    assert_holds(&shown, " without a verdict");
}

#[test]
fn single_responses_and_lists_have_rows_too() {
    let desk = Desk::new(2, &["ant", "bee", "cat"]);
    let rank = "rank --data data --judge simulated:gap=0.2 --quiet --run run --protocol";
    desk.done(&format!("{rank} pointwise:1-10"));
    let shown = desk.done("judgments run --where system=cat").stdout;
    assert!(shown.contains("  q0    cat  -  score 7 "), "{shown}");
    assert!(shown.contains("\n2 rows of 2 judgments: "), "{shown}");
    let listed = rank.replace("--run run", "--run lists");
    desk.done(&format!("{listed} listwise"));
    let csv = desk.done("judgments lists --limit 1 --format csv").stdout;
    assert!(csv.contains("\"[{\"\"system\"\":\"\""), "{csv}");
}

#[test]
fn a_list_of_two_is_a_pair() {
    let desk = Desk::new(2, &["ant", "bee"]);
    desk.done("rank --data data --judge simulated:gap=0.2 --quiet --run run --protocol listwise");
    let shown = desk.done("judgments run --where item=q0").stdout;
    assert_holds(&shown, "  bee 1.000  ant 1.000  flipped ");
    assert_eq!(trials(&desk, "--where outcome=tie --where item=q0"), [0, 1]);
}

#[test]
fn hostile_names_do_not_act_on_the_terminal() {
    let desk = hostile();
    let shown = desk.done("judgments run").stdout;
    assert!(is_harmless(&shown), "{shown:?}");
    assert!(shown.contains("b\\u{1b}[31mee"), "{shown}");
}

#[test]
fn a_run_of_an_older_format_has_null_for_its_texts() {
    let desk = older();
    let record = &records(&desk.done("judgments run --format json"))[0];
    assert_eq!(record["instruction"], Value::Null);
    assert_eq!(
        record["responses"][0],
        json!({"system": "ant", "text": null})
    );
    assert_eq!(record["reply"], "B");
}

/// Writes the output of a command that ends well to a file.
fn keep(desk: &Desk, arguments: &str, file: &str) -> Vec<u8> {
    let ended = desk.command(arguments).output().unwrap();
    assert!(ended.status.success(), "{arguments}: {ended:?}");
    desk.write(file, &ended.stdout);
    ended.stdout
}

/// Texts that CSV has to quote, that are empty, that are no ASCII, or that a spreadsheet would run.
fn awkward() -> Desk {
    let desk = Desk::empty();
    let texts = ["", "two\nlines\r\n", "\"quoted\", é 漢字 🦀", "=1+1"];
    let answers = (0..8).flat_map(|at| {
        let of = move |shift: usize| texts[(at + shift) % 4];
        [("ant", 0), ("bee", 1), ("çat", 2)].map(|(system, shift)| answer(at, system, of(shift)))
    });
    desk.write("data/responses.jsonl", answers.collect::<String>());
    let items = (0..8).map(|at| {
        let id = format!("q{at}");
        let category = (at % 2 == 0).then_some("a, b");
        let reference = (at % 3 == 0).then_some("so\n");
        let instruction = format!("Name thing {at},\n\"please\".");
        json_line(json!({
            "id": id, "instruction": instruction, "category": category, "reference": reference,
            "criteria": ["names it", "is short"],
        }))
    });
    desk.write("data/items.jsonl", items.collect::<String>());
    desk
}

#[test]
fn parquet_holds_what_csv_holds() {
    let desk = awkward();
    let runs = [
        "simulated:gap=0.2,first-slot=0.2,invalid=0.3,refuse=0.1 --protocol pairwise",
        "simulated:gap=0.2,invalid=0.1 --judge simulated:gap=0.1,seed=2 --protocol pairwise",
        "simulated:gap=0.2,first-slot=0.3 --protocol pairwise/direct/swap:tie",
        "simulated:gap=0.2 --protocol listwise:3/direct/swap",
        "simulated:gap=0.2 --protocol pointwise:1-10",
        "simulated:gap=0.2 --protocol checklist",
    ];
    let (mut failures, mut empty, mut lists) = (0, 0, 0);
    for (number, judge) in runs.into_iter().enumerate() {
        desk.done(&format!(
            "rank --data data --judge {judge} --quiet --run {number}"
        ));
        let table = keep(
            &desk,
            &format!("judgments {number} --format csv"),
            "all.csv",
        );
        let file = keep(
            &desk,
            &format!("judgments {number} --format parquet"),
            "all.parquet",
        );
        let mut table = csv::Reader::from_reader(&*table);
        let names = table.headers().unwrap().clone();
        let mut rows = ParquetRows::open(&*file, &Place::file("all.parquet")).unwrap();
        for line in table.records() {
            let line = line.unwrap();
            let (row, _) = rows.next_row().unwrap().unwrap();
            assert!(row.as_object().unwrap().keys().eq(names.iter()), "{row}");
            for (name, cell) in names.iter().zip(&line) {
                let said = match &row[name] {
                    Value::Null => String::new(),
                    // A spreadsheet would run it.
                    Value::String(text) if text == "=1+1" => format!("'{text}"),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(said, cell, "{judge}: {name} of {row}");
            }
            assert!(
                row["trial"].is_u64() && row["both_orders"].is_boolean(),
                "{row}"
            );
            assert!(row["p_first"].is_f64() || row["p_first"].is_null(), "{row}");
            failures += usize::from(row["failure"].is_string());
            empty += usize::from(row["response_first"] == "");
            lists += usize::from(row["responses"].is_string());
        }
        assert!(rows.next_row().unwrap().is_none(), "{judge}");
        // Scores and lists of three are no battles; both forms are told so alike.
        let ranked = |name: &str| {
            let ran = desk.run(&format!("leaderboard {name}"));
            // The time that reading took is no part of it.
            let lines = ran
                .stdout
                .lines()
                .filter(|line| !line.starts_with(" read "));
            let told: String = lines.map(|line| format!("{line}\n")).collect();
            (ran.code, told, ran.stderr.replace(name, "FILE"))
        };
        let (of_table, of_file) = (ranked("all.csv"), ranked("all.parquet"));
        assert_eq!(of_file.0, of_table.0, "{judge}: {of_file:?} {of_table:?}");
        if of_table.0 == Some(0) {
            assert_eq!(of_file, of_table, "{judge}");
        }
        assert!(
            number > 2 || of_table.0 == Some(0),
            "{judge}: {}",
            of_table.2
        );
    }
    assert!(
        failures > 0 && empty > 0 && lists > 0,
        "{failures} {empty} {lists}"
    );
}

#[test]
fn parquet_without_rows_has_its_columns() {
    let desk = judged();
    let none = "judgments run --where failure=any --format";
    let file = keep(&desk, &format!("{none} parquet"), "none.parquet");
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    let mut rows = ParquetRows::open(&*file, &Place::file("none.parquet")).unwrap();
    assert!(rows.next_row().unwrap().is_none());
}

/// The terminal is one that `script` makes, where it is installed.
#[cfg(target_os = "linux")]
#[test]
fn parquet_is_not_written_to_a_terminal() {
    let desk = judged();
    let command = format!(
        "{} judgments run --format parquet",
        env!("CARGO_BIN_EXE_evenhand")
    );
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
    let Ok(ended) = script.current_dir(desk.path("")).output() else {
        eprintln!("skipped: there is no `script`");
        return;
    };
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(2), "{shown}");
    assert_holds(&shown, "> FILE.parquet");
}
