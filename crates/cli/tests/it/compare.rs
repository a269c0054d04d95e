//! `compare` and `baseline` with the real binary: on runs of our own with a change that is planted,
//! and on recorded judges and models of two dates.

use crate::common::{Desk, Ran, assert_holds, json_line};
use crate::papers::copy_folder;
use evenhand_testing::shared_data;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Forty items in two categories, answered by v1, v2 and, where wanted, v3, better and better by
/// their number.
fn desk() -> Desk {
    let desk = Desk::empty();
    for (name, versions) in [("one", 2), ("two", 3)] {
        let (mut items, mut responses) = (String::new(), String::new());
        for item in 0..40 {
            let topic = ["refunds", "login"][item % 2];
            items += &json_line(json!({
                "id": format!("q{item}"),
                "instruction": format!("Question {item}?"),
                "category": topic,
            }));
            for version in 1..=versions {
                responses += &json_line(json!({
                    "item": format!("q{item}"),
                    "system": format!("v{version}"),
                    "output": format!("Answer {item} of version {version}."),
                }));
            }
        }
        desk.write(&format!("{name}/items.jsonl"), items);
        desk.write(&format!("{name}/responses.jsonl"), responses);
    }
    desk
}

const JUDGE: &str = "simulated:accuracy=0.9,seed=3";

fn rank(desk: &Desk, data: &str, judge: &str, run: &str, more: &str) {
    desk.done(&format!(
        "rank --data {data} --judge {judge} --run {run} --quiet {more}"
    ));
}

#[test]
fn two_systems_of_a_run_are_compared_and_a_gate_stops() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "");
    let report = desk.json("compare w1");
    let system = &report["systems"][0];
    assert_eq!(system["measure"], "head-to-head");
    let (worse, better) = match system["verdict"].as_str().unwrap() {
        "worse" => ("v2", "v1"),
        "better" => ("v1", "v2"),
        other => panic!("{other}"),
    };
    let gate = format!("compare w1 --pair {better},{worse} --junit gate.xml --summary gate.md");
    let met = desk.run(&format!("{gate} --fail-if worse({worse},{better})"));
    assert_eq!(met.code, Some(3), "{}", met.stderr);
    assert!(
        met.stdout
            .starts_with(&format!("{worse} is worse than {better}: ")),
        "{}",
        met.stdout
    );
    // Two systems of one run have no before and after.
    met.prints("preferred");
    met.prints("\n lost item ");
    let summary = desk.read("gate.md");
    for words in ["before", " now ", "in both"] {
        assert!(!met.stdout.contains(words), "{words}: {}", met.stdout);
        assert!(!summary.contains(words), "{words}: {summary}");
    }
    assert_holds(
        &summary,
        &format!(" lost by {worse} against {better}</summary>"),
    );
    let cases = desk.read("gate.xml");
    assert!(cases.contains("failures=\"1\""));
    let (case, _) = cases.split_once("</testcase>").unwrap();
    assert!(case.contains("<failure message="), "{case}");
    assert!(
        !case.contains("<system-out>"),
        "the reason is told once: {case}"
    );
    assert!(
        desk.read("gate.md").contains("The gate is not passed")
            || desk.read("gate.md").contains("the gate is not passed")
    );
    desk.done(&format!(
        "compare w1 --pair {worse},{better} --fail-if worse({better},{worse})"
    ));
    desk.refused("compare w1 --fail-if worse(v9,v1)", "v2,v1");
}

