//! The tokens of the pieces of two answers, as dense numbers.

use crate::Segmentation;
use crate::plain_rule::is_space;
use crate::unspaced::{is_unspaced, unspaced_words};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::mem::replace;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The token types of each piece of both answers, each once for a piece, numbered from 0 in the
/// order in which they are met.
pub(crate) struct TokenTypes {
    pub(crate) a: Vec<Vec<u32>>,
    pub(crate) b: Vec<Vec<u32>>,
    pub(crate) count: usize,
}

/// Numbers the token types of the pieces.
///
/// Tokens are lower-cased runs of letters, digits and underscore, or any other single character
/// that is not white space. Outside the plain rule, scripts that are written without spaces are cut
/// into their words: a clause of Chinese would be one token else, and share none with its like.
pub(crate) fn number_types(a: &[&str], b: &[&str], segmentation: Segmentation) -> TokenTypes {
    let [a, b] = [a, b]
        .map(|pieces| -> Vec<String> { pieces.iter().map(|piece| lower_case(piece)).collect() });
    let bytes: usize = a.iter().chain(&b).map(String::len).sum();
    // English has about one type in eight bytes.
    let room = bytes / 8;
    let mut numbers = TypeNumbers {
        known: FxHashMap::with_capacity_and_hasher(room, FxBuildHasher),
        last_pieces: Vec::with_capacity(room),
        pieces: 0,
        finds_words: segmentation == Segmentation::Full,
    };
    TokenTypes {
        a: a.iter().map(|piece| numbers.types_of(piece)).collect(),
        b: b.iter().map(|piece| numbers.types_of(piece)).collect(),
        count: numbers.known.len(),
    }
}

fn lower_case(piece: &str) -> String {
    if piece.is_ascii() {
        piece.to_ascii_lowercase()
    } else {
        piece.to_lowercase()
    }
}

struct TypeNumbers<'t> {
    known: FxHashMap<&'t str, u32>,
    /// For each type the number of the last piece that has it.
    last_pieces: Vec<u32>,
    pieces: u32,
    /// Whether scripts that are written without spaces are cut into words.
    finds_words: bool,
}

impl<'t> TypeNumbers<'t> {
    /// Returns the types of the next piece, each once, in the order of the piece.
    fn types_of(&mut self, piece: &'t str) -> Vec<u32> {
        self.pieces += 1;
        let finds_words = self.finds_words && !piece.is_ascii();
        let mut types = Vec::new();
        let take = |token| {
            let new = self.known.len() as u32;
            let number = *self.known.entry(token).or_insert(new);
            if number == new {
                self.last_pieces.push(0);
            }
            // Each type once: the first time that the piece at hand has it.
            let last = self.last_pieces.get_mut(number as usize);
            if last.is_some_and(|last| replace(last, self.pieces) != self.pieces) {
                types.push(number);
            }
        };
        if finds_words {
            for_each_word(piece, take);
        } else {
            for_each_token(piece, take);
        }
        types
    }
}

/// Gives the tokens of a text, and in its stretches of scripts without spaces the words.
fn for_each_word<'t>(text: &'t str, mut take: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != unspaced);
        let (stretch, after) = rest.split_at(end.unwrap_or(rest.len()));
        if unspaced {
            unspaced_words(stretch).into_iter().for_each(&mut take);
        } else {
            for_each_token(stretch, &mut take);
        }
        rest = after;
    }
}

fn for_each_token<'t>(text: &'t str, mut take: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = classify(first);
        let length = match class {
            CharClass::Word => word_length(rest),
            CharClass::Space | CharClass::Other => first.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if class != CharClass::Space {
            take(token);
        }
        rest = after;
    }
}

/// Returns how many bytes the word has that begins this text.
fn word_length(text: &str) -> usize {
    // Most words are ASCII: only where one is not are characters decoded and looked up.
    let end = match text.bytes().position(|byte| !is_ascii_word(byte)) {
        Some(ascii) if !text.as_bytes()[ascii].is_ascii() => {
            text.find(|c| classify(c) != CharClass::Word)
        }
        ascii => ascii,
    };
    end.unwrap_or(text.len())
}

fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Word,
    Space,
    Other,
}

fn classify(c: char) -> CharClass {
    if c.is_ascii() && is_ascii_word(c as u8) {
        CharClass::Word
    } else if is_space(c) {
        CharClass::Space
    } else if c.is_ascii() {
        CharClass::Other
    } else {
        match c.general_category_group() {
            GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number => CharClass::Word,
            _ => CharClass::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let lower = lower_case(text);
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
    fn scripts_without_spaces_have_words() {
        let words = |text: &'static str| {
            let mut all = Vec::new();
            for_each_word(text, |token| all.push(token));
            all
        };
        assert_eq!(words("我喜欢北京。"), ["我", "喜欢", "北京", "。"]);
        assert_eq!(
            words("東京に行きました"),
            ["東京", "に", "行き", "まし", "た"]
        );
        assert_eq!(
            words("ฉันรักภาษาไทย 10%"),
            ["ฉัน", "รัก", "ภาษา", "ไทย", "10", "%"]
        );
        assert_eq!(words("größe 大 x2"), ["größe", "大", "x2"]);
    }

    #[test]
    fn types_are_numbered_once() {
        let found = number_types(&["a b a", "B c"], &["c", "", "D a d"], Segmentation::Full);
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
