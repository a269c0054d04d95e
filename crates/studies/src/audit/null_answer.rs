//! Does an answer that says nothing ever win? One constant sentence against real responses.
//!
//! It wins where it is preferred over both orders; a judge that can tell loses few of these, and
//! more than one in twenty is what is tested (exact binomial, one-sided). An item is left out where
//! the sentence keeps a verifiable constraint that the response breaks: there it has something to
//! be preferred for.

use super::asks::{Asked, Asks, Duel, Seen, Stop};
use super::cycles::p_of_count;
use super::duels::duel_of;
use super::finding::Finding;
use super::finding_name::FindingName;
use super::material::{Material, NULL};
use super::probing::{Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_engine::EngineError;

const TOLERATED: f64 = 0.05;

pub(super) fn probe_null_answer(asks: &Asks<'_>, protocols: &[Asked]) -> Probed {
    let cases: Vec<&Asked> = protocols.iter().collect();
    findings_of_each(
        &cases,
        |asked| asks.over(0, |item| null_wins(asks, asked, item)),
        |asked, wins| Ok(vec![null_finding(asks, asked, &wins)?]),
    )
}

fn null_wins(asks: &Asks<'_>, asked: &Asked, item: u32) -> Seen<f64> {
    let duel = duel_of(asks, 0, item).ok_or(Stop::Failed)?;
    let null = asks.materials[0].system(NULL).ok_or(Stop::Failed)?;
    if keeps_more(&asks.materials[0], null, duel) {
        return Err(Stop::Failed);
    }
    let against_null = Duel {
        a: null,
        b: duel.a,
        ..duel
    };
    let [share, _] = asks.prefers(asked, against_null, 0)?;
    Ok(indicator(share > 0.5))
}

/// Whether a system's response keeps a constraint that the first of a duel breaks.
fn keeps_more(material: &Material, system: u32, duel: Duel) -> bool {
    let kept = kept_constraints(material, system, duel.item);
    let other = kept_constraints(material, duel.a, duel.item);
    kept.iter().zip(other).any(|(kept, other)| *kept && !other)
}

/// Returns which constraints a response keeps; none where they cannot be read.
fn kept_constraints(material: &Material, system: u32, item: u32) -> Vec<bool> {
    let Some(Some(constraints)) = material.constraints.get(item as usize) else {
        return Vec::new();
    };
    let text = material.text(system, item).unwrap_or_default();
    constraints.check(text).strict
}

fn null_finding(asks: &Asks<'_>, asked: &Asked, wins: &Rows<f64>) -> Result<Finding, EngineError> {
    let share = FindingName::NullWins
        .under(&asked.protocol)
        .untested_share(wins, asks.level)?;
    Ok(Finding {
        unbiased: Some(TOLERATED),
        p: p_of_count(wins, TOLERATED),
        ..share
    })
}
