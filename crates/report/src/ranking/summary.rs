//! What a ranking rests on: judge, coverage, position, calls and warnings, a line each.

use super::extras::extra_lines;
use super::system_notes;
use crate::numbers::group_digits;
use crate::terminal::excerpt;
use crate::view::{Line, summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_core::{Setting, Source};
use evenhand_engine::{FailureRow, Report, Share};

/// Characters of a failure's detail that are shown.
const DETAIL: usize = 300;

/// Returns what the judgments are, and what the reader must know of them.
pub fn summary_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut lines: Vec<Line> = Vec::new();
    if !report.ranking.is_empty() {
        lines.push(score_line(report));
    }
    lines.extend([
        ("judge", report.judge.clone()),
        (
            "protocol",
            format!("{}, {}", report.protocol, report.design),
        ),
        ("coverage", coverage_text(report)),
        ("position", position_text(report)),
    ]);
    lines.extend(look_lines(report));
    lines.push(("usage", usage.total_line()));
    lines.extend(usage.judge_lines().into_iter().map(|line| ("", line)));
    lines.extend(extra_lines(report));
    lines.extend(system_notes(report));
    lines.extend(report.first_failures.iter().map(failure_line));
    lines.extend(unread_replies(report).map(|advice| ("", advice)));
    lines.extend(warning_lines(&report.warnings, view));
    summary_text(lines, view)
}

pub(super) fn score_line(report: &Report) -> Line {
    (
        "score",
        format!("{} by {}", report.unit, report.aggregation),
    )
}

/// Says which setting would have somebody read the replies that the strict reader could not.
fn unread_replies(report: &Report) -> Option<String> {
    let replies = match report.unread {
        0 => return None,
        1 => "1 reply".into(),
        count => format!("{} replies", group_digits(count)),
    };
    Some(format!(
        "{replies} could not be read; {} JUDGE would have another model say which verdict they \
         express",
        Setting::SecondStage
    ))
}

fn failure_line(first: &FailureRow) -> Line {
    let systems = first.systems.join(" against ");
    let detail = excerpt(&first.detail, DETAIL);
    (
        "failure",
        format!(
            "{}, first: item {}, {systems}: {detail}",
            first.kind, first.item
        ),
    )
}

/// Says how many trials have a verdict, and what became of the others.
pub(super) fn coverage_text(report: &Report) -> String {
    let coverage = &report.coverage;
    let failures = counted_list(&coverage.failures, "");
    let failures = if failures.is_empty() {
        "no failure"
    } else {
        &failures
    };
    format!(
        "{} of {} trials have a verdict ({failures})",
        group_digits(coverage.verdicts),
        group_digits(coverage.trials)
    )
}

/// Returns `3 truncated, 1 refused`, with `before` in front of each name.
fn counted_list<'a, K: ToString + 'a>(
    counts: impl IntoIterator<Item = (&'a K, &'a u64)>,
    before: &str,
) -> String {
    counts
        .into_iter()
        .map(|(name, count)| format!("{} {before}{}", group_digits(*count), name.to_string()))
        .collect::<Vec<_>>()
        .join(", ")
}

fn position_text(report: &Report) -> String {
    let first = first_slot_text(report);
    match &report.consistency {
        Some(share) => format!(
            "the same outcome in both orders on {} of {} pairs{first}",
            percent_text(share),
            group_digits(share.n)
        ),
        None if report.first_slot.is_some() => {
            format!("not measured: no pair was judged in both orders{first}")
        }
        None if report.pairwise => "not measured: no pair has a verdict".into(),
        None => "consistent by construction: no two responses are shown together".into(),
    }
}

fn first_slot_text(report: &Report) -> String {
    report
        .first_slot
        .as_ref()
        .map_or_else(String::new, |first| {
            format!("; the first response gets {}", percent_text(first))
        })
}

/// Returns what several looks at one trial say: of a panel, of a protocol with stages, of a second
/// stage.
fn look_lines(report: &Report) -> impl Iterator<Item = Line> {
    let agreement = report.agreement.as_ref().map(panel_line);
    let stages = (!report.stages.is_empty()).then(|| {
        let ended = counted_list(&report.stages, "at ");
        ("stages", format!("trials ended {ended}"))
    });
    let sources =
        has_other_readers(report).then(|| ("read from", counted_list(&report.sources, "")));
    [agreement, stages, sources].into_iter().flatten()
}

fn panel_line(agreement: &Share) -> Line {
    (
        "panel",
        format!(
            "two members agree on {} of {} comparisons of their verdicts",
            percent_text(agreement),
            group_digits(agreement.n)
        ),
    )
}

/// Whether some verdicts were read by somebody other than the strict reader.
fn has_other_readers(report: &Report) -> bool {
    [Source::SecondStage, Source::Person, Source::Mixed]
        .iter()
        .any(|source| report.sources.contains_key(source.name()))
}

fn percent_text(share: &Share) -> String {
    let ci = share.ci.map_or_else(String::new, |[low, high]| {
        format!(" ({:.0} to {:.0})", 100.0 * low, 100.0 * high)
    });
    format!("{:.0} %{ci}", 100.0 * share.value)
}
