//! Battles that a ranking leaves out are not counted, not read and not refused, by any reader.

use crate::common::{Desk, assert_holds, row};
use serde_json::{Value, json};

/// Forty battles of `a` and `b` on ten items, each the first in half of them, with one more of each
/// of these lines. The last column is a covariate.
fn battles(more: &str) -> String {
    let mut text = String::from("model_a,model_b,winner,item,x\n");
    for at in 0..40 {
        let [first, second] = [["a", "b"], ["b", "a"]][at / 20];
        let winner = ["model_a", "tie", "model_b", "model_b"][at % 4];
        let x = ["0.5", "-1", "2", "0", "1"][at % 5];
        text += &format!("{first},{second},{winner},i{},{x}\n", at % 10);
    }
    text + more
}

/// Writes CSV as lines of JSON: an empty cell is no field, and numbers are numbers.
fn lines(csv: &str) -> String {
    let mut rows = csv.lines().map(|line| line.split(','));
    let header: Vec<&str> = rows.next().unwrap().collect();
    let object = |row: std::str::Split<char>| {
        let fields = header.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        let fields = fields.map(|(name, cell)| match (*name, cell.parse::<f64>()) {
            ("x" | "w", Ok(number)) => ((*name).to_owned(), json!(number)),
            _ => ((*name).to_owned(), json!(cell)),
        });
        format!("{}\n", Value::Object(fields.collect()))
    };
    rows.map(object).collect()
}

fn write_both(desk: &Desk, name: &str, csv: &str) -> [String; 2] {
    desk.write(&format!("{name}.csv"), csv);
    desk.write(&format!("{name}.jsonl"), lines(csv));
    [format!("{name}.csv"), format!("{name}.jsonl")]
}

#[test]
fn covariates_of_battles_that_are_left_out_are_not_read() {
    let desk = Desk::empty();
    let other = "c,a,model_a,i1,\nb,c,model_b,i2,\nc,a,model_b,i2,wide\n";
    let bad = "a,b,tie (bothbad),i3,\nb,a,tie (bothbad),i4,none\n";
    let plain = write_both(&desk, "plain", &battles(""));
    let others = write_both(&desk, "others", &battles(other));
    let both_bad = write_both(&desk, "bad", &battles(bad));
    let fewer = write_both(
        &desk,
        "fewer",
        &battles("c,a,model_a,i1,\na,c,model_a,i2,\n"),
    );
    for at in 0..2 {
        let ranked = |arguments: &str| desk.json(&format!("leaderboard {arguments}"));
        let effect = |report: &Value| report["style"][0]["log_odds"].clone();
        let of = &plain[at];
        let bradley_terry = ranked(&format!("{of} --control x"));
        let some = ranked(&format!("{} --control x --systems a,b", others[at]));
        assert_eq!(some["ranking"], bradley_terry["ranking"]);
        assert_eq!(effect(&some), effect(&bradley_terry));
        assert_eq!(
            (&some["coverage"]["trials"], &some["left_out"]),
            (&json!(40), &json!(3))
        );
        let few = ranked(&format!("{} --control x --min-battles 3", fewer[at]));
        assert_eq!(few["ranking"], bradley_terry["ranking"]);
        let davidson = ranked(&format!("{of} --control x --aggregate davidson"));
        let bad = ranked(&format!(
            "{} --control x --aggregate davidson",
            both_bad[at]
        ));
        assert_eq!(bad["ranking"], davidson["ranking"]);
        assert_eq!(effect(&bad), effect(&davidson));
        let dropped = ranked(&format!("{} --control x --both-bad apart", both_bad[at]));
        assert_eq!(dropped["ranking"], bradley_terry["ranking"]);
        // Of what is ranked they are.
        desk.refused(
            &format!("leaderboard {} --control x --systems a,c", others[at]),
            "a finite number",
        );
        desk.refused(
            &format!("leaderboard {} --control x", both_bad[at]),
            "a finite number",
        );
    }
}

