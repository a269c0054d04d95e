//! Does a judge write what its probabilities say? Of every reply that has both, how often the
//! verdict of the text is another.

use super::asks::Asks;
use super::finding_name::FindingName;
use super::probing::{Findings, concatenated};
use crate::figure::indicator;
use evenhand_core::{Outcome, Side, Verdict};
use std::collections::BTreeMap;

/// The replies about one item.
#[derive(Clone, Copy, Default)]
struct Replies {
    all: f64,
    text_without_verdict: f64,
    text_with_other_verdict: f64,
}

/// By material and item.
type ByItem = BTreeMap<(usize, u32), Replies>;

pub(super) fn compare_readings(asks: &Asks<'_>) -> Findings {
    let counts = replies_by_protocol(asks);
    concatenated(
        counts
            .iter()
            .map(|(protocol, items)| reading_findings(asks, protocol, items)),
    )
}

fn replies_by_protocol<'a>(asks: &'a Asks<'_>) -> BTreeMap<&'a str, ByItem> {
    let mut counts: BTreeMap<&str, ByItem> = BTreeMap::new();
    for (key, [text, probabilities]) in &asks.known.readings {
        let items = counts.entry(&key.protocol).or_default();
        let replies = items.entry((key.material, key.item)).or_default();
        replies.add(text, probabilities);
    }
    counts
}

impl Replies {
    fn add(&mut self, text: &Outcome, probabilities: &Outcome) {
        self.all += 1.0;
        self.text_without_verdict += indicator(text.is_err());
        self.text_with_other_verdict += indicator(says_other(text, probabilities));
    }
}

fn reading_findings(asks: &Asks<'_>, protocol: &str, items: &ByItem) -> Findings {
    let replies = asks.rows(items);
    let make = asks.maker(protocol);
    let without = replies.map(|replies| replies.text_without_verdict / replies.all);
    let other = replies.map(|replies| replies.text_with_other_verdict / replies.all);
    Ok(vec![
        make.share(FindingName::TextWithoutVerdict, &without)?,
        make.share(FindingName::TextWithOtherVerdict, &other)?,
    ])
}

/// Whether a text has a verdict, and another one than the probabilities.
fn says_other(text: &Outcome, probabilities: &Outcome) -> bool {
    text.is_ok() && statement_of(text) != statement_of(probabilities)
}

/// The statement that a verdict comes to.
#[derive(PartialEq)]
enum Statement {
    Score(f64),
    Side(Side),
}

fn statement_of(outcome: &Outcome) -> Option<Statement> {
    match outcome.as_ref().ok()? {
        Verdict::Pointwise { score, .. } => Some(Statement::Score(*score)),
        verdict => verdict
            .preference()
            .map(|shares| Statement::Side(Side::of(shares))),
    }
}
