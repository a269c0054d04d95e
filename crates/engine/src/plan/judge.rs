//! Judges by name: `gguf:PATH`, `openai:MODEL`, `anthropic:MODEL`, `systemone:MODEL`,
//! `decisions:MODEL`, `reward:MODEL`, `simulated:SPEC`, `recorded:RUN_DIR`, `exec:PROGRAM`.

use super::own::open_own_judge;
use crate::EngineError;
use evenhand_core::{Cause, Refusal, Setting, nearest};
use evenhand_hub::{HubName, find_cached, models_folder};
use evenhand_models::gguf::gives_rewards;
use evenhand_models::outside::open_program;
use evenhand_models::served::{SERVED_APIS, Served, ServedSpec, Settings, StateOrder};
use evenhand_models::simulated::{Simulated, Spec};
use evenhand_models::{GpuLayers, Model, ModelError};
use evenhand_protocols::{DecidingJudge, LEAST_LABEL_MASS};
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
    Simulated(Box<Spec>),
    /// The replies of an earlier run.
    Recorded(PathBuf),
    /// A program that reads requests and writes replies as JSON lines.
    Program(String),
    /// A judge that the program which called the engine has registered under this name.
    Own(String),
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
    /// Layers of a GGUF model on a graphics device; None: all that fit, in a program with a back
    /// end for one.
    pub gpu_layers: Option<GpuLayers>,
    /// Whether marks of chat templates go to a server as they are.
    pub raw_marks: bool,
    /// Whether no server is asked to hold replies to a JSON schema.
    pub free_replies: bool,
    /// The temperature at which judges write, 0 or more; 0 is greedy.
    pub temperature: f64,
}

impl JudgeSpec {
    /// Reads a judge's name.
    ///
    /// # Errors
    /// A name of no known kind, with those that are known; a kind without what it needs.
    pub fn parse(text: &str) -> Result<JudgeSpec, EngineError> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("simulated", spec) => Ok(JudgeSpec::Simulated(Box::new(Spec::parse(spec)?))),
            (provider, model) if SERVED_APIS.contains(&provider) => {
                let spec = ServedSpec::parse(provider, model)?;
                Ok(JudgeSpec::Served(Box::new(spec)))
            }
            // The servers that people have at home, by their own names.
            (server @ ("ollama" | "lmstudio"), model) if !model.is_empty() => {
                if model.contains('@') {
                    let why =
                        format!("{server} takes no address; name it as openai:MODEL@BASE_URL");
                    return Err(Refusal::of_value(Setting::Judge, text, why).into());
                }
                let spec = ServedSpec::parse("openai", &format!("{model}@{server}"))?;
                Ok(JudgeSpec::Served(Box::new(spec)))
            }
            ("gguf", path) if !path.is_empty() => Ok(JudgeSpec::Gguf(path.into())),
            ("hf", name) if !name.is_empty() => Ok(JudgeSpec::Gguf(find_on_machine(text, name)?)),
            ("recorded", path) if !path.is_empty() => Ok(JudgeSpec::Recorded(path.into())),
            ("exec", command) if !command.trim().is_empty() => {
                Ok(JudgeSpec::Program(command.into()))
            }
            ("own", name) if !name.is_empty() => Ok(JudgeSpec::Own(name.into())),
            (kind, _) => {
                let expected: &str = match kind {
                    "gguf" | "recorded" => &format!("expected {kind}:PATH"),
                    "hf" => "expected hf:OWNER/REPO, with a quantisation or a file after a colon",
                    "ollama" | "lmstudio" => &format!("expected {kind}:MODEL"),
                    "exec" => "expected exec:PROGRAM",
                    "panel" => PANEL_AS_MEMBER,
                    "head" => HEAD_AS_MEMBER,
                    _ => &format!("{EXPECTED_JUDGE}{}", suggest_judge(text)),
                };
                Err(Refusal::of_value(Setting::Judge, text, expected).into())
            }
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
                name: Some(text.into()),
                settings: settings.clone(),
                ..*served
            }))),
            other if *settings == Settings::default() => Ok(other),
            _ => {
                let why = format!("{spec} is not a served judge and takes nothing but spec");
                Err(Refusal::of_value(Setting::Judge, text, why).into())
            }
        }
    }

    /// Returns whether it is a model that this process runs: it says how probable each answer is,
    /// always.
    pub fn is_embedded(&self) -> bool {
        matches!(self, JudgeSpec::Gguf(_))
    }

    /// Whether it is a judge behind an HTTP API.
    pub fn is_served(&self) -> bool {
        matches!(self, JudgeSpec::Served(_))
    }

    /// Returns how a judge of this identity is asked, where it answers with probabilities and
    /// writes no text.
    pub(crate) fn deciding(&self, identity: &Arc<str>) -> Option<DecidingJudge> {
        let (least, order) = match self {
            JudgeSpec::Served(spec) if spec.decides() => {
                (spec.settings.least_label_mass, spec.settings.state_order)
            }
            JudgeSpec::Simulated(spec) if spec.decides => (None, StateOrder::Drawn),
            _ => return None,
        };
        Some(DecidingJudge {
            judge: identity.clone(),
            least_label_mass: least.unwrap_or(LEAST_LABEL_MASS),
            shares_state: order == StateOrder::Drawn,
        })
    }

    /// Whether it gives rewards and nothing else.
    pub fn gives_rewards(&self) -> bool {
        match self {
            JudgeSpec::Served(spec) => spec.gives_rewards(),
            JudgeSpec::Gguf(path) => gives_rewards(path),
            _ => false,
        }
    }

    /// Whether it answers with numbers alone, probabilities or rewards, and writes nothing.
    pub fn writes_nothing(&self) -> bool {
        match self {
            JudgeSpec::Served(spec) => spec.decides() || spec.gives_rewards(),
            JudgeSpec::Simulated(spec) => spec.decides,
            JudgeSpec::Gguf(path) => gives_rewards(path),
            _ => false,
        }
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
            JudgeSpec::Program(_) | JudgeSpec::Own(_) => Err(ModelError::Open(
                "this judge writes replies and cannot score a given text: choose a protocol other \
                 than `likelihood`, a local judge (gguf:PATH), or a server that gives the \
                 log-probabilities of a prompt"
                    .into(),
            )
            .into()),
            JudgeSpec::Gguf(_) | JudgeSpec::Simulated(_) | JudgeSpec::Recorded(_) => Ok(()),
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
            JudgeSpec::Served(spec) => {
                let served = Served::open(std::slice::from_ref(&**spec))?;
                Ok(Box::new(served))
            }
            JudgeSpec::Simulated(spec) => Ok(Box::new(Simulated::new((**spec).clone(), systems)?)),
            JudgeSpec::Recorded(dir) => {
                let why = "a recorded run answers for all of its judges; name no other judge";
                let conflict = Cause::Conflict(Setting::Judge);
                let refusal = Refusal::new(Setting::Judge, conflict, why);
                Err(refusal
                    .with_value(format!("recorded:{}", dir.display()))
                    .into())
            }
            JudgeSpec::Program(command) => Ok(Box::new(open_program(command)?)),
            JudgeSpec::Own(name) => open_own_judge(name),
        }
    }
}

