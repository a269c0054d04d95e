//! How a scale is used: the share of each score. Tripathi et al. 2025, appendix A.6, tables 6 and
//! 7.
//!
//! Counted are the data's own responses, as far as the audit has their scores; none rewritten. A
//! verdict by probabilities adds its probability to each score, and one by a text adds all to the
//! score that it says.

use super::asked::Kind;
use super::asks::{Asks, Key};
use schemars::JsonSchema;

use super::finding_name::FindingName;
use super::rows::Rows;
use super::scales::PROTOCOLS;
use super::unique::unique;
use super::what::protocol as protocol_of;
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{Outcome, Verdict};
use evenhand_engine::EngineError;
use evenhand_protocols::Scale;
use serde::Serialize;

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

/// The probability of each score of a scale.
type Shares = Vec<f64>;

/// Returns the distributions of all protocols that score one response on a scale: those under
/// audit, and those of the probe `scale`.
pub(super) fn distributions_of(asks: &Asks<'_>) -> Result<Vec<ScoreDistribution>, EngineError> {
    let audited = asks
        .what
        .asked
        .iter()
        .filter(|asked| asked.kind == Kind::Scores);
    let all = audited
        .map(|asked| asked.protocol.as_str())
        .chain(PROTOCOLS.map(|(protocol, _)| protocol));
    let mut found = Vec::new();
    for protocol in unique(all.collect()) {
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
fn shares_in(verdict: &Verdict, values: &[f64]) -> Option<Shares> {
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
