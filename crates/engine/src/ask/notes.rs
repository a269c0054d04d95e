//! Notes on a run's calls for the user, once it is over.

use crate::{EngineError, Job, Limits, Progress};
use evenhand_store::{MissingProbabilities, ProbabilityBounds, Store, StoreError};

/// Probabilities known within less than this on average change no figure of a report: nothing is
/// said of them.
const WELL_KNOWN: f64 = 0.005;

/// Returns what is to be known of a run's calls, a sentence each.
pub(crate) fn notes_on(
    job: &Job,
    progress: &Progress,
    limits: &Limits,
    store: &Store,
) -> Result<Vec<String>, EngineError> {
    let mut notes = Vec::new();
    notes.extend(note_asked_again(progress.asked_again, limits));
    notes.extend(job.judges.cut_short.describe(progress.cut_short));
    if job.judges.served {
        notes.extend(notes_on_probabilities(job, store)?);
    }
    Ok(notes)
}

/// Notes on the probabilities that servers gave.
fn notes_on_probabilities(job: &Job, store: &Store) -> Result<Vec<String>, StoreError> {
    let bounds = store.probability_bounds()?;
    let bounds = bounds.as_ref().and_then(note_bounds);
    let mut notes = Vec::from_iter(bounds);
    notes.extend(note_impossible(store.count_impossible()?));
    // Of a judge alone the report's sources say it.
    if job.judges.panel.len() > 1 {
        notes.extend(store.missing_probabilities()?.iter().map(note_unread));
    }
    Ok(notes)
}

fn note_asked_again(calls: u64, limits: &Limits) -> Option<String> {
    let kinds = retried_kinds(limits);
    (calls > 0)
        .then(|| format!("{calls} calls were asked again whose replies were no use ({kinds})"))
}

fn retried_kinds(limits: &Limits) -> String {
    let kinds = limits.retry.iter().map(|kind| kind.name());
    kinds.collect::<Vec<&str>>().join(", ")
}

/// How far probabilities are known, where that is worth a word.
fn note_bounds(bounds: &ProbabilityBounds) -> Option<String> {
    (bounds.mean >= WELL_KNOWN).then(|| {
        format!(
            "in {} calls an answer was not among the tokens that the server named: its \
             probability is known within {:.1e} on average, {:.1e} at most",
            bounds.calls, bounds.mean, bounds.most
        )
    })
}

/// Calls whose probabilities are not used.
fn note_impossible(calls: u64) -> Option<String> {
    (calls > 0).then(|| {
        format!(
            "in {calls} calls the server's log-probabilities cannot be (above 0, or of more than 1 \
             together): those verdicts are read from the text"
        )
    })
}

/// A member of a panel whose verdicts are all or nothing.
fn note_unread(unread: &MissingProbabilities) -> String {
    let MissingProbabilities {
        judge,
        asked,
        without,
    } = unread;
    format!(
        "{judge}: no probabilities came in {without} of {asked} calls that asked for them: those \
         verdicts are read from the text, all or nothing"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note_of_mean(mean: f64) -> Option<String> {
        note_bounds(&ProbabilityBounds {
            calls: 1,
            mean,
            most: 2.0 * mean,
        })
    }

    #[test]
    fn an_uncertainty_that_changes_nothing_is_not_told() {
        assert_eq!(note_of_mean(5.6e-17), None);
        assert_eq!(note_of_mean(0.0049), None);
        assert!(note_of_mean(0.005).is_some_and(|note| note.contains("in 1 calls")));
    }
}
