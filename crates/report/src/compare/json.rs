//! A comparison as JSON and CSV.

use super::words::{answer_text, missing_text, verdict_of};
use crate::serialize::{array_of, csv_text, json_text, optional_cell};
use evenhand_compare::gate::{GateOutcome, GateResult};
use evenhand_compare::{Change, Comparison, Copied, Drift, SystemChange};
use serde_json::{Value, json};

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
    let systems = comparison.systems.iter().map(|one| system_json(one, level));
    let settings = comparison
        .settings
        .iter()
        .map(|one| json!({"setting": one.key, "baseline": one.here, "current": one.there}));
    // What rests on replies of other runs; null for a side where nothing does.
    let copied = |copied: &Copied| {
        let runs = copied.runs.iter();
        let runs = runs.map(|(run, calls)| json!({"run": run, "replies": calls}));
        json!({
            "verdicts": copied.judgments,
            "of": copied.of,
            "runs": runs.collect::<Value>(),
        })
    };
    json_text(&json!({
        "missing": missing_json(comparison),
        "baseline": comparison.baseline,
        "current": comparison.current,
        "coverage": comparison.coverage(),
        "copied": {
            "baseline": comparison.copied[0].as_ref().map(copied),
            "current": comparison.copied[1].as_ref().map(copied),
        },
        "settings": settings.collect::<Value>(),
        "items": comparison.items,
        "questions": comparison.questions,
        "items_rewritten": comparison.rewritten,
        "anchors": comparison.anchors,
        "failures": {"baseline": comparison.failures[0], "current": comparison.failures[1]},
        "systems": systems.collect::<Value>(),
        "judge_drift": comparison.drift.as_ref().map(|drift| drift_json(drift, level)),
        "gates": array_of(gates, gate_json),
        "level": level,
    }))
}

/// What should be compared and is not: in words, null where nothing is; by system; and of each run
/// its plan and its state.
fn missing_json(comparison: &Comparison) -> Value {
    let missing = &comparison.missing;
    let systems = missing.systems.iter().filter(|one| one.missing() > 0);
    let systems = systems.map(|one| {
        json!({
            "system": one.current,
            "baseline_system": one.baseline,
            "items": one.missing(),
            "of": one.expected,
        })
    });
    let [before, now] = [0, 1].map(|side| {
        let run = missing.runs[side].as_ref();
        run.map(|run| run.progress)
    });
    json!({
        "text": missing_text(comparison),
        "systems": systems.collect::<Value>(),
        "anchors": missing.anchors[0],
        "runs": {"baseline": before, "current": now},
    })
}

fn system_json(system: &SystemChange, level: f64) -> Value {
    let (tested, untested) = match &system.interaction {
        Some(Ok(test)) => (Some(test), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let tested = tested.map(|test| {
        json!({
            "p": test.p_value,
            "categories": test.categories,
            "furthest": test.furthest,
            "beyond": test.beyond,
            "method": "studentised max-t, by permutation and by random signs of items, those of a \
                       question together",
        })
    });
    let categories = array_of(&system.categories, |one| {
        json!({
            "category": one.category,
            "change": change_json(&one.change),
            "p_adjusted": one.p_adjusted,
            "too_small": one.too_small,
        })
    });
    let by_item = array_of(&system.by_item, |item| {
        json!({
            "item": item.item,
            "before": item.baseline,
            "now": item.current,
            "changed": item.changed,
            "verdicts": item.verdicts[0],
            "agreeing": item.verdicts[1],
            "judgment": item.trial,
        })
    });
    json!({
        "system": system.current,
        "baseline_system": system.baseline,
        "measure": system.measure.name(),
        "verdict": verdict_of(system.change(), level).name(),
        "answer": answer_text(system, level),
        "before": system.means[0],
        "now": system.means[1],
        "items_changed": system.changed,
        "change": change_json(system.change()),
        "observed": change_json(&system.observed),
        "drift": system.drift.as_ref().map(change_json),
        "p_adjusted": system.p_adjusted,
        "categories": categories,
        "interaction": tested,
        "interaction_note": untested,
        "by_item": by_item,
    })
}

fn change_json(change: &Change) -> Value {
    json!({
        "method": change.method.name(),
        "difference": change.difference,
        "ci": change.interval,
        "p": change.p_value,
        "items": change.items,
        "questions": change.questions,
        "up": change.up,
        "down": change.down,
        "moved": change.moved,
        "detectable": change.detectable,
        "note": change.undefined,
    })
}

fn drift_json(drift: &Drift, level: f64) -> Value {
    let tests = array_of(&drift.tests, |test| {
        json!({
            "what": test.what.name(),
            "change": change_json(&test.change),
            "p_adjusted": test.p_adjusted,
        })
    });
    json!({
        "judgments": drift.judgments,
        "items": drift.items,
        "copied": drift.copied,
        "turned": drift.changed,
        "significant": drift.is_significant(level),
        "tests": tests,
    })
}

fn gate_json(gate: &GateResult) -> Value {
    let (outcome, more) = match gate.outcome {
        GateOutcome::Passed => ("passed", None),
        GateOutcome::Met => ("met", None),
        GateOutcome::Inconclusive(more) => ("inconclusive", more),
    };
    json!({"condition": gate.text, "outcome": outcome, "more_items": more, "why": gate.why})
}

const HEADER: [&str; 14] = [
    "system",
    "baseline_system",
    "category",
    "measure",
    "verdict",
    "before",
    "now",
    "difference",
    "ci_low",
    "ci_high",
    "p",
    "p_adjusted",
    "items",
    "method",
];

/// Returns a line for each system, and one for each of its categories.
///
/// # Errors
/// Those of the CSV writer.
pub fn compare_csv(comparison: &Comparison) -> Result<String, csv::Error> {
    let level = comparison.level;
    let mut rows = Vec::new();
    for system in &comparison.systems {
        let means = system.means.map(|mean| mean.to_string());
        let change = system.change();
        rows.push(row(system, "", means, change, system.p_adjusted, level));
        for one in &system.categories {
            let blank = [String::new(), String::new()];
            let (change, p_adjusted) = (&one.change, one.p_adjusted);
            rows.push(row(system, &one.category, blank, change, p_adjusted, level));
        }
    }
    csv_text(HEADER, rows)
}

fn row(
    system: &SystemChange,
    category: &str,
    [before, now]: [String; 2],
    change: &Change,
    p_adjusted: Option<f64>,
    level: f64,
) -> Vec<String> {
    vec![
        system.current.clone(),
        system.baseline.clone(),
        category.into(),
        system.measure.name().into(),
        verdict_of(change, level).name().into(),
        before,
        now,
        change.difference.to_string(),
        optional_cell(change.interval.map(|[low, _]| low)),
        optional_cell(change.interval.map(|[_, high]| high)),
        optional_cell(change.p_value),
        optional_cell(p_adjusted),
        change.items.to_string(),
        change.method.name().into(),
    ]
}
