//! Runs that came to no verdict, or to fewer than the user wants: no success.

use crate::Failed;
use evenhand_engine::{Coverage, EngineError, FailureRow, ReadingRow, Tally};
use evenhand_report::excerpt;
use evenhand_store::Reader;
use std::path::Path;

/// Characters of a detail or a reply that are shown.
const SHOWN: usize = 2000;

/// Refuses a run without a single verdict, with the first failure of each kind in full, and one
/// whose share of trials with a verdict is below `least`.
pub(crate) fn check_coverage(tally: &Tally, least: Option<f64>, run: &Path) -> Result<(), Failed> {
    let Coverage {
        trials, verdicts, ..
    } = *tally.coverage();
    let share = verdicts as f64 / trials.max(1) as f64;
    let why = if trials > 0 && verdicts == 0 {
        format!("none of {trials} trials came to a verdict")
    } else if let Some(least) = least.filter(|least| share < *least) {
        format!(
            "{verdicts} of {trials} trials came to a verdict ({:.1} %), less than --min-coverage \
             {least}",
            100.0 * share
        )
    } else {
        return Ok(());
    };
    let failures = describe_failures(&tally.failures(), run);
    Err(Failed::Judge(format!("{why}. {failures}")))
}

/// Why a run ended whose first trials all failed in one way, with the first of them in full.
pub(crate) fn describe_hopeless_run(why: &EngineError, first: &FailureRow, run: &Path) -> String {
    let shown = describe_failures(std::slice::from_ref(first), run);
    format!(
        "{why}. {shown}\n--keep-going asks them anyway; the answers so far are kept in {}",
        run.display()
    )
}

/// Characters of a reply that a report shows as an example.
const EXAMPLE: usize = 500;

/// Puts into each row of a report's readings the reply that it names, as the run holds it: its end,
/// where a verdict stands, if it is long.
pub(crate) fn show_replies(mut rows: Vec<ReadingRow>, run: &Path) -> Vec<ReadingRow> {
    // Without the run there are counts and no examples.
    let Some(run) = (!rows.is_empty()).then(|| Reader::open(run).ok()).flatten() else {
        return rows;
    };
    for row in &mut rows {
        let stored = row.call.and_then(|call| run.result(&call).ok()?);
        let Some(Ok(reply)) = stored else {
            continue;
        };
        let said = match (reply.text.trim().is_empty(), reply.reasoning) {
            (true, Some(thought)) => thought,
            _ => reply.text,
        };
        let beyond = said.chars().count().saturating_sub(EXAMPLE);
        row.reply = Some(match beyond {
            0 => said,
            _ => format!("...{}", said.chars().skip(beyond).collect::<String>()),
        });
    }
    rows
}

/// Refuses a share outside [0, 1].
pub(crate) fn check_min_coverage(least: Option<f64>) -> Result<(), Failed> {
    match least {
        Some(least) if !(0.0..=1.0).contains(&least) => Err(Failed::usage(format!(
            "--min-coverage {least}: expected a share from 0 to 1, such as 0.95"
        ))),
        _ => Ok(()),
    }
}

/// Returns the first failure of each kind in full.
pub(crate) fn describe_failures(rows: &[FailureRow], run: &Path) -> String {
    let store = Reader::open(run).ok();
    let mut text = "The first failure of each kind:".to_string();
    for row in rows {
        text += "\n";
        text += &describe_failure(row, store.as_ref());
    }
    text
}

fn describe_failure(row: &FailureRow, run: Option<&Reader>) -> String {
    let systems: Vec<String> = row.systems.iter().map(|name| excerpt(name, 80)).collect();
    let mut text = format!(
        "  {} ({} of this kind), item {}, {}:\n    {}",
        row.kind,
        row.count,
        excerpt(&row.item, 80),
        systems.join(" against "),
        excerpt(&row.detail, SHOWN)
    );
    // The reply that has no verdict, where the run directory holds it.
    let stored = row
        .call
        .zip(run)
        .and_then(|(call, run)| run.result(&call).ok()?);
    if let Some(Ok(reply)) = stored {
        let said = match &*reply.text {
            "" => "empty".into(),
            text => format!("\"{}\"", excerpt(text, SHOWN)),
        };
        text += &format!("\n    the whole reply: {said}");
    }
    if let Some(remedy) = find_remedy(row.kind) {
        text += &format!("\n    {remedy}");
    }
    text
}

/// Returns what usually helps against failures of a kind.
fn find_remedy(kind: &str) -> Option<&'static str> {
    match kind {
        "unparsed" => Some(
            "if there is a verdict in such a reply, --second-stage JUDGE can read it; else use \
             another judge or another --protocol",
        ),
        "truncated" => Some(
            "give the judge more room: reasoning-tokens of [judges.NAME] in a --config file \
             (docs/served.md)",
        ),
        "too-long" => Some(
            "the judge's context is too small for these prompts; use a larger one (--context for \
             gguf: judges)",
        ),
        "model-error" => Some(
            "these calls were not stored: once the cause is fixed, the same command makes them \
             again",
        ),
        _ => None,
    }
}
