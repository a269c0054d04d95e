//! How scores are made of evidence: the choices, and which of them go together.

use crate::{Aggregation, Intervals, RankOptions};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::{Bootstrap, PairMethod, Ridge};
use schemars::JsonSchema;
use serde::Serialize;
use strum::IntoStaticStr;

/// How intervals are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Ci {
    /// Percentile bootstrap.
    Bootstrap,
    /// Bias-corrected and accelerated bootstrap.
    Bca,
    /// Robust covariance and the normal distribution.
    Sandwich,
    /// No intervals.
    None,
}

/// How p-values of many differences are adjusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Adjust {
    /// All together, as the rank intervals: bounds the chance of any false difference.
    Joint,
    /// Holm (1979): bounds the chance of any false difference.
    Holm,
    /// Benjamini and Hochberg (1995): bounds the share of false ones among those found.
    #[serde(rename = "bh")]
    BenjaminiHochberg,
    /// Not adjusted.
    None,
}

/// How scores are made of evidence: options that go together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Method {
    /// That of the options, or the usual one of the evidence.
    pub(crate) aggregation: Aggregation,
    pub(crate) prior: Option<Ridge>,
    pub(crate) rank: RankOptions,
}

/// Resamples of a resampling whose rounds are never looked at: the fewest that `stats` takes.
const IDLE_ROUNDS: usize = 2;

impl Ci {
    /// Returns the name that users give.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns what a report says of them.
    pub fn intervals(self) -> Intervals {
        match self {
            Ci::Bootstrap => Intervals::Bootstrap,
            Ci::Bca => Intervals::Bca,
            Ci::Sandwich => Intervals::Sandwich,
            Ci::None => Intervals::None,
        }
    }

    /// Whether intervals of scores come from resamples.
    pub(crate) fn resamples_scores(self) -> bool {
        matches!(self, Ci::Bootstrap | Ci::Bca)
    }
}

/// Returns the plan, or, where nobody looks at its rounds, one with as few as possible.
pub(crate) fn plan_if_used(used: bool, plan: &Bootstrap) -> Bootstrap {
    let rounds = if used { plan.rounds } else { IDLE_ROUNDS };
    Bootstrap { rounds, ..*plan }
}

impl Method {
    /// Returns the estimator of comparisons.
    ///
    /// # Errors
    /// An aggregation that needs something other than comparisons.
    pub(crate) fn pair_method(&self) -> Result<PairMethod, EngineError> {
        let found = self.aggregation.pair_method(self.prior);
        let found = found.ok_or_else(|| {
            let needs = if self.aggregation.needs_scores() {
                "it needs scores of single responses, and these are comparisons"
            } else {
                "it needs comparisons in their order"
            };
            refuse_aggregation(self.aggregation, Cause::Data, needs)
        });
        Ok(found?)
    }
}

/// A refusal of an aggregation, by its name.
pub(crate) fn refuse_aggregation(
    aggregation: Aggregation,
    cause: Cause,
    why: impl Into<String>,
) -> Refusal {
    Refusal::new(Setting::Aggregate, cause, why).with_value(aggregation.name())
}

impl RankOptions {
    /// Returns the options with other intervals.
    pub(crate) fn with_ci(&self, ci: Ci) -> RankOptions {
        RankOptions { ci, ..self.clone() }
    }

    /// Returns how scores are made by this aggregation.
    ///
    /// # Errors
    /// Settings that do not go together.
    pub(crate) fn method(&self, aggregation: Aggregation) -> Result<Method, EngineError> {
        let prior = self.prior.map(Ridge::new).transpose()?;
        let is_bradley_terry = aggregation == Aggregation::BradleyTerry;
        let aggregate = Setting::Aggregate;
        if self.prior.is_some() && !is_bradley_terry {
            let reason = format!(
                "it is for bradley-terry; {aggregate} {} takes none",
                aggregation.name()
            );
            return Err(Refusal::new(Setting::Prior, Cause::Conflict(aggregate), reason).into());
        }
        if self.ci == Ci::Sandwich && !is_bradley_terry {
            return Err(refuse_with_aggregation(self.ci, "", aggregation).into());
        }
        let is_elo_alone = aggregation == Aggregation::Elo && self.ci == Ci::None;
        if self.permutations.is_some() && !is_elo_alone {
            let reason = format!(
                "it is for {aggregate} elo with {} none, whose ratings it averages over orders",
                Setting::Ci
            );
            let cause = Cause::Needs(aggregate);
            return Err(Refusal::new(Setting::Permutations, cause, reason).into());
        }
        Ok(Method {
            aggregation,
            prior,
            rank: self.clone(),
        })
    }

    /// Returns how scores are made by this aggregation, with covariates where these are controlled
    /// for: their intervals are then a sandwich in every model of strengths.
    pub(crate) fn method_for(
        &self,
        aggregation: Aggregation,
        has_covariates: bool,
    ) -> Result<Method, EngineError> {
        match has_covariates {
            true => self.method_with_own_intervals(aggregation),
            false => self.method(aggregation),
        }
    }

    /// Returns a method whose intervals the caller makes itself, so that no check of them applies.
    pub(crate) fn method_with_own_intervals(
        &self,
        aggregation: Aggregation,
    ) -> Result<Method, EngineError> {
        let mut method = self.with_ci(Ci::None).method(aggregation)?;
        method.rank.ci = self.ci;
        Ok(method)
    }
}

/// A refusal of intervals that Bradley-Terry alone has; `evidence` says of what, or is empty.
pub(crate) fn refuse_with_aggregation(ci: Ci, evidence: &str, other: Aggregation) -> Refusal {
    let (aggregate, name, setting) = (Setting::Aggregate, other.name(), Setting::Ci);
    let reason = format!(
        "{evidence}it is for bradley-terry; with {aggregate} {name} use {setting} bootstrap"
    );
    refuse_ci(ci, Cause::Conflict(aggregate), reason)
}

/// A refusal of a way to make intervals, by its name.
pub(crate) fn refuse_ci(ci: Ci, cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Ci, cause, why).with_value(ci.name())
}
