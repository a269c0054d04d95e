//! `--reuse`: what another run has asked is not asked again, and the result is as if it had been.

use crate::common::{Desk, Ran, answer, database, response};
use evenhand_testing::server::{Script, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];
/// 12 ordered pairs on each of 20 items.
const ITEMS: usize = 20;
const EACH: usize = 12;
const SETTINGS: &str = "--data data --judge simulated:gap=0.2,invalid=0.05,log=asked";

fn kept(ran: &Ran, run: &str, made: usize, taken: usize, stored: usize) {
    let said = ran
        .stderr
        .split_once(" (")
        .map_or(ran.stderr.clone(), |(before, rest)| {
            before.to_string() + rest.split_once(')').unwrap().1
        });
    let expected = format!(
        "run kept in {run}: {made} calls made now, {taken} reused from other runs, {stored} \
         answered from the store\n"
    );
    assert_eq!(said, expected);
}

/// What a run holds, but for row ids and sessions.
fn held(desk: &Desk, run: &str) -> Vec<String> {
    let db = database(&desk.path(run)).unwrap();
    let sql = "SELECT json_array(identity, request, reply, error, prompt_tokens, batch) FROM calls \
               JOIN judges ON judges.id = calls.judge ORDER BY key";
    let mut select = db.prepare(sql).unwrap();
    select
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn more_items_ask_only_what_is_new() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!("rank {SETTINGS} --items 8 --run some"));
    let before = desk.json(&format!("estimate {SETTINGS} --reuse some"));
    let more = desk.done(&format!(
        "rank {SETTINGS} --run more --reuse some --format json"
    ));
    kept(&more, "more", EACH * (ITEMS - 8), EACH * 8, 0);
    let asked = desk.lines("asked");
    assert_eq!(
        (asked.len(), asked.iter().collect::<BTreeSet<_>>().len()),
        (EACH * ITEMS, EACH * ITEMS),
        "nothing twice"
    );
    assert_eq!(
        json!([before["calls"], before["calls_stored"]]),
        json!([EACH * ITEMS, EACH * 8]),
        "{before}"
    );
    let whole = desk.done(&format!("rank {SETTINGS} --run whole --format json"));
    assert_eq!(more.timeless(), whole.timeless());
    assert!(held(&desk, "more") == held(&desk, "whole"));
}

#[test]
fn another_system_asks_only_its_own_pairs() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!(
        "rank {SETTINGS} --systems ant,bee,cat --run three"
    ));
    let four = desk.done(&format!("rank {SETTINGS} --run four --reuse three"));
    kept(&four, "four", 6 * ITEMS, 6 * ITEMS, 0);
}

/// A run that took over stands on its own: what it was taken from may go.
#[test]
fn what_was_reused_is_there_when_the_other_run_is_gone() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let first = desk.done(&format!("rank {SETTINGS} --run first --format json"));
    let second = desk.done(&format!(
        "rank {SETTINGS} --run second --reuse first --format json"
    ));
    kept(&second, "second", 0, EACH * ITEMS, 0);
    std::fs::remove_dir_all(desk.path("first")).unwrap();
    let again = desk.done(&format!("rank {SETTINGS} --run second --format json"));
    assert_eq!(
        again.stderr,
        format!(
            "run kept in second: 0 calls made now, {} answered from the store\n",
            EACH * ITEMS
        )
    );
    let replayed = desk.json("rank --data data --judge recorded:second --run replayed");
    let ranking = |ran: &Ran| ran.json()["ranking"].clone();
    assert_eq!(ranking(&second), ranking(&first));
    assert_eq!(ranking(&again), ranking(&first));
    assert_eq!(replayed["ranking"], ranking(&first));
}

#[test]
fn another_protocol_takes_what_it_shares() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!("rank {SETTINGS} --run swap"));
    let single = desk.done(&format!(
        "rank {SETTINGS} --protocol pairwise/direct/single --run single --reuse swap"
    ));
    kept(&single, "single", 0, EACH / 2 * ITEMS, 0);
    let other = desk.done(&format!(
        "rank {SETTINGS} --protocol pairwise/cot/swap --run other --reuse swap single"
    ));
    kept(&other, "other", EACH * ITEMS, 0, 0);
}

