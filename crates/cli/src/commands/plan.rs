//! `evenhand plan`.

mod outcomes;
mod pilot;

use crate::args::help::{DATA, LIMITS, STATISTICS};
use crate::args::{FormatArgs, PriceArgs};
use crate::{Done, Failed};
use clap::Args;
use evenhand_ranking::{DifferenceUnit, check_level};
use evenhand_report::{
    DesignRow, JudgesRow, PlanReport, VarianceRow, plan_csv, plan_json, plan_table,
};
use evenhand_stats::{Aim, JudgeScope, PairDesign, designs_for, designs_within};
use pilot::{Pilot, read_pilot};
use std::path::PathBuf;

/// Says what a comparison of two systems is to find, and what is known of the outcomes.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Pilot runs of comparisons or scores, which show where outcomes vary
    ///
    /// One run, by one judge or by a panel; or several of the same data, each by a different judge.
    #[arg(value_name = "RUN", required_unless_present = "variance")]
    pub(crate) runs: Vec<PathBuf>,
    /// The difference to detect, in points [default: 5, of comparisons]
    ///
    /// Points are hundredths of the share of comparisons won, ties half: 55 % against 45 % is 5
    /// points from even, as `compare` counts. For scores, they are points of the scores.
    #[arg(long, value_name = "POINTS", help_heading = STATISTICS)]
    pub(crate) difference: Option<f64>,
    /// Also plan for what other judges like the pilot's would find
    ///
    /// The designs then say how many judges it takes. Without it, a plan is for the pilot's judges
    /// only: differences between them and other judges do not count.
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) other_judges: bool,
    /// The chance to detect it
    #[arg(long, default_value_t = 0.8, help_heading = STATISTICS)]
    pub(crate) power: f64,
    /// 1 - alpha of the test; confidence of the noise floor
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
    /// A budget of calls for all pairs together: show what difference it detects
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_calls: Option<u64>,
    /// A budget in US dollars for all pairs, at the cost of the pilot's calls
    #[arg(long, value_name = "USD", conflicts_with = "max_calls", help_heading = LIMITS)]
    pub(crate) max_cost: Option<f64>,
    /// Plan for these two systems of RUN only [default: its average pair]
    #[arg(long, value_name = "A,B", help_heading = DATA)]
    pub(crate) pair: Option<String>,
    /// Variances, instead of a pilot
    ///
    /// Of items, order, item with order, and repeats, of one judgment's outcome from -1 (lost) to 1
    /// (won); then, if given, of judges, and of items with their judges. Their sum is at most about
    /// 1 where judges always decide.
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "V,V,V,V",
        conflicts_with_all = ["runs", "pair", "max_cost"], help_heading = STATISTICS
    )]
    pub(crate) variance: Option<Vec<f64>>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

pub(super) use pilot::{noise_of_report, noise_of_run};

/// Designs that a table shows.
const SHOWN: usize = 8;

/// The difference that is planned for where none is named, in points of win rate.
const USUAL: f64 = 5.0;

/// How many items, judges, orders and repeats a difference takes, or what a budget finds.
pub(crate) fn plan(args: &PlanArgs) -> Result<Done, Failed> {
    let report = make_plan(args)?;
    args.format.print(
        || plan_table(&report) + "\n",
        || plan_json(&report),
        || plan_csv(&report),
    )
}

fn make_plan(args: &PlanArgs) -> Result<PlanReport, Failed> {
    check_level(args.level)?;
    if !(args.power > 0.0 && args.power < 1.0) {
        return Err(Failed::usage(
            "--power: expected a number strictly between 0 and 1, such as 0.8",
        ));
    }
    let pilot = match &args.variance {
        Some(variance) => Pilot::assumed(variance)?,
        None => read_pilot(args)?,
    };
    let difference = difference_of(args, &pilot)?;
    let aim = aim_of(args, &pilot, difference)?;
    let budget = budget(args, &pilot)?;
    let designs = choose_designs(&aim, &pilot, budget)?;
    let rows = designs.iter().map(|design| pilot.row(design));
    let rows: Vec<DesignRow> = rows.take(SHOWN).collect();
    let none = || Failed::Usage(describe_none(args, &pilot, difference));
    let first = rows.first().ok_or_else(none)?;
    Ok(PlanReport {
        answer: sentence(args, first, &pilot, difference),
        difference: budget.is_none().then_some(difference),
        power_at: difference,
        unit: pilot.unit,
        power: args.power,
        level: args.level,
        variance: VarianceRow::new(
            &pilot.components.at(difference / pilot.unit.factor()),
            pilot.pairs,
            [pilot.items, pilot.questions],
        ),
        judges: JudgesRow::new(&pilot.components, pilot.unit, args.level),
        noise: pilot.noise,
        designs: rows,
    })
}

/// The difference to be found, in the pilot's unit.
fn difference_of(args: &PlanArgs, pilot: &Pilot) -> Result<f64, Failed> {
    let is_budget = args.max_calls.is_some() || args.max_cost.is_some();
    if let (Some(points), Some([low, high])) = (args.difference, pilot.score_range)
        && points >= high - low
    {
        let show = |score: f64| pilot.unit.show(score);
        return Err(Failed::Usage(format!(
            "--difference {points}: the pilot's scores are from {} to {}, so no two differ by more \
             than {}; expected points above 0 and below that",
            show(low),
            show(high),
            show(high - low)
        )));
    }
    match (args.difference, pilot.unit) {
        (Some(points), DifferenceUnit::WinRate) if !(points > 0.0 && points <= 50.0) => Err(
            Failed::usage("--difference: expected points above 0 and at most 50, such as 5"),
        ),
        (Some(points), _) if !(points > 0.0 && points.is_finite()) => Err(Failed::usage(
            "--difference: expected points above 0, such as 0.2",
        )),
        (Some(points), _) => Ok(points),
        (None, DifferenceUnit::Score) if !is_budget => Err(Failed::usage(
            "--difference: the pilot has scores; give the difference in points of these scores, \
             such as 0.2",
        )),
        (None, _) => Ok(USUAL),
    }
}

