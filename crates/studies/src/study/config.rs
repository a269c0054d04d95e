//! STUDY.toml: which benchers are built, and what they are held against.

use crate::bencher::Rated;
use crate::judge::Votes;
use evenhand_core::{Refusal, Setting};
use evenhand_engine::{EngineError, JudgeSpec, NamedJudges, check_brought, path_from};
use evenhand_formats::battles::Spellings;
use evenhand_formats::nearest;
use evenhand_models::served::Settings;
use evenhand_ranking::{Aggregation, StepWeights};
use evenhand_stats::Bootstrap;
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

/// A study as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// What the study is called; otherwise the file's name.
    pub name: Option<String>,
    /// The directory with the calls of all live judges; otherwise `runs/study-NAME` in the working
    /// directory.
    pub run: Option<PathBuf>,
    /// The seed of everything that is drawn.
    #[serde(default)]
    pub seed: u64,
    /// Bootstrap rounds of the intervals of the main table.
    #[serde(default = "default_rounds")]
    pub rounds: usize,
    /// Rounds of each point of the curves over shares of the inputs.
    #[serde(default = "default_share_rounds")]
    pub share_rounds: usize,
    /// Rounds of each split of the fixed budget.
    #[serde(default = "default_rounds")]
    pub budget_rounds: usize,
    /// Coverage of the intervals.
    #[serde(default = "default_level")]
    pub level: f64,
    /// Evaluation types of the live judges: protocols.
    #[serde(default)]
    pub types: Vec<String>,
    /// Evaluation types that the others are compared with: each with the one of its own form, or
    /// else with the first.
    #[serde(default)]
    pub baselines: Vec<String>,
    /// Aggregations; those that judgments do not have are left out of their rows. None: the usual
    /// ones of the paper.
    #[serde(default)]
    pub aggregations: Vec<String>,
    /// Weights of a strong, a slight and an equal verdict of a 5-point form (RealRank's appendix A:
    /// 6, 2, 2). An equal verdict is half a win for each per unit, so 2 is one win for each.
    #[serde(default = "appendix_a")]
    pub strength: Option<StepWeights>,
    /// How often each labelled pair is judged by a live judge: further samples at its temperature.
    #[serde(default = "once")]
    pub repeats: u32,
    /// How several labels of one pair count; as `--votes` has it.
    #[serde(default)]
    pub votes: Votes,
    /// A directory of prompts in the place of built-in ones, for all that the study asks.
    pub prompt_pack: Option<PathBuf>,
    /// Directories of prompts, with each of which labelled pairs are judged once more.
    #[serde(default)]
    pub prompt_packs: Vec<PathBuf>,
    /// Systems that stand as the reference: `all`, names that get rows of their own, or both in one
    /// list; none for no analysis of references.
    #[serde(default)]
    pub references: References,
    /// Further thresholds of tau_u.
    #[serde(default)]
    pub u: Vec<f64>,
    /// Shares of the inputs at which intervals and costs are computed.
    #[serde(default = "paper_shares")]
    pub shares: Vec<f64>,
    /// Whether the fixed budget m * n is spent in different ways (the paper's figure 1).
    #[serde(default)]
    pub fixed_budget: bool,
    /// Whether every figure is also given with a random verdict in the place of each failure (the
    /// paper's appendix C); the seed decides them.
    #[serde(default)]
    pub random_verdicts: bool,
    /// A file of prices, whose rows beat the built-in ones.
    pub prices: Option<PathBuf>,
    /// What a user has to spend, for the advice.
    #[serde(default)]
    pub advice: Advice,
    /// People's ratings of the systems.
    pub ratings: Option<Ratings>,
    /// Input sets whose systems have ratings. These, and the next ones, are in the file's order.
    #[serde(default, deserialize_with = "in_file_order")]
    pub inputs: IndexMap<String, Input>,
    /// Input sets with labels of pairs.
    #[serde(default, deserialize_with = "in_file_order")]
    pub labelled: IndexMap<String, Input>,
    /// Input sets without labels, whose pairs are judged for how consistent judges are.
    #[serde(default, deserialize_with = "in_file_order")]
    pub unlabelled: IndexMap<String, Input>,
    /// Totals over labelled input sets, by name: figures of all their pairs together. Without any,
    /// there is one over all sets, called `total`.
    #[serde(default, deserialize_with = "in_file_order")]
    pub totals: IndexMap<String, Vec<String>>,
    /// Labelled input sets that are not there, and were left out because they are optional.
    #[serde(skip)]
    pub left_out: Vec<String>,
    /// Live judges: what `--judge` takes, and the settings of served ones.
    #[serde(default, deserialize_with = "in_file_order")]
    pub judges: IndexMap<String, Judge>,
    /// Judgments that exist already.
    #[serde(default)]
    pub recorded: Vec<Recorded>,
}

