//! Options of a leaderboard: which of its files is read, how it is ranked, and which settings its
//! files, or other settings, leave no use for: nothing is passed over in silence.

use super::Anchor;
use super::files::FileSort;
use crate::method::Ci;
use crate::{RankOptions, StepWeights};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_engine::files::{files, label_files};
use evenhand_formats::StyleCovariate;
use evenhand_formats::battles::Column;
use evenhand_formats::judgments::{self, JudgmentFormat};
use std::path::PathBuf;

/// Which rows are resampled together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClusterBy {
    /// Items where the files name them, else single comparisons.
    #[default]
    Auto,
    /// Items; files that do not name them are an error.
    Item,
    /// Single comparisons.
    None,
    /// Rows with the same value in this column.
    Column(String),
}

/// How "both are bad" counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothBad {
    /// A tie.
    Tie,
    /// Nothing: it is counted and shown, and decides nothing.
    Apart,
}

/// The format of a leaderboard's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedFormat {
    /// A comparison a row.
    Battles,
    /// A pair of systems a row, with counts.
    Counts,
    /// Judgments or scores of this kind.
    Judgments(JudgmentFormat),
}

/// Files that AlpacaEval publishes for its length control.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// Weights of models: their win rates are then those of the weights, and no comparisons are
    /// read.
    pub weights: Option<PathBuf>,
    /// Difficulties of instructions, which are otherwise fitted.
    pub difficulty: Option<PathBuf>,
}

/// Which files are read, and how they are ranked.
#[derive(Clone, Debug, Default)]
pub struct LeaderboardOptions {
    /// Files, or directories of files, all of one sort.
    pub paths: Vec<PathBuf>,
    /// What its user calls the ranking; a board keeps it.
    pub name: Option<String>,
    /// How judgments and scores are read, and by its `columns` battles and counts. What the other
    /// options decide is decided by them: its kind, the columns of clusters and of texts, and
    /// whether reviews are scores.
    pub reading: judgments::Options,
    /// The format of the files, where that is not to be recognised.
    pub format: Option<RecordedFormat>,
    /// Which rows are resampled together.
    pub cluster: ClusterBy,
    /// How "both are bad" counts; None: a tie, but for the aggregations with a model of ties.
    pub both_bad: Option<BothBad>,
    /// Columns of covariates whose effect is taken out (style control), or counts of `texts`.
    pub control: Vec<String>,
    /// The columns of battles with the texts of the first and of the second response.
    pub texts: Option<[String; 2]>,
    /// The column of battles that says who judged: each judge then has a discrimination.
    pub judge_column: Option<String>,
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// The weights of a strong, a slight and an equal verdict on a five-step scale; None: one
    /// comparison each.
    pub strength: Option<StepWeights>,
    /// Files with people's labels of some of what a judge has judged: the ranking is then
    /// prediction-powered.
    pub labels: Vec<PathBuf>,
    /// Length-controlled win rates against one reference, in place of an aggregation.
    pub length_control: bool,
    /// The files that AlpacaEval publishes for length control, in place of a fit.
    pub published: Published,
    /// A system whose rating is fixed; the others are rated by their differences from it.
    pub anchor: Option<Anchor>,
    /// How many battles a system must have to be ranked.
    pub min_battles: u64,
    /// Whether battles are counted, as [`min_battles`](Self::min_battles) asks: each that would be
    /// ranked once, whatever it weighs.
    pub counting: bool,
    /// Whether a file may be given twice, and rows be added to a board that has them already.
    pub allow_duplicates: bool,
    /// Whether the records are those of a slice, in which some of the systems may not be.
    pub of_slice: bool,
    /// Whether the files are the battles of a board, whose covariates stand in columns of its own.
    pub of_board: bool,
    /// Whether the user chose `rank.ci`: a board with control has its intervals otherwise.
    pub ci_is_chosen: bool,
    /// The field by whose values the records are ranked once more.
    pub by: Option<String>,
    /// How it is ranked; `cluster` there is decided by the files and the field above.
    pub rank: RankOptions,
}

