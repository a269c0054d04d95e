//! The judge's own change: what it says now, and said then, of responses that did not change.

use super::change::{Change, Scale, estimate_by_question, estimate_excess};
use super::holm_of_changes;
use super::looks::DriftLooks;
use super::matching::{Matching, SharedItem};
use super::side::SideVerdict;
use super::subject::{ByItem, Measure, Subject};
use super::turned::{alone, pairs_of_questions, turned_beyond_noise};
use evenhand_stats::change::Moves;
use evenhand_stats::mean_value;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoStaticStr;

/// Scores that differ by less than this share of the range of all are one: served models give
/// other last digits each time.
const SAME_SCORE: f64 = 0.05;
/// Up to this share of judgments may turn without a word on whether that is noise: no more than
/// this share of what is compared can be due to it.
const MUCH_TURNED: f64 = 0.1;

/// What the judge says now and said then of the same responses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drift {
    /// Judgments of the same responses in the same order that both sides have, asked for twice.
    pub judgments: usize,
    /// Items that they are on.
    pub items: usize,
    /// Such judgments that rest on the same replies on both sides, and so say nothing of the judge:
    /// copied from another run, or of one run.
    pub copied: usize,
    /// Judgments that prefer the other side now, or give a score that is further away than a
    /// twentieth of the range of all.
    pub changed: usize,
    /// Judgments of two responses in one order alone, or of one, that a side made only once:
    /// whether their verdicts differ by more than the judge's noise, nobody can know.
    pub alone: usize,
    /// What was tested.
    pub tests: Vec<DriftTest>,
    /// Where the judge is looked at again and again: what decides then, over all looks.
    pub looks: Option<DriftLooks>,
}

impl Drift {
    /// Returns whether the judgments are scores.
    pub fn are_scores(&self) -> bool {
        self.tests.iter().any(|test| test.what == DriftKind::Score)
    }
}

/// One way in which a judge can change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriftTest {
    /// What may have shifted.
    pub what: DriftKind,
    /// Whose share or scores: of all systems, the one whose p-value is the smallest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// By how much.
    pub change: Change,
    /// Its p-value, corrected for the number of tests (Holm 1979); None where it is undefined.
    pub p_adjusted: Option<f64>,
}

/// What of a judge can shift.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum DriftKind {
    /// The scores that it gives.
    Score,
    /// The share of the response that is shown first.
    FirstSlot,
    /// How decided it is: the distance of its shares from a half, doubled.
    Decided,
    /// The share of one of the systems, or its scores.
    System,
    /// How much more often verdicts on the same responses differ between the sides than between two
    /// orders, or two repeats, of one side. Over several runs: how far the values of one are from
    /// those of the others.
    Turned,
    /// How many more of two questions changed places than kept theirs, where each was judged once.
    Reversed,
}

impl DriftKind {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns what of a value, a score or the share of the first response, may have shifted.
    pub(super) fn value(self, value: f64) -> f64 {
        match self {
            DriftKind::Decided => 2.0 * (value - 0.5).abs(),
            _ => value,
        }
    }
}

impl Drift {
    /// Whether the judge changed significantly in any way that was tested, at this level: over all
    /// looks, where there are several.
    pub fn is_significant(&self, level: f64) -> bool {
        if let Some(looks) = &self.looks {
            return looks.is_significant(level);
        }
        self.tests
            .iter()
            .any(|test| test.p_adjusted.is_some_and(|p| p < 1.0 - level))
    }

    /// Whether verdicts that turned were held against how often the judge turns without having
    /// changed, on most of the judgments and on enough questions to find anything. Over looks, that
    /// takes two earlier runs.
    pub fn compares_with_noise(&self, level: f64) -> bool {
        if let Some(looks) = &self.looks {
            let mut tests = looks.looks.iter().flat_map(|look| &look.tests);
            return tests.any(|test| test.what == DriftKind::Turned);
        }
        let mut tests = self.tests.iter();
        let of_turned = tests.find(|test| test.what == DriftKind::Turned);
        of_turned.is_some_and(|test| {
            let least = test.change.least_p_value(test.change.questions);
            let can_be_found = least * self.tests_that_count(level) < 1.0 - level;
            can_be_found && 2 * self.alone <= self.judgments
        })
    }

