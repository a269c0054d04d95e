//! Judges by name: `gguf:PATH`, `openai:MODEL`, `anthropic:MODEL`, `simulated:SPEC`,
//! `recorded:RUN_DIR`.

use crate::EngineError;
use crate::ask::recorded::Recorded;
use evenhand_models::served::{Served, ServedSpec, Settings};
use evenhand_models::simulated::{Simulated, Spec};
use evenhand_models::{Model, Team};
use evenhand_protocols::{CutShort, Judges, SecondStage};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Which judge is meant.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgeSpec {
    /// A GGUF file, run on this machine.
    Gguf(PathBuf),
    /// A model behind an HTTP API.
    Served(Box<ServedSpec>),
    /// A judge with planted defects.
    Simulated(Spec),
    /// The replies of an earlier run.
    Recorded(PathBuf),
}

/// The judges of a configuration by name: a judge, and its settings where it is served.
pub type NamedJudges = BTreeMap<String, (String, Settings)>;

/// How judges are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgeOptions {
    /// Threads; None: the machine's physical cores.
    pub threads: Option<usize>,
    /// Context in tokens; None: what the model was trained for, at most 8,192.
    pub context: Option<u32>,
    /// Whether marks of chat templates go to a server as they are.
    pub raw_marks: bool,
}

impl JudgeSpec {
    /// Reads a judge's name.
    pub fn parse(text: &str) -> Result<JudgeSpec, EngineError> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("simulated", rest) => Ok(JudgeSpec::Simulated(Spec::parse(rest)?)),
            ("gguf" | "recorded", "") => Err(EngineError::Setting(format!(
                "--judge {text}: expected {kind}:PATH"
            ))),
            ("panel", _) => Err(EngineError::Setting(format!(
                "--judge {text}: a calibrated panel (panel:FILE) can judge in rank, judge, \
                 estimate and meta judge; it is no member of others"
            ))),
            ("gguf", path) => Ok(JudgeSpec::Gguf(path.into())),
            ("recorded", path) => Ok(JudgeSpec::Recorded(path.into())),
            ("openai" | "anthropic", rest) => {
                Ok(JudgeSpec::Served(Box::new(ServedSpec::parse(kind, rest)?)))
            }
            _ => Err(EngineError::Setting(format!(
                "--judge {text}: expected openai:MODEL[@BASE_URL], anthropic:MODEL, gguf:PATH, \
                 simulated[:SPEC], recorded:RUN_DIR, panel:FILE, or a name from the \
                 configuration's [judges]"
            ))),
        }
    }

    /// Reads a judge's name, which may be one of the configuration's.
    pub fn named(text: &str, judges: &NamedJudges) -> Result<JudgeSpec, EngineError> {
        let Some((spec, settings)) = judges.get(text) else {
            return JudgeSpec::parse(text);
        };
        match JudgeSpec::parse(spec)? {
            JudgeSpec::Served(served) => {
                let name = Some(text.to_string());
                Ok(JudgeSpec::Served(Box::new(ServedSpec {
                    name,
                    settings: settings.clone(),
                    ..*served
                })))
            }
            other if *settings == Settings::default() => Ok(other),
            _ => Err(EngineError::Setting(format!(
                "--judge {text}: {spec} is no served judge and takes nothing but spec"
            ))),
        }
    }

    /// True for a judge behind an HTTP API.
    pub fn is_served(&self) -> bool {
        matches!(self, JudgeSpec::Served(_))
    }

    /// True for the judge whose protocol is by likelihood unless another is asked for: a small
    /// local model.
    pub fn prefers_likelihood(&self) -> bool {
        matches!(self, JudgeSpec::Gguf(path) if path.metadata().is_ok_and(|file| file.len() < SMALL_MODEL_BYTES))
    }

    /// Refuses a judge that cannot say how probable a given text is.
    ///
    /// # Errors
    /// What it is, and what would do.
    pub fn check_scores(&self) -> Result<(), EngineError> {
        match self {
            JudgeSpec::Served(spec) => Ok(spec.check_scores()?),
            _ => Ok(()),
        }
    }

    /// Whether it is a server that may read marks of chat templates in a text as tokens.
    ///
    /// # Errors
    /// An address or a provider that is none.
    pub(crate) fn reads_marks(&self) -> Result<bool, EngineError> {
        match self {
            JudgeSpec::Served(spec) => Ok(spec.reads_marks()?),
            _ => Ok(false),
        }
    }

    /// Opens one judge; `systems` are those of the data set, for a simulated judge.
    pub(crate) fn open(
        &self,
        systems: &[Arc<str>],
        options: JudgeOptions,
    ) -> Result<Box<dyn Model>, EngineError> {
        match self {
            JudgeSpec::Gguf(path) => embedded(path, options),
            JudgeSpec::Served(spec) => Ok(Box::new(Served::open(std::slice::from_ref(&**spec))?)),
            JudgeSpec::Simulated(spec) => Ok(Box::new(Simulated::new(spec.clone(), systems)?)),
            JudgeSpec::Recorded(dir) => Err(EngineError::Setting(format!(
                "--judge recorded:{}: a recorded run answers for all of its judges; it stands \
                 alone",
                dir.display()
            ))),
        }
    }
}

/// Everybody who answers, and who is who.
pub struct Bench {
    /// Answers the requests of all of them.
    pub model: Box<dyn Model>,
    /// Who judges, who reads what cannot be read, and who embeds.
    pub judges: Judges,
}

