//! The figures of an audit: every tested figure with its interval, Elo ratings before and after the
//! lowest systems were rewritten, and how often each score was given.

use super::words::{Number, Written, dots, intervals};
use super::{DotRow, Figure, NamedFigure, file_name, named, without_names};
use crate::numbers::{group_digits, or_blank};
use evenhand_studies::audit::{AuditReport, Climb, Finding, FindingName, FindingScale};

const STATES: [&str; 3] = ["before", "asked again", "rewritten"];

/// Returns the figures of an audit, the judge card first.
pub fn figures_of_audit(report: &AuditReport) -> Vec<Figure> {
    without_names(audit_figures(report))
}

/// Returns the figures of an audit, each with a name for its file.
pub fn audit_figures(report: &AuditReport) -> Vec<NamedFigure> {
    let mut figures = Vec::new();
    // All tested figures, each with a tick where an unbiased judge is.
    let tested = report.findings.iter().filter(|one| one.p.is_some());
    let card = tested.map(|finding| {
        let group = if finding.biased { "found" } else { "not found" };
        let row = finding_row(finding, report.level);
        row.in_group(group).against(finding.unbiased)
    });
    let note = format!(
        "points and {}; the tick is where an unbiased judge is; found: after correction over {} \
         tests",
        intervals(report.level),
        report.tested
    );
    let title = format!("Judge card: {}", report.judge);
    let card = dots(title, note, "share, or difference of shares", card);
    figures.extend(named("card", card));

    // The shares that nothing is tested of, such as verdicts that failed.
    let rates = report.findings.iter().filter(|finding| {
        let of_category = matches!(
            &finding.name,
            FindingName::NoVerdict { category: Some(_) }
                | FindingName::Refusals { category: Some(_) }
        );
        finding.p.is_none() && finding.scale == FindingScale::Share && !of_category
    });
    let rates = rates.map(|finding| finding_row(finding, report.level));
    let note = format!(
        "points and {} over questions; nothing is tested of these",
        intervals(report.level)
    );
    let rates = dots(format!("Rates: {}", report.judge), note, "share", rates);
    figures.extend(named("rates", rates));

    for (climb, number) in report.climbs.iter().zip(1..) {
        let name = format!("climb-{number}-{}", file_name(&climb.rewrite));
        figures.extend(named(name, climb_figure(report, climb)));
    }
    // How often each score was given by a protocol.
    for (scores, number) in report.distributions.iter().zip(1..) {
        let written = Written::share(report.level);
        let rows = scores.scores.iter();
        let rows = rows.map(|one| written.row(one.score.as_str(), &one.share));
        let note = format!(
            "{}: {} responses, {} over questions",
            scores.protocol,
            group_digits(scores.responses),
            intervals(report.level)
        );
        let form = form_of(&scores.protocol).replace([':', '.'], "-");
        let name = format!("scores-{number}-{}", file_name(&form));
        let title = format!("Scores: {}", report.judge);
        figures.extend(named(name, dots(title, note, "share", rows)));
    }
    figures
}

/// Returns a figure with the form of its protocol.
fn finding_row(finding: &Finding, level: f64) -> DotRow {
    let form = match form_of(&finding.protocol) {
        "" => String::new(),
        form => format!(" ({form})"),
    };
    let label = format!("{}: {}{form}", finding.name.topic(), finding.name);
    let p = or_blank(finding.adjusted_p, |p| format!(", adjusted p {p:.3}"));
    let words = format!(
        "{}{p}, {} items",
        finding.name.estimand(),
        group_digits(finding.items)
    );
    let row = Written::share(level).row(label, &finding.figure);
    row.saying(&words)
}

/// Returns the form of a protocol: the part of its name before the first slash.
fn form_of(protocol: &str) -> &str {
    protocol.split('/').next().unwrap_or("")
}

/// Returns the systems' ratings in all states of a ranking that was climbed.
fn climb_figure(report: &AuditReport, climb: &Climb) -> Option<Figure> {
    let level = report.level;
    let written = Written { decimals: 0, level };
    let rows = climb.systems.iter().flat_map(|system| {
        let mark = if system.rewritten { " (rewritten)" } else { "" };
        let label = format!("{}{mark}", system.system);
        STATES.into_iter().enumerate().map(move |(at, state)| {
            let number = Number::of(system.elo[at], system.elo_ci[at], None);
            let rank = or_blank(system.rank[at], |rank| format!("rank {rank}"));
            let row = written.row(label.as_str(), number);
            row.saying(&rank).in_group(state)
        })
    });
    let note = format!(
        "{}: Elo, {} over questions; only the rewritten systems' responses change",
        climb.protocol,
        intervals(level)
    );
    let title = format!("Climbing by style ({}): {}", climb.rewrite, report.judge);
    dots(title, note, "Elo rating", rows)
}
