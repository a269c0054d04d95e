//! The grounds of a ranking: judge, coverage, position, calls and warnings, a line each.

use super::extras::lines_about_systems;
use crate::numbers::{count_items, count_of, group_digits, or_blank};
use crate::terminal::excerpt;
use crate::view::{Line, summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_core::{Setting, VerdictSource};
use evenhand_engine::{CriteriaReport, FailureRow, NoiseFloor, Report, Share};
use std::fmt::Display;

/// Characters of a failure's detail that are shown.
const DETAIL: usize = 300;

/// Returns what the judgments are, and what the reader must know of them.
pub fn summary_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut lines = judging_lines(report);
    lines.extend(usage_lines(usage));
    lines.extend(lines_about_systems(report));
    lines.extend(failure_lines(report));
    lines.extend(warning_lines(&report.warnings, view));
    summary_text(lines, view)
}

/// Returns what all calls took, and a line for each judge where there are several.
fn usage_lines(usage: &Usage) -> impl Iterator<Item = Line> {
    let judges = usage.judge_lines().into_iter();
    [("usage", usage.total_line())]
        .into_iter()
        .chain(judges.map(|line| ("", line)))
}

/// Returns who judged how, how many trials have a verdict, and how far order mattered.
fn judging_lines(report: &Report) -> Vec<Line> {
    // `judge` has no ranking, hence no score to explain.
    let score = (!report.ranking.is_empty()).then(|| score_line(report));
    let mut lines: Vec<Line> = score.into_iter().collect();
    lines.extend(judge_lines(report));
    lines.extend(report.criteria.iter().map(criteria_line));
    lines.extend(questions_line(report));
    lines.push(("position", position_text(report)));
    lines.extend(report.noise.iter().map(|noise| ("noise", noise.sentence())));
    if report.items > 0 && report.noise.is_none() {
        let few = NoiseFloor::too_few(report.items, report.questions);
        lines.extend(few.map(|why| ("noise", why)));
    }
    lines.extend(look_lines(report));
    lines
}

/// Says that items share questions, where they do, and what that means.
pub(super) fn questions_line(report: &Report) -> Option<Line> {
    let counted = match report.ci.cluster {
        "item" => "; intervals and tests count each question once",
        _ => "",
    };
    let items = count_items(report.items, report.questions);
    (report.questions < report.items).then(|| ("items", format!("{items}{counted}")))
}

/// Returns who judged, how, and on how many trials.
fn judge_lines(report: &Report) -> [Line; 3] {
    let protocol = format!("{}, {}", report.protocol, report.design);
    [
        ("judge", report.judge.clone()),
        ("protocol", protocol),
        ("coverage", coverage_text(report)),
    ]
}

/// Returns the first failure of each kind, and what to do about unread replies.
fn failure_lines(report: &Report) -> impl Iterator<Item = Line> {
    let failures = report.first_failures.iter().map(failure_line);
    failures.chain(unread_replies(report).map(|advice| ("", advice)))
}

pub(super) fn score_line(report: &Report) -> Line {
    (
        "score",
        format!("{} by {}", report.unit, report.aggregation),
    )
}

