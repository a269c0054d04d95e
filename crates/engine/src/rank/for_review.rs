//! The pairs that a judge is least sure of, for people to look at (Wang et al. 2023, section 4.3).

use crate::{EngineError, Job};
use evenhand_core::{
    Cause, Item, Judgment, Refusal, Response, Setting, Side, Stage, Trial, Verdict,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// What a judge said of each pair, over all looks.
#[derive(Clone, Debug, Default)]
pub struct ForReview(BTreeMap<JudgedPair, LookCounts>);

/// An item and two systems by their numbers, the lower system first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct JudgedPair {
    item: u32,
    a: u32,
    b: u32,
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
        let pair = JudgedPair {
            item: judgment.trial.item,
            a: first.min(second),
            b: first.max(second),
        };
        let counts = self.0.entry(pair).or_default();
        for side in looked_sides(judgment) {
            let by_system = |side: Side| if first > second { side.swapped() } else { side };
            counts.add(side.map(by_system));
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
        let doubtful = self.0.iter();
        let mut pairs: Vec<_> = doubtful
            .filter(|(_, counts)| counts.entropy() != Some(0.0))
            .collect();
        pairs.sort_by(|(_, a), (_, b)| b.sort_key().total_cmp(&a.sort_key()));
        pairs.truncate((share * self.0.len() as f64).ceil() as usize);
        pairs
    }
}

/// Returns the side of every look, in terms of the slots; of the verdict where there was one look.
fn looked_sides(judgment: &Judgment) -> Vec<Option<Side>> {
    let looks = judgment.looks.iter();
    let sides: Vec<Option<Side>> = looks
        .filter(|look| look.stage != Stage::Member)
        .map(|look| look.outcome.as_ref().ok().and_then(Verdict::side))
        .collect();
    if sides.is_empty() {
        vec![judgment.outcome.as_ref().ok().and_then(Verdict::side)]
    } else {
        sides
    }
}

fn review_line(job: &Job, pair: &JudgedPair, counts: &LookCounts) -> Result<Vec<u8>, EngineError> {
    let trial = Trial {
        index: 0,
        item: pair.item,
        systems: vec![pair.a, pair.b],
        replicate: 0,
    };
    let responses = job.responses(&trial)?;
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
        let shares = self
            .sides
            .iter()
            .filter(|count| **count > 0)
            .map(|count| f64::from(*count) / f64::from(total));
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
