//! How probable each answer is, from the few likeliest tokens that a server names at each place of
//! its reply.
//!
//! # What is measured
//!
//! The answer is due at a **place**: the first token that is not only white space, after the last
//! point of the reply at which the text ends with [`AnswerOptions::after`] (white space aside; at
//! the reply's beginning where that is empty). What the model thought before its reply is passed
//! over. The embedded judge stops at the first such point, so that there the first is the last; a
//! served model goes on writing, and its last words are its verdict, as for the reader of texts.
//!
//! From the place on, tokens are added to what was written. An answer is *reached* where what was
//! written, without white space before it, is the answer. Its **probability** is that of being the
//! last one reached: of `1` and `10`, what goes on from `1` to `10` is the latter's. All
//! tokenisations count: `10` as one token or as two, alone or after a space.
//!
//! # What is known of it
//!
//! A server names the k likeliest tokens at each place of the one reply that it wrote. So each
//! probability has **bounds**:
//!
//! - A named token counts exactly where no longer answer can follow.
//! - Where one can, it is followed exactly along the reply, if it is the token that was written and
//!   the next place is there (the end of a turn is not told by some servers, or without a
//!   probability). Else all of its mass may go to each of the answers that it may become. It may
//!   not become an answer that is itself named, as one token, at the same place: a tokenizer that
//!   has `10` does not write `1` and `0`, and the embedded judge counts an answer's own spelling
//!   only.
//! - A token that is not named has at most the mass of the least that is (of those not named for
//!   being written, where the written one is not the likeliest), and all of them together have the
//!   mass that is left. The tokens that lead to an answer are its beginnings, with and without a
//!   space before it, and the space.
//! - Of all that is certain, no answer can have what others have.
//!
//! The figure of an answer is the middle of its bounds; all are scaled down where they sum to more
//! than 1. `within` is half of the widest interval, before scaling. A log-probability that is
//! missing or at most -9999 is no mass; one above 0 by no more than 0.01 counts as 0. Where one is
//! higher, or the tokens named at a place have more than 1.01 together, the server's figures cannot
//! be: none of them is used, and the reply says so.
//!
//! # Example
//!
//! The answers are `A` and `B`; named are `A` with 0.6, ` B` with 0.2 and `The` with 0.15. Left is
//! 0.05, so every other token has at most 0.05. `A` has 0.6, and up to 0.05 more as ` A` or after a
//! space: from 0.6 to 0.65. `B` has 0.2 to 0.25. The figures are 0.625 and 0.225, within 0.025.

mod answer_start;
mod bounds;
mod tokens;
#[cfg(test)]
mod twin;

use crate::served::codec::json::Json;
use answer_start::{FieldPlace, TextTokens};
use bounds::Bounds;
use evenhand_core::{AnswerOptions, AnswerPlace};
use std::ops::Range;
use tokens::SeenTokens;

pub(super) use tokens::is_impossible;

/// Probabilities of answers, in the order of the options.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// The middle of each answer's bounds; they sum to at most 1.
    pub(super) answers: Option<Vec<f64>>,
    /// Half of the widest bounds.
    pub(super) within: f64,
    /// Whether the server's figures cannot be, so that there are no answers.
    pub(super) impossible: bool,
}

/// Measures the probabilities of answers in a choice of OpenAI's API (`logprobs.content`), whose
/// text without reasoning is this. None where the server gave no probabilities, the place was never
/// reached, or no token that is named there begins an answer.
pub(super) fn measure_answers(
    answers: &AnswerOptions,
    choice: &Json,
    text: &str,
) -> Option<Measured> {
    let written = choice.pointer("/logprobs/content")?.as_array()?;
    let texts = tokens::read_texts(written);
    let token = answer_start::find_answer_start(&texts, text, &answers.after)?;
    let place = FieldPlace { token, behind: 0 };
    measure_at(answers, written, place, |_| {})
}

/// Like [`measure_answers`], of a reply that is held to a schema: at the beginning of the verdict's
/// value, be it within a token. What a token has behind the mark that closes the value is not of
/// the answer.
pub(super) fn measure_verdict_field(
    answers: &AnswerOptions,
    choice: &Json,
    text: &str,
) -> Option<Measured> {
    let written = choice.pointer("/logprobs/content")?.as_array()?;
    let place = answer_start::find_verdict_field(&tokens::read_texts(written), text)?;
    measure_at(answers, written, place, SeenTokens::cut_at_closing_quote)
}

/// How many places of a reply are measured: those of a statement and its repetition, or so. A judge
/// that names its answers more often than that is read by its words.
const MOST_PLACES: usize = 12;
/// A text of more bytes is no answer that was due at once, and is not searched.
const LONGEST_SEARCHED: usize = 64 << 10;