const PANEL_AS_MEMBER: &str = "a calibrated panel (panel:FILE) can judge in rank, judge, estimate \
                               and meta judge; it cannot be a member of another panel";
const HEAD_AS_MEMBER: &str = "a head (head:FILE) can judge in rank, judge, estimate, batch and \
                              meta judge, alone; elsewhere name its model";
const EXPECTED_JUDGE: &str = "expected openai:MODEL[@BASE_URL], anthropic:MODEL, ollama:MODEL, \
                              lmstudio:MODEL, systemone:MODEL@BASE_URL, \
                              decisions:MODEL[@BASE_URL], reward:MODEL@BASE_URL, gguf:PATH, \
                              hf:OWNER/REPO[:QUANT], simulated[:SPEC], recorded:RUN_DIR, \
                              exec:PROGRAM, panel:FILE, head:FILE, or a name from the \
                              configuration's [judges]";

/// What stands before the colon of a judge's name.
const KINDS: [&str; 14] = [
    "openai",
    "anthropic",
    "ollama",
    "lmstudio",
    "systemone",
    "decisions",
    "reward",
    "gguf",
    "hf",
    "simulated",
    "recorded",
    "exec",
    "panel",
    "head",
];

/// Providers whose name stands before that of their model.
const PROVIDERS: [&str; 5] = ["openai", "anthropic", "ollama", "lmstudio", "hf"];

/// Says which judge a bare name of a known model, file or program may mean; else nothing.
fn suggest_judge(text: &str) -> String {
    let starts_with = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    let ends_with = |ends: &[&str]| ends.iter().any(|end| text.ends_with(end));
    let has_words = text.contains(char::is_whitespace);
    // As others write it: the provider, a slash, and the model.
    if let Some((provider, model)) = text.split_once('/')
        && PROVIDERS.contains(&provider)
        && !model.is_empty()
        && !has_words
    {
        return format!("; did you mean {provider}:{model}?");
    }
    // A kind that is misspelt, before a colon or alone.
    let (given, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
    if let Some(kind) = nearest(given, KINDS)
        && (!rest.is_empty() || kind == "simulated")
    {
        return format!("; did you mean {kind}{rest}?");
    }
    let kind = if has_words && ends_with(&[".py", ".js", ".sh", ".rb"]) {
        // What starts a script stands before it already.
        "exec:"
    } else if starts_with(&["gpt-", "chatgpt-", "o1-", "o3-", "o4-"]) {
        "openai:"
    } else if starts_with(&["claude-"]) {
        "anthropic:"
    } else if ends_with(&[".gguf"]) {
        "gguf:"
    } else if ends_with(&[".py"]) {
        "exec:python3 "
    } else {
        return String::new();
    };
    // A shell takes two words as one only in quotes.
    let meant = format!("{kind}{text}");
    let quote = if meant.contains(' ') { "'" } else { "" };
    format!("; did you mean {quote}{meant}{quote}?")
}

/// Finds the file of a model of the hub on this machine: nothing is fetched while judging.
fn find_on_machine(judge: &str, name: &str) -> Result<PathBuf, EngineError> {
    let refuse = |why: String| Refusal::of_value(Setting::Judge, judge, why);
    let name = HubName::parse(name).map_err(|error| refuse(error.to_string()))?;
    let found = find_cached(&name, &models_folder()).map_err(|error| refuse(error.to_string()))?;
    let missing = || {
        refuse(format!(
            "it is not on this machine; `evenhand models get {judge}` fetches it"
        ))
    };
    Ok(found.ok_or_else(missing)?)
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
        gpu_layers: options.gpu_layers,
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
