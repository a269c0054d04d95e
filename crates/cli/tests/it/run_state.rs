//! What is not there is not a pass, and a run says how much of its plan it has: with the real
//! binary, by runs that are killed, stopped by a limit, and failed, and by files that lost rows.

use crate::common::Desk;
use crate::papers::copy_folder;
use serde_json::{Value, json};

/// 15 items, 3 systems, all pairs in both orders.
const PLANNED: u64 = 90;

fn desk() -> Desk {
    Desk::new(15, &["v1", "v2", "v3"])
}

/// Returns what `runs` says of the one run of a desk.
fn listed(desk: &Desk) -> Value {
    desk.json("runs runs")[0].clone()
}

const GATES: [&str; 4] = [
    "worse",
    "worse(v2,v1)",
    "inferior(v2,v1,0.4)",
    "difference(v2,v1).high<-0.49",
];

#[test]
fn a_run_is_running_until_it_is_killed_and_says_what_it_lacks_everywhere() {
    let desk = desk();
    let slow = "rank --data data --judge simulated:gap=0,delay-ms=300,log=asked --run runs/r";
    let mut child = desk.start(slow);
    desk.wait_for_lines("asked", 12);
    let running = listed(&desk);
    assert_eq!(running["state"], "running");
    assert_eq!(running["planned"], json!(PLANNED));
    assert_eq!(desk.json("show runs/r")["live"], true);
    let gate = "compare runs/r --pair v1,v2 --fail-if";
    let met = desk.run(&format!("{gate} worse(v2,v1)"));
    assert_eq!(met.code, Some(4), "{}", met.stderr);
    child.kill().unwrap();
    child.wait().unwrap();

    let stopped = listed(&desk);
    assert_eq!(stopped["state"], "stopped");
    assert_eq!(stopped["planned"], json!(PLANNED));
    let judged = stopped["judgments"].as_u64().unwrap();
    assert!((1..PLANNED).contains(&judged), "{judged}");
    let said = format!("{judged} of {PLANNED} judgments");
    assert!(
        desk.done("runs runs")
            .stdout
            .contains(&format!("{judged} of {PLANNED}"))
    );
    let shown = desk.done("show runs/r");
    shown.prints(&format!("{said}; stopped"));
    let shown = desk.json("show runs/r");
    assert_eq!(shown["live"], false);
    assert_eq!(shown["state"], "stopped");
    let saved = desk.done("baseline save runs/r --out b.json");
    saved.says(&said);
    let written = desk.done("report runs/r --out r.html");
    written.says(&said);
    desk.refused("site runs --out site", "runs/r: left out (");
    desk.done("site runs --out site --all");
    assert!(
        desk.read("site/index.html")
            .contains(&format!("{said}; stopped"))
    );

    // A pass on a part of the plan is none, on either side, by any of the conditions.
    copy_folder(&desk.path("runs/r"), &desk.path("copy"));
    for against in ["", "copy", "b.json"] {
        for condition in GATES {
            let compared = match against {
                "" => "runs/r --pair v1,v2".to_string(),
                other => format!("{other} runs/r --pair v1,v2"),
            };
            let gate = format!("compare {compared} --fail-if {condition}");
            let ran = desk.run(&gate);
            if ran.stderr.contains("nothing can be compared") {
                continue;
            }
            assert_eq!(ran.code, Some(4), "{gate}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stdout.starts_with("Missing: "), "{}", ran.stdout);
            let allowed = desk.run(&format!("{gate} --allow-missing"));
            // So early a kill may leave too few items for any test.
            let few = ["nothing can be found", "is not decided"]
                .iter()
                .any(|says| allowed.stderr.contains(says));
            let code = if few { 4 } else { 0 };
            assert_eq!(allowed.code, Some(code), "{gate}: {}", allowed.stderr);
            assert!(allowed.stdout.starts_with("Missing: "), "said all the same");
        }
    }
    let json = desk.json("compare runs/r --pair v1,v2");
    let first = json.as_object().unwrap().keys().next().unwrap();
    assert_eq!(first, "missing");
    let run = &json["missing"]["runs"]["current"];
    assert_eq!(run["judgments"], json!(judged));
    assert_eq!(run["planned"], json!(PLANNED));
    assert_eq!(run["state"], "stopped");
    let coverage = json["coverage"].as_f64().unwrap();
    assert!(coverage <= judged as f64 / PLANNED as f64, "{coverage}");
    let met = desk.run("compare runs/r --pair v1,v2 --fail-if coverage<0.99");
    assert_eq!(met.code, Some(3));

    // The same command goes on with it.
    desk.done("rank --data data --judge simulated:gap=0 --run runs/r");
    assert_eq!(listed(&desk)["state"], "complete");
    let whole = desk.json("compare runs/r --pair v1,v2");
    assert_eq!(whole["missing"]["text"], Value::Null);
    let ran = desk.run(&format!("{gate} worse(v2,v1)"));
    assert!(!ran.stdout.contains("Missing"), "{}", ran.stdout);
    assert_ne!(ran.code, Some(4));
}

#[test]
fn a_run_that_a_limit_stops_is_stopped_and_one_that_only_reads_leaves_it_so() {
    let desk = desk();
    let rank = "rank --data data --judge simulated:gap=0 --run runs/r";
    let limited = desk.run(&format!("{rank} --max-calls 40"));
    assert_ne!(limited.code, Some(0));
    for _ in 0..2 {
        let row = listed(&desk);
        assert_eq!(row["judgments"], 40);
        assert_eq!(row["planned"], json!(PLANNED));
        assert_eq!(row["state"], "stopped");
        desk.done("judgments runs/r --format jsonl");
    }
    desk.done(rank);
    let row = listed(&desk);
    assert_eq!(row["state"], "complete");
    assert_eq!(row["judgments"], json!(PLANNED));
}

#[test]
fn a_run_without_any_verdict_has_failed() {
    let desk = desk();
    let ran = desk.run("rank --data data --judge simulated:invalid=1 --run runs/r");
    assert_eq!(ran.code, Some(1));
    let row = listed(&desk);
    assert_eq!(row["state"], "failed");
    assert_eq!(row["verdicts"], 0);
    assert_eq!(row["planned"], PLANNED);
}

#[test]
fn a_design_that_chooses_as_it_goes_knows_its_plan_at_its_end() {
    let desk = desk();
    let rank = "rank --data data --judge simulated:gap=2 --design adaptive --run runs/r";
    let limited = desk.run(&format!("{rank} --max-calls 8"));
    assert_ne!(limited.code, Some(0), "{}", limited.stderr);
    let row = listed(&desk);
    assert_eq!(row["state"], "stopped");
    assert_eq!(row["planned"], Value::Null);
    desk.done(&format!("{rank} --until top:1"));
    let row = listed(&desk);
    assert_eq!(row["state"], "complete");
    assert_eq!(row["planned"], row["judgments"]);
}

/// Scores of systems on 40 items, those that `keeps` names.
fn scores(desk: &Desk, file: &str, keeps: impl Fn(&str, usize) -> bool, drop: f64) {
    let mut lines = String::new();
    for item in 0..40 {
        for system in ["v1", "v2"] {
            if keeps(system, item) {
                let score = 5.0 + (item * 7 % 5) as f64 / 2.0 - drop;
                let row = json!({"item": format!("q{item}"), "system": system, "score": score});
                lines += &format!("{row}\n");
            }
        }
    }
    desk.write(file, lines);
}

#[test]
fn systems_and_items_that_are_gone_are_named_first_and_no_pass() {
    let desk = Desk::empty();
    scores(&desk, "old.jsonl", |_, _| true, 0.0);
    scores(&desk, "gone.jsonl", |system, _| system == "v1", 0.0);
    scores(
        &desk,
        "few.jsonl",
        |system, item| system == "v1" || item < 8,
        0.0,
    );
    scores(&desk, "more.jsonl", |_, _| true, 0.0);
    scores(
        &desk,
        "worse.jsonl",
        |system, item| system == "v1" && item < 8,
        3.0,
    );
    for (file, says, gates) in [
        (
            "gone.jsonl",
            "Missing: v2 on all 40 items (the system is gone).",
            [
                ("worse", 4),
                ("worse(v2)", 4),
                ("worse(v1)", 0),
                ("coverage<0.95", 3),
                ("items<40", 3),
            ],
        ),
        (
            "few.jsonl",
            "Missing: v2 on 32 of 40 items.",
            [
                ("worse", 4),
                ("worse(v2)", 4),
                ("worse(v1)", 0),
                ("coverage<0.95", 3),
                ("items<40", 3),
            ],
        ),
        (
            "worse.jsonl",
            "Missing: v2 on all 40 items (the system is gone); v1 on 32 of 40 items.",
            [
                ("worse", 3),
                ("worse(v2)", 4),
                ("worse(v1)", 3),
                ("coverage<0.95", 3),
                ("items<8", 3),
            ],
        ),
    ] {
        for (gate, code) in gates {
            let ran = desk.run(&format!("compare old.jsonl {file} --fail-if {gate}"));
            assert_eq!(ran.code, Some(code), "{file} {gate}: {}", ran.stdout);
            assert_eq!(ran.stdout.lines().next(), Some(says), "{}", ran.stdout);
        }
        let all = "worse,coverage<0.95,items<40,failures>0";
        let ran = desk.run(&format!(
            "compare old.jsonl {file} --fail-if {all} --junit j.xml --summary s.md"
        ));
        assert_eq!(ran.code, Some(3), "{file}: {}", ran.stdout);
        let summary = desk.read("s.md");
        let second = summary.lines().nth(2).unwrap_or_default();
        assert!(second.starts_with("**Missing: "), "{summary}");
        assert!(desk.read("j.xml").contains("<system-out>Missing: v2 on"));
    }
    // The other way round they are new, and nothing is missing; nor where it was left out.
    for whole in [
        "gone.jsonl more.jsonl",
        "old.jsonl gone.jsonl --systems v1",
        "old.jsonl more.jsonl",
    ] {
        let ran = desk.done(&format!(
            "compare {whole} --fail-if worse,coverage<1,items<40"
        ));
        assert!(!ran.stdout.contains("Missing"), "{}", ran.stdout);
    }
}

#[test]
fn items_without_any_verdict_leave_the_gates_of_a_ranking_undecided() {
    let desk = desk();
    let rank = "rank --data data --protocol pointwise --judge simulated:gap=0,invalid=0.5,seed=4 \
                --run runs/r --quiet";
    for gate in ["worse(v1,v2)", "score.v2<1.5", "rank.v1>1"] {
        let open = desk.run(&format!("{rank} --fail-if {gate}"));
        assert_eq!(open.code, Some(4), "{gate}: {}{}", open.stdout, open.stderr);
        open.says("has no verdict on");
        desk.done(&format!("{rank} --fail-if {gate} --allow-missing"));
    }
    // What is met by what is there stays met.
    let met = desk.run(&format!("{rank} --fail-if score.v2<10"));
    assert_eq!(met.code, Some(3), "{}", met.stderr);
}