/// Reads a table whose entries keep the order in which the file has them.
fn in_file_order<'de, D, T>(deserializer: D) -> Result<IndexMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let entries = BTreeMap::<Spanned<String>, T>::deserialize(deserializer)?;
    let mut entries: Vec<(Spanned<String>, T)> = entries.into_iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let named = entries.into_iter();
    Ok(named
        .map(|(name, entry)| (name.into_inner(), entry))
        .collect())
}

fn default_rounds() -> usize {
    1000
}

fn once() -> u32 {
    1
}

fn default_share_rounds() -> usize {
    100
}

fn default_level() -> f64 {
    0.95
}

pub(super) fn appendix_a() -> Option<StepWeights> {
    StepWeights::new(&[6.0, 2.0, 2.0]).ok()
}

/// Returns the paper's: 2, 3, 4, 5, 10, 20, ..., 100 %.
fn paper_shares() -> Vec<f64> {
    let few = [2.0, 3.0, 4.0, 5.0];
    let many = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0];
    let percents = few.into_iter().chain(many);
    percents.map(|percent| percent / 100.0).collect()
}

/// Which systems stand as the reference.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum References {
    /// `all`.
    Word(String),
    /// These.
    Names(Vec<String>),
}

impl Default for References {
    fn default() -> Self {
        References::Names(Vec::new())
    }
}

/// What the recommendation is for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Advice {
    /// The most US dollars that a ranking may cost.
    pub budget: Option<f64>,
    /// How far apart the user's closest systems are, in the unit of the ratings.
    pub closest: Option<f64>,
}

/// People's ratings of the systems.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ratings {
    /// `ratings.csv`, or an Arena table.
    pub file: PathBuf,
    /// A table of names of the same systems.
    pub names: Option<PathBuf>,
}

/// An input set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Input {
    /// Files or directories with items and responses, and labels.
    #[serde(default)]
    pub data: Vec<PathBuf>,
    /// Labels of what recorded judges have judged, where neither `data` nor the recordings have
    /// them.
    #[serde(default)]
    pub labels: Vec<PathBuf>,
    /// Only the first so many items.
    pub items: Option<usize>,
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// Conditions `FIELD=VALUE` on the records that are read, as `--where` has them.
    #[serde(default, rename = "where")]
    pub filter: Vec<String>,
    /// Spellings of labels, as `--outcomes` has them.
    pub outcomes: Option<String>,
    /// Which field is which.
    pub map: Option<String>,
    /// Which turns of conversations are judged, as `--turn` has them.
    pub turn: Option<String>,
    /// Files of answers that are the items' references, as `--reference-answers` has them.
    #[serde(default)]
    pub reference_answers: Vec<PathBuf>,
    /// The most tokens of a trajectory, as `--trajectory-budget` has them.
    pub trajectory_budget: Option<u64>,
    /// Whether the thoughts of trajectories are shown.
    #[serde(default)]
    pub show_thinking: bool,
    /// The files' format.
    pub input_format: Option<String>,
    /// Go on although some systems lack responses.
    #[serde(default)]
    pub allow_missing: bool,
    /// Evaluation types in place of the study's.
    pub types: Option<Vec<String>>,
    /// A field of items: the pairs of each of its values stand by themselves, as a set does.
    pub by: Option<String>,
    /// How often each labelled pair is judged by a live judge, in place of the study's.
    pub repeats: Option<u32>,
    /// How several labels of one pair count, in place of the study's.
    pub votes: Option<Votes>,
    /// Whether the study goes on without it where its data is not there; only of labelled sets.
    #[serde(default)]
    pub optional: bool,
    /// Which two systems are compared, of a set without labels; none for all.
    #[serde(default)]
    pub pairs: Vec<[String; 2]>,
    /// The judge whose consistent verdicts stand as the labels of a set without any.
    pub gold: Option<String>,
    /// Whether it is one of those without labels.
    #[serde(skip)]
    pub unlabelled: bool,
}

