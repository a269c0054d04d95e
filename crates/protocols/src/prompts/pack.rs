//! Packs of prompts: the built-in ones, and those that a user puts in their place.

use super::PromptError;
use std::collections::BTreeMap;

/// Prompt files by name: the built-in ones, some perhaps replaced.
#[derive(Clone, Debug)]
pub struct Pack {
    files: BTreeMap<String, String>,
    /// The user's files in the place of built-in ones: what each is called in messages.
    replaced: BTreeMap<String, String>,
}

const BUILTIN: [(&str, &str); 18] = [
    ("analyse", include_str!("../../prompts/analyse.toml")),
    (
        "analyse-all",
        include_str!("../../prompts/analyse-all.toml"),
    ),
    ("extract", include_str!("../../prompts/extract.toml")),
    ("likelihood", include_str!("../../prompts/likelihood.toml")),
    ("listwise", include_str!("../../prompts/listwise.toml")),
    ("material", include_str!("../../prompts/material.toml")),
    ("metrics", include_str!("../../prompts/metrics.toml")),
    ("pairwise", include_str!("../../prompts/pairwise.toml")),
    (
        "pairwise-5point",
        include_str!("../../prompts/pairwise-5point.toml"),
    ),
    (
        "pairwise-likert",
        include_str!("../../prompts/pairwise-likert.toml"),
    ),
    (
        "pairwise-score",
        include_str!("../../prompts/pairwise-score.toml"),
    ),
    (
        "pairwise-tie",
        include_str!("../../prompts/pairwise-tie.toml"),
    ),
    ("pointwise", include_str!("../../prompts/pointwise.toml")),
    ("reconsider", include_str!("../../prompts/reconsider.toml")),
    ("reference", include_str!("../../prompts/reference.toml")),
    (
        "rubrics/criteria",
        include_str!("../../prompts/rubrics/criteria.toml"),
    ),
    (
        "rubrics/none",
        include_str!("../../prompts/rubrics/none.toml"),
    ),
    (
        "rubrics/rules",
        include_str!("../../prompts/rubrics/rules.toml"),
    ),
];

impl Default for Pack {
    /// The built-in prompts.
    fn default() -> Pack {
        let files = BUILTIN
            .iter()
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .collect();
        Pack {
            files,
            replaced: BTreeMap::new(),
        }
    }
}

impl Pack {
    /// Puts the file at `path` in place of the built-in one of this name (a path without `.toml`);
    /// a name under `rubrics/` may be new.
    pub fn replace(&mut self, name: &str, text: String, path: &str) -> Result<(), PromptError> {
        if !self.files.contains_key(name) && !name.starts_with("rubrics/") {
            let known: Vec<&str> = self.names().collect();
            let why = format!(
                "no prompt has this name; those that can be replaced are {}",
                known.join(", ")
            );
            return Err(PromptError {
                file: path.into(),
                line: None,
                why,
            });
        }
        self.files.insert(name.into(), text);
        self.replaced.insert(name.into(), path.into());
        Ok(())
    }

    /// The names of all prompts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The text of a prompt file.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// What a prompt file is called in messages: the user's by its path.
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

    /// The names of the rubrics.
    pub fn rubrics(&self) -> impl Iterator<Item = &str> {
        self.names()
            .filter_map(|name| name.strip_prefix("rubrics/"))
    }
}
