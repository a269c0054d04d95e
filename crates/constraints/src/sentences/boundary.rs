//! Whether a sentence ends inside a short piece of text: a word with its mark, and what comes
//! after.

use super::tokens::cut_tokens;
use super::words::{follows_number, is_abbreviation, is_common, is_starter};
use crate::pattern::is_digit;

/// How the word after a point looks (Kiss and Strunk 2006, section 4.1.1, the orthographic
/// heuristic).
#[derive(Clone, Copy, PartialEq)]
enum WordLook {
    Start,
    Inside,
    Unknown,
}

/// Whether some token but the last ends a sentence. An initial at the start of a line is taken for
/// the label of a list.
pub(super) fn has_boundary(text: &[char], starts_line: bool) -> bool {
    let tokens = cut_tokens(text);
    let mut pairs = tokens.windows(2).enumerate();
    pairs.any(|(at, pair)| match pair[0].as_str() {
        "?" | "!" => true,
        token => {
            let starts_line = starts_line && at == 0;
            token.ends_with('.') && point_ends_sentence(token, &pair[1], starts_line)
        }
    })
}

/// Whether the point at the end of this token ends a sentence (Kiss and Strunk 2006, section 4).
fn point_ends_sentence(token: &str, next: &str, starts_line: bool) -> bool {
    let word = token.strip_suffix('.').unwrap_or(token);
    let is_abbreviation = is_abbreviation(&word.to_lowercase());
    let look = word_look(next);
    if is_initial(token) {
        // Section 4.3: a word that is always written with a capital is a name, and an initial
        // before it is part of it.
        let is_no_name = starts_line || !next.starts_with(char::is_uppercase) || is_common(next);
        return !is_abbreviation && look != WordLook::Inside && is_no_name;
    }
    if token.ends_with("..") || is_abbreviation {
        return look == WordLook::Start;
    }
    !is_number(token) || (look != WordLook::Inside && !follows_number(next))
}

fn word_look(next: &str) -> WordLook {
    if matches!(next, "." | "," | ":" | ";" | "?" | "!") || next.starts_with(char::is_lowercase) {
        return WordLook::Inside;
    }
    if next.starts_with(char::is_uppercase) && is_starter(next) {
        WordLook::Start
    } else {
        WordLook::Unknown
    }
}

/// One letter and a point.
fn is_initial(token: &str) -> bool {
    let mut characters = token.chars();
    let first = characters.next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_') && characters.eq(['.'])
}

/// Digits with points, commas and hyphens among them, after a sign or none.
fn is_number(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = unsigned.strip_prefix(['.', ',']).unwrap_or(unsigned);
    let is_of_number = |c| is_digit(c) || matches!(c, ',' | '.' | '-');
    digits.starts_with(is_digit) && digits.chars().all(is_of_number)
}
