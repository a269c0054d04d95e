//! Repeats of trials, and judges that would say the same in each.

use crate::Job;
use evenhand_core::{Cause, JudgeKind, Refusal, Setting};
use evenhand_protocols::Protocol;
use std::sync::Arc;

/// Refuses repeats of a judge that says the same in each: one that runs on this machine, and either
/// takes the likeliest word or is asked for nothing but the probabilities of its answers. What a
/// server says may differ even at temperature 0, and a simulated judge draws anew.
///
/// # Errors
/// More than one repeat of such a judge.
pub fn check_repeats(job: &Job) -> Result<(), Refusal> {
    let judges = &job.judges;
    let is_simulated = |judge: &Arc<str>| JudgeKind::of(judge) == JudgeKind::Simulated;
    let draws = judges.served || judges.panel.iter().any(is_simulated);
    if job.plan.repeats() == 1 || draws {
        return Ok(());
    }
    let scores_alone = (0..judges.panel.len()).all(|judge| job.protocol.scores_texts(judge));
    // Whether something is written that a verdict depends on.
    let writes = match &job.protocol {
        Protocol::Judged(judged) => {
            judged.reasoning().is_written() || !job.protocol.wants_probabilities()
        }
        // Of what others write only its author knows.
        _ => true,
    };
    let why = if scores_alone {
        SCORES
    } else if judges.temperature == 0.0 {
        GREEDY
    } else if !writes {
        UNWRITTEN
    } else {
        return Ok(());
    };
    let conflict = Cause::Conflict(Setting::Judge);
    Err(Refusal::new(Setting::Repeats, conflict, why).with_value(job.plan.repeats()))
}

const SCORES: &str = "the judge scores the responses and writes nothing, so that every repeat says \
                      the same; use a protocol that reasons, such as pairwise/cot, and a \
                      temperature";
const GREEDY: &str = "at temperature 0 the judge takes the likeliest word, and every repeat says \
                      the same; give a temperature, such as 0.7";
const UNWRITTEN: &str = "the judge writes nothing before its verdict, whose probabilities are the \
                         same at any temperature; use a protocol that reasons, such as \
                         pairwise/cot";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Design;
    use evenhand_core::{Item, Message};
    use evenhand_formats::records::{ItemRef, Place, Record, SystemOutput};
    use evenhand_formats::{Dataset, DatasetBuilder};
    use evenhand_protocols::Judges;

    fn dataset() -> Dataset {
        let mut builder = DatasetBuilder::default();
        let item = Item {
            id: "q".into(),
            messages: vec![Message::user("Why?")],
            ..Item::default()
        };
        let answers = ["a", "b"].map(|system| Record::Response {
            item: ItemRef::Id("q".into()),
            answer: SystemOutput::new(system.to_string(), format!("{system}.")),
        });
        for record in [Record::Item(item)].into_iter().chain(answers) {
            builder.add_record(record, &Place::file("test")).unwrap();
        }
        builder.finish(false).unwrap()
    }

    fn checked(protocol: &str, judges: Judges, repeats: u32) -> Result<(), String> {
        let protocol = Protocol::parse(protocol).unwrap();
        let job = Job::new(dataset(), protocol, Design::AllPairs, judges, 0).unwrap();
        check_repeats(&job.repeated(repeats)).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn repeats_that_would_all_be_the_same_are_refused() {
        let at = |temperature| Judges {
            temperature,
            ..Judges::one("gguf:model")
        };
        assert_eq!(checked("pairwise/cot", at(0.7), 3), Ok(()));
        assert_eq!(checked("pairwise", at(0.0), 1), Ok(()));
        let greedy = checked("pairwise/cot", at(0.0), 3).unwrap_err();
        assert!(
            greedy.starts_with("`repeats` 3: at temperature 0"),
            "{greedy}"
        );
        let unwritten = checked("pairwise", at(0.7), 3).unwrap_err();
        assert!(
            unwritten.contains("use a protocol that reasons"),
            "{unwritten}"
        );
        let scored = checked("likelihood", at(0.0), 3).unwrap_err();
        assert!(scored.contains("writes nothing, so that"), "{scored}");
        // Two scores are read from the text: they are drawn.
        assert_eq!(checked("pairwise-score", at(0.7), 3), Ok(()));
        let served = Judges {
            served: true,
            ..at(0.0)
        };
        assert_eq!(checked("pairwise", served, 3), Ok(()));
        let simulated = Judges::one("simulated:gap=0.5,seed=0");
        assert_eq!(checked("pairwise", simulated, 3), Ok(()));
    }
}
