//! What a run may take at most. A limit stops it in good order: what was asked is kept, and the same command with a higher limit
//! goes on.

use crate::{EngineError, PriceTable};
use evenhand_core::{Request, Usage};
use evenhand_store::Totals;
use std::time::{Duration, Instant};

/// What a run may take at most, over all processes that worked on its directory; None: as much as it needs.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Calls.
    pub calls: Option<u64>,
    /// US dollars, by these prices.
    pub cost: Option<(f64, PriceTable)>,
    /// Wall time of this process.
    pub time: Option<Duration>,
}

/// How near a run is to its limits.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    started: Instant,
    /// Calls in the run directory, and those handed out.
    calls: u64,
    /// Of these, calls that are under way.
    under_way: u64,
    /// US dollars for what came back.
    spent: f64,
    /// Calls that came back in this process.
    back: u64,
    /// What they cost.
    cost_of_back: f64,
}

impl Limits {
    /// Refuses a limit on the cost where a judge has no price.
    pub fn check(&self, judges: &[&str]) -> Result<(), EngineError> {
        let Some((usd, prices)) = &self.cost else { return Ok(()) };
        if !(*usd > 0.0 && usd.is_finite()) {
            return Err(EngineError::Setting(format!("--max-cost {usd}: expected US dollars above 0, such as 2.50")));
        }
        match judges.iter().find(|judge| prices.price(judge).is_none()) {
            Some(judge) => Err(EngineError::Setting(format!(
                "--max-cost: no price of {judge} is known; give one in a file by --prices FILE"
            ))),
            None => Ok(()),
        }
    }
}

impl Budget {
    /// A budget of which the calls in these totals are used up.
    pub(crate) fn new(limits: Limits, totals: &[Totals]) -> Budget {
        let calls = totals.iter().map(|judge| judge.calls).sum();
        let mut budget = Budget { limits, started: Instant::now(), calls, under_way: 0, spent: 0.0, back: 0, cost_of_back: 0.0 };
        budget.spent = totals.iter().map(|judge| budget.cost(&judge.judge, &judge.usage)).sum();
        budget
    }

    /// The limit that allows no further call, as the user named it.
    pub(crate) fn reached(&self) -> Option<String> {
        if let Some(most) = self.limits.calls.filter(|most| self.calls >= *most) {
            return Some(format!("--max-calls {most}"));
        }
        if let Some((most, _)) = self.limits.cost.as_ref().filter(|(most, _)| self.spent + self.expected() >= *most) {
            return Some(format!("--max-cost {most} ({:.4} USD spent)", self.spent));
        }
        self.out_of_time().then(|| format!("--deadline {}", self.limits.time.unwrap_or_default().as_secs_f64()))
    }

    /// True when even what is under way is not to be waited for.
    pub(crate) fn out_of_time(&self) -> bool {
        self.limits.time.is_some_and(|most| self.started.elapsed() >= most)
    }

    /// A call is handed out.
    pub(crate) fn hand_out(&mut self, _: &Request) {
        self.calls += 1;
        self.under_way += 1;
    }

    /// A call came back, with these tokens.
    pub(crate) fn take_back(&mut self, judge: &str, usage: &Usage) {
        let cost = self.cost(judge, usage);
        self.under_way = self.under_way.saturating_sub(1);
        self.back += 1;
        self.spent += cost;
        self.cost_of_back += cost;
    }

    /// What the calls under way and one more will cost, if they cost what the others did.
    fn expected(&self) -> f64 {
        if self.back == 0 { 0.0 } else { self.cost_of_back / self.back as f64 * (self.under_way + 1) as f64 }
    }

    fn cost(&self, judge: &str, usage: &Usage) -> f64 {
        let price = self.limits.cost.as_ref().and_then(|(_, prices)| prices.price(judge));
        price.map_or(0.0, |price| price.cost(usage, false))
    }
}
