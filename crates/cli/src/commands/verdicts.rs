//! Runs that came to no verdict, or to fewer than the user wants: no success.

use crate::Failed;
use evenhand_core::CallResult;
use evenhand_engine::{EngineError, FailureRow, Tally};
use evenhand_report::excerpt;
use evenhand_store::Reader;
use std::path::Path;

/// Characters of a detail or a reply that are shown.
const SHOWN: usize = 2000;

/// Refuses a run without a single verdict, with the first failure of each kind in full, and one
/// whose share of trials with a verdict is below `least`.
pub(crate) fn check_coverage(tally: &Tally, least: Option<f64>, run: &Path) -> Result<(), Failed> {
    let coverage = tally.coverage();
    let share = coverage.verdicts as f64 / coverage.trials.max(1) as f64;
    let why = match least {
        _ if coverage.trials > 0 && coverage.verdicts == 0 => {
            format!("none of {} trials came to a verdict", coverage.trials)
        }
        Some(least) if share < least => format!(
            "{} of {} trials came to a verdict ({:.1} %), less than --min-coverage {least}",
            coverage.verdicts,
            coverage.trials,
            100.0 * share
        ),
        _ => return Ok(()),
    };
    Err(Failed::Run(format!(
        "{why}. {}",
        describe_failures(&tally.failures(), run)
    )))
}

/// Why a run ended whose first trials all failed in one way, with the first of them in full.
pub(crate) fn describe_hopeless_run(why: &EngineError, first: &FailureRow, run: &Path) -> String {
    let shown = describe_failures(std::slice::from_ref(first), run);
    format!(
        "{why}. {shown}\n--keep-going asks them all the same; what was answered is kept in {}",
        run.display()
    )
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

fn describe_failures(rows: &[FailureRow], run: &Path) -> String {
    let store = Reader::open(run).ok();
    let rows: Vec<String> = rows
        .iter()
        .map(|row| describe_failure(row, store.as_ref()))
        .collect();
    format!("The first failure of each kind:\n{}", rows.join("\n"))
}

fn describe_failure(row: &FailureRow, run: Option<&Reader>) -> String {
    let systems: Vec<String> = row.systems.iter().map(|name| excerpt(name, 80)).collect();
    let mut lines = vec![
        format!(
            "  {} ({} of this kind), item {}, {}:",
            row.kind,
            row.count,
            excerpt(&row.item, 80),
            systems.join(" against ")
        ),
        format!("    {}", excerpt(&row.detail, SHOWN)),
    ];
    let replied = row
        .call
        .zip(run)
        .and_then(|(call, run)| run.result(&call).ok()?);
    lines.extend(
        replied
            .and_then(quote_reply)
            .map(|text| format!("    the whole reply: {text}")),
    );
    lines.extend(find_remedy(row.kind).map(|remedy| format!("    {remedy}")));
    lines.join("\n")
}

fn quote_reply(result: CallResult) -> Option<String> {
    let reply = result.ok()?;
    Some(if reply.text.is_empty() {
        "empty".into()
    } else {
        format!("\"{}\"", excerpt(&reply.text, SHOWN))
    })
}

/// What usually helps against failures of a kind.
fn find_remedy(kind: &str) -> Option<&'static str> {
    match kind {
        "unparsed" => Some(
            "where a verdict is in such a reply, --second-stage JUDGE reads it; else ask another \
             judge, or another --protocol",
        ),
        "truncated" => Some(
            "give the judge more room: reasoning-tokens of [judges.NAME] in a --config file \
             (docs/served.md)",
        ),
        "too-long" => Some(
            "the judge's context is too small for these prompts; ask one with more (--context for \
             gguf: judges)",
        ),
        "model-error" => Some(
            "nothing was stored of these calls: once the cause is mended, the same command asks \
             them again",
        ),
        _ => None,
    }
}
