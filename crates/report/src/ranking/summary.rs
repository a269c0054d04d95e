//! The grounds of a ranking: judge, coverage, position, calls and warnings, a line each.

use super::extras::lines_about_systems;
use crate::numbers::{count_items, count_of, group_digits, or_blank};
use crate::terminal::excerpt;
use crate::view::{Line, summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_core::{Setting, VerdictSource};
use evenhand_ranking::{Cluster, CriteriaReport, NoiseFloor, Report, Share};
use std::fmt::Display;

/// Characters of a failure's detail that are shown.
const DETAIL: usize = 300;

/// Returns what the judgments are, and what the reader must know of them.
pub fn summary_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut lines = judging_lines(report);
    lines.push(("usage", usage.total_line()));
    lines.extend(usage.judge_lines().into_iter().map(|line| ("", line)));
    lines.extend(lines_about_systems(report));
    for first in &report.first_failures {
        let text = format!(
            "{}, first: item {}, {}: {}",
            first.kind,
            first.item,
            first.systems.join(" against "),
            excerpt(&first.detail, DETAIL)
        );
        lines.push(("failure", text));
    }
    if report.unread > 0 {
        let text = format!(
            "{} could not be read; {} JUDGE lets another model say which verdict they express",
            count_of(report.unread, "reply", "replies"),
            Setting::SecondStage
        );
        lines.push(("", text));
    }
    lines.extend(warning_lines(&report.unsaid_warnings(), view));
    summary_text(lines, view)
}

/// Returns who judged how, how many trials have a verdict, and how far order mattered.
fn judging_lines(report: &Report) -> Vec<Line> {
    let mut lines = Vec::new();
    // `judge` has no ranking, hence no score to explain.
    if !report.ranking.is_empty() {
        lines.push(score_line(report));
    }
    lines.push(("judge", report.judge.to_string()));
    let protocol = format!("{}, {}", report.protocol, report.design);
    lines.push(("protocol", protocol));
    lines.push(("coverage", coverage_text(report)));
    lines.extend(report.criteria.iter().map(criteria_line));
    lines.extend(questions_line(report));
    lines.push(("position", position_text(report)));
    match &report.noise {
        Some(noise) => lines.push(("noise", noise.sentence())),
        None if report.items > 0 => {
            let few = NoiseFloor::too_few(report.items, report.questions);
            lines.extend(few.map(|why| ("noise", why)));
        }
        None => {}
    }
    lines.extend(look_lines(report));
    lines
}

pub(super) fn score_line(report: &Report) -> Line {
    let text = format!("{} by {}", report.unit, report.aggregation);
    ("score", text)
}

/// Says that items share questions, where they do, and what that means.
pub(super) fn questions_line(report: &Report) -> Option<Line> {
    let counted = match report.ci.cluster {
        Cluster::Item => "; intervals and tests count each question once",
        Cluster::None => "",
    };
    let items = count_items(report.items, report.questions);
    (report.questions < report.items).then(|| ("items", format!("{items}{counted}")))
}

/// Says how many trials have a verdict, and what became of the others.
pub(super) fn coverage_text(report: &Report) -> String {
    let coverage = &report.coverage;
    let mut failures = counted_list(&coverage.failures, "");
    if failures.is_empty() {
        failures.push_str("no failure");
    }
    let [verdicts, trials] = [coverage.verdicts, coverage.trials].map(group_digits);
    let set_aside = match report.set_aside {
        0 => String::new(),
        some => format!(
            "; {} of these count and {} are set aside: their pair failed in the other order",
            group_digits(coverage.verdicts - some),
            group_digits(some)
        ),
    };
    format!("{verdicts} of {trials} trials have a verdict ({failures}){set_aside}")
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
    let failures = match criteria.failures.values().sum::<u64>() {
        0 => "no failure".into(),
        _ => format!(
            "{}, each of which leaves a judgment without a score",
            counted_list(&criteria.failures, "")
        ),
    };
    let writer = if criteria.model_written {
        "; the criteria are model-written, from the instructions alone"
    } else {
        ""
    };
    let text = format!("{verdicts} on single criteria ({failures}){writer}");
    ("criteria", text)
}

fn position_text(report: &Report) -> String {
    let first = or_blank(report.first_slot.as_ref(), |first| {
        format!("; the first response gets {}", percent_text(first))
    });
    if let Some(share) = &report.consistency {
        let like_a_coin = share.ci.is_some_and(|[low, _]| low <= 0.5);
        let coin = if like_a_coin { " (a coin: 50 %)" } else { "" };
        return format!(
            "the same outcome in both orders on {} of {} pairs{coin}{first}",
            percent_text(share),
            group_digits(share.n)
        );
    }
    if report.first_slot.is_some() {
        return format!("not measured: no pair was judged in both orders{first}");
    }
    if report.pairwise && report.coverage.verdicts > 0 {
        "not measured: both responses of each pair are the same".into()
    } else if report.pairwise {
        "not measured: no pair has a verdict".into()
    } else {
        "consistent by construction: no two responses are shown together".into()
    }
}

/// Returns what several looks at one trial say: of a panel, of a protocol with stages, of a second
/// stage.
fn look_lines(report: &Report) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(agreement) = &report.agreement {
        let text = format!(
            "two members agree on {} of {} comparisons of their verdicts",
            percent_text(agreement),
            group_digits(agreement.n)
        );
        lines.push(("panel", text));
    }
    if !report.stages.is_empty() {
        let ended = counted_list(&report.stages, "at ");
        lines.push(("stages", format!("trials ended {ended}")));
    }
    // Read by somebody other than the strict reader.
    let others = [
        VerdictSource::SecondStage,
        VerdictSource::Person,
        VerdictSource::Mixed,
    ];
    if others
        .iter()
        .any(|source| report.sources.contains_key(source.name()))
    {
        lines.push(("read from", counted_list(&report.sources, "")));
    }
    lines.extend(reading_lines(report));
    lines
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

fn percent_text(share: &Share) -> String {
    let ci = or_blank(share.ci, |ends| {
        let [low, high] = ends.map(|end| 100.0 * end);
        format!(" ({low:.0} to {high:.0})")
    });
    format!("{:.0} %{ci}", 100.0 * share.value)
}
