//! How consistent a judge is before and after its answers are split and merged: PORTIA's tables 1,
//! 3, 4, 6 and 8.
//!
//! A pair is consistent if the looks in both orders prefer the same response. Before: the looks at
//! the responses as they are; after: the looks of the last step that the method took.

mod answers;
mod by_field;
mod by_length;
mod footprint;
mod gold;
mod lengths;
mod pairs;

pub use answers::{Answer, AnswerShare, Answers};
pub use by_field::{ByField, FieldPart};
pub use by_length::{ByNumber, NumberBin, Trend};
pub use footprint::{DEVICES, Machine, PerThousand, REGIONS};
pub use gold::{GoldAgreement, GoldVerdicts};
pub use lengths::LengthRow;
pub use pairs::{ComparedPair, PairCollector};

use crate::Figure;
use crate::figure::indicator;
use evenhand_core::Clusters;
use evenhand_stats::{Bootstrap, Error};
use schemars::JsonSchema;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Consistency before and after, over some pairs.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct Consistency {
    /// How many pairs were judged.
    pub pairs: usize,
    /// How many of them were consistent before anything was split.
    #[schemars(skip)]
    pub consistent_at_first: usize,
    /// How many ended consistent.
    #[schemars(skip)]
    pub consistent_in_the_end: usize,
    /// How many were inconsistent at first and ended consistent.
    pub mended: usize,
    /// Share of the pairs that were consistent before ("% Origin Con").
    #[schemars(rename = "consistent_at_first")]
    pub at_first: Figure,
    /// Share of the pairs that ended consistent. PORTIA's "% PORTIA Con" where every pair was
    /// split; with `original-first` only inconsistent ones are, and none that was consistent is
    /// lost.
    #[schemars(rename = "consistent_in_the_end")]
    pub in_the_end: Figure,
    /// Of the pairs that were inconsistent before, the share that ended consistent ("% Fixed
    /// Coverage", section 5.2).
    #[schemars(rename = "fixed_coverage")]
    pub fixed: Figure,
}

/// Consistency of two systems' pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemsRow {
    /// The two systems, in the order of the data.
    pub systems: [Arc<str>; 2],
    /// Their pairs.
    pub consistency: Consistency,
}

/// Everything that PORTIA's tables say of one judge and form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConsistencyReport {
    /// Whether the method looks at the responses as they are before it splits them; without it
    /// nothing is known of "before".
    pub knows_first: bool,
    /// Over all pairs.
    pub all: Consistency,
    /// For each two systems.
    pub by_systems: Vec<SystemsRow>,
    /// What the judge answers in the first step.
    pub answers: Answers,
    /// By the value of a field; None where none was asked for.
    pub by_field: Option<ByField>,
    /// By the length of both responses together, in characters.
    pub by_length: ByNumber,
    /// By the difference of the two lengths, in characters.
    pub by_difference: ByNumber,
    /// How long each system's answers are.
    pub lengths: Vec<LengthRow>,
    /// Agreement with another judge; None where none was given.
    pub gold: Option<GoldAgreement>,
}

/// PORTIA's table 4: groups of so many characters of both responses.
const LENGTH_STEP: usize = 800;
/// PORTIA's table 6: groups of so many characters of difference.
const DIFFERENCE_STEP: usize = 300;

/// Measures the consistency of a judge on these pairs, and by the values of a field, which the
/// pairs hold, where it is named.
///
/// # Errors
/// A bad level, number of rounds or threads of the intervals.
pub fn measure_consistency(
    pairs: &[ComparedPair],
    gold: Option<&GoldVerdicts>,
    field: Option<&str>,
    plan: &Bootstrap,
) -> Result<ConsistencyReport, Error> {
    let all: Vec<&ComparedPair> = pairs.iter().collect();
    let systems: BTreeSet<&[Arc<str>; 2]> = pairs.iter().map(|pair| &pair.systems).collect();
    let mut by_systems = Vec::new();
    for systems in systems {
        let own = all.iter().copied().filter(|pair| pair.systems == *systems);
        by_systems.push(SystemsRow {
            systems: systems.clone(),
            consistency: Consistency::measure(&own.collect::<Vec<_>>(), plan.level)?,
        });
    }
    Ok(ConsistencyReport {
        knows_first: pairs.iter().any(|pair| pair.first.is_some()),
        all: Consistency::measure(&all, plan.level)?,
        answers: Answers::measure(&all, plan.level)?,
        by_field: field
            .map(|field| ByField::measure(&all, field, plan))
            .transpose()?,
        by_systems,
        by_length: ByNumber::measure(pairs, ComparedPair::length, LENGTH_STEP, plan.level)?,
        by_difference: ByNumber::measure(
            pairs,
            ComparedPair::difference,
            DIFFERENCE_STEP,
            plan.level,
        )?,
        lengths: lengths::measure_lengths(pairs),
        gold: gold
            .map(|gold| GoldAgreement::measure(pairs, gold, plan.level))
            .transpose()?,
    })
}

impl Consistency {
    /// Measures some pairs. Those whose first look is not known count for the end alone.
    fn measure(pairs: &[&ComparedPair], level: f64) -> Result<Consistency, Error> {
        let count = |is: fn(&ComparedPair) -> bool| pairs.iter().filter(|pair| is(pair)).count();
        Ok(Consistency {
            pairs: pairs.len(),
            consistent_at_first: count(|pair| pair.was_inconsistent() == Some(false)),
            consistent_in_the_end: count(|pair| pair.last.is_some()),
            mended: count(|pair| pair.was_fixed() == Some(true)),
            at_first: share_of(pairs, level, |pair| pair.first.map(|side| side.is_some()))?,
            in_the_end: share_of(pairs, level, |pair| Some(pair.last.is_some()))?,
            fixed: share_of(pairs, level, ComparedPair::was_fixed)?,
        })
    }
}

/// Returns the share of the pairs that are so, of those for which it has a meaning, with an
/// interval over questions, which may have several pairs.
fn share_of(
    pairs: &[&ComparedPair],
    level: f64,
    is: impl Fn(&ComparedPair) -> Option<bool>,
) -> Result<Figure, Error> {
    let rows = pairs.iter().map(|pair| match is(pair) {
        Some(yes) => (&pair.question, indicator(yes), 1.0),
        None => (&pair.question, 0.0, 0.0),
    });
    Figure::of_rows(rows, level)
}

/// Returns the question of each pair, as a number.
fn questions_of(pairs: &[&ComparedPair]) -> Vec<u32> {
    let names = pairs.iter().map(|pair| (&*pair.question, None));
    Clusters::of_names(names).numbers().to_vec()
}

#[cfg(test)]
mod tests;
