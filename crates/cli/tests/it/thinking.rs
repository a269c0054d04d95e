//! Judges that think before they answer, and judges whose first replies all fail in one way.

use crate::common::served::*;
use crate::common::{Desk, assert_holds};
use evenhand_testing::server::{Judge, Script, Server};

/// A server whose judge says this, as far as each request's limit of tokens goes.
fn says(reply: impl Fn(&str) -> String + Send + Sync + 'static) -> Server {
    start(Script {
        judge: Some(Judge::new(reply)),
        logprobs: false,
        ..quick()
    })
}

/// A judge that thinks in so many words, and prefers the first.
fn thinks(words: usize) -> Server {
    says(move |_| format!("<think>\n{}\n</think>\n\nA", "hm ".repeat(words)))
}

fn labelled(items: usize) -> Desk {
    let desk = Desk::new(items, &["ant", "bee"]);
    let label = |item: usize| {
        format!("{{\"item\": \"q{item}\", \"a\": \"ant\", \"b\": \"bee\", \"preferred\": \"a\"}}\n")
    };
    desk.write(
        "data/labels.jsonl",
        (0..items).map(label).collect::<String>(),
    );
    desk
}

#[test]
fn a_judge_that_thinks_has_its_verdicts_read_without_a_setting() {
    let server = thinks(3000);
    for command in ["rank", "judge", "meta judge", "audit --probes position"] {
        let desk = labelled(3);
        configure(&desk, &[&server.url()], "");
        let ran = desk.done(&format!("{command} {MINE} --run run"));
        let said = format!("{}{}", ran.stdout, ran.stderr)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let note = " replies were cut short at their limit of tokens before a verdict: each was \
                    asked once more";
        assert!(said.contains(note), "{command}: {said}");
        assert_eq!(failures(&desk, "run"), Default::default(), "{command}");
    }
}

#[test]
fn a_run_that_asked_again_is_resumed_and_replayed_as_it_was() {
    let (desk, server) = (labelled(3), thinks(3000));
    configure(&desk, &[&server.url()], "");
    let ranked = || desk.done(&format!("rank {MINE} --run run --format json"));
    let (first, asked) = (ranked(), server.stats().requests);
    assert_eq!(asked, 12, "3 items in two orders, each once more");
    assert_eq!(first.timeless(), ranked().timeless());
    assert_eq!(server.stats().requests, asked);
    let replayed = desk
        .done("rank --data data --judge recorded:run --run again --format json")
        .json();
    assert_eq!(replayed["ranking"], first.json()["ranking"]);
}

/// The judge says its order in a sentence; who is asked what a text expresses says it as it is to
/// be said.
#[test]
fn the_second_stage_reads_orders_too_and_the_report_names_it_where_replies_are_unreadable() {
    let reads = |prompt: &str| {
        if prompt.contains("Which verdict does this text express") {
            "B > A > C"
        } else {
            "The second, I dare say."
        }
    };
    let (desk, server) = (
        Desk::new(2, &["ant", "bee", "cat"]),
        says(move |prompt| reads(prompt).into()),
    );
    configure(&desk, &[&server.url()], "");
    let rank = format!("rank {MINE} --protocol listwise");
    let strict = desk.run(&format!("{rank} --run strict"));
    assert_eq!(strict.code, Some(1), "{}", strict.stderr);
    let said = strict
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert_holds(
        &said,
        " replies could not be read; --second-stage JUDGE lets another model say",
    );
    let read = desk
        .done(&format!(
            "{rank} --second-stage same --prior 0.1 --run read --format json"
        ))
        .json();
    let all = read["coverage"]["trials"].clone();
    assert_eq!(read["coverage"]["verdicts"], all);
    assert_eq!(read["sources"]["second-stage"], all);
    let table = desk
        .done(&format!(
            "{rank} --second-stage same --prior 0.1 --run read"
        ))
        .stdout;
    assert!(!table.contains("could not be read"), "{table}");
}

/// Twenty items of twenty calls each, and a judge that never comes to a verdict.
#[test]
fn a_judge_whose_first_replies_all_fail_in_one_way_is_asked_no_further() {
    let desk = Desk::new(20, &SYSTEMS);
    let server = says(|_| "I would rather talk about the weather.".into());
    configure(&desk, &[&server.url()], "");
    let rank = |more: &str| desk.run(&format!("rank {MINE} --run run {more}"));
    let (stopped, asked) = (rank(""), server.stats().requests);
    assert_eq!(stopped.code, Some(1), "{}", stopped.stderr);
    assert_eq!(asked, 20, "of 400 calls");
    for said in [
        "error: the first 20 trials all ended as `unparsed`, so the others are not asked. The \
         first failure of each kind:",
        "unparsed (20 of this kind), item q0, ant against bee:",
        "the whole reply: \"I would rather talk about the weather.\"",
        "--second-stage JUDGE can read it",
        "--keep-going asks them anyway",
    ] {
        assert!(stopped.stderr.contains(said), "{said}: {}", stopped.stderr);
    }
    assert_eq!(
        (rank("").code, server.stats().requests),
        (Some(1), asked),
        "nor by the same command"
    );
    let all = rank("--keep-going");
    assert_eq!((all.code, server.stats().requests), (Some(1), 400));
    all.says("none of 400 trials came to a verdict");
}

#[test]
fn every_command_that_asks_stops_early_and_one_verdict_among_the_first_is_enough_to_go_on() {
    for command in ["judge", "meta judge", "audit --probes position"] {
        let (desk, server) = (labelled(60), says(|_| "Who knows.".into()));
        configure(&desk, &[&server.url()], "");
        let ran = desk.run(&format!("{command} {MINE} --run run"));
        ran.ends(1, "the first 20 trials all ended as `unparsed`");
    }
    let (desk, server) = (
        labelled(60),
        says(|prompt| {
            if prompt.contains("thing number 7.") {
                "A"
            } else {
                "Who knows."
            }
            .into()
        }),
    );
    configure(&desk, &[&server.url()], "");
    let ran = desk.run(&format!("rank {MINE} --run run"));
    assert_eq!(
        (ran.code, server.stats().requests),
        (Some(0), 120),
        "{}",
        ran.stderr
    );
}
