//! The pairs that a judge is least sure of, for people to look at (Wang et al. 2023, section 4.3).

use crate::{EngineError, Job};
use evenhand_core::{
    Cause, Item, Judgment, Outcome, Refusal, Response, Setting, Side, Stage, Trial, Verdict,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// The verdicts of a judge on each pair, over all looks.
#[derive(Clone, Debug, Default)]
pub struct ForReview(BTreeMap<JudgedPair, LookCounts>);

/// An item and two systems by their numbers, the lower system first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JudgedPair {
    item: u32,
    a: u32,
    b: u32,
}

impl JudgedPair {
    fn new(item: u32, first: u32, second: u32) -> JudgedPair {
        JudgedPair {
            item,
            a: first.min(second),
            b: first.max(second),
        }
    }

    /// A trial that shows the pair, to look up what it is of.
    fn as_trial(&self) -> Trial {
        Trial {
            index: 0,
            item: self.item,
            systems: vec![self.a, self.b],
            replicate: 0,
        }
    }
}

/// Returns a side of the slots as one of the systems, the lower one first.
fn side_by_system(side: Side, swapped: bool) -> Side {
    if swapped { side.swapped() } else { side }
}

/// How often each side was preferred, the lower system first, and how often there was no verdict.
#[derive(Clone, Copy, Debug, Default)]
struct LookCounts {
    sides: [u32; 3],
    failures: u32,
}

/// A pair for a person to look at.
#[derive(Serialize)]
struct ReviewRow<'a> {
    item: &'a str,
    a: &'a str,
    b: &'a str,
    /// Balanced position diversity entropy, in nats; None where the judge came to no verdict at
    /// all.
    entropy: Option<f64>,
    preferred_a: u32,
    ties: u32,
    preferred_b: u32,
    failures: u32,
    instruction: &'a str,
    output_a: &'a str,
    output_b: &'a str,
    preferred: Option<&'a str>,
}

impl ForReview {
    /// Takes a judgment of a pair: its looks, or its verdict where there was one look.
    pub fn add(&mut self, judgment: &Judgment) {
        let [first, second] = judgment.trial.systems[..] else {
            return;
        };
        let pair = JudgedPair::new(judgment.trial.item, first, second);
        let counts = self.0.entry(pair).or_default();
        for side in looked_sides(judgment) {
            counts.add(side.map(|side| side_by_system(side, first > second)));
        }
    }

    /// Writes the pairs of which the judge is least sure, at most this share of all: those without
    /// a verdict first, then by falling entropy. Pairs on which every look agrees are left out.
    /// Returns how many were written.
    ///
    /// # Errors
    /// Responses that cannot be read; an `out` that cannot be written to.
    pub fn write(&self, job: &Job, share: f64, out: &mut impl Write) -> Result<usize, EngineError> {
        let pairs = self.least_sure(share);
        for (pair, counts) in &pairs {
            let line = review_line(job, pair, counts)?;
            out.write_all(&line)
                .map_err(|e| refuse_for_review(format!("cannot be written: {e}")))?;
        }
        Ok(pairs.len())
    }

    fn least_sure(&self, share: f64) -> Vec<(&JudgedPair, &LookCounts)> {
        let most = (share * self.0.len() as f64).ceil();
        let mut pairs: Vec<_> = self.0.iter().collect();
        pairs.retain(|(_, counts)| counts.entropy() != Some(0.0));
        pairs.sort_by(|(_, a), (_, b)| b.sort_key().total_cmp(&a.sort_key()));
        pairs.truncate(most as usize);
        pairs
    }
}

/// Returns the side of every look, in terms of the slots; of the verdict where there was one look.
fn looked_sides(judgment: &Judgment) -> Vec<Option<Side>> {
    let looks = judgment.looks.iter();
    let own = looks.filter(|look| look.stage != Stage::Member);
    let mut sides: Vec<_> = own.map(|look| side_of_outcome(&look.outcome)).collect();
    if sides.is_empty() {
        sides.push(side_of_outcome(&judgment.outcome));
    }
    sides
}

fn side_of_outcome(outcome: &Outcome) -> Option<Side> {
    outcome.as_ref().ok().and_then(Verdict::side)
}

fn review_line(job: &Job, pair: &JudgedPair, counts: &LookCounts) -> Result<Vec<u8>, EngineError> {
    let responses = job.responses(&pair.as_trial())?;
    let [a, b] = &responses[..] else {
        return Ok(Vec::new());
    };
    let item = &job.dataset.items[pair.item as usize];
    let row = ReviewRow::new(item, [a, b], counts);
    let mut line = serde_json::to_vec(&row).map_err(|e| refuse_for_review(e.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

fn refuse_for_review(why: String) -> Refusal {
    Refusal::new(Setting::ForReview, Cause::File, why)
}

impl<'a> ReviewRow<'a> {
    fn new(item: &'a Item, [a, b]: [&'a Response; 2], counts: &LookCounts) -> ReviewRow<'a> {
        ReviewRow {
            item: &item.id,
            a: &a.system,
            b: &b.system,
            entropy: counts.entropy(),
            preferred_a: counts.sides[0],
            ties: counts.sides[1],
            preferred_b: counts.sides[2],
            failures: counts.failures,
            instruction: item.instruction(),
            output_a: &a.text,
            output_b: &b.text,
            preferred: None,
        }
    }
}

impl LookCounts {
    fn add(&mut self, side: Option<Side>) {
        match side {
            Some(side) => self.sides[side as usize] += 1,
            None => self.failures += 1,
        }
    }

    /// Returns the balanced position diversity entropy: -sum p ln p over the shares of win, tie and
    /// lose among all looks in both orders (Wang et al. 2023, equation 4). None where no look has a
    /// verdict.
    fn entropy(&self) -> Option<f64> {
        let total: u32 = self.sides.iter().sum();
        let counts = self.sides.iter().filter(|count| **count > 0);
        let shares = counts.map(|count| f64::from(*count) / f64::from(total));
        // The sum of one share of 1 is -0, which would be written as such.
        (total > 0).then(|| shares.map(|p| -p * p.ln()).sum::<f64>() + 0.0)
    }

    /// No verdict comes before any entropy.
    fn sort_key(&self) -> f64 {
        self.entropy().unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_the_looks() {
        let of = |sides| LookCounts { sides, failures: 0 }.entropy();
        assert_eq!(of([6, 0, 0]), Some(0.0));
        assert_eq!(of([0, 0, 0]), None);
        assert!((of([3, 0, 3]).unwrap() - 2f64.ln()).abs() < 1e-12);
        assert!((of([2, 2, 2]).unwrap() - 3f64.ln()).abs() < 1e-12);
    }
}