#[test]
fn two_scored_systems_of_a_run_have_their_names_and_what_was_left_out_is_told() {
    let desk = desk();
    let judge = "simulated:accuracy=0.9,seed=3,invalid=0.2";
    rank(&desk, "one", judge, "w1", "--protocol pointwise");
    let report = desk.json("compare w1 --pair v1,v2");
    let left = &report["missing"]["systems"][0];
    let shown = desk.done("compare w1 --pair v1,v2").stdout;
    let summary = {
        desk.done("compare w1 --pair v1,v2 --summary gate.md");
        desk.read("gate.md")
    };
    for words in ["before", " now ", "in both"] {
        assert!(!shown.contains(words), "{words}: {shown}");
        assert!(!summary.contains(words), "{words}: {summary}");
    }
    let heads = shown.lines().find(|line| line.contains("measure")).unwrap();
    let heads: Vec<&str> = heads.split_whitespace().take(4).collect();
    assert_eq!(heads, ["system", "measure", "v1", "v2"]);
    let items = left["items"].as_u64().unwrap();
    assert!((1..40).contains(&items), "{items}");
    assert_holds(
        &shown,
        &format!(
            "left out    {items} of 40 items of v2 against v1: a judgment on each came to no \
             verdict"
        ),
    );
    let compared = 40 - items;
    assert_holds(
        &shown,
        &format!("compared    w1; 40 items, {compared} of them compared"),
    );
}

#[test]
fn what_the_data_do_not_decide_has_an_exit_code_of_its_own() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "--items 6");
    let open = desk.run("compare w1 --fail-if inferior(v2,v1,0.01) --junit gate.xml");
    if open.code == Some(3) {
        // The judge is sure that v2 is worse; the other way round it is then not inferior.
        desk.done("compare w1 --pair v2,v1 --fail-if inferior(v1,v2,0.01)");
        return;
    }
    assert_eq!(open.code, Some(4), "{} {}", open.stdout, open.stderr);
    open.says("is not decided");
    open.prints("would probably decide it");
    let passes =
        desk.run("compare w1 --fail-if inferior(v2,v1,0.01) --inconclusive pass --junit gate.xml");
    assert_eq!(passes.code, Some(0));
    assert!(desk.read("gate.xml").contains("<skipped"));
}

