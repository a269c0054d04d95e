//! The ranking of recorded judgments as a table for a terminal.

use super::extras::lines_about_systems;
use super::slice_tables;
use super::summary::{coverage_text, questions_line, score_line};
use super::table::{Shown, leaderboard};
use crate::numbers::group_digits;
use crate::slices::slices_answer;
use crate::view::{summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_ranking::{Outcomes, Report};

/// Returns the ranking and, below it, what it rests on.
pub fn recorded_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut lines = vec![score_line(report), ("interval", interval_text(report))];
    lines.extend(questions_line(report));
    // `recorded` stands for a judge that the files do not name.
    if report.judge != "recorded" {
        lines.push(("judge", report.judge.clone()));
    }
    let read = if is_published(report) {
        report.protocol.clone()
    } else {
        coverage_text(report)
    };
    lines.push(("read", format!("{read}; {:.2} s", usage.seconds)));
    let outcomes = report.outcomes.iter();
    lines.extend(outcomes.map(|outcomes| ("outcomes", outcomes_text(outcomes))));
    lines.extend(lines_about_systems(report));
    lines.extend(warning_lines(&report.warnings, view));
    format!(
        "{}{}{}\n\n{}",
        slices_answer(report.interaction.as_ref()),
        leaderboard(Shown::whole(report), view),
        slice_tables(report, view),
        summary_text(lines, view)
    )
}

/// Published weights come without the verdicts that they were fitted to.
fn is_published(report: &Report) -> bool {
    report.coverage.trials == 0
}

fn interval_text(report: &Report) -> String {
    let over = match report.ci.cluster {
        "item" => "items",
        _ => "single judgments",
    };
    let method = match report.ci.method {
        "none" if is_published(report) => {
            return "none: weights are published without their uncertainty, and standard errors \
                    are over instructions alone"
                .into();
        }
        "none" => return "none was asked for".into(),
        "sandwich" => format!("robust covariance over {over}"),
        "prediction-powered" => format!("prediction-powered (PPI++) covariance over {over}"),
        "length-control" => format!("robust covariance over {over}, normal in log-odds"),
        method => {
            let rounds = group_digits(report.ci.rounds as u64);
            format!("{method}, {rounds} resamples of {over}")
        }
    };
    if report.ranking.iter().any(|row| row.rank_ci.is_some()) {
        format!(
            "{method}; rank intervals hold jointly (seed {})",
            report.seed
        )
    } else {
        format!("{method}; no rank intervals")
    }
}

fn outcomes_text(outcomes: &Outcomes) -> String {
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
    format!(
        "{:.0} decided, {:.0} ties{both_bad}",
        outcomes.decided, outcomes.ties
    )
}
