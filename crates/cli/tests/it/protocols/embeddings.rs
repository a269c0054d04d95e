//! Alignment by embeddings.

use super::*;
use crate::common::{answer, database};

const PORTIA: &str = "--data data --protocol pairwise/direct/portia:2,embedding,tie";

/// Answers of several sentences, and a judge that always takes the first slot.
fn torn() -> Desk {
    let desk = Desk::new(3, &[]);
    let text = |item: usize, system: &str| {
        format!(
            "Thing {item} is one that {system} names. It has a colour. It also has a size, \
             says {system}. That is all."
        )
    };
    let all = (0..3).flat_map(|item| {
        ["ant", "bee", "cat"].map(|system| answer(item, system, &text(item, system)))
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk
}

/// How many calls of a run were for embeddings, of this judge and of all others.
fn embedded(desk: &Desk, run: &str, judge: &str) -> (u64, u64) {
    let db = database(&desk.path(run)).unwrap();
    let sql = "SELECT count(*) FILTER (WHERE j.identity LIKE ?1), count(*) FILTER (WHERE \
               j.identity NOT LIKE ?1)
        FROM calls AS c JOIN judges AS j ON j.id = c.judge WHERE json_extract(c.request, '$.task.kind') = 'embed'";
    let row =
        |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64));
    db.query_row(sql, [format!("%{judge}%")], row).unwrap()
}

#[test]
fn are_made_once_for_each_response_by_the_judge_or_by_another() {
    let desk = torn();
    let judge = "--judge simulated:first-slot=1,seed=7";
    let own = desk.judgments(&format!("{PORTIA} {judge} --run own"));
    assert_eq!(
        embedded(&desk, "own", "seed=7"),
        (9, 0),
        "3 items, 3 systems"
    );
    let other = desk.judgments(&format!(
        "{PORTIA} {judge} --embedder simulated:seed=5 --run other"
    ));
    assert_eq!(embedded(&desk, "other", "seed=5"), (9, 0));
    assert_eq!(own.len(), 9);
    let stages = |rows: &[Value]| {
        rows.iter()
            .map(|row| row["looks"].to_string().matches("semantic").count())
            .sum::<usize>()
    };
    assert_eq!(
        (stages(&own), stages(&other)),
        (18, 18),
        "both orders of 9 pairs"
    );
    let replay = desk.judgments(
        "--data data --protocol pairwise/direct/portia:2,embedding,tie --judge recorded:other",
    );
    assert_eq!(replay, other);
    let estimate = desk.json(&format!(
        "estimate {PORTIA} {judge} --embedder simulated:seed=5"
    ));
    assert_eq!(estimate["calls"], json!(9 * 4 + 9), "{estimate}");
    assert_eq!(estimate["calls_at_least"], json!(9 * 2));
}

#[test]
fn of_another_embedder_are_another_run() {
    let desk = torn();
    desk.judgments(&format!(
        "{PORTIA} --judge simulated:first-slot=1 --run run"
    ));
    desk.refused(
        &format!(
            "judge {PORTIA} --judge simulated:first-slot=1 --embedder simulated:seed=5 --run run"
        ),
        "embedder",
    );
}

#[test]
fn that_no_protocol_asks_for_are_bad_usage() {
    let ran = torn()
        .run("judge --data data --protocol portia --judge simulated --embedder simulated:seed=5");
    assert_eq!(ran.code, Some(2));
    let said = |text: &str| ran.stderr.contains(text);
    assert!(
        said("error: --embedder simulated:seed=5: ") && said(" embeds nothing; leave it out"),
        "{}",
        ran.stderr
    );
}

#[test]
fn that_a_provider_does_not_have_fail_the_judgments_and_say_what_to_do() {
    let desk = torn();
    let judge = "--judge simulated:first-slot=1 --embedder anthropic:m@http://127.0.0.1:9";
    let ran = desk.run(&format!("judge {PORTIA} {judge} --format json"));
    let rows: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((ran.code, rows.len()), (Some(1), 9), "{}", ran.stderr);
    assert!(
        rows.iter().all(|row| row["failure"] == "invalid"),
        "{rows:?}"
    );
    assert!(
        rows[0]["detail"]
            .as_str()
            .unwrap()
            .contains("name another model with --embedder"),
        "{}",
        rows[0]
    );
}
