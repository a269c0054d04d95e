//! People's labels beside a judge's verdicts: prediction-powered rankings (PPI++; Angelopoulos,
//! Duchi and Zrnic 2023).

mod corrected;
mod gather;
mod matched;
mod means;
mod powered;
mod strengths;

use super::gathered::KeptSystems;
use super::options::LeaderboardOptions;
use crate::rank::method::Method;
use crate::{Aggregation, EngineError, RankScale, Report};
use evenhand_core::{Cause, Refusal, Setting};
use gather::{check_aggregation, read_judged_and_labels, summarise_files};
use matched::{MatchedRows, match_rows};
use powered::Powered;

/// Ranks by the judge's verdicts and people's labels together.
pub(super) fn rank_with_labels(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let (judged, people) = read_judged_and_labels(options)?;
    let aggregation = check_aggregation(&judged, &people, options)?;
    let kept = KeptSystems::select(&judged.systems, options)?;
    let files = summarise_files(&judged, &people, &kept);
    let rows = match_rows(&judged, &people, &kept, options.systems.as_deref());
    check_any_matched(&rows)?;
    let method = options.rank.method_with_own_intervals(aggregation)?;
    let powered = power(&rows, &files.names, &method, options.rank.scale)?;
    Ok(powered.report(options, files, aggregation, &method))
}

fn power(
    rows: &MatchedRows,
    names: &[String],
    method: &Method,
    scale: RankScale,
) -> Result<Powered, EngineError> {
    match method.aggregation {
        Aggregation::BradleyTerry => strengths::power_strengths(rows, names, method, scale),
        _ => means::power_means(rows, names, method),
    }
}

fn check_any_matched(rows: &MatchedRows) -> Result<(), Refusal> {
    if rows.matched() == 0 {
        return Err(refuse_unmatched(rows.unmatched));
    }
    Ok(())
}

fn refuse_unmatched(labels: u64) -> Refusal {
    let why = format!(
        "the judge has judged none of the {labels} labelled rows; rows are matched by the names of \
         the item and the systems"
    );
    refuse_labels(Cause::Data, why)
}

/// A refusal of people's labels.
fn refuse_labels(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Labels, cause, why)
}