/// The part of a reply that stands where an answer was due.
pub(super) struct Due<'a> {
    text: &'a str,
    /// Where it begins, in bytes of the text.
    pub(super) start: usize,
}

impl<'a> Due<'a> {
    /// Finds where an answer was due: behind the last mark, or at once.
    pub(super) fn find(answers: &AnswerOptions, text: &'a str) -> Due<'a> {
        let after = answers.after.trim_end();
        let start = match after {
            "" => 0,
            _ => text.rfind(after).map_or(text.len(), |at| at + after.len()),
        };
        Due { text, start }
    }

    /// Whether nothing but an answer, or nothing at all, stands there. What is probable at its
    /// beginning is then what the reply states.
    pub(super) fn is_bare(&self, answers: &AnswerOptions) -> bool {
        let is_mark = |c: char| c.is_whitespace() || "*_`\"'[](){}.".contains(c);
        let bare = self.text[self.start..].trim_matches(is_mark);
        bare.is_empty() || answers.options.iter().any(|option| option == bare)
    }

    /// Measures the answers at each place from here on at which one stands as a word.
    pub(super) fn measure_places(
        &self,
        answers: &AnswerOptions,
        choice: &Json,
    ) -> Vec<AnswerPlace> {
        let written = choice.pointer("/logprobs/content");
        let is_short = self.text.len() - self.start <= LONGEST_SEARCHED;
        let Some(written) = written.and_then(Json::as_array).filter(|_| is_short) else {
            return Vec::new();
        };
        let Some(said) = TextTokens::new(&tokens::read_texts(written), self.text) else {
            return Vec::new();
        };
        let words = find_words(&answers.options, &self.text[self.start..]);
        let places = words.into_iter().take(MOST_PLACES).filter_map(|word| {
            let place = said.find_place(self.start + word.start)?;
            let measured = measure_at(answers, written, place, |seen| {
                seen.cut_behind_answers(&answers.options)
            })?;
            Some(AnswerPlace {
                end: self.start + word.end,
                answers: measured.answers?,
                within: measured.within,
            })
        });
        places.collect()
    }
}

/// Finds where one of these stands as a word of its own: with no letter, digit or part of a number
/// on either side.
fn find_words(options: &[String], text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for option in options.iter().filter(|option| !option.is_empty()) {
        for (start, _) in text.match_indices(option.as_str()) {
            let end = start + option.len();
            let before = &text[..start];
            let behind = &text[end..];
            let number_goes_on = |mut next: std::str::Chars<'_>| {
                matches!(next.next(), Some('.' | ','))
                    && next.next().is_some_and(|c| c.is_ascii_digit())
            };
            let is_word = !before.ends_with(char::is_alphanumeric)
                && !behind.starts_with(char::is_alphanumeric)
                && !number_goes_on(behind.chars())
                && !before.ends_with(['.', '-', '\u{2212}']);
            if is_word {
                words.push(start..end);
            }
        }
    }
    words.sort_by_key(|word| word.start);
    words
}

/// Measures the answers from a place on, which may be within a token; `cut` takes off what tokens
/// have behind an answer.
fn measure_at(
    answers: &AnswerOptions,
    written: &[Json],
    place: FieldPlace,
    cut: impl Fn(&mut SeenTokens),
) -> Option<Measured> {
    // A token that answers nothing ends the search, so that no answer is longer than this many
    // tokens.
    let depth = answers.options.iter().map(|option| option.len()).max()? + 1;
    let entries = written.get(place.token..)?.iter().take(depth);
    let Some(mut seen) = entries.map(SeenTokens::read).collect::<Option<Vec<_>>>() else {
        return Some(Measured {
            impossible: true,
            ..Measured::default()
        });
    };
    seen.first_mut()?.cut_before(place.behind);
    seen.iter_mut().for_each(cut);
    Bounds::new(&answers.options, &seen).map(to_figures)
}

fn to_figures(bounds: Bounds) -> Measured {
    let intervals = bounds.intervals();
    let middles = intervals.iter().map(|(low, high)| (low + high) / 2.0);
    let middles: Vec<f64> = middles.collect();
    let scale = middles.iter().sum::<f64>().max(1.0);
    let halves = intervals.iter().map(|(low, high)| (high - low) / 2.0);
    Measured {
        answers: Some(middles.iter().map(|p| p / scale).collect()),
        within: halves.fold(0.0, f64::max),
        impossible: false,
    }
}

#[cfg(test)]
mod tests;
