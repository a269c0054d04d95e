//! The pairs that a judge is least sure of, for people to look at (Wang et al. 2024, section 4.3),
//! and their file: what people filled in is theirs, and stays.

use evenhand_core::{Cause, Judgment, Outcome, Refusal, Setting, Stage, Trial, Verdict};
use evenhand_engine::{EngineError, Job, write_whole_file};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The verdicts of a judge on each pair, over all looks.
#[derive(Clone, Debug, Default)]
pub struct ForReview(BTreeMap<JudgedPair, LookCounts>);

/// Which pairs are for a person to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReviewChoice {
    /// At most this share of all, those of which the judge is least sure: without a verdict first,
    /// then by falling entropy. Pairs on which every look agrees are left out.
    Share(f64),
    /// Every pair on which its confidence is below this, from 0 to 1: how far the mean share over
    /// its judgments is from a half, doubled; 0 where one has no verdict. So `meta select` counts.
    Below(f64),
}

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
    /// Sum over the judgments of the share of the lower system less that of the other.
    lead: f64,
    judgments: u32,
    /// Whether a judgment has no verdict.
    failed: bool,
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
    confidence: f64,
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
        let swapped = first > second;
        let counts = self.0.entry(pair).or_default();
        let looks = judgment.looks.iter();
        let own = looks.filter(|look| look.stage != Stage::Member);
        let mut outcomes: Vec<&Outcome> = own.map(|look| &look.outcome).collect();
        if outcomes.is_empty() {
            outcomes.push(&judgment.outcome);
        }
        for outcome in outcomes {
            match outcome.as_ref().ok().and_then(Verdict::side) {
                Some(side) if swapped => counts.sides[side.swapped() as usize] += 1,
                Some(side) => counts.sides[side as usize] += 1,
                None => counts.failures += 1,
            }
        }
        counts.add_outcome(&judgment.outcome, swapped);
    }

    /// Writes the pairs that are chosen, and returns how many.
    ///
    /// # Errors
    /// Responses that cannot be read; an `out` that cannot be written to.
    pub fn write(
        &self,
        job: &Job,
        choice: ReviewChoice,
        out: &mut impl Write,
    ) -> Result<usize, EngineError> {
        let mut pairs: Vec<(&JudgedPair, &LookCounts)> = self.0.iter().collect();
        match choice {
            ReviewChoice::Share(share) => {
                let most = (share * pairs.len() as f64).ceil();
                // No verdict comes before any entropy.
                let order = |counts: &LookCounts| counts.entropy().unwrap_or(f64::INFINITY);
                pairs.retain(|(_, counts)| counts.entropy() != Some(0.0));
                pairs.sort_by(|(_, a), (_, b)| order(b).total_cmp(&order(a)));
                pairs.truncate(most as usize);
            }
            // The least sure first.
            ReviewChoice::Below(confidence) => {
                pairs.retain(|(_, counts)| counts.confidence() < confidence);
                pairs.sort_by(|(_, a), (_, b)| a.confidence().total_cmp(&b.confidence()));
            }
        }
        for (pair, counts) in &pairs {
            // A trial that shows the pair, to look up what it is of.
            let trial = Trial {
                index: 0,
                item: pair.item,
                systems: vec![pair.a, pair.b],
                replicate: 0,
            };
            let responses = job.responses(&trial)?;
            let [a, b] = &responses[..] else {
                continue;
            };
            let item = &job.dataset.items[pair.item as usize];
            let row = ReviewRow {
                item: &item.id,
                a: &a.system,
                b: &b.system,
                entropy: counts.entropy(),
                confidence: counts.confidence(),
                preferred_a: counts.sides[0],
                ties: counts.sides[1],
                preferred_b: counts.sides[2],
                failures: counts.failures,
                instruction: item.instruction(),
                output_a: &a.text,
                output_b: &b.text,
                preferred: None,
            };
            let mut line =
                serde_json::to_vec(&row).map_err(|e| refuse_for_review(e.to_string()))?;
            line.push(b'\n');
            out.write_all(&line)
                .map_err(|e| refuse_for_review(format!("cannot be written: {e}")))?;
        }
        Ok(pairs.len())
    }
}

fn refuse_for_review(why: String) -> Refusal {
    Refusal::new(Setting::ForReview, Cause::File, why)
}

impl LookCounts {
    /// Takes the verdict of a judgment, or that there is none.
    fn add_outcome(&mut self, outcome: &Outcome, swapped: bool) {
        let verdict = outcome.as_ref().ok();
        self.judgments += 1;
        match verdict.and_then(Verdict::preference) {
            Some([first, _, second]) if swapped => self.lead += second - first,
            Some([first, _, second]) => self.lead += first - second,
            None => self.failed = true,
        }
    }

    /// Returns how far the mean share is from a half, doubled; 0 where a judgment has no verdict.
    fn confidence(&self) -> f64 {
        match self.failed || self.judgments == 0 {
            true => 0.0,
            false => (self.lead / f64::from(self.judgments)).abs().min(1.0),
        }
    }

    /// Returns the balanced position diversity entropy: -sum p ln p over the shares of win, tie and
    /// lose among all looks in both orders (Wang et al. 2024, equation 4). None where no look has a
    /// verdict.
    fn entropy(&self) -> Option<f64> {
        let total: u32 = self.sides.iter().sum();
        let counts = self.sides.iter().filter(|count| **count > 0);
        let shares = counts.map(|count| f64::from(*count) / f64::from(total));
        // The sum of one share of 1 is -0, which would be written as such.
        (total > 0).then(|| shares.map(|p| -p * p.ln()).sum::<f64>() + 0.0)
    }
}