/// A live judge.
#[derive(Clone, Debug, Deserialize)]
pub struct Judge {
    /// What `--judge` takes.
    pub spec: String,
    /// Of a served judge.
    #[serde(flatten)]
    pub settings: toml::Table,
}

/// Judgments that exist already.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recorded {
    /// Who judged. On a labelled input set it may be left out: files of one name are then one
    /// judge's, with that name.
    pub judge: Option<String>,
    /// On which input set: one of `labelled`, whose labels the judge is held against (settings 2
    /// and 3); else any name, or one of `inputs` (setting 1).
    pub input: String,
    /// The evaluation type, for the table.
    #[serde(rename = "type")]
    pub kind: String,
    /// Files, or directories of files.
    pub files: Vec<PathBuf>,
    /// Only these systems.
    pub systems: Option<Vec<String>>,
    /// Conditions `FIELD=VALUE` on the records that are read, as `--where` has them.
    #[serde(default, rename = "where")]
    pub filter: Vec<String>,
    /// Spellings of outcomes, as `--outcomes` has them.
    pub outcomes: Option<String>,
    /// The baseline of Arena-Hard judgments that do not name theirs.
    pub baseline: Option<String>,
    /// US dollars that all of these judgments cost, where that is known.
    pub cost_usd: Option<f64>,
}

impl Config {
    /// Reads a study, with one judge in the place of those of the file where one is given. Paths in
    /// it are relative to its file.
    ///
    /// # Errors
    /// A file that cannot be read, is not TOML, or has a key or value that is not known, with its
    /// place.
    pub fn read(path: &Path, judge: Option<&str>) -> Result<Config, EngineError> {
        let refuse = |why: String| setting(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path)
            .map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let mut config: Config = toml::from_str(&text).map_err(|error| {
            let why = || with_nearest(error.to_string().trim_end());
            refuse(say_what_is_misshapen(&text).unwrap_or_else(why))
        })?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        config.name.get_or_insert_with(|| stem.into_owned());
        config
            .unlabelled
            .values_mut()
            .for_each(|set| set.unlabelled = true);
        config.check_name().map_err(refuse)?;
        config.anchor_paths(path.parent().unwrap_or(Path::new("")));
        // Only a path that is relative to the right directory can be missing.
        config.leave_out_missing();
        if let Some(spec) = judge {
            let settings = toml::Table::new();
            let judge = Judge {
                spec: spec.into(),
                settings,
            };
            config.judges = IndexMap::from([("judge".into(), judge)]);
            // No other judge is left whose verdicts could be labels.
            config
                .unlabelled
                .values_mut()
                .for_each(|set| set.gold = None);
        }
        config.check().map_err(refuse)?;
        Ok(config)
    }

    /// Returns the plan of the intervals of the main table.
    pub(super) fn bootstrap(&self) -> Bootstrap {
        Bootstrap {
            rounds: self.rounds,
            level: self.level,
            seed: self.seed,
            threads: 0,
        }
    }

    /// Leaves out optional input sets of whose data some is not there.
    fn leave_out_missing(&mut self) {
        let missing: Vec<String> = self
            .labelled
            .iter()
            .filter(|(_, set)| set.optional && set.data.iter().any(|path| !path.exists()))
            .map(|(name, _)| name.clone())
            .collect();
        for name in &missing {
            self.labelled.shift_remove(name);
            self.recorded.retain(|recorded| recorded.input != *name);
            for sets in self.totals.values_mut() {
                sets.retain(|set| set != name);
            }
        }
        self.left_out = missing;
    }

    /// Says which optional input sets are left out.
    pub(super) fn left_out_warnings(&self) -> Vec<String> {
        self.left_out
            .iter()
            .map(|set| {
                format!("[labelled.{set}] is left out: its data is not there, and it is optional")
            })
            .collect()
    }

    /// Refuses judges that name addresses or keys, unless the user trusts the file.
    ///
    /// # Errors
    /// The first such judge; one that is not a judge.
    pub fn check_trust(&self, file: &Path, trusted: &[PathBuf]) -> Result<(), EngineError> {
        for (name, spec) in self.judge_specs()? {
            check_brought(file, name, &spec, trusted)?;
        }
        Ok(())
    }

