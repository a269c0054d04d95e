//! The ranking of recorded judgments as a table for a terminal.

use crate::table::{coverage, extras, leaderboard};
use crate::view::{View, summary, warnings};
use crate::{Usage, grouped};
use evenhand_engine::{Outcomes, Report};

/// The ranking, and below it what it rests on.
pub fn recorded_table(report: &Report, usage: &Usage, view: View) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut line = |key, value| rows.push((key, value));
    line(
        "score",
        format!("{} by {}", report.unit, report.aggregation),
    );
    line("interval", interval(report));
    if report.judge != "recorded" {
        line("judge", report.judge.clone());
    }
    line("read", format!("{}; {:.2} s", read(report), usage.seconds));
    report
        .outcomes
        .iter()
        .for_each(|outcomes| line("outcomes", counted(outcomes)));
    extras(report)
        .into_iter()
        .for_each(|(key, value)| line(key, value));
    let notes = report
        .ranking
        .iter()
        .filter_map(|row| Some((&row.system, row.note.as_ref()?)));
    notes.for_each(|(system, note)| line("note", format!("{system}: {note}")));
    rows.extend(warnings(&report.warnings, view));
    format!("{}\n\n{}", leaderboard(report, view), summary(rows, view))
}

/// Published weights come without the verdicts that they were fitted to.
fn is_published(report: &Report) -> bool {
    report.coverage.trials == 0
}

fn read(report: &Report) -> String {
    if is_published(report) {
        report.protocol.clone()
    } else {
        coverage(report)
    }
}

fn interval(report: &Report) -> String {
    let ci = &report.ci;
    let over = if ci.cluster == "item" {
        "items"
    } else {
        "single judgments"
    };
    let ranked = report.ranking.iter().any(|row| row.rank_ci.is_some());
    let ranks = if ranked {
        format!("ranks hold together (seed {})", report.seed)
    } else {
        "none of ranks".into()
    };
    match ci.method {
        "none" if is_published(report) => {
            "none: weights are published without their uncertainty, and standard errors are over \
             instructions alone"
                .into()
        }
        "none" => "none was asked for".into(),
        "sandwich" => format!("robust covariance over {over}; {ranks}"),
        "prediction-powered" => format!(
            "prediction-powered (PPI++) covariance over {over}; \
                                         {ranks}"
        ),
        "length-control" => format!("robust covariance over {over}, normal in log-odds; {ranks}"),
        method => format!(
            "{method}, {} resamples of {over}; {ranks}",
            grouped(ci.rounds as u64)
        ),
    }
}

fn counted(outcomes: &Outcomes) -> String {
    let apart = if outcomes.apart {
        "counted for nobody"
    } else {
        "counted as ties"
    };
    let both_bad =
        (outcomes.both_bad > 0.0).then(|| format!(", {:.0} both bad, {apart}", outcomes.both_bad));
    format!(
        "{:.0} decided, {:.0} ties{}",
        outcomes.decided,
        outcomes.ties,
        both_bad.unwrap_or_default()
    )
}