#[test]
fn next_week_s_run_is_compared_with_the_baseline_that_was_committed() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "--protocol pointwise");
    let saved = desk.done("baseline save w1");
    saved.says("80 verdicts on 40 items");
    assert!(desk.read("baseline.json").len() < 10_000);
    rank(&desk, "two", JUDGE, "w2", "--protocol pointwise --reuse w1");
    let of_run = desk.json("compare w1 w2 --pair v2,v3");
    let mut of_file = desk.json("compare baseline.json w2 --pair v2,v3");
    of_file["baseline"] = json!("w1");
    assert_eq!(of_run, of_file);
    assert_eq!(of_run["judge_drift"]["copied"], 80);
    // Of items that are left out no reply is counted either.
    let copied = |more: &str| {
        let report = desk.json(&format!("compare w1 w2 --pair v2,v3 {more}"));
        let side = &report["copied"]["current"];
        [&side["verdicts"], &side["of"], &side["runs"][0]["replies"]].map(Value::clone)
    };
    assert_eq!(copied(""), [json!(80), json!(120), json!(80)]);
    assert_eq!(
        copied("--where category=login"),
        [json!(40), json!(60), json!(40)]
    );
    assert_eq!(of_run["settings"][0]["setting"], "data");
    assert_eq!(of_run["systems"][0]["items_changed"], 40);
    assert_eq!(
        of_run["systems"][0]["categories"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn looks_at_one_baseline_are_a_trend() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "--protocol pointwise");
    rank(&desk, "two", JUDGE, "w2", "--protocol pointwise");
    let look = |name: &str| {
        desk.done(&format!(
            "compare w1 w2 --pair v2,v3 --history h.jsonl --look {name} --summary s.md"
        ))
    };
    // One look is no trend.
    let ran = look("aaa");
    assert!(!ran.stdout.contains("aaa") && !desk.read("s.md").contains("Trend"));
    let (ran, again) = (look("bbb"), look("bbb"));
    assert_eq!(
        ran.stdout, again.stdout,
        "a look that comes again counts once"
    );
    ran.prints("aaa");
    ran.prints("bbb");
    assert!(desk.read("s.md").contains("Trend against this baseline"));
    assert_eq!(desk.read("h.jsonl").lines().count(), 2);

    let json = desk.json("compare w1 w2 --pair v2,v3 --history h.jsonl --look ccc");
    let history = json["history"].as_array().unwrap();
    assert_eq!(history.len(), 3);
    let change = &json["systems"][0]["change"];
    assert_eq!(history[2]["look"], "ccc");
    assert_eq!(history[2]["difference"], change["difference"]);
    assert_eq!(history[2]["ci"], change["ci"]);
    // Another baseline has a trend of its own, in the same file.
    let other = desk.done("compare w2 w1 --pair v3,v2 --history h.jsonl --look ddd");
    assert!(!other.stdout.contains("aaa"), "{}", other.stdout);
    assert_eq!(desk.read("h.jsonl").lines().count(), 4);

    // Twelve at once are all there.
    let looks: Vec<_> = (0..12)
        .map(|number| {
            desk.start(&format!(
                "compare w1 w2 --pair v2,v3 --history all.jsonl --look look-{number}"
            ))
        })
        .collect();
    for look in looks {
        let ran = Ran::of(look.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let kept = desk.read("all.jsonl");
    assert_eq!(kept.lines().count(), 12, "{kept}");
    for number in 0..12 {
        assert!(kept.contains(&format!("\"look-{number}\"")), "{kept}");
    }
    assert!(!desk.path(".all.jsonl.lock").exists());

    desk.write("h.jsonl", "{\"look\": 1}\n");
    desk.refused(
        "compare w1 w2 --pair v2,v3 --history h.jsonl",
        "h.jsonl, line 1: this is not a look",
    );
    assert_eq!(desk.read("h.jsonl"), "{\"look\": 1}\n");
}

#[test]
fn a_judge_that_changed_is_named_and_its_change_taken_out() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "--protocol pairwise");
    rank(
        &desk,
        "two",
        "simulated:accuracy=0.9,seed=3,first-slot=0.5",
        "w2",
        "--protocol pairwise",
    );
    let report = desk.json("compare w1 w2 --systems v2");
    assert_eq!(report["judge_drift"]["significant"], true);
    assert_eq!(report["settings"][1]["setting"], "judge");
    let system = &report["systems"][0];
    assert_eq!(system["items_changed"].as_u64(), Some(0));
    assert_eq!(system["change"]["difference"].as_f64(), Some(0.0));
    let stopped = desk.run("compare w1 w2 --fail-if drift");
    assert_eq!(stopped.code, Some(3), "{}", stopped.stderr);
    stopped.prints("the judge itself changed");
    let answer = report["answer"]["text"].as_str().unwrap();
    let says =
        "The judge changed: on the same answers, the share of the answer shown first is now ";
    assert!(
        answer.starts_with(says) && answer.contains(" points higher (p "),
        "{answer}"
    );
    // Asked again, the judge says the same.
    rank(&desk, "one", JUDGE, "w3", "--protocol pairwise --no-reuse");
    desk.done("compare w1 w3 --fail-if drift");
    // A run beside itself, its copy or its own baseline was asked once.
    desk.refused(
        "compare w1 w1 --fail-if drift",
        "to compare two of its systems: `evenhand compare w1 --pair OLD,NEW`",
    );
    copy_folder(&desk.path("w1"), &desk.path("copy"));
    desk.done("baseline save w1 --out base.json --quiet");
    for sides in ["w1 copy", "base.json w1", "base.json copy"] {
        let open = desk.run(&format!("compare {sides} --fail-if drift"));
        assert_eq!(open.code, Some(4), "{sides}: {}", open.stdout);
    }
}

#[test]
fn rankings_have_gates_on_two_systems_too() {
    let desk = desk();
    let rank = "rank --data one --quiet --judge simulated:accuracy=0.75,seed=3 --run w1 --fail-if";
    let codes =
        ["worse(v1,v2)", "worse(v2,v1)"].map(|gate| desk.run(&format!("{rank} {gate}")).code);
    assert!(
        codes == [Some(3), Some(0)] || codes == [Some(0), Some(3)],
        "{codes:?}"
    );
    desk.refused(
        &format!("{rank} worse(v1,v9)"),
        "no system v9 is ranked here",
    );
    let battles = "model_a,model_b,winner\n".to_string()
        + &"x,y,model_a\n".repeat(30)
        + &"x,y,model_b\n".repeat(5);
    desk.write("battles.csv", battles);
    let board = |gate: &str| {
        desk.run(&format!(
            "leaderboard battles.csv --cluster none --fail-if {gate}"
        ))
        .code
    };
    assert_eq!(board("worse(y,x)"), Some(3));
    assert_eq!(board("worse(x,y)"), Some(0));
    assert_eq!(board("difference(x,y).low<0"), Some(0));
    assert_eq!(board("inferior(y,x,50)"), Some(3));
    assert_eq!(board("inferior(y,x)"), Some(2));
}

