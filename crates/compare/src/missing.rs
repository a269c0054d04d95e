//! What a comparison lacks: systems, items and judgments that should be there and are not.
//!
//! A comparison rests on what both sides have. What only one of them has cannot speak, and a
//! condition that passes because it is silent has not passed. So what is missing is counted against
//! what was to be expected: the baseline's systems and items, the plans of both runs, and the
//! judgments that came to no verdict.

use super::matching::Matching;
use super::name_pair;
use super::side::SideData;
use super::subject::{Measure, Subject, is_same_opponent};
use evenhand_core::in_order;
use evenhand_store::{RunProgress, RunState};
use rustc_hash::FxHashSet;

/// What a comparison lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Missing {
    /// What each system is compared on, those that are gone from the current side included.
    pub systems: Vec<ComparedItems>,
    /// The runs that the sides were read from, the baseline's first; None for files of judgments.
    pub runs: [Option<SideRun>; 2],
    /// Judgments without a verdict of which it is not known whose they are, of all judgments of
    /// that side.
    pub unplaced: [Option<Failures>; 2],
    /// Anchors of the baseline that the current side lacks, and how many the baseline has.
    pub anchors: [usize; 2],
}

/// What a system is compared on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedItems {
    /// The system of the baseline.
    pub baseline: String,
    /// The system of the current side; None where the current side has no such system.
    pub current: Option<String>,
    /// Items on which it should be compared: those on which the baseline has a verdict on it, or
    /// planned one; of two systems that were judged together, those on which either has.
    pub expected: usize,
    /// Of these, items that it is compared on.
    pub compared: usize,
    /// Of those that it is not compared on, items on which a judgment came to no verdict, as far as
    /// it is known whose it is. The others one side does not have.
    pub failed: usize,
}

/// A run that a side was read from, or the baseline's file of one.
#[derive(Clone, Debug, PartialEq)]
pub struct SideRun {
    /// Where the side was read from.
    pub source: String,
    /// How far the run had come.
    pub progress: RunProgress,
}

/// Judgments that came to no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// Where the side was read from.
    pub source: String,
    /// How many there are.
    pub failures: u64,
    /// All judgments.
    pub judgments: u64,
}

impl ComparedItems {
    /// Returns how many items are missing.
    pub fn missing(&self) -> usize {
        self.expected - self.compared
    }

    /// Returns its name: of two systems `NEW against OLD`.
    pub fn name(&self) -> String {
        name_pair(
            self.current.as_ref().unwrap_or(&self.baseline),
            &self.baseline,
        )
    }

    pub(super) fn is_named(&self, new: &str, old: Option<&str>) -> bool {
        let current = self.current.as_ref().unwrap_or(&self.baseline);
        current == new && old.is_none_or(|old| old == self.baseline)
    }
}

/// Whose missing data a condition rests on.
#[derive(Clone, Copy)]
pub(super) enum RestsOn<'a> {
    /// Everything that is compared.
    All,
    /// Everything, and the anchors.
    AllWithAnchors,
    /// One system: the current one, and the baseline's where it is named.
    System(&'a str, Option<&'a str>),
}

impl Missing {
    /// Counts what two sides lack. `subjects` are compared on these items each, by their places in
    /// the baseline. Systems that only the baseline has are missing where `is_whole`: where all are
    /// compared, and none was chosen.
    pub(super) fn between(
        sides: [&SideData; 2],
        matching: &Matching,
        subjects: &[(Subject, FxHashSet<u32>)],
        is_whole: bool,
    ) -> Missing {
        let [baseline, current] = sides;
        let mut systems = compared_items(sides, Some(matching), subjects);
        let names = baseline.systems.iter().zip(0..);
        for (name, old) in names.filter(|_| is_whole) {
            let items = items_of(baseline, |systems| systems.contains(&old));
            let gone = current.find_system(name).is_none();
            if gone && !items.is_empty() {
                systems.push(ComparedItems {
                    baseline: name.clone(),
                    current: None,
                    expected: items.len(),
                    compared: 0,
                    failed: 0,
                });
            }
        }
        Missing {
            systems,
            runs: sides.map(run_of),
            // Where the current side's verdicts are lacking, its items are.
            unplaced: [unplaced_failures(baseline), None],
            anchors: matching.lost_anchors(),
        }
    }

    /// Counts what one side lacks of two systems that were judged together, and are compared on
    /// these items.
    pub(super) fn within(side: &SideData, subjects: &[(Subject, FxHashSet<u32>)]) -> Missing {
        Missing {
            systems: compared_items([side, side], None, subjects),
            runs: [None, run_of(side)],
            unplaced: [None, unplaced_failures(side)],
            anchors: [0, 0],
        }
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.parts(RestsOn::AllWithAnchors).is_empty()
    }

