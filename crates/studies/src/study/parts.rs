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
    let set = config.labelled.get(input);
    let is_parted = set.is_some_and(|set| set.by.is_some());
    if !is_parted || judged.subsets.len() < 2 {
        return Ok(EvaluatedSet {
            parts: vec![whole],
            whole: None,
        });
    }
    let mut parts = Vec::new();
    for part in judged.split_by_subset() {
        let mut name = part.subsets.concat();
        // Behind the name of its set, where there are several sets.
        if config.labelled.len() > 1 {
            name = format!("{input}/{name}");
        }
        parts.push((name, evaluate(&part, settings)?));
    }
    let whole = Some(whole);
    Ok(EvaluatedSet { parts, whole })
}
