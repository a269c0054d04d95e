//! Preferences of a judge beyond those of people: the longer answer, and its own.
//!
//! On pairs that people compared: how often the judge prefers the longer of two (or the judge's
//! own), less how often people do.

use super::asks::{Asks, Duel, Opinion, Seen, Stop, View};
use super::duels::people_share;
use super::finding::FindingMaker;
use super::finding_name::{FindingName, Preferred, Prefers};
use super::probing::{Findings, Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_core::Side;
use std::cmp::Ordering;

/// Which of two responses is looked for.
#[derive(Clone, Copy)]
enum Trait {
    Longer,
    /// Of this system, which is the judge's own.
    Own(u32),
}

/// One protocol, and which responses are looked for.
#[derive(Clone, Copy)]
struct Case<'a> {
    view: View<'a>,
    of: Trait,
}

/// Preferences of judge and people on a pair, one of which has the trait.
struct Preferences {
    /// How much the judge prefers the response with the trait, by its verdict.
    judge: f64,
    /// The same by its probabilities.
    weighed: f64,
    /// How much people do.
    people: f64,
    /// Whether both prefer the same.
    agree: f64,
}

pub(super) fn probe_people(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &cases_of(asks),
        |case| asks.over_data(|item| case.preferences_on(item)),
        |case, rows| case.findings(&rows.known()),
    )
}

fn cases_of<'a>(asks: &'a Asks<'_>) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for view in asks.views() {
        cases.extend(traits_of(asks).map(|of| Case { view, of }));
    }
    cases
}

/// Returns the traits that are looked for: none where people said nothing.
fn traits_of(asks: &Asks<'_>) -> impl Iterator<Item = Trait> {
    let own = asks.what.own.map(Trait::Own);
    let traits = [Some(Trait::Longer), own].into_iter().flatten();
    let labels = asks.data().labels.len();
    traits.filter(move |_| labels > 0)
}

impl Case<'_> {
    /// Returns what is preferred on an item; None where both responses or neither have the trait.
    fn preferences_on(self, item: u32) -> Seen<Option<Preferences>> {
        let asks = self.view.asks;
        let duel = asks.duel(item)?;
        let people = people_share(asks.data(), duel).ok_or(Stop::Failed)?;
        let judge = self.view.compares(duel, 0)?;
        let has_trait = self.compare_trait(duel);
        Ok(Preferences::on_first(&judge, people).seen_from(has_trait))
    }

    /// Returns whether the first response has more of the trait than the second.
    fn compare_trait(self, duel: Duel) -> Ordering {
        let material = self.view.asks.data();
        let length = |system| material.length(system, duel.item);
        match self.of {
            Trait::Own(own) => (duel.a == own).cmp(&(duel.b == own)),
            Trait::Longer => length(duel.a).cmp(&length(duel.b)),
        }
    }

    fn findings(self, rows: &Rows<Preferences>) -> Findings {
        let make = self.view.maker();
        let judge = rows.map(|pair| pair.judge);
        let people = rows.map(|pair| pair.people);
        let weighed = rows.map(|pair| pair.weighed);
        let mut found = excess_findings(make, self.of.preferred(), [&judge, &weighed, &people])?;
        // Agreement does not depend on the trait: it is said once.
        if matches!(self.of, Trait::Longer) {
            let agreed = rows.map(|pair| pair.agree);
            found.push(make.share(FindingName::AgreesWithPeople, &agreed)?);
        }
        Ok(found)
    }
}

impl Trait {
    fn preferred(self) -> Preferred {
        match self {
            Trait::Longer => Preferred::Longer,
            Trait::Own(_) => Preferred::Own,
        }
    }
}

impl Preferences {
    /// Makes what judge and people say of the first response of a pair.
    fn on_first(judge: &Opinion, people: f64) -> Preferences {
        Preferences {
            judge: judge.preference(),
            weighed: judge.share,
            people,
            agree: indicator(judge.side == Side::of_scores([people, 1.0 - people])),
        }
    }

    /// Returns what they say of the response with the trait, from what they say of the first; None
    /// where no response has more of it.
    fn seen_from(self, first_to_second: Ordering) -> Option<Preferences> {
        match first_to_second {
            Ordering::Greater => Some(self),
            Ordering::Equal => None,
            Ordering::Less => Some(Preferences {
                judge: 1.0 - self.judge,
                weighed: 1.0 - self.weighed,
                people: 1.0 - self.people,
                ..self
            }),
        }
    }
}

/// Returns how often judge and people prefer a kind of response, and how much more often the judge
/// does, by verdicts; what the judge's probabilities say stands beside it. All rows are of the same
/// items.
pub(super) fn excess_findings(
    make: FindingMaker<'_>,
    of: Preferred,
    [judge, weighed, people]: [&Rows<f64>; 3],
) -> Findings {
    let name = |by| FindingName::Preference { of, by };
    let beyond = judge.less(people);
    let mut found = make.share_and_weighed(name(Prefers::Judge), judge, weighed)?;
    found.push(make.share(name(Prefers::People), people)?);
    found.push(make.tested_difference(name(Prefers::BeyondPeople), &beyond)?);
    Ok(found)
}
