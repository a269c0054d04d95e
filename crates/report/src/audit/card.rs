//! The judge card as text: one page that says what a judge may be trusted with.

use crate::table::{Table, plain};
use crate::view::{View, fitted, sentences, unsorted_warnings};
use crate::{dollars, grouped};
use comfy_table::CellAlignment;
use evenhand_studies::audit::{Advice, AuditReport, AuditUsage, Climb, Finding, Scale, Written};

/// The cards of all judges; of more than three, a line for each judge.
pub fn audits_table(reports: &[AuditReport], view: View) -> String {
    match reports.len() {
        0..=3 => reports
            .iter()
            .map(|report| audit_table(report, view))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => summary(reports, view),
    }
}

fn summary(reports: &[AuditReport], view: View) -> String {
    let mut table = plain();
    table.set_header([
        "judge",
        "items",
        "first slot",
        "flips by order",
        "longer, beyond people",
        "no verdict",
    ]);
    for report in reports {
        let cell = |name: &str| {
            let of = |finding: &&Finding| finding.name == name;
            report.findings.iter().find(of).map_or("-".into(), |found| {
                interval(found) + if found.biased { " !" } else { "" }
            })
        };
        let names = [
            "first slot",
            "flips by order",
            "longer, beyond people",
            "no verdict",
        ]
        .map(cell);
        table.add_row(
            [report.judge.clone(), grouped(report.items)]
                .into_iter()
                .chain(names),
        );
    }
    for column in 1..6 {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    let legend = "In per cent, with intervals; ! where a judge without the defect would rarely \
                  show as much (corrected over each judge's own tests).";
    let legend = sentences(&format!("{legend} --format json has everything."), view);
    format!("{}\n\n{legend}\n", fitted(table, view, &[1, 4, 5]))
}

/// The card of one judge.
fn audit_table(report: &AuditReport, view: View) -> String {
    let heads = [heading(report), found(report)].map(|text| sentences(&text, view));
    let mut parts = Vec::from(heads);
    parts.push(fitted(figures(report), view, &DROPPABLE));
    parts.extend(report.climbs.iter().map(|found| climb(found, view)));
    parts.extend(report.advice.as_ref().map(|found| advice(found, view)));
    parts.extend((!report.warnings.is_empty()).then(|| warnings(report, view)));
    parts.join("\n\n") + "\n"
}

fn heading(report: &AuditReport) -> String {
    let asked = if report.usage.calls == 0 {
        String::new()
    } else {
        format!("\n{}", usage(&report.usage, "calls"))
    };
    let rewriting = report
        .rewriting
        .iter()
        .map(|rewriting| format!("\n{}", usage(rewriting, "calls to the rewriter")));
    let dropped = report
        .rewrites
        .iter()
        .filter(|rewrite| rewrite.dropped > 0)
        .map(dropped);
    let more: String = rewriting.chain(dropped).collect();
    let [items, shared] = [grouped(report.items), shared(report)];
    format!(
        "Judge card: {}\n{items} items, seed {}{shared}{asked}{more}",
        report.judge, report.seed
    )
}

/// How many questions the items ask, where several ask one.
fn shared(report: &AuditReport) -> String {
    let [responses, questions] = [report.responses, report.questions].map(grouped);
    let why = "intervals and tests count each question once";
    if report.questions == report.items {
        String::new()
    } else {
        format!("\n{responses} responses to {questions} questions: {why}")
    }
}

fn usage(usage: &AuditUsage, calls: &str) -> String {
    let cost = usage
        .cost_usd
        .map(|usd| format!(", {}", dollars(usd)))
        .unwrap_or_default();
    let [count, prompts, replies] =
        [usage.calls, usage.prompt_tokens, usage.completion_tokens].map(grouped);
    format!("{count} {calls}, {prompts} tokens of prompts, {replies} of replies{cost}")
}

/// How many rewritten responses were dropped, and why.
fn dropped(rewrite: &Written) -> String {
    let reasons: Vec<String> = rewrite
        .reasons
        .iter()
        .map(|(reason, count)| format!("{reason} {}", grouped(*count)))
        .collect();
    let [dropped, all] = [rewrite.dropped, rewrite.responses].map(grouped);
    format!(
        "\n{}: {dropped} of {all} rewritten responses were dropped ({})",
        rewrite.name,
        reasons.join(", ")
    )
}

/// What was found, in a sentence each.
fn found(report: &AuditReport) -> String {
    let biased: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding| finding.biased)
        .collect();
    let share = 100.0 * (1.0 - report.level);
    if biased.is_empty() {
        return format!(
            "Nothing found in {} tests (at most {share:.0} % false alarms; what could have been \
             seen stands under `detectable`).",
            report.tested
        );
    }
    let line = |finding: &&Finding| {
        let unbiased = finding.unbiased.map_or(String::new(), |unbiased| {
            format!(", unbiased is {}", number(finding.scale, unbiased))
        });
        let protocol = if finding.protocol.is_empty() {
            String::new()
        } else {
            format!(" [{}]", finding.protocol)
        };
        format!(
            "- {}, {}: {}{unbiased}{protocol}",
            finding.probe,
            finding.name,
            interval(finding)
        )
    };
    let head = format!(
        "Found in {} of {} tests (at most {share:.0} % of what is found is a false alarm):\n",
        biased.len(),
        report.tested
    );
    head + &biased.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Columns of the figures that a narrow terminal does without, the least important first: all but
/// the mark, figure, protocol and value.
const DROPPABLE: [usize; 6] = [9, 8, 5, 6, 1, 7];

fn figures(report: &AuditReport) -> Table {
    let mut table = plain();
    let items = if report.questions == report.items {
        "items"
    } else {
        "items (questions)"
    };
    table.set_header([
        "",
        "probe",
        "figure",
        "protocol",
        "value",
        "unbiased",
        "adjusted p",
        "detectable",
        items,
        "failed",
    ]);
    let mut last = "";
    for finding in &report.findings {
        let probe = if finding.probe == last {
            ""
        } else {
            finding.probe
        };
        last = finding.probe;
        let or_none =
            |value: Option<f64>| value.map_or(String::new(), |value| number(finding.scale, value));
        table.add_row([
            if finding.biased {
                "!".to_string()
            } else {
                String::new()
            },
            probe.to_string(),
            finding.name.clone(),
            finding.protocol.clone(),
            interval(finding),
            or_none(finding.unbiased),
            finding.adjusted_p.map_or(String::new(), |p| {
                if p < 0.001 {
                    "<0.001".into()
                } else {
                    format!("{p:.3}")
                }
            }),
            or_none(finding.detectable),
            counted(finding),
            if finding.failed == 0 {
                String::new()
            } else {
                grouped(finding.failed)
            },
        ]);
    }
    for column in 4..10 {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    table
}

/// Items, and in brackets the questions that they ask, where these are fewer.
fn counted(finding: &Finding) -> String {
    let [items, questions] = [finding.items, finding.clusters].map(grouped);
    if finding.items == finding.clusters {
        items
    } else {
        format!("{items} ({questions})")
    }
}

/// A share in percent; anything else as it is.
fn number(scale: Scale, value: f64) -> String {
    match scale {
        Scale::Share | Scale::Difference => format!("{:.1}", 100.0 * value),
        Scale::Number => format!("{value:.2}"),
    }
}

fn interval(finding: &Finding) -> String {
    let Some(value) = finding.figure.value else {
        return "-".into();
    };
    let end = |end: Option<f64>| end.map_or("?".into(), |end| number(finding.scale, end));
    let ci = finding
        .figure
        .ci
        .map(|[low, high]| format!(" ({} to {})", end(low), end(high)));
    number(finding.scale, value) + &ci.unwrap_or_default()
}

fn climb(climb: &Climb, view: View) -> String {
    let mut table = plain();
    table.set_header([
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
        let whole =
            |rating: Option<f64>| rating.map_or("-".into(), |rating| format!("{rating:.0}"));
        let rank = |state: usize| system.rank[state].map_or("-".into(), |rank| rank.to_string());
        let mark = if system.rewritten { "rewritten" } else { "" };
        let state = |state: usize| {
            [
                whole(system.rating[state]),
                whole(system.elo[state]),
                rank(state),
            ]
        };
        table.add_row(
            [system.system.clone(), mark.into()]
                .into_iter()
                .chain([0, 1, 2].into_iter().flat_map(state)),
        );
    }
    for column in 2..11 {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    let head = format!(
        "Climbing by style ({}), {}: Bradley-Terry and Elo ratings",
        climb.rewrite, climb.protocol
    );
    format!(
        "{}\n{}",
        sentences(&head, view),
        fitted(table, view, &[3, 6, 9, 1])
    )
}

fn advice(advice: &Advice, view: View) -> String {
    let mut table = plain();
    table.set_header([
        "protocol",
        "agrees with people",
        "moved",
        "no verdict",
        "tokens a comparison",
        "",
    ]);
    for candidate in &advice.candidates {
        let percent =
            |value: Option<f64>| value.map_or("-".into(), |value| format!("{:.1}", 100.0 * value));
        table.add_row([
            candidate.protocol.clone(),
            percent(candidate.accuracy),
            percent(candidate.moved),
            percent(candidate.failures),
            format!("{:.0}", candidate.tokens),
            candidate.out.clone().unwrap_or_default(),
        ]);
    }
    for column in 1..5 {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    let head = match &advice.protocol {
        Some(protocol) => format!("Take {protocol}."),
        None => "No protocol can be recommended.".into(),
    };
    format!(
        "{}\n{}",
        sentences(&format!("{head}\n{}", advice.rule), view),
        fitted(table, view, &[4, 3])
    )
}

fn warnings(report: &AuditReport, view: View) -> String {
    let line = |(key, warning): (&str, String)| match key {
        "" => warning,
        _ if warning.ends_with("...") => format!("Warning: {warning}"),
        _ => format!("Warning: {warning}."),
    };
    let rows = unsorted_warnings(&report.warnings, view);
    sentences(
        &rows.into_iter().map(line).collect::<Vec<_>>().join("\n"),
        view,
    )
}
