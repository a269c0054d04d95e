//! Judges by name: `gguf:PATH`, `openai:MODEL`, `anthropic:MODEL`, `simulated:SPEC`,
//! `recorded:RUN_DIR`.

use crate::EngineError;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_models::Model;
use evenhand_models::served::{Served, ServedSpec, Settings};
use evenhand_models::simulated::{Simulated, Spec};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
    /// The temperature at which judges write, 0 or more; 0 is greedy.
    pub temperature: f64,
}

impl JudgeSpec {
    /// Reads a judge's name.
    ///
    /// # Errors
    /// A name of no known kind, with those that are known; a kind without what it needs.
    pub fn parse(text: &str) -> Result<JudgeSpec, EngineError> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("simulated", rest) => Ok(JudgeSpec::Simulated(Spec::parse(rest)?)),
            ("openai" | "anthropic", rest) => {
                Ok(JudgeSpec::Served(Box::new(ServedSpec::parse(kind, rest)?)))
            }
            ("gguf" | "recorded", "") => {
                Err(refuse_judge(text, format!("expected {kind}:PATH")).into())
            }
            ("gguf", path) => Ok(JudgeSpec::Gguf(path.into())),
            ("recorded", path) => Ok(JudgeSpec::Recorded(path.into())),
            ("panel", _) => Err(refuse_judge(text, PANEL_AS_MEMBER).into()),
            _ => Err(refuse_judge(text, EXPECTED_JUDGE).into()),
        }
    }

    /// Reads a judge's name, which may be one of the configuration's.
    ///
    /// # Errors
    /// As [`JudgeSpec::parse`]; settings of a judge that is not served.
    pub fn named(text: &str, judges: &NamedJudges) -> Result<JudgeSpec, EngineError> {
        let Some((spec, settings)) = judges.get(text) else {
            return JudgeSpec::parse(text);
        };
        match JudgeSpec::parse(spec)? {
            JudgeSpec::Served(served) => Ok(JudgeSpec::Served(Box::new(ServedSpec {
                name: Some(text.to_string()),
                settings: settings.clone(),
                ..*served
            }))),
            other if *settings == Settings::default() => Ok(other),
            _ => {
                let reason = format!("{spec} is not a served judge and takes nothing but spec");
                Err(refuse_judge(text, reason).into())
            }
        }
    }

    /// Whether it is a judge behind an HTTP API.
    pub fn is_served(&self) -> bool {
        matches!(self, JudgeSpec::Served(_))
    }

    /// Whether its protocol is by likelihood unless another is asked for: a small local model.
    pub fn prefers_likelihood(&self) -> bool {
        match self {
            JudgeSpec::Gguf(path) => {
                let file = path.metadata();
                file.is_ok_and(|file| file.len() < SMALL_MODEL_BYTES)
            }
            _ => false,
        }
    }

    /// Refuses a judge that cannot say how probable a given text is.
    ///
    /// # Errors
    /// Such a judge, and which would do.
    pub fn check_scores(&self) -> Result<(), EngineError> {
        match self {
            JudgeSpec::Served(spec) => Ok(spec.check_scores()?),
            _ => Ok(()),
        }
    }

    /// Whether it is a server that may read marks of chat templates in a text as tokens.
    ///
    /// # Errors
    /// An unknown address or provider.
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
            JudgeSpec::Gguf(path) => open_embedded(path, options),
            JudgeSpec::Served(spec) => Ok(Box::new(Served::open(std::slice::from_ref(&**spec))?)),
            JudgeSpec::Simulated(spec) => Ok(Box::new(Simulated::new(spec.clone(), systems)?)),
            JudgeSpec::Recorded(dir) => Err(refuse_recorded_member(dir).into()),
        }
    }
}

const PANEL_AS_MEMBER: &str = "a calibrated panel (panel:FILE) can judge in rank, judge, estimate \
                               and meta judge; it is no member of others";
const EXPECTED_JUDGE: &str = "expected openai:MODEL[@BASE_URL], anthropic:MODEL, gguf:PATH, \
                              simulated[:SPEC], recorded:RUN_DIR, panel:FILE, or a name from the \
                              configuration's [judges]";

fn refuse_judge(text: &str, why: impl Into<String>) -> Refusal {
    Refusal::of_value(Setting::Judge, text, why)
}

fn refuse_recorded_member(dir: &Path) -> Refusal {
    let judge = format!("recorded:{}", dir.display());
    let reason = "a recorded run answers for all of its judges; it stands alone";
    Refusal::new(Setting::Judge, Cause::Conflict(Setting::Judge), reason).with_value(judge)
}

/// Below this size a model's verdicts are position bias (measured for 135 M and 270 M parameters),
/// and its likelihoods are not.
const SMALL_MODEL_BYTES: u64 = 400_000_000;

#[cfg(feature = "embedded")]
fn open_embedded(path: &Path, options: JudgeOptions) -> Result<Box<dyn Model>, EngineError> {
    use evenhand_models::embedded::{Embedded, Options};
    let options = Options {
        threads: options.threads,
        context: options.context,
        ..Options::default()
    };
    Ok(Box::new(Embedded::open(path, &options)?))
}

#[cfg(not(feature = "embedded"))]
fn open_embedded(path: &Path, _: JudgeOptions) -> Result<Box<dyn Model>, EngineError> {
    let message = format!(
        "{} gguf:{}: this evenhand was built without the embedded engine; build it with the \
         feature `embedded`",
        Setting::Judge,
        path.display()
    );
    Err(evenhand_models::ModelError::Open(message).into())
}
