//! Methods beside their baselines, and what they cost: PORTIA's tables 1, 2, 8 and 16, as text,
//! JSON and CSV.

use super::percent_with_interval;
use crate::columns::{Column, Columns, table_of};
use crate::named_figures::{FigureOf, NamedFigures};
use crate::numbers::{format_usd, group_digits, or_blank, or_dash};
use crate::serialize::optional_cell;
use crate::text_table::TextTable;
use evenhand_core::in_order;
use evenhand_studies::Figure;
use evenhand_studies::judge::MethodFigures;
use evenhand_studies::study::{
    MethodMean, MethodRow, RelativeCost, Spending, StudyReport, TogetherCost,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The figures, in the order of JSON and CSV.
const FIGURES: [FigureOf<MethodFigures>; 7] = [
    ("consistent", |one| &one.consistent),
    ("consistent_gain", |one| &one.consistent_gain),
    ("mended", |one| &one.mended),
    ("right_in_both", |one| &one.right_in_both),
    ("right_in_both_gain", |one| &one.right_in_both_gain),
    ("accuracy", |one| &one.accuracy),
    ("accuracy_gain", |one| &one.accuracy_gain),
];

/// What judgments took.
#[derive(Serialize, JsonSchema)]
pub(super) struct SpentJson {
    /// Calls.
    calls: u64,
    /// Tokens of their prompts.
    prompt_tokens: u64,
    /// Tokens that they wrote.
    completion_tokens: u64,
    /// US dollars, where a price is known.
    cost_usd: Option<f64>,
    /// Seconds of wall time; null where no machine was named, or a call was answered from an
    /// earlier run.
    seconds: Option<f64>,
    /// Kilowatt-hours; null where the time is not known.
    kwh: Option<f64>,
    /// Grams of CO2 equivalent.
    grams_co2: Option<f64>,
}

impl From<Spending> for SpentJson {
    fn from(spent: Spending) -> Self {
        SpentJson {
            calls: spent.calls,
            prompt_tokens: spent.usage.prompt_tokens,
            completion_tokens: spent.usage.completion_tokens,
            cost_usd: spent.usd,
            seconds: spent.seconds,
            kwh: spent.kwh,
            grams_co2: spent.grams_co2,
        }
    }
}

/// A judge by one evaluation type on pairs, beside its baseline.
#[derive(Serialize, JsonSchema)]
pub(super) struct MethodJson<'a> {
    /// The set, or the name of the total.
    input: &'a str,
    /// The judge.
    judge: &'a str,
    /// The evaluation type.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The evaluation type that it is compared with; null of a baseline, and where there is none.
    baseline: Option<&'a str>,
    /// Pairs.
    pairs: usize,
    /// Those of them without a verdict in some order: they count as inconsistent.
    failed: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, MethodFigures>,
    /// What it takes when it is asked alone; null of recorded judges.
    spent: Option<SpentJson>,
    /// The same as a multiple of the first baseline's.
    #[serde(flatten)]
    relative: RelativeCost,
}

/// A method by all judges: means over judges, or over judges and forms.
#[derive(Serialize, JsonSchema)]
pub(super) struct MethodMeanJson<'a> {
    /// The set, or the name of the total.
    input: &'a str,
    /// The evaluation type; the calibration where the mean is over several forms.
    method: &'a str,
    /// What each is compared with.
    baselines: &'a [String],
    /// How many judges there are.
    judges: usize,
    /// How many forms.
    forms: usize,
    /// Judges by forms: what the mean is over.
    columns: usize,
    /// Pairs of all columns.
    pairs: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, MethodFigures>,
    /// The mean multiple of what the first baseline takes.
    #[serde(flatten)]
    relative: RelativeCost,
}

/// What all methods of a judge took together.
#[derive(Serialize, JsonSchema)]
pub(super) struct TogetherJson<'a> {
    /// The judge.
    judge: &'a str,
    /// A call that several methods share is counted once.
    spent: SpentJson,
}

pub(super) fn methods_json(report: &StudyReport) -> Vec<MethodJson<'_>> {
    let rows = report.methods.iter().map(|row| MethodJson {
        input: &row.input,
        judge: &row.judge,
        kind: &row.kind,
        baseline: row.baseline.as_deref(),
        pairs: row.figures.pairs,
        failed: row.figures.failed,
        figures: NamedFigures::new(&FIGURES, &row.figures),
        spent: row.spent.map(SpentJson::from),
        relative: row.relative,
    });
    rows.collect()
}

