//! The tokens of the pieces of two answers, as dense numbers.

use crate::plain::is_space;
use rustc_hash::{FxBuildHasher, FxHashMap};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The token types of each piece of both answers, each once for a piece, numbered from 0 in the
/// order in which they are met.
pub(crate) struct Types {
    pub(crate) a: Vec<Vec<u32>>,
    pub(crate) b: Vec<Vec<u32>>,
    pub(crate) count: usize,
}

/// Tokens are lower-cased runs of letters, digits and underscore, or any other single character
/// that is not white space.
pub(crate) fn types(a: &[&str], b: &[&str]) -> Types {
    let lower = |pieces: &[&str]| {
        pieces
            .iter()
            .map(|piece| lowered(piece))
            .collect::<Vec<String>>()
    };
    let (a, b) = (lower(a), lower(b));
    let bytes: usize = a.iter().chain(&b).map(String::len).sum();
    // About one type in so many bytes of English.
    let known = FxHashMap::with_capacity_and_hasher(bytes / 8, FxBuildHasher);
    let mut numbers = Numbers {
        known,
        seen: Vec::with_capacity(bytes / 8),
        pieces: 0,
    };
    let of_a = a.iter().map(|piece| numbers.of(piece)).collect();
    let of_b = b.iter().map(|piece| numbers.of(piece)).collect();
    Types {
        a: of_a,
        b: of_b,
        count: numbers.known.len(),
    }
}

fn lowered(piece: &str) -> String {
    if piece.is_ascii() {
        piece.to_ascii_lowercase()
    } else {
        piece.to_lowercase()
    }
}

struct Numbers<'t> {
    known: FxHashMap<&'t str, u32>,
    /// For each type the number of the last piece that has it.
    seen: Vec<u32>,
    pieces: u32,
}

impl<'t> Numbers<'t> {
    /// The types of the next piece.
    fn of(&mut self, piece: &'t str) -> Vec<u32> {
        self.pieces += 1;
        let mut types = Vec::new();
        for_each_token(piece, |token| {
            let new = self.known.len() as u32;
            let number = *self.known.entry(token).or_insert(new);
            if number == new {
                self.seen.push(0);
            }
            if let Some(seen) = self
                .seen
                .get_mut(number as usize)
                .filter(|seen| **seen != self.pieces)
            {
                *seen = self.pieces;
                types.push(number);
            }
        });
        types
    }
}

fn for_each_token<'t>(text: &'t str, mut take: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = kind(first);
        let length = if kind == Kind::Word {
            word_length(rest)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if kind != Kind::Space {
            take(token);
        }
        rest = after;
    }
}

fn word_length(text: &str) -> usize {
    let ascii = text
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
        .unwrap_or(text.len());
    match text.as_bytes().get(ascii) {
        Some(byte) if !byte.is_ascii() => {
            text.find(|c| kind(c) != Kind::Word).unwrap_or(text.len())
        }
        _ => ascii,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Space,
    Other,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Kind::Word,
        _ if is_space(c) => Kind::Space,
        _ if c.is_ascii() => Kind::Other,
        _ => match c.general_category_group() {
            GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number => Kind::Word,
            _ => Kind::Other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let lower = lowered(text);
        let mut all = Vec::new();
        for_each_token(&lower, |token| all.push(token.to_string()));
        all
    }

    #[test]
    fn tokens_are_words_and_single_marks() {
        assert_eq!(
            tokens("It's _A1_, €5!"),
            ["it", "'", "s", "_a1_", ",", "€", "5", "!"]
        );
        assert_eq!(
            tokens("Größe ΣΑΣ 你好。x²"),
            ["größe", "σας", "你好", "。", "x²"]
        );
        assert_eq!(
            tokens("क्षि \u{1f}İ"),
            ["क", "\u{94d}", "ष", "\u{93f}", "i", "\u{307}"]
        );
        assert_eq!(tokens(" \n"), [""; 0]);
    }

    #[test]
    fn types_are_numbered_once() {
        let found = types(&["a b a", "B c"], &["c", "", "D a d"]);
        assert_eq!(
            (found.a, found.b),
            (
                vec![vec![0, 1], vec![1, 2]],
                vec![vec![2], vec![], vec![3, 0]]
            )
        );
        assert_eq!(found.count, 4);
    }
}
