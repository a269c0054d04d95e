//! The file of a head: which model it belongs to, its weights, which labels it was fitted to, and
//! what it is worth.

use crate::plan::head_report::HeadReport;
use crate::{EngineError, write_whole_file};
use evenhand_core::{Cause, Embeddings, Item, Refusal, Setting};
use evenhand_hub::models_folder;
use evenhand_models::gguf::file_digest;
use evenhand_protocols::{HEAD_FEATURES, HeadWeights, Pack, Protocol};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The version of the file that this program writes, and the only one that it reads.
const VERSION: u32 = 2;
/// A head of a wide model with ten thousand questions is smaller.
const MOST_BYTES: u64 = 8 << 20;
/// No mean, scale or weight that a fit gives is as large.
const LARGEST_NUMBER: f64 = 1e12;
/// How deep the folder of models is searched.
const DEEPEST: usize = 4;

/// A fitted head, as fitting writes it and the judge `head:FILE` reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeadFile {
    /// The version of this form: 2. Of version 1 the questions cannot be told apart any more.
    pub version: u32,
    /// The model whose features it weighs.
    pub model: HeadModel,
    /// How deep the states are taken, in percent of the layers; None for a head without states.
    pub depth: Option<u8>,
    /// The plain features, in the order of [`HEAD_FEATURES`].
    pub features: Vec<HeadFeature>,
    /// The means, scales and weights of the states, a vector each; None for a head without states.
    pub states: Option<Embeddings>,
    /// The ridge penalty that was chosen, on differences with a standard deviation of 1.
    pub penalty: f64,
    /// What it was fitted to.
    pub labels: HeadLabels,
    /// What it is worth, by cross-validation.
    pub worth: HeadReport,
}

/// The model that a head belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeadModel {
    /// Its name, for a person.
    pub name: String,
    /// Where it was, from the folder of the head's file.
    pub path: String,
    /// The first 16 hexadecimal digits of its SHA-256 ([`file_digest`]).
    pub digest: String,
    /// Its length.
    pub bytes: u64,
}

/// A plain feature and its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeadFeature {
    /// One of [`HEAD_FEATURES`].
    pub name: String,
    /// What is taken off it.
    pub mean: f64,
    /// What it is then divided by, above 0.
    pub scale: f64,
    /// Log-odds for each unit of what is left.
    pub weight: f64,
}

/// The labels that a head was fitted to: no text of theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeadLabels {
    /// Labelled pairs with a winner.
    pub pairs: u64,
    /// The questions, each by a digest of what it says ([`question_digest`]), in ascending order.
    pub questions: Vec<String>,
    /// The systems whose responses were labelled, in ascending order.
    pub systems: Vec<String>,
}

/// Returns a digest of what a question says, 16 hexadecimal digits: of the words of all its turns,
/// in lower case. White space makes no other question, nor does an id; a turn of the system does,
/// since a document may stand there. One without text is known by its name.
pub fn question_digest(item: &Item) -> String {
    let turns = item.messages.iter();
    let words = turns.flat_map(|message| message.content.split_whitespace());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let text = match words.is_empty() {
        true => item.question.clone().unwrap_or_else(|| item.id.clone()),
        false => words.join(" "),
    };
    let digest = blake3::hash(text.as_bytes()).to_hex();
    digest.chars().take(DIGITS).collect()
}

/// Digits of a digest.
const DIGITS: usize = 16;

impl HeadFile {
    /// Makes a file of weights, for a model that lies at this path.
    ///
    /// # Errors
    /// A model that cannot be read; weights that are no numbers.
    pub fn new(
        weights: &HeadWeights,
        model: &Path,
        file: &Path,
        labels: HeadLabels,
        worth: HeadReport,
    ) -> Result<HeadFile, EngineError> {
        let refuse = |why: String| Refusal::of_input(format!("head {}: {why}", file.display()));
        let plain = HEAD_FEATURES.len();
        let parts = [&weights.means, &weights.scales, &weights.weights];
        let features = HEAD_FEATURES
            .iter()
            .enumerate()
            .map(|(at, name)| HeadFeature {
                name: (*name).into(),
                mean: weights.means.get(at).copied().unwrap_or(0.0),
                scale: weights.scales.get(at).copied().unwrap_or(1.0),
                weight: weights.weights.get(at).copied().unwrap_or(0.0),
            });
        let states = match weights.depth {
            None => None,
            Some(_) => {
                let vectors = parts.map(|part| {
                    let states = part.iter().skip(plain);
                    states.map(|number| *number as f32).collect::<Vec<f32>>()
                });
                Some(Embeddings::new(&vectors).map_err(refuse)?)
            }
        };
        let unreadable = |why: String| refuse(format!("the model {}: {why}", model.display()));
        let bytes = fs::metadata(model)
            .map_err(|e| unreadable(e.to_string()))?
            .len();
        let digest = file_digest(model).map_err(|e| unreadable(e.to_string()))?;
        Ok(HeadFile {
            version: VERSION,
            model: HeadModel {
                name: model
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into(),
                path: path_from_folder(file, model),
                digest,
                bytes,
            },
            depth: weights.depth,
            features: features.collect(),
            states,
            penalty: worth.penalty,
            labels,
            worth,
        })
    }