pub(super) fn means_json(report: &StudyReport) -> Vec<MethodMeanJson<'_>> {
    let means = report.method_means.iter().map(|mean| MethodMeanJson {
        input: &mean.input,
        method: &mean.method,
        baselines: &mean.baselines,
        judges: mean.judges,
        forms: mean.forms,
        columns: mean.columns,
        pairs: mean.figures.pairs,
        figures: NamedFigures::new(&FIGURES, &mean.figures),
        relative: mean.relative,
    });
    means.collect()
}

pub(super) fn together_json(report: &StudyReport) -> Vec<TogetherJson<'_>> {
    let together = report.together.iter().map(|one| TogetherJson {
        judge: &one.judge,
        spent: one.spent.into(),
    });
    together.collect()
}

/// Adds to the rows of a CSV the baseline of a method, its gains and its costs. `of` finds the
/// method of a row.
pub(super) fn push_method_columns<'a, R: 'a>(
    columns: &mut Columns<'a, R>,
    of: impl Fn(&R) -> Option<&'a MethodRow> + Copy + 'a,
) {
    columns.push("baseline", move |row| {
        optional_cell(of(row).and_then(|row| row.baseline.as_deref()))
    });
    for (name, figure) in FIGURES {
        // The shares themselves are the rows' own.
        if ["consistent", "right_in_both", "accuracy"].contains(&name) {
            continue;
        }
        let figure = move |row: &R| of(row).map(|row| figure(&row.figures));
        columns.push(name, move |row| {
            optional_cell(figure(row).and_then(|one| one.value))
        });
        for (at, end) in ["low", "high"].into_iter().enumerate() {
            columns.push(format!("{name}_{end}"), move |row| {
                optional_cell(figure(row).and_then(|one| one.ci?[at]))
            });
        }
    }
    let spent = move |row: &R| of(row).and_then(|row| row.spent);
    columns.push("calls", move |row| {
        optional_cell(spent(row).map(|one| one.calls))
    });
    columns.push("prompt_tokens", move |row| {
        optional_cell(spent(row).map(|one| one.usage.prompt_tokens))
    });
    columns.push("completion_tokens", move |row| {
        optional_cell(spent(row).map(|one| one.usage.completion_tokens))
    });
    for (name, amount) in AMOUNTS {
        columns.push(name, move |row| {
            optional_cell(spent(row).and_then(|one| amount(&one)))
        });
    }
    for (name, cost) in RELATIVE {
        columns.push(name, move |row| {
            optional_cell(of(row).and_then(|row| cost(&row.relative)))
        });
    }
}

/// Takes one of the amounts of what was spent.
type AmountOf = fn(&Spending) -> Option<f64>;

/// The parts of a cost that are not always known, with their names in files.
const AMOUNTS: [(&str, AmountOf); 4] = [
    ("cost_usd", |one| one.usd),
    ("seconds", |one| one.seconds),
    ("kwh", |one| one.kwh),
    ("grams_co2", |one| one.grams_co2),
];

/// Takes one of the relative costs.
type RelativeOf = fn(&RelativeCost) -> Option<f64>;

/// The relative costs, with their names in files.
const RELATIVE: [(&str, RelativeOf); 4] = [
    ("relative_calls", |one| one.relative_calls),
    ("relative_tokens", |one| one.relative_tokens),
    ("relative_usd", |one| one.relative_usd),
    ("relative_seconds", |one| one.relative_seconds),
];

/// Returns the rows of methods as CSV.
pub(super) fn methods_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let mut columns: Columns<&MethodRow> = Columns::new(&[
        ("input", |row| row.input.clone()),
        ("judge", |row| row.judge.clone()),
        ("type", |row| row.kind.clone()),
        ("pairs", |row| row.figures.pairs.to_string()),
    ]);
    columns.push_figure("consistent", ["low", "high"], |row| &row.figures.consistent);
    columns.push_figure("right_in_both", ["low", "high"], |row| {
        &row.figures.right_in_both
    });
    push_method_columns(&mut columns, |row| Some(*row));
    columns.csv(&report.methods.iter().collect::<Vec<_>>())
}

