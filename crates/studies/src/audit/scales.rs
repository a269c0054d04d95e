//! Does a score mean the same on another scale, and how is the scale used? PORTIA, appendix D, and
//! Tripathi et al. 2025, A.6.
//!
//! Each response is scored from 0 to 1, 10 and 100, in ten steps each; scores are put on [0, 1].
//! A judge whose scores keep their meaning has the same mean on each.
//!
//! How a scale is used is shown by the share of each score too (tables 6 and 7). Counted are the
//! data's own responses, as far as the audit has their scores; none rewritten. A verdict by
//! probabilities adds its probability to each score, and one by a text adds all to the score that
//! it says.

use super::asks::{Asks, Findings, Key, Probed, look_at_all};
use super::finding::FindingMaker;
use super::finding_name::{FindingName, ScoreRange};
use super::rows::Rows;
use super::what::{Kind, protocol as protocol_of};
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Outcome, Verdict, in_order};
use evenhand_engine::EngineError;
use evenhand_protocols::Scale;
use schemars::JsonSchema;
use serde::Serialize;

/// The three protocols, and the largest score of each.
const PROTOCOLS: [(&str, f64); 3] = [
    ("pointwise:0..1:0.1/direct/single/criteria", 1.0),
    ("pointwise:0-10/direct/single/criteria", 10.0),
    ("pointwise:0..100:10/direct/single/criteria", 100.0),
];
/// The place among them of the scale against which the others are held.
const TEN: usize = 1;
/// Each scale has so many steps above its lowest score.
const STEPS: usize = 10;

/// The scores of responses under one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScoreDistribution {
    /// The protocol.
    pub protocol: String,
    /// Responses that have a score.
    pub responses: u64,
    /// Questions that they answer; each counts once in the intervals.
    pub questions: u64,
    /// Responses whose verdict failed.
    pub failed: u64,
    /// Of the responses, those whose score was read from probabilities.
    pub by_probabilities: u64,
    /// Each score of the scale, the worst first.
    pub scores: Vec<ScoreShare>,
}

/// How often a score is given.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScoreShare {
    /// The score as it is written.
    pub score: String,
    /// Its share and interval.
    #[serde(flatten)]
    pub share: Figure,
}

pub(super) fn probe_scales(asks: &Asks<'_>) -> Probed {
    // The scores of the responses that probes compare, under every protocol that scores one: their
    // distributions are shown.
    let scored = look_at_all(asks.views_of(Kind::Scores), |view| {
        view.over_pairs(|duel| {
            // Both are asked for before either is missed.
            let [a, b] = [duel, duel.swapped()].map(|duel| asks.score(&view.asked.protocol, duel));
            Ok([a?, b?])
        })
    });
    // The scores of a response on the three scales, from 0 to 1.
    let seen = asks.over_duels(
        |item| asks.responses(item),
        |own| {
            // All three are asked for before any of them is missed.
            let [one, ten, hundred] = PROTOCOLS
                .map(|(protocol, most)| asks.score(protocol, own).map(|score| score / most));
            Ok([one?, ten?, hundred?])
        },
    );
    scored?;
    Ok(scale_findings(asks, &seen?))
}

/// Returns how the scores on one scale differ from those on another, and how each scale is used.
fn scale_findings(asks: &Asks<'_>, seen: &Rows<[f64; 3]>) -> Findings {
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

/// Returns the distributions of all protocols that score one response on a scale: those under
/// audit, and those of the probe `scale`.
pub(super) fn distributions_of(asks: &Asks<'_>) -> Result<Vec<ScoreDistribution>, EngineError> {
    let audited = asks.views_of(Kind::Scores).into_iter();
    let all = audited
        .map(|view| view.asked.protocol.as_str())
        .chain(PROTOCOLS.map(|(protocol, _)| protocol));
    let mut found = Vec::new();
    for protocol in in_order(all) {
        if let Some(scale) = protocol_of(protocol, asks.options)?.form().scale() {
            found.extend(distribution_of(asks, protocol, scale)?);
        }
    }
    Ok(found)
}

/// Returns the distribution of one protocol; None where there are no verdicts.
fn distribution_of(
    asks: &Asks<'_>,
    protocol: &str,
    scale: Scale,
) -> Result<Option<ScoreDistribution>, EngineError> {
    let data = asks.data();
    // The first look at each response of the data, whose systems come before `base`.
    let mut own: Vec<(&Key, &Outcome)> = asks
        .world
        .known
        .answers
        .iter()
        .filter(|(key, _)| key.protocol == protocol && key.material == 0 && key.replicate == 0)
        .filter(|(key, _)| key.systems[0] < data.base)
        .collect();
    // A map has no order of its own.
    own.sort_by_key(|(key, _)| *key);

    let values: Vec<f64> = scale.values().collect();
    let mut shares = Vec::new();
    let mut failed = 0;
    let mut by_probabilities = 0;
    for (key, outcome) in &own {
        let Ok(verdict) = outcome else {
            failed += 1;
            continue;
        };
        if let Verdict::Pointwise { distribution, .. } = verdict {
            by_probabilities += u64::from(!distribution.is_empty());
        }
        let question = data.questions[key.item as usize];
        shares.extend(shares_in(verdict, &values).map(|shares| ((0, question), shares)));
    }
    if failed == own.len() as u64 {
        return Ok(None);
    }
    let rows = Rows::new(shares, failed);
    let make = asks.maker(protocol);
    let mut scores = Vec::new();
    for (at, score) in scale.texts().into_iter().enumerate() {
        let share = rows.map(|shares| shares[at]);
        let share = make.share(FindingName::MostFrequentScore, &share)?.figure;
        scores.push(ScoreShare { score, share });
    }
    Ok(Some(ScoreDistribution {
        protocol: protocol.into(),
        responses: rows.item_count(),
        questions: rows.question_count(),
        failed,
        by_probabilities,
        scores,
    }))
}

/// Returns the share that a verdict gives to each value of the scale; None where it is no score.
fn shares_in(verdict: &Verdict, values: &[f64]) -> Option<Vec<f64>> {
    let Verdict::Pointwise {
        score,
        distribution,
        ..
    } = verdict
    else {
        return None;
    };
    if distribution.len() == values.len() {
        return Some(distribution.clone());
    }
    // Everything goes to the value that is nearest to the score.
    let distance = |at: &usize| (values[*at] - score).abs();
    let places = 0..values.len();
    let nearest = places
        .clone()
        .min_by(|x, y| distance(x).total_cmp(&distance(y)));
    Some(places.map(|at| indicator(Some(at) == nearest)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::VerdictSource;

    fn verdict(score: f64, distribution: &[f64]) -> Verdict {
        Verdict::Pointwise {
            score,
            distribution: distribution.into(),
            outside: 0.0,
            source: VerdictSource::Text,
        }
    }

    #[test]
    fn a_text_counts_for_one_score_and_probabilities_for_each() {
        let values = [1.0, 2.0, 3.0];
        let of = |verdict: &Verdict| shares_in(verdict, &values).unwrap();
        assert_eq!(of(&verdict(2.0, &[])), [0.0, 1.0, 0.0]);
        assert_eq!(of(&verdict(2.4, &[])), [0.0, 1.0, 0.0]);
        assert_eq!(of(&verdict(2.2, &[0.1, 0.6, 0.3])), [0.1, 0.6, 0.3]);
    }
}
