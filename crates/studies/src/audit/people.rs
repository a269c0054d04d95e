//! What a judge prefers beyond what people prefer: the longer answer, and its own.
//!
//! On pairs that people compared: how often the judge prefers the longer of two (or the judge's
//! own), less how often people do.

use super::asks::{Asked, Asks, Duel, Seen, Stop};
use super::duels::{duel_of, people_share};
use super::finding::Finding;
use super::finding_name::{FindingName, Preferred, Prefers};
use super::probing::{Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_engine::EngineError;
use std::cmp::Ordering;

/// Which of two responses is looked for.
#[derive(Clone, Copy)]
enum Trait {
    Longer,
    /// Of this system, which is the judge's own.
    Own(u32),
}

/// What judge and people say of a pair, one of which has the trait.
struct Preferences {
    /// How much the judge prefers the response with the trait.
    judge: f64,
    /// How much people do.
    people: f64,
    /// Whether both prefer the same.
    agree: f64,
}

pub(super) fn probe_people(asks: &Asks<'_>, protocols: &[Asked], own: Option<u32>) -> Probed {
    let base = asks.materials.first();
    if base.is_none_or(|material| material.labels.is_empty()) {
        return Ok(Ok(Vec::new()));
    }
    let traits: Vec<Trait> = std::iter::once(Trait::Longer)
        .chain(own.map(Trait::Own))
        .collect();
    let cases: Vec<(&Asked, Trait)> = protocols
        .iter()
        .flat_map(|asked| traits.iter().map(move |of| (asked, *of)))
        .collect();
    findings_of_each(
        &cases,
        |(asked, of)| asks.over(0, |item| preferences_on(asks, asked, of, item)),
        |(asked, of), rows| preference_findings(asks, asked, of, &rows.known()),
    )
}

/// Returns what is preferred on an item; None where both responses or neither have the trait.
fn preferences_on(
    asks: &Asks<'_>,
    asked: &Asked,
    of: Trait,
    item: u32,
) -> Seen<Option<Preferences>> {
    let duel = duel_of(asks, 0, item).ok_or(Stop::Failed)?;
    let people = people_share(asks, duel).ok_or(Stop::Failed)?;
    let [judge, _] = asks.prefers(asked, duel, 0)?;
    let agree = indicator(agree(judge, people));
    Ok(match which_has(asks, of, duel) {
        Ordering::Greater => Some(Preferences {
            judge,
            people,
            agree,
        }),
        Ordering::Less => Some(Preferences {
            judge: 1.0 - judge,
            people: 1.0 - people,
            agree,
        }),
        Ordering::Equal => None,
    })
}

/// Whether judge and people prefer the same, or neither prefers any.
fn agree(judge: f64, people: f64) -> bool {
    if people == 0.5 {
        judge == 0.5
    } else {
        (judge - 0.5) * (people - 0.5) > 0.0
    }
}

/// Returns whether the first response has more of the trait than the second.
fn which_has(asks: &Asks<'_>, of: Trait, duel: Duel) -> Ordering {
    let material = &asks.materials[0];
    match of {
        Trait::Own(own) => (duel.a == own).cmp(&(duel.b == own)),
        Trait::Longer => {
            let [a, b] = [duel.a, duel.b].map(|system| material.length(system, duel.item));
            a.cmp(&b)
        }
    }
}

fn preference_findings(
    asks: &Asks<'_>,
    asked: &Asked,
    of: Trait,
    rows: &Rows<Preferences>,
) -> Result<Vec<Finding>, EngineError> {
    let preferred = match of {
        Trait::Longer => Preferred::Longer,
        Trait::Own(_) => Preferred::Own,
    };
    let judge = rows.map(|pair| pair.judge);
    let people = rows.map(|pair| pair.people);
    let mut found = excess_findings(&asked.protocol, preferred, [&judge, &people], asks.level)?;
    if preferred == Preferred::Longer {
        let agreed = rows.map(|pair| pair.agree);
        let about = FindingName::AgreesWithPeople.under(&asked.protocol);
        found.push(about.untested_share(&agreed, asks.level)?);
    }
    Ok(found)
}

/// Returns how often judge and people prefer a kind of response, and how much more often the judge
/// does. Both rows are of the same items.
pub(super) fn excess_findings(
    protocol: &str,
    of: Preferred,
    [judge, people]: [&Rows<f64>; 2],
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let about = |by| FindingName::Preference { of, by }.under(protocol);
    let beyond = judge.less(people);
    Ok(vec![
        about(Prefers::Judge).untested_share(judge, level)?,
        about(Prefers::People).untested_share(people, level)?,
        about(Prefers::BeyondPeople).tested_difference(&beyond, level)?,
    ])
}
