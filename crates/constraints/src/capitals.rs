//! Words in capitals, among the tokens of the Penn Treebank.
//!
//! The tokens are those of R. MacIntyre's script for the Treebank with the additions of nltk 3.10.4
//! (quotation marks of print, dashes, asterisks), as far as a count of capitals can tell: how marks
//! are grouped among themselves is not reproduced.

use crate::pattern::{fixed, is_boundary, is_digit};
use crate::python::{is_upper, split};
use crate::sentences::sentences;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The number of tokens in capitals (`str.isupper`: `A1` and `U.S.` are, `McX` is not).
pub(crate) fn capital_words(text: &str) -> usize {
    sentences(text).into_iter().map(capitals_of_sentence).sum()
}

fn capitals_of_sentence(sentence: &str) -> usize {
    let spaced = spaced(sentence);
    split(&spaced)
        .flat_map(|token| without_clitics(token).map(parted))
        .map(|token| count(&token))
        .sum()
}

fn count(parts: &str) -> usize {
    split(parts).filter(|part| is_upper(part)).count()
}

/// The sentence with spaces around whatever is a token by itself.
fn spaced(sentence: &str) -> String {
    let characters: Vec<char> = sentence.chars().collect();
    let mut spaced = String::with_capacity(sentence.len() + 16);
    for (at, &c) in characters.iter().enumerate() {
        let apart = stands_apart(&characters, at, c);
        let after = apart || (c == '\'' && opens_quote(&characters, at));
        spaced.extend(
            apart
                .then_some(' ')
                .into_iter()
                .chain([c])
                .chain(after.then_some(' ')),
        );
    }
    spaced
}

/// Whether this character is a token, or of one that has only marks.
fn stands_apart(characters: &[char], at: usize, c: char) -> bool {
    let near = |step: isize| {
        at.checked_add_signed(step)
            .and_then(|at| characters.get(at))
            .copied()
    };
    match c {
        '«' | '“' | '‘' | '„' | '`' | '»' | '”' | '’' | '"' | ';' | '@' | '#' | '$' | '%' | '&'
        | '?' | '!' | '*' => true,
        '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' | '\u{2012}'..='\u{2015}' => true,
        ':' | ',' => !near(1).is_some_and(is_digit),
        '.' | '\'' => near(1) == Some(c) || near(-1) == Some(c),
        '-' => near(1) == Some('-') || near(-1) == Some('-'),
        _ => false,
    }
}

/// Whether the apostrophe at this place stands before a word that is no clitic, and after none.
fn opens_quote(characters: &[char], at: usize) -> bool {
    let is_word = |c: &&char| c.is_alphanumeric() || **c == '_';
    let next: String = characters[at + 1..].iter().take_while(is_word).collect();
    let clitic =
        ["re", "ve", "ll", "m", "t", "s", "d", "n"].contains(&next.to_lowercase().as_str());
    !next.is_empty() && !clitic && !characters[..at].last().is_some_and(|c| is_word(&c))
}

/// A token and the clitics at its end, each apart: `I'm` is `I` and `'m`, `DON'T` is `DO` and
/// `N'T`.
fn without_clitics(token: &str) -> impl Iterator<Item = &str> {
    let (token, short) = cut(
        token.strip_suffix('.').unwrap_or(token),
        &["'s", "'S", "'m", "'M", "'d", "'D", "'"],
    );
    let (token, long) = cut(
        token,
        &["'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T"],
    );
    [Some(token), long, short].into_iter().flatten()
}

/// Cuts one of these ends off, if something stands before it that is not an apostrophe.
fn cut<'t>(token: &'t str, ends: &[&str]) -> (&'t str, Option<&'t str>) {
    let found = ends.iter().find_map(|end| {
        token
            .strip_suffix(end)
            .filter(|head| !head.is_empty() && !head.ends_with('\''))
    });
    found.map_or((token, None), |head| (head, Some(&token[head.len()..])))
}

/// Words that the Treebank takes for two, in any case, with the places where they part; one of them
/// only before white space.
static CONTRACTION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?i)(?:(can)(not)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(wan)(na)$|(d)('ye)|(more)('n))",
    )
});

fn parted(token: &str) -> String {
    let part = |found: &Captures<'_>| {
        let whole = found.get_match();
        let alone = is_boundary(token, whole.start()) && is_boundary(token, whole.end());
        let parts = found
            .iter()
            .skip(1)
            .flatten()
            .map(|part| format!(" {} ", part.as_str()));
        if alone {
            parts.collect()
        } else {
            whole.as_str().to_owned()
        }
    };
    CONTRACTION.replace_all(token, part).into_owned()
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
            assert_eq!(capital_words(text), number, "{text}");
        }
    }
}
