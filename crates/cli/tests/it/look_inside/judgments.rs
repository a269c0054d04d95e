//! `evenhand judgments`.

use super::{hostile, is_harmless, judge, judged, older};
use crate::common::{Desk, Ran, assert_holds};
use serde_json::{Value, json};

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
both_orders,question_id,replicate,category,row,winner,flipped,split,people,prompt_tokens,completion_tokens,cost_usd,\
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
