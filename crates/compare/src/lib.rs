//! What changed between two runs, or between two systems of one: paired by item, with the judge's
//! own change told apart from the systems'.
//!
//! A [`SideData`] is read by [`read_side`]; [`compare_sides`] compares two of them system by
//! system, and [`compare_within`] two systems that were judged together. docs/design/compare.md
//! says why it is done in this way.

mod answers;
mod baseline;
mod change;
mod drift;
pub mod gate;
mod history;
mod looks;
mod matching;
mod missing;
mod pairing;
mod parts;
mod read;
mod side;
mod subject;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_missing;
mod turned;

pub use answers::{AnswerFigure, AnswerSize, Measured};
pub use baseline::baseline_text;
pub use change::{Change, ChangeMethod, POWER};
pub use drift::{Drift, DriftKind, DriftTest};
pub use history::{HistoryRow, history_text, read_history};
pub use looks::{DriftLook, DriftLooks, LookTest, drift_over_looks};
pub use missing::{ComparedItems, Failures, Missing, SideRun};
pub use parts::{CategoryChange, Interaction, SMALLEST_CATEGORY};
pub use read::{SideReading, read_side};
pub use side::{Digest, SideAnswer, SideData, SideFailure, SideItem, SideResponse, SideVerdict};
pub use subject::Measure;

use change::{Scale, estimate_by_question, estimate_controlled};
use drift::Repeated;
use evenhand_core::{JudgeKind, Refusal, name_in_words};
use evenhand_stats::change::ControlledItem;
use evenhand_stats::{Bootstrap, holm};
use evenhand_store::{Difference, Manifest};
use matching::{Matching, match_sides};
use pairing::{subjects_of, subjects_within};
use parts::Parts;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use side::score_range;
use std::collections::{BTreeMap, BTreeSet};
use subject::{ByItem, PairedItem, Subject};

/// How a comparison is made.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Only these systems; all that both sides have where it is empty.
    pub systems: Vec<String>,
    /// A system of the baseline and the one of the current side that is compared with it.
    pub pair: Option<[String; 2]>,
    /// The ids of items that are known not to have changed: the judge's own change is measured on
    /// them alone, and they are no part of any system's.
    pub anchors: Vec<String>,
    /// Level of the intervals, seed and resamples.
    pub plan: Bootstrap,
}

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Where the baseline was read from.
    pub baseline: String,
    /// Where the current side was read from; None where both systems are of one side.
    pub current: Option<String>,
    /// The settings that differ, by name, and who answered for the judge (`answered by`), where
    /// both sides know.
    pub settings: Vec<Difference>,
    /// Items that both sides have, without anchors.
    pub items: usize,
    /// Questions that these ask.
    pub questions: usize,
    /// Items of one id whose content differs; they are left out.
    pub rewritten: usize,
    /// Anchors that both sides have.
    pub anchors: usize,
    /// Judgments without a verdict, of the baseline and of the current side.
    pub failures: [u64; 2],
    /// Judgments with a verdict, of the current side.
    pub verdicts: u64,
    /// The least and the most that a score of either side can be; None where that is not known of
    /// both.
    pub score_range: Option<[f64; 2]>,
    /// What of each side rests on replies that were copied from other runs, which this one's own
    /// settings say nothing of; None for a side that has no such reply.
    pub copied: [Option<Copied>; 2],
    /// What should be compared and is not.
    pub missing: Missing,
    /// Systems of the current side that the baseline lacks: nothing is said of them.
    pub added: Vec<String>,
    /// Each system that is compared.
    pub systems: Vec<SystemChange>,
    /// The judge's own change; None where nothing was judged twice.
    pub drift: Option<Drift>,
    /// Level of the intervals.
    pub level: f64,
    /// Earlier looks and this one, the oldest first; empty where nobody keeps them.
    pub history: Vec<HistoryRow>,
}

