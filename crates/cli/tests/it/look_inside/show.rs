//! `evenhand show`.

use super::{JUDGE, hostile, is_harmless, judge, judged, older};
use crate::common::{Desk, Ran, assert_holds};

#[test]
fn a_judgment_is_shown_with_its_texts_and_both_orders() {
    let desk = judged();
    let shown = desk.done("show run 3").stdout;
    let expected = "\
judgment 3 of run
  item        q1
  outcome     tie (the share of ant is 0.500, a tie counting half); flipped: the orders prefer different systems
  cost        540 tokens

question
    Name thing number 1.

answer of bee
    Thing 1, says bee.

answer of ant
    Thing 1, says ant.

judgment 3: bee, then ant
  verdict     bee 1.000, tie 0.000, ant 0.000 (by text)
  call to simulated:gap=0.5,first-slot=0.3,seed=2
    269 prompt tokens, 1 written
    reply (A, or the first, is bee; B, or the second, is ant):
      A

judgment 2: ant, then bee
  verdict     ant 1.000, tie 0.000, bee 0.000 (by text)
  call to simulated:gap=0.5,first-slot=0.3,seed=2
    269 prompt tokens, 1 written
    reply (A, or the first, is ant; B, or the second, is bee):
      A
";
    assert_eq!(shown, expected);
}

#[test]
fn the_prompt_is_shown_as_it_was_sent() {
    let desk = judged();
    let shown = desk.done("show run 0 --prompt").stdout;
    assert_holds(&shown, "    prompt, system:\n      You are");
    assert!(shown.contains("    prompt, user:\n      <"), "{shown}");
    let first = shown.find("      Thing 0, says ant.").unwrap();
    assert!(
        first < shown.find("      Thing 0, says bee.").unwrap(),
        "{shown}"
    );
    assert!(!desk.done("show run 0").stdout.contains("prompt, "));
}

#[test]
fn a_failure_says_why_there_is_no_verdict() {
    let desk = Desk::new(2, &["ant", "bee"]);
    judge(&desk, "simulated:invalid=0.6,seed=3");
    let failed = desk.json("show run");
    let count = failed["counts"]["failures"]["unparsed"].as_u64().unwrap();
    assert!(count > 0, "{failed}");
    let shown: String = (0..4)
        .map(|n| desk.done(&format!("show run {n}")).stdout)
        .collect();
    assert_holds(&shown, "\n  no verdict  unparsed\n    expected one of A, B");
}

#[test]
fn a_run_is_shown_in_one_screen() {
    let desk = judged();
    let shown = desk.done("show run").stdout;
    assert!(
        shown.starts_with("run\n  data        3 items, digest "),
        "{shown}"
    );
    let counts = "
judgments
  state       6 of 6 judgments; complete
  judgments   6: 6 verdicts
  rows        3: 1 flipped (the orders disagree), 0 split (votes disagree)
  calls       6 calls, 1,614 prompt tokens, 6 written

ranking of the last report
";
    let (_, ranking) = shown.split_once(counts).unwrap();
    let [answer, head] = [0, 1].map(|at| ranking.lines().nth(at).unwrap());
    let kept = desk.json("show run");
    let text = kept["report"]["answer"]["text"].as_str().unwrap();
    assert_eq!(answer, format!("  {text}."), "{shown}");
    let names: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(names, ["rank", "system", "score", "interval"], "{shown}");
    assert_holds(&shown, "\n  evenhand judgments run --where flipped\n");
    assert!(shown.lines().count() <= 24, "{shown}");
}

/// Elo points are whole, and an open end is infinite, in `show` as in `rank`.
#[test]
fn numbers_are_written_as_rank_writes_them() {
    let desk = Desk::new(20, &["ant", "bee", "cat"]);
    let words = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.split_whitespace());
        lines
            .map(|words| words.collect::<Vec<_>>().join(" "))
            .collect()
    };
    for (run, judge) in [
        ("close", "simulated:accuracy=0.7"),
        ("far", "simulated:gap=50"),
    ] {
        let ranked = words(
            &desk
                .done(&format!(
                    "rank --data data --judge {judge} --quiet --run {run}"
                ))
                .stdout,
        );
        let shown = words(&desk.done(&format!("show {run}")).stdout);
        let start = shown
            .iter()
            .position(|line| line == "rank system score interval");
        for row in &shown[start.unwrap() + 1..][..3] {
            assert!(
                row.split(' ')
                    .nth(2)
                    .is_some_and(|score| !score.contains('.')),
                "{row}"
            );
            assert!(
                ranked.iter().any(|line| line.starts_with(row)),
                "{row}: {ranked:?}"
            );
        }
        assert_eq!(shown.concat().contains("+inf"), run == "far", "{shown:?}");
    }
}

#[test]
fn a_judgment_as_json_is_what_the_pages_get() {
    let desk = judged();
    let shown = desk.json("show run 2");
    assert_eq!(shown["trial"], 2);
    assert_eq!(shown["item"]["text"], "Name thing number 1.");
    assert_eq!(shown["responses"][1]["text"], "Thing 1, says bee.");
    assert_eq!(shown["row"]["ba"]["trial"], 3);
    assert_eq!(shown["calls"][0]["reply"]["text"], "A");
    assert_eq!(shown["verdict"]["source"], "text");
}

#[test]
fn numbers_and_directories_that_there_are_not_are_refused() {
    let desk = judged();
    let ran = desk.run("show run 6");
    assert_eq!(ran.code, Some(2));
    let message = "error: run: there is no judgment 6; there are those from 0 to 5\n";
    assert_eq!(ran.stderr, message);
    for (item, condition) in [
        ("T-1017", "item=T-1017"),
        ("-1", "item=-1"),
        ("a, b", "'item=a, b'"),
    ] {
        let ran = Ran::of(desk.command("show run --").arg(item).output().unwrap());
        let said = format!(
            "expected the number of a judgment; those of an item: `evenhand judgments RUN --where \
             {condition}`"
        );
        ran.ends(2, &said);
    }
    let ran = desk.run("show data");
    assert_eq!(ran.code, Some(2));
    ran.says_first("error: data: there is no run here");
    assert!(ran.stderr.ends_with("`evenhand runs` lists your runs\n"));
}

#[test]
fn hostile_texts_neither_act_on_the_terminal_nor_pose_as_a_verdict() {
    let desk = hostile();
    let shown = desk.done("show run 0 --prompt").stdout;
    assert!(is_harmless(&shown), "{shown:?}");
    assert_holds(&shown, "    \\u{1b}[2Jgone\n    verdict     ant 0.000");
    let verdicts = shown.lines().filter(|line| line.starts_with("  verdict "));
    assert_eq!(verdicts.count(), 2, "{shown}");
    assert!(is_harmless(&desk.done("show run").stdout));
}

#[test]
fn a_run_of_an_older_format_says_that_it_keeps_no_texts() {
    let desk = older();
    let shown = desk.done("show run 0").stdout;
    let texts = "
question and answers
    not kept: the run is of an older format; its prompts have them (--prompt)

judgment 0: ant, then bee
";
    assert!(shown.contains(texts), "{shown}");
    assert!(
        desk.done("show run 0 --prompt")
            .stdout
            .contains("Thing 0, says ant.")
    );
    let run = desk.done("show run").stdout;
    assert!(run.contains("judgments   6: 6 verdicts"), "{run}");
    assert!(!run.contains("ranking of the last report"), "{run}");
    judge(&desk, JUDGE);
    let shown = desk.done("show run 0").stdout;
    assert_holds(&shown, "answer of ant\n    Thing 0, says ant.\n");
}
