//! Consistency before and after splitting: table, JSON, CSV.

use super::{all_figure_cells, figure_columns, insert_figure, percent_with_interval};
use crate::numbers::{count_of, format_usd, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of};
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::consistency::{
    ByNumber, Consistency, ConsistencyReport, GoldAgreement, LengthRow, NumberBin, PerThousand,
    SystemsRow, Trend,
};
use serde_json::{Map, Value, json};

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

const SYSTEMS_HEADER: [&str; 5] = [
    "systems",
    "pairs",
    "origin con",
    "portia con",
    "fixed coverage",
];

const NUMBERS_HEADER: [&str; 5] = [
    "characters",
    "share",
    "pairs",
    "inconsistent",
    "fixed coverage",
];

const LENGTHS_HEADER: [&str; 7] = [
    "system",
    "answers",
    "empty",
    "max",
    "min",
    "average",
    "standard deviation",
];

fn named_shares(consistency: &Consistency) -> [(&'static str, &Figure); 3] {
    [
        ("consistent_at_first", &consistency.at_first),
        ("consistent_in_the_end", &consistency.in_the_end),
        ("fixed_coverage", &consistency.fixed),
    ]
}

/// Returns the answer in words, then PORTIA's tables 1, 4, 6, 3 and 8.
pub fn consistency_table(report: &ConsistencyReport, of: ConsistencyOf) -> String {
    let mut parts = vec![
        answer_text(report),
        titled("Table 1: consistency", &systems_table(report)),
    ];
    if report.knows_first {
        parts.extend(tables_by_number(report));
    }
    parts.extend([
        titled("Table 3: length of the answers", &lengths_table(report)),
        cost_text(report, &of.per_thousand),
        basis_text(of),
    ]);
    parts.join("\n\n") + "\n"
}

fn titled(title: &str, table: &TextTable) -> String {
    format!("{title}\n{}", table.to_text())
}

fn tables_by_number(report: &ConsistencyReport) -> [String; 2] {
    [
        numbers_text("Table 4: by the length of both answers", &report.by_length),
        numbers_text(
            "Table 6: by the difference of the lengths",
            &report.by_difference,
        ),
    ]
}

/// Returns who judged, and how to read the tables.
fn basis_text(of: ConsistencyOf) -> String {
    format!(
        "Judge {}, {}. Shares in per cent with {:.0} % intervals over items; lengths in \
         characters.",
        of.judge,
        of.protocol,
        100.0 * of.level
    )
}

/// Says what was found in one sentence.
fn answer_text(report: &ConsistencyReport) -> String {
    if report.knows_first {
        mended_text(&report.all)
    } else {
        end_text(&report.all)
    }
}

fn end_text(all: &Consistency) -> String {
    format!(
        "Consistent on {} of {}. Nothing is known of \"before\": the responses were never shown as \
         they are. Add original-first, as in portia:3,original-first.",
        all.consistent_in_the_end,
        pair_count(all)
    )
}

fn mended_text(all: &Consistency) -> String {
    let pairs = pair_count(all);
    let inconsistent = all.pairs - all.consistent_at_first;
    let fixed = percent_with_interval(&all.fixed);
    format!(
        "Consistent on {} of {pairs} at first and on {} in the end: {} of the {inconsistent} \
         inconsistent ones were mended (fixed coverage {fixed} %).",
        all.consistent_at_first, all.consistent_in_the_end, all.mended
    )
}

fn pair_count(all: &Consistency) -> String {
    count_of(all.pairs as u64, "pair", "pairs")
}

fn systems_table(report: &ConsistencyReport) -> TextTable {
    let all = share_row("all".into(), &report.all);
    let rows = report.by_systems.iter().map(systems_row);
    TextTable::with_header(SYSTEMS_HEADER)
        .with_rows(rows.chain([all]))
        .with_numbers_from(1)
}

fn systems_row(row: &SystemsRow) -> Vec<String> {
    let [a, b] = &row.systems;
    share_row(format!("{a} v {b}"), &row.consistency)
}

fn share_row(name: String, consistency: &Consistency) -> Vec<String> {
    let shares = named_shares(consistency);
    let mut cells = vec![name, consistency.pairs.to_string()];
    cells.extend(shares.map(|(_, share)| percent_with_interval(share)));
    cells
}

fn numbers_text(title: &str, by: &ByNumber) -> String {
    let table = numbers_table(by).to_text();
    let trends = trends_text(by);
    format!("{title}, in groups and in thirds\n{table}\n{trends}")
}

fn numbers_table(by: &ByNumber) -> TextTable {
    let bins = by.groups.iter().chain(&by.thirds);
    TextTable::with_header(NUMBERS_HEADER)
        .with_rows(bins.map(bin_row))
        .with_numbers_from(1)
}

fn bin_row(bin: &NumberBin) -> [String; 5] {
    let Consistency {
        pairs,
        at_first,
        fixed,
        ..
    } = &bin.consistency;
    [
        format!("{} to {}", bin.range[0], bin.range[1] - 1),
        format!("{:.2}", bin.share),
        pairs.to_string(),
        percent_with_interval(&complement(at_first)),
        percent_with_interval(fixed),
    ]
}

/// Returns 1 less a share, with its interval.
fn complement(share: &Figure) -> Figure {
    let flip = |end: f64| 1.0 - end;
    Figure {
        value: share.value.map(flip),
        ci: share.ci.map(|[low, high]| [high.map(flip), low.map(flip)]),
        note: share.note.clone(),
    }
}

fn trends_text(by: &ByNumber) -> String {
    let inconsistency = trend_text("inconsistency", by.inconsistency);
    format!("{inconsistency} {}", trend_text("fixed coverage", by.fixed))
}

fn trend_text(what: &str, trend: Option<Trend>) -> String {
    let Some(Trend { z, p, pairs }) = trend else {
        return format!("No trend of {what} can be tested: all pairs are alike.");
    };
    let direction = if z > 0.0 { "rises" } else { "falls" };
    if p < 0.05 {
        return format!("The {what} {direction} with it (z = {z:.2}, p = {p:.3}, {pairs} pairs).");
    }
    format!("No trend of {what} was found (z = {z:.2}, p = {p:.3}, {pairs} pairs).")
}

fn lengths_table(report: &ConsistencyReport) -> TextTable {
    TextTable::with_header(LENGTHS_HEADER)
        .with_rows(report.lengths.iter().map(length_row))
        .with_numbers_from(1)
}

fn length_row(row: &LengthRow) -> [String; 7] {
    [
        row.system.to_string(),
        row.answers.to_string(),
        row.empty.to_string(),
        row.max.to_string(),
        row.min.to_string(),
        format!("{:.1}", row.mean),
        format!("{:.1}", row.sd),
    ]
}

fn cost_text(report: &ConsistencyReport, cost: &PerThousand) -> String {
    let mut lines = vec!["Table 8: agreement, and the cost of 1,000 judgments".to_string()];
    lines.extend(report.gold.as_ref().map(gold_text));
    lines.push(amounts_text(cost));
    lines.join("\n")
}

fn amounts_text(cost: &PerThousand) -> String {
    format!(
        "{} USD, {} seconds, {} kWh, {} g of CO2 equivalent",
        or_dash(cost.usd, format_usd),
        or_dash(cost.seconds, |seconds| format!("{seconds:.0}")),
        or_dash(cost.kwh, |kwh| format!("{kwh:.3}")),
        or_dash(cost.grams_co2, |grams| format!("{grams:.1}")),
    )
}

fn gold_text(gold: &GoldAgreement) -> String {
    format!(
        "Agreement with the gold judge on {} pairs: {} % at first, {} % in the end (McNemar \
         p = {})",
        gold.pairs,
        percent_with_interval(&gold.at_first),
        percent_with_interval(&gold.in_the_end),
        or_dash(gold.p, |p| format!("{p:.3}")),
    )
}

/// Returns the report as one object; shares are from 0 to 1, null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn consistency_json(
    report: &ConsistencyReport,
    of: ConsistencyOf,
) -> Result<String, serde_json::Error> {
    let mut object = consistency_object(&report.all);
    object.extend(subject_members(of));
    object.extend(group_members(report));
    object.insert("gold".into(), json!(report.gold.as_ref().map(gold_json)));
    object.insert("per_1000".into(), json!(of.per_thousand));
    json_text(&object)
}

