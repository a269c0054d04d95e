//! A comparison as JSON and CSV.

use super::words::Verdict;
use super::words::{answer_lines, answer_text, missing_text, verdict_of};
use crate::answer::AnswerJson;
use crate::columns::Columns;
use crate::serialize::{end_cell, json_text, optional_cell};
use evenhand_compare::gate::{GateOutcome, GateResult};
use evenhand_compare::{
    CategoryChange, Change, Comparison, Copied, DriftLooks, DriftTest, HistoryRow, ItemChange,
    Measure, SystemChange,
};
use evenhand_engine::RunProgress;
use schemars::JsonSchema;
use serde::Serialize;

/// What changed between two runs, or two systems. Shares are from 0 to 1, scores as the judge gave
/// them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CompareJson<'a> {
    /// What should be compared and is not.
    missing: MissingJson<'a>,
    /// The answer in a few sentences; null where no system is compared.
    answer: Option<AnswerJson>,
    /// Where the baseline was read from.
    baseline: &'a str,
    /// Where the current side was read from; null where both systems are of one side.
    current: Option<&'a str>,
    /// The share of what should be there that is.
    coverage: Option<f64>,
    /// What rests on replies of other runs; null for a side where nothing does.
    copied: Sides<Option<CopiedJson<'a>>>,
    /// The settings that differ.
    settings: Vec<SettingJson<'a>>,
    /// Items that both sides have, without anchors.
    items: usize,
    /// Questions that these ask.
    questions: usize,
    /// Items of one id whose content differs; they are left out.
    items_rewritten: usize,
    /// Anchors that both sides have.
    anchors: usize,
    /// Judgments without a verdict.
    failures: Sides<u64>,
    /// Each system that is compared.
    systems: Vec<SystemJson<'a>>,
    /// The judge's own change; null where nothing was judged twice.
    judge_drift: Option<DriftJson<'a>>,
    /// What came of the conditions.
    gates: Vec<GateJson<'a>>,
    /// Coverage of the intervals.
    level: f64,
    /// Earlier looks and this one, the oldest first; empty where none are kept.
    history: &'a [HistoryRow],
}

/// A value for each side.
#[derive(Serialize, JsonSchema)]
struct Sides<T> {
    /// Of the baseline.
    baseline: T,
    /// Of the current side.
    current: T,
}

impl<T> From<[T; 2]> for Sides<T> {
    fn from([baseline, current]: [T; 2]) -> Self {
        Sides { baseline, current }
    }
}

/// What should be compared and is not.
#[derive(Serialize, JsonSchema)]
struct MissingJson<'a> {
    /// The same in words; null where nothing is missing.
    text: Option<String>,
    /// By system.
    systems: Vec<MissingSystemJson<'a>>,
    /// Anchors of the baseline that the current side lacks.
    anchors: usize,
    /// How far each run has come; null for files of judgments.
    runs: Sides<Option<RunProgress>>,
}

/// Items that a system is not compared on.
#[derive(Serialize, JsonSchema)]
struct MissingSystemJson<'a> {
    /// The system of the current side; null where it has no such system.
    system: Option<&'a str>,
    /// The system of the baseline.
    baseline_system: &'a str,
    /// How many items are missing.
    items: usize,
    /// How many there should be.
    of: usize,
}

/// What of a side was not asked for it.
#[derive(Serialize, JsonSchema)]
struct CopiedJson<'a> {
    /// Verdicts that rest on replies copied from other runs.
    verdicts: u64,
    /// All verdicts.
    of: u64,
    /// The other runs.
    runs: Vec<CopiedRunJson<'a>>,
}

/// A run that replies were copied from.
#[derive(Serialize, JsonSchema)]
struct CopiedRunJson<'a> {
    /// Its name; null where that is not known.
    run: Option<&'a str>,
    /// How many replies came from it.
    replies: u64,
}

/// A setting that differs.
#[derive(Serialize, JsonSchema)]
struct SettingJson<'a> {
    /// Its name.
    setting: &'a str,
    /// Its value in the baseline.
    baseline: &'a str,
    /// Its value on the current side.
    current: &'a str,
}

