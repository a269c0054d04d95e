//! How well systems keep constraints: table, JSON, CSV.

use crate::View;
use crate::answer::AnswerJson;
use crate::columns::{Column, Columns, table_of};
use crate::compare::{GateJson, gates_json};
use crate::markdown::{escape, lines_as_markdown};
use crate::meta::percent_with_interval;
use crate::named_figures::{FigureOf, NamedFigures};
use crate::numbers::{
    bracketed_interval, chosen_percent, count_items, count_of, group_digits, or_blank, or_dash,
    with_interval,
};
use crate::serialize::{ByName, json_text};
use crate::slices::{
    about_deviations, deviation_columns, deviation_table, push_slice_columns, slice_heading,
};
use crate::terminal::printable;
use crate::text_table::TextTable;
use evenhand_compare::gate::GateResult;
use evenhand_core::{name_in_words, p_value_text};
use evenhand_ranking::{InteractionReport, list_in_words};
use evenhand_studies::check::{CheckDifference, CheckReport, CheckSlice, SystemChecked};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The accuracies of prompts, then those of single instructions.
const COLUMNS: [Column<SystemChecked>; 7] = [
    ("system", |row| row.system.clone()),
    ("prompts", |row| group_digits(row.prompts)),
    ("strict", |row| percent_with_interval(&row.prompt_strict)),
    ("loose", |row| percent_with_interval(&row.prompt_loose)),
    ("instructions", |row| group_digits(row.instructions)),
    ("strict", |row| {
        percent_with_interval(&row.instruction_strict)
    }),
    ("loose", |row| percent_with_interval(&row.instruction_loose)),
];

/// Systems that the answer names; of more it names the best and the worst.
const NAMED: usize = 3;

/// Says in one sentence, without a full stop, how often each system keeps all constraints, the best
/// first.
fn answer(report: &CheckReport) -> String {
    let share = |row: &SystemChecked| row.prompt_strict.value.unwrap_or(f64::NEG_INFINITY);
    let mut rows: Vec<&SystemChecked> = report.systems.iter().collect();
    rows.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let level = chosen_percent(report.level);
    let kept = |row: &SystemChecked| {
        let ends = bracketed_interval(row.prompt_strict.ci, |end| format!("{:.0}", 100.0 * end));
        or_blank(row.prompt_strict.value, |value| {
            format!("{:.1} %{ends}", 100.0 * value)
        })
    };
    let (with, without): (Vec<&SystemChecked>, Vec<&SystemChecked>) = rows
        .iter()
        .partition(|row| row.prompt_strict.value.is_some());
    let [first, others @ ..] = with.as_slice() else {
        return "No response could be checked".into();
    };
    let mut text = format!(
        "{} keeps all constraints in {} of its responses",
        name_in_words(&first.system),
        kept(first)
    );
    match others {
        [.., last] if with.len() > NAMED => {
            let between = count_of(others.len() as u64 - 1, "system follows", "systems follow");
            let last_name = name_in_words(&last.system);
            text += &format!(", {between}, and {last_name} in {}", kept(last));
        }
        others => {
            for row in others {
                text += &format!(", {} in {}", name_in_words(&row.system), kept(row));
            }
        }
    }
    if with.iter().any(|row| row.prompt_strict.ci.is_some()) {
        text += &format!("; in brackets {level} % intervals");
    }
    let without: Vec<String> = without.iter().map(|row| row.system.clone()).collect();
    if let [lead] = &leads(report)[..] {
        // Two systems: which is better is the question.
        let ends = bracketed_interval(lead.ci, |end| format!("{end:.0}"));
        text += &or_blank(lead.points, |points| match points > 0.0 {
            true => format!(
                "; {} is ahead by {points:.1} points{ends}",
                name_in_words(lead.best)
            ),
            false => format!("; they are level, {points:.1} points apart{ends}"),
        });
        text += &or_blank(lead.p, |p| format!(", p {}", p_value_text(p)));
    }
    match without.is_empty() {
        true => text,
        false => format!("{text}; no response to check: {}", list_in_words(&without)),
    }
}

/// Returns the comparisons of the system that keeps all constraints most often with each other;
/// the best stands first, whichever way the data name them.
fn leads(report: &CheckReport) -> Vec<Lead<'_>> {
    let share = |row: &SystemChecked| row.prompt_strict.value.unwrap_or(f64::NEG_INFINITY);
    // Of several that are equal the first.
    let best = report.systems.iter().rev();
    let Some(best) = best.max_by(|a, b| share(a).total_cmp(&share(b))) else {
        return Vec::new();
    };
    let rows = report.differences.iter().filter_map(|row| {
        let points = |share: f64| 100.0 * share;
        let ahead = |other, difference: Option<f64>, ends: Option<[f64; 2]>| Lead {
            best: &best.system,
            other,
            points: difference.map(points),
            ci: ends.map(|ends| ends.map(|end| Some(points(end)))),
            p: row.p_adjusted,
        };
        // What is 0 has no sign.
        let turned = || row.ci.map(|ends| [0.0 - ends[1], 0.0 - ends[0]]);
        match (row.a == best.system, row.b == best.system) {
            (true, _) => Some(ahead(&row.b, row.difference, row.ci)),
            (_, true) => Some(ahead(&row.a, row.difference.map(|x| 0.0 - x), turned())),
            _ => None,
        }
    });
    rows.collect()
}