/// Returns a table of methods for each input set where there are baselines, or no labels, which
/// have tables of their own; then the means, then what everything cost.
pub(super) fn method_tables(report: &StudyReport) -> Vec<TextTable> {
    let mut tables = Vec::new();
    for input in in_order(report.methods.iter().map(|row| row.input.as_str())) {
        let rows = report.methods.iter().filter(|row| row.input == input);
        let rows: Vec<&MethodRow> = rows.collect();
        let is_labelled = rows.iter().any(|row| row.figures.accuracy.value.is_some());
        if rows.iter().any(|row| row.baseline.is_some()) || !is_labelled {
            tables.push(method_table(input, &rows));
        }
    }
    let means = report.method_means.iter();
    let means = means.filter(|mean| !mean.baselines.is_empty());
    tables.push(table_of(&MEAN_COLUMNS, means).with_numbers_from(2));
    let known = report.methods.iter().filter(|row| row.spent.is_some());
    tables.push(cost_table(&known.collect::<Vec<_>>()));
    tables.push(together_table(&report.together));
    tables.retain(TextTable::has_rows);
    tables
}

fn method_table(input: &str, rows: &[&MethodRow]) -> TextTable {
    let mut columns: Columns<&MethodRow> = Columns::new(&[]);
    columns.push(format!("{input}: judge"), |row| row.judge.clone());
    columns.extend(&[
        ("type", |row| row.kind.clone()),
        ("pairs", |row| row.figures.pairs.to_string()),
        ("consistent %", |row| {
            with_gain(&row.figures.consistent, &row.figures.consistent_gain)
        }),
        ("gain from, to", |row| {
            gain_interval(&row.figures.consistent_gain)
        }),
        ("fixed coverage %", |row| {
            percent_with_interval(&row.figures.mended)
        }),
        ("right in both orders %", |row| {
            with_gain(&row.figures.right_in_both, &row.figures.right_in_both_gain)
        }),
        ("gain from, to", |row| {
            gain_interval(&row.figures.right_in_both_gain)
        }),
        ("accuracy %", |row| {
            with_gain(&row.figures.accuracy, &row.figures.accuracy_gain)
        }),
    ]);
    // A judge's methods stand together, as in the paper.
    let judges = in_order(rows.iter().map(|row| row.judge.as_str()));
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| judges.iter().position(|judge| *judge == row.judge));
    columns.table(&rows).with_numbers_from(2)
}

const MEAN_COLUMNS: [Column<MethodMean>; 10] = [
    ("mean over judges", |mean| mean.input.clone()),
    ("method", |mean| match mean.forms {
        1 => mean.method.clone(),
        forms => format!("{}, {forms} forms", mean.method),
    }),
    ("columns", |mean| mean.columns.to_string()),
    ("consistent %", |mean| {
        with_gain(&mean.figures.consistent, &mean.figures.consistent_gain)
    }),
    ("gain from, to", |mean| {
        gain_interval(&mean.figures.consistent_gain)
    }),
    ("fixed coverage %", |mean| {
        percent_with_interval(&mean.figures.mended)
    }),
    ("right in both orders %", |mean| {
        with_gain(
            &mean.figures.right_in_both,
            &mean.figures.right_in_both_gain,
        )
    }),
    ("accuracy %", |mean| {
        with_gain(&mean.figures.accuracy, &mean.figures.accuracy_gain)
    }),
    ("gain from, to", |mean| {
        gain_interval(&mean.figures.accuracy_gain)
    }),
    ("tokens x", |mean| multiple(mean.relative.relative_tokens)),
];

const COST_COLUMNS: [Column<MethodRow>; 9] = [
    ("cost of each, asked alone", |row| row.input.clone()),
    ("judge", |row| row.judge.clone()),
    ("type", |row| row.kind.clone()),
    ("calls", |row| {
        or_dash(row.spent, |spent| group_digits(spent.calls))
    }),
    ("tokens", |row| {
        or_dash(row.spent, |spent| group_digits(spent.tokens()))
    }),
    ("cost", |row| {
        or_dash(row.spent.and_then(|spent| spent.usd), format_usd)
    }),
    ("calls x", |row| multiple(row.relative.relative_calls)),
    ("tokens x", |row| multiple(row.relative.relative_tokens)),
    ("cost x", |row| multiple(row.relative.relative_usd)),
];

