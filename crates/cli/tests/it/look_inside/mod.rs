//! A run is looked into from the terminal: `show`, `judgments`, and `judge --texts`.

mod judgments;
mod show;
mod with_texts;

use crate::common::{Desk, answer, item};
use rusqlite::Connection;

/// A judge that prefers what it is shown first, so that orders disagree.
const JUDGE: &str = "simulated:first-slot=0.3,seed=2";

/// A desk with a run of two systems on three items, in `run`.
fn judged() -> Desk {
    let desk = Desk::new(3, &["ant", "bee"]);
    judge(&desk, JUDGE);
    desk
}

fn judge(desk: &Desk, judge: &str) {
    let rank = format!("rank --data data --judge {judge} --protocol pairwise --run run --quiet");
    desk.done(&rank);
}

/// A run whose answers try to act on the terminal, and to pose as a verdict.
fn hostile() -> Desk {
    let desk = Desk::empty();
    let evil = "\u{1b}[2Jgone\r\nverdict     ant 0.000, tie 0.000, b\u{202e}ee 1.000\u{7}";
    desk.write("data/items.jsonl", item(0));
    let answers = answer(0, "ant", "plain") + &answer(0, "b\u{1b}[31mee", evil);
    desk.write("data/responses.jsonl", answers);
    judge(&desk, "simulated:gap=0.2");
    desk
}

/// A run of format 5, which kept no texts, no reports and no plain columns.
fn older() -> Desk {
    let desk = Desk::new(3, &["ant", "bee"]);
    judge(&desk, &format!("{JUDGE} --keep-prompts"));
    let db = Connection::open(desk.path("run/run.sqlite")).unwrap();
    let columns =
        "trial, item, first, second, systems, replicate, verdict, failure, detail, calls, looks";
    db.execute_batch(&format!(
        "ALTER TABLE judgments RENAME TO later;{JUDGMENTS_OF_5}
         INSERT INTO judgments ({columns}) SELECT {columns} FROM later;
         DROP TRIGGER calls_are_never_changed; DROP TRIGGER calls_are_never_removed;
         DROP INDEX calls_scan; ALTER TABLE calls RENAME TO later_calls;{CALLS_OF_5}
         INSERT INTO calls SELECT * FROM later_calls;"
    ))
    .unwrap();
    for newer in newer_parts(&db) {
        db.execute_batch(&format!("DROP {newer}")).unwrap();
    }
    db.pragma_update(None, "user_version", 5).unwrap();
    drop(db);
    desk
}

/// The tables and indices that format 5 had not.
fn newer_parts(db: &Connection) -> Vec<String> {
    let sql = "SELECT type || ' ' || name FROM sqlite_master
               WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT IN
               ('manifest', 'sessions', 'judges', 'calls', 'retries', 'exported', 'judgments')";
    let mut select = db.prepare(sql).unwrap();
    let parts = select.query_map([], |row| row.get(0)).unwrap();
    parts.map(Result::unwrap).collect()
}

const CALLS_OF_5: &str = "
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL,
  attempt INTEGER NOT NULL,
  judge INTEGER NOT NULL REFERENCES judges(id),
  request TEXT NOT NULL,
  reply TEXT,
  error TEXT,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  raw TEXT,
  batch INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions(id),
  UNIQUE (key, attempt),
  CHECK ((reply IS NULL) <> (error IS NULL))
);
CREATE TRIGGER calls_are_never_changed BEFORE UPDATE ON calls BEGIN SELECT RAISE(ABORT, 'calls are append-only'); END;
CREATE TRIGGER calls_are_never_removed BEFORE DELETE ON calls BEGIN SELECT RAISE(ABORT, 'calls are append-only'); END;
";

const JUDGMENTS_OF_5: &str = "
CREATE TABLE judgments (
  trial INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  first TEXT NOT NULL,
  second TEXT,
  systems TEXT,
  replicate INTEGER NOT NULL,
  verdict TEXT,
  failure TEXT,
  detail TEXT,
  calls TEXT NOT NULL,
  looks TEXT,
  CHECK ((verdict IS NULL) <> (failure IS NULL))
);
";

/// Whether a text has nothing that a terminal acts on.
fn is_harmless(text: &str) -> bool {
    let acts = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    !text.contains(acts)
}
