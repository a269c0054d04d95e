//! The command line of limits.

use crate::Failed;
use clap::Args;
use evenhand_core::FailureKind;
use evenhand_engine::{Limits, PriceTable};
use std::time::Duration;

/// The most that a run may take.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Stop, to go on later, when N calls were made for this run
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// Stop, to go on later, when the calls for this run have cost this much
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// Stop, to go on later, after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) deadline: Option<f64>,
    /// Ask on where the first 20 trials all fail in one way
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Ask once more what failed in these ways, such as unparsed
    ///
    /// Some of unparsed, refused, truncated, too-long; or all. For a judge or a set-up that was
    /// repaired. Calls whose replies came to such a failure are asked again; the replies that were
    /// there are kept in the run's database and count as paid for. A run that was stopped goes on
    /// where it was.
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = parse_failures)]
    pub(crate) retry: Vec<Failures>,
}

impl LimitArgs {
    /// Returns the limits of a run whose calls cost what the table says.
    ///
    /// # Errors
    /// A limit of no call, or of no time.
    pub(crate) fn checked(&self, prices: &PriceTable) -> Result<Limits, Failed> {
        self.check_calls()?;
        Ok(Limits {
            calls: self.max_calls,
            cost: self.max_cost.map(|usd| (usd, prices.clone())),
            time: self.deadline.map(parse_deadline).transpose()?,
            keep_going: self.keep_going,
            retry: self.kinds_to_retry(),
        })
    }

    fn check_calls(&self) -> Result<(), Failed> {
        match self.max_calls {
            Some(0) => Err(Failed::usage("--max-calls 0: expected at least one call")),
            _ => Ok(()),
        }
    }

    fn kinds_to_retry(&self) -> Vec<FailureKind> {
        let kinds = self.retry.iter().flat_map(|kinds| kinds.iter());
        kinds.copied().collect()
    }
}

fn parse_deadline(seconds: f64) -> Result<Duration, Failed> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(Failed::usage(format!(
            "--deadline {seconds}: expected seconds above 0"
        ))),
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
    let kind = MENDABLE.into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| describe_unmendable(name))?;
    Ok(Failures::from([kind]))
}

fn describe_unmendable(name: &str) -> String {
    let known = MENDABLE.map(FailureKind::name).join(", ");
    let why = if name == FailureKind::ModelError.name() {
        "such calls are asked again without it; "
    } else {
        ""
    };
    format!("{why}expected some of {known}, or all")
}
