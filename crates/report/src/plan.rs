//! How many judgments a difference takes, for people and programs.

use crate::answer::answered_json;
use crate::columns::{Column, Columns, csv_of};
use crate::numbers::{
    chosen_percent, count_items, count_of, format_usd, group_digits, or_blank, or_dash,
};
use crate::serialize::optional_cell;
use crate::view::{Line, View, summary_text};
use evenhand_core::Setting;
use evenhand_ranking::{DifferenceUnit, NoiseFloor};
use evenhand_stats::{ChanceWithin, PairDesign, VarianceComponents};
use schemars::JsonSchema;
use serde::Serialize;

/// A plan for a comparison of two systems. Differences of comparisons are in points: hundredths of
/// the share of comparisons won, ties half, from even: 55 % is 5 points, as in `compare`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlanReport {
    /// What is to be done: the answer.
    #[serde(skip)]
    pub answer: String,
    /// The difference to be found, in points; None where a budget decides.
    pub difference: Option<f64>,
    /// What differences are in.
    pub unit: DifferenceUnit,
    /// The difference that the `power` of each design is for, in points: the one to be found, or
    /// the usual one where a budget decides.
    pub power_at: f64,
    /// The chance to find it.
    pub power: f64,
    /// 1 - alpha of the two-sided test.
    pub level: f64,
    /// Designs, the best first.
    pub designs: Vec<DesignRow>,
    /// Where the outcomes of the pilot vary, or what was assumed.
    pub variance: VarianceRow,
    /// How far the pilot's judges are apart; None where there is one.
    pub judges: Option<JudgesRow>,
    /// By how much two identical systems would seem to differ on the pilot's items; None without a
    /// pilot.
    pub noise: Option<NoiseFloor>,
}

/// One way to judge a pair of systems.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DesignRow {
    /// How many items.
    pub items: u64,
    /// Questions that these ask, as many to each as in the pilot: what the test counts.
    pub questions: u64,
    /// In how many orders of presentation.
    pub orders: u32,
    /// How often in each.
    pub repeats: u32,
    /// By how many judges.
    pub judges: u32,
    /// Verdicts by single judges on the pair, or scores of its two systems.
    pub judgments: u64,
    /// Calls for the pair, by those that a judgment of the pilot took.
    pub calls: u64,
    /// Their cost, by that of the pilot.
    pub cost_usd: Option<f64>,
    /// The chance that it finds the plan's difference, or 5 points where a budget decides, of the
    /// test that `compare` makes of so many items.
    pub power: f64,
    /// The difference that it finds with the power asked for, in the plan's unit.
    pub detectable: f64,
    /// Whether no plan has fewer items than this, though fewer might do.
    pub is_fewest: bool,
}

/// How far judges are apart, which no number of items changes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgesRow {
    /// How many judges the pilot has.
    pub judges: usize,
    /// The standard deviation between judges of the difference that a judge finds between two
    /// systems, in the plan's unit.
    pub deviation: f64,
    /// How far what these judges find is from what all judges like them would, at most, in the
    /// plan's unit; null for fewer than three judges, and where chance explains how they differ.
    pub panel: Option<f64>,
    /// The chance to stay below.
    pub level: f64,
}

/// Variances of one judgment's outcome, in squared leads (from -1, lost, to 1, won), of two systems
/// that are as far apart as is planned for; or in squared points of the scores. What the pilot
/// cannot tell is null, and is within a part that holds it, too.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VarianceRow {
    /// Between items; null where it is told from chance by nothing.
    pub item: Option<f64>,
    /// By a fixed preference for a place, where an item is judged in one order; null of scores, and
    /// where the pilot has one order of each item, which `item` then holds.
    pub order: Option<f64>,
    /// Of an item with its order; null of scores, where the pilot has one order of each item, and
    /// where it is told from chance by nothing.
    pub item_order: Option<f64>,
    /// Of repeats, which is chance; null where the pilot has none.
    pub repeat: Option<f64>,
    /// Between judges; null where the pilot has one.
    pub judge: Option<f64>,
    /// Of an item with its judge; null where the pilot has one judge, and where it is told from
    /// chance by nothing.
    pub item_judge: Option<f64>,
    /// Chance and the part that the pilot does not tell from it, together; null where the pilot has
    /// repeats.
    pub with_chance: Option<WithChance>,
    /// Items of the pilot; 0 for assumptions.
    pub items: usize,
    /// Questions that these ask: what the variances are of.
    pub questions: usize,
    /// Pairs of systems of the pilot.
    pub pairs: usize,
}

/// The variance of chance and of one other part, which a pilot without repeats cannot tell apart.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WithChance {
    /// The other part.
    pub part: ChancePart,
    /// The variance of both together.
    pub variance: f64,
}

/// A part of the variance that only repeats tell from chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChancePart {
    /// `item`.
    Item,
    /// `item_judge`.
    ItemJudge,
    /// `item_order`.
    ItemOrder,
}