impl Comparison {
    /// Returns the share of what should be there that is, or the most that it can be, where the
    /// current run is not at its end and its plan is not known; None where nothing was judged.
    ///
    /// It is the smaller of two shares: of the current side's plan that came to a verdict, and of
    /// the baseline's systems and items that are compared.
    pub fn coverage(&self) -> Option<f64> {
        let judged = self.verdicts + self.failures[1];
        if judged == 0 {
            return None;
        }
        // With a filter, the sides hold a part of the run: that share of the plan is taken to be
        // judged as of the whole.
        let progress = self.missing.runs[1].as_ref().map(|run| run.progress);
        let planned = progress.and_then(|progress| {
            let planned = progress.planned.filter(|planned| *planned > 0)?;
            Some(progress.judgments as f64 / planned as f64)
        });
        let of_plan = planned.unwrap_or(1.0) * self.verdicts as f64 / judged as f64;
        Some(of_plan.min(self.missing.share_compared()))
    }

    fn of_sides(
        baseline: &SideData,
        current: &SideData,
        matching: &Matching,
        plan: &Bootstrap,
    ) -> Comparison {
        let sides_know = [baseline, current].map(|side| !side.answered_by.is_empty());
        let manifest = |side: &SideData| {
            let mut manifest = Manifest {
                settings: side.settings.clone(),
                label: None,
            };
            // A side of which it is not known is no other one.
            if sides_know == [true, true] {
                manifest.set("answered by", side.answered_by.join(", "));
            }
            manifest
        };
        Comparison {
            baseline: baseline.source.clone(),
            current: Some(current.source.clone()),
            settings: manifest(baseline).differences(&manifest(current)),
            items: matching.items.len() - matching.count_anchors(),
            questions: matching.count_questions(),
            rewritten: matching.rewritten,
            anchors: matching.count_anchors(),
            failures: [baseline.failures, current.failures],
            verdicts: current.judged(),
            score_range: score_range([baseline, current]),
            copied: [Copied::of(baseline), Copied::of(current)],
            missing: Missing::default(),
            added: Vec::new(),
            systems: Vec::new(),
            drift: None,
            level: plan.level,
            history: Vec::new(),
        }
    }
}

/// What of a side was not asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Where the side was read from.
    pub source: String,
    /// Verdicts that rest on replies copied from other runs, in whole or in part.
    pub judgments: u64,
    /// All verdicts.
    pub of: u64,
    /// The other runs by name, and how many replies came from each.
    pub runs: Vec<(Option<String>, u64)>,
}

impl Copied {
    fn of(side: &SideData) -> Option<Copied> {
        let copied = side.verdicts.iter().filter(|verdict| verdict.copied);
        let judgments = copied.count() as u64;
        (judgments > 0 || !side.copied_from.is_empty()).then(|| Copied {
            source: side.source.clone(),
            judgments,
            of: side.verdicts.len() as u64,
            runs: side.copied_from.clone(),
        })
    }
}

/// How a system changed.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemChange {
    /// The system of the baseline.
    pub baseline: String,
    /// The system of the current side.
    pub current: String,
    /// What is measured.
    pub measure: Measure,
    /// The mean of the baseline's system over the items that both have, and of the current one.
    pub means: [f64; 2],
    /// Items on which the response differs, or its text is not known.
    pub changed: usize,
    /// Of the verdicts on answers of it that did not change: how many say otherwise now, and how
    /// many both sides have.
    pub differing: [usize; 2],
    /// What the verdicts say.
    pub observed: Change,
    /// The same without the judge's own change; None where that could not be measured.
    pub adjusted: Option<Change>,
    /// The judge's own change, as it bears on this system; None where it could not be measured.
    pub drift: Option<Change>,
    /// The p-value, corrected for the number of systems (Holm 1979); None where it is undefined.
    pub p_adjusted: Option<f64>,
    /// By category, where items have several.
    pub categories: Vec<CategoryChange>,
    /// Whether categories differ, or why that was not tested; None where there are not two.
    pub interaction: Option<Result<Interaction, String>>,
    /// All items, those that got worse by most first, the more unanimous first.
    pub by_item: Vec<ItemChange>,
    /// The current system's answers, to whichever items, also those that are not compared: the
    /// question, and the size where it is known.
    pub answers: Vec<(u32, Option<AnswerSize>)>,
    /// The other system's answers, as `answers` has them, where both are of one side, and so both
    /// current; else empty.
    pub answers_of_other: Vec<(u32, Option<AnswerSize>)>,
    /// The answers to items that both sides have: the question, and the sizes of the baseline's
    /// answer and of the current one where they are known.
    pub answers_of_both: Vec<(u32, [Option<AnswerSize>; 2])>,
}

