//! Preferences of a judge beyond those of people: the longer answer, and its own.
//!
//! On pairs that people compared: how often the judge prefers the longer of two (or the judge's
//! own), less how often people do.

use super::asks::{Asks, Seen, Stop, View};
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
    let mut cases = Vec::new();
    // Nothing is looked for where people said nothing.
    if !asks.data().labels.is_empty() {
        let traits = [Some(Trait::Longer), asks.what.own.map(Trait::Own)];
        for view in asks.views() {
            cases.extend(traits.into_iter().flatten().map(|of| Case { view, of }));
        }
    }
    findings_of_each(
        &cases,
        |case| asks.over_data(|item| case.preferences_on(item)),
        |case, rows| case.findings(&rows.known()),
    )
}

impl Case<'_> {
    /// Returns what is preferred on an item; None where both responses or neither have the trait.
    fn preferences_on(self, item: u32) -> Seen<Option<Preferences>> {
        let data = self.view.asks.data();
        let duel = self.view.asks.duel(item)?;
        let people = people_share(data, duel).ok_or(Stop::Failed)?;
        let judge = self.view.compares(duel, 0)?;
        let of_first = Preferences {
            judge: judge.preference(),
            weighed: judge.share,
            people,
            agree: indicator(judge.side == Side::of_scores([people, 1.0 - people])),
        };
        let first_to_second = match self.of {
            Trait::Own(own) => (duel.a == own).cmp(&(duel.b == own)),
            Trait::Longer => data.length(duel.a, item).cmp(&data.length(duel.b, item)),
        };
        Ok(match first_to_second {
            Ordering::Greater => Some(of_first),
            Ordering::Equal => None,
            Ordering::Less => Some(Preferences {
                judge: 1.0 - of_first.judge,
                weighed: 1.0 - of_first.weighed,
                people: 1.0 - of_first.people,
                ..of_first
            }),
        })
    }

    fn findings(self, rows: &Rows<Preferences>) -> Findings {
        let make = self.view.maker();
        let judge = rows.map(|pair| pair.judge);
        let people = rows.map(|pair| pair.people);
        let weighed = rows.map(|pair| pair.weighed);
        let preferred = match self.of {
            Trait::Longer => Preferred::Longer,
            Trait::Own(_) => Preferred::Own,
        };
        let mut found = excess_findings(make, preferred, [&judge, &weighed, &people])?;
        // Agreement does not depend on the trait: it is said once.
        if matches!(self.of, Trait::Longer) {
            let agreed = rows.map(|pair| pair.agree);
            found.push(make.share(FindingName::AgreesWithPeople, &agreed)?);
        }
        Ok(found)
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
