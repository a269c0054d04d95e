//! A comparison of two runs, or of two systems: table, JSON, CSV, a summary for pull requests, and
//! what came of its conditions.

mod json;
mod junit;
mod summary;
mod words;

pub(crate) use json::{CompareJson, GateJson, gates_json};
pub use json::{compare_csv, compare_json};
pub use junit::gates_junit;
pub use summary::{compare_summary, markdown_with_gates};

use crate::View;
use crate::columns::{Column, Columns, table_of};
use crate::numbers::{chosen_percent, count_items, count_of, group_digits, or_dash};
use crate::terminal::printable;
use crate::view::{Line, fit_table, sentences_text, summary_text};
use evenhand_compare::gate::{GateOutcome, GateResult};
use evenhand_compare::{
    CategoryChange, Change, Comparison, HistoryRow, ItemChange, Measure, SMALLEST_CATEGORY,
    SystemChange,
};
use evenhand_core::{Setting, in_order, list_names, p_value_text, quote, shell_word};
use std::collections::HashSet;
pub(crate) use words::is_fixed;
use words::{
    answer_lines, copied_lines, drift_text, left_out_lines, method_words, missing_text, range_text,
    settings_lines, signed_text, value_text,
};

/// Items that got worse that the table shows.
const SHOWN_ITEMS: usize = 5;

/// Returns what is missing, the answer, what differs between the settings, a line for each system
/// and category, the items that got worse, and what all this rests on.
pub fn compare_table(comparison: &Comparison, gates: &[GateResult], view: View) -> String {
    let mut parts = Vec::new();
    if let Some(missing) = missing_text(comparison) {
        parts.push(sentences_text(&printable(&missing), view));
    }
    // The answer comes first; what differs between the settings is no part of it.
    for answer in answer_lines(comparison) {
        parts.push(sentences_text(&printable(&answer), view));
    }
    let settings = settings_lines(comparison);
    if !settings.is_empty() {
        let lines = settings.into_iter().map(|line| ("differs", line)).collect();
        parts.push(summary_text(lines, view));
    }
    parts.extend(systems_table(comparison, view));
    let categories = changed_systems(comparison).flat_map(|system| {
        let categories = system.categories.iter();
        categories.map(move |one| (system, one))
    });
    let category_columns: [Column<(&SystemChange, &CategoryChange)>; 6] = [
        ("system", |(system, _)| system.name()),
        ("category", |(_, one)| one.category.clone()),
        ("difference", |(system, one)| {
            signed_text(system.measure, one.change.difference)
        }),
        ("interval", |(system, one)| {
            interval_cell(system.measure, &one.change)
        }),
        ("p adjusted", |(_, one)| {
            if one.too_small {
                "too few items".into()
            } else {
                or_dash(one.p_adjusted, p_value_text)
            }
        }),
        ("items", |(_, one)| one.change.items.to_string()),
    ];
    for table in [
        table_of(&TREND_COLUMNS, last_looks(comparison)),
        table_of(&category_columns, categories),
    ] {
        if table.has_rows() {
            parts.push(fit_table(table.with_numbers_from(2), view, &[]));
        }
    }
    parts.extend(lost_items(comparison, view));
    parts.push(summary_text(summary_lines(comparison, gates), view));
    parts.join("\n\n") + "\n"
}

/// Returns the items that got worse, or that one of a pair lost, if there are any: the first of
/// each system, and how many more there are.
fn lost_items(comparison: &Comparison, view: View) -> Option<String> {
    let most = if view.verbose {
        usize::MAX
    } else {
        SHOWN_ITEMS
    };
    let worse = changed_systems(comparison).flat_map(|system| {
        worse_items(system)
            .take(most)
            .map(move |item| (system, item))
    });
    let is_pair = is_head_to_head(comparison);
    let [before, now] = heads_of(comparison);
    let mut columns: Columns<(&SystemChange, &ItemChange)> = Columns::new(&[]);
    let kind = if is_pair { "lost item" } else { "worse item" };
    columns.push(kind, |(_, item)| item.item.clone());
    columns.push("system", |(system, _)| system.name());
    if !is_pair {
        columns.push(before, |(system, item)| {
            value_text(system.measure, item.baseline)
        });
    }
    let now = if is_pair { "preferred" } else { now };
    columns.push(now, |(system, item)| {
        value_text(system.measure, item.current)
    });
    columns.push("judgment", |(_, item)| {
        or_dash(item.trial, |trial| trial.to_string())
    });
    let table = columns.table(worse);
    let all = changed_systems(comparison).map(|system| worse_items(system).count());
    let more: usize = all.map(|count| count.saturating_sub(most)).sum();
    let more = match more {
        0 => String::new(),
        _ => format!("\n and {more} more; {} has all", Setting::Verbose),
    };
    let has_rows = table.has_rows();
    has_rows.then(|| fit_table(table.with_numbers_from(2), view, &[]) + &more)
}