/// How a system changed.
#[derive(Serialize, JsonSchema)]
struct SystemJson<'a> {
    /// The system of the current side.
    system: &'a str,
    /// The system of the baseline.
    baseline_system: &'a str,
    /// What is measured.
    measure: Measure,
    /// What the change says.
    verdict: Verdict,
    /// The same in a sentence.
    answer: String,
    /// The mean of the baseline's system over the items that both have.
    before: f64,
    /// The mean of the current one.
    now: f64,
    /// Items on which the response differs, or its text is not known.
    items_changed: usize,
    /// The change without the judge's own, where that was measured; else what the verdicts say.
    change: &'a Change,
    /// What the verdicts say.
    observed: &'a Change,
    /// The judge's own change, as it bears on this system; null where it could not be measured.
    drift: Option<&'a Change>,
    /// The p-value, corrected for the number of systems (Holm 1979).
    p_adjusted: Option<f64>,
    /// By category, where items have several.
    categories: &'a [CategoryChange],
    /// Whether categories differ; null where that was not tested.
    interaction: Option<InteractionJson<'a>>,
    /// Why it was not.
    interaction_note: Option<&'a str>,
    /// All items, those that got worse by most first.
    by_item: &'a [ItemChange],
}

/// Whether the change differs between categories.
#[derive(Serialize, JsonSchema)]
struct InteractionJson<'a> {
    /// P-value of equal changes.
    p: f64,
    /// Categories that were tested.
    categories: usize,
    /// The category whose change is furthest from that of all items.
    furthest: &'a str,
    /// By how much.
    beyond: f64,
    /// How it was tested.
    method: &'static str,
}

/// What the judge says now and said then of the same responses.
#[derive(Serialize, JsonSchema)]
struct DriftJson<'a> {
    /// Judgments of the same responses in the same order that both sides have, asked for twice.
    judgments: usize,
    /// Items that they are on.
    items: usize,
    /// Such judgments that rest on the same replies on both sides.
    copied: usize,
    /// Judgments that prefer the other response now, or give another score.
    turned: usize,
    /// Whether the judge changed significantly.
    significant: bool,
    /// What was tested.
    tests: &'a [DriftTest],
    /// Where the judge is looked at again and again: what decides then, over all looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    looks: Option<&'a DriftLooks>,
}

/// What came of a condition.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GateJson<'a> {
    /// The condition.
    condition: &'a str,
    /// What came of it.
    outcome: GateWord,
    /// How many more items would probably decide it, where that is known.
    more_items: Option<u64>,
    /// The figures that decided, or what the data lack, in words.
    why: &'a str,
    /// What would decide it, where it is inconclusive and that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

/// What came of a condition.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GateWord {
    /// It does not hold.
    Passed,
    /// It holds: the pipeline stops.
    Met,
    /// The data do not say.
    Inconclusive,
}

/// Returns the comparison as one object; shares are from 0 to 1, scores as the judge gave them,
/// null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no comparison is known to cause one.
pub fn compare_json(
    comparison: &Comparison,
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    let level = comparison.level;
    let missing = &comparison.missing;
    let lacking = missing.systems.iter().filter(|one| one.missing() > 0);
    let lacking = lacking.map(|one| MissingSystemJson {
        system: one.current.as_deref(),
        baseline_system: &one.baseline,
        items: one.missing(),
        of: one.expected,
    });
    let copied = comparison.copied.each_ref().map(|side| {
        let side: &Copied = side.as_ref()?;
        let runs = side.runs.iter().map(|(run, replies)| CopiedRunJson {
            run: run.as_deref(),
            replies: *replies,
        });
        Some(CopiedJson {
            verdicts: side.judgments,
            of: side.of,
            runs: runs.collect(),
        })
    });
    let settings = comparison.settings.iter().map(|one| SettingJson {
        setting: &one.key,
        baseline: &one.here,
        current: &one.there,
    });
    let progress = missing
        .runs
        .each_ref()
        .map(|run| run.as_ref().map(|run| run.progress));
    let answer = answer_lines(comparison).join(" ");
    json_text(&CompareJson {
        answer: (!answer.is_empty()).then(|| AnswerJson {
            text: answer.trim_end_matches('.').into(),
        }),
        missing: MissingJson {
            text: missing_text(comparison),
            systems: lacking.collect(),
            anchors: missing.anchors[0],
            runs: progress.into(),
        },
        baseline: &comparison.baseline,
        current: comparison.current.as_deref(),
        coverage: comparison.coverage(),
        copied: copied.into(),
        settings: settings.collect(),
        items: comparison.items,
        questions: comparison.questions,
        items_rewritten: comparison.rewritten,
        anchors: comparison.anchors,
        failures: comparison.failures.into(),
        systems: Vec::from_iter(comparison.systems.iter().map(|one| system_json(one, level))),
        judge_drift: comparison.drift.as_ref().map(|drift| DriftJson {
            judgments: drift.judgments,
            items: drift.items,
            copied: drift.copied,
            turned: drift.changed,
            significant: drift.is_significant(level),
            tests: &drift.tests,
            looks: drift.looks.as_ref(),
        }),
        gates: gates_json(gates),
        level,
        history: &comparison.history,
    })
}

