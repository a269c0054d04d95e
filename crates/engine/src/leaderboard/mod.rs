//! Judgments, battles or scores that exist already, to a ranking.

mod battles;
mod control;
mod evidence;
mod labels;
mod length;
mod published;
mod recorded;
mod sample;

use crate::files::files;
use crate::rank::score::{Ci, Method, score};
use crate::report::{Interval, Outcomes};
use crate::{Aggregation, Coverage, EngineError, RankOptions, Report, ScoreUnit, Warning};
use evenhand_formats::battles::Spellings;
use evenhand_formats::records::Filter;
use evidence::{Gathered, Sort, sort};
use std::path::PathBuf;

pub use published::Published;
pub use sample::{EqualScores, Sample, SampleData, SampleRanking, Votes};

/// What is resampled together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClusterBy {
    /// Items where the files name them, else single comparisons.
    #[default]
    Auto,
    /// Items; files that do not name them are an error.
    Item,
    /// Single comparisons.
    None,
    /// What has the same value in this column.
    Column(String),
}

/// What "both are bad" counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothBad {
    /// A tie.
    Tie,
    /// Nothing: it is counted and shown, and decides nothing.
    Apart,
}

/// What files of a leaderboard are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedFormat {
    /// A comparison a row.
    Battles,
    /// A pair of systems a row, with counts.
    Counts,
    /// Judgments or scores of this kind.
    Judgments(evenhand_formats::judgments::Kind),
}

impl RecordedFormat {
    /// By its name.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn named(name: &str) -> Result<Self, EngineError> {
        use evenhand_formats::judgments::Kind;
        let known = || format!("battles, counts, {}", Kind::names().join(", "));
        match (name, Kind::named(name)) {
            ("battles", _) => Ok(RecordedFormat::Battles),
            ("counts", _) => Ok(RecordedFormat::Counts),
            (_, Some(kind)) => Ok(RecordedFormat::Judgments(kind)),
            _ => Err(EngineError::Setting(format!(
                "--input-format {name}: expected one of {}",
                known()
            ))),
        }
    }
}

/// What is read, and how it is ranked.
#[derive(Clone, Debug)]
pub struct LeaderboardOptions {
    /// Files, or directories of files, all of one sort.
    pub paths: Vec<PathBuf>,
    /// Which rows are read.
    pub filter: Filter,
    /// Spellings of outcomes beside those that are known.
    pub outcomes: Spellings,
    /// The columns of battles, where they have other names than usual: first system, second system,
    /// winner, weight.
    pub left: Option<String>,
    /// See `left`.
    pub right: Option<String>,
    /// See `left`.
    pub winner: Option<String>,
    /// See `left`.
    pub weight: Option<String>,
    /// What the files are, where that is not to be recognised.
    pub format: Option<RecordedFormat>,
    /// What is resampled together.
    pub cluster: ClusterBy,
    /// What "both are bad" counts as; None: a tie, but for the aggregations with a model of ties.
    pub both_bad: Option<BothBad>,
    /// Columns of covariates whose effect is taken out (style control), or counts of `texts`.
    pub control: Vec<String>,
    /// The columns of battles with the texts of the first and of the second response.
    pub texts: Option<[String; 2]>,
    /// Columns of scores: system, item, score.
    pub columns: [Option<String>; 3],
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// The baseline of Arena-Hard judgments that do not name theirs.
    pub baseline: Option<String>,
    /// MT-Bench's reading of the two games of a pair as one comparison.
    pub both_games: bool,
    /// What a strong, a weak and an equal verdict on a five-step scale count; None: one comparison
    /// each.
    pub strength: Option<[f64; 3]>,
    /// Files with people's labels of some of what a judge has judged: the ranking is then
    /// prediction-powered.
    pub labels: Vec<PathBuf>,
    /// Length-controlled win rates against one reference, in place of an aggregation.
    pub length_control: bool,
    /// What AlpacaEval publishes for it, in place of a fit.
    pub published: Published,
    /// How it is ranked; `cluster` there is decided by the files and the field above.
    pub rank: RankOptions,
}

/// Reads the files and ranks their systems.
///
/// # Errors
/// Files that cannot be read or do not fit the options; options that do not fit each other.
pub fn leaderboard(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let options = &options.with_files()?;
    if let Some(weights) = &options.published.weights {
        return published::leaderboard(options, weights);
    }
    let sort = sort(options)?;
    check(options, sort)?;
    if options.length_control {
        return length::leaderboard(options);
    }
    if !options.labels.is_empty() {
        return labels::leaderboard(options);
    }
    if !options.control.is_empty() {
        return control::leaderboard(options, sort);
    }
    let gathered = evidence::gather(options, sort)?;
    let aggregation = options
        .rank
        .aggregation
        .unwrap_or(gathered.usual_aggregation());
    let method = Method {
        aggregation,
        cluster: gathered.cluster,
        ..options.rank.method(aggregation)?
    };
    let scored = score(&gathered.evidence, &method)?;
    Ok(report(options, &gathered.about, aggregation, &method).with(
        &gathered.about.names,
        scored,
        &method,
        options.rank.scale,
    ))
}

