//! Limits of a session. A limit stops it in good order: what was asked is kept, and the
//! same command with a higher limit goes on.

use crate::{Price, PriceTable, approximate_request_tokens};
use evenhand_core::{Cause, FailureKind, Refusal, Request, Setting, Task, Usage};
use evenhand_models::served::is_served;
use evenhand_protocols::{Judges, SecondStage};
use evenhand_store::Totals;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most that a session may take.
///
/// Limits count what all processes took that worked on the run directory, without what was copied
/// from other runs. The default has none.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Calls; None: as many as the session needs.
    pub calls: Option<u64>,
    /// US dollars, by these prices; None: whatever it costs.
    pub cost: Option<(f64, PriceTable)>,
    /// Wall time, from `since` on; None: as long as it takes.
    pub time: Option<Duration>,
    /// When the time began. None: when the session begins, so that several sessions have as much
    /// time each.
    pub since: Option<Instant>,
    /// Whether the session goes on where the first 20 trials all fail in one way.
    pub keep_going: bool,
    /// Failures whose calls are asked again, once, where a stored reply came to one of them.
    pub retry: Vec<FailureKind>,
}

/// How near a session is to its limits.
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
    returned: u64,
    /// Their cost in US dollars.
    cost_of_returned: f64,
}

impl Limits {
    /// Checks that the limit on the cost can be kept by these judges: a served one needs a price.
    /// What runs on this machine costs nothing unless a price is given.
    ///
    /// # Errors
    /// A limit that is no amount of money, or a judge without a price.
    pub fn check(&self, judges: &Judges) -> Result<(), Refusal> {
        let Some((usd, prices)) = &self.cost else {
            return Ok(());
        };
        if !(*usd > 0.0 && usd.is_finite()) {
            let expected = "expected US dollars above 0, such as 2.50";
            return Err(Refusal::of_value(Setting::MaxCost, usd, expected));
        }
        for judge in all_asked(judges) {
            if is_served(judge) && prices.price(judge).is_none() {
                let nearest = prices.nearest_model(judge);
                let nearest = nearest.map(|model| format!("; did you mean `{model}`?"));
                let why = format!(
                    "no price of {judge} is known{}; give one in a file by {} FILE",
                    nearest.unwrap_or_default(),
                    Setting::Prices
                );
                return Err(Refusal::new(
                    Setting::MaxCost,
                    Cause::Needs(Setting::Prices),
                    why,
                ));
            }
        }
        Ok(())
    }
}

/// Everybody whom these judges name.
pub(crate) fn all_asked(judges: &Judges) -> impl Iterator<Item = &Arc<str>> {
    // Who reads what the strict reader cannot, where that is not the judge itself.
    let reader = match &judges.second_stage {
        Some(SecondStage::By(reader)) => Some(reader),
        _ => None,
    };
    judges.panel.iter().chain(reader).chain(&judges.embedder)
}

impl Budget {
    /// Makes a budget of which the calls in these totals are used up.
    pub(crate) fn new(limits: Limits, used: &[Totals]) -> Budget {
        let mut budget = Budget {
            started: limits.since.unwrap_or_else(Instant::now),
            limits,
            calls: 0,
            spent: 0.0,
            reserved: 0.0,
            returned: 0,
            cost_of_returned: 0.0,
        };
        for Totals {
            judge,
            calls,
            usage,
            by_batch,
        } in used
        {
            budget.calls += calls;
            budget.spent += budget
                .price_of(judge)
                .map_or(0.0, |price| price.cost_of_parts(usage, by_batch));
        }
        budget
    }

    /// Returns the limit that does not allow this call now, as the user named it. Calls that come
    /// back may leave room for it.
    pub(crate) fn limit_reached(&self, next: Option<&Request>) -> Option<String> {
        if let Some(most) = self.limits.calls
            && self.calls >= most
        {
            return Some(format!("{} {most}", Setting::MaxCalls));
        }
        if let Some((most, _)) = &self.limits.cost
            && let Some(next) = next
        {
            // What is under way counts at its most, so that no reply can break the limit.
            let spent_at_most = self.spent + self.reserved + self.cost_at_most(next);
            let is_within = spent_at_most <= *most;
            if !is_within {
                let (limit, spent) = (Setting::MaxCost, self.spent);
                return Some(format!("{limit} {most} ({spent:.4} USD spent)"));
            }
        }
        let time = self.limits.time.filter(|_| self.is_out_of_time())?;
        Some(format!("{} {}", Setting::Deadline, time.as_secs_f64()))
    }