    /// Says what is missing, in one sentence without its full stop; None where nothing is.
    pub fn sentence(&self) -> Option<String> {
        self.sentence_for(RestsOn::AllWithAnchors)
    }

    /// Says what is missing of what a condition rests on.
    pub(super) fn sentence_for(&self, rests_on: RestsOn) -> Option<String> {
        let parts = self.parts(rests_on);
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Says why the current run is not at its end; None where it is.
    pub(super) fn unfinished(&self) -> Option<String> {
        self.runs[1].as_ref().and_then(run_part)
    }

    /// Returns the share of what was to be compared that is: over the systems' items.
    pub(super) fn share_compared(&self) -> f64 {
        let sum = |of: fn(&ComparedItems) -> usize| self.systems.iter().map(of).sum::<usize>();
        let (expected, compared) = (sum(|one| one.expected), sum(|one| one.compared));
        match expected {
            0 => 1.0,
            _ => compared as f64 / expected as f64,
        }
    }

    fn parts(&self, rests_on: RestsOn) -> Vec<String> {
        let is_meant = |one: &&ComparedItems| match rests_on {
            RestsOn::System(new, old) => one.is_named(new, old),
            _ => true,
        };
        let lacking = self.systems.iter().filter(is_meant);
        let lacking: Vec<&ComparedItems> = lacking.filter(|one| one.missing() > 0).collect();
        let mut parts = system_parts(&lacking);
        let [lost, all] = self.anchors;
        if lost > 0 && matches!(rests_on, RestsOn::AllWithAnchors) {
            parts.push(format!("{lost} of {all} anchors"));
        }
        let mut runs: Vec<String> = self.runs.iter().flatten().filter_map(run_part).collect();
        // A run that is compared with itself lacks it once.
        runs.dedup();
        parts.extend(runs);
        let unplaced = self.unplaced.iter().flatten();
        parts.extend(unplaced.map(|one| {
            format!(
                "{} of {} judgments of {} came to no verdict",
                one.failures, one.judgments, one.source
            )
        }));
        parts
    }
}

/// Systems that are named one by one before the others are counted.
const NAMED: usize = 3;

/// Names the systems, those that lack the same together.
fn system_parts(lacking: &[&ComparedItems]) -> Vec<String> {
    let kind = |one: &ComparedItems| (one.current.is_none(), one.missing(), one.expected);
    let mut kinds = in_order(lacking.iter().map(|one| kind(one)));
    // What is gone altogether is said first.
    kinds.sort_by_key(|(is_gone, ..)| !is_gone);
    let parts = kinds.into_iter().map(|(is_gone, missing, expected)| {
        let own = lacking.iter();
        let own = own.filter(|one| kind(one) == (is_gone, missing, expected));
        let names: Vec<String> = own.map(|one| one.name()).collect();
        let shown = names[..names.len().min(NAMED)].join(", ");
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more systems"),
        };
        let items = match (missing == expected, expected) {
            (true, 1) => "its 1 item".to_string(),
            (true, _) => format!("all {expected} items"),
            _ => format!("{missing} of {expected} items"),
        };
        let gone = match (is_gone, names.len()) {
            (false, _) => "",
            (true, 1) => " (the system is gone)",
            (true, _) => " (the systems are gone)",
        };
        format!("{shown}{more} on {items}{gone}")
    });
    parts.collect()
}

/// Says what a run has of its plan; None where it has all.
fn run_part(run: &SideRun) -> Option<String> {
    let SideRun { source, progress } = run;
    let (judgments, state) = (progress.judgments, progress.state.name());
    match progress.planned {
        _ if progress.state == RunState::Unknown => Some(format!(
            "it is not known how many judgments were planned in {source}, which is of an earlier \
             version (its command keeps the plan when it is run again)"
        )),
        _ if !progress.is_unfinished() => None,
        Some(planned) => Some(format!(
            "{source} has {judgments} of {planned} judgments ({state})"
        )),
        None => Some(format!(
            "{source} has {judgments} judgments and is not at its end ({state})"
        )),
    }
}

fn run_of(side: &SideData) -> Option<SideRun> {
    side.run.map(|progress| SideRun {
        source: side.source.clone(),
        progress,
    })
}

fn unplaced_failures(side: &SideData) -> Option<Failures> {
    let failures = side.failures.saturating_sub(side.failed.len() as u64);
    (failures > 0).then(|| Failures {
        source: side.source.clone(),
        failures,
        judgments: side.failures + side.judged(),
    })
}

