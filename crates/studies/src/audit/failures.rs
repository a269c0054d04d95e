//! How often a judge gives no verdict, and why, by category of the items.

use super::asks::{Asks, Key};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::probing::concatenated;
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_core::{FailureKind, Outcome};
use evenhand_engine::EngineError;
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

/// Returns for each protocol the share of looks without a verdict, and that of refusals; for each
/// category too, where items have one.
pub(super) fn count_failures(asks: &Asks<'_>) -> Result<Vec<Finding>, EngineError> {
    let mut counts: BTreeMap<(&str, Option<String>), ByItem> = BTreeMap::new();
    for (key, outcome) in &asks.known.answers {
        let category = category_of(asks, key).map(Some);
        for part in [Some(None), category].into_iter().flatten() {
            counts
                .entry((&key.protocol, part))
                .or_default()
                .entry((key.material, key.item))
                .or_default()
                .add(outcome);
        }
    }
    concatenated(counts.iter().map(|((protocol, category), items)| {
        failure_findings(protocol, category.as_ref(), &asks.rows(items), asks.level)
    }))
}

fn category_of(asks: &Asks<'_>, key: &Key) -> Option<String> {
    let material = asks.materials.get(key.material)?;
    let category = material.items.get(key.item as usize)?.category.clone();
    category.filter(|name| !name.is_empty())
}

impl Looks {
    fn add(&mut self, outcome: &Outcome) {
        let refused = |kind: FailureKind| kind == FailureKind::Refused;
        self.all += 1.0;
        self.without_verdict += indicator(outcome.is_err());
        self.refused += indicator(outcome.as_ref().is_err_and(|failure| refused(failure.kind)));
    }
}

fn failure_findings(
    protocol: &str,
    category: Option<&String>,
    items: &Rows<Looks>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let without_verdict = items.map(|looks| looks.without_verdict / looks.all);
    let refused = items.map(|looks| looks.refused / looks.all);
    let category = category.cloned();
    Ok(vec![
        FindingName::NoVerdict {
            category: category.clone(),
        }
        .under(protocol)
        .untested_share(&without_verdict, level)?,
        FindingName::Refusals { category }
            .under(protocol)
            .untested_share(&refused, level)?,
    ])
}
