//! A ranking and what it rests on, as plain data. Serialised as documented in docs/reports.md.

use crate::{ScoreUnit, Warning};
use evenhand_core::Stage;
use evenhand_engine::{AdaptiveReport, Coverage, FailureRow, TournamentReport};
use evenhand_formats::battles::BattleOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use strum::{EnumString, IntoStaticStr};

/// One system in the ranking.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankingRow {
    /// Its name.
    pub system: String,
    /// Its score; None where it is infinite or undefined, with the cause in `note`.
    pub score: Option<f64>,
    /// The interval of the score; an end is None where it is not finite.
    pub ci: Option<[Option<f64>; 2]>,
    /// Its rank from 1; equals share the better one.
    pub rank: Option<u32>,
    /// The interval of the rank.
    pub rank_ci: Option<[u32; 2]>,
    /// The rows of the ranking that it is better than and apart from, as ranges of their places
    /// from 1, first and last; None where that was not asked, or cannot be said.
    pub better_than: Option<Vec<[usize; 2]>>,
    /// The standard error of its share of comparisons won; None for other scores, and for fewer
    /// than 2 items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// Judgments that it rests on.
    pub n: u64,
    /// The share of comparisons won, where the score is one with the effect of lengths taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_win_rate: Option<f64>,
    /// Why it has no score; None where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_score: Option<NoScore>,
    /// Why something above is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why a system has no finite score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoScore {
    /// It won every comparison, so that its score is plus infinity.
    WonAll,
    /// It lost every comparison, so that its score is minus infinity.
    LostAll,
    /// The data do not determine one.
    Undefined,
}

/// How comparisons ended, as sums of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Outcomes {
    /// Won by one of the two.
    pub decided: f64,
    /// Ties, without those where both were bad.
    pub ties: f64,
    /// Ties where both were bad.
    pub both_bad: f64,
    /// Whether the latter are kept apart and decide nothing; else they count as ties.
    pub apart: bool,
    /// Comparisons.
    #[serde(skip)]
    pub rows: u64,
}

impl Outcomes {
    /// Adds sums of weights.
    pub(crate) fn add(&mut self, decided: f64, ties: f64, both_bad: f64) {
        self.decided += decided;
        self.ties += ties;
        self.both_bad += both_bad;
    }

    /// Adds one comparison.
    pub(crate) fn add_row(&mut self, outcome: BattleOutcome, weight: f64) {
        self.rows += 1;
        match outcome {
            BattleOutcome::A | BattleOutcome::B => self.decided += weight,
            BattleOutcome::Tie => self.ties += weight,
            BattleOutcome::BothBad => self.both_bad += weight,
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.decided + self.ties + self.both_bad
    }
}

/// The effect of a covariate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StyleEffect {
    /// The covariate, as it was named.
    pub covariate: String,
    /// Whether it is a normalised difference, of which one more is one standard deviation.
    pub normalised: bool,
    /// The log-odds that one more of it is worth.
    pub log_odds: f64,
    /// Its interval; None where none was asked for.
    pub ci: Option<[f64; 2]>,
    /// By how many points of Elo's scale the response that is shown first is preferred, where the
    /// covariate is the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo: Option<EloEffect>,
    /// Why it has no interval, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An effect in points of Elo's scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EloEffect {
    /// The points.
    pub points: f64,
    /// Their interval.
    pub ci: Option<[f64; 2]>,
}

/// A judge of a panel, by what the panel's comparisons say of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PanelJudge {
    /// The judge, as the files name it.
    pub judge: String,
    /// Its discrimination: 1 is the average judge of the panel, 0 is chance, below 0 is against the
    /// others. None where it is undefined.
    pub discrimination: Option<f64>,
    /// Its interval, where both ends are finite.
    pub ci: Option<[f64; 2]>,
    /// How many comparisons it judged.
    pub n: u64,
    /// What that means, where a reader should know: no better than chance, against the others, or
    /// why there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Two systems compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PairRow {
    /// One system.
    pub a: String,
    /// The other.
    pub b: String,
    /// Score of the first less that of the second; None where it is not finite, with the cause in
    /// `note`.
    pub difference: Option<f64>,
    /// Its interval.
    pub ci: Option<[Option<f64>; 2]>,
    /// Two-sided p-value of no difference.
    pub p: Option<f64>,
    /// The p-value adjusted for how many pairs were compared.
    pub p_adjusted: Option<f64>,
    /// Whether no pattern of signs was as extreme, so that `p` is an upper bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    /// Whether `p_adjusted` is an upper bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub p_adjusted_is_bound: bool,
    /// Why there is no difference, or no interval of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How few judgments carry the leader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LeaderDrop {
    /// The leader; None where there is none.
    pub leader: Option<String>,
    /// Who is ahead of it without those judgments.
    pub instead: Option<String>,
    /// How many judgments (their weight).
    pub judgments: Option<f64>,
    /// That as a share of all.
    pub share: Option<f64>,
    /// Whether a refit without them confirmed it.
    pub verified: bool,
    /// Which judgments they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<DroppedJudgments>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Judgments of one pair with one outcome that are left out.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DroppedJudgments {
    /// One system.
    pub a: String,
    /// The other.
    pub b: String,
    /// Who won: `a`, `b` or `tie`.
    pub winner: &'static str,
    /// How many (their weight).
    pub judgments: f64,
}