impl ChancePart {
    fn name(self) -> &'static str {
        match self {
            ChancePart::Item => "item",
            ChancePart::ItemJudge => "item with judge",
            ChancePart::ItemOrder => "item with order",
        }
    }
}

impl DesignRow {
    /// Returns a design of so many items to a question, with what its verdicts take, by calls and
    /// cost of one, or of the two scores that make a difference.
    pub fn new(
        design: &PairDesign,
        unit: DifferenceUnit,
        items_of_question: f64,
        calls: f64,
        cost: Option<f64>,
    ) -> DesignRow {
        // Rounding must not make an item more of a product that is whole.
        let items = (design.items as f64 * items_of_question - 1e-9).ceil() as u64;
        let outcomes = items * design.each.judgments();
        let scores = match unit {
            DifferenceUnit::WinRate => 1,
            DifferenceUnit::Score => 2,
        };
        DesignRow {
            items,
            questions: design.items,
            orders: design.each.orders,
            repeats: design.each.repeats,
            judges: design.each.judges,
            judgments: scores * outcomes,
            calls: (outcomes as f64 * calls).ceil() as u64,
            cost_usd: cost.map(|cost| outcomes as f64 * cost),
            power: design.power,
            detectable: unit.factor() * design.detectable,
            is_fewest: design.is_fewest,
        }
    }

    /// Says what is judged: "212 items in both orders, once each: 424 calls".
    pub fn in_words(&self) -> String {
        let items = count_items(self.items, self.questions);
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
        let judges = match self.judges {
            0 | 1 => String::new(),
            many => format!(" by each of {many} judges"),
        };
        let calls = self.calls_in_words(1.0);
        format!("{items} {orders}, {times}{judges}: {calls}")
    }

    /// Says what so many times the design take: "2,544 calls, $1.20".
    pub fn calls_in_words(&self, times: f64) -> String {
        let cost = or_blank(self.cost_usd.filter(|usd| *usd > 0.0), |usd| {
            format!(", {}", format_usd(usd * times))
        });
        let calls = (self.calls as f64 * times).ceil() as u64;
        format!("{} calls{cost}", group_digits(calls))
    }
}

impl VarianceRow {
    /// Returns the components of so many pairs of systems, and so many items and questions.
    pub fn new(
        components: &VarianceComponents,
        pairs: usize,
        [items, questions]: [usize; 2],
    ) -> VarianceRow {
        let item_judge = components.judge.map(|_| components.item_judge);
        let mut row = VarianceRow {
            item: Some(components.item),
            order: components.order,
            item_order: components.item_order,
            repeat: components.repeat,
            judge: components.judge,
            item_judge,
            with_chance: None,
            items,
            questions,
            pairs,
        };
        let held = components.chance_within().map(|part| match part {
            ChanceWithin::Item => (ChancePart::Item, row.item.take()),
            ChanceWithin::ItemJudge => (ChancePart::ItemJudge, row.item_judge.take()),
            ChanceWithin::ItemOrder => (ChancePart::ItemOrder, row.item_order.take()),
        });
        row.with_chance = held.and_then(|(part, variance)| {
            let variance = variance?;
            Some(WithChance { part, variance })
        });
        row
    }
}

impl JudgesRow {
    /// Returns how far judges are apart; None where there is one.
    pub fn new(
        components: &VarianceComponents,
        unit: DifferenceUnit,
        level: f64,
    ) -> Option<JudgesRow> {
        let error = components.error_of_judges(level).ok().flatten();
        Some(JudgesRow {
            judges: components.judges,
            deviation: unit.factor() * components.judge?.sqrt(),
            panel: error.map(|error| unit.factor() * error),
            level,
        })
    }

    fn sentence(&self, unit: DifferenceUnit) -> String {
        let deviation = unit.show(self.deviation);
        let (judges, name, level) = (self.judges, unit.name(), chosen_percent(self.level));
        if self.deviation == 0.0 {
            return format!("what {judges} judges find differs by no more than chance explains");
        }
        let rest = match self.panel.map(|size| unit.show(size)) {
            Some(panel) => format!(
                "what {judges} such judges find is within about {panel} of what all would \
                 ({level} %), however many items there are"
            ),
            None => {
                "that is too few judges to say how far these are from what all would find".into()
            }
        };
        format!(
            "the difference that a judge finds varies by {deviation} {name} between judges \
             (standard deviation, from {judges}): {rest}"
        )
    }
}

const CSV_COLUMNS: [Column<DesignRow>; 10] = [
    ("items", |row| row.items.to_string()),
    ("orders", |row| row.orders.to_string()),
    ("repeats", |row| row.repeats.to_string()),
    ("judges", |row| row.judges.to_string()),
    ("judgments", |row| row.judgments.to_string()),
    ("calls", |row| row.calls.to_string()),
    ("cost_usd", |row| optional_cell(row.cost_usd)),
    ("detectable", |row| row.detectable.to_string()),
    ("questions", |row| row.questions.to_string()),
    ("power", |row| row.power.to_string()),
];

