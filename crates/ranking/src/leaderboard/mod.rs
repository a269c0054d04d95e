//! Judgments, battles or scores that exist already, to a ranking.

mod battles;
mod board;
mod control;
mod files;
mod gathered;
mod kept_rows;
mod labels;
mod length;
mod options;
mod panel;
mod published;
mod recorded;
mod repeats;
mod sample;
mod slices;

pub use board::{Board, Corrected, Edition, EditionRow, correct_board, update_board};
pub use files::{WholeFile, whole_file};
pub use options::{BothBad, ClusterBy, LeaderboardOptions, Published, RecordedFormat};
pub use sample::{EqualScores, Sample, SampleData, SampleRanking, Votes};

use crate::duels::{duel_of_two, duels};
use crate::method::Ci;
use crate::score::{Evidence, score};
use crate::{Aggregation, RankOptions, Report, ScoreUnit, WarningKind};
use control::{check_controlled, rank_controlled};
use evenhand_core::{Refusal, Setting, quote};
use evenhand_engine::EngineError;
use evenhand_formats::battles::{ClusterCounts, Counts, Rows};
use evenhand_formats::judgments::RecordedJudgments;
use files::{FileSort, sort_of_files};
use gathered::Gathered;
use options::check_settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A system whose rating stays what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// The system.
    pub system: String,
    /// Its rating, in the ranking's unit.
    pub rating: f64,
}

/// What was done to keep the leaderboard comparable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct UpkeepReport {
    /// The system whose rating is fixed: scores are differences from it, and so are their
    /// intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// The number of battles that a system must have; 0 for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub min_battles: u64,
    /// The systems that have fewer, which are left out with their battles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Reads the files and ranks their systems; a board alone is ranked from its counts, with its
/// history.
///
/// # Errors
/// Files that cannot be read or do not fit the options; options that do not fit each other.
pub fn leaderboard(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let options = &options.with_files()?;
    repeats::check_given_once(options)?;
    for path in &options.paths {
        let why = match whole_file(path) {
            None => continue,
            Some(WholeFile::Board) if options.paths.len() == 1 => {
                return board::rank_board(path, options);
            }
            Some(WholeFile::Board) => "it is a board, which is ranked alone",
            Some(WholeFile::Ranking) => files::A_RANKING,
        };
        return Err(Refusal::of_input(format!("{}: {why}", path.display())).into());
    }
    let mut report = match &options.by {
        Some(field) => slices::rank_by_slice(options, field)?,
        None => rank_files(options)?,
    };
    report.label = options.name.clone();
    let repeats = repeats::warn_of_repeats(options, &report)?;
    let repeats = repeats.map(|text| WarningKind::Repeats.says(text));
    report.warnings.extend(repeats);
    let voters = repeats::warn_of_voters(options, &report);
    let voters = voters.map(|text| WarningKind::Voters.says(text));
    report.warnings.extend(voters);
    Ok(report)
}

/// Ranks all records of the files that the options keep.
fn rank_files(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    if let Some(weights) = &options.published.weights {
        if options.judge_column.is_some() {
            return Err(panel::refuse_with_weights().into());
        }
        published::check_beside_weights(options)?;
        return rank_with_upkeep(options, |options| {
            published::rank_by_weights(options, weights)
        });
    }
    let sort = sort_of_files(options)?;
    // Before anything is read in full: a setting that does nothing costs no time.
    check_settings(options, sort)?;
    if let Some(column) = &options.judge_column {
        return rank_with_upkeep(options, |kept| panel::rank_with_judges(kept, column, sort));
    }
    if options.length_control {
        return rank_with_upkeep(options, |kept| length::rank_at_equal_lengths(kept, sort));
    }
    if !options.labels.is_empty() {
        return rank_with_upkeep(options, labels::rank_with_labels);
    }
    if !options.control.is_empty() {
        check_controlled(options, sort)?;
        // Who is ranked decides whose covariates are read, so battles are counted before.
        return rank_with_upkeep(options, |kept| match kept.counting {
            true => rank_gathered(gather(kept, sort)?, kept),
            false => rank_controlled(kept, sort),
        });
    }
    // The usual estimators: the files are read once, whoever is left out in the end.
    let read = FilesRead::read(options, sort)?;
    rank_with_upkeep(options, |kept| rank_gathered(read.gather(kept)?, kept))
}

fn rank_gathered(gathered: Gathered, options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let Gathered {
        evidence,
        files,
        cluster,
    } = gathered;
    let usual = match evidence {
        Evidence::Scores(_) => Aggregation::Mean,
        _ => Aggregation::BradleyTerry,
    };
    let aggregation = options.rank.aggregation.unwrap_or(usual);
    let mut method = options.rank.method(aggregation)?;
    // The files decide what is resampled together.
    method.rank.cluster = cluster;
    let scored = score(&evidence, &method).map_err(|error| error.with_names(&files.names))?;
    // The share that items are won by knows nothing of weights, and could name another leader.
    let two = match files.weighed {
        true => None,
        false => duel_of_two(&files.names, &evidence, &method),
    };
    let report = Report {
        duels: duels(&options.rank.duels, &files.names, &evidence, &method),
        two,
        ..files.report(options, aggregation, &method)
    };
    Ok(report.with_scores(&files.names, scored, &method, options.rank.scale))
}

/// What was read of files of one sort, of all their systems.
enum FilesRead {
    /// Battles by pair, each an item of its own.
    Counts(Counts),
    /// Counts by pair, as the files have them.
    Tallied(Counts),
    /// Counts by pair of each cluster.
    Clustered(ClusterCounts),
    /// Battles under their clusters, with weights or in their order.
    Rows(Rows),
    /// Battles that were rated while they were read, and not kept.
    Rated(Gathered),
    Recorded(RecordedJudgments),
}

