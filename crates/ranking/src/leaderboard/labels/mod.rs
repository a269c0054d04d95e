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
use crate::{Aggregation, Report};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use gather::{check_aggregation, read_judged_and_labels, summarise_files};
use matched::match_rows;

/// Ranks by the judge's verdicts and people's labels together.
pub(super) fn rank_with_labels(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let (judged, people) = read_judged_and_labels(options)?;
    let aggregation = check_aggregation(&judged, &people, options)?;
    let kept = KeptSystems::select(&judged.systems, options)?;
    let files = summarise_files(&judged, &people, &kept);
    let rows = match_rows(&judged, &people, &kept, options.systems.as_deref());
    if rows.matched() == 0 {
        let why = format!(
            "the judge has judged none of the {} labelled rows; rows are matched by the names of \
             the item and the systems",
            rows.unmatched
        );
        return Err(refuse_labels(Cause::Data, why).into());
    }
    let method = options.rank.method_with_own_intervals(aggregation)?;
    let powered = match aggregation {
        Aggregation::BradleyTerry => {
            strengths::power_strengths(&rows, &files.names, &method, options.rank.scale)?
        }
        _ => means::power_means(&rows, &files.names, &method)?,
    };
    Ok(powered.report(options, files, aggregation, &method))
}

/// A refusal of people's labels.
fn refuse_labels(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Labels, cause, why)
}
