//! The figures of an audit: every tested figure with its interval, what rewriting does at equal and
//! at lower quality (Tripathi et al. 2025, figures 2 and 3), Elo ratings before and after the
//! lowest systems were rewritten, and how often each score was given.

use super::words::{Number, Written, bars, dots, intervals};
use super::{DotRow, Figure, NamedFigure, file_name, named, without_names};
use crate::audit::ProtocolNames;
use crate::numbers::{count_of, group_digits, or_blank};
use evenhand_core::{in_order, p_value_text};
use evenhand_studies::audit::{
    AuditReport, Climb, Finding, FindingName, FindingScale, KindOfProtocol, RewriteEffect, kind_of,
};
use std::slice;

const STATES: [&str; 3] = ["before", "asked again", "rewritten"];

/// Returns the figures of audits: those of all judges together, then those of each, the judge card
/// first.
pub fn figures_of_audits(reports: &[AuditReport]) -> Vec<Figure> {
    let mut figures = without_names(figures_over_judges(reports));
    figures.extend(
        reports
            .iter()
            .flat_map(|report| without_names(audit_figures(report))),
    );
    figures
}

/// Returns the figures that show several judges side by side, each with a name for its file; none
/// for fewer than two.
pub fn figures_over_judges(reports: &[AuditReport]) -> Vec<NamedFigure> {
    match reports {
        [] | [_] => Vec::new(),
        several => preferred_figures(several),
    }
}