impl SystemChange {
    /// Returns a figure of the answers of each system of the current side: of the current one, and
    /// of the other where both are of one side. `level` is that of the intervals.
    pub fn measure(&self, figure: AnswerFigure, level: f64) -> Vec<(&str, Measured)> {
        let sides = [
            (&self.current, &self.answers),
            (&self.baseline, &self.answers_of_other),
        ];
        let sides = sides
            .into_iter()
            .filter(|(name, answers)| *name == &self.current || !answers.is_empty());
        let measured = sides.map(|(name, answers)| {
            let known = answers.iter();
            let known = known.filter_map(|(question, size)| Some((*question, size.as_ref()?)));
            let mut found = figure.measure(known, level);
            // An answer whose text is not known lacks everything.
            found.lacking += answers.iter().filter(|(_, size)| size.is_none()).count();
            (name.as_str(), found)
        });
        measured.collect()
    }

    /// Returns by how much a figure of the current system's answers is above that of the
    /// baseline's.
    pub fn measure_change(&self, figure: AnswerFigure, level: f64) -> Measured {
        let pairs = self
            .answers_of_both
            .iter()
            .filter_map(|(question, sizes)| match sizes {
                [Some(before), Some(now)] => Some((*question, before, now)),
                _ => None,
            });
        let pairs: Vec<_> = pairs.collect();
        let lacking = self.answers_of_both.len() - pairs.len();
        let mut found = figure.measure_change(pairs, level);
        found.lacking += lacking;
        found
    }
}

fn name_pair(current: &str, baseline: &str) -> String {
    match current == baseline {
        true => current.into(),
        false => [current, baseline].map(name_in_words).join(" against "),
    }
}

/// How a system changed on one item.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ItemJson")]
pub struct ItemChange {
    /// The item's id.
    pub item: String,
    /// Its value on the baseline's side.
    #[serde(rename = "before")]
    pub baseline: f64,
    /// Its value on the current side.
    #[serde(rename = "now")]
    pub current: f64,
    /// Whether the response changed; true where that is not known.
    pub changed: bool,
    /// Verdicts that it rests on.
    pub verdicts: u32,
    /// How many of those agree with the value.
    pub agreeing: u32,
    /// A judgment of the current run on it.
    #[serde(rename = "judgment")]
    pub trial: Option<u64>,
}

impl SystemChange {
    /// Returns its name: of two systems `NEW against OLD`.
    pub fn name(&self) -> String {
        name_pair(&self.current, &self.baseline)
    }

    /// Returns the change without the judge's own, where that was measured; else what the verdicts
    /// say.
    pub fn change(&self) -> &Change {
        self.adjusted.as_ref().unwrap_or(&self.observed)
    }
}

