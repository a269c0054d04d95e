//! Consistency before and after splitting: table, JSON, CSV.

use super::percent_with_interval;
use crate::answer::AnswerJson;
use crate::columns::{Column, Columns, table_of};
use crate::compare::{GateJson, gates_json};
use crate::named_figures::{FigureOf, NamedFigures};
use crate::numbers::{chosen_percent, count_of, format_usd, or_dash};
use crate::serialize::{json_text, optional_cell};
use crate::slices::slice_name;
use evenhand_compare::gate::GateResult;
use evenhand_core::p_value_text;
use evenhand_ranking::InteractionReport;
use evenhand_studies::Figure;
use evenhand_studies::consistency::{
    AnswerShare, Answers, ByField, ByNumber, Consistency, ConsistencyReport, FieldPart,
    GoldAgreement, LengthRow, NumberBin, PerThousand, Trend,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Who judged and how, and what it cost.
#[derive(Clone, Copy, Debug)]
pub struct ConsistencyOf<'a> {
    /// The judge's identity.
    pub judge: &'a str,
    /// The protocol's name.
    pub protocol: &'a str,
    /// Coverage of the intervals.
    pub level: f64,
    /// The cost of 1,000 judgments.
    pub per_thousand: PerThousand,
}

const NUMBER_COLUMNS: [Column<NumberBin>; 5] = [
    ("characters", |bin| {
        format!("{} to {}", bin.range[0], bin.range[1] - 1)
    }),
    ("share", |bin| format!("{:.2}", bin.share)),
    ("pairs", |bin| bin.consistency.pairs.to_string()),
    ("inconsistent", |bin| {
        let consistent = &bin.consistency.at_first;
        let flip = |end: f64| 1.0 - end;
        percent_with_interval(&Figure {
            value: consistent.value.map(flip),
            ci: consistent
                .ci
                .map(|[low, high]| [high.map(flip), low.map(flip)]),
            note: None,
        })
    }),
    ("fixed coverage", |bin| {
        percent_with_interval(&bin.consistency.fixed)
    }),
];

const LENGTH_COLUMNS: [Column<LengthRow>; 7] = [
    ("system", |row| row.system.to_string()),
    ("answers", |row| row.answers.to_string()),
    ("empty", |row| row.empty.to_string()),
    ("max", |row| row.max.to_string()),
    ("min", |row| row.min.to_string()),
    ("average", |row| format!("{:.1}", row.mean)),
    ("standard deviation", |row| format!("{:.1}", row.sd)),
];

/// The shares, in the order of JSON and CSV.
const SHARES: [FigureOf<Consistency>; 3] = [
    ("consistent_at_first", |one| &one.at_first),
    ("consistent_in_the_end", |one| &one.in_the_end),
    ("fixed_coverage", |one| &one.fixed),
];

/// The consistency on the pairs of two systems; of all pairs without them.
type SystemsPart<'a> = (Option<&'a [Arc<str>; 2]>, &'a Consistency);

/// Returns the parts of two systems each, and behind them the whole.
fn parts_of(report: &ConsistencyReport) -> impl Iterator<Item = SystemsPart<'_>> {
    let by_systems = report.by_systems.iter();
    by_systems
        .map(|one| (Some(&one.systems), &one.consistency))
        .chain([(None, &report.all)])
}

