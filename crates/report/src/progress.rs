//! How far a run has come, in words.

use crate::numbers::{count_of, group_digits};
use evenhand_engine::{RunProgress, RunState};

/// Says how much of its plan a run has judged, and its state: `135 of 360 judgments, 130 verdicts;
/// stopped`. Of an audit or a study, which keep no judgments, the state alone is known.
pub fn progress_text(progress: &RunProgress) -> String {
    let state = progress.state.name();
    let judgments = count_of(progress.judgments, "judgment", "judgments");
    let judged = match progress.planned {
        Some(planned) => format!(
            "{} of {}",
            group_digits(progress.judgments),
            count_of(planned, "judgment", "judgments")
        ),
        None if progress.judgments == 0 => return state.into(),
        None => judgments,
    };
    let verdicts = if progress.judgments == progress.verdicts {
        String::new()
    } else {
        format!(", {}", count_of(progress.verdicts, "verdict", "verdicts"))
    };
    match progress.state {
        RunState::Decided => format!("{judged}{verdicts}; decided, asked as much as needed"),
        RunState::Unknown => format!(
            "{judged}{verdicts}; how many were planned is not known (the run is of an earlier \
             version)"
        ),
        _ => format!("{judged}{verdicts}; {state}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_said_to_be_all() {
        let of = |planned, judgments, verdicts, state| {
            progress_text(&RunProgress {
                planned,
                judgments,
                verdicts,
                state,
            })
        };
        let stopped = RunState::Stopped;
        for (said, expected) in [
            (
                of(Some(360), 135, 135, stopped),
                "135 of 360 judgments; stopped",
            ),
            (
                of(Some(1), 1, 0, RunState::Failed),
                "1 of 1 judgment, 0 verdicts; failed",
            ),
            (of(None, 12, 12, RunState::Running), "12 judgments; running"),
            (
                of(Some(1200), 160, 160, RunState::Decided),
                "160 of 1,200 judgments; decided, asked as much as needed",
            ),
            (of(None, 0, 0, stopped), "stopped"),
        ] {
            assert_eq!(said, expected);
        }
        let unknown = of(None, 5, 4, RunState::Unknown);
        assert!(unknown.starts_with("5 judgments, 4 verdicts; how many were planned"));
    }
}
