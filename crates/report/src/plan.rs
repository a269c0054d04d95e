//! How many judgments a difference takes, for people and programs.

use crate::numbers::{format_usd, group_digits, or_blank};
use crate::serialize::{csv_text, json_text, optional_cell};
use crate::text_table::TextTable;
use crate::view::{Line, View, summary_text};
use evenhand_stats::{PairDesign, VarianceComponents};
use serde::Serialize;

/// A plan for a comparison of two systems. Differences are in points: hundredths of the share of
/// comparisons won, ties half, from even: 55 % is 5 points, as in `compare`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanReport {
    /// What is to be done, in a sentence.
    pub sentence: String,
    /// The difference to be found, in points; None where a budget decides.
    pub difference: Option<f64>,
    /// The chance to find it.
    pub power: f64,
    /// 1 - alpha of the two-sided test.
    pub level: f64,
    /// Designs, the best first.
    pub designs: Vec<DesignRow>,
    /// Where the outcomes of the pilot vary, or what was assumed.
    pub variance: VarianceRow,
    /// By how much two identical systems would seem to differ on the pilot's items; None without a
    /// pilot.
    pub noise: Option<NoiseFloor>,
}

/// One way to judge a pair of systems.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DesignRow {
    /// How many items.
    pub items: u64,
    /// In how many orders of presentation.
    pub orders: u32,
    /// How often in each.
    pub repeats: u32,
    /// Judgments of the pair.
    pub judgments: u64,
    /// Calls, by those that a judgment of the pilot took.
    pub calls: u64,
    /// Their cost, by that of the pilot.
    pub cost_usd: Option<f64>,
    /// The difference that it finds with the power asked for, in points.
    pub detectable: f64,
}

/// Variances of one judgment's outcome, in squared leads (from -1, lost, to 1, won).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VarianceRow {
    /// Between items.
    pub item: f64,
    /// By a fixed preference for a place, where an item is judged in one order.
    pub order: f64,
    /// Of an item with its order.
    pub item_order: f64,
    /// Of repeats; None where the pilot has none.
    pub repeat: Option<f64>,
    /// Items of the pilot, over its pairs of systems; 0 for assumptions.
    pub items: usize,
    /// Pairs of systems of the pilot.
    pub pairs: usize,
}

/// Points of a lead of 1, the share won less the share lost: from even to all won.
pub const POINTS: f64 = 50.0;

/// How far two identical systems would seem apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoiseFloor {
    /// In points.
    pub points: f64,
    /// The chance to stay below.
    pub level: f64,
    /// On so many items.
    pub items: usize,
}

impl DesignRow {
    /// Returns a design with what its judgments take, by calls and cost of one.
    pub fn new(design: &PairDesign, calls: f64, cost: Option<f64>) -> DesignRow {
        let judgments = design.judgments as f64;
        DesignRow {
            items: design.items,
            orders: design.orders,
            repeats: design.repeats,
            judgments: design.judgments,
            calls: (judgments * calls).ceil() as u64,
            cost_usd: cost.map(|cost| judgments * cost),
            detectable: POINTS * design.detectable,
        }
    }

    /// Says what is judged: "212 items in both orders, once each: 424 calls".
    pub fn in_words(&self) -> String {
        let items = group_digits(self.items);
        let orders = if self.orders == 2 {
            "in both orders"
        } else {
            "in one order"
        };
        let times = match self.repeats {
            1 => "once each".to_string(),
            2 => "twice each".to_string(),
            more => format!("{more} times each"),
        };
        let cost = or_blank(self.cost_usd.filter(|usd| *usd > 0.0), |usd| {
            format!(", {}", format_usd(usd))
        });
        format!(
            "{items} items {orders}, {times}: {} calls{cost}",
            group_digits(self.calls)
        )
    }
}

