//! What all questions of an audit came to, counted when every probe is done.
//!
//! - *Failures*: how often a judge gives no verdict, and why, by category of the items.
//! - *Reading*: does a judge write what its probabilities say? Of every reply that has both, how
//!   often the verdict of the text is another.

use super::asks::{Asks, Findings, Key};
use super::finding_name::FindingName;
use crate::figure::indicator;
use evenhand_core::{FailureKind, Outcome, Side, Verdict};
use std::collections::BTreeMap;

/// By material and item, how many answers there are, and how many show each of two things.
type ByItem = BTreeMap<(usize, u32), [f64; 3]>;

/// Answers by protocol and category (None for all items).
#[derive(Default)]
struct Answered<'a>(BTreeMap<(&'a str, Option<&'a str>), ByItem>);

impl<'a> Answered<'a> {
    fn add(&mut self, key: &'a Key, category: Option<&'a str>, shows: [bool; 2]) {
        let items = self.0.entry((&key.protocol, category)).or_default();
        let counts = items.entry((key.material, key.item)).or_default();
        counts[0] += 1.0;
        counts[1] += indicator(shows[0]);
        counts[2] += indicator(shows[1]);
    }

    /// Returns the share of answers that show each of the things, under these names.
    fn findings(
        self,
        asks: &Asks<'_>,
        names: impl Fn(Option<String>) -> [FindingName; 2],
    ) -> Findings {
        let mut found = Vec::new();
        for ((protocol, category), items) in &self.0 {
            let counts = asks.rows(items);
            let [one, other] = names(category.map(String::from));
            let make = asks.maker(protocol);
            found.push(make.share(one, &counts.map(|[all, one, _]| one / all))?);
            found.push(make.share(other, &counts.map(|[all, _, other]| other / all))?);
        }
        Ok(found)
    }
}

/// Returns for each protocol the share of looks without a verdict, and that of refusals; for each
/// category too, where items have one.
pub(super) fn count_failures(asks: &Asks<'_>) -> Findings {
    let mut looks = Answered::default();
    for (key, outcome) in &asks.world.known.answers {
        let item = &asks.material(key.material).items[key.item as usize];
        // A slice has no further parts.
        let category = item.category.as_deref().filter(|_| asks.slice.is_none());
        let category = category.filter(|name| !name.is_empty());
        let failure = outcome.as_ref().err();
        let refused = failure.is_some_and(|failure| failure.kind == FailureKind::Refused);
        for part in [None].into_iter().chain(category.map(Some)) {
            looks.add(key, part, [failure.is_some(), refused]);
        }
    }
    looks.findings(asks, |category| {
        [
            FindingName::NoVerdict {
                category: category.clone(),
            },
            FindingName::Refusals { category },
        ]
    })
}

/// Returns for each protocol the share of replies whose text has no verdict where their
/// probabilities have one, and of those whose text has another.
pub(super) fn compare_readings(asks: &Asks<'_>) -> Findings {
    let mut replies = Answered::default();
    for (key, [text, probabilities]) in &asks.world.known.readings {
        let says_other = text.is_ok() && statement_of(text) != statement_of(probabilities);
        replies.add(key, None, [text.is_err(), says_other]);
    }
    replies.findings(asks, |_| {
        [
            FindingName::TextWithoutVerdict,
            FindingName::TextWithOtherVerdict,
        ]
    })
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
