//! Preferences of a judge beyond those of people: the longer answer, and its own.
//!
//! On pairs that people compared: how often the judge prefers the longer of two (or the judge's
//! own), less how often people do. It is shown and not tested: a judge that errs more often than
//! people prefers what is seldom better more often than they do, and one that errs less often what
//! is mostly better. How often people err, one label of each pair does not say.

use super::asks::{Asks, Duel, Findings, Probed, Seen, Stop, View, findings_of_each};
use super::finding::FindingMaker;
use super::finding_name::{FindingName, Preferred, Prefers};
use super::material::Material;
use super::rows::{Rows, mean};
use crate::figure::indicator;
use evenhand_core::Side;
use std::cmp::Ordering;

/// Preferences of judge and people for one of two responses, the one that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Preferences {
    /// How much the judge prefers it, by its verdict.
    pub(super) judge: f64,
    /// The same by its probabilities.
    pub(super) weighed: f64,
    /// How much people do.
    pub(super) people: f64,
}

pub(super) fn probe_people(asks: &Asks<'_>) -> Probed {
    let mut cases = Vec::new();
    // Nothing is looked for where people said nothing.
    if !asks.data().labels.is_empty() {
        for view in asks.views() {
            cases.push((view, Preferred::Longer));
            cases.extend(asks.world.what.own.map(|_| (view, Preferred::Own)));
        }
    }
    findings_of_each(
        &cases,
        |(view, of)| {
            let labelled = |item| labelled_duels(asks, item);
            asks.over_duels(labelled, |duel| preferences_on(view, of, duel))
        },
        |(view, of), rows| {
            let rows = rows.known();
            let preferences = rows.map(|(preferences, _)| *preferences);
            let mut found = excess_findings(view.maker(), of, &preferences)?;
            // Agreement does not depend on what is looked for: it is said once.
            if of == Preferred::Longer {
                let agreed = rows.map(|(_, agree)| *agree);
                found.push(view.maker().share(FindingName::AgreesWithPeople, &agreed)?);
            }
            Ok(found)
        },
    )
}

/// Returns the pairs of an item on which people said something.
pub(super) fn labelled_duels(asks: &Asks<'_>, item: u32) -> Vec<Duel> {
    let mut duels = asks.duels(item);
    duels.retain(|duel| people_share(asks.data(), *duel).is_some());
    duels
}

/// Returns what is preferred of a pair, and whether judge and people prefer the same; None where
/// both responses or neither are such as are looked for.
fn preferences_on(view: View<'_>, of: Preferred, duel: Duel) -> Seen<Option<(Preferences, f64)>> {
    let data = view.asks.data();
    let people = people_share(data, duel).ok_or(Stop::Failed)?;
    let judge = view.compares(duel, 0)?;
    let agree = indicator(judge.side == Side::of_scores([people, 1.0 - people]));
    let of_first = Preferences {
        judge: judge.preference(),
        weighed: judge.share,
        people,
    };
    let first_to_second = match of {
        Preferred::Own => {
            let is_own = |system| Some(system) == view.asks.world.what.own;
            is_own(duel.a).cmp(&is_own(duel.b))
        }
        Preferred::Longer => {
            let [a, b] = [duel.a, duel.b].map(|system| data.length(system, duel.item));
            a.cmp(&b)
        }
    };
    Ok(match first_to_second {
        Ordering::Greater => Some((of_first, agree)),
        Ordering::Equal => None,
        Ordering::Less => Some((of_first.of_other(), agree)),
    })
}

impl Preferences {
    /// Returns the preferences for the other response.
    pub(super) fn of_other(self) -> Preferences {
        Preferences {
            judge: 1.0 - self.judge,
            weighed: 1.0 - self.weighed,
            people: 1.0 - self.people,
        }
    }
}

/// Returns which response of a duel people prefer; None where they said nothing.
pub(super) fn people_side(material: &Material, duel: Duel) -> Option<Side> {
    let share = people_share(material, duel)?;
    Some(Side::of_scores([share, 1.0 - share]))
}

/// Returns how much people prefer the first of a duel: the mean over all who said something, from 0
/// to 1.
fn people_share(material: &Material, duel: Duel) -> Option<f64> {
    let mut votes = Vec::new();
    for label in &material.labels {
        if label.item != duel.item {
            continue;
        } else if [label.a, label.b] == [duel.a, duel.b] {
            votes.push(label.preferred.share_of_first());
        } else if [label.b, label.a] == [duel.a, duel.b] {
            votes.push(label.preferred.swapped().share_of_first());
        }
    }
    mean(&votes)
}

/// Returns how often judge and people prefer a kind of response, and how much more often the judge
/// does, by verdicts; what the judge's probabilities say stands beside it. Nothing is tested.
pub(super) fn excess_findings(
    make: FindingMaker<'_>,
    of: Preferred,
    rows: &Rows<Preferences>,
) -> Findings {
    let name = |by| FindingName::Preference { of, by };
    let judge = rows.map(|pair| pair.judge);
    let weighed = rows.map(|pair| pair.weighed);
    let people = rows.map(|pair| pair.people);
    let beyond = rows.map(|pair| pair.judge - pair.people);
    let mut found = make.share_and_weighed(name(Prefers::Judge), &judge, &weighed)?;
    found.push(make.share(name(Prefers::People), &people)?);
    found.push(make.difference(name(Prefers::BeyondPeople), &beyond)?);
    Ok(found)
}