/// Says which setting would have somebody read the replies that the strict reader could not.
fn unread_replies(report: &Report) -> Option<String> {
    if report.unread == 0 {
        return None;
    }
    Some(format!(
        "{} could not be read; {} JUDGE would have another model say which verdict they express",
        count_of(report.unread, "reply", "replies"),
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
    let mut failures = counted_list(&coverage.failures, "");
    if failures.is_empty() {
        failures.push_str("no failure");
    }
    let [verdicts, trials] = [coverage.verdicts, coverage.trials].map(group_digits);
    format!("{verdicts} of {trials} trials have a verdict ({failures})")
}

/// Returns `3 truncated, 1 refused`, with `before` in front of each name.
fn counted_list<'a, K: Display + 'a>(
    counts: impl IntoIterator<Item = (&'a K, &'a u64)>,
    before: &str,
) -> String {
    let counts = counts.into_iter();
    let texts = counts.map(|(name, count)| format!("{} {before}{name}", group_digits(*count)));
    texts.collect::<Vec<_>>().join(", ")
}

/// Says how many criteria were read, and who wrote them.
fn criteria_line(criteria: &CriteriaReport) -> Line {
    let verdicts = count_of(criteria.verdicts, "verdict", "verdicts");
    let failures = unread_criteria(criteria);
    let writer = if criteria.model_written {
        "; the criteria are model-written, from the instructions alone"
    } else {
        ""
    };
    (
        "criteria",
        format!("{verdicts} on single criteria ({failures}){writer}"),
    )
}

fn unread_criteria(criteria: &CriteriaReport) -> String {
    if criteria.failures.values().sum::<u64>() == 0 {
        return "no failure".into();
    }
    format!(
        "{}, each of which leaves a judgment without a score",
        counted_list(&criteria.failures, "")
    )
}

fn position_text(report: &Report) -> String {
    let first = first_slot_text(report);
    if let Some(share) = &report.consistency {
        return consistency_text(share) + &first;
    }
    if report.first_slot.is_some() {
        return format!("not measured: no pair was judged in both orders{first}");
    }
    unmeasured_position_text(report.pairwise).into()
}

fn consistency_text(share: &Share) -> String {
    format!(
        "the same outcome in both orders on {} of {} pairs",
        percent_text(share),
        group_digits(share.n)
    )
}

fn unmeasured_position_text(pairwise: bool) -> &'static str {
    if pairwise {
        "not measured: no pair has a verdict"
    } else {
        "consistent by construction: no two responses are shown together"
    }
}

fn first_slot_text(report: &Report) -> String {
    or_blank(report.first_slot.as_ref(), |first| {
        format!("; the first response gets {}", percent_text(first))
    })
}

/// Returns what several looks at one trial say: of a panel, of a protocol with stages, of a second
/// stage.
fn look_lines(report: &Report) -> impl Iterator<Item = Line> {
    let panel = report.agreement.as_ref().map(panel_line);
    [panel, stage_line(report), reader_line(report)]
        .into_iter()
        .flatten()
        .chain(reading_lines(report))
}

/// Returns how many replies were read in which way from the judge's words, with one of each, where
/// there was more than answers in the form asked for.
fn reading_lines(report: &Report) -> Vec<Line> {
    let usual = VerdictSource::Text.name();
    if report.readings.iter().all(|row| row.source == usual) {
        return Vec::new();
    }
    let counts = report
        .readings
        .iter()
        .map(|row| format!("{} {}", group_digits(row.replies), row.manner));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let mut lines = vec![("replies", format!("read {counts}"))];
    for row in &report.readings {
        if let Some(reply) = &row.reply {
            let (item, reply) = (excerpt(&row.item, 80), excerpt(reply, DETAIL));
            lines.push(("", format!("{}: item {item}: {reply}", row.manner)));
        }
    }
    lines
}

fn stage_line(report: &Report) -> Option<Line> {
    if report.stages.is_empty() {
        return None;
    }
    let ended = counted_list(&report.stages, "at ");
    Some(("stages", format!("trials ended {ended}")))
}

fn reader_line(report: &Report) -> Option<Line> {
    has_other_readers(report).then(|| ("read from", counted_list(&report.sources, "")))
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
    [
        VerdictSource::SecondStage,
        VerdictSource::Person,
        VerdictSource::Mixed,
    ]
    .iter()
    .any(|source| report.sources.contains_key(source.name()))
}

fn percent_text(share: &Share) -> String {
    let ci = or_blank(share.ci, |ends| {
        let [low, high] = ends.map(|end| 100.0 * end);
        format!(" ({low:.0} to {high:.0})")
    });
    format!("{:.0} %{ci}", 100.0 * share.value)
}