/// Returns what stands in the places of before and now: of two systems of one run, which have no
/// before and after, each has its name.
pub(crate) fn heads_of(comparison: &Comparison) -> [&str; 2] {
    match (&comparison.current, &comparison.systems[..]) {
        (None, [system, ..]) => [system.baseline.as_str(), system.current.as_str()],
        _ => ["before", "now"],
    }
}

const TREND_COLUMNS: [Column<HistoryRow>; 4] = [
    ("look", |row| row.look.clone()),
    ("system", |row| row.system.clone()),
    ("difference", |row| signed_text(row.measure, row.difference)),
    ("interval", |row| {
        or_dash(row.ci, |ends| range_text(row.measure, ends))
    }),
];

/// Looks of a trend that are shown of each system.
const SHOWN_LOOKS: usize = 10;

/// Returns the last looks at each system, where there is an earlier one.
fn last_looks(comparison: &Comparison) -> Vec<&HistoryRow> {
    let mut shown = Vec::new();
    for place in 0..comparison.systems.len() {
        let looks: Vec<&HistoryRow> = comparison.trend(place).collect();
        if looks.len() > 1 {
            shown.extend(looks.into_iter().rev().take(SHOWN_LOOKS).rev());
        }
    }
    shown
}

/// Returns a line for each system that could differ; None where none could. Two systems of one run
/// have no before and after.
fn systems_table(comparison: &Comparison, view: View) -> Option<String> {
    let is_pair = is_head_to_head(comparison);
    let [before, now] = heads_of(comparison);
    let mut columns: Columns<SystemChange> = Columns::new(&[("system", SystemChange::name)]);
    if !is_pair {
        columns.push("measure", |one| match one.measure {
            Measure::HeadToHead => "preferred".into(),
            Measure::WinShare => "wins".into(),
            Measure::Score => "score".into(),
        });
        columns.push(before, |one| value_text(one.measure, one.means[0]));
    }
    let now = if is_pair { "preferred" } else { now };
    columns.push(now, |one| value_text(one.measure, one.means[1]));
    columns.extend(&[
        ("difference", |one| {
            signed_text(one.measure, one.change().difference)
        }),
        ("interval", |one| interval_cell(one.measure, one.change())),
        ("p", |one| or_dash(one.change().p_value, p_value_text)),
        ("items", |one| one.change().items.to_string()),
    ]);
    let moved = if is_pair { "won / lost" } else { "up / down" };
    columns.push(moved, |one| {
        format!("{} / {}", one.change().up, one.change().down)
    });
    let table = columns.table(comparison.systems.iter().filter(|one| !is_fixed(one)));
    table.has_rows().then(|| match is_pair {
        true => fit_table(table.with_numbers_from(1), view, &[5, 6]),
        false => fit_table(table.with_numbers_from(2), view, &[7, 8, 1]),
    })
}

/// Whether everything that is compared are two systems of one run, judged against each other.
fn is_head_to_head(comparison: &Comparison) -> bool {
    let mut systems = comparison.systems.iter();
    systems.all(|system| system.measure == Measure::HeadToHead)
}

fn interval_cell(measure: Measure, change: &Change) -> String {
    or_dash(change.interval, |ends| range_text(measure, ends))
}

/// The systems that changed at all: what the judge says of the others is its own doing.
pub(crate) fn changed_systems(comparison: &Comparison) -> impl Iterator<Item = &SystemChange> {
    let systems = comparison.systems.iter();
    systems.filter(|system| system.changed > 0)
}

/// The items that got worse, those by most first.
pub(crate) fn worse_items(system: &SystemChange) -> impl Iterator<Item = &ItemChange> {
    let items = system.by_item.iter();
    items.take_while(|item| item.current < item.baseline)
}

fn summary_lines(comparison: &Comparison, gates: &[GateResult]) -> Vec<Line> {
    let mut lines = vec![("compared", compared_text(comparison))];
    lines.extend(left_out_lines(comparison).map(|text| ("left out", text)));
    if let Some(current) = comparison
        .current
        .as_ref()
        .filter(|_| !comparison.added.is_empty())
    {
        let old = comparison.systems.first().map_or("OLD", |old| &old.current);
        let pair = format!("{},{}", quote(old), quote(&comparison.added[0]));
        let text = format!(
            "{} {} only in {current}; against another system of it: `evenhand compare {} {} {}`",
            list_names(&comparison.added),
            if comparison.added.len() == 1 {
                "is"
            } else {
                "are"
            },
            shell_word(current),
            Setting::Pair,
            shell_word(&pair),
        );
        lines.push(("new", text));
    }
    if let Some(drift) = &comparison.drift {
        lines.push(("judge", drift_text(drift, comparison.level)));
    } else if comparison.current.is_some() {
        let text = format!(
            "it is not known whether it changed: no identical answer of {} and {} was judged in \
             both; {} FILE keeps a fixed set for that",
            comparison.baseline,
            comparison.current.as_deref().unwrap_or_default(),
            Setting::Anchors
        );
        lines.push(("judge", text));
    }
    // What the verdicts show before the judge's own change is taken out.
    for system in changed_systems(comparison) {
        let (Some(_), Some(drift)) = (&system.adjusted, &system.drift) else {
            continue;
        };
        if drift.difference != 0.0 {
            let text = format!(
                "{}: the verdicts show {}, of which the judge's own change is {} a changed answer \
                 ({} of {} answers changed)",
                system.name(),
                signed_text(system.measure, system.observed.difference),
                signed_text(system.measure, drift.difference),
                system.changed,
                system.observed.items
            );
            lines.push(("adjusted", text));
        }
    }
    lines.extend(interaction_lines(comparison).map(|text| ("categories", text)));
    if !comparison.systems.iter().all(is_fixed) {
        lines.push(("method", method_text(comparison)));
    }
    let copied = copied_lines(comparison).into_iter();
    lines.extend(copied.map(|line| ("copied", line)));
    for gate in gates {
        let (text, outcome) = (&gate.text, outcome_words(gate.outcome));
        lines.push(("gate", format!("{text}: {outcome} ({})", gate.reason())));
    }
    lines
}

