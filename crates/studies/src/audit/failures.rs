//! How often a judge gives no verdict, and why, by category of the items.

use super::asks::Asks;
use super::finding_name::FindingName;
use super::probing::Findings;
use crate::figure::indicator;
use evenhand_core::FailureKind;
use std::collections::BTreeMap;

/// The looks at one item.
#[derive(Clone, Copy, Default)]
struct Looks {
    all: f64,
    without_verdict: f64,
    refused: f64,
}

/// The looks by material and item.
type ByItem = BTreeMap<(usize, u32), Looks>;

/// Returns for each protocol the share of looks without a verdict, and that of refusals; for each
/// category too, where items have one.
pub(super) fn count_failures(asks: &Asks<'_>) -> Findings {
    // By protocol and category (None for all items).
    let mut counts: BTreeMap<(&str, Option<&str>), ByItem> = BTreeMap::new();
    for (key, outcome) in &asks.known.answers {
        let item = &asks.material(key.material).items[key.item as usize];
        let category = item.category.as_deref().filter(|name| !name.is_empty());
        let refused = outcome
            .as_ref()
            .is_err_and(|failure| failure.kind == FailureKind::Refused);
        for part in [None].into_iter().chain(category.map(Some)) {
            let items = counts.entry((&key.protocol, part)).or_default();
            let looks = items.entry((key.material, key.item)).or_default();
            looks.all += 1.0;
            looks.without_verdict += indicator(outcome.is_err());
            looks.refused += indicator(refused);
        }
    }
    let mut found = Vec::new();
    for ((protocol, category), items) in &counts {
        let looks = asks.rows(items);
        let make = asks.maker(protocol);
        let category = category.map(String::from);
        let without_verdict = looks.map(|looks| looks.without_verdict / looks.all);
        let refused = looks.map(|looks| looks.refused / looks.all);
        let name = FindingName::NoVerdict {
            category: category.clone(),
        };
        found.push(make.share(name, &without_verdict)?);
        found.push(make.share(FindingName::Refusals { category }, &refused)?);
    }
    Ok(found)
}
