//! The first lines of a judge card: what was audited, and which biases were found.

use super::parts::{finding_value, number_text};
use crate::numbers::{format_usd, group_digits, or_blank};
use evenhand_studies::audit::{AuditReport, AuditUsage, Finding, Written};

pub(super) fn card_heading(report: &AuditReport) -> String {
    let mut text = format!(
        "Judge card: {}\n{} items, seed {}",
        report.judge,
        group_digits(report.items),
        report.seed
    );
    text += &shared_questions(report);
    text += &calls_text(report);
    let dropped = report.rewrites.iter().filter(|rewrite| rewrite.dropped > 0);
    text.extend(dropped.map(dropped_text));
    text
}

/// Returns the calls to the judge and to the rewriter, where there were any.
fn calls_text(report: &AuditReport) -> String {
    let judge = Some(&report.usage).filter(|usage| usage.calls > 0);
    let rewriter = report.rewriting.as_ref();
    or_blank(judge, |usage| usage_text(usage, "calls"))
        + &or_blank(rewriter, |usage| usage_text(usage, "calls to the rewriter"))
}

/// Says how many questions the items ask, where several ask one.
fn shared_questions(report: &AuditReport) -> String {
    if report.questions == report.items {
        return String::new();
    }
    format!(
        "\n{} responses to {} questions: intervals and tests count each question once",
        group_digits(report.responses),
        group_digits(report.questions)
    )
}

fn usage_text(usage: &AuditUsage, calls: &str) -> String {
    let cost = or_blank(usage.cost_usd, |usd| format!(", {}", format_usd(usd)));
    let [count, prompts, replies] =
        [usage.calls, usage.prompt_tokens, usage.completion_tokens].map(group_digits);
    format!("\n{count} {calls}, {prompts} tokens of prompts, {replies} of replies{cost}")
}

/// Says how many rewritten responses were dropped, and why.
fn dropped_text(rewrite: &Written) -> String {
    let [dropped, all] = [rewrite.dropped, rewrite.responses].map(group_digits);
    format!(
        "\n{}: {dropped} of {all} rewritten responses were dropped ({})",
        rewrite.name,
        reasons_text(rewrite)
    )
}

fn reasons_text(rewrite: &Written) -> String {
    let reasons = rewrite.reasons.iter();
    let counted = reasons.map(|(reason, count)| format!("{reason} {}", group_digits(*count)));
    counted.collect::<Vec<_>>().join(", ")
}

/// Says which biases were found, in a line each.
pub(super) fn found_biases(report: &AuditReport) -> String {
    let share = 100.0 * (1.0 - report.level);
    let biased = report.findings.iter().filter(|finding| finding.biased);
    let biases: Vec<String> = biased.map(bias_line).collect();
    if biases.is_empty() {
        no_bias_text(report.tested, share)
    } else {
        biases_text(report.tested, share, &biases)
    }
}

fn biases_text(tested: u64, share: f64, biases: &[String]) -> String {
    format!(
        "Found in {} of {tested} tests (at most {share:.0} % of what is found is a false \
         alarm):\n{}",
        biases.len(),
        biases.join("\n")
    )
}

fn no_bias_text(tested: u64, share: f64) -> String {
    format!(
        "Nothing found in {tested} tests (at most {share:.0} % false alarms; what could have been \
         found stands under `detectable`)."
    )
}

fn bias_line(finding: &Finding) -> String {
    let unbiased = or_blank(finding.unbiased, |unbiased| {
        format!(", unbiased is {}", number_text(finding.scale, unbiased))
    });
    format!(
        "- {}, {}: {}{unbiased}{}",
        finding.name.topic(),
        finding.name,
        finding_value(finding),
        bracketed_protocol(finding)
    )
}

fn bracketed_protocol(finding: &Finding) -> String {
    match finding.protocol.as_str() {
        "" => String::new(),
        protocol => format!(" [{protocol}]"),
    }
}
