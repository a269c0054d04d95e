//! What a run took: calls, tokens, money and time.

use crate::numbers::{format_usd, group_digits};
use evenhand_engine::{JudgeCost, Spent};
use serde::Serialize;

/// Calls with their tokens and their price.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// US dollars of all calls; None where any judge that was asked has no known price, as local and
    /// simulated ones without a row.
    pub cost_usd: Option<f64>,
}

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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

/// What one judge of a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
                prompt_tokens: judge.usage.prompt_tokens,
                completion_tokens: judge.usage.completion_tokens,
                cached_tokens: judge.usage.cached_tokens,
                reasoning_tokens: judge.usage.reasoning_tokens,
                cost_usd: judge.usd,
            },
        }
    }
}

impl CallTotals {
    /// Adds the counts of one judge; the cost of all is known only where that of each is.
    fn add_counts(&mut self, judge: &CallTotals) {
        self.calls += judge.calls;
        self.prompt_tokens += judge.prompt_tokens;
        self.completion_tokens += judge.completion_tokens;
        self.cached_tokens += judge.cached_tokens;
        self.reasoning_tokens += judge.reasoning_tokens;
    }

    /// Returns calls, tokens and cost in a line for people.
    fn sentence(&self) -> String {
        let Self {
            calls,
            prompt_tokens,
            completion_tokens,
            ..
        } = self;
        let [calls, prompts, written] =
            [calls, prompt_tokens, completion_tokens].map(|count| group_digits(*count));
        let cached = part_of_tokens(self.cached_tokens, "from a cache");
        let reasoning = part_of_tokens(self.reasoning_tokens, "of reasoning");
        let cost = self
            .cost_usd
            .map_or_else(String::new, |usd| format!("; {}", format_usd(usd)));
        format!(
            "{calls} calls, {prompts} prompt tokens{cached}, {written} written{reasoning}{cost}"
        )
    }
}

fn part_of_tokens(count: u64, what: &str) -> String {
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
        let mut total = CallTotals {
            cost_usd: spent.usd,
            ..CallTotals::default()
        };
        for judge in &judges {
            total.add_counts(&judge.total);
        }
        Usage {
            total,
            judges,
            seconds,
        }
    }

    /// Returns the line of a summary that says what the run took.
    pub(crate) fn total_line(&self) -> String {
        format!("{}; {:.1} s", self.total.sentence(), self.seconds)
    }

    /// Returns a line for each judge, where there are several.
    pub(crate) fn judge_lines(&self) -> Vec<String> {
        if self.judges.len() < 2 {
            return Vec::new();
        }
        self.judges
            .iter()
            .map(|judge| format!("{}: {}", judge.judge, judge.total.sentence()))
            .collect()
    }
}
