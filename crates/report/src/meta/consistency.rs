//! Consistency before and after splitting: table, JSON, CSV.

use super::{all_figure_cells, figure_columns, insert_figure, percent_with_interval};
use crate::numbers::{count_of, format_usd, or_dash};
use crate::serialize::{csv_text, json_text, object_of};
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

const SHARES: [&str; 3] = [
    "consistent_at_first",
    "consistent_in_the_end",
    "fixed_coverage",
];

fn shares(consistency: &Consistency) -> [&Figure; 3] {
    let Consistency {
        at_first,
        in_the_end,
        fixed,
        ..
    } = consistency;
    [at_first, in_the_end, fixed]
}

/// Returns the answer in words, then PORTIA's tables 1, 4, 6, 3 and 8.
pub fn consistency_table(report: &ConsistencyReport, of: ConsistencyOf) -> String {
    let mut parts = vec![
        answer_text(report),
        format!("Table 1: consistency\n{}", systems_table(report).to_text()),
    ];
    if report.knows_first {
        let (length, difference) = (&report.by_length, &report.by_difference);
        parts.push(numbers_text(
            "Table 4: by the length of both answers",
            length,
        ));
        parts.push(numbers_text(
            "Table 6: by the difference of the lengths",
            difference,
        ));
    }
    parts.push(format!(
        "Table 3: length of the answers\n{}",
        lengths_table(report).to_text()
    ));
    parts.push(cost_text(report, &of.per_thousand));
    parts.push(format!(
        "Judge {}, {}. Shares in per cent with {:.0} % intervals over items; lengths in \
         characters.",
        of.judge,
        of.protocol,
        100.0 * of.level
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
    let inconsistent = all.pairs - all.consistent_at_first;
    let fixed = percent_with_interval(&all.fixed);
    format!(
        "Consistent on {} of {pairs} at first and on {} in the end: {} of the {inconsistent} \
         inconsistent ones were mended (fixed coverage {fixed} %).",
        all.consistent_at_first, all.consistent_in_the_end, all.mended
    )
}

fn systems_table(report: &ConsistencyReport) -> TextTable {
    let header = [
        "systems",
        "pairs",
        "origin con",
        "portia con",
        "fixed coverage",
    ];
    let all = share_row("all".into(), &report.all);
    let rows = report.by_systems.iter().map(systems_row);
    TextTable::with_header(header)
        .with_rows(rows.chain([all]))
        .with_numbers_from(1)
}

fn systems_row(row: &SystemsRow) -> Vec<String> {
    let [a, b] = &row.systems;
    share_row(format!("{a} v {b}"), &row.consistency)
}

fn share_row(name: String, consistency: &Consistency) -> Vec<String> {
    let cells = shares(consistency).map(percent_with_interval);
    [name, consistency.pairs.to_string()]
        .into_iter()
        .chain(cells)
        .collect()
}

fn numbers_text(title: &str, by: &ByNumber) -> String {
    let header = [
        "characters",
        "share",
        "pairs",
        "inconsistent",
        "fixed coverage",
    ];
    let bins = by.groups.iter().chain(&by.thirds);
    let table = TextTable::with_header(header)
        .with_rows(bins.map(bin_row))
        .with_numbers_from(1);
    format!(
        "{title}, in groups and in thirds\n{}\n{}",
        table.to_text(),
        trends_text(by)
    )
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
    let header = [
        "system",
        "answers",
        "empty",
        "max",
        "min",
        "average",
        "standard deviation",
    ];
    TextTable::with_header(header)
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
    lines.push(format!(
        "{} USD, {} seconds, {} kWh, {} g of CO2 equivalent",
        or_dash(cost.usd, format_usd),
        or_dash(cost.seconds, |seconds| format!("{seconds:.0}")),
        or_dash(cost.kwh, |kwh| format!("{kwh:.3}")),
        or_dash(cost.grams_co2, |grams| format!("{grams:.1}")),
    ));
    lines.join("\n")
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
    object.extend(object_of(json!({
        "judge": of.judge,
        "protocol": of.protocol,
        "level": of.level,
        "by_systems": report.by_systems.iter().map(systems_json).collect::<Vec<_>>(),
        "by_length": numbers_json(&report.by_length),
        "by_difference": numbers_json(&report.by_difference),
        "lengths": report.lengths.iter().map(length_json).collect::<Vec<_>>(),
        "gold": report.gold.as_ref().map(gold_json),
        "per_1000": of.per_thousand,
    })));
    json_text(&object)
}

fn consistency_object(consistency: &Consistency) -> Map<String, Value> {
    let mut object = object_of(json!({
        "pairs": consistency.pairs,
        "pairs_consistent_at_first": consistency.consistent_at_first,
        "pairs_consistent_in_the_end": consistency.consistent_in_the_end,
        "pairs_mended": consistency.mended,
    }));
    for (name, figure) in SHARES.into_iter().zip(shares(consistency)) {
        insert_figure(&mut object, name, figure);
    }
    object
}

fn systems_json(row: &SystemsRow) -> Map<String, Value> {
    let mut object = object_of(json!({ "systems": row.systems }));
    object.extend(consistency_object(&row.consistency));
    object
}

fn numbers_json(by: &ByNumber) -> Value {
    json!({
        "groups": by.groups.iter().map(bin_json).collect::<Vec<_>>(),
        "thirds": by.thirds.iter().map(bin_json).collect::<Vec<_>>(),
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
    let columns = ["first".into(), "second".into(), "pairs".into()];
    let figures = figure_columns(named_shares(&report.all));
    let header: Vec<String> = columns.into_iter().chain(figures).collect();
    let rows = report.by_systems.iter().map(|row| {
        let systems = row.systems.clone().map(|system| system.to_string());
        csv_row(systems, &row.consistency)
    });
    let all = csv_row([String::new(), String::new()], &report.all);
    csv_text(&header, rows.chain([all]))
}

fn named_shares(consistency: &Consistency) -> [(&'static str, &Figure); 3] {
    let [at_first, in_the_end, fixed] = shares(consistency);
    [
        (SHARES[0], at_first),
        (SHARES[1], in_the_end),
        (SHARES[2], fixed),
    ]
}

fn csv_row(systems: [String; 2], consistency: &Consistency) -> Vec<String> {
    let [first, second] = systems;
    let cells = all_figure_cells(named_shares(consistency));
    let start = [first, second, consistency.pairs.to_string()];
    start.into_iter().chain(cells).collect()
}