    /// Whether so many judgments turned that it matters whether that is noise or a change.
    pub fn has_turned_much(&self) -> bool {
        self.changed as f64 > MUCH_TURNED * self.judgments as f64
    }

    /// Whether any test could find a change, were it on every question.
    pub fn can_be_found(&self, level: f64) -> bool {
        let least = self.tests.iter();
        let least = least.map(|test| test.change.least_p_value(test.change.questions));
        least.fold(1.0, f64::min) * self.tests_that_count(level) < 1.0 - level
    }

    /// How many tests could find anything on so many questions: the others are not corrected for.
    fn tests_that_count(&self, level: f64) -> f64 {
        let counts =
            |test: &&DriftTest| test.change.least_p_value(test.change.questions) < 1.0 - level;
        self.tests.iter().filter(counts).count().max(1) as f64
    }
}

/// Two values of the same thing, then and now.
pub(super) struct Twice {
    pub(super) item: SharedItem,
    pub(super) systems: Key,
    before: f64,
    now: f64,
    /// The values of both sides that these are the means of.
    pub(super) said: [Vec<f64>; 2],
}

/// The judge's answers on responses that did not change.
pub(super) struct Repeated {
    rows: Vec<Twice>,
    copied: usize,
    /// All that both sides judged of unchanged responses, anchors or not, copied or not: the item's
    /// place in the baseline, the systems, and whether what was said differs.
    differing: Vec<(u32, Key, bool)>,
}

impl Repeated {
    /// Finds what was asked about the same responses, in the same order, on both sides.
    pub(super) fn find([before, now]: [&ByItem; 2], matching: &Matching) -> Repeated {
        // The places of the baseline's systems in the current side.
        let systems = before.side().systems.iter();
        let new_place: Vec<Option<u32>> =
            systems.map(|name| now.side().find_system(name)).collect();
        // A system as the current side numbers it, where its response did not change.
        let translate = |item: SharedItem, old: u32| {
            let new = new_place[old as usize]?;
            matching.is_unchanged(item, [old, new]).then_some(new)
        };
        let mut found = Repeated {
            rows: Vec::new(),
            copied: 0,
            differing: Vec::new(),
        };
        let only_anchors = matching.count_anchors() > 0;
        // A run beside its own copy, or beside the baseline that was saved of it.
        let is_one_run = before.side().begun.is_some() && before.side().begun == now.side().begun;
        for item in matching.items.iter().copied() {
            let then = group(before.of_item(item.baseline));
            let later = group(now.of_item(item.current));
            let mut keys: Vec<Key> = then.keys().copied().collect();
            keys.sort_unstable();
            for systems in keys {
                let Some(first) = translate(item, systems.0) else {
                    continue;
                };
                let second = systems.1.map(|old| translate(item, old));
                if second == Some(None) {
                    continue;
                }
                let Some(now) = later.get(&(first, second.flatten())) else {
                    continue;
                };
                let then = &then[&systems];
                let said = [then, now].map(|verdicts| {
                    let values = verdicts.iter().map(|verdict| verdict.value);
                    values.collect::<Vec<f64>>()
                });
                let differs = said[0] != said[1];
                found.differing.push((item.baseline, systems, differs));
                if only_anchors && !matching.is_anchor(item.baseline) {
                    continue;
                }
                if is_one_run || then.iter().chain(now).any(|verdict| verdict.copied) {
                    found.copied += 1;
                } else if let (Some(before), Some(now)) =
                    (mean_value(&said[0]), mean_value(&said[1]))
                {
                    found.rows.push(Twice {
                        item,
                        systems,
                        before,
                        now,
                        said,
                    });
                }
            }
        }
        found
    }

    /// How much the judge's values for a subject shifted on each item where they can be compared:
    /// scores of any response; shares of any response against the subject's opponents.
    pub(super) fn shifts_for(&self, subject: &Subject) -> BTreeMap<u32, f64> {
        let mut by_item: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for row in &self.rows {
            if let Some(shift) = row.shift_for(subject) {
                by_item.entry(row.item.baseline).or_default().push(shift);
            }
        }
        by_item
            .into_iter()
            .filter_map(|(item, shifts)| Some((item, mean_value(&shifts)?)))
            .collect()
    }

