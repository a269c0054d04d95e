//! Does an answer that says nothing ever win? One constant sentence against real responses.
//!
//! It wins where it is preferred over both orders. A judge that errs at random lets it win as often
//! as any other worse answer, which is weakness and no bias. So where people have labelled pairs,
//! it is tested whether the sentence wins more often than the judge prefers the response of a pair
//! that people do not; elsewhere nothing is tested, and the answer of the audit says what was seen.
//! An item is left out where the sentence keeps a verifiable constraint that the response breaks:
//! there it has something to be preferred for.

use super::asks::{Asks, Duel, Probed, Seen, Stop, View, findings_of_each};
use super::finding_name::FindingName;
use super::material::NULL;
use super::people::{labelled_duels, people_side};
use crate::figure::indicator;
use evenhand_core::Side;

pub(super) fn probe_null_answer(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &asks.views(),
        |view| {
            // Both are asked for before either is missed.
            let wins = view.over_responses(|own| null_wins(view, own));
            let labelled = |item| labelled_duels(asks, item);
            let errs = asks.over_duels(labelled, |duel| errs_on(view, duel));
            Ok((wins?, errs?.known()))
        },
        |view, (wins, errs)| {
            let name = FindingName::NullWins;
            Ok(vec![view.maker().count_beyond(name, &wins, &errs)?])
        },
    )
}

/// Returns whether the judge prefers the response that people do not; None where they prefer
/// neither.
fn errs_on(view: View<'_>, duel: Duel) -> Seen<Option<f64>> {
    let people = people_side(view.asks.data(), duel).ok_or(Stop::Failed)?;
    let judge = view.compares(duel, 0)?;
    let is_wrong = judge.side != Side::Tie && judge.side != people;
    Ok((people != Side::Tie).then(|| indicator(is_wrong)))
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
