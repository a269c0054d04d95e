//! The cost of a run: calls, tokens, money and time.

use crate::numbers::{format_usd, group_digits, or_blank};
use evenhand_engine::{JudgeCost, Spent};
use schemars::JsonSchema;
use serde::Serialize;

/// Calls with their tokens and their price.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CallTotals {
    /// Calls in the run directory, whichever process made them.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens they wrote.
    pub completion_tokens: u64,
    /// Of the tokens of the prompts, those that a server found in its cache.
    pub cached_tokens: u64,
    /// Of the tokens written, those of a reasoning before the reply.
    pub reasoning_tokens: u64,
    /// US dollars of all calls; None where any judge that was asked has no known price, as local
    /// and simulated ones without a row.
    pub cost_usd: Option<f64>,
}

/// The calls, tokens, money and time of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Usage {
    /// All judges together.
    #[serde(flatten)]
    pub total: CallTotals,
    /// Judge by judge, in the order of their first calls.
    pub judges: Vec<JudgeUsage>,
    /// Wall time of this process: the only part that differs between two runs with the same inputs
    /// and seed.
    pub seconds: f64,
}

/// The calls of one judge of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct JudgeUsage {
    /// Its identity.
    pub judge: String,
    /// Its calls.
    #[serde(flatten)]
    pub total: CallTotals,
}

impl From<&JudgeCost> for JudgeUsage {
    fn from(judge: &JudgeCost) -> Self {
        JudgeUsage {
            judge: judge.judge.clone(),
            total: CallTotals {
                calls: judge.calls,
                cost_usd: judge.usd,
                ..CallTotals::from(&judge.usage)
            },
        }
    }
}

impl From<&evenhand_core::Usage> for CallTotals {
    fn from(usage: &evenhand_core::Usage) -> Self {
        CallTotals {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            cached_tokens: usage.cached_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            ..CallTotals::default()
        }
    }
}

impl Usage {
    /// Returns what several runs took together, one after the other.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Usage>) -> Usage {
        let mut all = all.into_iter();
        let Some(first) = all.next() else {
            return Usage::default();
        };
        all.fold(first.clone(), |mut sum, one| {
            let (total, other) = (&mut sum.total, &one.total);
            total.calls += other.calls;
            total.prompt_tokens += other.prompt_tokens;
            total.completion_tokens += other.completion_tokens;
            total.cached_tokens += other.cached_tokens;
            total.reasoning_tokens += other.reasoning_tokens;
            // Of unknown prices the sum is not known.
            total.cost_usd = total.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b);
            sum.judges.extend(one.judges.iter().cloned());
            sum.seconds += one.seconds;
            sum
        })
    }
}

impl CallTotals {
    /// Returns calls, tokens and cost in a line for people.
    pub(crate) fn sentence(&self) -> String {
        let counts = [self.calls, self.prompt_tokens, self.completion_tokens];
        let [calls, prompts, written] = counts.map(group_digits);
        let cached = part_of_tokens(self.cached_tokens, "from a cache");
        let reasoning = part_of_tokens(self.reasoning_tokens, "of reasoning");
        let cost = or_blank(self.cost_usd, |usd| format!("; {}", format_usd(usd)));
        format!(
            "{calls} calls, {prompts} prompt tokens{cached}, {written} written{reasoning}{cost}"
        )
    }
}

/// Returns ` (12 of what)`, or nothing for none.
pub(crate) fn part_of_tokens(count: u64, what: &str) -> String {
    if count > 0 {
        format!(" ({} {what})", group_digits(count))
    } else {
        String::new()
    }
}

impl Usage {
    /// Returns what was spent, in so many seconds.
    pub fn new(spent: &Spent, seconds: f64) -> Self {
        let judges: Vec<JudgeUsage> = spent.judges.iter().map(JudgeUsage::from).collect();
        // The cost of all is known only where that of each is.
        let mut total = CallTotals {
            cost_usd: spent.usd,
            ..CallTotals::default()
        };
        for JudgeUsage { total: judge, .. } in &judges {
            total.calls += judge.calls;
            total.prompt_tokens += judge.prompt_tokens;
            total.completion_tokens += judge.completion_tokens;
            total.cached_tokens += judge.cached_tokens;
            total.reasoning_tokens += judge.reasoning_tokens;
        }
        Usage {
            total,
            judges,
            seconds,
        }
    }

    /// Returns the line of a summary that says what the run took.
    pub fn total_line(&self) -> String {
        format!(
            "{} in all; {:.1} s now",
            self.total.sentence(),
            self.seconds
        )
    }

    /// Returns a line for each judge, where there are several.
    pub(crate) fn judge_lines(&self) -> Vec<String> {
        if self.judges.len() < 2 {
            return Vec::new();
        }
        let judges = self.judges.iter();
        judges
            .map(|one| format!("{}: {}", one.judge, one.total.sentence()))
            .collect()
    }
}