impl RecordedFormat {
    /// Returns all names.
    pub fn names() -> Vec<&'static str> {
        let mut names = vec!["battles", "counts"];
        names.extend(JudgmentFormat::names());
        names
    }

    /// Returns the format of this name.
    ///
    /// # Errors
    /// An unknown name, with those that are known.
    pub fn named(name: &str) -> Result<Self, EngineError> {
        match name {
            "battles" => Ok(RecordedFormat::Battles),
            "counts" => Ok(RecordedFormat::Counts),
            _ => match JudgmentFormat::from_name(name) {
                Some(kind) => Ok(RecordedFormat::Judgments(kind)),
                None => {
                    let known = RecordedFormat::names().join(", ");
                    let expected = format!("expected one of {known}");
                    Err(Refusal::of_value(Setting::InputFormat, name, expected).into())
                }
            },
        }
    }
}

impl LeaderboardOptions {
    /// Puts the files of directories in their places.
    pub(super) fn with_files(&self) -> Result<Self, EngineError> {
        let paths: Result<Vec<_>, _> = self.paths.iter().map(|path| files(path)).collect();
        Ok(LeaderboardOptions {
            paths: paths?.concat(),
            labels: label_files(&self.labels)?,
            ..self.clone()
        })
    }

    /// Returns how much a battle of this weight counts.
    pub(super) fn times(&self, weight: f64) -> f64 {
        match self.counting {
            true => f64::from(weight > 0.0),
            false => weight,
        }
    }

    /// Whether sums of weights do: they are neither resampled, nor counts of battles, which some
    /// systems need.
    pub(super) fn needs_sums_alone(&self) -> bool {
        self.rank.ci == Ci::None && self.min_battles == 0 && self.systems.is_none()
    }

    /// Whether rows need not be kept under their items: no intervals are made, or those of single
    /// comparisons.
    pub(super) fn streams(&self) -> bool {
        self.rank.ci == Ci::None || self.cluster == ClusterBy::None
    }

    /// Whether a column of battles has a name of the user's.
    pub(super) fn names_columns(&self) -> bool {
        let columns = &self.reading.columns;
        columns.left.is_some() || columns.right.is_some() || columns.winner.is_some()
    }

    /// Whether the column of battles with the weight has a name of the user's.
    pub(super) fn names_weight(&self) -> bool {
        matches!(self.reading.columns.weight, Column::Named(_))
    }
}

/// Refuses settings that these files or intervals can do nothing with.
// Long, and flat: a condition a paragraph.
pub(super) fn check_settings(options: &LeaderboardOptions, sort: FileSort) -> Result<(), Refusal> {
    const FOR_ARENA_HARD: &str = "it is for Arena-Hard judgments";
    let (battles, counts) = (sort == FileSort::Battles, sort == FileSort::Counts);
    let not_judgments = sort != FileSort::Recorded;
    let columns = &options.reading.columns;
    let idle = [
        (
            not_judgments && options.reading.baseline.is_some(),
            Setting::Baseline,
            FOR_ARENA_HARD,
        ),
        (
            not_judgments && options.reading.both_games,
            Setting::BothGames,
            "it is for MT-Bench pairs",
        ),
        (
            not_judgments && options.strength.is_some(),
            Setting::Strength,
            FOR_ARENA_HARD,
        ),
        (
            options.texts.is_some() && !battles,
            Setting::Texts,
            "it names columns of battles",
        ),
        (
            columns.left.is_some() && counts,
            Setting::Left,
            "it names a column of battles",
        ),
        (
            columns.right.is_some() && counts,
            Setting::Right,
            "it names a column of battles",
        ),
        (
            columns.winner.is_some() && counts,
            Setting::Winner,
            "it names a column of battles",
        ),
        (
            options.names_weight() && !battles,
            Setting::Weight,
            "it names a column of battles",
        ),
        (
            options.both_bad.is_some() && !battles && !counts,
            Setting::BothBad,
            "it is for battles and counts",
        ),
        (
            !columns.outcomes.is_empty() && counts,
            Setting::Outcomes,
            "it is for words that say who won",
        ),
    ];
    if let Some((_, setting, purpose)) = idle.into_iter().find(|(given, ..)| *given) {
        let reason = format!("{purpose}, and these are {}; leave it out", sort.name());
        return Err(Refusal::new(setting, Cause::Data, reason));
    }

    if options.rank.differences && options.rank.ci == Ci::None {
        let ci = Setting::Ci;
        let reason = format!("it needs intervals; leave {ci} none out");
        return Err(refuse_with(Setting::Differences, ci, reason));
    }

    let control = Setting::Control;
    if !options.control.is_empty() && options.strength.is_some() {
        let reason = format!("it is not done with {control}; leave one of them out");
        return Err(refuse_with(Setting::Strength, control, reason));
    }

    // Texts of which nothing is counted.
    let counts_style = |name: &String| StyleCovariate::from_name(name).is_some();
    if options.texts.is_some() && !options.control.iter().any(counts_style) {
        let names = StyleCovariate::NAMES.join(",");
        let reason = format!(
            "nothing is counted in them; say which with {control} {names}, or leave it out"
        );
        return Err(Refusal::new(Setting::Texts, Cause::Needs(control), reason));
    }
    Ok(())
}