    /// Reads a file, which may be anybody's.
    ///
    /// # Errors
    /// The file, and what is wrong with it: too long, no head, of another version, or with numbers
    /// that no fit gives.
    pub fn read(path: &Path) -> Result<HeadFile, EngineError> {
        let refuse = |why: String| Refusal::of_input(format!("head {}: {why}", path.display()));
        let unreadable = |e: std::io::Error| refuse(format!("cannot be read: {e}"));
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(refuse("expected a file that fitting wrote".into()).into());
        }
        let mut text = Vec::new();
        let file = fs::File::open(path).map_err(unreadable)?;
        file.take(MOST_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(unreadable)?;
        if text.len() as u64 > MOST_BYTES {
            let why = format!("is longer than {MOST_BYTES} bytes, more than a head may have");
            return Err(refuse(why).into());
        }
        // The version is read first: another one may have other fields.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let not_a_head = |e: serde_json::Error| refuse(format!("is not a head: {e}"));
        let Versioned { version } = serde_json::from_slice(&text).map_err(not_a_head)?;
        if version != VERSION {
            return Err(refuse(format!(
                "has version {version}, and this program reads version {VERSION}; fit it again"
            ))
            .into());
        }
        let head: HeadFile = serde_json::from_slice(&text).map_err(not_a_head)?;
        head.check().map_err(refuse)?;
        Ok(head)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// A file that cannot be written, or that exists and is no head.
    pub fn write(&self, path: &Path) -> Result<(), EngineError> {
        let refuse =
            |why: String| Refusal::new(Setting::Out, Cause::File, why).with_value(path.display());
        if path.exists() && HeadFile::read(path).is_err() {
            let why = "exists and is not a head, so it was left unchanged; choose another name";
            return Err(refuse(why.into()).into());
        }
        let mut text = serde_json::to_string_pretty(self).map_err(|e| refuse(e.to_string()))?;
        text.push('\n');
        if text.len() as u64 > MOST_BYTES {
            let why = format!(
                "would be longer than {MOST_BYTES} bytes, more than a head may have: fit it to \
                 fewer questions"
            );
            return Err(refuse(why).into());
        }
        write_whole_file(path, text.as_bytes())
            .map_err(|e| refuse(format!("cannot be written: {e}")))?;
        Ok(())
    }

    /// Returns what is wrong with a file that was read, if something is.
    fn check(&self) -> Result<(), String> {
        let names: Vec<&str> = self.features.iter().map(|one| one.name.as_str()).collect();
        if names != HEAD_FEATURES {
            return Err(format!("`features`: expected {}", HEAD_FEATURES.join(", ")));
        }
        let is_number = |number: f64| number.abs() <= LARGEST_NUMBER;
        for HeadFeature {
            name,
            mean,
            scale,
            weight,
        } in &self.features
        {
            if ![*mean, *scale, *weight].into_iter().all(is_number) || *scale <= 0.0 {
                return Err(format!("`features`: {name} has a number that no fit gives"));
            }
        }
        match (self.depth, &self.states) {
            (None, None) => {}
            (Some(1..=100), Some(states)) if states.vectors().len() == 3 => {
                let mut numbers = states.vectors().flatten();
                let scales = states.vectors().nth(1).unwrap_or_default();
                let are_numbers = numbers.all(|number| is_number(f64::from(*number)));
                if !are_numbers || scales.iter().any(|scale| *scale <= 0.0) {
                    return Err("`states` has a number that no fit gives".into());
                }
            }
            _ => {
                return Err(
                    "expected `depth` from 1 to 100 with means, scales and weights of \
                            `states`, or neither"
                        .into(),
                );
            }
        }
        if !(self.penalty > 0.0 && self.penalty <= LARGEST_NUMBER) {
            return Err("`penalty`: expected a number above 0".into());
        }
        let is_digest = |text: &String| {
            let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            text.len() == DIGITS && text.bytes().all(is_digit)
        };
        if !is_digest(&self.model.digest) || self.model.bytes == 0 {
            return Err("`model`: expected a digest of 16 hexadecimal digits, and bytes".into());
        }
        // A path that names a server would be asked of it; none that was written begins so.
        let begins = self.model.path.replace('\\', "/");
        if begins.starts_with("//") {
            return Err("`model`: expected a path on this machine".into());
        }
        if self.labels.questions.is_empty() || !self.labels.questions.iter().all(is_digest) {
            return Err("`labels`: expected digests of the questions".into());
        }
        if self.labels.systems.is_empty() || self.labels.pairs == 0 {
            return Err("`labels`: expected the systems and the number of pairs".into());
        }
        Ok(())
    }

    /// Returns the weights.
    pub fn weights(&self) -> HeadWeights {
        let plain = |number: fn(&HeadFeature) -> f64| self.features.iter().map(number);
        let of_states = |at: usize| {
            let states = self
                .states
                .as_ref()
                .and_then(|states| states.vectors().nth(at));
            states
                .unwrap_or_default()
                .iter()
                .map(|number| f64::from(*number))
        };
        HeadWeights {
            depth: self.depth,
            means: plain(|one| one.mean).chain(of_states(0)).collect(),
            scales: plain(|one| one.scale).chain(of_states(1)).collect(),
            weights: plain(|one| one.weight).chain(of_states(2)).collect(),
        }
    }

    /// Returns the name under which reports show it: how many labels it rests on, and which head it
    /// is.
    pub fn name(&self) -> String {
        let HeadWeights {
            depth,
            means,
            scales,
            weights,
        } = self.weights();
        let mut bytes = format!("{} {depth:?}", self.model.digest).into_bytes();
        for number in [means, scales, weights].concat() {
            bytes.extend(number.to_bits().to_le_bytes());
        }
        let digest: String = blake3::hash(&bytes).to_hex().chars().take(8).collect();
        format!("head of {} labels ({digest})", self.labels.pairs)
    }

    /// Builds the protocol.
    ///
    /// # Errors
    /// A prompt of the pack that cannot be used.
    pub fn protocol(&self, pack: &Pack) -> Result<Protocol, EngineError> {
        Ok(Protocol::head(self.weights(), self.name(), pack)?)
    }

    /// Returns those of these systems whose labels it was fitted to.
    pub fn known_systems<'a>(&self, systems: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let known = |system: &&str| self.labels.systems.iter().any(|one| one == system);
        systems.into_iter().filter(known).collect()
    }

