//! How a scale is used: the share of each score. Tripathi et al. 2025, appendix A.6, tables 6 and 7.
//!
//! Counted are the data's own responses, as far as the audit has their scores; none rewritten. A
//! verdict by probabilities adds its probability to each score, and one by a text adds all to the
//! score that it says.

use super::asked::Kind;
use super::asks::{Asks, Key};
use super::finding::FindingMaker;
use super::finding_name::FindingName;
use super::rows::{Question, Rows};
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreShare {
    /// The score as it is written.
    pub score: String,
    /// Its share and interval.
    #[serde(flatten)]
    pub share: Figure,
}

/// The probability of each score of a scale.
type Shares = Vec<f64>;

/// Returns the distributions of all protocols that score one response: those under audit, and those
/// of the probe `scale`.
pub(super) fn distributions_of(asks: &Asks<'_>) -> Result<Vec<ScoreDistribution>, EngineError> {
    let all = audited_protocols(asks).chain(PROTOCOLS.map(|(protocol, _)| protocol));
    let mut found = Vec::new();
    for protocol in unique(all.collect()) {
        found.extend(distribution_of(asks, protocol)?);
    }
    Ok(found)
}

/// Returns the protocols under audit that score one response.
fn audited_protocols<'a>(asks: &'a Asks<'_>) -> impl Iterator<Item = &'a str> {
    let asked = asks.what.asked.iter();
    let scored = asked.filter(|asked| asked.kind == Kind::Scores);
    scored.map(|asked| asked.protocol.as_str())
}

/// Returns the distribution of one protocol; None where it has no scale, or no scores.
fn distribution_of(
    asks: &Asks<'_>,
    protocol: &str,
) -> Result<Option<ScoreDistribution>, EngineError> {
    let built = protocol_of(protocol, asks.options)?;
    let Some(scale) = built.form().scale() else {
        return Ok(None);
    };
    let scored = Scored::of(asks, protocol);
    if scored.verdicts.is_empty() {
        return Ok(None);
    }
    scored.distribution(asks.maker(protocol), scale).map(Some)
}

fn score_shares(
    make: FindingMaker<'_>,
    scores: Vec<String>,
    rows: &Rows<Shares>,
) -> Result<Vec<ScoreShare>, EngineError> {
    let scores = scores.into_iter().enumerate();
    scores
        .map(|(at, score)| score_share(make, score, &rows.map(|shares| shares[at])))
        .collect()
}

fn score_share(
    make: FindingMaker<'_>,
    score: String,
    rows: &Rows<f64>,
) -> Result<ScoreShare, EngineError> {
    Ok(ScoreShare {
        score,
        share: make.share(FindingName::MostFrequentScore, rows)?.figure,
    })
}

/// The verdicts on the data's own responses under one protocol.
#[derive(Default)]
struct Scored<'a> {
    verdicts: Vec<(Question, &'a Verdict)>,
    failed: u64,
}

impl<'a> Scored<'a> {
    fn of(asks: &'a Asks<'_>, protocol: &str) -> Scored<'a> {
        let mut scored = Scored::default();
        for (key, outcome) in own_outcomes(asks, protocol) {
            let question = asks.data().questions[key.item as usize];
            match outcome {
                Ok(verdict) => scored.verdicts.push(((0, question), verdict)),
                Err(_) => scored.failed += 1,
            }
        }
        scored
    }

    fn distribution(
        &self,
        make: FindingMaker<'_>,
        scale: Scale,
    ) -> Result<ScoreDistribution, EngineError> {
        let values: Vec<f64> = scale.values().collect();
        let rows = self.shares(&values);
        Ok(ScoreDistribution {
            protocol: make.protocol.into(),
            responses: rows.item_count(),
            questions: rows.question_count(),
            failed: rows.failed,
            by_probabilities: self.by_probabilities(),
            scores: score_shares(make, scale.texts(), &rows)?,
        })
    }

    fn shares(&self, values: &[f64]) -> Rows<Shares> {
        let rows = self.verdicts.iter();
        let rows = rows.filter_map(|(at, verdict)| Some((*at, shares_in(verdict, values)?)));
        Rows::new(rows.collect(), self.failed)
    }

    fn by_probabilities(&self) -> u64 {
        let rows = self.verdicts.iter();
        rows.filter(|(_, verdict)| !probabilities_of(verdict).is_empty())
            .count() as u64
    }
}

/// Returns what became of the first look at each response of the data, in the order of the looks.
fn own_outcomes<'a>(asks: &'a Asks<'_>, protocol: &str) -> Vec<(&'a Key, &'a Outcome)> {
    let base = asks.data().base;
    let answers = asks.known.answers.iter();
    let own = answers.filter(|(key, _)| key.protocol == protocol && is_first_look(key, base));
    let mut own: Vec<_> = own.collect();
    // A map has no order of its own.
    own.sort_by_key(|(key, _)| *key);
    own
}

/// Whether a look is the first at a response of the data, whose systems come before `base`.
fn is_first_look(key: &Key, base: u32) -> bool {
    key.material == 0 && key.replicate == 0 && key.systems[0] < base
}

fn probabilities_of(verdict: &Verdict) -> &[f64] {
    match verdict {
        Verdict::Pointwise { distribution, .. } => distribution,
        _ => &[],
    }
}

/// Returns the share that a verdict gives to each value of the scale; None where it is no score.
fn shares_in(verdict: &Verdict, values: &[f64]) -> Option<Shares> {
    let Verdict::Pointwise { score, .. } = verdict else {
        return None;
    };
    let probabilities = probabilities_of(verdict);
    if probabilities.len() == values.len() {
        return Some(probabilities.to_vec());
    }
    Some(all_to_nearest(*score, values))
}

/// Gives everything to the value that is nearest to a score.
fn all_to_nearest(score: f64, values: &[f64]) -> Shares {
    let nearest = nearest_place(score, values);
    (0..values.len())
        .map(|at| indicator(at == nearest))
        .collect()
}

fn nearest_place(score: f64, values: &[f64]) -> usize {
    let mut places = (0..values.len()).collect::<Vec<_>>();
    let distance = |at: &usize| (values[*at] - score).abs();
    places.sort_by(|x, y| distance(x).total_cmp(&distance(y)));
    places.first().copied().unwrap_or(0)
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
