//! Replies that are one choice, at their very beginning.

use super::decide::nothing;
use super::own_words::Reply;
use super::words::words;
use super::{NoVerdict, Stated};

/// The first line is "1", "2", or "Tie" or "0" for a tie (PandaLM: reasons follow on other lines).
/// The first line alone is read: that is the notation.
pub(super) fn first_line(reply: &Reply) -> Result<Stated, NoVerdict> {
    let line = reply.text.trim_start().lines().next().unwrap_or_default();
    let words = words(line);
    match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["1"] | ["response", "1"] => Ok(Stated::First),
        ["2"] | ["response", "2"] => Ok(Stated::Second),
        ["tie"] | ["0"] => Ok(Stated::Tie),
        _ => Err(nothing(reply.text)),
    }
}

/// The reply is the letter m, small for the response shown first, capital for the second
/// (AlpacaEval 2's model identifiers).
pub(super) fn case_of_m(reply: &Reply) -> Result<Stated, NoVerdict> {
    match super::words::without_marks(reply.text) {
        "m" => Ok(Stated::First),
        "M" => Ok(Stated::Second),
        _ => Err(nothing(reply.text)),
    }
}
