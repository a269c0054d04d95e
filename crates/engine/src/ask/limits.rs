//! What a run may take at most. A limit stops it in good order: what was asked is kept, and the
//! same command with a higher limit goes on.

use crate::{EngineError, Price, PriceTable, approximate_request_tokens};
use evenhand_core::{FailureKind, Request, Task, Usage};
use evenhand_protocols::{Judges, SecondStage};
use evenhand_store::Totals;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a run may take at most, over all processes that worked on its directory, without what it
/// took over from other runs; None: as much as it needs.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Calls.
    pub calls: Option<u64>,
    /// US dollars, by these prices.
    pub cost: Option<(f64, PriceTable)>,
    /// Wall time of this process.
    pub time: Option<Duration>,
    /// Whether it goes on where the first trials all fail in one way.
    pub keep_going: bool,
    /// Calls are asked again, once, whose stored replies came to a failure of one of these kinds.
    pub retry: Vec<FailureKind>,
}

/// How near a run is to its limits.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    started: Instant,
    /// Calls that were made for this run, and those handed out.
    calls: u64,
    /// US dollars for what came back.
    spent: f64,
    /// US dollars put by for the calls that are under way.
    reserved: f64,
    /// Calls that came back in this process.
    back: u64,
    /// What they cost.
    cost_of_back: f64,
}