fn aim_of(args: &PlanArgs, pilot: &Pilot, difference: f64) -> Result<Aim, Failed> {
    let judges = match args.other_judges {
        true if pilot.components.judge.is_none() => {
            return Err(Failed::usage(
                "--other-judges: the pilot has only one judge, which says nothing about others; \
                 give runs of the same data by several judges, or of a panel",
            ));
        }
        true => JudgeScope::Alike,
        false => JudgeScope::These,
    };
    Ok(Aim {
        difference: difference / pilot.unit.factor(),
        power: args.power,
        level: args.level,
        judges,
        leads: pilot.lead_kind(difference / pilot.unit.factor()),
    })
}

/// The verdicts of single judges that the budget pays for on each pair; None without one.
fn budget(args: &PlanArgs, pilot: &Pilot) -> Result<Option<u64>, Failed> {
    if let Some(calls) = args.max_calls {
        return Ok(Some((calls as f64 / pilot.calls / pilot.shares()) as u64));
    }
    let Some(usd) = args.max_cost else {
        return Ok(None);
    };
    match pilot.cost.filter(|cost| *cost > 0.0) {
        Some(cost) => Ok(Some((usd / cost / pilot.shares()) as u64)),
        None => Err(Failed::usage(
            "--max-cost: the price of the pilot's calls is not known, or 0; give --prices, or \
             --max-calls",
        )),
    }
}

fn choose_designs(
    aim: &Aim,
    pilot: &Pilot,
    budget: Option<u64>,
) -> Result<Vec<PairDesign>, Failed> {
    let found = match budget {
        Some(judgments) => {
            let of_questions = (judgments as f64 / pilot.items_of_question()) as u64;
            designs_within(of_questions, aim, &pilot.components)
        }
        None => designs_for(aim, &pilot.components),
    };
    let mut designs = found.map_err(|error| Failed::usage(error.to_string()))?;
    designs.retain(|design| design.each.orders == 1 || pilot.both_orders);
    if pilot.unit == DifferenceUnit::WinRate {
        // There is no larger difference than from even to all won.
        designs.retain(|design| design.detectable <= 1.0);
    }
    if let Some([low, high]) = pilot.score_range {
        designs.retain(|design| design.detectable < high - low);
    }
    Ok(designs)
}

fn describe_none(args: &PlanArgs, pilot: &Pilot, difference: f64) -> String {
    let budget = match (args.max_calls, args.max_cost) {
        (None, None) => {
            let variance = pilot.components.judge.unwrap_or_default();
            let between_judges = pilot.unit.factor() * variance.sqrt();
            return format!(
                "--difference {difference}: no number of items and up to 20 judges like the \
                 pilot's would find it: their differences alone vary by {} {} (standard deviation)",
                pilot.unit.show(between_judges),
                pilot.unit.name()
            );
        }
        (Some(calls), _) => format!("--max-calls {calls}"),
        (_, usd) => format!("--max-cost {}", usd.unwrap_or_default()),
    };
    format!("{budget}: it pays for too few items to find any difference; give more")
}

/// Says what is to be done first of all.
fn sentence(args: &PlanArgs, best: &DesignRow, pilot: &Pilot, difference: f64) -> String {
    let (power, how, unit) = (100.0 * args.power, best.in_words(), pilot.unit);
    let points = match unit {
        DifferenceUnit::WinRate => "points",
        DifferenceUnit::Score => unit.name(),
    };
    // What a row takes is for one pair; what is paid is for all of them.
    let each = match pilot.pairs {
        0 | 1 => String::new(),
        pairs => {
            let all = best.calls_in_words(pilot.shares());
            // A response is scored once, whatever it is compared with.
            let once = match unit {
                DifferenceUnit::WinRate => "",
                DifferenceUnit::Score => ", as a score serves every pair of its system",
            };
            format!(" for each pair of systems, {all} for all {pairs} pairs{once}")
        }
    };
    let whose = match args.other_judges {
        true => ", whichever judges like these are asked,",
        false => "",
    };
    if args.max_calls.is_some() || args.max_cost.is_some() {
        let found = unit.show(best.detectable);
        return format!(
            "The budget finds a difference of {found} {points}{whose} with power {power} %: judge \
             {how}{each}."
        );
    }
    // A share, as conditions of `compare` have it, is read as points, and asks for millions.
    let unlikely = match unit {
        DifferenceUnit::WinRate if difference < 0.5 => format!(
            " Points are hundredths: a share of {difference} is {} points.",
            unit.show(100.0 * difference)
        ),
        DifferenceUnit::Score
            if pilot.score_range.is_none()
                && pilot.score_width.is_some_and(|width| difference > width) =>
        {
            let width = unit.show(pilot.score_width.unwrap_or_default());
            format!(
                " Check the difference: all scores of the pilot lie within {width} points of each \
                 other, and their scale is not known."
            )
        }
        _ => String::new(),
    };
    let fewest = match best.is_fewest {
        true => " No plan has fewer items: a test of fewer is not to be relied on.",
        false => "",
    };
    format!(
        "To see a difference of {difference} {points}{whose} with power {power} %, judge \
         {how}{each}.{fewest}{unlikely}"
    )
}