/// Says by which tests systems are compared, and who tests otherwise.
fn method_text(comparison: &Comparison) -> String {
    let tested = comparison.systems.iter().filter(|one| !is_fixed(one));
    let methods = tested.map(|one| one.change().method);
    let names = in_order(methods.map(method_words)).join("; ");
    let questions = if comparison.questions < comparison.items {
        "; each question counts once"
    } else {
        ""
    };
    let beside = match comparison.current {
        Some(_) => String::new(),
        None => format!(
            " (`rank` with {} compares the scores of all systems, so its interval and p may differ)",
            Setting::Differences
        ),
    };
    format!(
        "{names}{questions}; {} % intervals invert it{beside}; {} json has every item",
        chosen_percent(comparison.level),
        Setting::Format
    )
}

fn compared_text(comparison: &Comparison) -> String {
    let items = count_items(comparison.items as u64, comparison.questions as u64);
    let mut text = match &comparison.current {
        Some(current) => format!("{} with {current}; {items} in both", comparison.baseline),
        None => format!("{}; {items}", comparison.baseline),
    };
    // Items of a run that was stopped, or without a verdict or an answer, are not compared.
    // Each system may be compared on others.
    let compared = comparison.systems.iter().flat_map(|system| &system.by_item);
    let compared: HashSet<&str> = compared.map(|item| item.item.as_str()).collect();
    if !comparison.systems.is_empty() && compared.len() < comparison.items {
        let compared = group_digits(compared.len() as u64);
        text += &format!(", {compared} of them compared");
    }
    if comparison.rewritten > 0 {
        let rewritten = count_of(comparison.rewritten as u64, "item", "items");
        text += &format!("; {rewritten} left out, whose text has changed");
    }
    if comparison.anchors > 0 {
        text += &format!(
            "; {} for the judge alone",
            count_of(comparison.anchors as u64, "anchor", "anchors")
        );
    }
    // Of one run both sides are the same.
    let sides = match comparison.current {
        Some(_) => 0..2,
        None => 1..2,
    };
    let failures: u64 = comparison.failures[sides].iter().sum();
    if failures > 0 {
        text += &format!(
            "; {} without a verdict",
            count_of(failures, "judgment", "judgments")
        );
    }
    text
}

fn interaction_lines(comparison: &Comparison) -> impl Iterator<Item = String> + '_ {
    let tests = changed_systems(comparison)
        .filter_map(|system| Some((system, system.interaction.as_ref()?)));
    tests.map(|(system, test)| {
        let (name, measure) = (system.name(), system.measure);
        let test = match test {
            Ok(test) => test,
            Err(why) => {
                return format!(
                    "whether the change of {name} differs between categories was not tested: {why}"
                );
            }
        };
        let p = p_value_text(test.p_value);
        let unit = if comparison.questions < comparison.items {
            "questions"
        } else {
            "items"
        };
        let furthest = &test.furthest;
        let (differs, most) = if test.p_value < 1.0 - comparison.level {
            let beyond = signed_text(measure, test.beyond);
            let most = format!(": most in {furthest}, {beyond} beyond the change of all");
            ("differs", most)
        } else {
            ("is not found to differ", String::new())
        };
        let (where_to, over) = match test.categories {
            1 => (format!("in {furthest} {differs} from that of all"), ""),
            several => (
                format!("{differs} between {several} categories"),
                ", by the largest of them",
            ),
        };
        let small = match system.categories.iter().any(|one| one.too_small) {
            true => format!("; below {SMALLEST_CATEGORY} {unit} a category says nothing"),
            false => String::new(),
        };
        format!(
            "the change of {name} {where_to} (p {p}, by permutation and signs of \
             {unit}{over}){most}{small}"
        )
    })
}

pub(crate) fn outcome_words(outcome: GateOutcome) -> String {
    match outcome {
        GateOutcome::Passed => "passed".into(),
        GateOutcome::Met => "met".into(),
        GateOutcome::Inconclusive(None) => "inconclusive".into(),
        GateOutcome::Inconclusive(Some(more)) => {
            format!(
                "inconclusive, {} would probably decide it",
                count_of(more, "more item", "more items")
            )
        }
    }
}
