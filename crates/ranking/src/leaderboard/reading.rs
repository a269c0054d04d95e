//! How the files of a leaderboard are opened, and what their readers are to read.

use super::options::{ClusterBy, LeaderboardOptions, RecordedFormat};
use crate::Aggregation;
#[cfg(feature = "arrow")]
use evenhand_engine::table_in_memory;
use evenhand_engine::{EngineError, open_input, unreadable_input};
use evenhand_formats::battles::{self, BattleSource, Column, Columns};
use evenhand_formats::judgments;
use std::path::Path;

/// Returns what the reader of battles and counts is to read.
pub(super) fn battle_reading(options: &LeaderboardOptions) -> battles::Options {
    battles::Options {
        columns: battle_columns(options),
        threads: threads(options),
        ..battles::Options::default()
    }
}

fn battle_columns(options: &LeaderboardOptions) -> Columns {
    Columns {
        left: options.left.clone(),
        right: options.right.clone(),
        winner: options.winner.clone(),
        weight: options.weight.clone().map_or(Column::Auto, Column::Named),
        cluster: cluster_column(options),
        outcomes: options.outcomes.clone(),
        filter: options.filter.clone(),
        skip_bad: options.skip_bad,
        ..Columns::default()
    }
}

fn cluster_column(options: &LeaderboardOptions) -> Column {
    if options.streams() {
        return Column::Ignored;
    }
    let [_, item, _] = &options.columns;
    match (&options.cluster, item) {
        (ClusterBy::Column(name), _) | (_, Some(name)) => Column::Named(name.clone()),
        _ => Column::Auto,
    }
}

/// All processors where the user does not say how many.
fn threads(options: &LeaderboardOptions) -> usize {
    match options.rank.bootstrap.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        threads => threads,
    }
}

/// Returns what the reader of judgments and scores is to read.
pub(super) fn judgment_reading(options: &LeaderboardOptions) -> judgments::Options {
    let [system, item, score] = options.columns.clone();
    let aggregation = options.rank.aggregation;
    judgments::Options {
        kind: judgment_kind(options),
        baseline: options.baseline.clone(),
        both_games: options.both_games,
        system,
        item,
        score,
        battles: false,
        battle_columns: named_columns(options),
        outcomes: options.outcomes.clone(),
        filter: options.filter.clone(),
        skip_bad: options.skip_bad,
        scored: aggregation.is_some_and(Aggregation::needs_scores),
    }
}

fn named_columns(options: &LeaderboardOptions) -> [Option<String>; 3] {
    [&options.left, &options.right, &options.winner].map(Clone::clone)
}

fn judgment_kind(options: &LeaderboardOptions) -> Option<judgments::JudgmentFormat> {
    match options.format {
        Some(RecordedFormat::Judgments(kind)) => Some(kind),
        _ => None,
    }
}

/// Opens a file for the reader of battles.
pub(super) fn open_battles(path: &Path) -> Result<BattleSource, EngineError> {
    let name = path.display().to_string();
    #[cfg(feature = "arrow")]
    if let Some(table) = table_in_memory(path) {
        return Ok(BattleSource::of_table(name, table));
    }
    let file = open_input(path).map_err(|e| unreadable_input(path, &e))?;
    Ok(BattleSource::new(name, file))
}

/// Opens all files for the reader of battles.
pub(super) fn open_all_battles(
    options: &LeaderboardOptions,
) -> Result<Vec<BattleSource>, EngineError> {
    let paths = options.paths.iter();
    paths.map(|path| open_battles(path)).collect()
}
