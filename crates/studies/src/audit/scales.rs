//! Does a score mean the same on another scale, and how is the scale used? PORTIA, appendix D, and
//! Tripathi et al. 2025, A.6.
//!
//! Each response is scored from 0 to 1, 10 and 100, in ten steps each; scores are put on [0, 1].
//! A judge whose scores keep their meaning has the same mean on each.

use super::asked::Kind;
use super::asks::{Asks, Seen};
use super::finding::FindingMaker;
use super::finding_name::{FindingName, ScoreRange};
use super::probing::{Findings, Probed, look_at_all};
use super::rows::Rows;
use crate::Figure;
use crate::figure::indicator;

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

/// The scores of a response on the three scales, from 0 to 1.
type Scores = [f64; 3];

pub(super) fn probe_scales(asks: &Asks<'_>) -> Probed {
    // Both are asked for before either is missed.
    let asked = ask_scores(asks);
    let seen = asks.over_data(|item| {
        let duel = asks.duel(item)?;
        // All three are asked for before any of them is missed.
        let [one, ten, hundred] = PROTOCOLS
            .map(|(protocol, most)| asks.score(protocol, duel, 0).map(|score| score / most));
        Ok([one?, ten?, hundred?])
    });
    asked?;
    Ok(scale_findings(asks, &seen?))
}

/// Asks for the scores of the responses that probes compare, under every protocol that scores one.
fn ask_scores(asks: &Asks<'_>) -> Seen<()> {
    let mut scored = asks.views();
    scored.retain(|view| view.asked.kind == Kind::Scores);
    look_at_all(scored, |view| {
        view.over(|item| {
            let duel = asks.duel(item)?;
            // Both are asked for before either is missed.
            let [a, b] =
                [duel, duel.swapped()].map(|duel| asks.score(&view.asked.protocol, duel, 0));
            Ok([a?, b?])
        })
    })?;
    Ok(())
}

/// Returns how the scores on one scale differ from those on another, and how each scale is used.
fn scale_findings(asks: &Asks<'_>, seen: &Rows<Scores>) -> Findings {
    let across = asks.maker("");
    let mut found = Vec::new();
    for (scale, range) in [(0, ScoreRange::One), (2, ScoreRange::Hundred)] {
        let shift = seen.map(|scores| (scores[scale] - scores[TEN]).clamp(-1.0, 1.0));
        found.push(across.tested_difference(FindingName::ScoreShift(range), &shift)?);
    }
    let same = seen.map(|scores| {
        let is_same = |score: &f64| (score - scores[TEN]).abs() < 1e-9;
        indicator(scores.iter().all(is_same))
    });
    found.push(across.share(FindingName::SameScores, &same)?);
    for (scale, (protocol, _)) in PROTOCOLS.iter().enumerate() {
        let scores = seen.map(|scores| scores[scale]);
        found.extend(use_findings(asks.maker(protocol), &scores)?);
    }
    Ok(found)
}

/// Returns how often the scores under one protocol are at which steps.
fn use_findings(make: FindingMaker<'_>, scores: &Rows<f64>) -> Findings {
    let steps = scores.map(|score| (score * STEPS as f64).round() as usize);
    let mut counts = [0; STEPS + 1];
    for step in steps.values() {
        counts[(*step).min(STEPS)] += 1;
    }
    // Of several steps the lowest.
    let most = counts.iter().max();
    let most_frequent = counts.iter().position(|count| Some(count) == most);
    let at = |is_counted: &dyn Fn(usize) -> bool| steps.map(|step| indicator(is_counted(*step)));
    let ends = at(&|step| step == 0 || step == STEPS);
    let middle = at(&|step| step == STEPS / 2);
    let most_frequent = at(&|step| Some(step) == most_frequent);
    Ok(vec![
        make.share(FindingName::ScaleEnds, &ends)?,
        make.share(FindingName::ScaleMiddle, &middle)?,
        make.share(FindingName::MostFrequentScore, &most_frequent)?,
        make.number(FindingName::ScoreEntropy, entropy_of(&counts), scores),
    ])
}

/// Returns the entropy in bits of so many scores at each step.
fn entropy_of(counts: &[u32]) -> Figure {
    let all = counts.iter().sum::<u32>();
    if all == 0 {
        return Figure::undefined("there are no scores");
    }
    let shares = counts
        .iter()
        .map(|count| f64::from(*count) / f64::from(all));
    // A share of 0 adds nothing, and its logarithm is not finite.
    let there = shares.filter(|share| *share > 0.0);
    Figure::of_value(there.map(|share| -share * share.log2()).sum())
}