/// The more it lost the surer it is worse, up to all, whatever is said of scores and intervals; and
/// systems have names.
#[test]
fn a_total_regression_stops_a_ranking() {
    let desk = Desk::empty();
    for (name, lost, won) in [("all", 200, 0), ("next", 49, 1), ("most", 47, 3)] {
        let mut rows = "question_id,model_a,model_b,winner\n".to_string();
        for item in 0..lost + won {
            let winner = if item < lost { "model_a" } else { "model_b" };
            rows += &format!("{item},v1,v2,{winner}\n");
        }
        desk.write(&format!("{name}.csv"), rows);
        let mut scores = "item,system,score\n".to_string();
        for item in 0..lost + won {
            let now = if item < lost { 4 + item % 3 } else { 8 };
            scores += &format!("{item},v1,7\n{item},v2,{now}\n");
        }
        desk.write(&format!("{name}-scores.csv"), scores);
    }
    for (file, hows) in [
        (
            "",
            &[
                "",
                "--ci sandwich",
                "--ci bca",
                "--ci none",
                "--aggregate win-ratio",
            ][..],
        ),
        (
            "-scores",
            &[
                "",
                "--ci none",
                "--aggregate median",
                "--aggregate bradley-terry",
            ][..],
        ),
    ] {
        for name in ["all", "next", "most"] {
            for how in hows {
                let run = |gate: &str| {
                    let command = format!("leaderboard {name}{file}.csv {how} --fail-if {gate}");
                    let ran = desk.run(&command);
                    let said = format!("{}{}", ran.stdout, ran.stderr);
                    assert!(
                        !said.contains("system 0") && !said.contains("system 1"),
                        "{said}"
                    );
                    assert!(
                        !said.contains("--differences") && !said.contains("--pair"),
                        "{said}"
                    );
                    (ran.code, format!("{command}: {said}"))
                };
                for (gate, code) in [("worse(v2,v1)", 3), ("worse(v1,v2)", 0)] {
                    let (found, said) = run(gate);
                    assert_eq!(found, Some(code), "{said}");
                }
            }
        }
    }
    for (gate, code) in [
        ("score.v2<900", 3),
        ("score.v1>2000", 3),
        ("score.v2>900", 0),
        ("worse(v2,v1,100)", 3),
        ("difference(v2,v1)<-10", 3),
        ("inferior(v1,v2,10)", 0),
        ("inferior(v2,v1,10)", 3),
    ] {
        let ran = desk.run(&format!("leaderboard all.csv --fail-if {gate}"));
        assert_eq!(ran.code, Some(code), "{gate}: {}", ran.stderr);
    }
}

/// A condition that so few items could never meet, and one on a pair that never met.
#[test]
fn what_a_ranking_cannot_say_is_not_decided() {
    let desk = Desk::empty();
    let head = "question_id,model_a,model_b,winner\n";
    desk.write(
        "few.csv",
        format!("{head}1,x,y,model_a\n2,x,y,model_a\n3,x,y,model_a\n"),
    );
    let few = desk.run("leaderboard few.csv --fail-if worse(y,x)");
    few.ends(4, "with fewer than 6 items");
}