/// Lines that people filled in, by item and systems.
type FilledLines = BTreeMap<[String; 3], Line>;

/// A line as a JSON object.
type Line = Map<String, Value>;

impl ForReview {
    /// Checks that a file may be written: none is there, or one of ours.
    ///
    /// # Errors
    /// A file that is something else, or that cannot be read.
    pub fn check_file(path: &Path) -> Result<(), EngineError> {
        read_filled_lines(path)?;
        Ok(())
    }

    /// Writes the pairs that are chosen (see [`ForReview::write`]) to a file, in place of those of
    /// an earlier run. What people filled in there is kept: in the line of its pair, or behind all
    /// others where that pair is none of these. Returns how many pairs were written, and how many
    /// filled-in lines were kept.
    ///
    /// # Errors
    /// A file that is something else, or cannot be written.
    pub fn write_file(
        &self,
        job: &Job,
        choice: ReviewChoice,
        path: &Path,
    ) -> Result<(usize, usize), EngineError> {
        let earlier = read_filled_lines(path)?;
        let kept = earlier.len();
        let mut rows = Vec::new();
        let count = self.write(job, choice, &mut rows)?;
        merge_filled_lines(&String::from_utf8_lossy(&rows), earlier)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole_file(path, &text))
            .map_err(|e| refuse_file(path, format!("cannot be written: {e}")))?;
        Ok((count, kept))
    }
}

/// Puts what people filled in into the new lines, and what belongs to none of them behind.
fn merge_filled_lines(lines: &str, mut earlier: FilledLines) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    for line in lines.lines() {
        let mut row: Line = serde_json::from_str(line)?;
        let filled = line_key(&row).and_then(|key| earlier.remove(&key));
        match filled.and_then(|mut line| line.remove("preferred")) {
            Some(preferred) => {
                row.insert("preferred".into(), preferred);
                push_line(&mut out, &row)?;
            }
            // Byte for byte, so that a file with nothing filled in is written as it was.
            None => {
                out.extend_from_slice(line.as_bytes());
                out.push(b'\n');
            }
        }
    }
    for row in earlier.values() {
        push_line(&mut out, row)?;
    }
    Ok(out)
}

fn push_line(out: &mut Vec<u8>, row: &Line) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *out, row)?;
    out.push(b'\n');
    Ok(())
}

fn line_key(row: &Line) -> Option<[String; 3]> {
    let text = |name: &str| row.get(name)?.as_str().map(String::from);
    Some([text("item")?, text("a")?, text("b")?])
}

/// Reads the lines of an earlier file that hold a verdict; none where there is no file. All of its
/// lines must be such as [`ForReview::write`] writes, filled in or not.
fn read_filled_lines(path: &Path) -> Result<FilledLines, Refusal> {
    let mut filled = FilledLines::new();
    if !path.is_file() {
        return Ok(filled);
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| refuse_file(path, format!("is there and cannot be read: {e}")))?;
    for (number, line) in (1usize..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let row: Line = serde_json::from_str(line).unwrap_or_default();
        let is_ours = FIELDS.iter().all(|name| row.contains_key(*name));
        let Some(key) = line_key(&row).filter(|_| is_ours) else {
            let reason = format!(
                "exists and is not a file of pairs for review (line {number}), so it was left \
                 unchanged; choose another name"
            );
            return Err(refuse_file(path, reason));
        };
        if !row["preferred"].is_null() {
            filled.insert(key, row);
        }
    }
    Ok(filled)
}

/// The fields that tell our lines from others.
const FIELDS: [&str; 6] = [
    "preferred",
    "entropy",
    "preferred_a",
    "preferred_b",
    "output_a",
    "output_b",
];

fn refuse_file(path: &Path, reason: String) -> Refusal {
    Refusal::new(Setting::ForReview, Cause::File, reason).with_value(path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_the_looks() {
        let of = |sides| {
            let counts = LookCounts {
                sides,
                ..LookCounts::default()
            };
            counts.entropy()
        };
        assert_eq!(of([6, 0, 0]), Some(0.0));
        assert_eq!(of([0, 0, 0]), None);
        assert!((of([3, 0, 3]).unwrap() - 2f64.ln()).abs() < 1e-12);
        assert!((of([2, 2, 2]).unwrap() - 3f64.ln()).abs() < 1e-12);
    }

    /// Both orders for the lower system are sure; against each other, or without a verdict, are
    /// not.
    #[test]
    fn confidence_is_that_of_meta_select() {
        let source = evenhand_core::VerdictSource::Probabilities;
        let verdict = |first: f64| Ok(Verdict::pair([first, 0.0, 1.0 - first], 0.0, source));
        let of = |outcomes: &[(Outcome, bool)]| {
            let mut counts = LookCounts::default();
            for (outcome, swapped) in outcomes {
                counts.add_outcome(outcome, *swapped);
            }
            counts.confidence()
        };
        assert_eq!(of(&[(verdict(1.0), false), (verdict(0.0), true)]), 1.0);
        assert_eq!(of(&[(verdict(1.0), false), (verdict(1.0), true)]), 0.0);
        assert!((of(&[(verdict(0.9), false), (verdict(0.2), true)]) - 0.7).abs() < 1e-12);
        assert_eq!(of(&[]), 0.0);
    }
}
