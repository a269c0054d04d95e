//! How often a judge gives no verdict, and why, by category of the items.

use super::asks::{Asks, Key};
use super::finding_name::FindingName;
use super::probing::{Findings, concatenated};
use crate::figure::indicator;
use evenhand_core::{FailureKind, Outcome};
use std::collections::BTreeMap;

/// The looks at one item.
#[derive(Clone, Copy, Default)]
struct Looks {
    all: f64,
    without_verdict: f64,
    refused: f64,
}

/// By material and item.
type ByItem = BTreeMap<(usize, u32), Looks>;

/// A protocol, and the category of the items; None for all of them.
type Part<'a> = (&'a str, Option<&'a str>);

/// Returns for each protocol the share of looks without a verdict, and that of refusals; for each
/// category too, where items have one.
pub(super) fn count_failures(asks: &Asks<'_>) -> Findings {
    let counts = looks_by_part(asks);
    concatenated(
        counts
            .iter()
            .map(|(part, items)| failure_findings(asks, *part, items)),
    )
}

fn looks_by_part<'a>(asks: &'a Asks<'_>) -> BTreeMap<Part<'a>, ByItem> {
    let mut counts: BTreeMap<Part<'_>, ByItem> = BTreeMap::new();
    for (key, outcome) in &asks.known.answers {
        for part in parts_of(asks, key) {
            let items = counts.entry(part).or_default();
            let looks = items.entry((key.material, key.item)).or_default();
            looks.add(outcome);
        }
    }
    counts
}

/// Returns the parts in which a look is counted: all of its protocol, and its category.
fn parts_of<'a>(asks: &'a Asks<'_>, key: &'a Key) -> impl Iterator<Item = Part<'a>> {
    let category = category_of(asks, key);
    let parts = std::iter::once(None).chain(category.map(Some));
    parts.map(|category| (key.protocol.as_str(), category))
}

fn category_of<'a>(asks: &'a Asks<'_>, key: &Key) -> Option<&'a str> {
    let category = asks.item(key).category.as_deref();
    category.filter(|name| !name.is_empty())
}

impl Looks {
    fn add(&mut self, outcome: &Outcome) {
        self.all += 1.0;
        self.without_verdict += indicator(outcome.is_err());
        self.refused += indicator(is_refusal(outcome));
    }
}

fn is_refusal(outcome: &Outcome) -> bool {
    let failure = outcome.as_ref().err();
    failure.is_some_and(|failure| failure.kind == FailureKind::Refused)
}

fn failure_findings(asks: &Asks<'_>, (protocol, category): Part<'_>, items: &ByItem) -> Findings {
    let looks = asks.rows(items);
    let make = asks.maker(protocol);
    let category = category.map(String::from);
    Ok(vec![
        make.share(
            FindingName::NoVerdict {
                category: category.clone(),
            },
            &looks.map(|looks| looks.without_verdict / looks.all),
        )?,
        make.share(
            FindingName::Refusals { category },
            &looks.map(|looks| looks.refused / looks.all),
        )?,
    ])
}
