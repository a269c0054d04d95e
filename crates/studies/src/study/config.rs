//! STUDY.toml: which benchers are built, and what they are held against.

use evenhand_engine::{
    Aggregation, EngineError, JudgeSpec, NamedJudges, StepWeights, check_brought, check_level,
};
use evenhand_formats::battles::Spellings;
use evenhand_models::served::Settings;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A study as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// What the study is called; otherwise the file's name.
    pub name: Option<String>,
    /// The directory with the calls of all live judges; otherwise `runs/study-NAME`.
    pub run: Option<PathBuf>,
    /// The seed of everything that is drawn.
    #[serde(default)]
    pub seed: u64,
    /// Bootstrap rounds of the intervals of the main table.
    #[serde(default = "thousand")]
    pub rounds: usize,
    /// Rounds of each point of the curves over shares of the inputs.
    #[serde(default = "hundred")]
    pub share_rounds: usize,
    /// Rounds of each split of the fixed budget.
    #[serde(default = "thousand")]
    pub budget_rounds: usize,
    /// Coverage of the intervals.
    #[serde(default = "level")]
    pub level: f64,
    /// Evaluation types of the live judges: protocols.
    #[serde(default)]
    pub types: Vec<String>,
    /// Aggregations; those that judgments do not have are left out of their rows. None: the usual
    /// ones of the paper.
    #[serde(default)]
    pub aggregations: Vec<String>,
    /// Weights of a strong, a slight and an equal verdict of a 5-point form (RealRank's appendix A:
    /// 6, 2, 2). An equal verdict is half a win for each per unit, so 2 is one win for each.
    #[serde(default = "appendix_a")]
    pub strength: Option<StepWeights>,
    /// Systems that stand as the reference: `all`, or names; none for no analysis of references.
    #[serde(default)]
    pub references: References,
    /// Further thresholds of tau_u.
    #[serde(default)]
    pub u: Vec<f64>,
    /// Shares of the inputs at which intervals and costs are computed.
    #[serde(default = "shares")]
    pub shares: Vec<f64>,
    /// Whether the fixed budget m * n is spent in different ways (the paper's figure 1).
    #[serde(default)]
    pub fixed_budget: bool,
    /// A file of prices, whose rows beat the built-in ones.
    pub prices: Option<PathBuf>,
    /// What a user has to spend, for the advice.
    #[serde(default)]
    pub advice: Advice,
    /// People's ratings of the systems.
    pub ratings: Option<Ratings>,
    /// Input sets whose systems have ratings.
    #[serde(default)]
    pub inputs: BTreeMap<String, Input>,
    /// Input sets with labels of pairs.
    #[serde(default)]
    pub labelled: BTreeMap<String, Input>,
    /// Live judges: what `--judge` takes, and the settings of served ones.
    #[serde(default)]
    pub judges: BTreeMap<String, Judge>,
    /// Judgments that exist already.
    #[serde(default)]
    pub recorded: Vec<Recorded>,
}

/// Longer names make no directory on common file systems.
const LONGEST_NAME: usize = 200;

fn thousand() -> usize {
    1000
}

fn hundred() -> usize {
    100
}

fn level() -> f64 {
    0.95
}

pub(super) fn appendix_a() -> Option<StepWeights> {
    StepWeights::new(&[6.0, 2.0, 2.0]).ok()
}