/// How far the best system is ahead of another, in percentage points.
struct Lead<'a> {
    best: &'a str,
    other: &'a str,
    points: Option<f64>,
    ci: Option<[Option<f64>; 2]>,
    p: Option<f64>,
}

/// Returns the table of [`leads`].
fn lead_table(report: &CheckReport) -> TextTable {
    let columns: [Column<Lead<'_>>; 4] = [
        ("best", |lead| lead.best.into()),
        ("against", |lead| lead.other.into()),
        ("ahead by (points)", |lead| {
            with_interval(lead.points, lead.ci, |points| format!("{points:.1}"))
        }),
        ("p", |lead| or_dash(lead.p, p_value_text)),
    ];
    table_of(&columns, &leads(report)).with_numbers_from(2)
}

/// Returns the answer, a line for each system, the types of constraints below, then the same lines
/// for each slice and who differs where.
pub fn check_table(report: &CheckReport) -> String {
    let accuracies = |systems: &[SystemChecked]| system_table(systems).to_text();
    let mut text = format!("{}.\n\n", printable(&answer(report)));
    text += &accuracies(&report.systems);
    if !report.differences.is_empty() {
        text += &format!("\n\n{}", lead_table(report).to_text());
    }
    text += &format!("\n\n{}", type_table(report).to_text());
    if let Some(found) = &report.interaction {
        text += &format!("\n\n{}", printable(&found.summary));
        for slice in &report.slices {
            let heading = heading_of_slice(&found.field, slice);
            let table = accuracies(&slice.systems);
            text += &format!("\n\n{}\n{table}", printable(&heading));
        }
        text += &deviation_table(found, "system", View::default());
    }
    format!("{text}\n\n{}\n", legend(report))
}

/// Returns the same for a pull request, with the columns of the terminal.
pub fn check_markdown(report: &CheckReport) -> String {
    let mut text = format!("**{}.**\n\n", escape(&answer(report)));
    text += &system_table(&report.systems).to_markdown();
    if !report.differences.is_empty() {
        text += &format!("\n{}", lead_table(report).to_markdown());
    }
    text += &format!("\n{}", type_table(report).to_markdown());
    if let Some(found) = &report.interaction {
        text += &format!("\n{}", lines_as_markdown(&found.summary));
        for slice in &report.slices {
            let heading = heading_of_slice(&found.field, slice);
            let table = system_table(&slice.systems).to_markdown();
            text += &format!("**{}**\n\n{table}\n", escape(&heading));
        }
        if !found.deviations.is_empty() {
            let table = deviation_columns("system").table(&found.deviations);
            let table = table.with_numbers_from(2).to_markdown();
            text += &format!("{}{table}", lines_as_markdown(&about_deviations(found)));
        }
    }
    let legend = lines_as_markdown(&legend(report));
    format!("{}\n\n{}\n", text.trim_end(), legend.trim_end())
}

fn heading_of_slice(field: &str, slice: &CheckSlice) -> String {
    let units = match slice.n_questions < slice.n_items {
        true => "questions",
        false => "items",
    };
    let size = count_items(slice.n_items, slice.n_questions);
    slice_heading(field, &slice.value, &size, units, slice.too_small)
}

fn system_table(systems: &[SystemChecked]) -> TextTable {
    table_of(&COLUMNS, systems).with_numbers_from(1)
}

/// Says what the numbers are.
fn legend(report: &CheckReport) -> String {
    let level = chosen_percent(report.level);
    let over = match report.n_questions < report.n_items {
        true => format!(" over {}", count_items(report.n_items, report.n_questions)),
        false => String::new(),
    };
    let mut text = format!("In per cent, with {level} % intervals{over}.");
    if report.unconstrained > 0 {
        let have = match report.unconstrained {
            1 => "has",
            _ => "have",
        };
        let items = count_of(report.unconstrained, "item", "items");
        text += &format!("\n{items} {have} no constraints.");
    }
    text
}

/// Shows how often each type of constraint is kept, by system.
fn type_table(report: &CheckReport) -> TextTable {
    let mut columns: Columns<&String> =
        Columns::new(&[("strict, of so many", |name| name.to_string())]);
    for system in &report.systems {
        columns.push(&system.system, move |name| match system.types.get(*name) {
            None | Some([0, ..]) => "-".into(),
            Some([n, strict, _]) => format!("{:.1} of {n}", 100.0 * *strict as f64 / *n as f64),
        });
    }
    let systems = report.systems.iter();
    let names: BTreeSet<&String> = systems.flat_map(|one| one.types.keys()).collect();
    columns.table(names).with_numbers_from(1)
}

