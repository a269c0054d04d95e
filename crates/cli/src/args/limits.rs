//! The command line of limits.

use super::choices::names;
use super::help::{LIMITS, RUN};
use crate::Failed;
use clap::Args;
use evenhand_core::FailureKind;
use evenhand_engine::{Limits, PriceTable};
use std::time::Duration;

/// The most that a run may take.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Stop, to go on later, when N calls were made for this run
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub(crate) max_calls: Option<u64>,
    /// Stop, to go on later, when the calls for this run have cost this much
    #[arg(long, value_name = "USD", help_heading = LIMITS)]
    pub(crate) max_cost: Option<f64>,
    /// Stop, to go on later, after so many seconds
    #[arg(long, value_name = "SECONDS", help_heading = LIMITS)]
    pub(crate) deadline: Option<f64>,
    /// Ask on where the first 20 trials all fail in one way
    #[arg(long, help_heading = LIMITS)]
    pub(crate) keep_going: bool,
    /// Ask once more what failed in these ways, such as unparsed
    ///
    /// Some of unparsed, refused, truncated, too-long; or all. For a judge or a set-up that was
    /// repaired. Calls whose replies came to such a failure are asked again; the replies that were
    /// there are kept in the run's database and count as paid for. A run that was stopped goes on
    /// where it was.
    #[arg(
        long, value_name = "KIND,...", value_delimiter = ',', hide_possible_values = true,
        value_parser = names(
            MENDABLE.map(FailureKind::name).into_iter().chain(["all"]), parse_failures
        ),
        help_heading = RUN
    )]
    pub(crate) retry: Vec<Failures>,
}

impl LimitArgs {
    /// Returns the limits of a run whose calls cost what the table says.
    ///
    /// # Errors
    /// A limit of no call, or of no time.
    pub(crate) fn checked(&self, prices: &PriceTable) -> Result<Limits, Failed> {
        if self.max_calls == Some(0) {
            return Err(Failed::usage("--max-calls 0: expected at least one call"));
        }
        let time = match self.deadline {
            None => None,
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(time) if !time.is_zero() => Some(time),
                _ => {
                    return Err(Failed::usage(format!(
                        "--deadline {seconds}: expected seconds above 0"
                    )));
                }
            },
        };
        Ok(Limits {
            calls: self.max_calls,
            cost: self.max_cost.map(|usd| (usd, prices.clone())),
            time,
            keep_going: self.keep_going,
            retry: self
                .retry
                .iter()
                .flat_map(|kinds| kinds.iter().copied())
                .collect(),
        })
    }
}

/// One kind of failure, or all that a repaired judge may mend.
pub(crate) type Failures = std::sync::Arc<[FailureKind]>;

/// Kinds that another reply may mend, and that are not asked again without being told.
const MENDABLE: [FailureKind; 4] = [
    FailureKind::Unparsed,
    FailureKind::Refused,
    FailureKind::Truncated,
    FailureKind::TooLong,
];

fn parse_failures(name: &str) -> Result<Failures, String> {
    if name == "all" {
        return Ok(MENDABLE.into());
    }
    match MENDABLE.into_iter().find(|kind| kind.name() == name) {
        Some(kind) => Ok(Failures::from([kind])),
        None => {
            let known = MENDABLE.map(FailureKind::name).join(", ");
            let why = if name == FailureKind::ModelError.name() {
                "such calls are asked again without it; "
            } else {
                ""
            };
            Err(format!("{why}expected some of {known}, or all"))
        }
    }
}
