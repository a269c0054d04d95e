//! The first lines of a judge card: what was audited, and which biases were found.

use super::parts::{finding_value, number_text};
use crate::numbers::{format_usd, group_digits};
use evenhand_studies::audit::{AuditReport, AuditUsage, Finding, Written};

pub(super) fn card_heading(report: &AuditReport) -> String {
    let mut text = format!(
        "Judge card: {}\n{} items, seed {}",
        report.judge,
        group_digits(report.items),
        report.seed
    );
    text += &shared_questions(report);
    if report.usage.calls > 0 {
        text += &format!("\n{}", usage_text(&report.usage, "calls"));
    }
    if let Some(rewriting) = &report.rewriting {
        text += &format!("\n{}", usage_text(rewriting, "calls to the rewriter"));
    }
    let dropped = report.rewrites.iter().filter(|rewrite| rewrite.dropped > 0);
    text.extend(dropped.map(dropped_text));
    text
}

/// Says how many questions the items ask, where several ask one.
fn shared_questions(report: &AuditReport) -> String {
    if report.questions == report.items {
        return String::new();
    }
    let [responses, questions] = [report.responses, report.questions].map(group_digits);
    format!(
        "\n{responses} responses to {questions} questions: intervals and tests count each question \
         once"
    )
}

fn usage_text(usage: &AuditUsage, calls: &str) -> String {
    let cost = usage
        .cost_usd
        .map_or_else(String::new, |usd| format!(", {}", format_usd(usd)));
    let [count, prompts, replies] =
        [usage.calls, usage.prompt_tokens, usage.completion_tokens].map(group_digits);
    format!("{count} {calls}, {prompts} tokens of prompts, {replies} of replies{cost}")
}

/// Says how many rewritten responses were dropped, and why.
fn dropped_text(rewrite: &Written) -> String {
    let reasons: Vec<String> = rewrite
        .reasons
        .iter()
        .map(|(reason, count)| format!("{reason} {}", group_digits(*count)))
        .collect();
    let [dropped, all] = [rewrite.dropped, rewrite.responses].map(group_digits);
    format!(
        "\n{}: {dropped} of {all} rewritten responses were dropped ({})",
        rewrite.name,
        reasons.join(", ")
    )
}

/// Says which biases were found, in a line each.
pub(super) fn found_biases(report: &AuditReport) -> String {
    let share = 100.0 * (1.0 - report.level);
    let biases: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.biased)
        .map(bias_line)
        .collect();
    if biases.is_empty() {
        return format!(
            "Nothing found in {} tests (at most {share:.0} % false alarms; what could have been \
             found stands under `detectable`).",
            report.tested
        );
    }
    format!(
        "Found in {} of {} tests (at most {share:.0} % of what is found is a false alarm):\n{}",
        biases.len(),
        report.tested,
        biases.join("\n")
    )
}

fn bias_line(finding: &Finding) -> String {
    let unbiased = finding.unbiased.map_or_else(String::new, |unbiased| {
        format!(", unbiased is {}", number_text(finding.scale, unbiased))
    });
    let protocol = if finding.protocol.is_empty() {
        String::new()
    } else {
        format!(" [{}]", finding.protocol)
    };
    format!(
        "- {}, {}: {}{unbiased}{protocol}",
        finding.name.topic(),
        finding.name,
        finding_value(finding)
    )
}
