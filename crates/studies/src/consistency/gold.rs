//! Agreement with another judge, before and after (PORTIA, table 8).

use super::{ComparedPair, share_of};
use crate::Figure;
use crate::figure::exact_sign_p;
use evenhand_core::Side;
use evenhand_stats::Error;
use schemars::JsonSchema;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The verdicts of the judge that agreement is measured with, of the pairs on which it is
/// consistent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoldVerdicts {
    /// By item, first and second system.
    verdicts: BTreeMap<(String, String, String), Side>,
    /// Pairs on which the gold judge has no verdict, as where its orders disagree.
    pub without_verdict: usize,
}

impl GoldVerdicts {
    /// Adds a verdict on a pair in this order, or its lack.
    pub fn add(&mut self, item: &str, systems: [&str; 2], side: Option<Side>) {
        let [first, second] = systems.map(String::from);
        if let Some(side) = side {
            self.verdicts.insert((item.into(), first, second), side);
        } else {
            self.without_verdict += 1;
        }
    }

    /// Returns the verdict on a pair in the pair's own order.
    fn verdict_on(&self, pair: &ComparedPair) -> Option<Side> {
        let in_order = |[first, second]: [&Arc<str>; 2]| {
            let key = (pair.item.to_string(), first.to_string(), second.to_string());
            self.verdicts.get(&key).copied()
        };
        let [a, b] = &pair.systems;
        // The gold judge may have been asked with the systems in the other order.
        in_order([a, b]).or_else(|| Some(in_order([b, a])?.swapped()))
    }
}

/// How often a judge is consistent and agrees with the gold judge, of the pairs on which that one
/// is consistent. An inconsistent pair is no agreement.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct GoldAgreement {
    /// Pairs on which the gold judge has a verdict.
    pub pairs: usize,
    /// Before anything was split ("AR origin").
    #[schemars(rename = "agreement_at_first")]
    pub at_first: Figure,
    /// By the last step ("AR fix").
    #[schemars(rename = "agreement_in_the_end")]
    pub in_the_end: Figure,
    /// Exact two-sided p-value of McNemar's test of the two; None where no pair differs.
    pub p: Option<f64>,
}

impl GoldAgreement {
    pub(super) fn measure(
        pairs: &[ComparedPair],
        gold: &GoldVerdicts,
        level: f64,
    ) -> Result<GoldAgreement, Error> {
        let judged = pairs.iter().filter(|pair| gold.verdict_on(pair).is_some());
        let own: Vec<&ComparedPair> = judged.collect();
        // Whether both agree before anything was split (None where that was not asked), and after.
        let before = |pair: &ComparedPair| Some(pair.first? == gold.verdict_on(pair));
        let after = |pair: &ComparedPair| pair.last == gold.verdict_on(pair);
        let moved = [true, false].map(|first| {
            let is_so = |pair: &&&ComparedPair| before(pair) == Some(first) && after(pair) != first;
            own.iter().filter(is_so).count() as u32
        });
        Ok(GoldAgreement {
            pairs: own.len(),
            at_first: share_of(&own, level, before)?,
            in_the_end: share_of(&own, level, |pair| Some(after(pair)))?,
            p: exact_sign_p(moved)?,
        })
    }
}
