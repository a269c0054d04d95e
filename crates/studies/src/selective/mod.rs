//! Selective judging: which of a judge's verdicts to accept, so that few are wrong, and what a
//! stronger judge has to decide (Jung et al. 2024, "Trust or Escalate").

mod cascade;
mod case;
#[cfg(test)]
mod tests;

pub use cascade::{Cascade, CascadeCost, Equal};
pub use case::{Case, cases_of};
pub(crate) use case::{lean_of, margin_of};

use crate::figure::{indicator, mean};
use crate::judge::JudgedPairs;
use evenhand_core::{Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::{
    AcceptThreshold, ClusteredShare, Error, KnownVerdict, accept_threshold, clustered_share,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What is promised, and how it is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectOptions {
    /// The largest share of accepted verdicts that may be wrong, strictly between 0 and 1.
    pub error: f64,
    /// With which probability the promise is kept, strictly between 0 and 1.
    pub certainty: f64,
    /// Random halves of the pairs on which the promise is tried.
    pub splits: u64,
    /// Where the halves are drawn from.
    pub seed: u64,
    /// Coverage of the intervals.
    pub level: f64,
    /// What a verdict of the first judge costs, and one of the second, in any unit, each above 0;
    /// None where that is not known.
    pub costs: Option<[f64; 2]>,
}

/// Which verdicts of a judge can be accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The judge.
    pub judge: String,
    /// Its pairs with a label that is no tie.
    pub pairs: usize,
    /// Its pairs whose label is a tie. They are left out: no verdict on them is right or wrong, and
    /// nothing is promised of such pairs.
    pub ties: usize,
    /// The questions that the pairs are on, which are what counts as evidence.
    pub questions: usize,
    /// The share of the pairs that it gets right without selection; no verdict is a wrong one.
    pub accuracy: f64,
    /// The threshold by all pairs; None where none keeps the promise.
    pub threshold: Option<AcceptThreshold>,
    /// The share of wrong verdicts among those that the threshold accepts, with its interval over
    /// clusters; of the very pairs that it was chosen by.
    pub error: Option<ClusteredShare>,
    /// What came of the promise on pairs that the threshold was not chosen by.
    pub tried: Tried,
    /// With a second judge for what is not accepted; None without one.
    pub cascade: Option<Cascade>,
}

/// The promise on held-out halves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Tried {
    /// Splits.
    pub splits: u64,
    /// Splits in which some threshold kept the promise on the first half.
    pub certified: u64,
    /// Of these, splits in which more than the promised share was wrong on the second half.
    pub broken: u64,
    /// Mean share of verdicts that were accepted on the second half.
    pub accepted: f64,
    /// Mean share of wrong ones among the accepted; None where nothing was accepted.
    pub error: Option<f64>,
}

/// Selects the verdicts of the first judge, the second decides the rest where there is one.
///
/// # Errors
/// No judge, more than two, or two without a pair in common; no pairs with a label; shares that are
/// none.
pub fn select_verdicts(
    judges: &[JudgedPairs],
    options: &SelectOptions,
) -> Result<Selection, EngineError> {
    let (first, second) = match judges {
        [first] => (first, None),
        [first, second] => (first, Some(second)),
        _ => {
            return Err(Refusal::of_input(format!(
                "{}: there are {} judges in the files; expected one, or two: the first \
                 whose verdicts are selected, the second who decides the rest",
                Setting::Recorded,
                judges.len()
            ))
            .into());
        }
    };
    let cases = cases_of(first);
    if cases.is_empty() && !first.pairs.is_empty() {
        return Err(Refusal::of_input(format!(
            "{}: the label of each of its {} pairs is a tie; expected labels that say which \
             response is better",
            first.judge,
            first.pairs.len()
        ))
        .into());
    }
    let cascade = second
        .map(|second| Cascade::of(&cases, second, options))
        .transpose()?;
    if let Some(cascade) = cascade.as_ref().filter(|cascade| cascade.pairs == 0) {
        return Err(Refusal::of_input(format!(
            "{}: {} and {} have no labelled pair in common; expected two judges of the same pairs",
            Setting::Recorded,
            first.judge,
            cascade.judge
        ))
        .into());
    }
    let threshold = threshold_by(&cases, options)?;
    Ok(Selection {
        judge: first.judge.clone(),
        pairs: cases.len(),
        ties: first.pairs.len() - cases.len(),
        questions: cases
            .iter()
            .map(|case| case.cluster)
            .collect::<BTreeSet<_>>()
            .len(),
        accuracy: share_of(&cases, |case| case.right).unwrap_or(0.0),
        error: threshold
            .map(|found| error_of(&cases, found.confidence, options.level))
            .transpose()?,
        threshold,
        tried: try_promise(&cases, options)?,
        cascade,
    })
}