/// A margin or a bound that no difference can reach would pass for ever.
#[test]
fn a_margin_beyond_what_a_share_can_be_is_refused() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "");
    let head = "question_id,model_a,model_b,winner\n";
    let rows = (0..40).map(|at| format!("{at},x,y,{}\n", ["model_a", "model_b"][at / 30]));
    desk.write("b.csv", head.to_owned() + &rows.collect::<String>());
    let shares = "leaderboard b.csv --aggregate win-ratio";
    for (command, gate, says) in [
        (
            "compare w1 --pair v1,v2",
            "inferior(v2,v1,5)",
            "0.05 is 5 points",
        ),
        (
            "compare w1 --pair v1,v2",
            "worse(v2,v1,2)",
            "from -0.5 to 0.5",
        ),
        (
            "compare w1 --pair v1,v2",
            "difference(v2,v1)<-5",
            "-0.05 is -5 points",
        ),
        ("compare w1", "coverage<95", "0.95 is 95 %"),
        (
            shares,
            "inferior(y,x,10)",
            "from -1 to 1, so no drop could exceed a margin of 10: 0.1",
        ),
        (shares, "difference(y,x).low<-10", "-0.1 is -10 points"),
        (shares, "score.y<40", "0.4 is 40 %"),
        (
            &format!("{shares} --update u.json --date 2026-11-11"),
            "score.y<40",
            "0.4 is 40 %",
        ),
    ] {
        let ran = desk.refused(&format!("{command} --fail-if {gate}"), says);
        assert_eq!(ran.stdout, "", "{command} {gate}");
    }
    assert!(!desk.path("u.json").exists());
    for (command, gate) in [
        ("compare w1 --pair v1,v2", "inferior(v2,v1,0.49)"),
        (shares, "inferior(y,x,0.9)"),
        ("leaderboard b.csv", "inferior(y,x,1000)"),
    ] {
        let ran = desk.run(&format!("{command} --fail-if {gate}"));
        assert_ne!(ran.code, Some(2), "{command} {gate}: {}", ran.stderr);
    }
    let before = desk.run("rank --data one --judge simulated:log=asked --run w9 --aggregate win-ratio --fail-if inferior(v2,v1,5)");
    assert_eq!(before.code, Some(2), "{}", before.stderr);
    let asked = desk.path("asked");
    let is_empty = !asked.exists() || desk.read("asked").is_empty();
    assert!(is_empty, "something was judged");
}

/// A scale is known of a run, of a baseline that was saved from one, and before anything is judged.
#[test]
fn a_margin_as_wide_as_the_scale_is_refused() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "s1", "--protocol pointwise:1-10");
    desk.done("baseline save s1 --out base.json --quiet");
    let judged = "rank --data one --judge simulated:log=asked --protocol pointwise:1-10 --run s9";
    let pair = "compare s1 --pair v1,v2";
    for (command, gate, says) in [
        (
            pair,
            "inferior(v2,v1,9)",
            "from -9 to 9, so no drop could exceed a margin of 9",
        ),
        (
            pair,
            "worse(v2,v1,50)",
            "from -9 to 9, so no drop could exceed a margin of 50",
        ),
        (
            pair,
            "difference(v2,v1)<-9.5",
            "from -9 to 9, so no value could meet it",
        ),
        ("compare base.json s1", "inferior(v2,v2,9)", "from -9 to 9"),
        (judged, "inferior(v2,v1,9)", "from -9 to 9"),
        (
            judged,
            "score.v2<0.5",
            "a score on the scale, from 1 to 10, so no value could meet it",
        ),
    ] {
        desk.refused(&format!("{command} --fail-if {gate}"), says);
    }
    let is_empty = !desk.path("asked").exists() || desk.read("asked").is_empty();
    assert!(is_empty, "something was judged");
    for (command, gate) in [
        (pair, "inferior(v2,v1,8.9)"),
        (pair, "difference(v2,v1)<-8.9"),
    ] {
        let ran = desk.run(&format!("{command} --fail-if {gate}"));
        assert_ne!(ran.code, Some(2), "{command} {gate}: {}", ran.stderr);
    }
    // The scale of a file of scores is not known, and what its scores differ by is.
    let rows = (0..40).map(|at| format!("{at},x,{}\n{at},y,{}\n", 5 + at % 3, 4 + at % 2));
    let head = "item,system,score\n".to_owned();
    desk.write("scores.csv", head + &rows.collect::<String>());
    let ran = desk.run("compare scores.csv --pair x,y --fail-if inferior(y,x,50)");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.prints("check 50: all of these scores lie within 3 points of each other");
    let ran = desk.run("compare scores.csv --pair x,y --fail-if inferior(y,x,2.5)");
    assert!(!ran.stdout.contains("check 2.5"), "{}", ran.stdout);
}

