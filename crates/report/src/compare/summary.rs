//! A comparison for a pull request, as GitHub and GitLab show it.

use super::words::{answer_text, copied_lines, drift_text, missing_text, settings_lines};
use super::{change_cells, changed_systems, item_row, name_of, outcome_words, worse_items};
use crate::markdown::{MarkdownTable, escape, markdown_text};
use crate::numbers::or_dash;
use evenhand_compare::gate::{GateOutcome, GateResult};
use evenhand_compare::{Change, Comparison, SystemChange};

/// Items that got worse that the summary shows, folded.
const SHOWN_ITEMS: usize = 5;

/// Returns what is missing, the gates, the answer, a table of the systems and their categories, and
/// the items that got worse, folded. `link` is the address of the current run's report, to which
/// items are linked.
pub fn compare_summary(
    comparison: &Comparison,
    gates: &[GateResult],
    link: Option<&str>,
) -> String {
    let missing = missing_text(comparison);
    let mut parts = vec![title(gates, missing.is_some()).to_string()];
    parts.extend(missing.map(|text| format!("**{}**", escape(&text))));
    parts.extend(gates_part(gates));
    parts.extend(list_part(
        "Settings that differ:",
        &settings_lines(comparison),
    ));
    let answers = comparison.systems.iter();
    let answers: Vec<String> = answers
        .map(|system| escape(&answer_text(system, comparison.level)))
        .collect();
    parts.push(answers.join("\n\n"));
    parts.push(systems_part(comparison));
    parts.extend(drift_part(comparison));
    parts.extend(list_part("Not asked anew:", &copied_lines(comparison)));
    parts.extend(changed_systems(comparison).filter_map(|system| worse_part(system, link)));
    parts.join("\n\n") + "\n"
}

fn title(gates: &[GateResult], is_part: bool) -> &'static str {
    let is = |wanted: fn(GateOutcome) -> bool| gates.iter().any(|gate| wanted(gate.outcome));
    if is(|outcome| outcome == GateOutcome::Met) {
        "### Evenhand: the gate is not passed"
    } else if is(|outcome| matches!(outcome, GateOutcome::Inconclusive(_))) {
        "### Evenhand: inconclusive"
    } else if gates.is_empty() {
        "### Evenhand: comparison"
    } else if is_part {
        "### Evenhand: passed on a part of the data"
    } else {
        "### Evenhand: passed"
    }
}

fn gates_part(gates: &[GateResult]) -> Option<String> {
    let rows = gates.iter().map(|gate| {
        vec![
            gate.text.clone(),
            outcome_words(gate.outcome),
            gate.why.clone(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let header = ["stops if", "outcome", "why"].map(String::from).to_vec();
    (!rows.is_empty()).then(|| {
        markdown_text([], &MarkdownTable::new(header, rows, vec![0, 1, 2]))
            .trim_end()
            .into()
    })
}

fn list_part(title: &str, lines: &[String]) -> Option<String> {
    let items = lines.iter().map(|line| format!("- {}", escape(line)));
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| format!("{title}\n\n{}", items.join("\n")))
}

fn systems_part(comparison: &Comparison) -> String {
    let mut rows = Vec::new();
    for system in &comparison.systems {
        let change = system.change();
        rows.push(row(system, "all", change.p_value, change));
        for one in &system.categories {
            rows.push(row(system, &one.category, one.p_adjusted, &one.change));
        }
    }
    let header = ["system", "category", "difference", "interval", "p", "items"];
    let header = header.map(String::from).to_vec();
    markdown_text([], &MarkdownTable::new(header, rows, vec![0, 1]))
        .trim_end()
        .into()
}

fn row(system: &SystemChange, category: &str, p: Option<f64>, change: &Change) -> Vec<String> {
    let [difference, interval] = change_cells(system.measure, change);
    vec![
        name_of(system),
        category.into(),
        difference,
        interval,
        or_dash(p, super::p_text),
        change.items.to_string(),
    ]
}

fn drift_part(comparison: &Comparison) -> Option<String> {
    let drift = comparison.drift.as_ref()?;
    let text = escape(&drift_text(drift, comparison.level));
    Some(if drift.is_significant(comparison.level) {
        format!("**The judge:** {text}")
    } else {
        format!("The judge: {text}")
    })
}

fn worse_part(system: &SystemChange, link: Option<&str>) -> Option<String> {
    let items: Vec<_> = worse_items(system).collect();
    let shown = items.iter().take(SHOWN_ITEMS).map(|item| {
        let [name, _, before, now, judgment] = item_row(system, item);
        let name = escape(&name);
        let name = match (link, item.trial) {
            (Some(link), Some(_)) => {
                format!("[{name}]({}#/judgment/{judgment})", escape_link(link))
            }
            _ => name,
        };
        format!("| {name} | {} | {} |", escape(&before), escape(&now))
    });
    let rows: Vec<String> = shown.collect();
    (!rows.is_empty()).then(|| {
        format!(
            "<details><summary>{} got worse with {}</summary>\n\n| item | before | now |\n| --- | \
             ---: | ---: |\n{}\n\n</details>",
            crate::numbers::count_of(items.len() as u64, "item", "items"),
            escape(&name_of(system)),
            rows.join("\n")
        )
    })
}

/// An address within parentheses: nothing in it ends them.
fn escape_link(link: &str) -> String {
    let mut out = String::new();
    for c in link.chars() {
        match c {
            ' ' => out += "%20",
            '(' => out += "%28",
            ')' => out += "%29",
            '<' => out += "%3C",
            '>' => out += "%3E",
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
