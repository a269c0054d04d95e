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
    tokens
        .windows(2)
        .enumerate()
        .any(|(at, pair)| ends_sentence(&pair[0], &pair[1], starts_line && at == 0))
}

fn ends_sentence(token: &str, next: &str, starts_line: bool) -> bool {
    match token {
        "?" | "!" => true,
        _ => token.ends_with('.') && point_ends_sentence(token, next, starts_line),
    }
}

/// Whether the point at the end of this token ends a sentence (Kiss and Strunk 2006, section 4).
fn point_ends_sentence(token: &str, next: &str, starts_line: bool) -> bool {
    let word = token.strip_suffix('.').unwrap_or(token);
    let is_abbreviation = is_abbreviation(&word.to_lowercase());
    let look = word_look(next);
    if is_initial(token) {
        let is_no_name = starts_line || is_no_name(next);
        return !is_abbreviation && look != WordLook::Inside && is_no_name;
    }
    if token.ends_with("..") || is_abbreviation {
        return look == WordLook::Start;
    }
    !is_number(token) || (look != WordLook::Inside && !follows_number(next))
}

/// Section 4.3: a word that is always written with a capital is a name, and an initial before it is
/// part of it.
fn is_no_name(next: &str) -> bool {
    !next.starts_with(char::is_uppercase) || is_common(next)
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
    first.is_some_and(is_letter) && characters.eq(['.'])
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Digits with points, commas and hyphens among them, after a sign or none.
fn is_number(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = unsigned.strip_prefix(['.', ',']).unwrap_or(unsigned);
    digits.starts_with(is_digit) && digits.chars().all(is_of_number)
}

fn is_of_number(c: char) -> bool {
    is_digit(c) || matches!(c, ',' | '.' | '-')
}