/// Returns who judged and how.
fn subject_members(of: ConsistencyOf) -> Map<String, Value> {
    object_of(json!({
        "judge": of.judge,
        "protocol": of.protocol,
        "level": of.level,
    }))
}

/// Returns the figures by systems and lengths.
fn group_members(report: &ConsistencyReport) -> Map<String, Value> {
    object_of(json!({
        "by_systems": array_of(&report.by_systems, systems_json),
        "by_length": numbers_json(&report.by_length),
        "by_difference": numbers_json(&report.by_difference),
        "lengths": array_of(&report.lengths, length_json),
    }))
}

fn consistency_object(consistency: &Consistency) -> Map<String, Value> {
    let mut object = pair_counts(consistency);
    for (name, figure) in named_shares(consistency) {
        insert_figure(&mut object, name, figure);
    }
    object
}

fn pair_counts(consistency: &Consistency) -> Map<String, Value> {
    object_of(json!({
        "pairs": consistency.pairs,
        "pairs_consistent_at_first": consistency.consistent_at_first,
        "pairs_consistent_in_the_end": consistency.consistent_in_the_end,
        "pairs_mended": consistency.mended,
    }))
}

fn systems_json(row: &SystemsRow) -> Map<String, Value> {
    let mut object = object_of(json!({ "systems": row.systems }));
    object.extend(consistency_object(&row.consistency));
    object
}

