//! Does a judge write what its probabilities say? Of every reply that has both, how often the
//! verdict of the text is another.

use super::asks::Asks;
use super::finding::{About, Finding};
use super::rows::Rows;
use crate::judge::decided;
use evenhand_core::{Outcome, Side, Verdict};
use evenhand_engine::EngineError;
use std::collections::BTreeMap;

/// What the sums of an item are: replies, texts without a verdict, texts with another one.
type Sums = [f64; 3];

pub(super) fn reading(asks: &Asks<'_>) -> Result<Vec<Finding>, EngineError> {
    let mut counts: BTreeMap<&str, BTreeMap<(usize, u32), Sums>> = BTreeMap::new();
    for (key, [text, probabilities]) in asks.readings {
        let cell = counts
            .entry(&key.protocol)
            .or_default()
            .entry((key.material, key.item))
            .or_default();
        let add = [
            true,
            text.is_err(),
            text.is_ok() && said(text) != said(probabilities),
        ]
        .map(|yes| f64::from(u8::from(yes)));
        cell.iter_mut().zip(add).for_each(|(sum, one)| *sum += one);
    }
    let found = counts
        .iter()
        .map(|(protocol, items)| of(protocol, &asks.rows(items), asks.level));
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

fn of(protocol: &str, items: &Rows<Sums>, level: f64) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| About {
        probe: "reading",
        name,
        protocol,
        estimand,
    };
    let shares = |which: usize| items.map(|sums| sums[which] / sums[0]);
    Ok(vec![
        about(
            "text has no verdict",
            "how often a reply's text holds no verdict where its probabilities do",
        )
        .share(&shares(1), None, level)?,
        about(
            "text has another verdict",
            "how often a reply's text says another verdict than its most probable one",
        )
        .share(&shares(2), None, level)?,
    ])
}

/// What a verdict comes to.
#[derive(PartialEq)]
enum Said {
    Score(f64),
    Side(Side),
}

fn said(outcome: &Outcome) -> Option<Said> {
    match outcome.as_ref().ok()? {
        Verdict::Pointwise { score, .. } => Some(Said::Score(*score)),
        verdict => verdict
            .preference()
            .map(|shares| Said::Side(decided(shares))),
    }
}