    /// Whether it was fitted to labels of this question.
    pub fn knows_question(&self, item: &Item) -> bool {
        self.labels.questions.contains(&question_digest(item))
    }

    /// Finds the model that it belongs to: where the file says, from its own folder; beside it; or
    /// among the models of this machine, by length and digest.
    ///
    /// # Errors
    /// No such model, and which others were found in its place.
    pub fn find_model(&self, file: &Path) -> Result<PathBuf, EngineError> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut places = vec![folder.join(&self.model.path)];
        if let Some(name) = Path::new(&self.model.name).file_name() {
            places.push(folder.join(name));
        }
        let mut others = Vec::new();
        for place in places {
            match self.is_of(&place) {
                Some(true) => return Ok(place),
                Some(false) if !others.contains(&place) => others.push(place),
                _ => {}
            }
        }
        let mut found = Vec::new();
        list_models(&models_folder(), DEEPEST, &mut found);
        if let Some(place) = found
            .into_iter()
            .find(|place| self.is_of(place) == Some(true))
        {
            return Ok(place);
        }
        let HeadModel { name, digest, .. } = &self.model;
        let mut why = format!(
            "head {}: it belongs to {name} (SHA-256 {digest}…), which is neither at {} from its \
             folder nor among the models of this machine",
            file.display(),
            self.model.path
        );
        for other in others {
            why += &format!("; {} is another model", other.display());
        }
        why += "; put the model there, or fit a head to the one that you have";
        Err(Refusal::of_input(why).into())
    }

    /// Whether a file is this head's model; None where it is no file that could be one.
    fn is_of(&self, place: &Path) -> Option<bool> {
        let file = fs::metadata(place).ok().filter(fs::Metadata::is_file)?;
        if file.len() != self.model.bytes {
            return Some(false);
        }
        Some(file_digest(place).ok()? == self.model.digest)
    }
}

/// Lists the GGUF files in a folder and in those in it; what cannot be read has none.
fn list_models(folder: &Path, deepest: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() && deepest > 0 {
            list_models(&entry, deepest - 1, found);
        } else if entry
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("gguf"))
        {
            found.push(entry);
        }
    }
}

/// Returns the way from the folder of a file to another file; the other's name where there is none.
fn path_from_folder(file: &Path, other: &Path) -> String {
    let name = other
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let (Ok(folder), Ok(other)) = (folder.canonicalize(), other.canonicalize()) else {
        return name;
    };
    let shared = folder.components().zip(other.components());
    let shared = shared.take_while(|(one, other)| one == other).count();
    // From another drive there is no way.
    if shared == 0 {
        return name;
    }
    let up = folder.components().skip(shared).map(|_| "..".to_owned());
    let down = other.components().skip(shared);
    let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
#[path = "head_file_tests.rs"]
mod tests;
