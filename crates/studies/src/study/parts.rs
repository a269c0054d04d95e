//! A labelled input set whose pairs stand by the values of a field, each as a set of its own.

use super::config::Config;
use crate::judge::{Evaluation, JudgedPairs, Settings, evaluate};
use evenhand_engine::EngineError;

/// An evaluation, and the name of what it is over.
type Named = (String, Evaluation);

/// What a judge did on an input set.
pub(super) struct EvaluatedSet {
    /// By the parts of the set, or one for the set.
    pub(super) parts: Vec<Named>,
    /// Over all parts, where there are several.
    pub(super) whole: Option<Named>,
}

/// Evaluates a judge on an input set; by part, where the set asks for that.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(super) fn evaluate_set(
    config: &Config,
    (input, judged): (&str, &JudgedPairs),
    settings: &Settings,
) -> Result<EvaluatedSet, EngineError> {
    let whole = (input.to_string(), evaluate(judged, settings)?);
    if !config.is_parted(input) || judged.subsets.len() < 2 {
        return Ok(EvaluatedSet {
            parts: vec![whole],
            whole: None,
        });
    }
    let mut parts = Vec::new();
    for part in judged.split_by_subset() {
        let name = config.name_part(input, &part.subsets.concat());
        parts.push((name, evaluate(&part, settings)?));
    }
    let whole = Some(whole);
    Ok(EvaluatedSet { parts, whole })
}

impl Config {
    fn is_parted(&self, labelled: &str) -> bool {
        let set = self.labelled.get(labelled);
        set.is_some_and(|set| set.by.is_some())
    }

    /// Returns a part's name; behind that of its set, where there are several sets.
    fn name_part(&self, set: &str, part: &str) -> String {
        if self.labelled.len() > 1 {
            format!("{set}/{part}")
        } else {
            part.to_string()
        }
    }
}