/// How the fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FitRow {
    /// Steps taken.
    pub iterations: usize,
    /// Largest absolute derivative at the end, in comparisons.
    pub gradient: f64,
    /// Whether it converged.
    pub converged: bool,
}

/// How intervals were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalMethod {
    /// By which method.
    pub method: Intervals,
    /// What counts once in them.
    pub cluster: Cluster,
    /// The column whose values are what counts once, where that is not the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What these values are called, in the plural, such as `voters`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// Resamples.
    pub rounds: usize,
    /// Coverage aimed at.
    pub level: f64,
}

impl IntervalMethod {
    /// Returns what counts once, in the plural; None where every judgment does.
    pub fn over(&self) -> Option<String> {
        match (&self.column, self.cluster) {
            (Some(column), _) => {
                let units = self.units.clone();
                Some(units.unwrap_or_else(|| values_of(column)))
            }
            (None, Cluster::Item) => Some("items".into()),
            (None, Cluster::None) => None,
        }
    }
}

/// Returns what one value of a column, and several of them, are called: `voter` or `voter_id` has
/// voters; of a name that is no plain word there are values.
pub(crate) fn units_of_column(column: &str) -> [String; 2] {
    let word = column.strip_suffix("_id").unwrap_or(column);
    let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_word && !word.ends_with(['s', 'x', 'y']) {
        true => [word.to_owned(), format!("{word}s")],
        false => [format!("value of `{column}`"), values_of(column)],
    }
}

fn values_of(column: &str) -> String {
    format!("values of `{column}`")
}

/// By which method intervals were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Intervals {
    /// Percentile bootstrap.
    Bootstrap,
    /// Bias-corrected and accelerated bootstrap.
    Bca,
    /// Robust covariance and the normal distribution.
    Sandwich,
    /// The covariance of prediction-powered inference.
    PredictionPowered,
    /// Robust covariance, normal in log-odds, of shares won at equal lengths.
    LengthControl,
    /// There are none.
    #[default]
    None,
}

impl Intervals {
    /// Returns the word that reports use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns whether these intervals are drawn at random, so that another seed gives others.
    pub fn are_drawn(self) -> bool {
        matches!(self, Intervals::Bootstrap | Intervals::Bca)
    }
}

/// What counts once in intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cluster {
    /// An item, or a question that several items ask.
    Item,
    /// A single judgment.
    #[default]
    None,
}

/// Who judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "String")]
pub enum ReportJudge {
    /// The judge of this identity, or several.
    Named(String),
    /// A judge that files of judgments do not name: `recorded`.
    #[default]
    Unnamed,
}

impl fmt::Display for ReportJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReportJudge::Named(name) => name,
            ReportJudge::Unnamed => "recorded",
        })
    }
}

impl From<ReportJudge> for String {
    fn from(judge: ReportJudge) -> String {
        judge.to_string()
    }
}

/// A share with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// In [0, 1].
    pub value: f64,
    /// Its interval; None where the data do not vary or are too few.
    pub ci: Option<[f64; 2]>,
    /// How many cases it is a share of.
    pub n: u64,
}

/// A score by one source alone, in the unit of the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SourceScore {
    /// The score.
    pub score: f64,
    /// Its normal interval; None where the data do not vary, or none was asked for.
    pub ci: Option<[f64; 2]>,
}

