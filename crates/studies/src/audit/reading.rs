//! Does a judge write what its probabilities say? Of every reply that has both, how often the
//! verdict of the text is another.

use super::asks::Asks;
use super::finding_name::FindingName;
use super::probing::Findings;
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

pub(super) fn compare_readings(asks: &Asks<'_>) -> Findings {
    // By protocol, then material and item.
    let mut counts: BTreeMap<&str, BTreeMap<(usize, u32), Replies>> = BTreeMap::new();
    for (key, [text, probabilities]) in &asks.known.readings {
        let items = counts.entry(&key.protocol).or_default();
        let replies = items.entry((key.material, key.item)).or_default();
        let says_other = text.is_ok() && statement_of(text) != statement_of(probabilities);
        replies.all += 1.0;
        replies.text_without_verdict += indicator(text.is_err());
        replies.text_with_other_verdict += indicator(says_other);
    }
    let mut found = Vec::new();
    for (protocol, items) in &counts {
        let replies = asks.rows(items);
        let make = asks.maker(protocol);
        let without = replies.map(|replies| replies.text_without_verdict / replies.all);
        let other = replies.map(|replies| replies.text_with_other_verdict / replies.all);
        found.push(make.share(FindingName::TextWithoutVerdict, &without)?);
        found.push(make.share(FindingName::TextWithOtherVerdict, &other)?);
    }
    Ok(found)
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
