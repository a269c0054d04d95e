//! A judgment in full.

use super::call::add_call;
use super::page::Page;
use super::verdict::{describe_look, describe_verdict, format_score, format_share};
use crate::View;
use crate::numbers::{format_usd, group_digits, or_blank};
use evenhand_core::{Message, Setting, StepKind, name_in_words};
use evenhand_pages::{Detail, Row};

/// A judgment with that of the other order, and how they are shown.
#[derive(Clone, Copy, Debug)]
pub struct JudgmentPage<'a> {
    /// The run's directory.
    pub run: &'a str,
    /// The judgment, then that of the other order where there is one; at least one.
    pub orders: &'a [Detail],
    /// Whether the run keeps the texts that were judged.
    pub keeps_texts: bool,
    /// Whether prompts are shown as they were sent.
    pub shows_prompts: bool,
    /// Where it is shown.
    pub view: View,
}

/// Returns a judgment for people: the question, the answers, and of each order the verdict and the
/// judge's words.
pub fn judgment_page(shown: &JudgmentPage<'_>) -> String {
    let mut page = Page::new(shown.view);
    let Some(judgment) = shown.orders.first() else {
        return page.into_text();
    };
    page.add_heading(&format!("judgment {} of {}", judgment.trial, shown.run));
    add_row(&mut page, &judgment.row);
    add_texts(&mut page, judgment, shown.keeps_texts);
    for order in shown.orders {
        add_order(&mut page, order, shown.shows_prompts);
    }
    page.into_text()
}

fn add_row(page: &mut Page, row: &Row) {
    let category = or_blank(row.category.as_ref(), |name| format!(" (category {name})"));
    page.add_fact("item", &format!("{}{category}", row.item));
    // How it ended, over both its orders.
    let mut outcome = match (row.p, &row.b, row.score) {
        (Some(p), Some(b), _) => {
            let side = name_side(row, row.outcome);
            // The share of the one that won; where neither did, that of the first.
            let (system, share) = match row.outcome {
                "b" => (b, 1.0 - p),
                _ => (&row.a, p),
            };
            let [side, system] = [side, system].map(name_in_words);
            let share = format_share(share);
            match side == system {
                true => format!("{side} (its share is {share}, a tie counting half)"),
                false => format!("{side} (the share of {system} is {share}, a tie counting half)"),
            }
        }
        (_, _, Some(score)) => format!("score {}", format_score(score)),
        (_, _, None) if row.systems.is_some() => "an order of all systems".into(),
        (_, _, None) => "no verdict".into(),
    };
    if row.flipped {
        outcome += "; flipped: the orders prefer different systems";
    }
    if row.split {
        outcome += "; split: votes or samples disagree";
    }
    page.add_fact("outcome", &outcome);
    if let Some(people) = row.people {
        page.add_fact("people", name_side(row, people));
    }
    let cost = or_blank(row.cost, |usd| format!(", {}", format_usd(usd)));
    let tokens = group_digits(row.tokens);
    page.add_fact("cost", &format!("{tokens} tokens{cost}"));
}

/// Returns the system that stands for a side of a row: `a`, `b`, or neither.
pub(super) fn name_side<'a>(row: &'a Row, side: &'a str) -> &'a str {
    match (side, &row.b) {
        ("a", _) => &row.a,
        ("b", Some(b)) => b,
        _ => side,
    }
}

// Deep: in the order of the page, down to the steps of an answer.
fn add_texts(page: &mut Page, judgment: &Detail, keeps_texts: bool) {
    if !keeps_texts {
        page.add_heading("question and answers");
        page.add_text(
            4,
            &format!(
                "not kept: the run is of an older format; its prompts have them ({})",
                Setting::Prompt
            ),
        );
        return;
    }
    let item = &judgment.item;
    page.add_heading("question");
    match &item.turns {
        Some(turns) => add_turns(page, turns),
        None => page.add_text(4, &item.text),
    }
    if let Some(reference) = &item.reference {
        page.add_heading("reference answer");
        page.add_text(4, reference);
    }
    for response in &judgment.responses {
        page.add_heading(&format!("answer of {}", response.system));
        if let Some(turns) = &response.turns {
            add_turns(page, turns);
            page.add_text(2, "the answer:");
        }
        if let Some(trajectory) = &response.trajectory {
            for step in &trajectory.steps {
                let kind = match step.kind {
                    StepKind::Message => "message",
                    StepKind::Thinking => "thinking",
                    StepKind::Call => "tool call",
                    StepKind::Result { failed: true, .. } => "result of a tool that failed",
                    StepKind::Result { .. } => "result of a tool",
                    StepKind::User => "user",
                    StepKind::System => "system",
                };
                page.add_text(2, &format!("step {}, {kind}:", step.number));
                page.add_text(4, &step.text);
            }
            if let Some(gap) = &trajectory.left_out {
                let tokens = group_digits(gap.tokens);
                let left_out = format!("about {tokens} tokens of the middle are left out");
                page.add_text(2, &left_out);
            }
            page.add_text(2, "final message:");
        }
        page.add_text(4, &response.text);
    }
}

fn add_turns(page: &mut Page, turns: &[Message]) {
    for Message { role, content } in turns {
        page.add_text(2, &format!("{}:", role.name()));
        page.add_text(4, content);
    }
}

/// Adds one order in which the answers were shown: its verdict, its looks and its calls.
fn add_order(page: &mut Page, judgment: &Detail, shows_prompts: bool) {
    let responses = judgment.responses.iter();
    let names: Vec<&str> = responses.map(|one| &*one.system).collect();
    let trial = judgment.trial;
    page.add_heading(&match names[..] {
        [one] => format!("judgment {trial}: {one} by itself"),
        _ => format!("judgment {trial}: {}", names.join(", then ")),
    });
    if let Some(verdict) = &judgment.verdict {
        page.add_fact("verdict", &describe_verdict(verdict, &names));
    } else {
        let kind = judgment.outcome.failure.unwrap_or("unknown");
        page.add_fact("no verdict", kind);
        if let Some(detail) = &judgment.detail {
            page.add_text(4, detail);
        }
    }
    for (number, look) in (1..).zip(&judgment.looks) {
        page.add_text(2, &describe_look(number, &look.look, &names));
    }
    let calls = judgment.calls.len();
    for (number, call) in (1..).zip(&judgment.calls) {
        let place = match calls {
            1 => "call to ".into(),
            _ => format!("call {number} of {calls}, to "),
        };
        add_call(page, judgment, call, &place, shows_prompts);
    }
}
