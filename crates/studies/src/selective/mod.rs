//! Selective judging: which of a judge's verdicts to accept, so that few are wrong, and what a
//! stronger judge has to decide (Jung et al. 2024, "Trust or Escalate").

mod case;
mod split;
#[cfg(test)]
mod tests;

pub use case::{Case, cases_of};

use crate::figure::mean;
use crate::judge::JudgedPairs;
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_stats::{AcceptThreshold, KnownVerdict, Proportion, accept_threshold, wilson};
use split::half_of;
use std::collections::BTreeMap;

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
}

/// Which verdicts of a judge can be accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The judge.
    pub judge: String,
    /// Its pairs with a label that is no tie.
    pub pairs: usize,
    /// The share of them that it gets right without selection; no verdict is a wrong one.
    pub accuracy: f64,
    /// The threshold by all pairs; None where none keeps the promise.
    pub threshold: Option<AcceptThreshold>,
    /// The share of wrong verdicts among those that the threshold accepts, with its interval; of
    /// the very pairs that it was chosen by.
    pub error: Option<Proportion>,
    /// What came of the promise on pairs that the threshold was not chosen by.
    pub tried: Tried,
    /// With a second judge for what is not accepted; None without one.
    pub cascade: Option<Cascade>,
}

/// The promise on held-out halves.
#[derive(Clone, Debug, Default, PartialEq)]
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

/// A second judge that decides what the first is not sure of.
#[derive(Clone, Debug, PartialEq)]
pub struct Cascade {
    /// The second judge.
    pub judge: String,
    /// Pairs that both judged.
    pub pairs: usize,
    /// The share that the first gets right alone, on these.
    pub first: f64,
    /// The share that the second gets right alone.
    pub second: f64,
    /// The share that both get right together, on held-out halves.
    pub together: f64,
    /// The share of pairs that the second judge was asked, on held-out halves.
    pub escalated: f64,
}

/// Selects the verdicts of the first judge, the second decides the rest where there is one.
///
/// # Errors
/// No judge, more than two; no pairs with a label; shares that are none.
pub fn select_verdicts(
    judges: &[JudgedPairs],
    options: &SelectOptions,
) -> Result<Selection, EngineError> {
    let (first, second) = match judges {
        [first] => (first, None),
        [first, second] => (first, Some(second)),
        _ => return Err(refuse_judges(judges.len()).into()),
    };
    let cases = cases_of(first);
    let threshold = accept_threshold(&known(&cases), options.error, options.certainty)?;
    Ok(Selection {
        judge: first.judge.clone(),
        pairs: cases.len(),
        accuracy: share_right(&cases),
        error: threshold
            .map(|found| wilson(found.wrong as f64, found.accepted as f64, options.level))
            .transpose()?,
        threshold,
        tried: try_promise(&cases, options)?,
        cascade: second
            .map(|second| cascade(&cases, second, options))
            .transpose()?,
    })
}

fn refuse_judges(count: usize) -> Refusal {
    Refusal::of_input(format!(
        "--recorded: there are {count} judges in the files; expected one, or two: the first whose \
         verdicts are selected, the second who decides the rest"
    ))
}

fn known(cases: &[Case]) -> Vec<KnownVerdict> {
    let known = cases.iter().map(|case| KnownVerdict {
        confidence: case.confidence,
        wrong: !case.right,
    });
    known.collect()
}

fn share_right(cases: &[Case]) -> f64 {
    share_of(cases, |case| case.right).unwrap_or(0.0)
}

/// Chooses a threshold by one half of the items and looks at the other, again and again.
fn try_promise(cases: &[Case], options: &SelectOptions) -> Result<Tried, evenhand_stats::Error> {
    let mut tried = Tried::default();
    let (mut accepted, mut errors) = (Vec::new(), Vec::new());
    for round in 0..options.splits {
        tried.splits += 1;
        let (by, on) = half_of(cases, |case| case.cluster, options.seed, round);
        if by.is_empty() || on.is_empty() {
            continue;
        }
        let Some(found) = accept_threshold(&known(&by), options.error, options.certainty)? else {
            accepted.push(0.0);
            continue;
        };
        tried.certified += 1;
        let kept: Vec<&Case> = on
            .iter()
            .filter(|case| case.confidence >= found.confidence)
            .collect();
        accepted.push(kept.len() as f64 / on.len() as f64);
        let wrong = share_of(&kept, |case| !case.right);
        tried.broken += u64::from(wrong.is_some_and(|wrong| wrong > options.error));
        errors.extend(wrong);
    }
    tried.accepted = mean(&accepted).unwrap_or(0.0);
    tried.error = mean(&errors);
    Ok(tried)
}

fn cascade(
    cases: &[Case],
    second: &JudgedPairs,
    options: &SelectOptions,
) -> Result<Cascade, evenhand_stats::Error> {
    let pairs = with_second(cases, second);
    let (mut together, mut escalated) = (Vec::new(), Vec::new());
    for round in 0..options.splits {
        let (by, on) = half_of(&pairs, |pair| pair.first.cluster, options.seed, round);
        if by.is_empty() || on.is_empty() {
            continue;
        }
        let by: Vec<Case> = by.into_iter().map(|pair| pair.first).collect();
        let found = accept_threshold(&known(&by), options.error, options.certainty)?;
        let limit = found.map_or(f64::INFINITY, |found| found.confidence);
        let is_kept = |pair: &Escalated| pair.first.confidence >= limit;
        let is_right = |pair: &Escalated| match is_kept(pair) {
            true => pair.first.right,
            false => pair.second_right,
        };
        together.extend(share_of(&on, is_right));
        escalated.extend(share_of(&on, |pair| !is_kept(pair)));
    }
    Ok(Cascade {
        judge: second.judge.clone(),
        pairs: pairs.len(),
        first: share_of(&pairs, |pair| pair.first.right).unwrap_or(0.0),
        second: share_of(&pairs, |pair| pair.second_right).unwrap_or(0.0),
        together: mean(&together).unwrap_or(0.0),
        escalated: mean(&escalated).unwrap_or(0.0),
    })
}

/// A pair that both judged.
#[derive(Clone)]
struct Escalated {
    first: Case,
    second_right: bool,
}

/// The pairs that both judged, in the order of their names.
fn with_second(cases: &[Case], second: &JudgedPairs) -> Vec<Escalated> {
    let seconds = cases_of(second).into_iter();
    let seconds: BTreeMap<_, _> = seconds.map(|case| (case.pair, case.right)).collect();
    let both = cases.iter().filter_map(|first| {
        Some(Escalated {
            first: first.clone(),
            second_right: *seconds.get(&first.pair)?,
        })
    });
    let mut pairs: Vec<Escalated> = both.collect();
    pairs.sort_by(|a, b| a.first.pair.cmp(&b.first.pair));
    pairs
}

/// The share of which something is so; None without any.
fn share_of<T>(all: &[T], is: impl Fn(&T) -> bool) -> Option<f64> {
    let so = all.iter().filter(|one| is(one)).count();
    (!all.is_empty()).then(|| so as f64 / all.len() as f64)
}
