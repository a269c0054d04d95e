//! The ranking of recorded judgments as a table for a terminal.

use super::extras::lines_about_systems;
use super::slices::slice_tables;
use super::summary::{coverage_text, questions_line, score_line};
use crate::slices::slices_answer;

use super::table::leaderboard;
use crate::numbers::group_digits;
use crate::view::{Line, summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_engine::{IntervalMethod, Outcomes, Report};

/// Returns the ranking and, below it, what it rests on.
pub fn recorded_table(report: &Report, usage: &Usage, view: View) -> String {
    let ranking = leaderboard(report, view);
    let lines = summary_lines(report, usage, view);
    let answer = slices_answer(report.interaction.as_ref());
    let slices = slice_tables(report, view);
    format!("{answer}{ranking}{slices}\n\n{}", summary_text(lines, view))
}

fn summary_lines(report: &Report, usage: &Usage, view: View) -> Vec<Line> {
    let mut lines = vec![score_line(report), ("interval", interval_text(report))];
    lines.extend(questions_line(report));
    lines.extend(judge_line(report));
    lines.push(read_line(report, usage));
    lines.extend(report.outcomes.iter().map(outcomes_line));
    lines.extend(lines_about_systems(report));
    lines.extend(warning_lines(&report.warnings, view));
    lines
}

/// Names the judge, where the files do: `recorded` stands for one that they do not name.
fn judge_line(report: &Report) -> Option<Line> {
    (report.judge != "recorded").then(|| ("judge", report.judge.clone()))
}

fn read_line(report: &Report, usage: &Usage) -> Line {
    let text = format!("{}; {:.2} s", read_text(report), usage.seconds);
    ("read", text)
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
    if report.ci.method == "none" {
        return missing_intervals(report).into();
    }
    format!(
        "{}; {}",
        interval_method(&report.ci),
        rank_intervals_text(report)
    )
}

fn missing_intervals(report: &Report) -> &'static str {
    if is_published(report) {
        "none: weights are published without their uncertainty, and standard errors are over \
         instructions alone"
    } else {
        "none was asked for"
    }
}

fn interval_method(ci: &IntervalMethod) -> String {
    let over = resampled_units(ci);
    match ci.method {
        "sandwich" => format!("robust covariance over {over}"),
        "prediction-powered" => format!("prediction-powered (PPI++) covariance over {over}"),
        "length-control" => format!("robust covariance over {over}, normal in log-odds"),
        method => format!(
            "{method}, {} resamples of {over}",
            group_digits(ci.rounds as u64)
        ),
    }
}

fn resampled_units(ci: &IntervalMethod) -> &'static str {
    if ci.cluster == "item" {
        "items"
    } else {
        "single judgments"
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
    let Outcomes { decided, ties, .. } = outcomes;
    let both_bad = both_bad_text(outcomes);
    (
        "outcomes",
        format!("{decided:.0} decided, {ties:.0} ties{both_bad}"),
    )
}

fn both_bad_text(outcomes: &Outcomes) -> String {
    if outcomes.both_bad <= 0.0 {
        return String::new();
    }
    let counted = if outcomes.apart {
        "excluded"
    } else {
        "counted as ties"
    };
    format!(", {:.0} both bad, {counted}", outcomes.both_bad)
}
