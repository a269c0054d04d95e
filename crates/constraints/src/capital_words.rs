//! Words in capitals, among the tokens of the Penn Treebank.
//!
//! The tokens are those of R. MacIntyre's script for the Treebank with the additions of nltk 3.10.4
//! (quotation marks of print, dashes, asterisks), as far as a count of capitals can tell: how marks
//! are grouped among themselves is not reproduced.

use crate::pattern::{compile_fixed, is_boundary, is_digit};
use crate::python::{is_upper, split_words};
use crate::sentences::split_sentences;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Counts the tokens in capitals (`str.isupper`: `A1` and `U.S.` are, `McX` is not).
pub(crate) fn count_capital_words(text: &str) -> usize {
    let mut count = 0;
    for sentence in split_sentences(text) {
        let spaced = space_tokens(sentence);
        for token in split_words(&spaced).flat_map(split_clitics) {
            let parts = part_words(token);
            count += split_words(&parts).filter(|part| is_upper(part)).count();
        }
    }
    count
}

/// Puts spaces around whatever is a token by itself.
fn space_tokens(sentence: &str) -> String {
    let characters: Vec<char> = sentence.chars().collect();
    let mut spaced = String::with_capacity(sentence.len() + 16);
    for (at, &c) in characters.iter().enumerate() {
        let apart = stands_apart(&characters, at, c);
        if apart {
            spaced.push(' ');
        }
        spaced.push(c);
        if apart || (c == '\'' && opens_quote(&characters, at)) {
            spaced.push(' ');
        }
    }
    spaced
}

/// Whether this character is a token, or of one that has only marks.
fn stands_apart(characters: &[char], at: usize, c: char) -> bool {
    let next = characters.get(at + 1).copied();
    let before = at.checked_sub(1).and_then(|at| characters.get(at)).copied();
    match c {
        '«' | '“' | '‘' | '„' | '`' | '»' | '”' | '’' | '"' | ';' | '@' | '#' | '$' | '%' | '&'
        | '?' | '!' | '*' => true,
        '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' | '\u{2012}'..='\u{2015}' => true,
        ':' | ',' => !next.is_some_and(is_digit),
        '.' | '\'' | '-' => next == Some(c) || before == Some(c),
        _ => false,
    }
}

/// Whether the apostrophe at this place stands before a word that is not a clitic, and after none.
fn opens_quote(characters: &[char], at: usize) -> bool {
    let is_of_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let after = characters[at + 1..].iter();
    let next: String = after.copied().take_while(is_of_word).collect();
    let clitics = ["re", "ve", "ll", "m", "t", "s", "d", "n"];
    let is_clitic = clitics.contains(&next.to_lowercase().as_str());
    let follows_word = characters[..at].last().is_some_and(is_of_word);
    !next.is_empty() && !is_clitic && !follows_word
}

/// Splits a token from the clitics at its end: `I'm` is `I` and `'m`, `DON'T` is `DO` and `N'T`.
fn split_clitics(token: &str) -> impl Iterator<Item = &str> {
    const SHORT: [&str; 7] = ["'s", "'S", "'m", "'M", "'d", "'D", "'"];
    const LONG: [&str; 8] = ["'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T"];
    let token = token.strip_suffix('.').unwrap_or(token);
    let (token, short) = cut_end(token, &SHORT);
    let (token, long) = cut_end(token, &LONG);
    [Some(token), long, short].into_iter().flatten()
}

/// Cuts one of these ends off, if something stands before it that is not an apostrophe.
fn cut_end<'t>(token: &'t str, ends: &[&str]) -> (&'t str, Option<&'t str>) {
    let heads = ends.iter().filter_map(|end| token.strip_suffix(end));
    let mut heads = heads.filter(|head| !head.is_empty() && !head.ends_with('\''));
    match heads.next() {
        Some(head) => (head, Some(&token[head.len()..])),
        None => (token, None),
    }
}

/// Words that the Treebank takes for two, in any case, with the places where they part; one of them
/// only before white space.
static CONTRACTION: LazyLock<Regex> = LazyLock::new(|| {
    compile_fixed(
        r"(?i)(?:(can)(not)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(wan)(na)$|(d)('ye)|(more)('n))",
    )
});

/// Parts the words of a token that the Treebank takes for two.
fn part_words(token: &str) -> String {
    let parted = CONTRACTION.replace_all(token, |found: &Captures<'_>| {
        let whole = found.get_match();
        if is_boundary(token, whole.start()) && is_boundary(token, whole.end()) {
            let parts = found.iter().skip(1).flatten();
            parts.map(|part| format!(" {} ", part.as_str())).collect()
        } else {
            whole.as_str().to_owned()
        }
    });
    parted.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_the_treebank() {
        // Each figure is of nltk 3.10.4: sum(token.isupper() for token in word_tokenize(text)).
        let cases = [
            ("I'm at NASA's U.S. base.", 3),
            ("DON'T say CAN'T, YOU'LL CANNOT.", 8),
            ("A-B A/B A,B A,1 A:B A--B", 9),
            ("DON’T (ABC) [D] “E” *F* G&H", 8),
            ("Ab aB 1A 1 É", 2),
            ("²GIMME XCANNOT WANNA-BE A-CANNOT", 6),
            ("pam='NGG' {'A': 'T'}", 3),
            ("USA. GIMME THE CAT'S. I WANNA GO", 10),
        ];
        for (text, number) in cases {
            assert_eq!(count_capital_words(text), number, "{text}");
        }
    }
}
