//! `evenhand plan`.

mod pilot;

use crate::args::PlanArgs;
use crate::{Done, Failed};
use evenhand_engine::check_level;
use evenhand_report::{
    DesignRow, POINTS, PlanReport, VarianceRow, plan_csv, plan_json, plan_table,
};
use evenhand_stats::{Aim, PairDesign, VarianceComponents, designs_for, designs_within};
pub(super) use pilot::noise_of_run;
use pilot::{Pilot, read_pilot};

/// Designs that a table shows.
const SHOWN: usize = 8;

/// How many items, orders and repeats a difference takes, or what a budget finds.
pub(crate) fn plan(args: &PlanArgs) -> Result<Done, Failed> {
    let report = make_plan(args)?;
    args.format.print(
        || plan_table(&report) + "\n",
        || plan_json(&report),
        || plan_csv(&report),
    )
}

fn make_plan(args: &PlanArgs) -> Result<PlanReport, Failed> {
    let aim = aim_of(args)?;
    let pilot = match (&args.run, &args.variance) {
        (_, Some(variance)) => Pilot::assumed(variance)?,
        (Some(run), None) => read_pilot(run, args)?,
        (None, None) => return Err(Failed::usage("give a pilot run, or --variance")),
    };
    let designs = choose_designs(args, &aim, &pilot)?;
    let rows = designs.iter().map(|design| pilot.row(design));
    let rows: Vec<DesignRow> = rows.take(SHOWN).collect();
    let first = rows.first().ok_or_else(|| Failed::usage(too_small(args)))?;
    Ok(PlanReport {
        sentence: sentence(args, first, pilot.pairs),
        difference: budget(args, &pilot)?.is_none().then_some(args.difference),
        power: args.power,
        level: args.level,
        variance: VarianceRow::new(&pilot.components, pilot.pairs),
        noise: pilot.noise(args.level),
        designs: rows,
    })
}

fn aim_of(args: &PlanArgs) -> Result<Aim, Failed> {
    check_level(args.level)?;
    let share = args.power > 0.0 && args.power < 1.0;
    if !share {
        return Err(Failed::usage(
            "--power: expected a number strictly between 0 and 1, such as 0.8",
        ));
    }
    if !(args.difference > 0.0 && args.difference <= POINTS) {
        return Err(Failed::usage(
            "--difference: expected points above 0 and at most 50, such as 5",
        ));
    }
    Ok(Aim {
        difference: args.difference / POINTS,
        power: args.power,
        level: args.level,
    })
}

/// The judgments that the budget pays for; None without one.
fn budget(args: &PlanArgs, pilot: &Pilot) -> Result<Option<u64>, Failed> {
    if let Some(calls) = args.max_calls {
        return Ok(Some((calls as f64 / pilot.calls) as u64));
    }
    let Some(usd) = args.max_cost else {
        return Ok(None);
    };
    match pilot.cost.filter(|cost| *cost > 0.0) {
        Some(cost) => Ok(Some((usd / cost) as u64)),
        None => Err(Failed::usage(
            "--max-cost: the price of the pilot's calls is not known, or 0; give --prices, or \
             --max-calls",
        )),
    }
}

fn choose_designs(args: &PlanArgs, aim: &Aim, pilot: &Pilot) -> Result<Vec<PairDesign>, Failed> {
    let components: &VarianceComponents = &pilot.components;
    let found = match budget(args, pilot)? {
        Some(judgments) => designs_within(judgments, aim, components),
        None => designs_for(aim, components),
    };
    let mut designs = found.map_err(|error| Failed::usage(error.to_string()))?;
    designs.retain(|design| design.orders == 1 || pilot.both_orders);
    Ok(designs)
}

fn too_small(args: &PlanArgs) -> String {
    let budget = match (args.max_calls, args.max_cost) {
        (Some(calls), _) => format!("--max-calls {calls}"),
        (_, usd) => format!("--max-cost {}", usd.unwrap_or_default()),
    };
    format!("{budget}: that pays for too few items to find any difference; give more")
}

/// Says what is to be done first of all.
fn sentence(args: &PlanArgs, best: &DesignRow, pairs: usize) -> String {
    let (power, how) = (100.0 * args.power, best.in_words());
    let each = if pairs > 1 {
        " for each pair of systems"
    } else {
        ""
    };
    if args.max_calls.is_some() || args.max_cost.is_some() {
        let found = best.detectable;
        return format!(
            "The budget finds a difference of {found:.1} points with power {power} %: judge \
             {how}{each}."
        );
    }
    let difference = args.difference;
    format!("To see a difference of {difference} points with power {power} %, judge {how}{each}.")
}