#[test]
fn without_intervals_an_effect_has_none() {
    let desk = Desk::empty();
    desk.write("b.csv", battles(""));
    let effects = |arguments: &str| {
        desk.json(&format!("leaderboard b.csv --control x,order {arguments}"))["style"].clone()
    };
    let (with, without) = (effects(""), effects("--ci none"));
    for at in 0..2 {
        assert_eq!(with[at]["log_odds"], without[at]["log_odds"]);
        assert_eq!(without[at]["ci"], Value::Null);
        assert_eq!(without[at].get("note"), None, "{without}");
    }
    // Too few items vary in x for an interval of its effect.
    assert!(with[1]["ci"].is_array(), "{with}");
    assert!(with[1]["elo"]["ci"].is_array());
    assert_eq!(without[1]["elo"]["ci"], Value::Null);
}

/// Systems whose battles are mostly "both are bad", or weigh much.
#[test]
fn a_minimum_of_battles_counts_those_that_are_ranked() {
    let desk = Desk::empty();
    let more =
        "c,a,model_a,i1,0\na,c,model_a,i2,0\n".to_owned() + &"c,b,tie (bothbad),i3,0\n".repeat(9);
    let left_out = |report: &Value| report["upkeep"].get("left_out").cloned();
    for file in write_both(&desk, "bad", &battles(&more)) {
        for how in [
            "--aggregate davidson --ci none",
            "--aggregate rao-kupper --ci none",
            "--both-bad apart",
            "--both-bad apart --ci none",
            "--both-bad apart --aggregate elo --ci none",
            "--both-bad apart --control x",
        ] {
            let report = desk.json(&format!("leaderboard {file} --min-battles 5 {how}"));
            assert_eq!(left_out(&report), Some(json!(["c"])), "{file} {how}");
        }
        let report = desk.json(&format!("leaderboard {file} --min-battles 5"));
        assert_eq!(left_out(&report), None, "as ties they are ranked: {file}");
    }
    let weighed = |text: &str, weight: &str| {
        let rows = text
            .lines()
            .skip(1)
            .map(|line| format!("{line},{weight}\n"));
        rows.collect::<String>()
    };
    let header = "model_a,model_b,winner,item,x,w\n";
    let rare = "c,a,model_a,i1,0,40\na,c,model_a,i2,0,40\n";
    let idle = "d,a,model_a,i1,0,0\n".repeat(9);
    let text = header.to_owned() + &weighed(&battles(""), "0.1") + rare + &idle;
    for file in write_both(&desk, "weighed", &text) {
        for how in [
            "--ci none",
            "--ci sandwich",
            "--aggregate elo --ci none",
            "--cluster none",
        ] {
            let report = desk.json(&format!(
                "leaderboard {file} --weight w --min-battles 5 --rounds 50 {how}"
            ));
            let mut both = left_out(&report).unwrap();
            both.as_array_mut().unwrap().sort_by_key(Value::to_string);
            assert_eq!(both, json!(["c", "d"]), "{file} {how}");
            assert_eq!(report["coverage"]["trials"], 40, "{file} {how}");
            assert_eq!(report["left_out"], 11, "{file} {how}");
        }
    }
}

#[test]
fn judgments_of_systems_that_are_left_out_are_counted_apart() {
    let desk = Desk::empty();
    let judgment = |trial: usize, [first, second]: [&str; 2]| {
        let won = [1.0, 0.0][trial % 2];
        let shares = json!({
            "trial": trial, "item": format!("i{}", trial / 2), "first": first, "second": second,
            "p_first": won, "p_tie": 0.0, "p_second": 1.0 - won, "score": null, "failure": null,
        });
        format!("{shares}\n")
    };
    let mut text = String::new();
    for trial in 0..20 {
        let pair = [["a", "b"], ["b", "a"]][usize::from(trial % 3 == 0)];
        text += &judgment(trial, pair);
    }
    for trial in 20..26 {
        text += &judgment(trial, [["a", "c"], ["c", "b"]][trial % 2]);
    }
    desk.write("j.jsonl", text);
    for how in ["", "--control order", "--ci none"] {
        let report = desk.json(&format!("leaderboard j.jsonl --systems a,b {how}"));
        assert_eq!(report["coverage"]["trials"], 20, "{how}");
        assert_eq!(report["coverage"]["verdicts"], 20, "{how}");
        assert_eq!(report["outcomes"]["decided"], 20.0, "{how}");
        assert_eq!(report["left_out"], 6, "{how}");
        assert_eq!(row(&report, "a")["n"], 20);
        let table = desk
            .done(&format!("leaderboard j.jsonl --systems a,b {how}"))
            .stdout;
        assert_holds(&table, "20 of 20 trials have a verdict (no failure)");
        assert_holds(&table, "6 verdicts of systems that are not ranked left out");
        assert_holds(&table, "20 decided, 0 ties");
    }
}

