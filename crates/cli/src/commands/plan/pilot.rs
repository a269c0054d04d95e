//! What pilot runs tell a plan: where outcomes vary, and what a judgment costs.

use super::super::kept_run::{describe_unread, open_judged, usage_of_run};
use super::super::report::name_files;
use super::outcomes::Outcomes;
use crate::Failed;
use crate::commands::plan::PlanArgs;
use evenhand_pages::OpenRun;
use evenhand_protocols::Protocol;
use evenhand_ranking::{DifferenceUnit, NoiseFloor};
use evenhand_report::{DesignRow, Usage};
use evenhand_stats::{
    ItemDesign, LeadKind, PairDesign, PairLead, VarianceComponents, lead_spread, noise_of_leads,
    noise_of_score_leads, variance_components,
};
use serde::Deserialize;
use serde_json::Value;

/// A pilot, or what was assumed in its place.
pub(super) struct Pilot {
    pub(super) components: VarianceComponents,
    pub(super) unit: DifferenceUnit,
    /// By how much two identical systems would seem to differ; None without a pilot, and on too few
    /// items to know how they vary.
    pub(super) noise: Option<NoiseFloor>,
    /// Pairs of systems.
    pub(super) pairs: usize,
    /// The systems of these pairs.
    pub(super) systems: usize,
    /// Items that it rests on; 0 for assumptions.
    pub(super) items: usize,
    /// Questions that these ask: what the variances are of, and what designs count.
    pub(super) questions: usize,
    /// Says what a judgment can be, on which the test of many depends; None without a pilot.
    leads: Option<LeadKind>,
    /// Whether items were judged in both orders.
    pub(super) both_orders: bool,
    /// The least and the most that a score can be, where that is known.
    pub(super) score_range: Option<[f64; 2]>,
    /// How far apart any two scores of the pilot are; None of comparisons.
    pub(super) score_width: Option<f64>,
    /// Calls of one judge's verdict on a pair, or of its two scores.
    pub(super) calls: f64,
    /// Its cost in USD, where it is known.
    pub(super) cost: Option<f64>,
}

impl Pilot {
    /// Variances of items, order, item with order, and repeats, as the user says; then of judges,
    /// and of items with their judges.
    pub(super) fn assumed(variance: &[f64]) -> Result<Pilot, Failed> {
        let found = match *variance {
            [item, order, both, repeat] => VarianceComponents::assumed(item, order, both, repeat),
            [item, order, both, repeat, judge, own] => {
                let found = VarianceComponents::assumed(item, order, both, repeat);
                found.and_then(|found| found.with_judges(judge, own))
            }
            _ => {
                return Err(Failed::usage(
                    "--variance: expected four numbers, of items, order, item with order, repeats; \
                     or six, with those of judges and of items with their judges at the end",
                ));
            }
        };
        let why = |error| Failed::usage(format!("--variance: {error}"));
        Ok(Pilot {
            components: found.map_err(why)?,
            leads: None,
            unit: DifferenceUnit::WinRate,
            noise: None,
            pairs: 0,
            systems: 0,
            items: 0,
            questions: 0,
            both_orders: true,
            score_range: None,
            score_width: None,
            calls: 1.0,
            cost: None,
        })
    }

    /// A design with its calls and its cost.
    pub(super) fn row(&self, design: &PairDesign) -> DesignRow {
        DesignRow::new(
            design,
            self.unit,
            self.items_of_question(),
            self.calls,
            self.cost,
        )
    }

    /// What a judgment can say: of assumed variances, whether those leave room for ties where this
    /// is the lead. The mean squared lead of what is won or lost is 1.
    pub(super) fn lead_kind(&self, lead: f64) -> LeadKind {
        let once = self.components.of_item_mean(ItemDesign {
            orders: 1,
            repeats: 1,
            judges: 1,
        });
        let assumed = match once + lead * lead > 0.98 {
            true => LeadKind::WonOrLost,
            false => LeadKind::WonTiedOrLost,
        };
        self.leads.unwrap_or(assumed)
    }

    /// How many times what one pair takes all pairs take: pairs have their verdicts to themselves,
    /// and share the scores of their systems.
    pub(super) fn shares(&self) -> f64 {
        let shares = match self.unit {
            DifferenceUnit::WinRate => self.pairs as f64,
            DifferenceUnit::Score => self.systems as f64 / 2.0,
        };
        shares.max(1.0)
    }

    /// How many items ask one question, in the mean.
    pub(super) fn items_of_question(&self) -> f64 {
        match self.questions {
            0 => 1.0,
            questions => self.items as f64 / questions as f64,
        }
    }
}

