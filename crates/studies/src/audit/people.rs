//! Preferences of a judge beyond those of people: the longer answer, and its own.
//!
//! On pairs that people compared: how often the judge prefers the longer of two (or the judge's
//! own), less how often people do. That difference is no defect: a judge that errs alike on both sides
//! prefers more often than people what they seldom prefer. What is tested is to which side its errors
//! lie.

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
fn labelled_duels(asks: &Asks<'_>, item: u32) -> Vec<Duel> {
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
    /// Returns 1 where the judge prefers it and people the other, 0 where it is the other way round;
    /// None where they prefer the same, or either prefers neither.
    fn error(&self) -> Option<f64> {
        let sides = [self.judge, self.people].map(|share| Side::of_scores([share, 1.0 - share]));
        match sides {
            [Side::First, Side::Second] => Some(1.0),
            [Side::Second, Side::First] => Some(0.0),
            _ => None,
        }
    }

    /// Returns the preferences for the other response.
    pub(super) fn of_other(self) -> Preferences {
        Preferences {
            judge: 1.0 - self.judge,
            weighed: 1.0 - self.weighed,
            people: 1.0 - self.people,
        }
    }
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
/// does, by verdicts; what the judge's probabilities say stands beside it. And of the pairs on which
/// the judge prefers the other response than people, the share on which it prefers this kind: tested
/// against a judge that errs as often where people prefer it as where they do not, whose errors are
/// of this kind as often as people prefer the other. That share is taken as known, which errs towards
/// the judge: given it, the count is hypergeometric, and varies less than a binomial one.
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
    let decided = rows.values().filter(|pair| pair.people != 0.5);
    let other: Vec<f64> = decided.map(|pair| indicator(pair.people < 0.5)).collect();
    if let Some(chance) = mean(&other) {
        let errors = rows.map(Preferences::error).known();
        found.push(make.tested_count(name(Prefers::Errors), &errors, chance)?);
    }
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "the simulation prints its table")]
mod tests {
    use super::*;

    fn uniform(state: &mut u64) -> f64 {
        // SplitMix64 (Steele et al. 2014).
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The share of audits that accuse a judge which errs with these chances where people prefer the
    /// other response and where they prefer this one, which they do in a share of the pairs.
    fn accused(pairs: u32, people: f64, errors: [f64; 2], audits: u64) -> f64 {
        let mut found = 0.0;
        for audit in 0..audits {
            let mut state = audit * 7919 + u64::from(pairs);
            let rows = (0..pairs).map(|question| {
                let this = uniform(&mut state) < people;
                let errs = uniform(&mut state) < errors[usize::from(this)];
                let pair = Preferences {
                    judge: indicator(this != errs),
                    weighed: 0.5,
                    people: indicator(this),
                };
                ((0, question), pair)
            });
            let rows = Rows::new(rows.collect(), 0);
            let make = FindingMaker {
                protocol: "p",
                level: 0.95,
            };
            let findings = excess_findings(make, Preferred::Own, &rows).unwrap();
            found += indicator(findings.iter().any(|one| one.p.is_some_and(|p| p <= 0.05)));
        }
        found / audits as f64
    }

    /// A judge that errs alike on both sides is not accused, however seldom people prefer what is
    /// looked for; one that errs towards it is found.
    #[test]
    fn errors_that_lie_to_no_side_are_no_preference() {
        let audits = if std::env::var_os("EVENHAND_SLOW").is_some() {
            4000
        } else {
            300
        };
        let slack = 3.0 * (0.05 * 0.95 / audits as f64).sqrt();
        for pairs in [20, 50, 100, 400] {
            for people in [0.1, 0.33, 0.5, 0.8] {
                for error in [0.1, 0.3, 0.5] {
                    let fair = accused(pairs, people, [error, error], audits);
                    let biased = accused(pairs, people, [error + 0.3, error], audits);
                    println!("{pairs} pairs, {people} {error}: fair {fair:.3}, biased {biased:.3}");
                    assert!(fair <= 0.05 + slack, "{pairs} {people} {error}: {fair}");
                    assert!(pairs < 400 || people > 0.5 || error > 0.3 || biased > 0.5);
                }
            }
        }
    }
}
