//! The figures of an audit: every tested figure with its interval, Elo ratings before and after the
//! lowest systems were rewritten, and how often each score was given.

use super::words::{Number, Written, finite_ends};
use super::{Axis, DotRow, Dots, Figure, NamedFigure, file_name, without_names};
use crate::numbers::group_digits;
use evenhand_studies::audit::{
    AuditReport, Climb, Climber, Finding, FindingName, FindingScale, ScoreDistribution,
};

const STATES: [&str; 3] = ["before", "asked again", "rewritten"];

/// Returns the figures of an audit, the judge card first.
pub fn figures_of_audit(report: &AuditReport) -> Vec<Figure> {
    without_names(audit_figures(report))
}

/// Returns the figures of an audit, each with a name for its file.
pub fn audit_figures(report: &AuditReport) -> Vec<NamedFigure> {
    let card = named("card", card_figure(report));
    let rates = named("rates", rates_figure(report));
    let climbs = climb_figures(report);
    let scores = score_figures(report);
    let all = card.into_iter().chain(rates).chain(climbs).chain(scores);
    all.collect()
}

fn named(name: &str, figure: Option<Figure>) -> Option<NamedFigure> {
    figure.map(|figure| (name.to_owned(), figure))
}

/// Returns all tested figures, each with a tick where an unbiased judge is.
fn card_figure(report: &AuditReport) -> Option<Figure> {
    let tested = report.findings.iter();
    let tested = tested.filter(|finding| finding.p.is_some());
    let dots = Dots {
        title: format!("Judge card: {}", report.judge),
        note: Some(card_note(report)),
        axis: Axis::linear("share, or difference of shares"),
        rows: tested
            .map(|finding| tested_row(finding, report.level))
            .collect(),
    };
    dots.if_any()
}

fn card_note(report: &AuditReport) -> String {
    format!(
        "points and {:.0} % intervals; the tick is where an unbiased judge is; found: after \
         correction over {} tests",
        100.0 * report.level,
        report.tested
    )
}

fn tested_row(finding: &Finding, level: f64) -> DotRow {
    let group = if finding.biased { "found" } else { "not found" };
    let row = finding_row(finding, level);
    row.in_group(group).against(finding.unbiased)
}

fn finding_row(finding: &Finding, level: f64) -> DotRow {
    let row = Written::share(level).row(finding_label(finding), &finding.figure);
    row.saying(&finding_words(finding))
}

/// Returns what the figure is, and the form of its protocol.
fn finding_label(finding: &Finding) -> String {
    let form = form_of(&finding.protocol);
    let form = Some(form).filter(|form| !form.is_empty());
    let form = form.map(|form| format!(" ({form})")).unwrap_or_default();
    format!("{}: {}{form}", finding.name.topic(), finding.name)
}

/// Returns the form of a protocol: the part of its name before the first slash.
fn form_of(protocol: &str) -> &str {
    protocol.split('/').next().unwrap_or("")
}

fn finding_words(finding: &Finding) -> String {
    let p = finding.adjusted_p;
    let p = p
        .map(|p| format!(", adjusted p {p:.3}"))
        .unwrap_or_default();
    format!(
        "{}{p}, {} items",
        finding.name.estimand(),
        group_digits(finding.items)
    )
}

/// Returns the shares that nothing is tested of, such as verdicts that failed.
fn rates_figure(report: &AuditReport) -> Option<Figure> {
    let untested = report.findings.iter().filter(|finding| finding.p.is_none());
    let shares = untested.filter(|finding| is_rate_of_all(finding));
    let dots = Dots {
        title: format!("Rates: {}", report.judge),
        note: Some(format!(
            "points and {:.0} % intervals over questions; nothing is tested of these",
            100.0 * report.level
        )),
        axis: Axis::linear("share"),
        rows: shares
            .map(|finding| finding_row(finding, report.level))
            .collect(),
    };
    dots.if_any()
}

/// Whether a finding is a share over all items, and not over those of one category.
fn is_rate_of_all(finding: &Finding) -> bool {
    let of_category = matches!(
        &finding.name,
        FindingName::NoVerdict { category: Some(_) } | FindingName::Refusals { category: Some(_) }
    );
    finding.scale == FindingScale::Share && !of_category
}

/// Returns the rankings that were climbed, a figure for each.
fn climb_figures(report: &AuditReport) -> impl Iterator<Item = NamedFigure> {
    let climbs = report.climbs.iter().zip(1..);
    climbs.filter_map(|(climb, number)| {
        let name = format!("climb-{number}-{}", file_name(&climb.rewrite));
        named(&name, climb_figure(report, climb))
    })
}

fn climb_figure(report: &AuditReport, climb: &Climb) -> Option<Figure> {
    let systems = climb.systems.iter();
    let dots = Dots {
        title: format!("Climbing by style ({}): {}", climb.rewrite, report.judge),
        note: Some(climb_note(report, climb)),
        axis: Axis::linear("Elo rating"),
        rows: systems
            .flat_map(|system| climber_rows(system, report.level))
            .collect(),
    };
    dots.if_any()
}

fn climb_note(report: &AuditReport, climb: &Climb) -> String {
    format!(
        "{}: Elo, {:.0} % intervals over questions; only the rewritten systems' responses change",
        climb.protocol,
        100.0 * report.level
    )
}

/// Returns a system's ratings in all states.
fn climber_rows(system: &Climber, level: f64) -> impl Iterator<Item = DotRow> {
    let mark = if system.rewritten { " (rewritten)" } else { "" };
    let label = format!("{}{mark}", system.system);
    let states = STATES.into_iter().enumerate();
    states.map(move |(at, state)| {
        let row = elo_row(&label, system, at, level);
        row.in_group(state)
    })
}

fn elo_row(label: &str, system: &Climber, state: usize, level: f64) -> DotRow {
    let number = Number {
        value: system.elo[state].filter(|elo| elo.is_finite()),
        ci: finite_ends(system.elo_ci[state]),
        note: None,
    };
    let rank = system.rank[state].map(|rank| format!("rank {rank}"));
    let written = Written { decimals: 0, level };
    written.row(label, number).saying(&rank.unwrap_or_default())
}

/// Returns how often each score was given, a figure for each protocol.
fn score_figures(report: &AuditReport) -> impl Iterator<Item = NamedFigure> {
    let distributions = report.distributions.iter().zip(1..);
    distributions.filter_map(|(scores, number)| {
        let form = form_of(&scores.protocol).replace([':', '.'], "-");
        let name = format!("scores-{number}-{}", file_name(&form));
        named(&name, score_figure(report, scores))
    })
}

fn score_figure(report: &AuditReport, scores: &ScoreDistribution) -> Option<Figure> {
    let written = Written::share(report.level);
    let shares = scores.scores.iter();
    let dots = Dots {
        title: format!("Scores: {}", report.judge),
        note: Some(score_note(report, scores)),
        axis: Axis::linear("share"),
        rows: shares
            .map(|one| written.row(one.score.as_str(), &one.share))
            .collect(),
    };
    dots.if_any()
}

fn score_note(report: &AuditReport, scores: &ScoreDistribution) -> String {
    format!(
        "{}: {} responses, {:.0} % intervals over questions",
        scores.protocol,
        group_digits(scores.responses),
        100.0 * report.level
    )
}
