//! The ranking of recorded judgments as a table for a terminal.

use super::extras::extra_lines;
use super::summary::{coverage_text, score_line};
use super::system_notes;
use super::table::leaderboard;
use crate::numbers::group_digits;
use crate::view::{Line, summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_engine::{Outcomes, Report};

/// Returns the ranking and, below it, what it rests on.
pub fn recorded_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut lines: Vec<Line> = vec![score_line(report), ("interval", interval_text(report))];
    if report.judge != "recorded" {
        lines.push(("judge", report.judge.clone()));
    }
    lines.push((
        "read",
        format!("{}; {:.2} s", read_text(report), usage.seconds),
    ));
    lines.extend(report.outcomes.iter().map(outcomes_line));
    lines.extend(extra_lines(report));
    lines.extend(system_notes(report));
    lines.extend(warning_lines(&report.warnings, view));
    format!(
        "{}\n\n{}",
        leaderboard(report, view),
        summary_text(lines, view)
    )
}

/// Published weights come without the verdicts that they were fitted to.
fn is_published(report: &Report) -> bool {
    report.coverage.trials == 0
}

fn read_text(report: &Report) -> String {
    if is_published(report) {
        report.protocol.clone()
    } else {
        coverage_text(report)
    }
}

fn interval_text(report: &Report) -> String {
    let ranks = rank_intervals_text(report);
    let over = if report.ci.cluster == "item" {
        "items"
    } else {
        "single judgments"
    };
    match report.ci.method {
        "none" if is_published(report) => {
            "none: weights are published without their uncertainty, and standard errors are over \
             instructions alone"
                .into()
        }
        "none" => "none was asked for".into(),
        "sandwich" => format!("robust covariance over {over}; {ranks}"),
        "prediction-powered" => {
            format!("prediction-powered (PPI++) covariance over {over}; {ranks}")
        }
        "length-control" => format!("robust covariance over {over}, normal in log-odds; {ranks}"),
        method => format!(
            "{method}, {} resamples of {over}; {ranks}",
            group_digits(report.ci.rounds as u64)
        ),
    }
}

fn rank_intervals_text(report: &Report) -> String {
    if report.ranking.iter().any(|row| row.rank_ci.is_some()) {
        format!("rank intervals hold jointly (seed {})", report.seed)
    } else {
        "no rank intervals".into()
    }
}

fn outcomes_line(outcomes: &Outcomes) -> Line {
    let counted = if outcomes.apart {
        "excluded"
    } else {
        "counted as ties"
    };
    let both_bad = if outcomes.both_bad > 0.0 {
        format!(", {:.0} both bad, {counted}", outcomes.both_bad)
    } else {
        String::new()
    };
    (
        "outcomes",
        format!(
            "{:.0} decided, {:.0} ties{both_bad}",
            outcomes.decided, outcomes.ties
        ),
    )
}
