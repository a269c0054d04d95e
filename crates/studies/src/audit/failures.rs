//! How often a judge gives no verdict, and why, by category of the items.

use super::asks::Asks;
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_core::FailureKind;
use evenhand_engine::EngineError;
use std::collections::BTreeMap;

/// By material and item: looks, failures and refusals.
type ByItem = BTreeMap<(usize, u32), [f64; 3]>;

/// For each protocol the share of looks without a verdict, and that of refusals; for each category
/// too, where there are several.
pub(super) fn failures(asks: &Asks<'_>) -> Result<Vec<Finding>, EngineError> {
    let mut counts: BTreeMap<(&str, String), ByItem> = BTreeMap::new();
    for (key, outcome) in asks.answers {
        let item = asks
            .materials
            .get(key.material)
            .and_then(|material| material.items.get(key.item as usize));
        let category = item.and_then(|item| item.category.clone());
        let refused = outcome
            .as_ref()
            .is_err_and(|failure| failure.kind == FailureKind::Refused);
        let add = [
            1.0,
            f64::from(u8::from(outcome.is_err())),
            f64::from(u8::from(refused)),
        ];
        for name in [Some(String::new()), category].into_iter().flatten() {
            let cell = counts
                .entry((&key.protocol, name))
                .or_default()
                .entry((key.material, key.item))
                .or_default();
            cell.iter_mut().zip(add).for_each(|(sum, one)| *sum += one);
        }
    }
    let found = counts
        .iter()
        .map(|((protocol, category), items)| of(protocol, category, &asks.rows(items), asks.level));
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

fn of(
    protocol: &str,
    category: &str,
    items: &Rows<[f64; 3]>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let within = if category.is_empty() {
        String::new()
    } else {
        format!(", {category}")
    };
    let names = [format!("no verdict{within}"), format!("refusals{within}")];
    let shares = |which: usize| items.map(|counts| counts[which] / counts[0]);
    let about = |name, estimand| About {
        probe: "failures",
        name,
        protocol,
        estimand,
    };
    Ok(vec![
        about(
            &names[0],
            "how often a question to the judge leads to no verdict",
        )
        .share(&shares(1), None, level)?,
        about(&names[1], "how often the judge refuses").share(&shares(2), None, level)?,
    ])
}
