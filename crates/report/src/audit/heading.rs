//! The first lines of a judge card: what was audited, and which biases were found.

use super::parts::number_text;
use crate::numbers::{chosen_percent, count_of, format_usd, group_digits, or_blank};
use evenhand_core::{Setting, p_value_text};
use evenhand_engine::Coverage;
use evenhand_studies::audit::{AuditReport, AuditUsage, Finding, PairChoice};

pub(super) fn card_heading(report: &AuditReport) -> String {
    let mut text = format!(
        "Judge card: {}\n{} items{}{}",
        report.judge,
        group_digits(report.items),
        // Of a recording nothing is drawn.
        or_blank(report.pairs, |_| format!(", seed {}", report.seed)),
        match report.pairs {
            None | Some(PairChoice::Drawn) => "",
            Some(PairChoice::All) => ", every two systems compared",
            Some(PairChoice::Labelled) => ", the pairs that people compared",
        }
    );
    let counts_pairs = matches!(report.pairs, Some(PairChoice::All | PairChoice::Labelled));
    if report.questions != report.items || counts_pairs {
        text += &format!(
            "\n{} responses to {} questions: intervals and tests count each question once",
            group_digits(report.responses),
            group_digits(report.questions)
        );
    }
    if report.usage.calls > 0 {
        text += &usage_text(&report.usage, "calls");
    }
    if let Some(usage) = &report.rewriting {
        text += &usage_text(usage, "calls to the rewriter");
    }
    for rewrite in &report.rewrites {
        if rewrite.dropped > 0 {
            let reasons = rewrite.reasons.iter();
            let reasons =
                reasons.map(|(reason, count)| format!("{reason} {}", group_digits(*count)));
            text += &format!(
                "\n{}: {} of {} rewritten responses {} dropped ({})",
                rewrite.name,
                group_digits(rewrite.dropped),
                group_digits(rewrite.responses),
                if rewrite.dropped == 1 { "was" } else { "were" },
                reasons.collect::<Vec<_>>().join(", ")
            );
        }
    }
    text
}

/// Says of a panel that the figures are its own, and how often which member failed: a panel has a
/// verdict where any member has one. Empty of one judge.
pub(super) fn panel_text(report: &AuditReport) -> String {
    if report.members.is_empty() {
        return String::new();
    }
    let members = report.members.iter().map(|member| {
        let Coverage {
            trials,
            verdicts,
            failures,
        } = &member.coverage;
        let failed = trials - verdicts;
        let kinds = failures
            .iter()
            .map(|(kind, count)| format!("{kind} {}", group_digits(*count)));
        let why = match failed {
            0 => String::new(),
            _ => format!(
                " ({:.1} %: {})",
                100.0 * failed as f64 / *trials as f64,
                kinds.collect::<Vec<_>>().join(", ")
            ),
        };
        let [failed, trials] = [failed, *trials].map(group_digits);
        format!("\n- {}: {failed} of {trials}{why}", member.judge)
    });
    format!(
        "\nThese {} judges are one panel: every figure is of the verdict that they come to \
         together, and a bias may be one member's. {} shows each judge.\nJudgments without a \
         verdict, by member:{}",
        report.members.len(),
        Setting::Apart,
        members.collect::<String>()
    )
}

fn usage_text(usage: &AuditUsage, calls: &str) -> String {
    let cost = or_blank(usage.cost_usd, |usd| format!(", {}", format_usd(usd)));
    let [count, prompts, replies] =
        [usage.calls, usage.prompt_tokens, usage.completion_tokens].map(group_digits);
    format!("\n{count} {calls}, {prompts} tokens of prompts, {replies} of replies{cost}")
}

/// Stands below biases of which an interval seems to say that there is none.
pub(super) const INSIDE: &str = "\nAn interval may hold the unbiased value although a bias was found: the test counts \
                      to which side each question moved, and the interval also allows for how far, \
                      so it is the wider.";

/// Says which biases were found, in a line each.
pub(super) fn found_biases(report: &AuditReport) -> String {
    let (tested, share) = (report.tested, chosen_percent(1.0 - report.level));
    let biased = || report.findings.iter().filter(|finding| finding.biased);
    let biases = biased().map(|finding| {
        let p = or_blank(finding.adjusted_p, |p| format!(", p {}", p_value_text(p)));
        let unbiased = or_blank(finding.unbiased, |unbiased| {
            let unit = finding.scale.unit();
            let unbiased = number_text(finding.scale, unbiased);
            format!("; an unbiased judge has {unbiased}{unit}{p}")
        });
        let protocol = match finding.protocol.as_str() {
            "" => String::new(),
            protocol => format!(" [{protocol}]"),
        };
        format!(
            "- {}, {}: {}{unbiased}{protocol}",
            finding.name.topic(),
            finding.name,
            finding.claim()
        )
    });
    let biases: Vec<String> = biases.collect();
    if report.findings.is_empty() {
        return format!(
            "Nothing was tested or measured: these probes give no figure on these data{}. \
             `failures` and `reading` look at the verdicts that other probes ask for, and `people` \
             needs people's labels.",
            or_blank((!report.warnings.is_empty()).then_some(()), |()| {
                " (see the warnings)".into()
            })
        );
    }
    if tested == 0 {
        return "Nothing was tested: no figure below has a value that an unbiased judge must show."
            .into();
    }
    let tests = count_of(tested, "test", "tests");
    if report.has_too_few_items() {
        return format!(
            "Nothing is decided: no outcome of {tests} on so few items could have been called a \
             bias."
        );
    }
    if biases.is_empty() {
        return format!(
            "Nothing found in {tests} (`detectable` shows what could have been found)."
        );
    }
    format!(
        "Found in {} of {tests} (over many audits at most {share} % of what is found is a false \
         alarm):\n{}{}",
        biases.len(),
        biases.join("\n"),
        if biased().any(Finding::holds_unbiased) {
            INSIDE
        } else {
            ""
        }
    )
}
