//! Notes on a run's calls for the user, once it is over.

use crate::{EngineError, Job, Limits, Progress};
use evenhand_core::list_names;
use evenhand_store::{Answered, MissingProbabilities, ProbabilityBounds, Store};

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
            "{} calls were made again, as their replies were of no use ({})",
            progress.asked_again,
            kinds.join(", ")
        ));
    }
    notes.extend(job.judges.cut_short.describe(progress.cut_short));
    if !job.judges.served {
        return Ok(notes);
    }

    notes.extend(note_changes(&store.answered_by()?));

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
                 them: those verdicts are taken from the text as it stands"
            ));
        }
    }
    Ok(notes)
}

/// Names the judges who were not the same from the first call to the last.
fn note_changes(answered: &[Answered]) -> Vec<String> {
    let judges = answered.chunk_by(|one, next| one.judge == next.judge);
    let notes = judges.filter_map(|by| {
        let first = by.first()?;
        let what = match by.iter().any(|other| other.by.model != first.by.model) {
            true => "more than one model answered",
            false if by.len() > 1 => "the server's configuration changed within the run",
            false => return None,
        };
        let named = by
            .iter()
            .map(|one| format!("{} {}", one.by, count_calls(one.calls)));
        Some(format!(
            "{}: {what}, so that its verdicts may not be those of one judge: {}",
            first.judge,
            list_names(named)
        ))
    });
    notes.collect()
}

fn count_calls(calls: u64) -> String {
    match calls {
        1 => "1 call".into(),
        calls => format!("{calls} calls"),
    }
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
    use evenhand_core::Answerer;

    fn answered(judge: &str, model: &str, fingerprint: Option<&str>) -> Answered {
        Answered {
            judge: judge.into(),
            by: Answerer {
                model: model.into(),
                fingerprint: fingerprint.map(str::to_owned),
            },
            calls: 2,
        }
    }

    #[test]
    fn a_judge_that_changed_within_the_run_is_named() {
        let steady = answered("openai:steady", "steady-1", Some("fp_1"));
        assert!(note_changes(&[]).is_empty());
        // Two judges of one model each are no change.
        assert!(note_changes(&[steady.clone(), answered("openai:b", "b-1", None)]).is_empty());
        let notes = note_changes(&[
            steady,
            answered("openai:b", "b-1", None),
            answered("openai:b", "b-2", None),
            answered("openai:c", "c-1", Some("fp_1")),
            answered("openai:c", "c-1", Some("fp_2")),
        ]);
        assert_eq!(
            notes,
            [
                "openai:b: more than one model answered, so that its verdicts may not be those of \
                 one judge: b-1 2 calls, b-2 2 calls",
                "openai:c: the server's configuration changed within the run, so that its verdicts \
                 may not be those of one judge: c-1 (fp_1) 2 calls, c-1 (fp_2) 2 calls",
            ]
        );
    }

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