/// Compares the systems of two sides.
///
/// # Errors
/// Sides that have nothing in common; a system that is not there.
pub fn compare_sides(
    baseline: &SideData,
    current: &SideData,
    options: &CompareOptions,
) -> Result<Comparison, Refusal> {
    let sides = [ByItem::of(baseline), ByItem::of(current)];
    let matching = match_sides(baseline, current, &options.anchors);
    pairing::check_shared([baseline, current], &matching, options)?;
    let subjects = subjects_of([baseline, current], options)?;
    let repeated = Repeated::find([&sides[0], &sides[1]], &matching);
    let work = Work {
        sides: [&sides[0], &sides[1]],
        matching: &matching,
        repeated: Some(&repeated),
        plan: &options.plan,
    };
    let mut comparison = Comparison::of_sides(baseline, current, &matching, &options.plan);
    comparison.drift = repeated.measure(&baseline.systems, &matching, options.plan.level);
    let is_whole = options.pair.is_none() && options.systems.is_empty();
    let (systems, compared) = work.compare_all(subjects);
    comparison.systems = systems;
    comparison.missing = Missing::between([baseline, current], &matching, &compared, is_whole);
    // Those that the options leave out are nobody's question.
    let is_asked = |name: &&String| {
        options.pair.is_none() && (options.systems.is_empty() || options.systems.contains(name))
    };
    let added = current.systems.iter().filter(is_asked);
    let added = added.filter(|name| !baseline.systems.contains(name));
    comparison.added = added.cloned().collect();
    let says_nothing = options.pair.is_some() || comparison.drift.is_none();
    if comparison.systems.is_empty() && says_nothing {
        return Err(pairing::nothing_paired([baseline, current]));
    }
    Ok(comparison)
}

/// Compares two systems that were judged together.
///
/// # Errors
/// A system that is not there, or two that nothing compares.
pub fn compare_within(side: &SideData, options: &CompareOptions) -> Result<Comparison, Refusal> {
    let by_item = ByItem::of(side);
    let matching = match_sides(side, side, &[]);
    let subjects = subjects_within(side, options)?;
    let work = Work {
        sides: [&by_item, &by_item],
        matching: &matching,
        repeated: None,
        plan: &options.plan,
    };
    let mut comparison = Comparison::of_sides(side, side, &matching, &options.plan);
    comparison.current = None;
    comparison.copied[0] = None;
    let (systems, compared) = work.compare_all(subjects);
    comparison.systems = systems;
    comparison.missing = Missing::within(side, &compared);
    if comparison.systems.is_empty() {
        return Err(pairing::nothing_paired([side, side]));
    }
    Ok(comparison)
}

/// What a comparison is made of.
struct Work<'a> {
    sides: [&'a ByItem<'a>; 2],
    matching: &'a Matching,
    repeated: Option<&'a Repeated>,
    plan: &'a Bootstrap,
}