/// People's labels and the judge, held against each other for one system.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LabelledSystem {
    /// Its name.
    pub system: String,
    /// The score by the labels alone; None where they give none.
    pub labels_only: Option<SourceScore>,
    /// The score by the judge alone, on all rows, whose interval knows nothing of the judge's bias;
    /// None where it gives none.
    pub judge_only: Option<SourceScore>,
    /// By which share the interval is narrower than that of the labels alone; None where either is
    /// missing.
    pub narrower: Option<f64>,
    /// How much the judge was used, from 0 to 1, where every system has a lambda of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// How many labels alone would do as well, where every system has a figure of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_labels: Option<f64>,
    /// The pass rate, or share of comparisons won, corrected by the judge's sensitivity and
    /// specificity; None where what was said is not yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<CorrectedPassRate>,
}

/// A pass rate corrected for what the judge gets wrong (Rogan and Gladen 1978).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CorrectedPassRate {
    /// (judge's rate + specificity - 1) / (sensitivity + specificity - 1), cut to [0, 1]; None
    /// where it is not defined.
    pub rate: Option<f64>,
    /// Its interval (Lang and Reiczigel 2014); None where it has none.
    pub ci: Option<[f64; 2]>,
    /// Of what people passed, the share that the judge passed, with its interval over items; None
    /// without such labels.
    pub sensitivity: Option<Share>,
    /// Of what people failed, the share that the judge failed.
    pub specificity: Option<Share>,
    /// Why the rate or its interval is missing.
    pub note: Option<String>,
}

/// How much people's labels add to a judge's verdicts (prediction-powered inference).
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Labels {
    /// Rows (an item and two systems, or an item and a system) with a label and a verdict.
    pub matched: u64,
    /// Rows with a label and no verdict of the judge; they are excluded.
    pub unmatched: u64,
    /// How much the judge was used, from 0 (not at all) to 1; None where every system has a lambda
    /// of its own.
    pub lambda: Option<f64>,
    /// How many labels alone would do as well; None where it is not defined or every system has a
    /// figure of its own.
    pub effective_labels: Option<f64>,
    /// Matched rows over all rows, in (0, 1).
    pub labelled_share: f64,
    /// p-value of the labelled rows being a random sample of all; of one test for each system the
    /// least, times their number. None where there is nothing to test.
    pub sampling_p: Option<f64>,
    /// By which share intervals are narrower than those of the labels alone: the mean over systems.
    pub narrower: Option<f64>,
    /// One for each system, in the order of the ranking.
    pub systems: Vec<LabelledSystem>,
}

/// The ranking by one turn of conversations alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct TurnRanking {
    /// The turn, from 1.
    pub turn: u32,
    /// In rank order; systems without a rank last.
    pub ranking: Vec<RankingRow>,
}

/// What came of the criteria of checklists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CriteriaReport {
    /// Verdicts on single criteria.
    pub verdicts: u64,
    /// Failures of single criteria by kind. A judgment with one has no score.
    pub failures: BTreeMap<String, u64>,
    /// Whether a model wrote the criteria.
    pub model_written: bool,
    /// The rankings by criteria: those that several items share by name, then the others together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<CriterionRanking>,
}

/// The ranking by one criterion, or by those of single items together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CriterionRanking {
    /// The name of the criterion; None for those of single items.
    pub criterion: Option<String>,
    /// Which criteria these are.
    pub kind: CriterionKind,
    /// Whether it is a fault: the score is then the share of responses without it.
    pub fault: bool,
    /// How many items have such a criterion.
    pub items: u64,
    /// In rank order, by the share of responses that meet it, with intervals as the whole has them.
    pub ranking: Vec<RankingRow>,
}

/// Which criteria a ranking is by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CriterionKind {
    /// Of one name, which several items share.
    Shared,
    /// Of single items, with a weight above 0: the mean over items of the share met.
    OwnMerits,
    /// Of single items, with a weight below 0: the mean over items of the share not met.
    OwnFaults,
}

/// Items on which a system came to no verdict at all, or has no score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingItems {
    /// The system.
    pub system: String,
    /// How many there are.
    pub items: u64,
    /// All items of the data.
    pub of: u64,
}

/// Items on which two systems were judged and came to no verdict that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPairs {
    /// The two systems.
    pub systems: [String; 2],
    /// How many there are.
    pub items: u64,
    /// All items of the data.
    pub of: u64,
}

/// Whether a count is not there.
fn is_unknown(count: &u64) -> bool {
    *count == 0
}