#[test]
fn a_share_in_per_cent_is_written_as_it_is_meant() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "");
    for (command, gate, meant) in [
        (
            "compare w1 --pair v1,v2",
            "coverage<95%",
            "write coverage<0.95; ",
        ),
        (
            "rank --data one --judge simulated --run w9",
            "coverage<99.5%",
            "write coverage<0.995; ",
        ),
    ] {
        desk.refused(&format!("{command} --fail-if {gate}"), meant);
    }
    let counts = desk.refused(
        "compare w1 --pair v1,v2 --fail-if items<95%",
        "expected one of",
    );
    assert!(!counts.stderr.contains("write items"), "{}", counts.stderr);
}

/// The gate and the row of `--differences` are one decision, for any data of two systems.
#[test]
fn a_gate_says_what_the_row_of_differences_says() {
    let desk = Desk::empty();
    let mut decided = [0, 0];
    for seed in 0..40_u64 {
        let mut state = seed + 1;
        let mut draw = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % limit
        };
        let mut text = String::from("question_id,model_a,model_b,winner\n");
        for question in 0..8 + 4 * (seed % 8) {
            for _ in 0..=draw(3) {
                let winner = ["model_a", "model_a", "model_b", "tie"][draw(4) as usize];
                text += &format!("{question},x,y,{winner}\n");
            }
        }
        desk.write("b.csv", text);
        // Two of the four for each file, in turn.
        let hows = ["win-ratio", "rao-kupper", "bradley-terry", "eigenvector"];
        for how in hows.into_iter().skip(seed as usize % 2).step_by(2) {
            let base = format!("leaderboard b.csv --aggregate {how}");
            let report = desk.json(&format!("{base} --differences"));
            let row = &report["differences"][0];
            let Some(p) = row["p"].as_f64() else {
                continue;
            };
            let [ahead, behind] = ["a", "b"].map(|side| row[side].as_str().unwrap());
            let gate = desk.run(&format!("{base} --fail-if worse({behind},{ahead})"));
            let code = if p < 0.05 { 3 } else { 0 };
            assert_eq!(gate.code, Some(code), "{seed} {how} p {p}: {}", gate.stderr);
            decided[usize::from(p < 0.05)] += 1;
        }
    }
    assert!(decided.iter().all(|count| *count > 5), "{decided:?}");
}

/// Battles that all ended even say that neither is far ahead.
#[test]
fn even_battles_decide_whether_one_is_inferior() {
    let desk = Desk::empty();
    let rows = (0..50).map(|at| format!("{at},x,y,tie\n"));
    let head = "question_id,model_a,model_b,winner\n";
    desk.write("even.csv", head.to_owned() + &rows.collect::<String>());
    for (how, margin, code) in [
        ("bradley-terry", "100", 0),
        ("bradley-terry", "1", 4),
        ("win-ratio", "0.3", 0),
        ("win-ratio", "0.01", 4),
    ] {
        let command = format!("leaderboard even.csv --aggregate {how} --fail-if");
        let ran = desk.run(&format!("{command} inferior(x,y,{margin})"));
        assert_eq!(ran.code, Some(code), "{how} {margin}: {}", ran.stderr);
        assert!(!ran.stderr.contains("do not vary"), "{}", ran.stderr);
    }
}

#[test]
fn a_system_with_a_comma_is_named_in_quotes() {
    let desk = Desk::empty();
    let rows = (0..40).map(|at| format!("{at},\"a,b\",y,model_b\n"));
    let head = "question_id,model_a,model_b,winner\n";
    desk.write("b.csv", head.to_owned() + &rows.collect::<String>());
    for gate in [r#"worse("a,b",y)"#, r#"score."a,b"<900"#] {
        let ran = desk.run(&format!("leaderboard b.csv --fail-if {gate}"));
        assert_eq!(ran.code, Some(3), "{gate}: {}", ran.stderr);
    }
}