impl Work<'_> {
    /// Returns the changes, their p-values corrected for the number of systems, and on which items,
    /// by their places in the baseline, each subject is compared: a subject without any has no
    /// change.
    fn compare_all(
        &self,
        subjects: Vec<Subject>,
    ) -> (Vec<SystemChange>, Vec<(Subject, FxHashSet<u32>)>) {
        let (mut changes, mut compared) = (Vec::new(), Vec::new());
        for subject in subjects {
            let items = subject.pair_items(self.sides, self.matching);
            let change = self.compare(&subject, &items);
            let places = items.iter().map(|item| item.item.baseline);
            let places: FxHashSet<u32> = places.filter(|_| change.is_some()).collect();
            changes.extend(change);
            compared.push((subject, places));
        }
        let all: Vec<Option<&Change>> = changes.iter().map(|one| Some(one.change())).collect();
        let adjusted = holm_of_changes(&all, self.plan.level);
        for (one, p) in changes.iter_mut().zip(adjusted) {
            one.p_adjusted = p;
        }
        (changes, compared)
    }

    /// None where no item has a value on both sides.
    fn compare(&self, subject: &Subject, items: &[PairedItem]) -> Option<SystemChange> {
        let level = self.plan.level;
        let [before, now] = self.sides.map(ByItem::side);
        let differences: Vec<f64> = items.iter().map(PairedItem::difference).collect();
        let both = items.iter().flat_map(|item| [item.baseline, item.current]);
        let width = score_range([before, now]).map(|[low, high]| high - low);
        let scale = Scale::of(subject.measure, both.clone(), width);
        let questions = self.questions_of(items.iter().map(|item| item.item.baseline));
        let observed = estimate_by_question(&differences, &questions, scale, level)?;

        // The judge's own change, as it bears on this system: it is taken out where it is known on
        // enough questions.
        let shifts = self
            .repeated
            .map(|repeated| repeated.shifts_for(subject))
            .unwrap_or_default();
        let shifted = self.questions_of(shifts.keys().copied());
        let distinct: BTreeSet<u32> = shifted.iter().copied().collect();
        let controlled = (distinct.len() >= FEWEST_SHIFTS).then(|| self.control(items, &shifts));
        let adjusted = controlled
            .as_deref()
            .and_then(|rows| estimate_controlled(rows, scale, level, self.is_judge_fixed()));
        let values: Vec<f64> = shifts.values().copied().collect();
        // The mean shift of several responses is right or wrong no more.
        let scale_of_drift = match subject.measure {
            Measure::Score => Scale::of_scores(both, width),
            measure => Scale::of(measure, both, width),
        };
        let drift = estimate_by_question(&values, &shifted, scale_of_drift, level);

        let category_of = |item: &PairedItem| {
            let new = now.items[item.item.current as usize].category.as_deref();
            new.or(before.items[item.item.baseline as usize]
                .category
                .as_deref())
        };
        let categories: Vec<Option<&str>> = items.iter().map(category_of).collect();
        let parts = Parts {
            differences: &differences,
            questions: &questions,
            categories: &categories,
            scale,
            controlled: controlled.filter(|_| adjusted.is_some()),
            fixed: self.is_judge_fixed(),
            plan: self.plan,
        };
        let mean_of = |value: fn(&PairedItem) -> f64| {
            items.iter().map(value).sum::<f64>() / items.len() as f64
        };
        let [old, new] = subject.systems;
        Some(SystemChange {
            baseline: before.system(old).into(),
            current: now.system(new).into(),
            measure: subject.measure,
            means: [mean_of(|item| item.baseline), mean_of(|item| item.current)],
            changed: items.iter().filter(|item| item.changed).count(),
            differing: self.repeated.map_or([0; 2], |repeated| {
                let places = items.iter().map(|item| item.item.baseline);
                repeated.count_differing(old, &places.collect())
            }),
            adjusted,
            drift,
            p_adjusted: None,
            interaction: parts.test_interaction(),
            categories: parts.by_category(),
            by_item: self.list_items(items),
            answers: self.sizes_of(1, items, subject),
            answers_of_other: match self.repeated {
                None => self.sizes_of(0, items, subject),
                Some(_) => Vec::new(),
            },
            answers_of_both: self.sizes_of_both(items, subject),
            observed,
        })
    }

    /// Whether models of this machine alone, asked in one way, judged both sides: they say the same
    /// of the same answers.
    fn is_judge_fixed(&self) -> bool {
        let [before, now] = self.sides.map(|side| &side.side().settings);
        let local = [JudgeKind::Gguf, JudgeKind::GgufReward, JudgeKind::Simulated];
        let who = ["judge", "second-stage", "embedder"].map(|name| before.get(name));
        // Several judges have a line each.
        let mut models = who.iter().flatten().flat_map(|names| names.lines());
        let is_local = models.all(|one| one == "same" || local.contains(&JudgeKind::of(one)));
        let of_data = ["data", "systems", "design"];
        let asked = |settings: &BTreeMap<String, String>| {
            let mut asked = settings.clone();
            asked.retain(|name, _| !of_data.contains(&name.as_str()));
            asked
        };
        before.contains_key("judge") && is_local && asked(before) == asked(now)
    }

    /// The questions of the answers of one of the two systems, and what is known of each. How long
    /// an answer took needs neither a judge nor an opponent.
    fn sizes_of(
        &self,
        side: usize,
        items: &[PairedItem],
        subject: &Subject,
    ) -> Vec<(u32, Option<AnswerSize>)> {
        let (now, new) = (self.sides[side], subject.systems[side]);
        let places = items
            .iter()
            .map(|item| [item.item.baseline, item.item.current][side]);
        let judged: BTreeSet<u32> = places.collect();
        let questions = (0..).zip(now.side().questions());
        let sizes = questions.filter_map(|(place, question)| {
            let size = now.answer(place, new);
            (size.is_some() || judged.contains(&place)).then_some((question, size))
        });
        sizes.collect()
    }

    /// Returns the answers to the items that both sides have: the question, and both sizes.
    fn sizes_of_both(
        &self,
        items: &[PairedItem],
        subject: &Subject,
    ) -> Vec<(u32, [Option<AnswerSize>; 2])> {
        let [before, now] = self.sides;
        let [old, new] = subject.systems;
        let judged: BTreeSet<u32> = items.iter().map(|item| item.item.baseline).collect();
        let sizes = self.matching.items.iter().filter_map(|item| {
            let sizes = [
                before.answer(item.baseline, old),
                now.answer(item.current, new),
            ];
            let is_known = sizes.iter().all(Option::is_some) || judged.contains(&item.baseline);
            is_known.then(|| (self.matching.question_of(item.baseline), sizes))
        });
        sizes.collect()
    }

    /// The questions of items, by their places in the baseline.
    fn questions_of(&self, places: impl Iterator<Item = u32>) -> Vec<u32> {
        places
            .map(|place| self.matching.question_of(place))
            .collect()
    }

    /// The items that are paired, in their order, then those that only say how the judge changed.
    fn control(&self, items: &[PairedItem], shifts: &BTreeMap<u32, f64>) -> Vec<ControlledItem> {
        let mut rest = shifts.clone();
        let paired = items.iter().map(|item| ControlledItem {
            difference: Some(item.difference()),
            changed: item.changed,
            shift: rest.remove(&item.item.baseline),
            question: self.matching.question_of(item.item.baseline),
        });
        let mut rows: Vec<ControlledItem> = paired.collect();
        rows.extend(rest.into_iter().map(|(place, shift)| ControlledItem {
            shift: Some(shift),
            question: self.matching.question_of(place),
            ..ControlledItem::default()
        }));
        rows
    }

    /// Those that got worse by most first, the more unanimous first.
    fn list_items(&self, items: &[PairedItem]) -> Vec<ItemChange> {
        let agreement =
            |item: &PairedItem| f64::from(item.verdicts[1]) / f64::from(item.verdicts[0].max(1));
        let mut sorted: Vec<&PairedItem> = items.iter().collect();
        sorted.sort_by(|a, b| {
            let by_size = a.difference().total_cmp(&b.difference());
            by_size.then(agreement(b).total_cmp(&agreement(a)))
        });
        let named = &self.sides[1].side().items;
        sorted
            .into_iter()
            .map(|item| ItemChange {
                item: named[item.item.current as usize].id.clone(),
                baseline: item.baseline,
                current: item.current,
                changed: item.changed,
                verdicts: item.verdicts[0],
                agreeing: item.verdicts[1],
                trial: item.trial,
            })
            .collect()
    }
}

/// The fewest questions on which the judge's own change must be known before it is taken out.
const FEWEST_SHIFTS: usize = 10;

/// Corrects the p-values of several changes for their number (Holm 1979); those that are not there
/// or undefined stay so.
///
/// A change of which too few items moved for any p-value below 1 - level can raise no false alarm,
/// so it does not count (Tarone 1990, "A modified Bonferroni method for discrete data"), and its
/// p-value stays: systems that did not change cost the others nothing.
fn holm_of_changes(changes: &[Option<&Change>], level: f64) -> Vec<Option<f64>> {
    let counts = |change: &&Change| change.can_be_found(level);
    let counted = changes.iter().flatten().copied().filter(counts);
    let counted: Vec<f64> = counted.filter_map(|change| change.p_value).collect();
    let mut adjusted = holm(&counted).unwrap_or_default().into_iter();
    let mut all = Vec::new();
    for change in changes {
        let p = change.and_then(|change| change.p_value);
        all.push(match (change, p) {
            (Some(change), Some(_)) if counts(change) => adjusted.next(),
            _ => p,
        });
    }
    all
}