/// A ranking and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// Who leads, in one sentence; None where nothing was ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<super::answer::Answer>,
    /// What its user calls it; None where nobody named it, and of runs, which keep their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// In rank order; systems without a rank last.
    pub ranking: Vec<RankingRow>,
    /// The aggregation's name.
    pub aggregation: &'static str,
    /// The unit of the scores.
    #[schemars(with = "String")]
    pub unit: ScoreUnit,
    /// How intervals were made.
    pub ci: IntervalMethod,
    /// The seed of the resampling and of what the plan drew.
    pub seed: u64,
    /// The judge's identity; `recorded` where files of judgments do not name it.
    pub judge: ReportJudge,
    /// The protocol.
    pub protocol: String,
    /// The design.
    pub design: String,
    /// How many trials came to a verdict.
    pub coverage: Coverage,
    /// Verdicts among them that count for no system, because the other order of their pair failed.
    #[serde(skip_serializing_if = "is_unknown")]
    pub set_aside: u64,
    /// Verdicts of systems that are not ranked, which are not among the trials; of files alone.
    #[serde(skip_serializing_if = "is_unknown")]
    pub left_out: u64,
    /// Systems that have no verdict on some items that they were judged on, or in a file of scores no
    /// score on some that others have one on; None where that is not known: files of judgments only
    /// count what came to no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<MissingItems>>,
    /// The same of each two systems, for conditions; empty where it is not known.
    #[serde(skip)]
    pub missing_pairs: Vec<MissingPairs>,
    /// The first failure of each kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_failures: Vec<FailureRow>,
    /// Share of pairs with the same outcome in both orders; None where no pair was judged in both.
    pub consistency: Option<Share>,
    /// Mean probability given to the response shown first; None where no two were shown together.
    pub first_slot: Option<Share>,
    /// Items that were judged; 0 where they are not known.
    #[serde(skip_serializing_if = "is_unknown")]
    pub items: u64,
    /// Questions that these ask: what intervals and tests count.
    #[serde(skip_serializing_if = "is_unknown")]
    pub questions: u64,
    /// By how much two identical systems would seem to differ; None where that is undefined, or on
    /// too few items.
    pub noise: Option<crate::NoiseFloor>,
    /// Mean probability that lay on none of the answers; None where no probabilities were read.
    pub outside: Option<f64>,
    /// Share of pairs of members of a panel that agree on the same trial; None where one judge
    /// judged alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Share>,
    /// How many trials ended at each stage, in protocols that have stages.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub stages: BTreeMap<Stage, u64>,
    /// How many verdicts were read from where.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<&'static str, u64>,
    /// How many replies were read in which way from the judge's words, the most first, with one of
    /// each; none where all verdicts are probabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<evenhand_engine::ReadingRow>,
    /// Groups of systems that comparisons link, where there is more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<Vec<String>>,
    /// How the comparisons ended; None for scores, and for verdicts that are distributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Outcomes>,
    /// How the fit ended; None for an aggregation in closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitRow>,
    /// The weight of the prior, where there is one: scores are then shrunk towards the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f64>,
    /// The effects of covariates, where they are controlled for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub style: Vec<StyleEffect>,
    /// The judges, where each has a discrimination of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<PanelJudge>,
    /// How much people's labels add, where there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// How the p-values of pairs are adjusted; None without pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjust: Option<crate::Adjust>,
    /// All pairs of systems, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<PairRow>,
    /// The pairs of systems that a gate compares item by item.
    #[serde(skip)]
    pub duels: Vec<crate::Duel>,
    /// The two systems of a ranking of two, item by item.
    #[serde(skip)]
    pub two: Option<crate::Duel>,
    /// How few judgments carry the leader, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop: Option<LeaderDrop>,
    /// The orders that are certain, where the design was adaptive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<AdaptiveReport>,
    /// Who met whom, where the design was a tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tournament: Option<TournamentReport>,
    /// The rankings by each turn, where the turns of conversations are items of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnRanking>,
    /// The rankings by each slice of the items, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<crate::SliceRanking>,
    /// The editions of a board, the earliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<crate::Edition>,
    /// Whether slices differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<crate::InteractionReport>,
    /// What came of the criteria, where responses were judged by a checklist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criteria: Option<CriteriaReport>,
    /// What was done to keep a leaderboard comparable with its other editions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upkeep: Option<crate::UpkeepReport>,
    /// The settings that a board keeps for every edition, as they are given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Warnings that the reader must see.
    #[schemars(with = "Vec<String>")]
    pub warnings: Vec<Warning>,
    /// Replies that the strict reader could not read, where no second stage was asked to.
    #[serde(skip)]
    pub unread: u64,
    /// Whether the judge saw two responses at once.
    #[serde(skip)]
    pub pairwise: bool,
}
