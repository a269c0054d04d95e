//! Notes on a run's calls for the user, once it is over.

use crate::{EngineError, Job, Limits, Progress};
use evenhand_store::{MissingProbabilities, ProbabilityBounds, Store};

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
    if progress.asked_again > 0 {
        let kinds: Vec<&str> = limits.retry.iter().map(|kind| kind.name()).collect();
        notes.push(format!(
            "{} calls were asked again whose replies were no use ({})",
            progress.asked_again,
            kinds.join(", ")
        ));
    }
    notes.extend(job.judges.cut_short.describe(progress.cut_short));
    if !job.judges.served {
        return Ok(notes);
    }

    // The probabilities that servers gave.
    notes.extend(store.probability_bounds()?.as_ref().and_then(note_bounds));
    let impossible = store.count_impossible()?;
    if impossible > 0 {
        notes.push(format!(
            "in {impossible} calls the server's log-probabilities cannot be (above 0, or of more \
             than 1 together): those verdicts are read from the text"
        ));
    }
    // Of a judge alone the report's sources say it.
    if job.judges.panel.len() > 1 {
        for unread in store.missing_probabilities()? {
            let MissingProbabilities {
                judge,
                asked,
                without,
            } = unread;
            notes.push(format!(
                "{judge}: no probabilities came in {without} of {asked} calls that asked for \
                 them: those verdicts are read from the text, all or nothing"
            ));
        }
    }
    Ok(notes)
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
