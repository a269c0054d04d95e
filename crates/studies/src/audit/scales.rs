//! Does a score mean the same on another scale, and how is the scale used? PORTIA, appendix D, and
//! Tripathi et al. 2025, A.6.
//!
//! The same responses are scored from 0 to 1, 10 and 100, in ten steps each; scores are put on [0,
//! 1]. A judge whose scores keep their meaning has the same mean on each.

use super::asks::{Asks, Duel, Seen, Stop};
use super::duels::duel_of;
use super::finding::Finding;
use super::finding_name::{FindingName, ScoreRange};
use super::probing::Probed;
use super::rows::Rows;
use crate::Figure;
use crate::figure::indicator;
use evenhand_engine::EngineError;

/// The three protocols, and the largest score of each.
pub(super) const PROTOCOLS: [(&str, f64); 3] = [
    ("pointwise:0..1:0.1/direct/single/criteria", 1.0),
    ("pointwise:0-10/direct/single/criteria", 10.0),
    ("pointwise:0..100:10/direct/single/criteria", 100.0),
];
/// The place among them of the scale against which the others are held.
const TEN: usize = 1;
const STEPS: usize = 10;

pub(super) fn probe_scales(asks: &Asks<'_>) -> Probed {
    let seen = asks.over(0, |item| scores_of(asks, item))?;
    Ok(scale_findings(asks, &seen))
}

/// Returns the scores of a response on the three scales, from 0 to 1.
fn scores_of(asks: &Asks<'_>, item: u32) -> Seen<[f64; 3]> {
    let duel = duel_of(asks, 0, item).ok_or(Stop::Failed)?;
    let alone = Duel { b: duel.a, ..duel };
    let scores = PROTOCOLS.map(|(protocol, most)| {
        let score = asks.score(protocol, alone, 0)?;
        Ok(score / most)
    });
    let [one, ten, hundred] = scores;
    Ok([one?, ten?, hundred?])
}

fn scale_findings(asks: &Asks<'_>, seen: &Rows<[f64; 3]>) -> Result<Vec<Finding>, EngineError> {
    let level = asks.level;
    let mut found = Vec::new();
    for (scale, range) in [(0, ScoreRange::One), (2, ScoreRange::Hundred)] {
        let shift = seen.map(|scores| (scores[scale] - scores[TEN]).clamp(-1.0, 1.0));
        let about = FindingName::ScoreShift(range).under("");
        found.push(about.tested_difference(&shift, level)?);
    }
    let same = seen.map(|scores| indicator(are_same(scores)));
    found.push(
        FindingName::SameScores
            .under("")
            .untested_share(&same, level)?,
    );
    for (scale, (protocol, _)) in PROTOCOLS.iter().enumerate() {
        let scores = seen.map(|scores| scores[scale]);
        found.extend(use_of_scale(protocol, &scores, level)?);
    }
    Ok(found)
}

fn are_same(scores: &[f64; 3]) -> bool {
    scores
        .iter()
        .all(|score| (score - scores[TEN]).abs() < 1e-9)
}

fn step_of(score: f64) -> usize {
    (score * STEPS as f64).round() as usize
}

fn use_of_scale(
    protocol: &str,
    scores: &Rows<f64>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let counts = step_counts(scores);
    let most_frequent = most_frequent_step(&counts);
    let at_step = |is_counted: &dyn Fn(usize) -> bool| {
        scores.map(|score| indicator(is_counted(step_of(*score))))
    };
    let ends = at_step(&|step| step == 0 || step == STEPS);
    let middle = at_step(&|step| step == STEPS / 2);
    let alike = at_step(&|step| step == most_frequent);
    let about = |name: FindingName| name.under(protocol);
    Ok(vec![
        about(FindingName::ScaleEnds).untested_share(&ends, level)?,
        about(FindingName::ScaleMiddle).untested_share(&middle, level)?,
        about(FindingName::MostFrequentScore).untested_share(&alike, level)?,
        about(FindingName::ScoreEntropy).untested_number(entropy_of(&counts), scores),
    ])
}

fn step_counts(scores: &Rows<f64>) -> [u32; STEPS + 1] {
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
    let all = f64::from(counts.iter().sum::<u32>());
    if all == 0.0 {
        return Figure::undefined("there are no scores");
    }
    let bits = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|p| -p * p.log2())
        .sum();
    Figure {
        value: Some(bits),
        ..Figure::default()
    }
}
