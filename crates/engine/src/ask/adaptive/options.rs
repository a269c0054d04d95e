//! Options of an adaptive run.

use crate::{EngineError, Job};
use evenhand_core::{Cause, Refusal, Setting, items_in_words};
use evenhand_stats::adaptive::{Population, StopRule};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use strum::{EnumString, IntoStaticStr};

/// The goal of an adaptive run, and how much it may take.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveOptions {
    /// The orders that must be certain.
    pub until: Until,
    /// The items that the certain orders hold of.
    pub certain_for: CertainFor,
    /// The chance, strictly between 0 and 1, with which no certified order may be false.
    pub certainty: f64,
    /// The most comparisons of two responses (whatever their orders), or scores of one, that are
    /// made.
    pub budget: Option<u64>,
    /// For each item of the dataset how much it is expected to tell, from 0: those with large
    /// weights come early. Not from judgments that this run makes. `None`: all alike.
    pub weights: Option<Vec<f64>>,
}

impl AdaptiveOptions {
    /// Refuses a claim about a population where items share a question: they end alike, and the
    /// tests would take one for many.
    ///
    /// # Errors
    /// Such items.
    pub fn check_population(&self, job: &Job) -> Result<(), EngineError> {
        let questions = job.dataset.clusters();
        if self.certain_for == CertainFor::Items || !questions.are_shared() {
            return Ok(());
        }
        let items = job.dataset.items.len() as u64;
        let why = format!(
            "a claim about a population needs items that are drawn independently, and these are {}; \
             keep one item of each question, or use {} items",
            items_in_words(items, questions.count().into()),
            Setting::CertainFor
        );
        let refusal = Refusal::new(Setting::CertainFor, Cause::Data, why);
        Err(refusal.with_value("population").into())
    }
}

/// The items that a certain order holds of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, EnumString, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum CertainFor {
    /// Of the items at hand: what judging every one of them would give.
    Items,
    /// Of all items of their kind, from which those at hand are an independent sample.
    Population,
}

impl CertainFor {
    /// Returns its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn population(self) -> Population {
        match self {
            CertainFor::Items => Population::Finite,
            CertainFor::Population => Population::Superpopulation,
        }
    }
}

/// The orders that must be certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The order of all pairs.
    All,
    /// Which k systems are the best.
    Top(usize),
    /// The order of this share of all pairs.
    Share(f64),
}

impl Until {
    /// Reads `order`, `top:K` with K from 1, or `share:S` with S above 0 and at most 1.
    pub fn parse(text: &str) -> Option<Until> {
        match text.split_once(':') {
            None if text == "order" => Some(Until::All),
            Some(("top", number)) => {
                let count = number.parse().ok();
                count.filter(|count| *count > 0).map(Until::Top)
            }
            Some(("share", number)) => {
                let share = number.parse().ok();
                share
                    .filter(|share| *share > 0.0 && *share <= 1.0)
                    .map(Until::Share)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Until::All => f.write_str("order"),
            Until::Top(k) => write!(f, "top:{k}"),
            Until::Share(share) => write!(f, "share:{share}"),
        }
    }
}

impl From<Until> for StopRule {
    fn from(until: Until) -> StopRule {
        match until {
            Until::All => StopRule::AllPairs,
            Until::Top(k) => StopRule::Top(k),
            Until::Share(share) => StopRule::Share(share),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_awaited_is_read_and_written() {
        for text in ["order", "top:3", "share:0.9"] {
            assert_eq!(Until::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "top", "top:0", "top:x", "share:0", "share:1.1", "all"] {
            assert_eq!(Until::parse(text), None, "{text}");
        }
    }
}