impl LeaderboardOptions {
    /// With the files of the directories in their places.
    fn with_files(&self) -> Result<Self, EngineError> {
        let all = |paths: &[PathBuf]| -> Result<Vec<PathBuf>, EngineError> {
            Ok(paths
                .iter()
                .map(|path| files(path))
                .collect::<Result<Vec<_>, _>>()?
                .concat())
        };
        Ok(LeaderboardOptions {
            paths: all(&self.paths)?,
            labels: all(&self.labels)?,
            ..self.clone()
        })
    }
}

/// Settings that these files or intervals can do nothing with are refused, not passed over.
fn check(options: &LeaderboardOptions, sort: Sort) -> Result<(), EngineError> {
    let recorded = sort == Sort::Recorded;
    let idle = [
        (
            options.baseline.is_some() && !recorded,
            "--baseline: it is for Arena-Hard judgments",
        ),
        (
            options.both_games && !recorded,
            "--both-games: it is for MT-Bench pairs",
        ),
        (
            options.strength.is_some() && !recorded,
            "--strength: it is for Arena-Hard judgments",
        ),
        (
            options.texts.is_some() && sort != Sort::Battles,
            "--texts: it names columns of battles",
        ),
        (
            options.weight.is_some() && sort != Sort::Battles,
            "--weight: it names a column of battles",
        ),
        (
            options.both_bad.is_some() && recorded,
            "--both-bad: it is for battles and counts",
        ),
        (
            !options.outcomes.is_empty() && sort == Sort::Counts,
            "--outcomes: it is for words that say who won",
        ),
    ];
    let (found, rank) = (idle.iter().find(|(idle, _)| *idle), &options.rank);
    if let Some((_, why)) = found {
        return Err(EngineError::Setting(format!(
            "{why}, and these are {}; leave it out",
            sort.name()
        )));
    }
    if rank.differences && rank.ci == Ci::None {
        return Err(EngineError::Setting(
            "--differences: it needs intervals; leave --ci none out".into(),
        ));
    }
    let without_control = [
        (
            options.both_bad == Some(BothBad::Apart),
            "--both-bad apart: it is not done",
        ),
        (options.strength.is_some(), "--strength: it is not done"),
    ];
    match without_control
        .iter()
        .find(|(set, _)| *set && !options.control.is_empty())
    {
        Some((_, why)) => Err(EngineError::Setting(format!(
            "{why} with --control; leave one of them out"
        ))),
        None => control::check_texts(options),
    }
}

/// What the files were, beside their evidence.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) names: Vec<String>,
    pub(crate) coverage: Coverage,
    pub(crate) judges: Vec<String>,
    pub(crate) formats: Vec<String>,
    pub(crate) outcomes: Option<Outcomes>,
    /// Whether items were resampled, not single comparisons.
    pub(crate) by_item: bool,
    pub(crate) warnings: Vec<Warning>,
    /// The unit of single responses' scores.
    pub(crate) unit: ScoreUnit,
}

/// Refuses what an estimator with rows, a fit and intervals of its own has no use for.
fn refuse_others(flag: &str, options: &LeaderboardOptions) -> Result<(), EngineError> {
    let given = [
        ("--control", !options.control.is_empty()),
        ("--prior", options.rank.prior.is_some()),
        ("--drop", options.rank.drop),
        ("--strength", options.strength.is_some()),
    ];
    if let Some((other, _)) = given.iter().find(|(_, given)| *given) {
        return Err(EngineError::Setting(format!(
            "{flag}: it does not go with {other}; leave one of the two out"
        )));
    }
    if !matches!(options.rank.ci, Ci::Sandwich | Ci::None) {
        return Err(EngineError::Setting(format!(
            "{flag}: its intervals are its own; leave --ci out, or say --ci none"
        )));
    }
    if !matches!(options.cluster, ClusterBy::Auto | ClusterBy::Item) {
        return Err(EngineError::Setting(format!(
            "{flag}: what is independent are the items; leave --cluster out"
        )));
    }
    Ok(())
}

/// A report with everything but the ranking.
fn report(
    options: &LeaderboardOptions,
    about: &About,
    aggregation: Aggregation,
    method: &Method,
) -> Report {
    let judge = if about.judges.is_empty() {
        "recorded".into()
    } else {
        about.judges.join(", ")
    };
    Report {
        ranking: Vec::new(),
        aggregation: aggregation.name(),
        unit: aggregation.unit(options.rank.scale, about.unit),
        ci: Interval::of(method.ci, &method.plan, about.by_item),
        seed: options.rank.bootstrap.seed,
        judge,
        protocol: format!("recorded ({})", about.formats.join(", ")),
        design: "recorded".into(),
        coverage: about.coverage.clone(),
        outcomes: about.outcomes,
        warnings: about.warnings.clone(),
        ..Report::default()
    }
}

impl Gathered {
    fn usual_aggregation(&self) -> Aggregation {
        match self.evidence {
            crate::rank::score::Evidence::Scores(_) => Aggregation::Mean,
            _ => Aggregation::BradleyTerry,
        }
    }
}

/// Whether rows need not be kept under their items: no intervals are made, or those of single
/// comparisons.
fn streams(options: &LeaderboardOptions) -> bool {
    options.rank.ci == Ci::None || options.cluster == ClusterBy::None
}
