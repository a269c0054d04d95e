//! Does a judge write what its probabilities say? Of every reply that has both, how often the
//! verdict of the text is another.

use super::asks::Asks;
use super::finding::Finding;
use super::finding_name::FindingName;
use super::probing::concatenated;
use super::rows::Rows;
use crate::figure::indicator;
use crate::judge::decided;
use evenhand_core::{Outcome, Side, Verdict};
use evenhand_engine::EngineError;
use std::collections::BTreeMap;

/// The replies about one item.
#[derive(Clone, Copy, Default)]
struct Replies {
    all: f64,
    text_without_verdict: f64,
    text_with_other_verdict: f64,
}

pub(super) fn compare_readings(asks: &Asks<'_>) -> Result<Vec<Finding>, EngineError> {
    let mut counts: BTreeMap<&str, BTreeMap<(usize, u32), Replies>> = BTreeMap::new();
    for (key, [text, probabilities]) in &asks.known.readings {
        counts
            .entry(&key.protocol)
            .or_default()
            .entry((key.material, key.item))
            .or_default()
            .add(text, probabilities);
    }
    concatenated(
        counts
            .iter()
            .map(|(protocol, items)| reading_findings(protocol, &asks.rows(items), asks.level)),
    )
}

impl Replies {
    fn add(&mut self, text: &Outcome, probabilities: &Outcome) {
        let differs = text.is_ok() && statement_of(text) != statement_of(probabilities);
        self.all += 1.0;
        self.text_without_verdict += indicator(text.is_err());
        self.text_with_other_verdict += indicator(differs);
    }
}

fn reading_findings(
    protocol: &str,
    items: &Rows<Replies>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let without = items.map(|replies| replies.text_without_verdict / replies.all);
    let other = items.map(|replies| replies.text_with_other_verdict / replies.all);
    Ok(vec![
        FindingName::TextWithoutVerdict
            .under(protocol)
            .untested_share(&without, level)?,
        FindingName::TextWithOtherVerdict
            .under(protocol)
            .untested_share(&other, level)?,
    ])
}

/// What a verdict comes to.
#[derive(PartialEq)]
enum Statement {
    Score(f64),
    Side(Side),
}

fn statement_of(outcome: &Outcome) -> Option<Statement> {
    match outcome.as_ref().ok()? {
        Verdict::Pointwise { score, .. } => Some(Statement::Score(*score)),
        verdict => verdict
            .preference()
            .map(|shares| Statement::Side(decided(shares))),
    }
}