#[test]
fn battles_that_come_twice_are_counted_where_they_are_ranked() {
    let desk = Desk::empty();
    let [first, second] = [0, 6].map(|from: usize| {
        let rows = (from..from + 30).map(|at| {
            let other = if at % 3 == 0 { "c" } else { "b" };
            format!(
                "q{at},a,{other},model_a,{}\nr{at},b,a,model_a,en\n",
                ["en", "de"][at % 2]
            )
        });
        let rows: String = rows.collect();
        format!("item,model_a,model_b,winner,lang\n{rows}")
    });
    desk.write("one.csv", first);
    desk.write("two.csv", second);
    let said = |arguments: &str| {
        let report = desk.json(&format!("leaderboard one.csv two.csv {arguments}"));
        let warnings = report["warnings"].as_array().unwrap().clone();
        let found = warnings
            .iter()
            .find_map(|it| it.as_str().filter(|it| it.contains("already")));
        found.unwrap_or_default().to_owned()
    };
    assert_holds(&said(""), "48 of 60 battles");
    assert_holds(&said("--where lang=de"), "12 of 15 battles");
    assert_holds(&said("--systems a,b"), "40 of 50 battles");
}

/// Which systems are ranked is decided by all records, and a slice may lack one of them.
#[test]
fn slices_are_of_the_systems_that_are_ranked() {
    let desk = Desk::empty();
    let mut text = String::from("model_a,model_b,winner,item,lang\n");
    for at in 0..60 {
        let winner = ["model_a", "model_b", "tie"][at % 3];
        text += &format!("a,b,{winner},i{at},{}\n", ["de", "en"][at / 30]);
    }
    text += "a,c,model_a,i60,fr\nc,a,model_b,i61,fr\na,c,model_b,i62,en\n";
    desk.write("b.csv", text);
    let names = |of: &Value| -> Vec<String> {
        let rows = of["ranking"].as_array().unwrap().iter();
        let mut names: Vec<_> = rows
            .map(|row| row["system"].as_str().unwrap().into())
            .collect();
        names.sort();
        names
    };
    for how in ["--systems a,b", "--min-battles 15"] {
        let report = desk.json(&format!("leaderboard b.csv --by lang --rounds 50 {how}"));
        assert_eq!(names(&report), ["a", "b"], "{how}");
        for slice in &report["slices"].as_array().unwrap()[..2] {
            assert_eq!(names(slice), ["a", "b"], "{how}");
        }
        assert!(
            report["interaction"]["p"].is_number(),
            "{how}: {}",
            report["interaction"]
        );
    }
    desk.refused(
        "leaderboard b.csv --by lang --systems a,d",
        "no system d is in the files",
    );
}

#[test]
fn what_an_estimator_does_not_leave_out_is_refused() {
    let desk = Desk::empty();
    let csv = battles("").replace(",x\n", ",judge\n");
    desk.write("b.csv", csv);
    desk.write(
        "labels.csv",
        "model_a,model_b,winner,item\na,b,model_a,i0\n",
    );
    desk.refused(
        "leaderboard b.csv --labels labels.csv --both-bad apart",
        "--both-bad",
    );
    desk.refused(
        "leaderboard b.csv --labels labels.csv --weight x",
        "--weight",
    );
    desk.refused(
        "leaderboard b.csv --judge-column judge --both-bad apart",
        "leave --both-bad out",
    );
}
