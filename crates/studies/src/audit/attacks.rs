//! Does an answer that says nothing ever win?  One constant sentence against real responses.
//!
//! It wins where it is preferred over both orders; a judge that can tell loses few of these, and
//! more than one in twenty is what is tested (exact binomial, one-sided). An item is left out where
//! the sentence keeps a verifiable constraint that the response breaks: there it has something to
//! be preferred for.

use super::asks::{Asked, Asks, Duel, Seen, Stop};
use super::cycles::more_often;
use super::duels::duel;
use super::finding::{About, Finding};
use super::material::{Material, NULL};
use super::rows::Rows;
use evenhand_engine::EngineError;

const TOLERATED: f64 = 0.05;

pub(super) fn null_answer(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Finding>, EngineError>> {
    let seen: Vec<_> = protocols
        .iter()
        .map(|asked| asks.over(0, |item| wins(asks, asked, item)))
        .collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(protocols
        .iter()
        .zip(seen)
        .map(|(asked, seen)| finding(asks, asked, seen))
        .collect())
}

fn wins(asks: &Asks<'_>, asked: &Asked, item: u32) -> Seen<f64> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let null = asks.materials[0].system(NULL).ok_or(Stop::Failed)?;
    if keeps_more(&asks.materials[0], null, duel) {
        return Err(Stop::Failed);
    }
    let [share, _] = asks.prefers(
        asked,
        Duel {
            a: null,
            b: duel.a,
            ..duel
        },
        0,
    )?;
    Ok(f64::from(u8::from(share > 0.5)))
}

/// Whether a system's response keeps a constraint that the first of a duel breaks.
fn keeps_more(material: &Material, system: u32, duel: Duel) -> bool {
    let Some(Some(constraints)) = material.constraints.get(duel.item as usize) else {
        return false;
    };
    let kept = |system: u32| {
        constraints
            .check(material.text(system, duel.item).unwrap_or_default())
            .strict
    };
    kept(system)
        .iter()
        .zip(kept(duel.a))
        .any(|(kept, other)| *kept && !other)
}

fn finding(asks: &Asks<'_>, asked: &Asked, wins: Rows<f64>) -> Result<Finding, EngineError> {
    let estimand = "how often an answer that says nothing is preferred to a real one";
    let about = About {
        probe: "null answer",
        name: "wins",
        protocol: &asked.protocol,
        estimand,
    };
    let found = about.share(&wins, None, asks.level)?;
    Ok(Finding {
        unbiased: Some(TOLERATED),
        p: more_often(&wins, TOLERATED),
        ..found
    })
}