/// By how much two identical systems would seem to differ in a run (95 %); of scores that the last
/// report ranks by the comparisons that they imply, in the unit of these.
pub(crate) fn noise_of_run(run: &OpenRun, report: &Value) -> Option<NoiseFloor> {
    let outcomes = Outcomes::of_whole(run).ok()?;
    let unit = noise_of_report(report).map(|noise| noise.unit);
    if outcomes.unit() == DifferenceUnit::Score && unit == Some(DifferenceUnit::WinRate) {
        let sign = |lead: f64| f64::from(i8::from(lead > 0.0) - i8::from(lead < 0.0));
        let leads = || {
            outcomes.leads().map(|row| PairLead {
                lead: sign(row.lead),
                ..row
            })
        };
        let found = noise_of_leads(leads, 0.95);
        return NoiseFloor::new(found, DifferenceUnit::WinRate, 0.95);
    }
    noise_of(&outcomes, 0.95)
}

/// Returns the noise that a report states, as its JSON; None where it states none.
pub(crate) fn noise_of_report(report: &Value) -> Option<NoiseFloor> {
    NoiseFloor::deserialize(report.get("noise")?).ok()
}

fn noise_of(outcomes: &Outcomes, level: f64) -> Option<NoiseFloor> {
    let found = match outcomes.unit() {
        DifferenceUnit::WinRate => noise_of_leads(|| outcomes.leads(), level),
        DifferenceUnit::Score => noise_of_score_leads(|| outcomes.leads(), level),
    };
    NoiseFloor::new(found, outcomes.unit(), level)
}

/// The least and the most that a score of any of these runs can be; None where that is not known of
/// each, and where a score of theirs, the ends of which are `found`, is beyond it.
fn score_range_of(runs: &[OpenRun], found: Option<[f64; 2]>) -> Result<Option<[f64; 2]>, Failed> {
    let Some([least, most]) = found else {
        return Ok(None);
    };
    let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
    for run in runs {
        let reader = run.reader();
        let settings = reader.manifest().map_err(describe_unread)?.settings;
        let items = reader.items().map_err(describe_unread)?;
        let protocol = settings.get("protocol").map(|name| Protocol::parse(name));
        let range = match protocol {
            Some(Ok(protocol)) => protocol.score_range(&items),
            _ => None,
        };
        let Some([worst, best]) = range else {
            return Ok(None);
        };
        [low, high] = [low.min(worst), high.max(best)];
    }
    // A sum of weights may be a last bit off.
    let slack = 1e-9 * (high - low);
    let keeps = least >= low - slack && most <= high + slack;
    Ok(keeps.then_some([low, high]))
}

/// Reads pilot runs.
pub(super) fn read_pilot(args: &PlanArgs) -> Result<Pilot, Failed> {
    let prices = args.prices.table()?;
    let runs = args.runs.iter().map(|dir| open_judged(dir, prices.clone()));
    let runs = runs.collect::<Result<Vec<OpenRun>, Failed>>()?;
    let outcomes = Outcomes::read(&runs, args.pair.as_deref())?;
    let unfit = |why: String| {
        let runs = name_files(&args.runs);
        Failed::Usage(match outcomes.rows.is_empty() {
            true => format!(
                "{runs}: no two systems have verdicts or scores on the same item, which a plan \
                 needs"
            ),
            false => format!("{runs}: where outcomes vary is not known: {why}"),
        })
    };
    let mut components =
        variance_components(&outcomes.of_questions()).map_err(|error| unfit(error.to_string()))?;
    if outcomes.unit() == DifferenceUnit::WinRate {
        let spread = lead_spread(|| outcomes.leads());
        components.spread = Some(spread.map_err(|error| unfit(error.to_string()))?);
    }
    let score_range = score_range_of(&runs, outcomes.scores)?;
    let usage = runs.iter().map(|run| usage_of_run(run, &prices));
    let usage = usage.collect::<Result<Vec<Usage>, Failed>>()?;
    let calls: u64 = usage.iter().map(|usage| usage.total.calls).sum();
    let cost: Option<f64> = usage.iter().map(|usage| usage.total.cost_usd).sum();
    // A difference of scores takes two of them.
    let each = match outcomes.unit() {
        DifferenceUnit::WinRate => 1.0,
        DifferenceUnit::Score => 2.0,
    };
    let judged = outcomes.judged.max(1) as f64 / each;
    Ok(Pilot {
        components,
        unit: outcomes.unit(),
        noise: noise_of(&outcomes, args.level),
        pairs: outcomes.count_pairs(),
        systems: outcomes.count_systems(),
        items: outcomes.count_items(),
        questions: outcomes.count_questions(),
        leads: Some(outcomes.lead_kind()),
        both_orders: outcomes.has_both_orders(),
        score_range,
        score_width: outcomes.scores.map(|[low, high]| high - low),
        calls: (calls as f64 / judged).max(f64::MIN_POSITIVE),
        cost: cost.map(|usd| usd / judged),
    })
}
