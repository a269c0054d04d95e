//! Reads a verdict from a judge's raw text, in the notations that the field uses.
//!
//! A notation says how a judge writes its verdict down; [`extract`] reads it, in slot terms (the
//! response shown first or second). What the judge quotes (quotation marks, code, block quotes) is
//! not its verdict, nor is what it thinks between `<think>` marks. Of several different statements
//! the one that closes the reply decides, unless the reply opened with another: that is a
//! contradiction, and a failure. docs/design/extraction.md has the rules and what they read on
//! recorded judges.

mod after_phrase;
mod bare_choice;
mod brackets;
mod lone_number;
mod notation;
mod output_letter;
mod quotations;
mod score_pair;
mod statements;
mod thinking;
mod words;

pub use notation::{Notation, UnknownNotation};

use crate::Scale;
use evenhand_core::Side;
pub(crate) use quotations::ReplyText;
pub(crate) use thinking::{after_thinking, opens_with_thinking};
pub(crate) use words::sentences;

/// A verdict as a judge stated it, in slot terms: first and second as they were shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stated {
    /// The response shown first is better.
    First,
    /// The response shown second is better.
    Second,
    /// They are equally good.
    Tie,
    /// Which one is better, and by how much.
    Strength(Strength),
    /// A score for the first and for the second response, both finite and within the notation's
    /// scale.
    Scores(f64, f64),
    /// A score for the one response that was shown, finite and within the notation's scale.
    Score(f64),
}

/// Which of two responses is better, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// The first is significantly better.
    FirstMuch,
    /// The first is slightly better.
    FirstSlightly,
    /// Tie.
    Equal,
    /// The second is slightly better.
    SecondSlightly,
    /// The second is significantly better.
    SecondMuch,
}

/// Why no verdict was read.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoVerdict {
    /// The reply has no statement in this notation.
    #[error("the reply states no verdict in this notation")]
    Nothing,
    /// The reply has no statement, and its text stops before a sentence does.
    #[error("the reply states no verdict in this notation, and ends within a sentence")]
    CutShort,
    /// The reply is thinking that never ends.
    #[error("the judge was still thinking when the reply ended")]
    Thinking,
    /// The judge says that it prefers neither, in a notation that has no tie.
    #[error("the reply says that neither is better, and this notation has no tie")]
    Undecided,
    /// The judge states two verdicts that differ.
    #[error("the reply states {0:?} and {1:?}")]
    Contradictory(Stated, Stated),
    /// The score is not on the notation's scale.
    #[error("the reply states {0}, which is not on the scale")]
    OutOfRange(f64),
}

/// A statement, or why there is none.
type Reading = Result<Stated, NoVerdict>;

impl Stated {
    /// Returns the comparison that the statement makes; None for the score of a single response.
    pub fn preferred(self) -> Option<Side> {
        use Strength::{Equal, FirstMuch, FirstSlightly, SecondMuch, SecondSlightly};
        match self {
            Stated::First | Stated::Strength(FirstMuch | FirstSlightly) => Some(Side::First),
            Stated::Second | Stated::Strength(SecondMuch | SecondSlightly) => Some(Side::Second),
            Stated::Tie | Stated::Strength(Equal) => Some(Side::Tie),
            Stated::Scores(first, second) if first > second => Some(Side::First),
            Stated::Scores(first, second) if first < second => Some(Side::Second),
            Stated::Scores(..) => Some(Side::Tie),
            Stated::Score(_) => None,
        }
    }

    /// Returns the statement, if its scores are on the scale.
    fn check_scale(self, scale: Scale) -> Reading {
        let scores = match self {
            Stated::Scores(first, second) => [first, second],
            Stated::Score(score) => [score, score],
            _ => return Ok(self),
        };
        let off = scores.into_iter().find(|score| !scale.contains(*score));
        off.map_or(Ok(self), |score| Err(NoVerdict::OutOfRange(score)))
    }
}

/// Reads the verdict that a judge's reply states in `notation`. `text` is the judge's own reply and
/// nothing else: any Unicode, any length (time is linear in it).
///
/// # Errors
/// [`NoVerdict`] says why none was read.
///
/// # Example
/// ```
/// use evenhand_protocols::{Notation, Stated, extract};
/// let text = "The second answer invents a source.\n\nTherefore, Output (a) is better.";
/// assert_eq!(extract(Notation::OutputLetter, text), Ok(Stated::First));
/// assert_eq!(extract("bracketed-letter".parse()?, "Final verdict: [[C]]"), Ok(Stated::Tie));
/// # Ok::<(), evenhand_protocols::UnknownNotation>(())
/// ```
pub fn extract(notation: Notation, text: &str) -> Result<Stated, NoVerdict> {
    let reply = ReplyText::new(after_thinking(text)?);
    match notation {
        Notation::OutputLetter => output_letter::read_output_letter(&reply),
        Notation::BracketedLetter => brackets::read_letter(&reply),
        Notation::BracketedStrength => brackets::read_strength(&reply),
        Notation::BracketedNumber(scale) => brackets::read_number(&reply, scale),
        Notation::ScorePair(scale) => score_pair::read_score_pair(&reply, scale),
        Notation::Number(scale) => lone_number::read_score(&reply, scale),
        Notation::FivePoint => lone_number::read_five_point(&reply),
        Notation::ResultLetter => after_phrase::read_result_letter(&reply),
        Notation::ResultNumber(scale) => after_phrase::read_result_number(&reply, scale),
        Notation::FinalDecision => after_phrase::read_final_decision(&reply),
        Notation::FirstLine => bare_choice::read_first_line(&reply),
        Notation::CaseOfM => bare_choice::read_case_of_m(&reply),
    }
}

#[cfg(test)]
mod tests;
