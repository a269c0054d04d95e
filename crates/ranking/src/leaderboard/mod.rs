//! Judgments, battles or scores that exist already, to a ranking.

mod battles;
mod board;
mod conflicts;
mod control;
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

use crate::duels::duels;
use crate::method::Method;
use crate::score::{Evidence, score};
use crate::{Aggregation, Report, WarningKind};
use conflicts::check_settings;
use evenhand_engine::EngineError;
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
        upkeep::rank_with_upkeep(options, rank_files)
    } else {
        rank_files(options)
    }
}

fn rank_files(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    if let Some(weights) = &options.published.weights {
        if options.judge_column.is_some() {
            return Err(panel::refuse_with_weights().into());
        }
        return published::rank_by_weights(options, weights);
    }
    let sort = sort_of_files(options)?;
    // Before anything is read in full: a setting that does nothing costs no time.
    check_settings(options, sort)?;
    if let Some(column) = &options.judge_column {
        return panel::rank_with_judges(options, column, sort);
    }
    if options.length_control {
        return length::rank_at_equal_lengths(options);
    }
    if !options.labels.is_empty() {
        return labels::rank_with_labels(options);
    }
    if !options.control.is_empty() {
        return control::rank_with_control(options, sort);
    }

    let Gathered {
        evidence,
        files,
        cluster,
    } = gather(options, sort)?;
    let usual = match evidence {
        Evidence::Scores(_) => Aggregation::Mean,
        _ => Aggregation::BradleyTerry,
    };
    let aggregation = options.rank.aggregation.unwrap_or(usual);
    // The files decide what is resampled together.
    let method = Method {
        cluster,
        ..options.rank.method(aggregation)?
    };
    let scored = score(&evidence, &method).map_err(|error| error.with_names(&files.names))?;
    let report = Report {
        duels: duels(&options.rank.duels, &files.names, &evidence, &method),
        ..files.report(options, aggregation, &method)
    };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

/// Reads files of one sort.
fn gather(options: &LeaderboardOptions, sort: FileSort) -> Result<Gathered, EngineError> {
    match sort {
        FileSort::Recorded => recorded::gather_judgments(options),
        FileSort::Battles => battles::gather_battles(options),
        FileSort::Counts => battles::gather_counts(options),
    }
}
