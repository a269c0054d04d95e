//! How many judgments a difference takes, for people and programs.

use crate::columns::{Column, Columns, csv_of};
use crate::numbers::{
    chosen_percent, count_items, count_of, format_usd, group_digits, or_blank, or_dash,
};
use crate::serialize::optional_cell;
use crate::view::{Line, View, summary_text};
use evenhand_ranking::{DifferenceUnit, NoiseFloor};
use evenhand_stats::{PairDesign, VarianceComponents};
use schemars::JsonSchema;
use serde::Serialize;

/// A plan for a comparison of two systems. Differences of comparisons are in points: hundredths of
/// the share of comparisons won, ties half, from even: 55 % is 5 points, as in `compare`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlanReport {
    /// What is to be done, in a sentence.
    pub sentence: String,
    /// The difference to be found, in points; None where a budget decides.
    pub difference: Option<f64>,
    /// What differences are in.
    pub unit: DifferenceUnit,
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
    /// Verdicts by single judges on the pair.
    pub judgments: u64,
    /// Calls, by those that a judgment of the pilot took.
    pub calls: u64,
    /// Their cost, by that of the pilot.
    pub cost_usd: Option<f64>,
    /// The chance that it finds the plan's difference, or 5 points where a budget decides, of the
    /// test that `compare` makes of so many items.
    pub power: f64,
    /// The difference that it finds with the power asked for, in the plan's unit.
    pub detectable: f64,
}

/// How far judges are apart, which no number of items changes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgesRow {
    /// How many judges the pilot has.
    pub judges: usize,
    /// The standard deviation between judges of the difference that a judge finds between two
    /// systems, in the plan's unit.
    pub deviation: f64,
    /// By how much another panel of so many would move the difference, at most, in the plan's unit.
    pub panel: f64,
    /// The chance to stay below.
    pub level: f64,
}

/// Variances of one judgment's outcome, in squared leads (from -1, lost, to 1, won), of two systems
/// that are as far apart as is planned for; or in squared points of the scores.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VarianceRow {
    /// Between items.
    pub item: f64,
    /// By a fixed preference for a place, where an item is judged in one order.
    pub order: f64,
    /// Of an item with its order.
    pub item_order: f64,
    /// Of repeats; None where the pilot has none.
    pub repeat: Option<f64>,
    /// Between judges; None where the pilot has one.
    pub judge: Option<f64>,
    /// Of an item with its judge; None where the pilot has one.
    pub item_judge: Option<f64>,
    /// Items of the pilot; 0 for assumptions.
    pub items: usize,
    /// Questions that these ask: what the variances are of.
    pub questions: usize,
    /// Pairs of systems of the pilot.
    pub pairs: usize,
}

impl DesignRow {
    /// Returns a design of so many items to a question, with what its verdicts take, by calls and
    /// cost of one.
    pub fn new(
        design: &PairDesign,
        unit: DifferenceUnit,
        items_of_question: f64,
        calls: f64,
        cost: Option<f64>,
    ) -> DesignRow {
        // Rounding must not make an item more of a product that is whole.
        let items = (design.items as f64 * items_of_question - 1e-9).ceil() as u64;
        let judgments = (items * design.each.judgments()) as f64;
        DesignRow {
            items,
            questions: design.items,
            orders: design.each.orders,
            repeats: design.each.repeats,
            judges: design.each.judges,
            judgments: items * design.each.judgments(),
            calls: (judgments * calls).ceil() as u64,
            cost_usd: cost.map(|cost| judgments * cost),
            power: design.power,
            detectable: unit.factor() * design.detectable,
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
        let cost = or_blank(self.cost_usd.filter(|usd| *usd > 0.0), |usd| {
            format!(", {}", format_usd(usd))
        });
        format!(
            "{items} {orders}, {times}{judges}: {} calls{cost}",
            group_digits(self.calls)
        )
    }
}

impl VarianceRow {
    /// Returns the components of so many pairs of systems, and so many items and questions.
    pub fn new(
        components: &VarianceComponents,
        pairs: usize,
        [items, questions]: [usize; 2],
    ) -> VarianceRow {
        VarianceRow {
            item: components.item,
            order: components.order,
            item_order: components.item_order,
            repeat: components.repeat,
            judge: components.judge,
            item_judge: components.judge.map(|_| components.item_judge),
            items,
            questions,
            pairs,
        }
    }
}

impl JudgesRow {
    /// Returns how far judges are apart; None where there is one.
    pub fn new(
        components: &VarianceComponents,
        unit: DifferenceUnit,
        level: f64,
    ) -> Option<JudgesRow> {
        let error = components.error_of_judges(level).ok().flatten()?;
        Some(JudgesRow {
            judges: components.judges,
            deviation: unit.factor() * components.judge?.sqrt(),
            panel: unit.factor() * error,
            level,
        })
    }

    fn sentence(&self, unit: DifferenceUnit) -> String {
        let [deviation, panel] = [self.deviation, self.panel].map(|size| unit.show(size));
        let (judges, name, level) = (self.judges, unit.name(), chosen_percent(self.level));
        if self.deviation == 0.0 {
            return format!("what {judges} judges find differs by no more than chance explains");
        }
        format!(
            "the difference that a judge finds varies by {deviation} {name} between judges \
             (standard deviation, from {judges}): what {judges} such judges find is within about \
             {panel} of what all would ({level} %), however many items there are"
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

/// Returns the plan for people: the sentence, the designs, and what they rest on.
pub fn plan_table(plan: &PlanReport) -> String {
    let mut columns: Columns<DesignRow> = Columns::new(&[
        ("items", |row| group_digits(row.items)),
        ("orders", |row| row.orders.to_string()),
        ("repeats", |row| row.repeats.to_string()),
        ("judges", |row| row.judges.to_string()),
        ("judgments", |row| group_digits(row.judgments)),
        ("calls", |row| group_digits(row.calls)),
        ("cost", |row| or_dash(row.cost_usd, format_usd)),
        ("power", |row| format!("{:.1} %", 100.0 * row.power)),
    ]);
    columns.push("finds (points)", |row| plan.unit.show(row.detectable));
    let table = columns.table(&plan.designs).with_numbers_from(0);
    let lines = summary_text(lines_of(plan), View::default());
    format!("{}\n\n{}\n\n{lines}", plan.sentence, table.to_text())
}

fn lines_of(plan: &PlanReport) -> Vec<Line> {
    let mut lines = vec![("variance", variance_text(&plan.variance))];
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
    // Without repeats, what an item and its order have together is not told from chance.
    let item_order = match variance.repeat {
        Some(_) => "item with order",
        None => "item with order, and chance,",
    };
    let parts = [
        ("item", Some(variance.item)),
        ("judge", variance.judge),
        ("item with judge", variance.item_judge),
        ("order", Some(variance.order)),
        (item_order, Some(variance.item_order)),
        ("repeat", variance.repeat),
    ];
    let total: f64 = parts.iter().filter_map(|(_, size)| *size).sum();
    let shares = parts.into_iter().filter_map(|(name, size)| {
        size.map(|size| format!("{name} {:.0} %", 100.0 * size / total))
    });
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