/// Returns the answer in words, then PORTIA's tables 1, 4, 6, 3 and 8.
pub fn consistency_table(report: &ConsistencyReport, of: ConsistencyOf) -> String {
    let mut systems: Columns<SystemsPart> = Columns::new(&[
        ("systems", |(systems, _)| match systems {
            Some([a, b]) => format!("{a} v {b}"),
            None => "all".into(),
        }),
        ("pairs", |(_, part)| part.pairs.to_string()),
    ]);
    let names = ["origin con", "portia con", "fixed coverage"];
    for (name, (_, share)) in names.into_iter().zip(SHARES) {
        systems.push(name, move |(_, part)| percent_with_interval(share(part)));
    }
    let systems = systems.table(parts_of(report)).with_numbers_from(1);
    let lengths = table_of(&LENGTH_COLUMNS, &report.lengths).with_numbers_from(1);
    let mut parts = vec![
        answer_text(report),
        format!("Table 1: consistency\n{}", systems.to_text()),
    ];
    parts.extend(report.by_field.iter().map(by_field_text));
    parts.extend(answers_text(&report.answers));
    if report.knows_first {
        let title = "Table 4: by the length of both answers";
        parts.push(by_number_text(title, &report.by_length));
        let title = "Table 6: by the difference of the lengths";
        parts.push(by_number_text(title, &report.by_difference));
    }
    parts.push(format!(
        "Table 3: length of the answers\n{}",
        lengths.to_text()
    ));
    parts.push(cost_text(report, &of.per_thousand));
    parts.push(format!(
        "Judge {}, {}. Shares in per cent with {} % intervals over items; lengths in \
         characters.",
        of.judge,
        of.protocol,
        chosen_percent(of.level)
    ));
    parts.join("\n\n") + "\n"
}

/// Says what was found in one sentence.
fn answer_text(report: &ConsistencyReport) -> String {
    let all = &report.all;
    let pairs = count_of(all.pairs as u64, "pair", "pairs");
    if !report.knows_first {
        return format!(
            "Consistent on {} of {pairs}. Nothing is known of \"before\": the responses were never \
             shown as they are. Add original-first, as in portia:3,original-first.",
            all.consistent_in_the_end
        );
    }
    format!(
        "Consistent on {} of {pairs} at first and on {} in the end: {} of the {} inconsistent ones \
         were mended (fixed coverage {} %).",
        all.consistent_at_first,
        all.consistent_in_the_end,
        all.mended,
        all.pairs - all.consistent_at_first,
        percent_with_interval(&all.fixed)
    )
}

const FIELD_COLUMNS: [Column<FieldPart>; 8] = [
    ("value", |part| slice_name(&part.value).into()),
    ("items", |part| part.items.to_string()),
    ("pairs", |part| part.consistency.pairs.to_string()),
    ("origin con", |part| {
        percent_with_interval(&part.consistency.at_first)
    }),
    ("portia con", |part| {
        percent_with_interval(&part.consistency.in_the_end)
    }),
    ("fixed coverage", |part| {
        percent_with_interval(&part.consistency.fixed)
    }),
    ("no verdict", |part| {
        percent_with_interval(&part.answers.no_verdict)
    }),
    ("refused", |part| {
        percent_with_interval(&part.answers.refused)
    }),
];

fn by_field_text(by: &ByField) -> String {
    let table = table_of(&FIELD_COLUMNS, &by.parts).with_numbers_from(1);
    format!("By {}\n{}\n{}", by.field, table.to_text(), by.test.summary)
}

const ANSWER_COLUMNS: [Column<AnswerShare>; 3] = [
    ("answer", |one| one.answer.clone()),
    ("of all", |one| percent_with_interval(&one.share)),
    ("of inconsistent pairs", |one| {
        percent_with_interval(&one.share_of_inconsistent)
    }),
];

/// Returns how often the judge gives each answer; None where it gives none.
fn answers_text(answers: &Answers) -> Option<String> {
    if answers.given.is_empty() {
        return None;
    }
    let table = table_of(&ANSWER_COLUMNS, &answers.given).with_numbers_from(1);
    Some(format!(
        "Answers of the first step, of the slots as the judge saw them ({} looks, {} of them on \
         inconsistent pairs)\n{}\nNo verdict {} %, refused {} %",
        answers.looks,
        answers.of_inconsistent,
        table.to_text(),
        percent_with_interval(&answers.no_verdict),
        percent_with_interval(&answers.refused)
    ))
}

fn by_number_text(title: &str, by: &ByNumber) -> String {
    let bins = by.groups.iter().chain(&by.thirds);
    let table = table_of(&NUMBER_COLUMNS, bins).with_numbers_from(1);
    format!(
        "{title}, in groups and in thirds\n{}\n{} {}",
        table.to_text(),
        trend_text("inconsistency", by.inconsistency),
        trend_text("fixed coverage", by.fixed)
    )
}

