//! Does an answer that says nothing ever win? One constant sentence against real responses.
//!
//! It wins where it is preferred over both orders; a judge that can tell loses few of these, and
//! more than one in twenty is what is tested (exact binomial, one-sided). An item is left out where
//! the sentence keeps a verifiable constraint that the response breaks: there it has something to
//! be preferred for.

use super::asks::{Asks, Duel, Seen, Stop, View};
use super::finding_name::FindingName;
use super::material::{Material, NULL};
use super::probing::{Findings, Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_core::Side;

/// The share of items that the sentence may win.
const TOLERATED: f64 = 0.05;

pub(super) fn probe_null_answer(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &asks.views(),
        |view| view.over(|item| null_wins(view, item)),
        null_findings,
    )
}

fn null_findings(view: View<'_>, wins: Rows<f64>) -> Findings {
    let name = FindingName::NullWins;
    let finding = view.maker().tested_count(name, &wins, TOLERATED)?;
    Ok(vec![finding])
}

fn null_wins(view: View<'_>, item: u32) -> Seen<f64> {
    let material = view.asks.data();
    let duel = view.asks.duel(item)?;
    let null = material.system(NULL).ok_or(Stop::Failed)?;
    if keeps_more(material, null, duel) {
        return Err(Stop::Failed);
    }
    let opinion = view.compares(duel.against(duel.a).with_first(null), 0)?;
    Ok(indicator(opinion.side == Side::First))
}

/// Whether a system's response keeps a constraint that the first of a duel breaks.
fn keeps_more(material: &Material, system: u32, duel: Duel) -> bool {
    let kept = kept_constraints(material, system, duel.item);
    let other = kept_constraints(material, duel.a, duel.item);
    kept.iter().zip(other).any(|(kept, other)| *kept && !other)
}

/// Returns which constraints a response keeps; none where they cannot be read.
fn kept_constraints(material: &Material, system: u32, item: u32) -> Vec<bool> {
    let Some(constraints) = material.constraints_of(item) else {
        return Vec::new();
    };
    let text = material.text(system, item).unwrap_or_default();
    constraints.check(text).strict
}