impl NoiseFloor {
    /// Says it: "two identical systems would differ by up to 13.2 points (95 %) on 30 items".
    pub fn sentence(&self) -> String {
        let (items, level) = (group_digits(self.items as u64), 100.0 * self.level);
        let points = self.points;
        format!(
            "two identical systems would differ by up to {points:.1} points ({level} %) on {items} \
             items, judged as here"
        )
    }
}

impl VarianceRow {
    /// Returns the components of so many pairs of systems.
    pub fn new(components: &VarianceComponents, pairs: usize) -> VarianceRow {
        VarianceRow {
            item: components.item,
            order: components.order,
            item_order: components.item_order,
            repeat: components.repeat,
            items: components.items,
            pairs,
        }
    }
}

/// Returns a JSON object.
///
/// # Errors
/// Those of the JSON writer; no plan is known to cause one.
pub fn plan_json(plan: &PlanReport) -> Result<String, serde_json::Error> {
    json_text(plan)
}

const COLUMNS: [&str; 7] = [
    "items",
    "orders",
    "repeats",
    "judgments",
    "calls",
    "cost_usd",
    "detectable",
];

/// Returns a header and a row for each design.
///
/// # Errors
/// Those of the CSV writer; no plan is known to cause one.
pub fn plan_csv(plan: &PlanReport) -> Result<String, csv::Error> {
    csv_text(COLUMNS, plan.designs.iter().map(csv_cells))
}

fn csv_cells(row: &DesignRow) -> Vec<String> {
    let counts = [
        row.items,
        row.orders.into(),
        row.repeats.into(),
        row.judgments,
        row.calls,
    ];
    let mut cells = counts.map(|count| count.to_string()).to_vec();
    cells.extend([optional_cell(row.cost_usd), row.detectable.to_string()]);
    cells
}

/// Returns the plan for people: the sentence, the designs, and what they rest on.
pub fn plan_table(plan: &PlanReport) -> String {
    let header = [
        "items",
        "orders",
        "repeats",
        "judgments",
        "calls",
        "cost",
        "finds (points)",
    ];
    let rows = plan.designs.iter().map(table_cells);
    let table = TextTable::with_header(header)
        .with_rows(rows)
        .with_numbers_from(0);
    let lines = summary_text(lines_of(plan), View::default());
    format!("{}\n\n{}\n\n{lines}", plan.sentence, table.to_text())
}

fn table_cells(row: &DesignRow) -> [String; 7] {
    [
        group_digits(row.items),
        row.orders.to_string(),
        row.repeats.to_string(),
        group_digits(row.judgments),
        group_digits(row.calls),
        row.cost_usd.map_or("-".into(), format_usd),
        format!("{:.1}", row.detectable),
    ]
}

fn lines_of(plan: &PlanReport) -> Vec<Line> {
    let noise = plan.noise.iter().map(|noise| ("noise", noise.sentence()));
    let mut lines = vec![("variance", variance_text(&plan.variance))];
    lines.extend(noise);
    let unit = "hundredths of the share of comparisons won, ties half: 55 % is 5 from even";
    lines.push(("points", unit.into()));
    lines
}

/// Says where one judgment's outcome varies.
fn variance_text(variance: &VarianceRow) -> String {
    let repeat = variance.repeat.unwrap_or(0.0);
    let total = variance.item + variance.order + variance.item_order + repeat;
    let share = |part: f64| format!("{:.0} %", 100.0 * part / total);
    let rest = match variance.repeat {
        Some(_) => format!(
            "item with order {}, repeat {}",
            share(variance.item_order),
            share(repeat)
        ),
        None => format!(
            "item with order, and chance, {}",
            share(variance.item_order)
        ),
    };
    let (item, order) = (share(variance.item), share(variance.order));
    format!(
        "item {item}, order {order}, {rest}, of {total:.3} for one judgment{}",
        source(variance)
    )
}

fn source(variance: &VarianceRow) -> String {
    match variance.items {
        0 => " (assumed)".into(),
        items => format!(
            "; from {} items of {}",
            group_digits(items as u64),
            crate::numbers::count_of(variance.pairs as u64, "pair of systems", "pairs of systems")
        ),
    }
}