fn trend_text(what: &str, trend: Option<Trend>) -> String {
    let Some(Trend { z, p, pairs }) = trend else {
        return format!("No trend of {what} can be tested: all pairs are alike.");
    };
    let direction = if z > 0.0 { "rises" } else { "falls" };
    let rests_on = format!("z = {z:.2}, p {}, {pairs} pairs", p_value_text(p));
    if p < 0.05 {
        return format!("The {what} {direction} with it ({rests_on}).");
    }
    format!("No trend of {what} was found ({rests_on}).")
}

fn cost_text(report: &ConsistencyReport, cost: &PerThousand) -> String {
    let mut lines = vec!["Table 8: agreement, and the cost of 1,000 judgments".to_string()];
    if let Some(gold) = &report.gold {
        lines.push(format!(
            "Agreement with the gold judge on {} pairs: {} % at first, {} % in the end (p {})",
            gold.pairs,
            percent_with_interval(&gold.at_first),
            percent_with_interval(&gold.in_the_end),
            or_dash(gold.p, p_value_text),
        ));
    }
    lines.push(format!(
        "{} USD, {} seconds, {} kWh, {} g of CO2 equivalent",
        or_dash(cost.usd, format_usd),
        or_dash(cost.seconds, |seconds| format!("{seconds:.0}")),
        or_dash(cost.kwh, |kwh| format!("{kwh:.3}")),
        or_dash(cost.grams_co2, |grams| format!("{grams:.1}")),
    ));
    lines.join("\n")
}

/// How consistent a judge is before and after responses are split. Shares are from 0 to 1, null
/// where they are undefined.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConsistencyJson<'a> {
    /// The answer.
    answer: AnswerJson,
    #[serde(flatten)]
    all: PairsJson<'a>,
    /// The judge's identity.
    judge: &'a str,
    /// The protocol.
    protocol: &'a str,
    /// Coverage of the intervals.
    level: f64,
    /// Each two systems.
    by_systems: Vec<BySystemsJson<'a>>,
    /// What the judge answers in the first step.
    answers: AnswersJson<'a>,
    /// By the value of a field; where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_field: Option<ByFieldJson<'a>>,
    /// By the length of both responses together, in characters.
    by_length: ByNumberJson<'a>,
    /// By the difference of the two lengths, in characters.
    by_difference: ByNumberJson<'a>,
    /// How long each system's answers are.
    lengths: &'a [LengthRow],
    /// Agreement with another judge; null where none was given.
    gold: Option<GoldJson<'a>>,
    /// The cost of 1,000 judgments.
    per_1000: PerThousand,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// Consistency on some pairs.
#[derive(Serialize, JsonSchema)]
struct PairsJson<'a> {
    /// How many pairs were judged.
    pairs: usize,
    /// How many of them were consistent before anything was split.
    pairs_consistent_at_first: usize,
    /// How many ended consistent.
    pairs_consistent_in_the_end: usize,
    /// How many were inconsistent at first and ended consistent.
    pairs_mended: usize,
    #[serde(flatten)]
    shares: NamedFigures<'a, Consistency>,
}

/// Consistency on the pairs of two systems.
#[derive(Serialize, JsonSchema)]
struct BySystemsJson<'a> {
    /// The two systems.
    systems: &'a [Arc<str>; 2],
    #[serde(flatten)]
    pairs: PairsJson<'a>,
}

/// What a judge answers.
#[derive(Serialize, JsonSchema)]
struct AnswersJson<'a> {
    /// Looks.
    looks: usize,
    /// Looks at pairs on which the two orders disagree, and that have a verdict.
    looks_of_inconsistent: usize,
    #[serde(flatten)]
    figures: NamedFigures<'a, Answers>,
    /// How often each answer is given: a number from 1, "the first is much better", where the form
    /// has steps, else first, tie or second; of the slots as the judge saw them.
    given: Vec<AnswerShareJson<'a>>,
}