/// Returns the threshold by these cases; None where none keeps the promise.
fn threshold_by(cases: &[Case], options: &SelectOptions) -> Result<Option<AcceptThreshold>, Error> {
    let known = cases.iter().map(|case| KnownVerdict {
        confidence: case.confidence,
        wrong: !case.right,
        cluster: case.cluster,
    });
    accept_threshold(&known.collect::<Vec<_>>(), options.error, options.certainty)
}

/// Returns the share of wrong verdicts from this confidence on. Pairs of one question are of one
/// cluster: what makes one verdict on it wrong makes others wrong.
fn error_of(cases: &[Case], confidence: f64, level: f64) -> Result<ClusteredShare, Error> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.confidence >= confidence) {
        let (wrong, count) = sums.entry(case.cluster).or_default();
        *wrong += indicator(!case.right);
        *count += 1.0;
    }
    clustered_share(&sums.into_values().collect::<Vec<_>>(), level)
}

/// Chooses a threshold by one half of the items and looks at the other, again and again.
fn try_promise(cases: &[Case], options: &SelectOptions) -> Result<Tried, Error> {
    let mut tried = Tried::default();
    let (mut accepted, mut errors) = (Vec::new(), Vec::new());
    for round in 0..options.splits {
        tried.splits += 1;
        let (by, on) = half_of(cases, |case| case.cluster, options.seed, round);
        if by.is_empty() || on.is_empty() {
            continue;
        }
        let Some(found) = threshold_by(&by, options)? else {
            accepted.push(0.0);
            continue;
        };
        tried.certified += 1;
        let kept = on.iter().filter(|case| case.confidence >= found.confidence);
        let kept: Vec<&Case> = kept.collect();
        accepted.push(kept.len() as f64 / on.len() as f64);
        let wrong = share_of(&kept, |case| !case.right);
        tried.broken += u64::from(wrong.is_some_and(|wrong| wrong > options.error));
        errors.extend(wrong);
    }
    tried.accepted = mean(&accepted).unwrap_or(0.0);
    tried.error = mean(&errors);
    Ok(tried)
}

/// The share of which something is so; None without any.
fn share_of<T>(all: &[T], is: impl Fn(&T) -> bool) -> Option<f64> {
    let so = all.iter().filter(|one| is(one)).count();
    (!all.is_empty()).then(|| so as f64 / all.len() as f64)
}

/// Cuts the cases into two halves at random, those of one cluster together.
fn half_of<C: Clone>(
    cases: &[C],
    cluster: impl Fn(&C) -> u32,
    seed: u64,
    round: u64,
) -> (Vec<C>, Vec<C>) {
    let mut words = ChaCha8Rng::seed_from_u64(seed);
    words.set_stream(round);
    let clusters = cases.iter().map(&cluster);
    let mut in_first: BTreeMap<u32, bool> = clusters.map(|cluster| (cluster, false)).collect();
    for first in in_first.values_mut() {
        *first = words.next_u32() & 1 == 1;
    }
    let cases = cases.iter().cloned();
    cases.partition(|case| in_first[&cluster(case)])
}