impl FilesRead {
    fn read(options: &LeaderboardOptions, sort: FileSort) -> Result<FilesRead, EngineError> {
        match sort {
            FileSort::Recorded => recorded::read_own_items(options).map(FilesRead::Recorded),
            FileSort::Battles => battles::read_battles(options),
            FileSort::Counts => battles::read_counts_of_pairs(options),
        }
    }

    /// Makes evidence of what the options keep.
    fn gather(&self, options: &LeaderboardOptions) -> Result<Gathered, EngineError> {
        match self {
            FilesRead::Counts(counts) => battles::gather_counts(counts, options),
            FilesRead::Tallied(counts) => battles::gather_tallied(counts, options),
            FilesRead::Clustered(counts) => battles::gather_clustered(counts, options),
            FilesRead::Rows(rows) => battles::gather_rows(rows, options),
            FilesRead::Rated(gathered) => Ok(gathered.clone()),
            FilesRead::Recorded(recorded) => recorded::gather_recorded(recorded, options),
        }
    }
}

/// Reads files of one sort, and makes evidence of them.
fn gather(options: &LeaderboardOptions, sort: FileSort) -> Result<Gathered, EngineError> {
    FilesRead::read(options, sort)?.gather(options)
}

/// Ranks by what the options say of upkeep: systems with few battles are left out first, then the
/// anchor is set. `rank` ranks the systems that its options keep.
fn rank_with_upkeep(
    options: &LeaderboardOptions,
    mut rank: impl FnMut(&LeaderboardOptions) -> Result<Report, EngineError>,
) -> Result<Report, EngineError> {
    if options.anchor.is_none() && options.min_battles == 0 {
        return rank(options);
    }
    let mut kept = options.clone();
    // The interval of a score becomes that of its difference from the anchor. Scores without
    // intervals have none to move.
    kept.rank.differences |= options.anchor.is_some() && options.rank.ci != Ci::None;
    let mut left_out = Vec::new();
    if options.min_battles > 0 {
        // The battles that would be ranked, in which the model leaves nothing out but covariates.
        let counting = LeaderboardOptions {
            counting: true,
            control: Vec::new(),
            rank: RankOptions {
                differences: false,
                drop: false,
                ..options.rank.with_ci(Ci::None)
            },
            ..options.clone()
        };
        let rows = rank(&counting)?.ranking.into_iter();
        let (frequent, rare): (Vec<_>, Vec<_>) = rows.partition(|row| row.n >= options.min_battles);
        if frequent.is_empty() {
            let most = rare.iter().map(|row| row.n).max().unwrap_or(0);
            return Err(Refusal::of_value(
                Setting::MinBattles,
                options.min_battles,
                format!("no system has that many; the most is {most}"),
            )
            .into());
        }
        left_out.extend(rare.into_iter().map(|row| row.system));
        kept.systems = Some(frequent.into_iter().map(|row| row.system).collect());
    }
    let mut report = rank(&kept)?;
    report.upkeep = Some(UpkeepReport {
        anchor: options.anchor.clone(),
        min_battles: options.min_battles,
        left_out,
    });
    if let Some(anchor) = &options.anchor {
        set_anchor(&mut report, anchor)?;
        if !options.rank.differences {
            report.differences.clear();
            report.adjust = None;
        }
    }
    Ok(report)
}

/// Moves all scores so that the anchor has its rating. The interval of a score becomes that of its
/// difference from the anchor: the anchor's own has no width.
fn set_anchor(report: &mut Report, anchor: &Anchor) -> Result<(), Refusal> {
    let Anchor { system, rating } = anchor;
    let refuse = |why: &str| Refusal::of_value(Setting::Anchor, format!("{system}={rating}"), why);
    if report.unit != ScoreUnit::FittedElo {
        return Err(refuse(
            "only strengths on Elo's scale have an origin to choose",
        ));
    }
    let own = report.ranking.iter().find(|row| row.system == *system);
    let Some(own) = own else {
        let upkeep = report.upkeep.as_ref();
        let why = if upkeep.is_some_and(|upkeep| upkeep.left_out.contains(system)) {
            format!("it has fewer battles than {} asks for", Setting::MinBattles)
        } else {
            let ranked = report.ranking.iter().map(|row| quote(&row.system));
            let ranked: Vec<String> = ranked.take(10).collect();
            let more = match report.ranking.len() - ranked.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "it is not ranked here; ranked are {}{more}",
                ranked.join(", ")
            )
        };
        return Err(refuse(&why));
    };
    let origin = own.score.ok_or_else(|| refuse("it has no finite score"))?;
    for row in &mut report.ranking {
        row.score = row.score.map(|score| score - origin + rating);
        let ends = if row.system == *system {
            Some([Some(*rating); 2])
        } else {
            // The interval of its difference from the anchor.
            report.differences.iter().find_map(|pair| {
                let [low, high] = pair.ci?;
                let names = (&pair.a, &pair.b);
                let [low, high] = if names == (&row.system, system) {
                    [low, high]
                } else if names == (system, &row.system) {
                    [high.map(|end| -end), low.map(|end| -end)]
                } else {
                    return None;
                };
                Some([low, high].map(|end| end.map(|end| end + rating)))
            })
        };
        row.ci = row.ci.and(ends);
    }
    report.unit = ScoreUnit::AnchoredElo;
    Ok(())
}