impl Limits {
    /// Refuses a limit on the cost where a served judge has no price; what runs here costs nothing
    /// but where a price is given.
    pub fn check(&self, judges: &Judges) -> Result<(), EngineError> {
        let Some((usd, prices)) = &self.cost else {
            return Ok(());
        };
        if !(*usd > 0.0 && usd.is_finite()) {
            return Err(EngineError::Setting(format!(
                "--max-cost {usd}: expected US dollars above 0, such as 2.50"
            )));
        }
        let reader = match &judges.second_stage {
            Some(SecondStage::By(reader)) => Some(reader),
            _ => None,
        };
        let unknown = |judge: &&Arc<str>| {
            evenhand_models::served::is_served(judge) && prices.price(judge).is_none()
        };
        match judges
            .panel
            .iter()
            .chain(reader)
            .chain(&judges.embedder)
            .find(unknown)
        {
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
        let mut budget = Budget {
            limits,
            started: Instant::now(),
            calls,
            spent: 0.0,
            reserved: 0.0,
            back: 0,
            cost_of_back: 0.0,
        };
        budget.spent = totals
            .iter()
            .map(|judge| budget.cost_so_far(judge))
            .fold(0.0, |sum, cost| sum + cost);
        budget
    }

    /// The limit that does not allow this call now, as the user named it. Calls that come back may
    /// leave room for it.
    pub(crate) fn reached(&self, next: Option<&Request>) -> Option<String> {
        if let Some(most) = self.limits.calls.filter(|most| self.calls >= *most) {
            return Some(format!("--max-calls {most}"));
        }
        if let (Some((most, _)), Some(next)) = (&self.limits.cost, next)
            && self.spent + self.reserved + self.at_most(next) > *most
        {
            return Some(format!("--max-cost {most} ({:.4} USD spent)", self.spent));
        }
        self.out_of_time().then(|| {
            format!(
                "--deadline {}",
                self.limits.time.unwrap_or_default().as_secs_f64()
            )
        })
    }

    /// True when even what is under way is not to be waited for.
    pub(crate) fn out_of_time(&self) -> bool {
        self.limits
            .time
            .is_some_and(|most| self.started.elapsed() >= most)
    }

    /// Whether the run goes on where the first trials all fail in one way.
    pub(crate) fn keeps_going(&self) -> bool {
        self.limits.keep_going
    }

    /// Whether any call is asked again.
    pub(crate) fn retries_any(&self) -> bool {
        !self.limits.retry.is_empty()
    }

    /// Whether a call is asked again whose stored reply came to a failure of this kind.
    pub(crate) fn retries(&self, kind: FailureKind) -> bool {
        self.limits.retry.contains(&kind)
    }

    /// A call is handed out; gives the US dollars that are put by for it.
    pub(crate) fn hand_out(&mut self, request: &Request) -> f64 {
        let reserved = if self.limits.cost.is_some() {
            self.at_most(request)
        } else {
            0.0
        };
        self.calls += 1;
        self.reserved += reserved;
        reserved
    }

    /// A call came back, with these tokens.
    pub(crate) fn take_back(&mut self, reserved: f64, judge: &str, usage: &Usage) {
        let cost = self.cost(judge, usage);
        self.reserved = (self.reserved - reserved).max(0.0);
        self.back += 1;
        self.spent += cost;
        self.cost_of_back += cost;
    }

    /// What a call may cost: its prompt by the approximation, and a reply of the greatest length;
    /// not less than the others did.
    fn at_most(&self, request: &Request) -> f64 {
        let completion_tokens = match &request.task {
            Task::Generate { decoding, .. } => u64::from(decoding.max_tokens),
            Task::Score { .. } | Task::Embed { .. } => 0,
        };
        let usage = Usage {
            prompt_tokens: approximate_request_tokens(request),
            completion_tokens,
            ..Usage::default()
        };
        let mean = if self.back == 0 {
            0.0
        } else {
            self.cost_of_back / self.back as f64
        };
        self.cost(&request.judge, &usage).max(mean)
    }

    fn cost(&self, judge: &str, usage: &Usage) -> f64 {
        self.price(judge)
            .map_or(0.0, |price| price.cost(usage, false))
    }

    fn cost_so_far(&self, totals: &Totals) -> f64 {
        self.price(&totals.judge).map_or(0.0, |price| {
            price.cost_of_parts(&totals.usage, &totals.by_batch)
        })
    }

    fn price(&self, judge: &str) -> Option<&Price> {
        self.limits
            .cost
            .as_ref()
            .and_then(|(_, prices)| prices.price(judge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: &str = "date = \"2026-01-01\"\n[[price]]\nprovider = \"openai\"\nmodel \
                          = \"m\"\ninput = 10.0\ncached_input = 1.0\noutput = \
                          100.0\nbatch_discount = 0.5\nsource = \"here\"\n";

    fn usage(prompt_tokens: u64, completion_tokens: u64) -> Usage {
        Usage {
            prompt_tokens,
            completion_tokens,
            ..Usage::default()
        }
    }

    fn limits(calls: Option<u64>, usd: Option<f64>) -> Limits {
        let prices = PriceTable::built_in().with(PRICES, "prices.toml").unwrap();
        Limits {
            calls,
            cost: usd.map(|usd| (usd, prices)),
            ..Limits::default()
        }
    }

    /// A request of no words and at most this many in reply.
    fn request(max_tokens: u32) -> Request {
        use evenhand_core::{About, Decoding};
        let task = Task::Generate {
            decoding: Decoding {
                max_tokens,
                temperature: 0.0,
                seed: 0,
            },
            answers: None,
        };
        Request {
            judge: "openai:m".into(),
            messages: Vec::new(),
            task,
            sample: 0,
            about: About::default(),
        }
    }

    #[test]
    fn calls_of_earlier_processes_count() {
        let totals = [Totals {
            judge: "openai:m".into(),
            calls: 2,
            ..Totals::default()
        }];
        let mut budget = Budget::new(limits(Some(3), None), &totals);
        assert_eq!(budget.reached(Some(&request(1))), None);
        budget.hand_out(&request(1));
        assert_eq!(
            budget.reached(Some(&request(1))).as_deref(),
            Some("--max-calls 3")
        );
    }

    #[test]
    fn money_is_put_by_for_what_is_under_way() {
        let mut budget = Budget::new(limits(None, Some(0.05)), &[]);
        // 200 tokens of a reply are 0.02 USD; the empty prompt is next to nothing.
        let call = request(200);
        let reserved = [budget.hand_out(&call), budget.hand_out(&call)];
        assert!((reserved[0] - 0.02).abs() < 1e-3, "{reserved:?}");
        assert_eq!(
            budget.reached(Some(&call)).as_deref(),
            Some("--max-cost 0.05 (0.0000 USD spent)")
        );
        // Both come back cheaper, and there is room again.
        budget.take_back(reserved[0], "openai:m", &usage(0, 100));
        budget.take_back(reserved[1], "openai:m", &usage(0, 100));
        assert_eq!(
            budget.reached(Some(&call)),
            None,
            "0.02 spent, 0.02 for one more"
        );
        let reserved = budget.hand_out(&call);
        budget.take_back(reserved, "openai:m", &usage(0, 200));
        assert_eq!(
            budget.reached(Some(&call)).as_deref(),
            Some("--max-cost 0.05 (0.0400 USD spent)")
        );
    }

    #[test]
    fn what_thinks_in_secret_is_expected_to_go_on_so() {
        let mut budget = Budget::new(limits(None, Some(0.5)), &[]);
        let reserved = budget.hand_out(&request(1));
        budget.take_back(reserved, "openai:m", &usage(0, 3000));
        assert_eq!(
            budget.reached(Some(&request(1))).as_deref(),
            Some("--max-cost 0.5 (0.3000 USD spent)")
        );
    }

    #[test]
    fn calls_by_batch_files_count_at_their_price() {
        let totals = Totals {
            judge: "openai:m".into(),
            calls: 2,
            usage: usage(2000, 200),
            by_batch: usage(1000, 100),
        };
        let budget = Budget::new(limits(None, Some(1.0)), &[totals]);
        assert!((budget.spent - 0.03).abs() < 1e-12, "{}", budget.spent);
    }

    #[test]
    fn a_limit_on_the_cost_needs_a_price() {
        let check = |judge: &str, usd| {
            limits(None, Some(usd))
                .check(&Judges::one(judge))
                .map_err(|e| e.to_string())
        };
        assert_eq!(check("openai:m", 1.0), Ok(()));
        assert_eq!(check("simulated:x", 1.0), Ok(()));
        assert!(
            check("openai:unheard-of", 1.0)
                .unwrap_err()
                .contains("no price of openai:unheard-of is known")
        );
        for usd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                check("openai:m", usd)
                    .unwrap_err()
                    .starts_with("--max-cost"),
                "{usd}"
            );
        }
    }
}
