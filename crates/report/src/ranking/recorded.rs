//! The ranking of recorded judgments as a table for a terminal.

use super::extras::lines_about_systems;
use super::summary::{coverage_text, questions_line, score_line};
use super::table::Shown;
use super::{answer_text, slice_tables};
use crate::numbers::{count_of, group_digits};
use crate::view::{summary_text, warning_lines};
use crate::{Usage, View};
use evenhand_ranking::{Intervals, Report, ReportJudge};

/// Returns the ranking and, below it, what it rests on.
pub fn recorded_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut lines = vec![score_line(report), ("interval", interval_text(report))];
    lines.extend(questions_line(report));
    if let ReportJudge::Named(judge) = &report.judge {
        lines.push(("judge", judge.clone()));
    }
    let read = if is_published(report) {
        report.protocol.clone()
    } else {
        coverage_text(report)
    };
    let left_out = match report.left_out {
        0 => String::new(),
        some => format!(
            "; {} of systems that are not ranked left out",
            count_of(some, "verdict", "verdicts")
        ),
    };
    lines.push(("read", format!("{read}{left_out}; {:.2} s", usage.seconds)));
    if let Some(outcomes) = &report.outcomes {
        // Weights may add up to a fraction.
        let count = |weight: f64| match weight < 1e15 {
            true => group_digits(weight.round() as u64),
            false => format!("{weight:.3e}"),
        };
        let [decided, ties] = [outcomes.decided, outcomes.ties].map(count);
        let mut text = format!("{decided} decided, {ties} ties");
        if outcomes.both_bad > 0.0 {
            let counted = if outcomes.apart {
                "excluded"
            } else {
                "counted as ties"
            };
            text += &format!(", {} both bad, {counted}", count(outcomes.both_bad));
        }
        lines.push(("outcomes", text));
    }
    lines.extend(lines_about_systems(report));
    lines.extend(warning_lines(&report.unsaid_warnings(), view));
    format!(
        "{}{}{}\n\n{}",
        answer_text(report, view),
        Shown::whole(report).table(view),
        slice_tables(report, view),
        summary_text(lines, view)
    )
}

/// Published weights come without the verdicts that they were fitted to.
fn is_published(report: &Report) -> bool {
    report.coverage.trials == 0
}

fn interval_text(report: &Report) -> String {
    let over = report.ci.over();
    let over = over.unwrap_or_else(|| "single judgments".into());
    let method = match report.ci.method {
        Intervals::None if is_published(report) => {
            return "none: weights are published without their uncertainty, and standard errors \
                    are over instructions alone"
                .into();
        }
        Intervals::None => return "none was asked for".into(),
        Intervals::Sandwich => format!("robust covariance over {over}"),
        Intervals::PredictionPowered => {
            format!("prediction-powered (PPI++) covariance over {over}")
        }
        Intervals::LengthControl => format!("robust covariance over {over}, normal in log-odds"),
        method @ (Intervals::Bootstrap | Intervals::Bca) => {
            let (method, rounds) = (method.name(), group_digits(report.ci.rounds as u64));
            format!("{method}, {rounds} resamples of {over}")
        }
    };
    // Which ranks hold jointly is drawn, whatever the method of the intervals.
    let has_ranks = report.ranking.iter().any(|row| row.rank_ci.is_some());
    let seed = match has_ranks || report.ci.method.are_drawn() {
        true => format!(" (seed {})", report.seed),
        false => String::new(),
    };
    match has_ranks {
        true => format!("{method}; rank intervals hold jointly{seed}"),
        false => format!("{method}{seed}; no rank intervals"),
    }
}