const TOGETHER_COLUMNS: [Column<TogetherCost>; 4] = [
    ("all together, each call once", |one| one.judge.clone()),
    ("calls", |one| group_digits(one.spent.calls)),
    ("tokens", |one| group_digits(one.spent.tokens())),
    ("cost", |one| or_dash(one.spent.usd, format_usd)),
];

/// Returns what each row took, with its time, energy and carbon where they are known.
fn cost_table(rows: &[&MethodRow]) -> TextTable {
    let mut columns: Columns<MethodRow> = Columns::new(&COST_COLUMNS);
    let spent = |row: &MethodRow| row.spent.unwrap_or_default();
    if rows.iter().any(|row| spent(row).seconds.is_some()) {
        push_footprint(&mut columns, spent);
        columns.push("seconds x", |row| multiple(row.relative.relative_seconds));
    }
    columns.table(rows.iter().copied()).with_numbers_from(3)
}

fn together_table(rows: &[TogetherCost]) -> TextTable {
    let mut columns: Columns<TogetherCost> = Columns::new(&TOGETHER_COLUMNS);
    if rows.iter().any(|one| one.spent.seconds.is_some()) {
        push_footprint(&mut columns, |one| one.spent);
    }
    columns.table(rows).with_numbers_from(1)
}

fn push_footprint<'a, R: 'a>(columns: &mut Columns<'a, R>, spent: fn(&R) -> Spending) {
    columns.push("seconds", move |row| {
        or_dash(spent(row).seconds, |seconds| format!("{seconds:.1}"))
    });
    columns.push("kWh", move |row| {
        or_dash(spent(row).kwh, |kwh| format!("{kwh:.3}"))
    });
    columns.push("g of CO2 equivalent", move |row| {
        or_dash(spent(row).grams_co2, |grams| format!("{grams:.1}"))
    });
}

/// Returns a share in per cent with its relative gain, as PORTIA's table 1 has them: `83.28
/// (+194.48 %)`.
fn with_gain(share: &Figure, gain: &Figure) -> String {
    let gain = or_blank(gain.value, |gain| format!(" ({:+.2} %)", 100.0 * gain));
    or_dash(share.value, |share| format!("{:.2}{gain}", 100.0 * share))
}

fn gain_interval(gain: &Figure) -> String {
    or_dash(gain.ci, |ends| {
        let [low, high] =
            ends.map(|end| end.map_or("?".into(), |end| format!("{:+.0}", 100.0 * end)));
        format!("{low} to {high} %")
    })
}

fn multiple(times: Option<f64>) -> String {
    or_dash(times, |times| format!("{times:.2}"))
}

/// Says what gains are, and why some are missing.
pub(super) fn method_notes(report: &StudyReport) -> Vec<String> {
    let mut notes = Vec::new();
    if report.methods.iter().any(|row| row.baseline.is_some()) {
        notes.push(GAINS.to_string());
    }
    for row in report.methods.iter().filter(|row| row.figures.failed > 0) {
        notes.push(format!(
            "{} of {} pairs of {}, {}, {}, have no verdict in some order: they count as \
             inconsistent",
            row.figures.failed, row.figures.pairs, row.input, row.judge, row.kind
        ));
    }
    let of_rows = report
        .methods
        .iter()
        .map(|row| (&row.judge, &row.kind, &row.figures));
    let of_means = report
        .method_means
        .iter()
        .map(|mean| (&mean.input, &mean.method, &mean.figures));
    for (who, how, figures) in of_rows.chain(of_means) {
        // A share without a gain; one of nothing has none either.
        let gains = [
            ("consistency", &figures.consistent, &figures.consistent_gain),
            (
                "right in both orders",
                &figures.right_in_both,
                &figures.right_in_both_gain,
            ),
            ("accuracy", &figures.accuracy, &figures.accuracy_gain),
        ];
        for (what, share, gain) in gains {
            if let (Some(_), None, Some(note)) = (share.value, gain.value, &gain.note) {
                notes.push(format!("no gain of {what} for {who}, {how}: {note}"));
            }
        }
    }
    in_order(notes)
}

const GAINS: &str = "gains are relative to the baseline on the same pairs: share / baseline's \
                     share - 1, and over several judges the mean of theirs; intervals are over \
                     items, and say nothing about other judges";