/// A refusal of a setting beside another one.
fn refuse_with(setting: Setting, other: Setting, reason: String) -> Refusal {
    Refusal::new(setting, Cause::Conflict(other), reason)
}

/// Settings that were given beside one that they do not go with.
pub(super) struct Given {
    pub(super) settings: &'static [Setting],
    pub(super) given: bool,
}

impl Given {
    pub(super) fn new(settings: &'static [Setting], given: bool) -> Given {
        Given { settings, given }
    }
}

/// Refuses a setting beside the first of these that was given too; `why` says why they do not go
/// together, or is empty.
pub(super) fn refuse_beside(setting: Setting, others: &[Given], why: &str) -> Result<(), Refusal> {
    let mut given = others.iter().filter(|other| other.given);
    let Some((other, first)) = given.find_map(|other| Some((other, other.settings.first()?)))
    else {
        return Ok(());
    };
    // Alternatives as a sentence joins them: "a, b or c".
    let names: Vec<String> = other.settings.iter().map(Setting::to_string).collect();
    let names = match &names[..] {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => names.concat(),
    };
    let reason = format!("it does not go with {names}{why}; leave one of the two out");
    Err(refuse_with(setting, *first, reason))
}

/// Refuses what an estimator with rows, a fit and intervals of its own has no use for.
pub(super) fn check_own_estimator(
    setting: Setting,
    options: &LeaderboardOptions,
) -> Result<(), Refusal> {
    let others = [
        Given::new(&[Setting::Control], !options.control.is_empty()),
        Given::new(&[Setting::Prior], options.rank.prior.is_some()),
        Given::new(&[Setting::Drop], options.rank.drop),
        Given::new(&[Setting::Strength], options.strength.is_some()),
        Given::new(
            &[Setting::BothBad],
            options.both_bad == Some(BothBad::Apart),
        ),
        Given::new(&[Setting::Weight], options.names_weight()),
    ];
    refuse_beside(setting, &others, "")?;
    if matches!(options.rank.ci, Ci::Bootstrap | Ci::Bca) {
        let ci = Setting::Ci;
        let reason = format!("its intervals are its own; leave {ci} out, or say {ci} none");
        return Err(refuse_with(setting, ci, reason));
    }
    if matches!(options.cluster, ClusterBy::None | ClusterBy::Column(_)) {
        let cluster = Setting::Cluster;
        let reason = format!("what is independent are the items; leave {cluster} out");
        return Err(refuse_with(setting, cluster, reason));
    }
    Ok(())
}