#[test]
fn a_comparison_is_written_into_a_page_and_links_lead_there() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "");
    desk.done("compare w1 --report page.html --summary s.md --link https://ci.example/page.html --figure c.svg");
    assert!(desk.read("page.html").contains("evenhand-data"));
    assert!(
        desk.read("s.md")
            .contains("](https://ci.example/page.html#/judgment/")
    );
    // Beside each other, the one leads to the other wherever the folder lies.
    desk.write("out/kept", "");
    desk.done("compare w1 --report out/page.html --summary out/s.md");
    assert!(desk.read("out/s.md").contains("](page.html#/judgment/"));
    // A name is spelt so that it is an address.
    desk.done("compare w1 --report out/a#1|b.html --summary ./out/s.md");
    assert!(
        desk.read("out/s.md")
            .contains("](a%231%7Cb.html#/judgment/")
    );
    desk.done("compare w1 --report page.html --summary s.md --link=");
    let plain = desk.read("s.md");
    assert!(!plain.contains("]("), "{plain}");
    assert!(plain.contains(" (judgment "), "{plain}");
    let figure = desk.read("c.svg");
    assert!(figure.contains("How much each system changed"));
    assert!(figure.contains("difference in points"));
    let csv = desk.done("compare w1 --format csv").stdout;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let nowhere = desk.run("compare w1 --junit nowhere/x.xml");
    assert_eq!(nowhere.code, Some(2), "{}", nowhere.stderr);
}

#[test]
fn a_part_of_the_items_can_be_compared_and_parts_by_a_field() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "");
    let part = desk.json("compare w1 --where category=login");
    assert_eq!(part["systems"][0]["change"]["items"], 20);
    assert_eq!(part["systems"][0]["categories"], json!([]));
    let by = desk.json("compare w1 --by id");
    assert_eq!(by["systems"][0]["categories"].as_array().unwrap().len(), 40);
    // A column `Category` of the data is the category of a run.
    let [capital, own] =
        ["Category", "category"].map(|by| desk.json(&format!("compare w1 --by {by}")));
    assert_eq!(capital["systems"], own["systems"]);
    let capital = desk.json("compare w1 --where Category=login");
    assert_eq!(capital["systems"], part["systems"]);
    desk.refused(
        "compare w1 --by language",
        "no item of w1 keeps such a field",
    );
}

#[test]
fn what_cannot_be_compared_says_why() {
    let desk = desk();
    rank(&desk, "one", JUDGE, "w1", "");
    rank(&desk, "one", JUDGE, "p1", "--protocol pointwise");
    let listed = "nowhere: cannot be read: No such file or directory (os error 2)\n  \
                  `evenhand runs` lists your runs\n";
    let missing = desk.run("compare w1 nowhere.jsonl").stderr;
    assert!(!missing.contains("evenhand runs"), "{missing}");
    for (arguments, said) in [
        ("compare w1 p1", "they cannot be compared"),
        ("compare nowhere w1", listed),
        ("compare w1 nowhere", listed),
        (
            "compare w1 --pair v1",
            "expected two systems, the earlier first",
        ),
        ("compare w1 --pair v1,v1", "not compared with itself"),
        ("compare w1 --fail-if better(v1)", "expected one of worse"),
        ("compare w1 --anchors one/items.jsonl", "give CURRENT too"),
        ("compare w1 one/items.jsonl", "one/items.jsonl"),
        (
            "compare --baseline w1 p1 --pair v1,v2",
            "--baseline w1: it is for files of judgments, and only runs are given",
        ),
        (
            "baseline save w1 --item-column id",
            "--item-column id: it is for files of judgments, and only runs are given",
        ),
    ] {
        desk.refused(arguments, said);
    }
}

