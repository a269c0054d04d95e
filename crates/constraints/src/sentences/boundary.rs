//! Whether a sentence ends inside a short piece of text: a word with its mark, and what comes after.

use super::tokens::tokens;
use super::words::{is_abbreviation, is_common, is_starter};

/// How the word after a point looks (Kiss and Strunk 2006, section 4.1.1, the orthographic heuristic).
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Start,
    Inside,
    Unknown,
}

/// Whether some token but the last ends a sentence.
pub(super) fn has_boundary(text: &[char]) -> bool {
    tokens(text).windows(2).any(|pair| ends_sentence(&pair[0], &pair[1]))
}

/// Whether a sentence ends between these two.
fn ends_sentence(token: &str, next: &str) -> bool {
    if token == "?" || token == "!" {
        return true;
    }
    let Some(word) = token.strip_suffix('.') else { return false };
    let word = word.to_lowercase();
    if is_initial(token) {
        return initial_ends(&word, next);
    }
    if token.ends_with("..") || is_abbreviation(&word) {
        return look(next) == Look::Start || is_starter(next);
    }
    !is_number(token) || look(next) != Look::Inside
}

/// After an initial (section 4.3): unless the next word looks as if it were inside, or is a name.
fn initial_ends(word: &str, next: &str) -> bool {
    let name = next.starts_with(char::is_uppercase) && !is_common(next);
    !is_abbreviation(word) && look(next) != Look::Inside && !name
}

fn look(next: &str) -> Look {
    let starts = |is: fn(char) -> bool| next.starts_with(is);
    if matches!(next, "." | "," | ":" | ";" | "?" | "!") || starts(char::is_lowercase) {
        return Look::Inside;
    }
    if starts(char::is_uppercase) && is_starter(next) { Look::Start } else { Look::Unknown }
}

/// One letter and a point.
fn is_initial(token: &str) -> bool {
    let mut characters = token.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_') && characters.next() == Some('.') && characters.next().is_none()
}

/// Digits with points, commas and hyphens among them, after a sign or none.
fn is_number(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = unsigned.strip_prefix(['.', ',']).unwrap_or(unsigned);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-'))
}