/// Returns the figures of an audit, each with a name for its file.
// Long, and nearly flat: the figures one after the other, in the order in which they are shown.
pub fn audit_figures(report: &AuditReport) -> Vec<NamedFigure> {
    let names = names_of(slice::from_ref(report));
    let mut figures = Vec::new();
    // All tested figures, each with a tick where an unbiased judge is; what was found comes first.
    let tested = report.findings.iter().filter(|one| one.p.is_some());
    let mut tested: Vec<&Finding> = tested.collect();
    tested.sort_by_key(|one| !one.biased);
    let card = tested.into_iter().map(|finding| {
        let group = if finding.biased { "found" } else { "not found" };
        let row = finding_row(finding, report.level, &names);
        row.in_group(group).against(finding.unbiased)
    });
    let note = format!(
        "points and {}; the tick is where an unbiased judge is; found: after correction over {}",
        intervals(report.level),
        count_of(report.tested, "test", "tests")
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
    // One figure under several protocols stands in rows of one label, coloured by protocol.
    let mut rates: Vec<&Finding> = rates.collect();
    let label_of = |finding: &Finding| format!("{}: {}", finding.name.topic(), finding.name);
    let place_of = |finding: &Finding| {
        let (label, mut all) = (label_of(finding), report.findings.iter());
        let first = all.position(|other| label_of(other) == label);
        let mut all = report.findings.iter();
        (
            first,
            all.position(|other| other.protocol == finding.protocol),
        )
    };
    rates.sort_by_cached_key(|finding| place_of(finding));
    // Accuracy on plain responses stands beside each rewrite's: it is one figure.
    rates.dedup_by(|a, b| place_of(a) == place_of(b) && a.figure == b.figure);
    let rates = rates.into_iter().map(|finding| {
        let protocol = names.name(&finding.protocol);
        let label = label_of(finding);
        let row = Written::share(report.level).row(label, &finding.figure);
        let row = row.saying(finding.name.estimand()).saying(protocol);
        row.in_group(protocol)
    });
    let note = format!(
        "points and {} over questions; nothing is tested of these",
        intervals(report.level)
    );
    let rates = dots(format!("Rates: {}", report.judge), note, "share", rates);
    figures.extend(named("rates", rates));

    figures.extend(preferred_figures(slice::from_ref(report)));
    figures.extend(named("severity", severity_figure(report, &names)));
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

/// Returns the names of all protocols that figures are of.
fn names_of(reports: &[AuditReport]) -> ProtocolNames {
    let findings = reports.iter().flat_map(|report| &report.findings);
    ProtocolNames::of(findings.map(|finding| finding.protocol.as_str()))
}

/// Returns figure 2 of the paper, for each protocol of pairs: how often each distractor's rewrite
/// of a response is preferred to the response, judge by judge.
fn preferred_figures(reports: &[AuditReport]) -> Vec<NamedFigure> {
    let names = names_of(reports);
    let is_preferred = |finding: &&Finding| {
        let effect = match &finding.name {
            FindingName::Rewritten { effect, .. } => Some(*effect),
            _ => None,
        };
        effect == Some(RewriteEffect::Preferred)
            && kind_of(&finding.protocol) == KindOfProtocol::Pairs
    };
    let all = reports.iter().flat_map(|report| &report.findings);
    let protocols = in_order(all.filter(is_preferred).map(|one| one.protocol.as_str()));
    let mut figures = Vec::new();
    for protocol in &protocols {
        let rows = reports.iter().flat_map(|report| {
            let own = report.findings.iter().filter(is_preferred);
            let own = own.filter(|finding| finding.protocol == *protocol);
            own.map(|finding| {
                let row = Written::share(report.level).row(&*report.judge, &finding.figure);
                row.in_group(rewrite_of(&finding.name))
                    .against(finding.unbiased)
            })
        });
        let level = reports.first().map_or(0.95, |report| report.level);
        let note = format!(
            "{protocol}: a response against itself, rewritten; a tie is half a preference; {} over \
             questions; the tick is where an unbiased judge is",
            intervals(level)
        );
        let short = names.name(protocol);
        let title = format!("Preferred for being rewritten ({short})");
        let name = match protocols.len() {
            1 => "preferred".to_string(),
            _ => format!("preferred-{}", file_name(&short.replace(", ", "-"))),
        };
        figures.extend(named(name, bars(title, note, "share preferred", rows)));
    }
    figures
}

fn rewrite_of(name: &FindingName) -> &str {
    match name {
        FindingName::Rewritten { rewrite, .. } => rewrite,
        _ => "",
    }
}

/// Returns figure 3 of the paper: how often the answer that keeps all constraints is preferred, by
/// how many the other breaks, plain and rewritten, under each protocol.
fn severity_figure(report: &AuditReport, names: &ProtocolNames) -> Option<Figure> {
    let accuracies = report.findings.iter().filter_map(|finding| {
        let (broken, rewrite) = match &finding.name {
            FindingName::BrokenAccuracy { broken } => (*broken, "plain"),
            FindingName::RewrittenAccuracy { broken, rewrite } => (*broken, rewrite.as_str()),
            _ => return None,
        };
        Some((broken, rewrite, finding))
    });
    let accuracies: Vec<(u32, &str, &Finding)> = accuracies.collect();
    let mut labels = in_order(
        accuracies
            .iter()
            .map(|(broken, rewrite, _)| (*broken, *rewrite)),
    );
    let protocols = in_order(accuracies.iter().map(|(.., one)| one.protocol.as_str()));
    // Plain answers of a severity come before the rewritten ones.
    labels.sort_by_key(|(broken, rewrite)| (*broken, *rewrite != "plain"));
    let rows = labels.iter().flat_map(|(broken, rewrite)| {
        let accuracies = &accuracies;
        protocols.iter().filter_map(move |protocol| {
            let of_row = |(of, by, finding): &&(u32, &str, &Finding)| {
                of == broken && by == rewrite && finding.protocol == *protocol
            };
            let (_, _, finding) = accuracies.iter().find(of_row)?;
            let label = format!("{broken} broken, {rewrite}");
            let row = Written::share(report.level).row(label, &finding.figure);
            Some(row.in_group(names.name(protocol)))
        })
    });
    let note = format!(
        "how often the answer that keeps all constraints is ranked above one that breaks one, two \
         or three; {} over questions",
        intervals(report.level)
    );
    let title = format!("Accuracy by severity: {}", report.judge);
    bars(title, note, "accuracy", rows)
}

/// Returns a figure with the short name of its protocol.
fn finding_row(finding: &Finding, level: f64, names: &ProtocolNames) -> DotRow {
    let protocol = match names.name(&finding.protocol) {
        "" => String::new(),
        name => format!(" ({name})"),
    };
    let label = format!("{}: {}{protocol}", finding.name.topic(), finding.name);
    let p = or_blank(finding.adjusted_p, |p| {
        format!(", adjusted p {}", p_value_text(p))
    });
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