/// A limit is on what this run spends: what others paid for is not counted, now or when it goes on.
#[test]
fn limits_leave_out_what_others_paid_for() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!("rank {SETTINGS} --items 8 --run some"));
    let left = EACH * (ITEMS - 8);
    let short = desk.run(&format!(
        "rank {SETTINGS} --run more --reuse some --max-calls 10"
    ));
    short.ends(1, "--max-calls 10");
    let on = desk.done(&format!(
        "rank {SETTINGS} --run more --reuse some --max-calls {left}"
    ));
    kept(&on, "more", left - 10, 0, EACH * 8 + 10);
}

/// The same text by two systems is one call, whether asked or reused.
#[test]
fn a_call_that_two_trials_share_is_reused_once() {
    let desk = Desk::new(2, &["ant", "bee"]);
    desk.append(
        "data/responses.jsonl",
        answer(0, "cat", "Thing 0, says bee.") + &response(1, "cat"),
    );
    let settings = "--data data --judge simulated:log=asked --protocol pointwise";
    let first = desk.done(&format!("rank {settings} --run first --format json"));
    let second = desk.done(&format!(
        "rank {settings} --run second --reuse first --format json"
    ));
    assert_eq!(desk.lines("asked").len(), 5);
    kept(&second, "second", 0, 5, 0);
    assert_eq!(second.timeless(), first.timeless());
    assert!(held(&desk, "second") == held(&desk, "first"));
}

#[test]
fn an_audit_and_its_estimate_reuse_too() {
    let desk = Desk::new(12, &["a", "b", "c"]);
    let audit = "audit --data data --quiet --judge simulated:gap=0.4,log=asked --rewriter \
                 simulated:log=asked";
    let first = desk.json(&format!("{audit} --run first"));
    let asked = desk.lines("asked").len();
    let estimate = desk.json(&format!("{audit} --run second --reuse first --estimate"));
    assert_eq!(estimate["calls"], estimate["calls_stored"], "{estimate}");
    let second = desk.json(&format!("{audit} --run second --reuse first"));
    assert_eq!(second["findings"], first["findings"]);
    assert_eq!(desk.lines("asked").len(), asked, "nothing is asked again");
}

#[test]
fn a_study_reuses_a_ranking() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    desk.done(&format!("rank {SETTINGS} --run ranked"));
    let ratings: String = SYSTEMS
        .iter()
        .zip(1..)
        .map(|(system, rating)| format!("{system},{rating}\n"))
        .collect();
    desk.write("ratings.csv", format!("system,rating\n{ratings}"));
    let judge = SETTINGS.split_once("--judge ").unwrap().1;
    desk.write(
        "study.toml",
        format!(
            "types = [\"pairwise\"]\nrounds = 20\nrun = \"study\"\n[ratings]\nfile \
                 = \"ratings.csv\"\n[inputs.all]\ndata = [\"data\"]\n[judges.j]\nspec \
                 = \"{judge}\"\n"
        ),
    );
    desk.done("meta study study.toml --quiet --reuse ranked");
    assert_eq!(
        desk.lines("asked").len(),
        EACH * ITEMS,
        "the ranking's calls are all that the study needs"
    );
    assert!(held(&desk, "study") == held(&desk, "ranked"));
}

#[test]
fn a_batch_leaves_out_what_is_reused() {
    let desk = Desk::new(4, &["ant", "bee"]);
    let server = Server::start(Script::default()).unwrap();
    let flags = format!("--data data --judge openai:m@{}", server.url());
    desk.done(&format!("rank {flags} --items 3 --run live"));
    let export = |run: &str, reuse: &str| -> Value {
        desk.json(&format!(
            "batch export {flags} --run {run} --out {run}-files{reuse}"
        ))
    };
    assert_eq!(export("all", "")["requests"], 8);
    assert_eq!(export("rest", " --reuse live")["requests"], 2);
}