fn numbers_json(by: &ByNumber) -> Value {
    json!({
        "groups": array_of(&by.groups, bin_json),
        "thirds": array_of(&by.thirds, bin_json),
        "trend_of_inconsistency": by.inconsistency.map(trend_json),
        "trend_of_fixed_coverage": by.fixed.map(trend_json),
    })
}

fn bin_json(bin: &NumberBin) -> Map<String, Value> {
    let [from, to] = bin.range;
    let mut object = object_of(json!({ "from": from, "below": to, "share": bin.share }));
    object.extend(consistency_object(&bin.consistency));
    object
}

fn trend_json(trend: Trend) -> Value {
    json!({ "z": trend.z, "p": trend.p, "pairs": trend.pairs })
}

fn length_json(row: &LengthRow) -> Value {
    json!({
        "system": row.system,
        "answers": row.answers,
        "empty": row.empty,
        "max": row.max,
        "min": row.min,
        "mean": row.mean,
        "sd": row.sd,
    })
}

fn gold_json(gold: &GoldAgreement) -> Map<String, Value> {
    let mut object = object_of(json!({ "pairs": gold.pairs, "mcnemar_p": gold.p }));
    insert_figure(&mut object, "agreement_at_first", &gold.at_first);
    insert_figure(&mut object, "agreement_in_the_end", &gold.in_the_end);
    object
}

/// Returns a line for each two systems and one for all.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn consistency_csv(report: &ConsistencyReport) -> Result<String, csv::Error> {
    let rows = report.by_systems.iter().map(systems_csv_row);
    let all = csv_row([String::new(), String::new()], &report.all);
    csv_text(csv_header(report), rows.chain([all]))
}

fn csv_header(report: &ConsistencyReport) -> Vec<String> {
    let columns = ["first", "second", "pairs"].map(String::from);
    let figures = figure_columns(named_shares(&report.all));
    columns.into_iter().chain(figures).collect()
}

fn systems_csv_row(row: &SystemsRow) -> Vec<String> {
    let systems = row.systems.each_ref().map(ToString::to_string);
    csv_row(systems, &row.consistency)
}

fn csv_row(systems: [String; 2], consistency: &Consistency) -> Vec<String> {
    let [first, second] = systems;
    let cells = all_figure_cells(named_shares(consistency));
    let start = [first, second, consistency.pairs.to_string()];
    start.into_iter().chain(cells).collect()
}
