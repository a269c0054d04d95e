//! A response that is shown: its text, and the turns of its conversation, or the steps of its
//! trajectory, before it.

use evenhand_core::{FreeFields, Message, Response, Role, Trajectory};
use evenhand_formats::records::SystemOutput;
use std::sync::Arc;

/// A response of a material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The answer to the turn that is judged.
    pub(super) text: String,
    /// The turns before it, as in [`Response::earlier`].
    pub(super) earlier: Vec<Message>,
    /// Whether the earlier answers are judged with it.
    pub(super) whole: bool,
    /// The steps before the text, where it is the final message of an agent. Nothing rewrites them.
    pub(super) trajectory: Option<Arc<Trajectory>>,
    /// The free fields that prompts show.
    pub(super) fields: Arc<FreeFields>,
}

impl Answer {
    /// Makes an answer to a single instruction.
    pub(super) fn single(text: impl Into<String>) -> Answer {
        Answer {
            text: text.into(),
            ..Answer::default()
        }
    }

    pub(super) fn of_response(response: &Response) -> Answer {
        Answer {
            text: response.text.to_string(),
            earlier: response.earlier.to_vec(),
            whole: response.whole,
            trajectory: response.trajectory.clone(),
            fields: response.fields.clone(),
        }
    }

    /// Returns the system's answers to the turns before.
    pub(super) fn earlier_texts(&self) -> impl Iterator<Item = &str> {
        let turns = self.earlier.iter().filter(|turn| is_answer(turn));
        turns.map(|turn| turn.content.as_str())
    }

    /// Returns its answers to all turns, that to the last one last.
    pub(super) fn all_texts(&self) -> impl Iterator<Item = &str> {
        self.earlier_texts().chain([self.text.as_str()])
    }

    /// Returns the same conversation with other answers to all turns, and the user's words as they
    /// are; None for another number of answers.
    pub(super) fn with_texts(&self, mut texts: Vec<String>) -> Option<Answer> {
        let text = texts.pop()?;
        let mut earlier = self.earlier.clone();
        let answers: Vec<&mut Message> =
            earlier.iter_mut().filter(|turn| is_answer(turn)).collect();
        if answers.len() != texts.len() {
            return None;
        }
        for (answer, text) in answers.into_iter().zip(texts) {
            answer.content = text;
        }
        Some(Answer {
            text,
            earlier,
            ..self.clone()
        })
    }

    /// Returns the same conversation with this answer to every turn.
    pub(super) fn with_every_text(&self, text: &str) -> Option<Answer> {
        let texts = self.all_texts().map(|_| text.to_string());
        self.with_texts(texts.collect())
    }

    /// Returns the length of what is judged, in characters.
    pub(super) fn length(&self) -> usize {
        let count = |text: &str| text.chars().count();
        let steps = self.trajectory.iter().flat_map(|way| &way.steps);
        let steps: usize = steps.map(|step| count(&step.text)).sum();
        let earlier = self.earlier_texts().filter(|_| self.whole);
        steps + earlier.map(count).sum::<usize>() + count(&self.text)
    }

    /// Returns it as a record of this system.
    pub(super) fn to_output(&self, system: &str) -> SystemOutput {
        SystemOutput {
            earlier: self.earlier.clone(),
            whole: self.whole,
            trajectory: self.trajectory.as_deref().cloned(),
            fields: (*self.fields).clone(),
            ..SystemOutput::new(system, self.text.as_str())
        }
    }
}

fn is_answer(turn: &Message) -> bool {
    turn.role == Role::Assistant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Answer {
        let answer = Message {
            role: Role::Assistant,
            content: "First.".into(),
        };
        Answer {
            text: "Second.".into(),
            earlier: vec![answer, Message::user("And then?")],
            ..Answer::default()
        }
    }

    #[test]
    fn every_answer_is_replaced_and_no_word_of_the_user() {
        let answer = conversation();
        assert_eq!(
            answer.all_texts().collect::<Vec<_>>(),
            ["First.", "Second."]
        );
        let other = answer
            .with_texts(vec!["One.".into(), "Two.".into()])
            .unwrap();
        assert_eq!(other.earlier[0].content, "One.");
        assert_eq!(
            (&*other.earlier[1].content, &*other.text),
            ("And then?", "Two.")
        );
        assert_eq!(answer.with_texts(vec!["One.".into()]), None);
        let nothing = answer.with_every_text("-").unwrap();
        assert_eq!(nothing.all_texts().collect::<Vec<_>>(), ["-", "-"]);
    }

    #[test]
    fn what_is_only_shown_does_not_count_for_the_length() {
        let answer = conversation();
        assert_eq!(answer.length(), 7);
        let whole = Answer {
            whole: true,
            ..answer
        };
        assert_eq!(whole.length(), 13);
    }
}