#[test]
fn a_directory_that_holds_no_run_is_refused() {
    let desk = Desk::new(2, &SYSTEMS);
    for command in ["rank", "judge", "estimate"] {
        let ran = desk.run(&format!("{command} {SETTINGS} --run run --reuse nowhere"));
        assert!(
            ran.code == Some(2) && ran.stderr.starts_with("error: nowhere: "),
            "{command}: {:?} {}",
            ran.code,
            ran.stderr
        );
    }
    assert!(desk.lines("asked").is_empty() && !desk.path("run").exists());
}

/// Two settings that share 24 of their requests to a served judge, none of whose runs is named.
fn at_a_server(desk: &Desk, server: &Server, more: &str) -> Ran {
    desk.done(&format!(
        "rank --data data --judge openai:m@{} {more}",
        server.url()
    ))
}

#[test]
fn runs_that_lie_under_runs_are_found_and_reused_without_a_flag() {
    let desk = Desk::new(6, &["ant", "bee", "cat"]);
    let server = Server::start(Script::default()).unwrap();
    at_a_server(&desk, &server, "--items 4");
    let asked = server.stats().requests;
    let more = at_a_server(&desk, &server, "--format json");
    assert_eq!(
        (asked, server.stats().requests),
        (24, 36),
        "{}",
        more.stderr
    );
    let first = std::fs::read_dir(desk.path("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let named = |run: &String| {
        more.stderr
            .contains(&format!("24 reused from other runs (runs/{run} 24), "))
    };
    assert!(
        first.collect::<Vec<_>>().iter().any(named),
        "{}",
        more.stderr
    );
    let estimate = desk.json(&format!(
        "estimate --data data --judge openai:m@{} --systems ant,bee",
        server.url()
    ));
    assert_eq!(estimate["calls"], estimate["calls_stored"], "{estimate}");
    let alone = at_a_server(&desk, &server, "--run alone --no-reuse --format json");
    assert_eq!(server.stats().requests, 36 + 36);
    assert_eq!(
        alone.timeless(),
        more.timeless(),
        "what was reused is as if it had been asked"
    );
    at_a_server(&desk, &server, "--run again --no-reuse --reuse runs");
    assert_eq!(
        server.stats().requests,
        36 + 36,
        "a folder stands for the runs in it"
    );
}

#[test]
fn another_judges_runs_and_what_is_no_run_are_passed_over() {
    let desk = Desk::new(3, &["ant", "bee"]);
    let server = Server::start(Script::default()).unwrap();
    at_a_server(&desk, &server, "");
    desk.write("runs/broken/run.sqlite", "no database");
    let other = desk.done(&format!(
        "rank --data data --judge openai:other@{}",
        server.url()
    ));
    assert_eq!(server.stats().requests, 12, "{}", other.stderr);
    other.says("6 calls made now, 0 answered from the store");
}

#[test]
fn runs_are_listed_with_what_they_hold() {
    let desk = Desk::new(6, &["ant", "bee", "cat"]);
    let server = Server::start(Script::default()).unwrap();
    at_a_server(&desk, &server, "--items 4 --run runs/few");
    at_a_server(&desk, &server, "--run runs/many");
    desk.write("runs/broken/run.sqlite", "no database");
    let listed = desk.json("runs");
    let of = |name: &str| {
        listed
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["run"] == format!("runs/{name}"))
            .unwrap()
            .clone()
    };
    let figures = |row: Value| {
        json!([
            row["judgments"],
            row["verdicts"],
            row["calls"],
            row["taken_over"]
        ])
    };
    assert_eq!(figures(of("few")), json!([24, 24, 24, 0]));
    assert_eq!(figures(of("many")), json!([36, 36, 12, 24]));
    assert_eq!(of("few")["settings"]["protocol"], "pairwise/direct/swap");
    let table = desk.done("runs");
    for part in [
        "last used (UTC)",
        "runs/many",
        "6 items, 3 systems",
        "36 of 36",
        "12 and 24 reused",
    ] {
        assert!(table.stdout.contains(part), "{part}: {}", table.stdout);
    }
    table.says("left out: runs/broken");
    desk.refused("runs elsewhere", "there is no such folder");
}
