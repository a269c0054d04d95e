//! The judge's own change: what it says now, and said then, of responses that did not change.

use super::change::estimate_by_question;
use super::change::{Change, Scale};
use super::holm_of_changes;
use super::looks::DriftLooks;
use super::matching::{Matching, SharedItem};
use super::side::SideVerdict;
use super::subject::{ByItem, Measure, Subject};
use evenhand_stats::change::Moves;
use evenhand_stats::mean_value;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use strum::IntoStaticStr;

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
    /// Judgments that prefer the other side now, or give another score.
    pub changed: usize,
    /// What was tested.
    pub tests: Vec<DriftTest>,
    /// Where the judge is looked at again and again: what decides then, over all looks.
    pub looks: Option<DriftLooks>,
}

/// One way in which a judge can change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriftTest {
    /// What may have shifted.
    pub what: DriftKind,
    /// By how much.
    pub change: Change,
    /// Its p-value, corrected for the number of tests (Holm 1979); None where it is undefined.
    pub p_adjusted: Option<f64>,
}

/// What of a judge can shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum DriftKind {
    /// The scores that it gives.
    Score,
    /// The share of the response that is shown first.
    FirstSlot,
    /// How decided it is: the distance of its shares from a half, doubled.
    Decided,
}

impl DriftKind {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns what of a value, a score or the share of the first response, may have shifted.
    pub(super) fn value(self, value: f64) -> f64 {
        match self {
            DriftKind::Score | DriftKind::FirstSlot => value,
            DriftKind::Decided => 2.0 * (value - 0.5).abs(),
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
}

/// Two values of the same thing, then and now.
#[derive(Clone, Copy)]
struct Twice {
    item: SharedItem,
    systems: (u32, Option<u32>),
    before: f64,
    now: f64,
}

/// The judge's answers on responses that did not change.
pub(super) struct Repeated {
    rows: Vec<Twice>,
    copied: usize,
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
        };
        let only_anchors = matching.count_anchors() > 0;
        // A run beside its own copy, or beside the baseline that was saved of it.
        let is_one_run = before.side().begun.is_some() && before.side().begun == now.side().begun;
        for item in matching.items.iter().copied() {
            if only_anchors && !matching.is_anchor(item.baseline) {
                continue;
            }
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
                if is_one_run || then.iter().chain(now).any(|verdict| verdict.copied) {
                    found.copied += 1;
                } else if let (Some(before), Some(now)) =
                    (mean_of_verdicts(then), mean_of_verdicts(now))
                {
                    found.rows.push(Twice {
                        item,
                        systems,
                        before,
                        now,
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
    pub(super) fn measure(&self, matching: &Matching, level: f64) -> Option<Drift> {
        if self.rows.is_empty() && self.copied == 0 {
            return None;
        }
        // The judge prefers another now, or gives another score.
        let has_turned = |row: &&Twice| match row.systems.1 {
            None => row.now != row.before,
            Some(_) => (row.now - 0.5).signum() * (row.before - 0.5).signum() < 0.0,
        };
        let both = self.rows.iter().flat_map(|row| [row.before, row.now]);
        let mut tests = Vec::new();
        for what in self.kinds().iter().copied() {
            let (differences, items) =
                self.mean_by_item(|row| what.value(row.now) - what.value(row.before));
            let questions: Vec<u32> = items
                .iter()
                .map(|item| matching.question_of(*item))
                .collect();
            let scale = match what {
                DriftKind::Score => Scale::Scores(Moves::of_scores(both.clone())),
                DriftKind::FirstSlot | DriftKind::Decided => Scale::Shares,
            };
            if let Some(change) = estimate_by_question(&differences, &questions, scale, level) {
                tests.push(DriftTest {
                    what,
                    change,
                    p_adjusted: None,
                });
            }
        }
        let changes: Vec<Option<&Change>> = tests.iter().map(|test| Some(&test.change)).collect();
        let adjusted = holm_of_changes(&changes, level);
        for (test, p) in tests.iter_mut().zip(adjusted) {
            test.p_adjusted = p;
        }
        Some(Drift {
            judgments: self.rows.len(),
            items: self.mean_by_item(Twice::shift).0.len(),
            copied: self.copied,
            changed: self.rows.iter().filter(has_turned).count(),
            tests,
            looks: None,
        })
    }

    /// What can shift of these values: scores, or shares of the first response.
    pub(super) fn kinds(&self) -> &'static [DriftKind] {
        match self.rows.first().is_some_and(|row| row.systems.1.is_none()) {
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

    /// The mean of what the rows of each item say, and the items' places in the baseline, in their
    /// order.
    fn mean_by_item(&self, value: impl Fn(&Twice) -> f64) -> (Vec<f64>, Vec<u32>) {
        let mut means: Vec<(u32, Vec<f64>)> = Vec::new();
        for row in &self.rows {
            match means.last_mut() {
                Some((item, values)) if *item == row.item.baseline => values.push(value(row)),
                _ => means.push((row.item.baseline, vec![value(row)])),
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

fn mean_of_verdicts(verdicts: &[&SideVerdict]) -> Option<f64> {
    let values: Vec<f64> = verdicts.iter().map(|verdict| verdict.value).collect();
    mean_value(&values)
}