    /// Whether even what is under way is not to be waited for.
    pub(crate) fn is_out_of_time(&self) -> bool {
        let most = self.limits.time;
        most.is_some_and(|most| self.started.elapsed() >= most)
    }

    /// Whether the session goes on where the first trials all fail in one way.
    pub(crate) fn keeps_going(&self) -> bool {
        self.limits.keep_going
    }

    /// Whether any call is asked again.
    pub(crate) fn retries_any(&self) -> bool {
        !self.limits.retry.is_empty()
    }

    /// Whether a call is asked again whose stored reply came to a failure of this kind.
    pub(crate) fn retries_kind(&self, kind: FailureKind) -> bool {
        self.limits.retry.contains(&kind)
    }

    /// Counts a call that is handed out; returns the US dollars that are put by for it.
    pub(crate) fn hand_out(&mut self, request: &Request) -> f64 {
        let reserved = match self.limits.cost {
            Some(_) => self.cost_at_most(request),
            None => 0.0,
        };
        self.calls += 1;
        self.reserved += reserved;
        reserved
    }

    /// Counts a call that came back with these tokens.
    pub(crate) fn take_back(&mut self, reserved: f64, judge: &str, usage: &Usage) {
        let cost = self.cost_of_usage(judge, usage);
        self.reserved = (self.reserved - reserved).max(0.0);
        self.returned += 1;
        self.spent += cost;
        self.cost_of_returned += cost;
    }

    /// The most that a call may cost: its prompt by the approximation, and a reply of the greatest
    /// length; not less than the others did, since a judge may think in secret.
    fn cost_at_most(&self, request: &Request) -> f64 {
        let usage = Usage {
            prompt_tokens: approximate_request_tokens(request),
            completion_tokens: match &request.task {
                Task::Generate { decoding, .. } => decoding.max_tokens.into(),
                // What is scored or embedded is read alone.
                _ => 0,
            },
            ..Usage::default()
        };
        let cost = self.cost_of_usage(&request.judge, &usage);
        let mean = match self.returned {
            0 => 0.0,
            returned => self.cost_of_returned / returned as f64,
        };
        cost.max(mean)
    }

    fn cost_of_usage(&self, judge: &str, usage: &Usage) -> f64 {
        let price = self.price_of(judge);
        price.map_or(0.0, |price| price.cost(usage, false))
    }

    fn price_of(&self, judge: &str) -> Option<&Price> {
        let (_, prices) = self.limits.cost.as_ref()?;
        prices.price(judge)
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
        let task = Task::write(max_tokens);
        Request::new("openai:m".into(), Vec::new(), task)
    }

    #[test]
    fn calls_of_earlier_processes_count() {
        let totals = [Totals {
            judge: "openai:m".into(),
            calls: 2,
            ..Totals::default()
        }];
        let mut budget = Budget::new(limits(Some(3), None), &totals);
        assert_eq!(budget.limit_reached(Some(&request(1))), None);
        budget.hand_out(&request(1));
        assert_eq!(
            budget.limit_reached(Some(&request(1))).as_deref(),
            Some("`max-calls` 3")
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
            budget.limit_reached(Some(&call)).as_deref(),
            Some("`max-cost` 0.05 (0.0000 USD spent)")
        );
        // Both come back cheaper, and there is room again.
        budget.take_back(reserved[0], "openai:m", &usage(0, 100));
        budget.take_back(reserved[1], "openai:m", &usage(0, 100));
        assert_eq!(
            budget.limit_reached(Some(&call)),
            None,
            "0.02 spent, 0.02 for one more"
        );
        let reserved = budget.hand_out(&call);
        budget.take_back(reserved, "openai:m", &usage(0, 200));
        assert_eq!(
            budget.limit_reached(Some(&call)).as_deref(),
            Some("`max-cost` 0.05 (0.0400 USD spent)")
        );
    }

    #[test]
    fn what_thinks_in_secret_is_expected_to_go_on_so() {
        let mut budget = Budget::new(limits(None, Some(0.5)), &[]);
        let reserved = budget.hand_out(&request(1));
        budget.take_back(reserved, "openai:m", &usage(0, 3000));
        assert_eq!(
            budget.limit_reached(Some(&request(1))).as_deref(),
            Some("`max-cost` 0.5 (0.3000 USD spent)")
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
        // The table of this test has a model `m` alone.
        assert!(
            check("openai:M", 1.0)
                .unwrap_err()
                .contains("no price of openai:M is known; did you mean `m`?")
        );
        for usd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                check("openai:m", usd)
                    .unwrap_err()
                    .starts_with("`max-cost`"),
                "{usd}"
            );
        }
    }
}