/// How often an answer is given.
#[derive(Serialize, JsonSchema)]
struct AnswerShareJson<'a> {
    /// The answer.
    answer: &'a str,
    #[serde(flatten)]
    shares: NamedFigures<'a, AnswerShare>,
}

/// The pairs by the values of a field of their items.
#[derive(Serialize, JsonSchema)]
struct ByFieldJson<'a> {
    /// The field.
    field: &'a str,
    /// Each value.
    values: Vec<FieldPartJson<'a>>,
    /// Whether consistency and coverage by verdicts differ by value; p-values are adjusted for all
    /// of them.
    test: &'a InteractionReport,
}

/// The pairs of one value.
#[derive(Serialize, JsonSchema)]
struct FieldPartJson<'a> {
    /// The value; blank for items without one.
    value: &'a str,
    /// Items.
    items: usize,
    #[serde(flatten)]
    pairs: PairsJson<'a>,
    /// What the judge answers on them.
    answers: AnswersJson<'a>,
}

/// Consistency by a number that every pair has.
#[derive(Serialize, JsonSchema)]
struct ByNumberJson<'a> {
    /// Groups of equal width from 0, those without pairs left out.
    groups: Vec<NumberBinJson<'a>>,
    /// Three groups of equally many pairs.
    thirds: Vec<NumberBinJson<'a>>,
    /// Whether inconsistency rises with the number; null where all numbers or all pairs are alike.
    trend_of_inconsistency: Option<Trend>,
    /// Whether fixed coverage rises with the number; null where that has no meaning.
    trend_of_fixed_coverage: Option<Trend>,
}

/// The pairs whose number lies within bounds.
#[derive(Serialize, JsonSchema)]
struct NumberBinJson<'a> {
    /// The least number.
    from: usize,
    /// The number before which the group ends.
    below: usize,
    /// Share of all pairs.
    share: f64,
    #[serde(flatten)]
    pairs: PairsJson<'a>,
}

/// Agreement with another judge.
#[derive(Serialize, JsonSchema)]
struct GoldJson<'a> {
    /// Pairs on which that judge has a verdict.
    pairs: usize,
    /// Two-sided p-value of the two shares: McNemar's exact test, or the sign-flip test by question
    /// where one has several pairs; null where no pair differs.
    mcnemar_p: Option<f64>,
    #[serde(flatten)]
    agreement: NamedFigures<'a, GoldAgreement>,
}

/// Returns the report as one object; shares are from 0 to 1, null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn consistency_json(
    report: &ConsistencyReport,
    of: ConsistencyOf,
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    let by_systems = report.by_systems.iter().map(|one| BySystemsJson {
        systems: &one.systems,
        pairs: (&one.consistency).into(),
    });
    let agreement: [FigureOf<GoldAgreement>; 2] = [
        ("agreement_at_first", |gold| &gold.at_first),
        ("agreement_in_the_end", |gold| &gold.in_the_end),
    ];
    json_text(&ConsistencyJson {
        answer: AnswerJson::of_sentences(&answer_text(report)),
        all: (&report.all).into(),
        judge: of.judge,
        protocol: of.protocol,
        level: of.level,
        by_systems: by_systems.collect(),
        answers: (&report.answers).into(),
        by_field: report.by_field.as_ref().map(ByFieldJson::from),
        by_length: (&report.by_length).into(),
        by_difference: (&report.by_difference).into(),
        lengths: &report.lengths,
        gold: report.gold.as_ref().map(|gold| GoldJson {
            pairs: gold.pairs,
            mcnemar_p: gold.p,
            agreement: NamedFigures::new(&agreement, gold),
        }),
        per_1000: of.per_thousand,
        gates: gates_json(gates),
    })
}

