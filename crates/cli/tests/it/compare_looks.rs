//! `compare --sequential`: the judge looked at week by week.

use crate::common::Desk;
use serde_json::{Value, json};

/// Scores of thirty anchors in a baseline and eight weeks: noise alone until week 6, when the
/// judge becomes stricter by 1.2.
fn desk() -> Desk {
    let desk = Desk::empty();
    let ids: Vec<String> = (0..30).map(|item| format!("q{item}\n")).collect();
    desk.write("anchors.txt", ids.concat());
    for week in 0..9 {
        let mut lines = String::new();
        for item in 0..30 {
            let noise =
                f64::from((item * 7919 + week * 104_729 + item * week * 31) % 17 - 8) / 10.0;
            let shift = if week >= 6 { -1.2 } else { 0.0 };
            let score = 5.0 + f64::from(item % 5) / 2.0 + noise + shift;
            let row = json!({"trial": item, "item": format!("q{item}"), "first": "v1",
                             "second": null, "p_first": null, "p_tie": null, "p_second": null,
                             "score": score, "failure": null});
            lines += &format!("{row}\n");
        }
        desk.write(&format!("w{week}.jsonl"), lines);
    }
    desk
}

/// The command of a week.
fn look(week: usize) -> String {
    let earlier: Vec<String> = (1..week).map(|week| format!("w{week}.jsonl")).collect();
    let earlier = match earlier.is_empty() {
        true => String::new(),
        false => format!(" --earlier {}", earlier.join(" ")),
    };
    format!("compare w0.jsonl w{week}.jsonl --anchors anchors.txt --sequential{earlier}")
}

#[test]
fn a_judge_that_becomes_stricter_is_found_and_not_before() {
    let desk = desk();
    // One look shows that scores differ, and nothing of how much they do by noise.
    let ran = desk.run(&format!("{} --fail-if drift", look(1)));
    assert_eq!(ran.code, Some(4), "{} {}", ran.stdout, ran.stderr);
    ran.says("one look does not tell the judge's noise from a change");
    for week in 2..=5 {
        let ran = desk.run(&format!("{} --fail-if drift", look(week)));
        assert_eq!(
            ran.code,
            Some(0),
            "week {week}: {} {}",
            ran.stdout,
            ran.stderr
        );
    }
    let ran = desk.run(&format!("{} --fail-if drift", look(7)));
    assert_eq!(ran.code, Some(3), "{} {}", ran.stdout, ran.stderr);
    ran.prints("however often one looks");
    ran.says("found at look 6");

    // What a look found stays: the list of the runs is all the state there is.
    let looks = |week: usize| desk.json(&look(week))["judge_drift"]["looks"]["looks"].clone();
    let (five, eight) = (looks(5), looks(8));
    assert_eq!(five.as_array().unwrap()[..], eight.as_array().unwrap()[..5]);
    let report = desk.json(&look(8));
    assert_eq!(
        report["judge_drift"]["significant"],
        json!(true),
        "{report}"
    );
    let last = &eight[7];
    assert_eq!(last["run"], "w8.jsonl");
    assert_eq!(last["questions"], 30);
    assert!(
        last["tests"][0]["p_rise"].as_f64().unwrap() <= 1.0,
        "{last}"
    );
}

#[test]
fn too_few_answers_decide_nothing_and_a_look_counts_once() {
    let desk = desk();
    desk.write("anchors.txt", "q1\nq2\n");
    let ran = desk.run(&format!("{} --fail-if drift", look(2)));
    assert_eq!(ran.code, Some(4), "{} {}", ran.stdout, ran.stderr);
    let message = "2 looks at so few answers cannot show a change";
    ran.says(message);
    let report: Value = desk.json(&look(2));
    assert_eq!(report["judge_drift"]["significant"], json!(false));
    for (arguments, message) in [
        (
            "compare w0.jsonl w1.jsonl --sequential --earlier w1.jsonl",
            "--sequential: w1.jsonl is given twice; a look counts once",
        ),
        (
            "compare w0.jsonl w1.jsonl --sequential --earlier ./w1.jsonl",
            "--sequential: w1.jsonl is given twice; a look counts once",
        ),
        (
            "compare w0.jsonl w1.jsonl --earlier w2.jsonl",
            "--earlier: it is only for --sequential; give that too, or leave --earlier out",
        ),
        (
            "compare w0.jsonl --sequential",
            "--sequential: there is only one run, and its judge did not change within it; give \
             CURRENT too",
        ),
    ] {
        desk.refused(arguments, message);
    }
}
