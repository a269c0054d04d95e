//! Replies that are one choice, at their very beginning.

use super::quotations::ReplyText;
use super::statements::explain_absence;
use super::words::{split_words, strip_marks, texts_of};
use super::{Reading, Stated};

/// Reads the first line: "1", "2", or "Tie" or "0" for a tie (PandaLM: reasons follow on other
/// lines). By that notation no other line counts.
pub(super) fn read_first_line(reply: &ReplyText) -> Reading {
    let line = reply.text.trim_start().lines().next().unwrap_or_default();
    let words = split_words(line);
    match texts_of(&words).as_slice() {
        ["1"] | ["response", "1"] => Ok(Stated::First),
        ["2"] | ["response", "2"] => Ok(Stated::Second),
        ["tie"] | ["0"] => Ok(Stated::Tie),
        _ => Err(explain_absence(reply.text)),
    }
}

/// Reads the letter m, small for the response shown first, capital for the second (AlpacaEval 2's
/// model identifiers).
pub(super) fn read_case_of_m(reply: &ReplyText) -> Reading {
    match strip_marks(reply.text) {
        "m" => Ok(Stated::First),
        "M" => Ok(Stated::Second),
        _ => Err(explain_absence(reply.text)),
    }
}
