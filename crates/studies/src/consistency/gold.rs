//! Agreement with another judge, before and after (PORTIA, table 8).

use super::{ComparedPair, questions_of, share_of};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::Side;
use evenhand_stats::Error;
use evenhand_stats::change::{Moves, cluster_values, paired_change};
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
    /// Two-sided p-value of the two: McNemar's exact test, or the sign-flip test by question where
    /// one has several pairs; None where no pair differs.
    pub p: Option<f64>,
}

/// A pair agrees or does not.
const ONE_STEP: Moves = Moves {
    step: 1.0,
    limit: 1.0,
};

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
        let moved = |pair: &ComparedPair| Some(indicator(after(pair)) - indicator(before(pair)?));
        let rows = own.iter().zip(questions_of(&own));
        let rows = rows.filter_map(|(pair, question)| Some((question, moved(pair)?)));
        let rows: Vec<(u32, f64)> = rows.collect();
        let is_moved = rows.iter().any(|(_, moved)| *moved != 0.0);
        // Signs are flipped whatever the level is: only the interval depends on it.
        let p = is_moved.then(|| paired_change(&cluster_values(rows), ONE_STEP, level));
        Ok(GoldAgreement {
            pairs: own.len(),
            at_first: share_of(&own, level, before)?,
            in_the_end: share_of(&own, level, |pair| Some(after(pair)))?,
            p: p.transpose()?.map(|change| change.p_value),
        })
    }
}
