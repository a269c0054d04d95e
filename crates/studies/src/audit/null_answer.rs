//! Does an answer that says nothing ever win? One constant sentence against real responses.
//!
//! It wins where it is preferred over both orders; a judge that can tell loses few of these, and
//! more than one in twenty is what is tested (exact binomial, one-sided). An item is left out where
//! the sentence keeps a verifiable constraint that the response breaks: there it has something to
//! be preferred for.

use super::asks::{Asks, Duel, Probed, Seen, Stop, View, findings_of_each};
use super::finding_name::FindingName;
use super::material::NULL;
use crate::figure::indicator;
use evenhand_core::Side;

/// The share of items that the sentence may win.
const TOLERATED: f64 = 0.05;

pub(super) fn probe_null_answer(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &asks.views(),
        |view| view.over_responses(|own| null_wins(view, own)),
        |view, wins| {
            let name = FindingName::NullWins;
            Ok(vec![view.maker().tested_count(name, &wins, TOLERATED)?])
        },
    )
}

fn null_wins(view: View<'_>, own: Duel) -> Seen<f64> {
    let data = view.asks.data();
    let null = data.system(NULL).ok_or(Stop::Failed)?;
    if let Some(constraints) = data.constraints_of(own.item) {
        let kept_by = |system| {
            let answer = data.answer(system, own.item);
            constraints
                .check(answer.map_or("", |answer| &answer.text))
                .strict
        };
        let mut both = kept_by(null).into_iter().zip(kept_by(own.a));
        if both.any(|(null, other)| null && !other) {
            return Err(Stop::Failed);
        }
    }
    let opinion = view.compares(own.with_first(null), 0)?;
    Ok(indicator(opinion.side == Side::First))
}
