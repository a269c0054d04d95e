//! A run is looked into from the terminal: `show`, `judgments`, and `judge --texts`.

mod judgments;
mod show;
mod with_texts;

use crate::common::{Desk, answer, item};

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

/// Whether a text has nothing that a terminal acts on.
fn is_harmless(text: &str) -> bool {
    let acts = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    !text.contains(acts)
}
