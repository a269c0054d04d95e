//! Recorded judgments and scores to evidence.

use super::evidence::{Gathered, reader};
use super::{About, ClusterBy, LeaderboardOptions, RecordedFormat, battles};
use crate::rank::score::Evidence;
use crate::report::Outcomes;
use crate::{Aggregation, Coverage, EngineError, ScoreUnit, Warning, WarningKind};
use evenhand_formats::judgments::{Compared, Options, Reader, Recorded, Strength};
use evenhand_stats::{Cluster, Comparison, Comparisons, ItemScore, ItemScores};
use std::path::PathBuf;

/// What is to be read of the files.
pub(crate) fn reading(options: &LeaderboardOptions) -> Options {
    let [system, item, score] = options.columns.clone();
    let kind = match options.format {
        Some(RecordedFormat::Judgments(kind)) => Some(kind),
        _ => None,
    };
    Options {
        kind,
        baseline: options.baseline.clone(),
        both_games: options.both_games,
        system,
        item,
        score,
        battles: false,
        battle_columns: [
            options.left.clone(),
            options.right.clone(),
            options.winner.clone(),
        ],
        outcomes: options.outcomes.clone(),
        filter: options.filter.clone(),
        scored: options
            .rank
            .aggregation
            .is_some_and(Aggregation::needs_scores),
    }
}

/// Reads judgments or scores.
pub(crate) fn gather(options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
    if let ClusterBy::Column(name) = &options.cluster {
        return Err(EngineError::Setting(format!(
            "--cluster {name}: these are judgments, whose items are known; say item or none"
        )));
    }
    gathered(&read(&options.paths, options)?, options)
}

/// What was read, as evidence.
pub(super) fn gathered(
    recorded: &Recorded,
    options: &LeaderboardOptions,
) -> Result<Gathered, EngineError> {
    let cluster = if options.cluster == ClusterBy::None {
        Cluster::None
    } else {
        Cluster::Item
    };
    let keep = battles::kept(&recorded.systems, options)?;
    let about = About {
        by_item: cluster == Cluster::Item,
        ..about(recorded, &keep)
    };
    let systems = about.names.len();
    let evidence = match (recorded.scores.is_empty(), options.rank.aggregation) {
        (false, _) => Evidence::Scores(ItemScores::new(systems, scores(recorded, &keep))?),
        (true, Some(Aggregation::Elo)) => {
            crate::rank::ranking::games(systems, &comparisons(recorded, &keep, options))
        }
        (true, _) => Evidence::Comparisons(Comparisons::new(
            systems,
            comparisons(recorded, &keep, options),
        )?),
    };
    Ok(Gathered {
        evidence,
        about,
        cluster,
    })
}

/// What files of judgments or scores hold together.
pub(super) fn read(
    paths: &[PathBuf],
    options: &LeaderboardOptions,
) -> Result<Recorded, EngineError> {
    read_as(paths, &reading(options))
}

/// What files of judgments or scores hold together, read in this way.
pub(super) fn read_as(paths: &[PathBuf], reading: &Options) -> Result<Recorded, EngineError> {
    let mut read = Reader::new(reading);
    for path in paths {
        read.add(reader(path)?, &path.display().to_string())?;
    }
    Ok(read.finish()?)
}

/// What the first of the two got, ties half, from 0 to 1.
pub(super) fn won(row: &Compared) -> f64 {
    let total = row.wins_a + row.ties + row.both_bad + row.wins_b;
    ((row.wins_a + 0.5 * (row.ties + row.both_bad)) / total).clamp(0.0, 1.0)
}

pub(super) fn about(recorded: &Recorded, keep: &[Option<u16>]) -> About {
    let (verdicts, failed) = (
        recorded.judgments() - recorded.failures.values().sum::<u64>(),
        recorded.failures.clone(),
    );
    let mut formats: Vec<String> = recorded
        .sources
        .iter()
        .map(|source| source.kind.name().to_string())
        .collect();
    formats.dedup();
    About {
        names: battles::names_kept(&recorded.systems, keep),
        coverage: Coverage {
            trials: recorded.judgments(),
            verdicts,
            failures: failed,
        },
        judges: recorded.judges.clone(),
        formats,
        outcomes: outcomes(recorded),
        warnings: warnings(recorded),
        by_item: true,
        unit: ScoreUnit::FilePoints,
    }
}

fn outcomes(recorded: &Recorded) -> Option<Outcomes> {
    let mut outcomes = Outcomes::default();
    recorded
        .comparisons
        .iter()
        .for_each(|row| outcomes.add(row.wins_a + row.wins_b, row.ties, row.both_bad));
    (!recorded.comparisons.is_empty()).then_some(outcomes)
}

fn warnings(recorded: &Recorded) -> Vec<Warning> {
    let own = recorded.self_comparisons;
    let failed: u64 = recorded.failures.values().sum();
    let many = failed as f64 > 0.05 * recorded.judgments() as f64;
    [
        (own > 0).then(|| {
            WarningKind::SelfComparisons.says(format!(
                "{own} judgments compare a system with itself; they count for nobody"
            ))
        }),
        many.then(|| {
            let all = recorded.judgments();
            WarningKind::Failures.says(format!(
                "{failed} of {all} judgments have no verdict; they count for nobody"
            ))
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn scores(recorded: &Recorded, keep: &[Option<u16>]) -> Vec<ItemScore> {
    let one = |row: &evenhand_formats::judgments::Scored| {
        Some(ItemScore {
            item: row.item,
            system: keep[usize::from(row.system)]?,
            score: row.score,
        })
    };
    recorded.scores.iter().filter_map(one).collect()
}

fn comparisons(
    recorded: &Recorded,
    keep: &[Option<u16>],
    options: &LeaderboardOptions,
) -> Vec<Comparison> {
    let one = |row: &Compared| {
        let times = weight(row, options);
        Some(Comparison {
            item: row.item,
            a: keep[usize::from(row.a)]?,
            b: keep[usize::from(row.b)]?,
            wins_a: times * row.wins_a,
            ties: times * (row.ties + row.both_bad),
            wins_b: times * row.wins_b,
        })
    };
    recorded.comparisons.iter().filter_map(one).collect()
}

/// How often a verdict counts, by its strength.
fn weight(row: &Compared, options: &LeaderboardOptions) -> f64 {
    let Some([great, slight, tie]) = options.strength else {
        return 1.0;
    };
    match row.strength {
        Some(Strength::Great) => great,
        Some(Strength::Slight) => slight,
        None if row.ties == 1.0 => tie,
        None => 1.0,
    }
}