/// Returns a header and a row for each design.
///
/// # Errors
/// Those of the CSV writer; no plan is known to cause one.
pub fn plan_csv(plan: &PlanReport) -> Result<String, csv::Error> {
    csv_of(&CSV_COLUMNS, &plan.designs)
}

/// Returns the answer and the plan as one object.
///
/// # Errors
/// Those of the JSON writer; no plan is known to cause one.
pub fn plan_json(plan: &PlanReport) -> Result<String, serde_json::Error> {
    answered_json(&plan.answer, plan)
}

/// Returns the plan for people: the answer, the designs, and what they rest on.
pub fn plan_table(plan: &PlanReport) -> String {
    let mut columns: Columns<DesignRow> = Columns::new(&[
        ("items", |row| group_digits(row.items)),
        ("orders", |row| row.orders.to_string()),
        ("repeats", |row| row.repeats.to_string()),
        ("judges", |row| row.judges.to_string()),
        ("judgments", |row| group_digits(row.judgments)),
        ("calls", |row| group_digits(row.calls)),
        ("cost", |row| or_dash(row.cost_usd, format_usd)),
    ]);
    // A power is that of one difference, which is another than a budget finds.
    let power = format!("power ({} points)", plan.power_at);
    columns.push(power, |row| format!("{:.1} %", 100.0 * row.power));
    columns.push("finds (points)", |row| plan.unit.show(row.detectable));
    let table = columns.table(&plan.designs).with_numbers_from(0);
    let lines = summary_text(lines_of(plan), View::default());
    format!("{}\n\n{}\n\n{lines}", plan.answer, table.to_text())
}

fn lines_of(plan: &PlanReport) -> Vec<Line> {
    let mut lines = vec![("variance", variance_text(&plan.variance))];
    if plan.variance.pairs > 1 {
        let text = "judgments, calls and cost of a row are for one pair of systems";
        lines.push(("row", text.into()));
    }
    if let Some(held) = &plan.variance.with_chance {
        let text = format!(
            "this pilot asked once and cannot tell {} from chance, so designs that repeat are \
             neither planned nor ruled out; run it with {} 2",
            held.part.name(),
            Setting::Repeats
        );
        lines.push(("repeats", text));
    }
    let is_of_pairs = plan.unit == DifferenceUnit::WinRate;
    if is_of_pairs && plan.variance.order.is_none() {
        let text = "each item was judged in one order, so what the order does is not told from the \
                    rest, and designs in both orders are neither planned nor ruled out";
        lines.push(("order", text.into()));
    }
    if let Some(judges) = &plan.judges {
        lines.push(("judges", judges.sentence(plan.unit)));
    }
    lines.extend(plan.noise.iter().map(|noise| ("noise", noise.sentence())));
    let (items, questions) = (plan.variance.items as u64, plan.variance.questions as u64);
    if items > 0 && plan.noise.is_none() {
        let few = NoiseFloor::too_few(items, questions);
        lines.extend(few.map(|why| ("noise", why)));
    }
    let unit = match plan.unit {
        DifferenceUnit::WinRate => {
            "hundredths of the share of comparisons won, ties half: 55 % is 5 from even"
        }
        DifferenceUnit::Score => "as the judge gave them",
    };
    lines.push(("points", unit.into()));
    lines
}

/// Says where one judgment's outcome varies.
fn variance_text(variance: &VarianceRow) -> String {
    let mut parts = vec![
        ("item".to_string(), variance.item),
        ("judge".into(), variance.judge),
        ("item with judge".into(), variance.item_judge),
        ("order".into(), variance.order),
        ("item with order".into(), variance.item_order),
        ("repeat".into(), variance.repeat),
    ];
    if let Some(held) = &variance.with_chance {
        let name = format!("{} and chance", held.part.name());
        parts.push((name, Some(held.variance)));
    }
    parts.retain(|(_, size)| size.is_some());
    let of = |size: &Option<f64>| size.unwrap_or_default();
    let total: f64 = parts.iter().map(|(_, size)| of(size)).sum();
    let shares = parts
        .iter()
        .map(|(name, size)| format!("{name} {:.0} %", 100.0 * of(size) / total));
    let shares: Vec<String> = shares.collect();
    let from = match variance.items {
        0 => " (assumed)".into(),
        items => format!(
            "; from {}, {}",
            count_items(items as u64, variance.questions as u64),
            count_of(variance.pairs as u64, "pair of systems", "pairs of systems")
        ),
    };
    format!(
        "{}, of {total:.3} for one judgment{from}",
        shares.join(", ")
    )
}