    /// Measures how the judge changed; None where no response was judged on both sides.
    /// `names` are those of the baseline's systems.
    pub(super) fn measure(
        &self,
        names: &[String],
        matching: &Matching,
        level: f64,
    ) -> Option<Drift> {
        if self.rows.is_empty() && self.copied == 0 {
            return None;
        }
        // The judge prefers another now, or gives another score.
        let scores = self.rows.iter().filter(|row| row.systems.1.is_none());
        let scores = scores.flat_map(|row| [row.before, row.now]);
        let range =
            scores.clone().fold(f64::NEG_INFINITY, f64::max) - scores.fold(f64::INFINITY, f64::min);
        let has_turned = |row: &&Twice| match row.systems.1 {
            None => (row.now - row.before).abs() > SAME_SCORE * range,
            Some(_) => (row.now - 0.5).signum() * (row.before - 0.5).signum() < 0.0,
        };
        let mut tests = Vec::new();
        for what in self.kinds().iter().copied() {
            let shift = |row: &Twice| Some(what.value(row.now) - what.value(row.before));
            tests.extend(self.test_shift(what, shift, matching, level));
        }
        tests.extend(self.test_systems(names, matching, level));
        // What differs more between the sides than one side does with itself.
        let alone = alone(&self.rows);
        let beyond = turned_beyond_noise(&self.rows);
        let reversed = pairs_of_questions(&alone, |item| matching.question_of(item));
        let question_of = |(item, value): &(u32, f64)| (matching.question_of(*item), *value);
        let beyond: Vec<(u32, f64)> = beyond.iter().map(question_of).collect();
        for (what, values) in [(DriftKind::Turned, beyond), (DriftKind::Reversed, reversed)] {
            let (questions, values): (Vec<u32>, Vec<f64>) = values.into_iter().unzip();
            tests.extend(
                estimate_excess(&values, &questions, level).map(|change| DriftTest {
                    what,
                    system: None,
                    change,
                    p_adjusted: None,
                }),
            );
        }
        let changes: Vec<Option<&Change>> = tests.iter().map(|test| Some(&test.change)).collect();
        let adjusted = holm_of_changes(&changes, level);
        for (test, p) in tests.iter_mut().zip(adjusted) {
            test.p_adjusted = p;
        }
        Some(Drift {
            judgments: self.rows.len(),
            items: self.mean_by_item(|row| Some(row.shift())).0.len(),
            copied: self.copied,
            changed: self.rows.iter().filter(has_turned).count(),
            alone: alone.len(),
            tests,
            looks: None,
        })
    }

    /// Tests whether the mean over items of a shift is 0, on the rows that have one.
    fn test_shift(
        &self,
        what: DriftKind,
        shift: impl Fn(&Twice) -> Option<f64>,
        matching: &Matching,
        level: f64,
    ) -> Option<DriftTest> {
        let (differences, items) = self.mean_by_item(shift);
        let questions: Vec<u32> = items
            .iter()
            .map(|item| matching.question_of(*item))
            .collect();
        let both = self.rows.iter().flat_map(|row| [row.before, row.now]);
        let scale = match self.are_scores() {
            true => Scale::Scores(Moves::of_scores(both)),
            false => Scale::Shares,
        };
        let change = estimate_by_question(&differences, &questions, scale, level)?;
        Some(DriftTest {
            what,
            system: None,
            change,
            p_adjusted: None,
        })
    }

    /// Tests whether what any system gets has shifted: one test, of the system with the smallest
    /// p-value, times the number of systems of which a shift could be found (Bonferroni). None
    /// where the scores are all of one system, whose shift is that of the scores.
    fn test_systems(&self, names: &[String], matching: &Matching, level: f64) -> Option<DriftTest> {
        let systems = self.systems();
        // Of two systems, one gains what the other loses.
        let tested = match systems[..] {
            [_] => return None,
            [first, _] if !self.are_scores() => vec![first],
            _ => systems,
        };
        let mut tests: Vec<DriftTest> = Vec::new();
        for system in tested {
            let shift = |row: &Twice| {
                Some(row.value_of(system, row.now)? - row.value_of(system, row.before)?)
            };
            let test = self.test_shift(DriftKind::System, shift, matching, level);
            let name = names.get(system as usize).cloned();
            tests.extend(test.map(|test| DriftTest {
                system: name,
                ..test
            }));
        }
        let counted = tests.iter().filter(|test| test.change.can_be_found(level));
        let counted = counted.count().max(1) as f64;
        let p_of = |test: &DriftTest| test.change.p_value.unwrap_or(1.0);
        let mut found = tests
            .into_iter()
            .min_by(|one, other| p_of(one).total_cmp(&p_of(other)))?;
        found.change.p_value = found.change.p_value.map(|p| (p * counted).min(1.0));
        Some(found)
    }