/// On how many items each subject is compared, of how many, and on how many a judgment failed.
fn compared_items(
    sides: [&SideData; 2],
    matching: Option<&Matching>,
    subjects: &[(Subject, FxHashSet<u32>)],
) -> Vec<ComparedItems> {
    let [baseline, current] = sides;
    let systems = subjects.iter().map(|(subject, compared)| {
        let [old, new] = subject.systems;
        let expected = expected_items(baseline, matching, subject);
        let failed = failed_items(sides, matching, subject);
        let lacking = expected.difference(compared);
        let lacking_verdict = lacking.filter(|item| failed.contains(*item)).count();
        let all = expected.len().max(compared.len());
        ComparedItems {
            baseline: baseline.system(old).into(),
            current: Some(current.system(new).into()),
            expected: all,
            compared: compared.len(),
            // Items that were not expected may be compared, too.
            failed: lacking_verdict.min(all - compared.len()),
        }
    });
    systems.collect()
}

/// The items, by their places in the baseline, on which a judgment of a subject came to no verdict
/// on either side.
fn failed_items(
    [baseline, current]: [&SideData; 2],
    matching: Option<&Matching>,
    subject: &Subject,
) -> FxHashSet<u32> {
    let [old, new] = subject.systems;
    let Some(matching) = matching else {
        return failed_on(baseline, |systems| {
            let shown = [old, new].map(|system| systems.contains(&system));
            match subject.measure {
                Measure::HeadToHead => shown == [true, true],
                Measure::WinShare | Measure::Score => shown != [false, false],
            }
        });
    };
    let mut failed = failed_on(baseline, |systems| systems.contains(&old));
    let now = failed_on(current, |systems| systems.contains(&new));
    let shared = matching.items.iter();
    let shared = shared.filter(|item| now.contains(&item.current));
    failed.extend(shared.map(|item| item.baseline));
    failed
}

/// The items of a side with a verdict, or a judgment without one, on systems that are wanted.
fn items_of(side: &SideData, wanted: impl Fn(&[u32]) -> bool) -> FxHashSet<u32> {
    let verdicts = side.verdicts.iter().filter(|verdict| {
        let both = [verdict.first, verdict.second.unwrap_or(verdict.first)];
        wanted(&both)
    });
    let mut items = failed_on(side, &wanted);
    items.extend(verdicts.map(|verdict| verdict.item));
    items
}

/// The items of a side with a judgment without a verdict on systems that are wanted.
fn failed_on(side: &SideData, wanted: impl Fn(&[u32]) -> bool) -> FxHashSet<u32> {
    let failed = side.failed.iter().filter(|one| wanted(&one.systems));
    failed.map(|one| one.item).collect()
}

/// Returns the items on which a subject should be compared by what this side has, which is the
/// baseline's where there are two.
fn expected_items(
    side: &SideData,
    matching: Option<&Matching>,
    subject: &Subject,
) -> FxHashSet<u32> {
    let [old, new] = subject.systems;
    let mut items = match (subject.measure, matching) {
        (Measure::HeadToHead, _) => items_of(side, |systems| {
            systems.contains(&old) && systems.contains(&new)
        }),
        (_, None) => items_of(side, |systems| {
            systems.contains(&old) || systems.contains(&new)
        }),
        (Measure::Score, Some(_)) => items_of(side, |systems| systems.contains(&old)),
        // An opponent whose answer is another now says nothing, and nothing is missing without it.
        (Measure::WinShare, Some(matching)) => {
            let mut items = FxHashSet::default();
            for pair in &subject.opponents {
                let with = items_of(side, |systems| {
                    systems.contains(&old) && systems.contains(&pair[0])
                });
                let counts = with.into_iter().filter(|item| {
                    let shared = matching.find(*item);
                    shared.is_none_or(|shared| is_same_opponent(matching, shared, *pair))
                });
                items.extend(counts);
            }
            items
        }
    };
    if matching.is_none() {
        let answered = |system: u32| -> FxHashSet<u32> {
            let own = side.responses.iter().filter(|one| one.system == system);
            own.map(|one| one.item).collect()
        };
        let [of_old, of_new] = [old, new].map(answered);
        // What one of the two alone has answered, as in a file of pairs, the other lacks.
        items.extend(of_old.symmetric_difference(&of_new));
        // Every pair is still to come where the run is not at its end and its plan has every item
        // of every pair.
        let all_pairs = side.settings.get("design").map(String::as_str) == Some("all-pairs");
        let is_unfinished = side.run.is_some_and(|run| run.is_unfinished());
        if all_pairs && is_unfinished {
            items.extend(of_old.intersection(&of_new));
        }
    }
    items.retain(|item| matching.is_none_or(|matching| !matching.is_anchor(*item)));
    items
}
