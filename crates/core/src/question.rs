//! Questions about a state that a model answers with probabilities and no text.

use crate::Reply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text of a state, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateField {
    /// The name by which questions speak of it.
    pub name: String,
    /// The text.
    pub text: String,
}

impl StateField {
    /// Names a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> StateField {
        StateField {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// A question about a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The question, as a judge reads it.
    pub instructions: String,
    /// Between which answers.
    pub answers: QuestionAnswers,
}

/// The answers between which a question decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum QuestionAnswers {
    /// One of these options, which are distinct, in the order in which they are shown.
    Choice {
        /// The options.
        options: Vec<String>,
    },
    /// One of these levels, which are distinct, from the first to the last of a scale.
    Score {
        /// The levels: two to [`QuestionAnswers::MOST_LEVELS`].
        levels: Vec<String>,
    },
    /// Yes or no.
    YesNo,
}

impl QuestionAnswers {
    /// The most levels that a scale can have: servers label them with one digit each.
    pub const MOST_LEVELS: usize = 10;

    /// Returns the answers in the order in which their probabilities are given: for a yes-no
    /// question yes first.
    pub fn names(&self) -> Vec<&str> {
        match self {
            QuestionAnswers::Choice { options } => options.iter().map(String::as_str).collect(),
            QuestionAnswers::Score { levels } => levels.iter().map(String::as_str).collect(),
            QuestionAnswers::YesNo => vec!["yes", "no"],
        }
    }
}

impl Question {
    /// Returns what a person reads of a question: the texts that it is about, what is asked, and
    /// the answers in their order.
    pub fn in_words(&self, state: &[StateField]) -> String {
        let fields = state
            .iter()
            .map(|field| format!("{}:\n{}\n\n", field.name, field.text));
        let answers = self.answers.names().join(" | ");
        let fields: String = fields.collect();
        format!(
            "{fields}question:\n{}\nanswers: {answers}",
            self.instructions
        )
    }

    /// Returns what a person reads of a reply to a question, which has no text: each answer with
    /// its probability, and how much of the probability lay on them. None for a reply without
    /// probabilities.
    pub fn reply_in_words(&self, reply: &Reply) -> Option<String> {
        let names = self.answers.names().into_iter();
        let shares = names.zip(reply.answers.as_ref()?);
        let shares: Vec<String> = shares
            .map(|(name, share)| format!("{name}: {share:.3}"))
            .collect();
        let mass = reply.label_mass.map_or(String::new(), |mass| {
            format!("\n{mass:.3} of the probability lay on these answers")
        });
        let argmax = match reply.argmax_is_label {
            Some(false) => "\nthe most probable token was none of them",
            _ => "",
        };
        Some(format!("{}{mass}{argmax}", shares.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_and_its_answer_are_readable() {
        let question = Question {
            instructions: "Which is better?".into(),
            answers: QuestionAnswers::Choice {
                options: vec!["x".into(), "y".into()],
            },
        };
        let state = [StateField::new("instruction", "Say hi.")];
        assert_eq!(
            question.in_words(&state),
            "instruction:\nSay hi.\n\nquestion:\nWhich is better?\nanswers: x | y"
        );
        let reply = Reply {
            answers: Some(vec![0.25, 0.75]),
            label_mass: Some(0.125),
            argmax_is_label: Some(false),
            ..Reply::default()
        };
        assert_eq!(
            question.reply_in_words(&reply).unwrap(),
            "x: 0.250\ny: 0.750\n0.125 of the probability lay on these answers\nthe most probable \
             token was none of them"
        );
        assert_eq!(question.reply_in_words(&Reply::default()), None);
    }
}
