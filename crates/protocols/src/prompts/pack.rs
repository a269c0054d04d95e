//! Packs of prompts: the built-in ones, and those that a user puts in their place.

use super::PromptError;
use std::collections::BTreeMap;

/// Says in a message about a file that is no rubric what a rubric's file is, with a whole one.
pub const RUBRIC_FILE: &str = "a rubric of your own is a file rubrics/NAME.toml in a folder of \
                               prompts, of one text that says what the judge should look for: \
                               text = \"Prefer the answer that is warmer in tone.\"";

/// Prompt files by name: the built-in ones, some perhaps replaced.
#[derive(Clone, Debug)]
pub struct Pack {
    files: BTreeMap<String, String>,
    /// The user's files in the place of built-in ones, and the path of each.
    replaced: BTreeMap<String, String>,
    /// Whether a verdict whose probabilities go against its text is a failure.
    pub(super) strict_reading: bool,
}

/// A prompt file that comes with the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PromptFile {
    /// Its path under `prompts/`, without `.toml`.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

impl Pack {
    /// Returns a pack of these built-in files.
    pub(crate) fn of_files<'a>(files: impl IntoIterator<Item = &'a PromptFile>) -> Pack {
        let files = files.into_iter();
        Pack {
            files: files
                .map(|file| (file.name.into(), file.text.into()))
                .collect(),
            replaced: BTreeMap::new(),
            strict_reading: false,
        }
    }

    /// Returns the same prompts, whose replies are a failure where the most probable answer is not
    /// the one that the text states.
    #[must_use]
    pub fn read_strictly(self) -> Pack {
        Pack {
            strict_reading: true,
            ..self
        }
    }

    /// Puts the file at `path` in place of the built-in one of this name (a path without `.toml`);
    /// a name under `rubrics/` may be new.
    ///
    /// # Errors
    /// No prompt has this name.
    pub fn replace(&mut self, name: &str, text: String, path: &str) -> Result<(), PromptError> {
        if !self.files.contains_key(name) && !name.starts_with("rubrics/") {
            let known: Vec<&str> = self.names().collect();
            let known = known.join(", ");
            let why = format!("no prompt has this name; those that can be replaced are {known}");
            return Err(PromptError::new(path, None, why));
        }
        self.files.insert(name.into(), text);
        self.replaced.insert(name.into(), path.into());
        Ok(())
    }

    /// Returns the names of all prompts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns the text of a prompt file.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Returns the name of a prompt file for messages: the user's by its path.
    pub(super) fn path(&self, name: &str) -> String {
        self.replaced
            .get(name)
            .cloned()
            .unwrap_or_else(|| format!("prompts/{name}.toml"))
    }

    /// Whether a user's file stands in the place of a built-in one.
    pub fn is_replaced(&self, name: &str) -> bool {
        self.replaced.contains_key(name)
    }

    /// Returns the names of the rubrics.
    pub fn rubrics(&self) -> impl Iterator<Item = &str> {
        self.names()
            .filter_map(|name| name.strip_prefix("rubrics/"))
    }
}
