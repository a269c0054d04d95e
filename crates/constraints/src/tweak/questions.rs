//! Questions of general knowledge with plain answers, written for this crate.

use std::sync::LazyLock;

/// A question and a plain answer of a few sentences, without markup.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Question {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

#[derive(serde::Deserialize)]
struct QuestionFile {
    question: Vec<Question>,
}

#[allow(
    clippy::expect_used,
    reason = "the file is part of the crate, and a test reads it"
)]
static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    let file: QuestionFile =
        toml::from_str(include_str!("../../data/questions.toml")).expect("questions.toml is valid");
    file.question
});

/// Returns the questions of this crate, always in the same order.
pub fn questions() -> &'static [Question] {
    &QUESTIONS
}
