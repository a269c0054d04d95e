//! What a pilot run tells a plan: who won each judgment, and what one costs.

use super::super::kept_run::{describe_unread, open_kept};
use crate::Failed;
use crate::args::PlanArgs;
use evenhand_engine::spent;
use evenhand_pages::{OpenRun, RunIndex};
use evenhand_report::{DesignRow, NoiseFloor, POINTS, Usage};
use evenhand_stats::{
    Error, PairDesign, PairOutcome, VarianceComponents, noise_floor, variance_components,
};
use std::collections::BTreeMap;
use std::path::Path;

/// On fewer items than these nothing is said of noise: its own estimate would be noise.
const FEW: usize = 10;

/// A pilot, or what was assumed in its place.
pub(super) struct Pilot {
    pub(super) components: VarianceComponents,
    /// Pairs of systems.
    pub(super) pairs: usize,
    /// Items of a pair, on average.
    pub(super) items_of_pair: usize,
    /// Repeats of an item in an order, on average.
    pub(super) repeats: u32,
    /// Whether items were judged in both orders.
    pub(super) both_orders: bool,
    /// Calls of a judgment.
    pub(super) calls: f64,
    /// Cost of a judgment in USD, where it is known.
    pub(super) cost: Option<f64>,
}

impl Pilot {
    /// Variances of items, order, item with order, and repeats, as the user says.
    pub(super) fn assumed(variance: &[f64]) -> Result<Pilot, Failed> {
        let &[item, order, both, repeat] = variance else {
            return Err(Failed::usage(
                "--variance: expected four numbers: of items, order, item with order, repeats",
            ));
        };
        let components = VarianceComponents::assumed(item, order, both, repeat);
        Ok(Pilot {
            components: components
                .map_err(|error| Failed::usage(format!("--variance: {error}")))?,
            pairs: 0,
            items_of_pair: 0,
            repeats: 1,
            both_orders: true,
            calls: 1.0,
            cost: None,
        })
    }

    /// By how much two identical systems would seem to differ; None without a pilot, and on too few
    /// items to know how they vary.
    pub(super) fn noise(&self, level: f64) -> Option<NoiseFloor> {
        if self.items_of_pair < FEW {
            return None;
        }
        let orders = if self.both_orders { 2 } else { 1 };
        let (items, repeats) = (self.items_of_pair, self.repeats);
        let floor = noise_floor(items, orders, repeats, &self.components, level);
        Some(NoiseFloor {
            points: POINTS * floor.ok()?,
            level,
            items,
        })
    }

    /// What outcomes tell; calls and cost are those of one call a judgment.
    fn of_outcomes(outcomes: &[PairOutcome]) -> Result<Pilot, Error> {
        let counts = Counts::of(outcomes);
        Ok(Pilot {
            components: variance_components(outcomes)?,
            pairs: counts.pairs,
            items_of_pair: counts.items / counts.pairs.max(1),
            repeats: counts.repeats(outcomes.len()),
            both_orders: counts.both > 0,
            calls: 1.0,
            cost: None,
        })
    }

    /// A design with its calls and its cost.
    pub(super) fn row(&self, design: &PairDesign) -> DesignRow {
        DesignRow::new(design, self.calls, self.cost)
    }
}

/// By how much two identical systems would seem to differ in a run of comparisons (95 %).
pub(crate) fn noise_of_run(run: &OpenRun) -> Option<NoiseFloor> {
    let outcomes = outcomes_of(run.index(), None);
    Pilot::of_outcomes(&outcomes).ok()?.noise(0.95)
}

/// Reads a run's comparisons.
pub(super) fn read_pilot(dir: &Path, args: &PlanArgs) -> Result<Pilot, Failed> {
    let prices = args.prices.table()?;
    let run = open_kept(dir, prices.clone())?;
    let wanted = args
        .pair
        .as_deref()
        .map(|pair| number_pair(&run, pair))
        .transpose()?;
    let outcomes = outcomes_of(run.index(), wanted);
    let pilot = Pilot::of_outcomes(&outcomes)
        .map_err(|error| Failed::usage(describe_unfit(dir, &outcomes, &error.to_string())))?;
    let totals = run.reader().totals().map_err(describe_unread)?;
    let total = Usage::new(&spent(&totals, &prices), 0.0).total;
    let judgments = run.index().judgments().max(1) as f64;
    Ok(Pilot {
        calls: (total.calls as f64 / judgments).max(f64::MIN_POSITIVE),
        cost: total.cost_usd.map(|usd| usd / judgments),
        ..pilot
    })
}

fn describe_unfit(dir: &Path, outcomes: &[PairOutcome], why: &str) -> String {
    let dir = dir.display();
    if outcomes.is_empty() {
        return format!("{dir}: it has no comparisons of two systems, which a plan is made of");
    }
    format!("{dir}: it does not tell where outcomes vary: {why}")
}

/// The numbers of two systems.
fn number_pair(run: &OpenRun, pair: &str) -> Result<[u32; 2], Failed> {
    let systems = run.index().systems();
    let unknown = || {
        Failed::usage(format!(
            "--pair {pair}: expected two systems of the run, as A,B"
        ))
    };
    let (a, b) = pair.split_once(',').ok_or_else(unknown)?;
    let (a, b) = (systems.find(a), systems.find(b));
    let (a, b) = a.zip(b).filter(|(a, b)| a != b).ok_or_else(unknown)?;
    Ok([a.min(b), a.max(b)])
}

/// By how much the earlier system of each pair won, judgment by judgment.
fn outcomes_of(index: &RunIndex, wanted: Option<[u32; 2]>) -> Vec<PairOutcome> {
    let rows = 0..index.row_count() as u32;
    rows.flat_map(|row| outcomes_of_row(index, row, wanted))
        .collect()
}

fn outcomes_of_row(index: &RunIndex, row: u32, wanted: Option<[u32; 2]>) -> Vec<PairOutcome> {
    let facts = index.facts(row);
    let Some(b) = facts
        .b
        .filter(|b| wanted.is_none_or(|pair| pair == [facts.a, *b]))
    else {
        return Vec::new();
    };
    let pair = (facts.a << 16) | (b & 0xffff);
    let cells = index.judgments_of(row).into_iter().zip([false, true]);
    let judged = cells.filter_map(|(judgment, swapped)| {
        let [first, _, second] = index.chances_of(judgment?)?;
        let lead = if swapped {
            second - first
        } else {
            first - second
        };
        Some(PairOutcome {
            pair,
            item: facts.item,
            swapped,
            lead,
        })
    });
    judged.collect()
}

/// How many pairs, items of pairs, and cells of those there are.
struct Counts {
    pairs: usize,
    items: usize,
    cells: usize,
    /// Items of pairs that were judged in both orders.
    both: usize,
}

impl Counts {
    fn of(outcomes: &[PairOutcome]) -> Counts {
        let mut items: BTreeMap<(u32, u32), [bool; 2]> = BTreeMap::new();
        for outcome in outcomes {
            let orders = items.entry((outcome.pair, outcome.item)).or_default();
            orders[usize::from(outcome.swapped)] = true;
        }
        let mut pairs: Vec<u32> = items.keys().map(|(pair, _)| *pair).collect();
        pairs.dedup();
        let both = items
            .values()
            .filter(|orders| orders.iter().all(|seen| *seen))
            .count();
        Counts {
            pairs: pairs.len(),
            items: items.len(),
            cells: items.len() + both,
            both,
        }
    }

    fn repeats(&self, outcomes: usize) -> u32 {
        (outcomes as f64 / self.cells.max(1) as f64)
            .round()
            .max(1.0) as u32
    }
}