    /// Returns the judges by name.
    pub(super) fn judge_specs(&self) -> Result<Vec<(&str, JudgeSpec)>, EngineError> {
        let named = self.named_judges()?;
        self.judges
            .keys()
            .map(|name| Ok((name.as_str(), JudgeSpec::named(name, &named)?)))
            .collect()
    }

    /// Returns the judges as `JudgeSpec::named` looks them up.
    ///
    /// # Errors
    /// A setting that is not known. The message alone is shown: an excerpt could hold what should
    /// not be there, such as a key.
    pub(super) fn named_judges(&self) -> Result<NamedJudges, EngineError> {
        self.judges
            .iter()
            .map(|(name, judge)| {
                let settings: Settings =
                    judge
                        .settings
                        .clone()
                        .try_into()
                        .map_err(|error: toml::de::Error| {
                            let why = with_nearest(error.message());
                            setting(format!("key `judges.{name}`: {why}"))
                        })?;
                Ok((name.clone(), (judge.spec.clone(), settings)))
            })
            .collect()
    }

    /// Makes all paths relative to a directory.
    fn anchor_paths(&mut self, base: &Path) {
        let sets = self.inputs.values_mut().chain(self.labelled.values_mut());
        let of_sets = sets.chain(self.unlabelled.values_mut()).flat_map(|set| {
            let labels = set.data.iter_mut().chain(&mut set.labels);
            labels.chain(&mut set.reference_answers)
        });
        let recorded = self
            .recorded
            .iter_mut()
            .flat_map(|recorded| &mut recorded.files);
        let ratings = self.ratings.iter_mut().flat_map(|ratings| {
            let file = std::iter::once(&mut ratings.file);
            file.chain(&mut ratings.names)
        });
        let packs = self.prompt_pack.iter_mut().chain(&mut self.prompt_packs);
        let own = self.prices.iter_mut().chain(packs).chain(&mut self.run);
        for path in of_sets.chain(recorded).chain(ratings).chain(own) {
            *path = path_from(base, path);
        }
    }

    /// Returns recorded judgments that are held against ratings.
    pub(super) fn rated(&self) -> impl Iterator<Item = &Recorded> {
        self.recorded
            .iter()
            .filter(|recorded| !self.labelled.contains_key(&recorded.input))
    }

    /// Returns labelled input sets that are judged live: all but those that have recorded judges
    /// and either no data or no live judge beside them.
    pub(super) fn live_labelled(&self) -> impl Iterator<Item = (&String, &Input)> {
        self.labelled.iter().filter(|(name, set)| {
            let has_live = !set.data.is_empty() && !self.judges.is_empty();
            has_live || !self.is_recorded(name)
        })
    }

    /// Returns the evaluation types of an input set: its own, or the study's.
    pub(super) fn types_of<'a>(&'a self, input: &'a Input) -> &'a [String] {
        input.types.as_ref().unwrap_or(&self.types)
    }

    /// Returns how often each pair of a labelled input set is judged.
    pub(super) fn repeats_of(&self, set: &Input) -> u32 {
        set.repeats.unwrap_or(self.repeats)
    }

    /// Returns what the prompts are called with which everything is asked.
    pub(super) fn own_prompts(&self) -> String {
        let pack = self.prompt_pack.as_deref().and_then(Path::file_name);
        pack.map_or("built-in".into(), |name| {
            name.to_string_lossy().into_owned()
        })
    }

    /// Returns how several labels of a pair of a labelled input set count.
    pub(super) fn votes_of(&self, labelled: &str) -> Votes {
        let own = self.labelled.get(labelled).and_then(|set| set.votes);
        own.unwrap_or(self.votes)
    }

    /// Counts several labels of a pair like this in all labelled input sets.
    pub fn set_votes(&mut self, votes: Votes) {
        self.votes = votes;
        for set in self.labelled.values_mut() {
            set.votes = None;
        }
    }

    /// Whether a labelled input set has recorded judges.
    pub(super) fn is_recorded(&self, labelled: &str) -> bool {
        self.recorded
            .iter()
            .any(|recorded| recorded.input == labelled)
    }

