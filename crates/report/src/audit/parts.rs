//! The lower parts of a judge card: rankings that were climbed, the protocol to take, warnings.

use crate::View;
use crate::numbers::{bracketed_interval, or_dash};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text, unsorted_warning_lines};
use evenhand_studies::audit::{
    Advice, AuditReport, Candidate, Climb, Climber, Finding, FindingScale,
};

/// Returns a share in percent; anything else as it is.
pub(super) fn number_text(scale: FindingScale, value: f64) -> String {
    match scale {
        FindingScale::Share | FindingScale::Difference => format!("{:.1}", 100.0 * value),
        FindingScale::Number => format!("{value:.2}"),
    }
}

/// Returns the value of a finding with its interval.
pub(super) fn finding_value(finding: &Finding) -> String {
    let Some(value) = finding.figure.value else {
        return "-".into();
    };
    let number = |value| number_text(finding.scale, value);
    number(value) + &bracketed_interval(finding.figure.ci, number)
}

pub(super) fn climb_text(climb: &Climb, view: View) -> String {
    let mut table = TextTable::with_header([
        "system",
        "",
        "before",
        "Elo",
        "rank",
        "asked again",
        "Elo",
        "rank",
        "rewritten",
        "Elo",
        "rank",
    ]);
    for system in &climb.systems {
        table.add_row(climber_row(system));
    }
    table.align_right_from(2);
    let head = format!(
        "Climbing by style ({}), {}: Bradley-Terry and Elo ratings",
        climb.rewrite, climb.protocol
    );
    format!(
        "{}\n{}",
        sentences_text(&head, view),
        fit_table(table, view, &[3, 6, 9, 1])
    )
}

fn climber_row(system: &Climber) -> Vec<String> {
    let mark = if system.rewritten { "rewritten" } else { "" };
    let mut cells = vec![system.system.clone(), mark.into()];
    let whole = |rating: f64| format!("{rating:.0}");
    for state in 0..system.rank.len() {
        cells.push(or_dash(system.rating[state], whole));
        cells.push(or_dash(system.elo[state], whole));
        cells.push(or_dash(system.rank[state].map(f64::from), whole));
    }
    cells
}

pub(super) fn advice_text(advice: &Advice, view: View) -> String {
    let mut table = TextTable::with_header([
        "protocol",
        "agrees with people",
        "moved",
        "no verdict",
        "tokens a comparison",
        "",
    ]);
    for candidate in &advice.candidates {
        table.add_row(candidate_row(candidate));
    }
    table.align_right(1..5);
    let head = match &advice.protocol {
        Some(protocol) => format!("Take {protocol}."),
        None => "No protocol can be recommended.".into(),
    };
    format!(
        "{}\n{}",
        sentences_text(&format!("{head}\n{}", advice.rule), view),
        fit_table(table, view, &[4, 3])
    )
}

fn candidate_row(candidate: &Candidate) -> [String; 6] {
    let percent = |share: Option<f64>| or_dash(share, |share| format!("{:.1}", 100.0 * share));
    [
        candidate.protocol.clone(),
        percent(candidate.accuracy),
        percent(candidate.moved),
        percent(candidate.failures),
        format!("{:.0}", candidate.tokens),
        candidate.out.clone().unwrap_or_default(),
    ]
}

pub(super) fn warnings_text(report: &AuditReport, view: View) -> String {
    let lines: Vec<String> = unsorted_warning_lines(&report.warnings, view)
        .into_iter()
        .map(|(key, text)| warning_sentence(key, text))
        .collect();
    sentences_text(&lines.join("\n"), view)
}

/// A line without a key counts the warnings, and one that was cut ends with dots already.
fn warning_sentence(key: &str, text: String) -> String {
    if key.is_empty() {
        text
    } else if text.ends_with("...") {
        format!("Warning: {text}")
    } else {
        format!("Warning: {text}.")
    }
}
