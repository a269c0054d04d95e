//! Judgments, battles or scores that exist already, to a ranking.

mod battles;
mod board;
mod conflicts;
mod control;
mod evidence;
mod gathered;
mod labels;
mod length;
mod options;
mod panel;
mod published;
mod published_files;
mod reading;
mod recorded;
mod repeats;
mod sample;
mod slices;
mod sort;
mod upkeep;

pub use board::{Board, Edition, EditionRow, update_board};
pub use options::{BothBad, ClusterBy, LeaderboardOptions, Published, RecordedFormat};
pub use sample::{EqualScores, Sample, SampleData, SampleRanking, Votes};
pub use upkeep::{Anchor, UpkeepReport};

use crate::rank::duels::duels;
use crate::rank::method::Method;
use crate::rank::score::score;
use crate::{EngineError, Report, WarningKind};
use conflicts::check_settings;
use gathered::Gathered;
use sort::{FileSort, sort_of_files};

/// Reads the files and ranks their systems.
///
/// # Errors
/// Files that cannot be read or do not fit the options; options that do not fit each other.
pub fn leaderboard(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let options = &options.with_files()?;
    repeats::check_given_once(options)?;
    let mut report = match &options.by {
        Some(field) => slices::rank_by_slice(options, field, rank_whole)?,
        None => rank_whole(options)?,
    };
    let repeats = repeats::warn_of_repeats(options)?;
    let repeats = repeats.map(|text| WarningKind::Repeats.says(text));
    report.warnings.extend(repeats);
    Ok(report)
}

fn rank_whole(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    if options.anchor.is_some() || options.min_battles > 0 {
        return upkeep::rank_with_upkeep(options);
    }
    leaderboard_of_files(options)
}

fn leaderboard_of_files(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    match &options.published.weights {
        Some(_) if options.judge_column.is_some() => Err(panel::refuse_with_weights().into()),
        Some(weights) => published::rank_by_weights(options, weights),
        None => rank_files(options),
    }
}

fn rank_files(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let sort = sort_of_files(options)?;
    // Before anything is read in full: a setting that does nothing costs no time.
    check_settings(options, sort)?;
    if let Some(column) = &options.judge_column {
        panel::rank_with_judges(options, column, sort)
    } else if options.length_control {
        length::rank_at_equal_lengths(options)
    } else if !options.labels.is_empty() {
        labels::rank_with_labels(options)
    } else if !options.control.is_empty() {
        control::rank_with_control(options, sort)
    } else {
        rank_evidence(options, sort)
    }
}

fn rank_evidence(options: &LeaderboardOptions, sort: FileSort) -> Result<Report, EngineError> {
    let gathered = evidence::gather(options, sort)?;
    let method = method_for(&gathered, options)?;
    let files = &gathered.files;
    let scored = score(&gathered.evidence, &method);
    let scored = scored.map_err(|error| error.with_names(&files.names))?;
    let report = Report {
        duels: duels(
            &options.rank.duels,
            &files.names,
            &gathered.evidence,
            &method,
        ),
        ..files.report(options, method.aggregation, &method)
    };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

/// The files decide what is resampled together.
fn method_for(gathered: &Gathered, options: &LeaderboardOptions) -> Result<Method, EngineError> {
    let default = gathered.default_aggregation();
    let aggregation = options.rank.aggregation.unwrap_or(default);
    let method = options.rank.method(aggregation)?;
    Ok(Method {
        cluster: gathered.cluster,
        ..method
    })
}