/// The accuracies, in the order of JSON and CSV.
const ACCURACIES: [FigureOf<SystemChecked>; 4] = [
    ("prompt_strict", |system| &system.prompt_strict),
    ("prompt_loose", |system| &system.prompt_loose),
    ("instruction_strict", |system| &system.instruction_strict),
    ("instruction_loose", |system| &system.instruction_loose),
];

/// How well systems keep constraints. Shares are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckJson<'a> {
    /// The answer.
    answer: AnswerJson,
    /// Each system, in the order of the data.
    systems: Vec<SystemJson<'a>>,
    /// Each two of them, in that order.
    differences: &'a [CheckDifference],
    /// Items with constraints.
    n_items: u64,
    /// The questions that they ask: intervals and tests are over these.
    n_questions: u64,
    /// Items without constraints, which are passed over.
    unconstrained: u64,
    /// Coverage of the intervals.
    level: f64,
    /// The seed of the bootstrap.
    seed: u64,
    /// The same by the items of each value of a field, where one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    slices: Option<Vec<SliceJson<'a>>>,
    /// Whether slices differ, where a field was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction: Option<&'a InteractionReport>,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// A system's responses.
#[derive(Serialize, JsonSchema)]
struct SystemJson<'a> {
    /// The system.
    system: &'a str,
    /// Responses to items with constraints.
    prompts: u64,
    /// Constraints of them.
    instructions: u64,
    #[serde(flatten)]
    accuracies: NamedFigures<'a, SystemChecked>,
    /// By type of constraint.
    types: ByName<'a, TypeJson>,
}

/// The constraints of one type.
#[derive(Serialize, JsonSchema)]
struct TypeJson {
    /// How many there are.
    n: u64,
    /// How many are kept.
    strict: u64,
    /// How many are kept in one of the eight loose forms.
    loose: u64,
}

/// The systems on the items with one value of a field.
#[derive(Serialize, JsonSchema)]
struct SliceJson<'a> {
    /// The value; blank for items without one.
    value: &'a str,
    /// Its items with constraints.
    n_items: u64,
    /// The questions that they ask: intervals and tests are over these.
    n_questions: u64,
    /// Whether the questions are too few for intervals to be trusted.
    too_small: bool,
    /// Each system, in the order of the data.
    systems: Vec<SystemJson<'a>>,
}

/// Returns one JSON object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn check_json(report: &CheckReport, gates: &[GateResult]) -> Result<String, serde_json::Error> {
    fn systems(checked: &[SystemChecked]) -> Vec<SystemJson<'_>> {
        let systems = checked.iter().map(|system| SystemJson {
            system: &system.system,
            prompts: system.prompts,
            instructions: system.instructions,
            accuracies: NamedFigures::new(&ACCURACIES, system),
            types: system
                .types
                .iter()
                .map(|(name, &[n, strict, loose])| (name.as_str(), TypeJson { n, strict, loose }))
                .collect(),
        });
        systems.collect()
    }
    let slices = report.slices.iter().map(|slice| SliceJson {
        value: &slice.value,
        n_items: slice.n_items,
        n_questions: slice.n_questions,
        too_small: slice.too_small,
        systems: systems(&slice.systems),
    });
    let interaction = report.interaction.as_ref();
    json_text(&CheckJson {
        answer: AnswerJson {
            text: answer(report),
        },
        gates: gates_json(gates),
        systems: systems(&report.systems),
        differences: &report.differences,
        n_items: report.n_items,
        n_questions: report.n_questions,
        unconstrained: report.unconstrained,
        level: report.level,
        seed: report.seed,
        slices: interaction.map(|_| slices.collect()),
        interaction,
    })
}

/// Returns a row for each system, and where there are slices one for each system in each of them,
/// named in a column of its own.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn check_csv(report: &CheckReport) -> Result<String, csv::Error> {
    let mut columns: Columns<(&SystemChecked, Option<&CheckSlice>)> = Columns::new(&[
        ("system", |(row, _)| row.system.clone()),
        ("prompts", |(row, _)| row.prompts.to_string()),
        ("instructions", |(row, _)| row.instructions.to_string()),
    ]);
    columns.push("n_questions", move |(_, slice)| {
        let questions = slice.map_or(report.n_questions, |slice| slice.n_questions);
        questions.to_string()
    });
    for (name, accuracy) in ACCURACIES {
        columns.push_figure(name, ["ci_low", "ci_high"], move |(row, _)| accuracy(row));
    }
    if let Some(found) = &report.interaction {
        push_slice_columns(&mut columns, found, |(row, slice)| {
            let slice = (*slice)?;
            Some((row.system.as_str(), slice.value.as_str(), slice.n_items))
        });
    }
    let whole = report.systems.iter().map(|row| (row, None));
    let slices = report.slices.iter().flat_map(|slice| {
        let systems = slice.systems.iter();
        systems.map(move |row| (row, Some(slice)))
    });
    let slices = slices.filter(|_| report.interaction.is_some());
    columns.csv(whole.chain(slices))
}