    /// Returns the aggregations: by default the four of the paper.
    pub(super) fn aggregations(&self) -> Result<Vec<Aggregation>, String> {
        if self.aggregations.is_empty() {
            return Ok(PAPER_AGGREGATIONS.to_vec());
        }
        let mut found = Vec::new();
        for name in &self.aggregations {
            found.push(name.parse().map_err(|_| {
                let names = Aggregation::NAMES.join(", ");
                format!("aggregations: `{name}` is not known; expected any of {names}")
            })?);
        }
        Ok(found)
    }

    /// Whether the benchers with this system as the reference have rows of their own.
    pub(super) fn is_named(&self, system: &str) -> bool {
        match &self.references {
            References::Word(word) => word == system,
            References::Names(names) => names.contains(&system.to_string()),
        }
    }

    /// Whether this system stands as a reference.
    pub(super) fn is_reference(&self, system: &str) -> bool {
        match &self.references {
            References::Word(word) if word == ALL => true,
            References::Names(names) if names.iter().any(|name| name == ALL) => true,
            _ => self.is_named(system),
        }
    }
}

/// Returns which part of a study's file, which was not understood, is a table where a list is
/// wanted, or the reverse; and what stands in the place of a judge's `spec`.
// Deep: a key of the file, its sort, and for judges each of them.
fn say_what_is_misshapen(text: &str) -> Option<String> {
    let file: toml::Table = text.parse().ok()?;
    if file.contains_key("probes") {
        return Some(format!(
            "it has `probes`, so it is the configuration of an audit and no study: use `evenhand \
             audit {}` with it",
            Setting::Config
        ));
    }
    for (key, value) in &file {
        let write = match (key.as_str(), value) {
            ("recorded", Value::Table(_)) => "[[recorded]], without a name, above each",
            ("ratings" | "advice" | "totals", Value::Array(_)) => &format!("[{key}], once"),
            ("inputs" | "labelled" | "unlabelled" | "judges", Value::Array(_)) => {
                &format!("[{key}.NAME] above each, with a name of your own")
            }
            _ => continue,
        };
        let [found, expected] = match value {
            Value::Table(_) => ["a table", "a list of tables"],
            _ => ["a list", "a table"],
        };
        return Some(format!(
            "key `{key}`: expected {expected}, found {found}: write {write}"
        ));
    }
    for (name, judge) in file.get("judges")?.as_table()? {
        let spec = "spec = \"openai:MODEL\", or another judge";
        match judge.as_table() {
            Some(keys) if keys.contains_key("spec") => {}
            Some(keys) => {
                return Some(match nearest("spec", keys.keys()) {
                    Some(key) => {
                        format!("key `judges.{name}`: unknown field `{key}`; did you mean `spec`?")
                    }
                    None => format!("key `judges.{name}`: missing field `spec`: expected {spec}"),
                });
            }
            None => {
                return Some(format!(
                    "key `judges.{name}`: expected a table: write [judges.{name}] with {spec}"
                ));
            }
        }
    }
    None
}

/// Adds to the reader's words on an unknown field the known one that is spelt most like it.
fn with_nearest(why: &str) -> String {
    let meant = why.rsplit_once("unknown field `").and_then(|(_, said)| {
        let mut names = said.split('`').step_by(2);
        let unknown = names.next()?;
        nearest(unknown, &names.collect::<Vec<_>>()).map(String::from)
    });
    match meant {
        Some(meant) => format!("{why}; did you mean `{meant}`?"),
        None => why.into(),
    }
}

/// Stands for every system as the reference.
const ALL: &str = "all";

/// The aggregations of the paper.
const PAPER_AGGREGATIONS: [Aggregation; 4] = [
    Aggregation::BradleyTerry,
    Aggregation::WinRatio,
    Aggregation::Mean,
    Aggregation::Median,
];

impl Ratings {
    pub(super) fn read(&self) -> Result<Rated, EngineError> {
        Rated::read(&self.file, self.names.as_deref())
    }
}

/// Reads spellings as `outcomes` has them.
pub(super) fn spellings(text: Option<&str>) -> Result<Spellings, EngineError> {
    text.map_or(Ok(Spellings::default()), Spellings::parse)
        .map_err(|why| setting(format!("outcomes: {why}")))
}

/// Refuses what the study's file says.
pub(super) fn setting(why: String) -> EngineError {
    Refusal::of_input(why).into()
}