/// Who reads verdicts that the strict reader cannot, by name.
#[derive(Clone, Debug, PartialEq)]
pub enum SecondSpec {
    /// The judge that wrote the text.
    Same,
    /// This model.
    By(Box<JudgeSpec>),
}

impl SecondSpec {
    /// Reads `same` or a judge's name.
    pub fn named(text: &str, judges: &NamedJudges) -> Result<SecondSpec, EngineError> {
        match text {
            "same" => Ok(SecondSpec::Same),
            name => JudgeSpec::named(name, judges).map(|spec| SecondSpec::By(Box::new(spec))),
        }
    }
}

/// Opens the judge, or all judges of a panel, the model of the second stage, and the one that
/// embeds responses in place of the judges.
pub fn bench(
    panel: &[JudgeSpec],
    second: Option<&SecondSpec>,
    embedder: Option<&JudgeSpec>,
    systems: &[Arc<str>],
    options: JudgeOptions,
) -> Result<Bench, EngineError> {
    if let ([JudgeSpec::Recorded(dir)], None, None) = (panel, second, embedder) {
        let (recorded, judges) = Recorded::open(dir)?;
        return Ok(Bench {
            model: Box::new(recorded),
            judges,
        });
    }
    let served = panel.iter().any(JudgeSpec::is_served);
    let cut_short = if served {
        CutShort::WithRoom
    } else {
        CutShort::Final
    };
    let mut members = Members {
        systems,
        options,
        served: Vec::new(),
        others: Vec::new(),
    };
    let panel = panel
        .iter()
        .map(|spec| members.join(spec))
        .collect::<Result<Vec<_>, _>>()?;
    let second_stage = match second {
        None => None,
        Some(SecondSpec::Same) => Some(SecondStage::Same),
        Some(SecondSpec::By(spec)) => Some(SecondStage::By(members.helper(spec)?)),
    };
    let embedder = embedder.map(|spec| members.helper(spec)).transpose()?;
    let (reads_marks, raw_marks) = (members.that_read_marks()?, options.raw_marks);
    let judges = Judges {
        panel,
        second_stage,
        embedder,
        served,
        cut_short,
        reads_marks,
        raw_marks,
    };
    Ok(Bench {
        model: members.model()?,
        judges,
    })
}

/// Models that are gathered behind one seam; the served ones are asked at the same time.
struct Members<'a> {
    systems: &'a [Arc<str>],
    options: JudgeOptions,
    served: Vec<ServedSpec>,
    others: Vec<Box<dyn Model>>,
}

impl Members<'_> {
    /// Takes a judge in, and gives its identity.
    fn join(&mut self, spec: &JudgeSpec) -> Result<Arc<str>, EngineError> {
        if let JudgeSpec::Served(served) = spec {
            self.served.push((**served).clone());
            return Ok(served.identity().into());
        }
        let model = spec.open(self.systems, self.options)?;
        let identity = model.identity().into();
        self.others.push(model);
        Ok(identity)
    }

    /// The identity of a model that reads or embeds; it joins the others unless it is one of them.
    fn helper(&mut self, spec: &JudgeSpec) -> Result<Arc<str>, EngineError> {
        if let JudgeSpec::Served(served) = spec {
            let there = self
                .served
                .iter()
                .any(|other| other.identity() == served.identity());
            return if there {
                Ok(served.identity().into())
            } else {
                self.join(spec)
            };
        }
        let model = spec.open(self.systems, self.options)?;
        let identity: Arc<str> = model.identity().into();
        if self
            .others
            .iter()
            .all(|member| *member.identity() != *identity)
        {
            self.others.push(model);
        }
        Ok(identity)
    }

    /// The identities of those whose servers may read marks of chat templates.
    fn that_read_marks(&self) -> Result<Vec<Arc<str>>, EngineError> {
        let of = |spec: &ServedSpec| Ok(spec.reads_marks()?.then(|| spec.identity().into()));
        self.served
            .iter()
            .filter_map(|spec| of(spec).transpose())
            .collect()
    }

    fn model(self) -> Result<Box<dyn Model>, EngineError> {
        let mut members = self.others;
        if !self.served.is_empty() {
            members.push(Box::new(Served::open(&self.served)?));
        }
        match members.len() {
            1 => Ok(members.remove(0)),
            _ => Ok(Box::new(Team::new(members)?)),
        }
    }
}

/// Below this size a model's verdicts are position bias (measured for 135 M and 270 M parameters),
/// and its likelihoods are not.
const SMALL_MODEL_BYTES: u64 = 400_000_000;

#[cfg(feature = "embedded")]
fn embedded(path: &std::path::Path, options: JudgeOptions) -> Result<Box<dyn Model>, EngineError> {
    use evenhand_models::embedded::{Embedded, Options};
    let options = Options {
        threads: options.threads,
        context: options.context,
        ..Options::default()
    };
    Ok(Box::new(Embedded::open(path, &options)?))
}

#[cfg(not(feature = "embedded"))]
fn embedded(path: &std::path::Path, _: JudgeOptions) -> Result<Box<dyn Model>, EngineError> {
    let path = path.display();
    let message = format!(
        "--judge gguf:{path}: this evenhand was built without the embedded engine; build it with \
         --features embedded"
    );
    Err(evenhand_models::ModelError::Open(message).into())
}
