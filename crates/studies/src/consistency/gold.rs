//! Agreement with another judge, before and after (PORTIA, table 8).

use super::ComparedPair;
use super::shares::share_of;
use crate::Figure;
use crate::figure::exact_sign_p;
use evenhand_core::Side;
use evenhand_stats::{Bootstrap, Error};
use schemars::JsonSchema;
use std::collections::BTreeMap;

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

    /// Whether both agreed before anything was split; None where that was not asked.
    fn agrees_at_first(&self, pair: &ComparedPair) -> Option<bool> {
        Some(pair.first? == self.verdict_on(pair))
    }

    fn agrees_in_the_end(&self, pair: &ComparedPair) -> bool {
        pair.last == self.verdict_on(pair)
    }

    /// Returns the p-value of before against after; None where no pair differs.
    fn compare(&self, pairs: &[&ComparedPair]) -> Result<Option<f64>, Error> {
        let lost = self.count(pairs, true, false);
        exact_sign_p([lost, self.count(pairs, false, true)])
    }

    fn count(&self, pairs: &[&ComparedPair], before: bool, after: bool) -> u32 {
        let is_so = |pair: &&&ComparedPair| {
            self.agrees_at_first(pair) == Some(before) && self.agrees_in_the_end(pair) == after
        };
        pairs.iter().filter(is_so).count() as u32
    }

    /// Returns the verdict on a pair in the pair's own order.
    fn verdict_on(&self, pair: &ComparedPair) -> Option<Side> {
        let [a, b] = &pair.systems;
        let as_given = self.verdict_in_order(&pair.item, [a, b]);
        // The gold judge may have been asked with the systems in the other order.
        as_given.or_else(|| Some(self.verdict_in_order(&pair.item, [b, a])?.swapped()))
    }

    fn verdict_in_order(&self, item: &str, systems: [&str; 2]) -> Option<Side> {
        let [first, second] = systems.map(String::from);
        let key = (item.to_string(), first, second);
        self.verdicts.get(&key).copied()
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
        plan: &Bootstrap,
    ) -> Result<GoldAgreement, Error> {
        let judged = pairs.iter().filter(|pair| gold.verdict_on(pair).is_some());
        let own: Vec<&ComparedPair> = judged.collect();
        Ok(GoldAgreement {
            pairs: own.len(),
            at_first: share_of(&own, plan, |pair| gold.agrees_at_first(pair))?,
            in_the_end: share_of(&own, plan, |pair| Some(gold.agrees_in_the_end(pair)))?,
            p: gold.compare(&own)?,
        })
    }
}
