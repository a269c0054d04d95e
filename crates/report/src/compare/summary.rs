//! A comparison for a pull request, as GitHub and GitLab show it.

use super::json::{Part, parts_of};
use super::words::{
    answer_lines, copied_lines, drift_text, is_fixed, missing_text, settings_lines, signed_text,
    value_text,
};
use super::{
    TREND_COLUMNS, changed_systems, heads_of, interval_cell, last_looks, outcome_words, worse_items,
};
use crate::columns::{Column, Columns};
use crate::markdown::{escape, markdown_text};
use crate::numbers::{count_of, or_dash};
use evenhand_compare::gate::{GateOutcome, GateResult};
use evenhand_compare::{Comparison, Measure, SystemChange};
use evenhand_core::p_value_text;

/// Items that got worse that the summary shows, folded.
const SHOWN_ITEMS: usize = 5;

/// Returns what is missing, the gates, the answer, a table of the systems and their categories, and
/// the items that got worse, folded. `link` is the address of the current run's report, to which
/// items are linked; an empty one links nothing, and items have the numbers of their judgments.
pub fn compare_summary(
    comparison: &Comparison,
    gates: &[GateResult],
    link: Option<&str>,
) -> String {
    let missing = missing_text(comparison);
    let mut parts = vec![title(gates, missing.is_some()).to_string()];
    parts.extend(missing.map(|text| format!("**{}**", escape(&text))));
    if !gates.is_empty() {
        parts.push(gates_table(gates).trim_end().into());
    }
    let answers = answer_lines(comparison);
    let answers: Vec<String> = answers.iter().map(|answer| escape(answer)).collect();
    parts.push(answers.join("\n\n"));
    parts.extend(list_part(
        "Settings that differ:",
        &settings_lines(comparison),
    ));
    let columns: Columns<Part> = Columns::new(&[
        ("system", |part| part.system.name()),
        ("category", |part| part.category.unwrap_or("all").into()),
        ("difference", |part| {
            signed_text(part.system.measure, part.change.difference)
        }),
        ("interval", |part| {
            interval_cell(part.system.measure, part.change)
        }),
        // Of all items as it is; of categories corrected for their number.
        ("p", |part| match part.category {
            None => or_dash(part.change.p_value, p_value_text),
            Some(_) => or_dash(part.p_adjusted, p_value_text),
        }),
        ("items", |part| part.change.items.to_string()),
    ]);
    // What could not differ has no row.
    let mut shown = parts_of(comparison)
        .filter(|part| !is_fixed(part.system))
        .peekable();
    if shown.peek().is_some() {
        let table = columns.markdown(shown, &["system", "category"]);
        parts.push(markdown_text([], &table).trim_end().into());
    }
    if parts_of(comparison).any(|part| part.category.is_some() && part.p_adjusted.is_some()) {
        parts.push("The p of a category is corrected for their number (Holm).".into());
    }
    let looks = last_looks(comparison);
    if !looks.is_empty() {
        let table = Columns::new(&TREND_COLUMNS).markdown(looks, &["look", "system"]);
        let table = markdown_text([], &table);
        parts.push(format!(
            "Trend against this baseline:\n\n{}",
            table.trim_end()
        ));
    }
    if let Some(drift) = &comparison.drift {
        let text = escape(&drift_text(drift, comparison.level));
        parts.push(if drift.is_significant(comparison.level) {
            format!("**The judge:** {text}")
        } else {
            format!("The judge: {text}")
        });
    }
    parts.extend(list_part("Not asked anew:", &copied_lines(comparison)));
    parts.extend(
        changed_systems(comparison)
            .filter_map(|system| worse_part(system, heads_of(comparison), link)),
    );
    parts.join("\n\n") + "\n"
}

/// Returns a report in Markdown with what came of its conditions below it.
pub fn markdown_with_gates(text: String, gates: &[GateResult]) -> String {
    match gates.is_empty() {
        true => text,
        false => format!("{}\n\n{}", text.trim_end(), gates_table(gates)),
    }
}

/// Returns a table of conditions with what came of each and why.
fn gates_table(gates: &[GateResult]) -> String {
    let columns: [Column<GateResult>; 3] = [
        ("stops if", |gate| gate.text.clone()),
        ("outcome", |gate| outcome_words(gate.outcome)),
        ("why", GateResult::reason),
    ];
    let table = Columns::new(&columns).markdown(gates, &["stops if", "outcome", "why"]);
    markdown_text([], &table)
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

fn list_part(title: &str, lines: &[String]) -> Option<String> {
    let items = lines.iter().map(|line| format!("- {}", escape(line)));
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| format!("{title}\n\n{}", items.join("\n")))
}

fn worse_part(system: &SystemChange, heads: [&str; 2], link: Option<&str>) -> Option<String> {
    let items: Vec<_> = worse_items(system).collect();
    // Two systems of one run have no before and after.
    let is_pair = system.measure == Measure::HeadToHead;
    let shown = items.iter().take(SHOWN_ITEMS).map(|item| {
        let name = escape(&item.item);
        let name = match (link, item.trial) {
            (Some(""), Some(judgment)) => format!("{name} (judgment {judgment})"),
            (Some(link), Some(judgment)) => {
                format!("[{name}]({}#/judgment/{judgment})", escape_link(link))
            }
            _ => name,
        };
        let [before, now] =
            [item.baseline, item.current].map(|value| escape(&value_text(system.measure, value)));
        match is_pair {
            true => format!("| {name} | {now} |"),
            false => format!("| {name} | {before} | {now} |"),
        }
    });
    let rows: Vec<String> = shown.collect();
    let count = count_of(items.len() as u64, "item", "items");
    let name = escape(&system.name());
    let more = match items.len().saturating_sub(SHOWN_ITEMS) {
        0 => String::new(),
        more => format!("\n\nand {more} more"),
    };
    let (title, header) = if is_pair {
        let title = format!("{count} lost by {name}");
        (title, "| item | preferred |\n| --- | ---: |".to_string())
    } else {
        let title = format!("{count} got worse with {name}");
        let [before, now] = heads.map(escape);
        let header = format!("| item | {before} | {now} |\n| --- | ---: | ---: |");
        (title, header)
    };
    (!rows.is_empty()).then(|| {
        format!(
            "<details><summary>{title}</summary>\n\n{header}\n{}{more}\n\n</details>",
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