fn system_json(system: &SystemChange, level: f64) -> SystemJson<'_> {
    let (tested, untested) = match &system.interaction {
        Some(Ok(test)) => (Some(test), None),
        Some(Err(why)) => (None, Some(why.as_str())),
        None => (None, None),
    };
    SystemJson {
        system: &system.current,
        baseline_system: &system.baseline,
        measure: system.measure,
        verdict: verdict_of(system.change(), level),
        answer: answer_text(system, level),
        before: system.means[0],
        now: system.means[1],
        items_changed: system.changed,
        change: system.change(),
        observed: &system.observed,
        drift: system.drift.as_ref(),
        p_adjusted: system.p_adjusted,
        categories: &system.categories,
        interaction: tested.map(|test| InteractionJson {
            p: test.p_value,
            categories: test.categories,
            furthest: &test.furthest,
            beyond: test.beyond,
            method: "studentised max-t, by permutation and by random signs of items, those of a \
                     question together",
        }),
        interaction_note: untested,
        by_item: &system.by_item,
    }
}

/// Returns what came of conditions, as every report has it.
pub(crate) fn gates_json(gates: &[GateResult]) -> Vec<GateJson<'_>> {
    gates.iter().map(GateJson::from).collect()
}

impl<'a> From<&'a GateResult> for GateJson<'a> {
    fn from(gate: &'a GateResult) -> Self {
        let (outcome, more_items) = match gate.outcome {
            GateOutcome::Passed => (GateWord::Passed, None),
            GateOutcome::Met => (GateWord::Met, None),
            GateOutcome::Inconclusive(more) => (GateWord::Inconclusive, more),
        };
        GateJson {
            condition: &gate.text,
            outcome,
            more_items,
            why: &gate.why,
            advice: gate.advice.as_deref(),
        }
    }
}

/// A system, on all items or on those of a category.
pub(super) struct Part<'a> {
    pub(super) system: &'a SystemChange,
    /// None for all items.
    pub(super) category: Option<&'a str>,
    pub(super) change: &'a Change,
    pub(super) p_adjusted: Option<f64>,
}

/// Returns each system on all items, then on those of each category.
pub(super) fn parts_of(comparison: &Comparison) -> impl Iterator<Item = Part<'_>> {
    comparison.systems.iter().flat_map(|system| {
        let categories = system.categories.iter().map(move |one| Part {
            system,
            category: Some(&one.category),
            change: &one.change,
            p_adjusted: one.p_adjusted,
        });
        let whole = Part {
            system,
            category: None,
            change: system.change(),
            p_adjusted: system.p_adjusted,
        };
        std::iter::once(whole).chain(categories)
    })
}

/// Returns a line for each system, and one for each of its categories.
///
/// # Errors
/// Those of the CSV writer.
pub fn compare_csv(comparison: &Comparison) -> Result<String, csv::Error> {
    let mut columns: Columns<Part> = Columns::new(&[
        ("system", |part| part.system.current.clone()),
        ("baseline_system", |part| part.system.baseline.clone()),
        ("category", |part| optional_cell(part.category)),
        ("measure", |part| part.system.measure.name().into()),
    ]);
    columns.push("verdict", |part| {
        verdict_of(part.change, comparison.level).name().into()
    });
    for (at, name) in ["before", "now"].into_iter().enumerate() {
        // A category has no means of its own.
        columns.push(name, move |part| match part.category {
            None => part.system.means[at].to_string(),
            Some(_) => String::new(),
        });
    }
    columns.extend(&[
        ("difference", |part| part.change.difference.to_string()),
        ("ci_low", |part| end_cell(part.change.interval, 0)),
        ("ci_high", |part| end_cell(part.change.interval, 1)),
        ("p", |part| optional_cell(part.change.p_value)),
        ("p_adjusted", |part| optional_cell(part.p_adjusted)),
        ("items", |part| part.change.items.to_string()),
        ("method", |part| part.change.method.name().into()),
    ]);
    columns.csv(parts_of(comparison))
}