/// The paper's: 2, 3, 4, 5, 10, 20, ..., 100 %.
fn shares() -> Vec<f64> {
    [2, 3, 4, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
        .map(|percent| f64::from(percent) / 100.0)
        .to_vec()
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
    /// The files' format.
    pub input_format: Option<String>,
    /// Go on although some systems lack responses.
    #[serde(default)]
    pub allow_missing: bool,
    /// Evaluation types in place of the study's.
    pub types: Option<Vec<String>>,
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
    /// Reads a study. Paths in it are relative to its file.
    ///
    /// # Errors
    /// A file that cannot be read, is not TOML, or has a key or value that is not known, with its
    /// place.
    pub fn read(path: &Path) -> Result<Config, EngineError> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| setting(format!("{shown}: cannot be read: {e}")))?;
        let mut config: Config = toml::from_str(&text)
            .map_err(|e| setting(format!("{shown}: {}", e.to_string().trim_end())))?;
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        config.name = config.name.take().or(Some(stem));
        config
            .check_name()
            .map_err(|why| setting(format!("{shown}: {why}")))?;
        config.anchor(path.parent().unwrap_or(Path::new("")));
        config
            .check()
            .map_err(|why| setting(format!("{shown}: {why}")))?;
        Ok(config)
    }

    /// Refuses judges that name addresses or keys, unless the user trusts the file.
    ///
    /// # Errors
    /// The first such judge; one that is none.
    pub fn check_trust(&self, file: &Path, trusted: &[PathBuf]) -> Result<(), EngineError> {
        let judges = self.named_judges()?;
        judges.keys().try_for_each(|name| {
            check_brought(file, name, &JudgeSpec::named(name, &judges)?, trusted)
        })
    }

    /// The judges as `JudgeSpec::named` looks them up.
    pub(super) fn named_judges(&self) -> Result<NamedJudges, EngineError> {
        self.judges
            .iter()
            .map(|(name, judge)| Ok((name.clone(), judge.named(name)?)))
            .collect()
    }

    fn anchor(&mut self, base: &Path) {
        let sets = self.inputs.values_mut().chain(self.labelled.values_mut());
        let data = sets.flat_map(|input| input.data.iter_mut().chain(&mut input.labels));
        let recorded = self
            .recorded
            .iter_mut()
            .flat_map(|recorded| &mut recorded.files);
        let ratings = self
            .ratings
            .iter_mut()
            .flat_map(|ratings| [Some(&mut ratings.file), ratings.names.as_mut()])
            .flatten();
        data.chain(recorded)
            .chain(ratings)
            .chain(&mut self.prices)
            .for_each(|path| *path = base.join(&*path));
    }

    /// The name is part of a directory's under `runs/`, and stays there.
    fn check_name(&self) -> Result<(), String> {
        let name = self.name.as_deref().unwrap_or_default();
        let bad = |c: char| c.is_control() || "/\\:".contains(c);
        match name.is_empty() || name.contains(bad) || name.len() > LONGEST_NAME {
            true => Err(format!(
                "name {name:?}: it names a directory under runs/; expected at most {LONGEST_NAME} \
                 bytes without / \\ : and control characters"
            )),
            false => Ok(()),
        }
    }

    fn check(&self) -> Result<(), String> {
        let sound = |share: &f64| *share > 0.0 && *share <= 1.0;
        match () {
            _ if check_level(self.level).is_err() => {
                Err(format!("level {}: expected a number strictly between 0 and 1", self.level))
            }
            _ if [self.rounds, self.share_rounds, self.budget_rounds].iter().any(|rounds| !(2..=1_000_000).contains(rounds)) => {
                Err("rounds: expected 2 to 1000000".into())
            }
            _ if !self.shares.iter().all(sound) => Err("shares: expected numbers above 0 and up to \
                                                        1".into()),
            _ if self.ratings.is_none() && !(self.inputs.is_empty() && self.rated().next().is_none()) => Err(
                "inputs and recorded judgments of them are held against people's ratings: expected \
                 [ratings] with file = \"...\""
                    .into(),
            ),
            _ if (!self.inputs.is_empty() || self.live_labelled().next().is_some())
                && (self.judges.is_empty() || self.types.is_empty()) =>
            {
                Err("input sets are judged live: expected [judges.NAME] with spec = \"...\", and \
                     types = [\"pairwise\", ...]"
                    .into())
            }
            _ if self.inputs.is_empty() && self.labelled.is_empty() && self.recorded.is_empty() => {
                Err("nothing to study: expected [inputs.NAME], [labelled.NAME] or [[recorded]]".into())
            }
            _ => self.check_recorded().and_then(|()| self.aggregations().map(|_| ())),
        }
    }

    /// What a recording of a labelled input set, or of a rated one, has no use for.
    fn check_recorded(&self) -> Result<(), String> {
        if let Some(name) = self
            .inputs
            .iter()
            .find(|(_, input)| !input.labels.is_empty())
            .map(|(name, _)| name)
        {
            return Err(format!(
                "[inputs.{name}] labels: they are for [labelled.NAME]; ratings are what [inputs] \
                 are held against"
            ));
        }
        for recorded in &self.recorded {
            let (name, labelled) = (&recorded.input, self.labelled.contains_key(&recorded.input));
            let of = |why: &str| Err(format!("[[recorded]] on {name}: {why}"));
            match () {
                _ if labelled && self.inputs.contains_key(name) => {
                    return of(
                        "both [inputs] and [labelled] have this name; expected different ones",
                    );
                }
                _ if labelled && recorded.systems.is_some() => {
                    return of("systems: a labelled input set is held against its pairs");
                }
                _ if labelled && recorded.cost_usd.is_some() => {
                    return of("cost-usd: it is for the cost of rankings");
                }
                _ if !labelled && recorded.judge.is_none() => {
                    return of("expected judge = \"...\", who judged");
                }
                _ => {}
            }
        }
        self.labelled
            .iter()
            .try_for_each(|(name, set)| self.check_labelled(name, set))
    }

    fn check_labelled(&self, name: &str, set: &Input) -> Result<(), String> {
        let of_data = set.items.is_some()
            || set.systems.is_some()
            || set.map.is_some()
            || !set.filter.is_empty();
        match self.is_recorded(name) {
            true if set.data.is_empty() && of_data => Err(format!(
                "[labelled.{name}] items, systems, map and where: they are of its data; expected \
                 data = [\"PATH\", ...]"
            )),
            false if !set.labels.is_empty() => Err(format!(
                "[labelled.{name}] labels: they are for recorded judges; expected [[recorded]] \
                 with input = \"{name}\""
            )),
            _ => Ok(()),
        }
    }

    /// Recorded judgments that are held against ratings.
    pub(super) fn rated(&self) -> impl Iterator<Item = &Recorded> {
        self.recorded
            .iter()
            .filter(|recorded| !self.labelled.contains_key(&recorded.input))
    }

    /// Labelled input sets that are judged live: all but those that have recorded judges and either
    /// no data or no live judge beside them.
    pub(super) fn live_labelled(&self) -> impl Iterator<Item = (&String, &Input)> {
        let recordings_alone = |name: &str, set: &Input| {
            self.is_recorded(name) && (set.data.is_empty() || self.judges.is_empty())
        };
        self.labelled
            .iter()
            .filter(move |(name, set)| !recordings_alone(name, set))
    }

    fn is_recorded(&self, labelled: &str) -> bool {
        self.recorded
            .iter()
            .any(|recorded| recorded.input == labelled)
    }

    /// The aggregations: by default the four of the paper.
    pub(super) fn aggregations(&self) -> Result<Vec<Aggregation>, String> {
        if self.aggregations.is_empty() {
            return Ok(vec![
                Aggregation::BradleyTerry,
                Aggregation::WinRatio,
                Aggregation::Mean,
                Aggregation::Median,
            ]);
        }
        let named = |name: &String| {
            let found = Aggregation::ALL
                .into_iter()
                .find(|aggregation| aggregation.name() == name);
            let names: Vec<&str> = Aggregation::ALL
                .iter()
                .map(|aggregation| aggregation.name())
                .collect();
            found.ok_or_else(|| {
                format!(
                    "aggregations: `{name}` is not known; expected any of {}",
                    names.join(", ")
                )
            })
        };
        self.aggregations.iter().map(named).collect()
    }

    /// Whether the benchers with this system as the reference have rows of their own.
    pub(super) fn is_named(&self, system: &str) -> bool {
        match &self.references {
            References::Word(word) => word == system,
            References::Names(names) => names.iter().any(|name| name == system),
        }
    }

    /// Whether this system stands as a reference.
    pub(super) fn is_reference(&self, system: &str) -> bool {
        match &self.references {
            References::Word(word) if word == "all" => true,
            _ => self.is_named(system),
        }
    }
}

impl Judge {
    /// What `JudgeSpec::named` looks up.
    ///
    /// # Errors
    /// A setting that is not known. The message alone is shown: an excerpt could hold what should
    /// not be there, such as a key.
    fn named(&self, name: &str) -> Result<(String, Settings), EngineError> {
        let settings: Result<Settings, _> = self.settings.clone().try_into();
        let settings =
            settings.map_err(|e| setting(format!("key `judges.{name}`: {}", e.message())))?;
        Ok((self.spec.clone(), settings))
    }
}

/// Spellings as `outcomes` has them.
pub(super) fn spellings(text: Option<&str>) -> Result<Spellings, EngineError> {
    let read = text
        .map(Spellings::parse)
        .transpose()
        .map_err(|why| setting(format!("outcomes: {why}")))?;
    Ok(read.unwrap_or_default())
}

pub(super) fn setting(why: String) -> EngineError {
    EngineError::Setting(why)
}
