//! Does a score mean the same on another scale, and how is the scale used? PORTIA, appendix D, and
//! Tripathi et al. 2025, A.6.
//!
//! Each response is scored from 0 to 1, 10 and 100, in ten steps each; scores are put on [0, 1].
//! A judge whose scores keep their meaning has the same mean on each.

use super::asked::Kind;
use super::asks::{Asks, Seen, View};
use super::finding::{Finding, FindingMaker, Made};
use super::finding_name::{FindingName, ScoreRange};
use super::probing::{Findings, Probed, concatenated, look_at_all};
use super::rows::Rows;
use crate::Figure;
use crate::figure::indicator;
use evenhand_stats::Error;

/// The three protocols, and the largest score of each.
pub(super) const PROTOCOLS: [(&str, f64); 3] = [
    ("pointwise:0..1:0.1/direct/single/criteria", 1.0),
    ("pointwise:0-10/direct/single/criteria", 10.0),
    ("pointwise:0..100:10/direct/single/criteria", 100.0),
];
/// The place among them of the scale against which the others are held.
const TEN: usize = 1;
/// Each scale has so many steps above its lowest score.
const STEPS: usize = 10;

/// How often each step is the score.
type Counts = [u32; STEPS + 1];

/// The scores of a response on the three scales, from 0 to 1.
type Scores = [f64; 3];

pub(super) fn probe_scales(asks: &Asks<'_>) -> Probed {
    // Both are asked for before either is missed.
    let asked = ask_scores(asks);
    let seen = asks.over_data(|item| scores_of(asks, item));
    asked?;
    Ok(scale_findings(asks, &seen?))
}

/// Asks for the scores of the responses that probes compare, under every protocol that scores one.
fn ask_scores(asks: &Asks<'_>) -> Seen<()> {
    let views = asks.views().into_iter();
    let scored = views.filter(|view| view.asked.kind == Kind::Scores);
    look_at_all(scored, |view| view.over(|item| scores_of_duel(view, item)))?;
    Ok(())
}

fn scores_of_duel(view: View<'_>, item: u32) -> Seen<Vec<f64>> {
    let duel = view.asks.duel(item)?;
    // Both are asked for before either is missed.
    let both = [duel, duel.swapped()].map(|duel| view.score(duel, 0));
    both.into_iter().collect()
}

fn scores_of(asks: &Asks<'_>, item: u32) -> Seen<Scores> {
    let duel = asks.duel(item)?;
    // All three are asked for before any of them is missed.
    let [one, ten, hundred] = PROTOCOLS.map(|(protocol, most)| {
        let score = asks.score(protocol, duel, 0)?;
        Ok(score / most)
    });
    Ok([one?, ten?, hundred?])
}

fn scale_findings(asks: &Asks<'_>, seen: &Rows<Scores>) -> Findings {
    let mut found = across_scales(asks, seen)?;
    let uses = PROTOCOLS.iter().enumerate();
    found.extend(concatenated(uses.map(|(scale, (protocol, _))| {
        let scores = seen.map(|scores| scores[scale]);
        UsedScale::new(asks.maker(protocol), &scores).findings()
    }))?);
    Ok(found)
}

/// Returns how the scores on one scale differ from those on another.
fn across_scales(asks: &Asks<'_>, seen: &Rows<Scores>) -> Findings {
    let same = seen.map(|scores| indicator(are_same(scores)));
    Ok(vec![
        shift_finding(asks, seen, (0, ScoreRange::One))?,
        shift_finding(asks, seen, (2, ScoreRange::Hundred))?,
        asks.maker("").share(FindingName::SameScores, &same)?,
    ])
}

fn shift_finding(
    asks: &Asks<'_>,
    seen: &Rows<Scores>,
    (scale, range): (usize, ScoreRange),
) -> Result<Finding, Error> {
    let shift = seen.map(|scores| (scores[scale] - scores[TEN]).clamp(-1.0, 1.0));
    let name = FindingName::ScoreShift(range);
    asks.maker("").tested_difference(name, &shift)
}

fn are_same(scores: &Scores) -> bool {
    scores
        .iter()
        .all(|score| (score - scores[TEN]).abs() < 1e-9)
}

fn step_of(score: f64) -> usize {
    (score * STEPS as f64).round() as usize
}

/// The scores under one protocol, and how often each step is one.
struct UsedScale<'a> {
    make: FindingMaker<'a>,
    scores: &'a Rows<f64>,
    counts: Counts,
}

impl<'a> UsedScale<'a> {
    fn new(make: FindingMaker<'a>, scores: &'a Rows<f64>) -> UsedScale<'a> {
        UsedScale {
            make,
            scores,
            counts: step_counts(scores),
        }
    }

    fn findings(&self) -> Findings {
        let most_frequent = most_frequent_step(&self.counts);
        Ok(vec![
            self.share(FindingName::ScaleEnds, |step| step == 0 || step == STEPS)?,
            self.share(FindingName::ScaleMiddle, |step| step == STEPS / 2)?,
            self.share(FindingName::MostFrequentScore, |step| step == most_frequent)?,
            self.entropy(),
        ])
    }

    /// Returns how often a score is at one of the steps that are counted.
    fn share(&self, name: FindingName, is_counted: impl Fn(usize) -> bool) -> Made {
        self.make.share(name, &at_step(self.scores, is_counted))
    }

    fn entropy(&self) -> Finding {
        let entropy = entropy_of(&self.counts);
        self.make
            .number(FindingName::ScoreEntropy, entropy, self.scores)
    }
}

/// Returns for each score whether its step is counted, as 0 or 1.
fn at_step(scores: &Rows<f64>, is_counted: impl Fn(usize) -> bool) -> Rows<f64> {
    scores.map(|score| indicator(is_counted(step_of(*score))))
}

fn step_counts(scores: &Rows<f64>) -> Counts {
    let mut counts = [0; STEPS + 1];
    for score in scores.values() {
        counts[step_of(*score).min(STEPS)] += 1;
    }
    counts
}

/// Returns the lowest of the steps that are most frequent.
fn most_frequent_step(counts: &[u32]) -> usize {
    let most = counts.iter().max();
    counts
        .iter()
        .position(|count| Some(count) == most)
        .unwrap_or(0)
}

fn entropy_of(counts: &[u32]) -> Figure {
    let all = counts.iter().sum::<u32>();
    if all == 0 {
        return Figure::undefined("there are no scores");
    }
    let shares = counts
        .iter()
        .map(|count| f64::from(*count) / f64::from(all));
    Figure {
        value: Some(bits_of(shares)),
        ..Figure::default()
    }
}

/// Returns the entropy of these shares in bits.
fn bits_of(shares: impl Iterator<Item = f64>) -> f64 {
    // A share of 0 adds nothing, and its logarithm is not finite.
    let there = shares.filter(|share| *share > 0.0);
    there.map(|share| -share * share.log2()).sum()
}