    /// The systems of the baseline that were judged twice, in their order.
    pub(super) fn systems(&self) -> Vec<u32> {
        let shown = self.rows.iter().flat_map(|row| {
            let (first, second) = row.systems;
            [Some(first), second].into_iter().flatten()
        });
        BTreeSet::from_iter(shown).into_iter().collect()
    }

    /// Of the verdicts on a system's responses to these items, by their places in the baseline,
    /// that both sides have and that are on unchanged responses: how many differ, and how many
    /// there are.
    pub(super) fn count_differing(&self, system: u32, items: &FxHashSet<u32>) -> [usize; 2] {
        let own = self.differing.iter().filter(|(item, (first, second), _)| {
            items.contains(item) && (*first == system || *second == Some(system))
        });
        let differ = own.clone().filter(|(.., differs)| *differs);
        [differ.count(), own.count()]
    }

    /// Whether the values are scores, and not shares.
    pub(super) fn are_scores(&self) -> bool {
        self.rows.first().is_some_and(|row| row.systems.1.is_none())
    }

    /// What can shift of these values: scores, or shares of the first response.
    pub(super) fn kinds(&self) -> &'static [DriftKind] {
        match self.are_scores() {
            true => &[DriftKind::Score],
            false => &[DriftKind::FirstSlot, DriftKind::Decided],
        }
    }

    /// What was judged twice: the item's place in the baseline and the systems, the value then and
    /// the value now.
    pub(super) fn values(&self) -> impl Iterator<Item = ((u32, Key), f64, f64)> {
        let rows = self.rows.iter();
        rows.map(|row| ((row.item.baseline, row.systems), row.before, row.now))
    }

    /// The mean of what the rows of each item say that say anything, and the items' places in the
    /// baseline, in their order.
    fn mean_by_item(&self, value: impl Fn(&Twice) -> Option<f64>) -> (Vec<f64>, Vec<u32>) {
        let mut means: Vec<(u32, Vec<f64>)> = Vec::new();
        for row in &self.rows {
            let Some(value) = value(row) else { continue };
            match means.last_mut() {
                Some((item, values)) if *item == row.item.baseline => values.push(value),
                _ => means.push((row.item.baseline, vec![value])),
            }
        }
        means
            .iter()
            .filter_map(|(item, values)| Some((mean_value(values)?, *item)))
            .unzip()
    }
}

impl Twice {
    fn shift(&self) -> f64 {
        self.now - self.before
    }

    /// A value of the row as the system's: its score, or its share; None where it is not in it.
    fn value_of(&self, system: u32, value: f64) -> Option<f64> {
        value_of_system(self.systems, system, value)
    }

    /// The shift as one of the subject's values would have it.
    fn shift_for(&self, subject: &Subject) -> Option<f64> {
        let (first, second) = self.systems;
        let against = |system: u32| subject.opponents.iter().any(|[was, _]| *was == system);
        match (subject.measure, second) {
            (Measure::Score, None) => Some(self.shift()),
            (Measure::WinShare, Some(second)) => match (against(first), against(second)) {
                (false, true) => Some(self.shift()),
                (true, false) => Some(-self.shift()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Verdicts on the same responses in the same order.
pub(super) type Key = (u32, Option<u32>);

fn group<'a>(verdicts: &[&'a SideVerdict]) -> FxHashMap<Key, Vec<&'a SideVerdict>> {
    let mut groups: FxHashMap<Key, Vec<&SideVerdict>> = FxHashMap::default();
    for verdict in verdicts {
        let key = (verdict.first, verdict.second);
        groups.entry(key).or_default().push(verdict);
    }
    groups
}

/// A score, or a share of the first of two, as the system's; None where it is not in it.
pub(super) fn value_of_system((first, second): Key, system: u32, value: f64) -> Option<f64> {
    match second {
        _ if first == system => Some(value),
        Some(second) if second == system => Some(1.0 - value),
        _ => None,
    }
}