impl<'a> From<&'a Consistency> for PairsJson<'a> {
    fn from(one: &'a Consistency) -> Self {
        PairsJson {
            pairs: one.pairs,
            pairs_consistent_at_first: one.consistent_at_first,
            pairs_consistent_in_the_end: one.consistent_in_the_end,
            pairs_mended: one.mended,
            shares: NamedFigures::new(&SHARES, one),
        }
    }
}

impl<'a> From<&'a Answers> for AnswersJson<'a> {
    fn from(answers: &'a Answers) -> Self {
        let figures: [FigureOf<Answers>; 2] = [
            ("no_verdict", |one| &one.no_verdict),
            ("refused", |one| &one.refused),
        ];
        let shares: [FigureOf<AnswerShare>; 2] = [
            ("share", |one| &one.share),
            ("share_of_inconsistent", |one| &one.share_of_inconsistent),
        ];
        let given = answers.given.iter().map(|one| AnswerShareJson {
            answer: &one.answer,
            shares: NamedFigures::new(&shares, one),
        });
        AnswersJson {
            looks: answers.looks,
            looks_of_inconsistent: answers.of_inconsistent,
            figures: NamedFigures::new(&figures, answers),
            given: given.collect(),
        }
    }
}

impl<'a> From<&'a ByField> for ByFieldJson<'a> {
    fn from(by: &'a ByField) -> Self {
        let values = by.parts.iter().map(|part| FieldPartJson {
            value: &part.value,
            items: part.items,
            pairs: (&part.consistency).into(),
            answers: (&part.answers).into(),
        });
        ByFieldJson {
            field: &by.field,
            values: values.collect(),
            test: &by.test,
        }
    }
}

impl<'a> From<&'a ByNumber> for ByNumberJson<'a> {
    fn from(by: &'a ByNumber) -> Self {
        let [groups, thirds] = [&by.groups, &by.thirds].map(|bins| {
            let bins = bins.iter().map(|bin| NumberBinJson {
                from: bin.range[0],
                below: bin.range[1],
                share: bin.share,
                pairs: (&bin.consistency).into(),
            });
            bins.collect()
        });
        ByNumberJson {
            groups,
            thirds,
            trend_of_inconsistency: by.inconsistency,
            trend_of_fixed_coverage: by.fixed,
        }
    }
}

/// Returns a line for each two systems and one for all; then one for each value of a field, where
/// that was asked for.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn consistency_csv(report: &ConsistencyReport) -> Result<String, csv::Error> {
    /// Systems and value, of which one or both are missing, and what was measured on them.
    type Part<'a> = (
        Option<&'a [Arc<str>; 2]>,
        Option<&'a FieldPart>,
        &'a Consistency,
    );
    let mut columns: Columns<Part> = Columns::new(&[
        ("first", |(systems, ..)| {
            optional_cell(systems.map(|[first, _]| first))
        }),
        ("second", |(systems, ..)| {
            optional_cell(systems.map(|[_, second]| second))
        }),
        ("pairs", |(.., part)| part.pairs.to_string()),
    ]);
    for (name, share) in SHARES {
        columns.push_figure(name, ["low", "high"], move |(.., part)| share(part));
    }
    let parts = parts_of(report).map(|(systems, part)| (systems, None, part));
    let Some(by) = &report.by_field else {
        return columns.csv(parts);
    };
    let no_verdict = |part: Option<&FieldPart>| {
        let answers = part.map_or(&report.answers, |part| &part.answers);
        [&answers.no_verdict, &answers.refused].map(|share| share.value)
    };
    columns.push("value", |(_, value, _)| {
        optional_cell(value.map(|part| &part.value))
    });
    // Of two systems alone they are not counted.
    columns.push("no_verdict", move |(systems, value, _)| {
        let [own, _] = no_verdict(*value);
        optional_cell(own.filter(|_| systems.is_none()))
    });
    columns.push("refused", move |(systems, value, _)| {
        let [_, own] = no_verdict(*value);
        optional_cell(own.filter(|_| systems.is_none()))
    });
    let values = by
        .parts
        .iter()
        .map(|part| (None, Some(part), &part.consistency));
    columns.csv(parts.chain(values))
}
