//! Consistency before and after splitting: table, JSON, CSV.

use super::{all_figure_cells, figure_columns, insert_figure, percent_with_interval};
use crate::columns::{Column, table_of};
use crate::numbers::{count_of, format_usd, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of};
use crate::text_table::TextTable;
use evenhand_studies::Figure;
use evenhand_studies::consistency::{
    ByNumber, Consistency, ConsistencyReport, LengthRow, NumberBin, PerThousand, Trend,
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

fn named_shares(consistency: &Consistency) -> [(&'static str, &Figure); 3] {
    [
        ("consistent_at_first", &consistency.at_first),
        ("consistent_in_the_end", &consistency.in_the_end),
        ("fixed_coverage", &consistency.fixed),
    ]
}

/// Returns the answer in words, then PORTIA's tables 1, 4, 6, 3 and 8.
pub fn consistency_table(report: &ConsistencyReport, of: ConsistencyOf) -> String {
    let row = |name: String, consistency: &Consistency| {
        let mut cells = vec![name, consistency.pairs.to_string()];
        cells.extend(named_shares(consistency).map(|(_, share)| percent_with_interval(share)));
        cells
    };
    let by_systems = report.by_systems.iter().map(|one| {
        let [a, b] = &one.systems;
        row(format!("{a} v {b}"), &one.consistency)
    });
    let systems = TextTable::with_header(SYSTEMS_HEADER)
        .with_rows(by_systems.chain([row("all".into(), &report.all)]))
        .with_numbers_from(1);
    let lengths = table_of(&LENGTH_COLUMNS, &report.lengths).with_numbers_from(1);
    let mut parts = vec![
        answer_text(report),
        format!("Table 1: consistency\n{}", systems.to_text()),
    ];
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
    if p < 0.05 {
        return format!("The {what} {direction} with it (z = {z:.2}, p = {p:.3}, {pairs} pairs).");
    }
    format!("No trend of {what} was found (z = {z:.2}, p = {p:.3}, {pairs} pairs).")
}

fn cost_text(report: &ConsistencyReport, cost: &PerThousand) -> String {
    let mut lines = vec!["Table 8: agreement, and the cost of 1,000 judgments".to_string()];
    if let Some(gold) = &report.gold {
        lines.push(format!(
            "Agreement with the gold judge on {} pairs: {} % at first, {} % in the end (McNemar \
             p = {})",
            gold.pairs,
            percent_with_interval(&gold.at_first),
            percent_with_interval(&gold.in_the_end),
            or_dash(gold.p, |p| format!("{p:.3}")),
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

/// Returns the report as one object; shares are from 0 to 1, null with a note where undefined.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn consistency_json(
    report: &ConsistencyReport,
    of: ConsistencyOf,
) -> Result<String, serde_json::Error> {
    let by_systems = array_of(&report.by_systems, |row| {
        let mut object = object_of(json!({"systems": row.systems}));
        object.extend(consistency_object(&row.consistency));
        object
    });
    let lengths = array_of(&report.lengths, |row| {
        json!({
            "system": row.system,
            "answers": row.answers,
            "empty": row.empty,
            "max": row.max,
            "min": row.min,
            "mean": row.mean,
            "sd": row.sd,
        })
    });
    let gold = report.gold.as_ref().map(|gold| {
        let mut object = object_of(json!({"pairs": gold.pairs, "mcnemar_p": gold.p}));
        insert_figure(&mut object, "agreement_at_first", &gold.at_first);
        insert_figure(&mut object, "agreement_in_the_end", &gold.in_the_end);
        object
    });
    let mut object = consistency_object(&report.all);
    object.extend(object_of(json!({
        "judge": of.judge,
        "protocol": of.protocol,
        "level": of.level,
        "by_systems": by_systems,
        "by_length": by_number_json(&report.by_length),
        "by_difference": by_number_json(&report.by_difference),
        "lengths": lengths,
        "gold": gold,
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
    for (name, figure) in named_shares(consistency) {
        insert_figure(&mut object, name, figure);
    }
    object
}

fn by_number_json(by: &ByNumber) -> Value {
    let bins = |bins: &[NumberBin]| {
        array_of(bins, |bin| {
            let [from, to] = bin.range;
            let mut object = object_of(json!({"from": from, "below": to, "share": bin.share}));
            object.extend(consistency_object(&bin.consistency));
            object
        })
    };
    let trend = |trend: Trend| json!({"z": trend.z, "p": trend.p, "pairs": trend.pairs});
    json!({
        "groups": bins(&by.groups),
        "thirds": bins(&by.thirds),
        "trend_of_inconsistency": by.inconsistency.map(trend),
        "trend_of_fixed_coverage": by.fixed.map(trend),
    })
}

/// Returns a line for each two systems and one for all.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn consistency_csv(report: &ConsistencyReport) -> Result<String, csv::Error> {
    let columns = ["first", "second", "pairs"].map(String::from).into_iter();
    let columns = columns.chain(figure_columns(named_shares(&report.all)));
    let row = |[first, second]: [String; 2], consistency: &Consistency| {
        let mut cells = vec![first, second, consistency.pairs.to_string()];
        cells.extend(all_figure_cells(named_shares(consistency)));
        cells
    };
    let by_systems = report.by_systems.iter().map(|one| {
        let systems = one.systems.each_ref().map(ToString::to_string);
        row(systems, &one.consistency)
    });
    let all = row([String::new(), String::new()], &report.all);
    csv_text(columns, by_systems.chain([all]))
}