/// AlpacaEval's annotations (CC BY-NC 4.0, tests only) of two versions of GPT-4 against the same
/// reference. The figures were computed by a script in Python from the same files.
#[test]
fn two_versions_of_a_model_in_alpaca_eval() {
    let Some(data) = shared_data() else {
        return;
    };
    let desk = Desk::empty();
    let data = data.join("alpaca_eval/preferences/alpaca_eval_gpt4");
    let file = |name: &str| data.join(format!("{name}.jsonl.gz")).display().to_string();
    let (old, new) = (file("gpt4_0314"), file("gpt4"));
    let report = desk.json(&format!("compare {old} {new} --pair gpt4_0314,gpt4"));
    let system = &report["systems"][0];
    assert_eq!(system["verdict"].as_str(), Some("no difference found"));
    assert_eq!(system["change"]["items"].as_u64(), Some(805));
    assert_eq!(system["change"]["up"].as_u64(), Some(17));
    assert_eq!(system["change"]["down"].as_u64(), Some(14));
    let unnamed = desk.run(&format!("compare {old} {new}"));
    unnamed.says("--pair gpt4_0314,gpt4");
}

/// Writes an LLMBar recording as battles: one row for each order, the first shown first.
fn battles_of(desk: &Desk, recording: &str, name: &str) {
    let path = shared_data()
        .unwrap()
        .join(format!("llmbar/natural/evaluators/{recording}.jsonl.gz"));
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    let mut text = String::from("item,model_a,model_b,winner\n");
    for line in lines {
        let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
        for (key, pair) in [
            ("winner_unswapped", ["one", "two"]),
            ("winner_swapped", ["two", "one"]),
        ] {
            let winner = match record[key].as_str() {
                Some("1") => {
                    if pair[0] == "one" {
                        "model_a"
                    } else {
                        "model_b"
                    }
                }
                Some("2") => {
                    if pair[0] == "one" {
                        "model_b"
                    } else {
                        "model_a"
                    }
                }
                _ => record[key].as_i64().map_or("tie", |won| {
                    if (won == 1) == (pair[0] == "one") {
                        "model_a"
                    } else {
                        "model_b"
                    }
                }),
            };
            text += &format!("{},{},{},{winner}\n", record["index"], pair[0], pair[1]);
        }
    }
    desk.write(name, text);
}

/// ChatGPT of March and of June 2023 as judges of the same pairs (LLMBar, MIT): the answers are the
/// same, so whatever differs is the judge.
#[test]
fn a_judge_of_two_dates_in_llmbar() {
    if shared_data().is_none() {
        return;
    }
    let desk = Desk::empty();
    battles_of(&desk, "ChatGPT-0301__Vanilla_NoRules", "march.csv");
    battles_of(&desk, "ChatGPT__Vanilla_NoRules", "june.csv");
    desk.write(
        "anchors.txt",
        (0..100).map(|item| format!("{item}\n")).collect::<String>(),
    );
    let report = desk.json("compare march.csv june.csv --anchors anchors.txt");
    // 12 items on which the first answer gained, 3 on which it lost: p 0.035, and three times that
    // beside the tests of what the systems get and of verdicts that turned. Verdicts without
    // probabilities are all decided: that this moved cannot be found, and does not count.
    let slot = &report["judge_drift"]["tests"][0]["change"];
    assert_eq!(slot["up"].as_u64(), Some(12));
    assert_eq!(slot["down"].as_u64(), Some(3));
    assert_eq!(slot["p"].as_f64(), Some(0.03515625));
    let adjusted = report["judge_drift"]["tests"][0]["p_adjusted"].as_f64();
    assert_eq!(adjusted, Some(3.0 * 0.03515625));
    assert_eq!(report["judge_drift"]["significant"], false);
    assert_eq!(report["judge_drift"]["judgments"], 200);
    assert_eq!(report["judge_drift"]["turned"], 15);
    assert_eq!(report["systems"], json!([]));
    desk.write("again.csv", desk.read("june.csv"));
    let same = desk.json("compare june.csv again.csv --anchors anchors.txt");
    assert_eq!(same["judge_drift"]["significant"], false);
}
