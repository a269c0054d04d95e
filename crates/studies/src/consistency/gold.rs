//! Agreement with another judge, before and after (PORTIA, table 8).

use super::ComparedPair;
use super::shares::share_of;
use crate::Figure;
use evenhand_core::Side;
use evenhand_stats::{Bootstrap, Error, Undefined, mcnemar};
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
        match side {
            None => self.without_verdict += 1,
            Some(side) => {
                self.verdicts.insert((item.into(), first, second), side);
            }
        }
    }

    /// Returns the verdict on a pair in the pair's own order.
    fn verdict_on(&self, pair: &ComparedPair) -> Option<Side> {
        let key = |first: &str, second: &str| (pair.item.to_string(), first.into(), second.into());
        let [a, b] = &pair.systems;
        let as_given = self.verdicts.get(&key(a, b)).copied();
        as_given.or_else(|| self.verdicts.get(&key(b, a)).map(|side| side.swapped()))
    }
}

/// How often a judge is consistent and agrees with the gold judge, of the pairs on which that one
/// is consistent. An inconsistent pair is no agreement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoldAgreement {
    /// Pairs on which the gold judge has a verdict.
    pub pairs: usize,
    /// Before anything was split ("AR origin").
    pub at_first: Figure,
    /// By the last step ("AR fix").
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
        let joined: Vec<(&ComparedPair, Side)> = pairs
            .iter()
            .filter_map(|pair| Some((pair, gold.verdict_on(pair)?)))
            .collect();
        let own: Vec<&ComparedPair> = joined.iter().map(|(pair, _)| *pair).collect();
        let agrees = |pair: &ComparedPair, side: Option<Side>| side == gold.verdict_on(pair);
        Ok(GoldAgreement {
            pairs: own.len(),
            at_first: share_of(&own, plan, |pair| pair.first.map(|side| agrees(pair, side)))?,
            in_the_end: share_of(&own, plan, |pair| Some(agrees(pair, pair.last)))?,
            p: compare(&joined)?,
        })
    }
}

/// Returns the p-value of before against after.
fn compare(joined: &[(&ComparedPair, Side)]) -> Result<Option<f64>, Error> {
    let count = |before: bool, after: bool| {
        let alike = joined.iter().filter(|(pair, gold)| {
            let first = pair.first.flatten() == Some(*gold);
            pair.first.is_some() && first == before && (pair.last == Some(*gold)) == after
        });
        alike.count() as u32
    };
    match mcnemar(count(true, false), count(false, true)) {
        Ok(test) => Ok(Some(test.exact_p)),
        Err(Error::Undefined(Undefined::NoDiscordantRows)) => Ok(None),
        Err(other) => Err(other),
    }
}
