//! The words, numbers and signs of a sentence.

use crate::lexicon::{List, Lists};

/// What a piece of a sentence is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Letters, with the digits, hyphens and apostrophes within them.
    Word,
    /// Digits, with at most one point; None where they are too many to be a score.
    Number(Option<f64>),
    /// `.`, `,`, `:`, `;`, `!` or `?`.
    Stop(char),
    /// A comparison, an arrow, a dash (`-` for all of them), an operator.
    Sign(&'static str),
    /// A parenthesis.
    Open,
    Close,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// As it stands.
    pub(super) raw: String,
    /// A word in lower case, with plain apostrophes; `A` stays as it is.
    pub(super) word: String,
    lists: Lists,
}

impl Piece {
    pub(super) fn is(&self, words: &[impl AsRef<str>]) -> bool {
        self.kind == Kind::Word && words.iter().any(|word| word.as_ref() == self.word)
    }

    /// Whether it is a word of this list.
    pub(super) fn is_in(&self, list: List) -> bool {
        self.lists.contain(list)
    }

    pub(super) fn is_stop(&self, stops: &str) -> bool {
        matches!(self.kind, Kind::Stop(stop) if stops.contains(stop))
    }

    pub(super) fn is_sign(&self, signs: &[&str]) -> bool {
        matches!(self.kind, Kind::Sign(sign) if signs.contains(&sign))
    }

    /// Whether it denies something: `not`, `isn't`.
    pub(super) fn denies(&self) -> bool {
        self.is_in(List::Negations) || self.word.ends_with("n't")
    }

    /// Returns whether it is of no list.
    pub(super) fn is_unknown(&self) -> bool {
        self.lists == Lists::default()
    }

    /// Returns whether it is of a script without spaces, and of no list.
    pub(super) fn is_unknown_run(&self) -> bool {
        self.is_unknown() && self.raw.starts_with(is_unspaced)
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(number) => number,
            _ => None,
        }
    }
}

/// Returns how many pieces at the beginning are such.
pub(super) fn count_while(pieces: &[Piece], is_such: impl Fn(&Piece) -> bool) -> usize {
    pieces.iter().take_while(|piece| is_such(piece)).count()
}

/// Whether any of the pieces is a word of this list.
pub(super) fn any_in(pieces: &[Piece], list: List) -> bool {
    pieces.iter().any(|piece| piece.is_in(list))
}

/// Signs, the longest first, and how they are told.
const SIGNS: [(&str, &str); 36] = [
    ("-->", "->"),
    ("==>", "->"),
    ("->", "->"),
    ("=>", "->"),
    ("\u{2192}", "->"),
    ("\u{21d2}", "->"),
    ("<-", "<-"),
    ("\u{2190}", "<-"),
    (">>>", ">"),
    (">>", ">"),
    (">=", ">="),
    ("\u{2265}", ">="),
    (">", ">"),
    ("\u{227b}", ">"),
    ("\u{226b}", ">"),
    ("<<<", "<"),
    ("<<", "<"),
    ("<=", "<="),
    ("\u{2264}", "<="),
    ("<", "<"),
    ("\u{227a}", "<"),
    ("\u{226a}", "<"),
    ("==", "="),
    ("=", "="),
    ("\u{2248}", "="),
    ("~", "~"),
    ("--", "-"),
    ("-", "-"),
    ("\u{2013}", "-"),
    ("\u{2014}", "-"),
    ("+", "+"),
    ("\u{d7}", "*"),
    ("/", "/"),
    ("&", "&"),
    ("|", "|"),
    ("%", "%"),
];
/// Signs of refusal, which say what a word says.
const CROSSES: [char; 8] = [
    '\u{274c}',
    '\u{2717}',
    '\u{2718}',
    '\u{2716}',
    '\u{1f44e}',
    '\u{274e}',
    '\u{2612}',
    '\u{1f6ab}',
];

/// Pictures that stress what they stand beside, or say nothing.
const PLAIN_PICTURES: &str = "\u{2705}\u{2714}\u{2713}\u{2611}\u{2605}\u{2606}\u{2b50}\u{1f31f}\u{2728}\u{1f4af}\
    \u{1f44d}\u{1f44c}\u{1f44f}\u{1f64c}\u{1f4aa}\u{1f3c6}\u{1f947}\u{1f389}\u{1f38a}\u{1f3af}\u{1f680}\u{1f525}\
    \u{1f60a}\u{1f642}\u{1f600}\u{1f603}\u{1f604}\u{1f601}\u{1f449}\u{27a1}\u{25b6}\u{1f3c5}\u{1f396}\u{1f393}\
    \u{1f4dd}\u{1f4cc}\u{1f50d}\u{2696}\u{1f4a1}\u{1f539}\u{1f538}\u{1f535}\u{1f7e2}\u{1f7e9}\u{2764}\u{1f49a}\
    \u{1f499}";

/// Returns whether a character is a picture that may turn what it stands behind: `A \u{1f480}`.
fn is_telling_picture(c: char) -> bool {
    let is_picture = matches!(c, '\u{203c}' | '\u{2049}' | '\u{2600}'..='\u{27bf}')
        || matches!(c, '\u{2b1b}'..='\u{2b55}' | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}');
    is_picture && !PLAIN_PICTURES.contains(c)
}

/// Splits a sentence into its pieces. Emphasis, quotation marks, brackets but parentheses, markup
/// of mathematics and pictures say nothing.
pub(super) fn split(sentence: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut rest = sentence;
    let mut follows_space = true;
    while let Some(c) = rest.chars().next() {
        let length = match piece_at(rest, follows_space, &found) {
            Some((piece, length)) => {
                match split_run(&piece) {
                    Some(words) => found.extend(words),
                    None => found.push(piece),
                }
                length
            }
            // A command of mathematics says nothing, nor does any other character.
            None if c == '\\' => {
                let command = rest[1..].find(|c: char| !c.is_ascii_alphabetic());
                1 + command.unwrap_or(rest.len() - 1)
            }
            None => c.len_utf8(),
        };
        follows_space = rest[..length].ends_with(|c: char| c.is_whitespace() || c == '(');
        rest = &rest[length..];
    }
    found
}

/// Splits a run of a script without spaces into words that are known, all of them, the longest
/// first; what stands behind one that begins a reason is one piece. None where one is not known.
fn split_run(run: &Piece) -> Option<Vec<Piece>> {
    const LONGEST: usize = 12;
    if !run.raw.starts_with(is_unspaced) {
        return None;
    }
    let (mut words, mut rest): (Vec<Piece>, _) = (Vec::new(), run.raw.as_str());
    let piece = |word: &str| Piece {
        kind: Kind::Word,
        raw: word.into(),
        word: word.into(),
        lists: Lists::of(word),
    };
    while !rest.is_empty() {
        let gives_reason = words.last().is_some_and(|last| last.is_in(List::Reasons));
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
        let ends: Vec<usize> = ends.take(LONGEST).collect();
        let known = |end: &&usize| Lists::of(&rest[..**end]) != Lists::default();
        let end = match ends.iter().rev().find(known) {
            _ if gives_reason => rest.len(),
            known => *known?,
        };
        words.push(piece(&rest[..end]));
        rest = &rest[end..];
    }
    Some(words)
}

fn piece_at(text: &str, follows_space: bool, before: &[Piece]) -> Option<(Piece, usize)> {
    let c = text.chars().next()?;
    let piece = |kind, length: usize| {
        let raw = text[..length].to_string();
        let word = match raw.as_str() {
            // A capital letter alone names something; it is no article.
            "A" | "O" => raw.clone(),
            _ if CROSSES.contains(&c) => "rejected".into(),
            _ => raw.to_lowercase().replace('\u{2019}', "'"),
        };
        let lists = match kind {
            Kind::Word => Lists::of(&word),
            _ => Lists::default(),
        };
        let piece = Piece {
            kind,
            raw,
            word,
            lists,
        };
        Some((piece, length))
    };
    if c.is_alphabetic() {
        return piece(Kind::Word, word_length(text));
    }
    // `#2` is a rank, and no score.
    if c == '#' && text[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return piece(Kind::Word, 1 + word_length(&text[1..]));
    }
    let number = number_length(text, follows_space, before);
    if number > 0 {
        // A digit that goes on as a word is part of it: `3rd`, `2x`.
        let behind = &text[number..];
        if behind.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return piece(Kind::Word, number + word_length(behind));
        }
        let value = text[..number].parse().ok().filter(|_| number <= 10);
        return piece(Kind::Number(value), number);
    }
    // A wink takes back what it stands behind.
    if let Some(wink) = [";)", ";-)"].iter().find(|wink| text.starts_with(**wink)) {
        return piece(Kind::Word, wink.len());
    }
    // Before any word a picture only decorates.
    if CROSSES.contains(&c) || !before.is_empty() && is_telling_picture(c) {
        return piece(Kind::Word, c.len_utf8());
    }
    match c {
        '.' | ',' | ':' | ';' | '!' | '?' => piece(Kind::Stop(c), 1),
        '\u{2026}' => piece(Kind::Stop('.'), c.len_utf8()),
        '(' => piece(Kind::Open, 1),
        ')' => piece(Kind::Close, 1),
        // Most of what is left, and no sign.
        _ if c.is_whitespace() => None,
        _ => {
            let (spelling, sign) = SIGNS
                .iter()
                .find(|(spelling, _)| text.starts_with(spelling))?;
            piece(Kind::Sign(sign), spelling.len())
        }
    }
}

/// The length of the word at the beginning: letters, and digits, hyphens and apostrophes within. A
/// letter of a script that writes no spaces ends a word of another.
fn word_length(text: &str) -> usize {
    let mut previous: Option<char> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let joins = matches!(c, '-' | '\'' | '\u{2019}') && next.is_some_and(char::is_alphabetic);
        let belongs = c.is_alphanumeric() || (previous.is_some() && (joins || is_combining(c)));
        let other_script = previous.is_some_and(|p| is_unspaced(p) != is_unspaced(c));
        if !belongs || other_script {
            return at;
        }
        previous = Some(c);
    }
    text.len()
}

/// Whether a letter is of a script without spaces between words (Chinese, Japanese), or whose words
/// carry their particles (Korean).
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Whether a character is a mark of the letter before it.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{97f}')
}

/// The length of the number at the beginning, 0 for none: digits, with at most one point between
/// them or before them, behind a minus sign that follows a space or opens the sentence.
fn number_length(text: &str, follows_space: bool, before: &[Piece]) -> usize {
    let after_number = before
        .last()
        .is_some_and(|piece| matches!(piece.kind, Kind::Number(_)));
    let sign = usize::from(text.starts_with('-') && follows_space && !after_number);
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let whole = digits(sign);
    let end = sign + whole;
    let fraction = match text.get(end..) {
        Some(rest) if rest.starts_with('.') => digits(end + 1),
        _ => 0,
    };
    match (whole, fraction) {
        (0, 0) => 0,
        (_, 0) => end,
        _ => end + 1 + fraction,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let pieces = split(text).into_iter();
        pieces
            .map(|piece| match piece.kind {
                Kind::Word => piece.word,
                Kind::Number(Some(number)) => number.to_string(),
                Kind::Number(None) => "many".into(),
                Kind::Sign(sign) => sign.into(),
                Kind::Stop(_) | Kind::Open | Kind::Close => piece.raw,
            })
            .collect()
    }

    #[test]
    fn pieces_of_sentences() {
        for (text, expected) in [
            ("**Verdict:** [[A]]", "verdict : A"),
            ("A>>B", "A > b"),
            ("Score: .8/1", "score : 0.8 / 1"),
            ("Score: -1", "score : -1"),
            ("8-6", "8 - 6"),
            ("8 - 6 = 2", "8 - 6 = 2"),
            (
                "It's the 2nd, second-best one.",
                "it's the 2nd , second-best one .",
            ),
            ("The answer is $\\boxed{\\text{B}}$.", "the answer is b ."),
            ("回答A更好", "回答 A 更好"),
            ("Réponse B", "réponse b"),
            ("A \u{274c} B \u{2705}", "A rejected b"),
            ("(a)", "( a )"),
            ("A: #2", "A : #2"),
            ("12345678901", "many"),
            ("B (Confidence: 80%)", "b ( confidence : 80 % )"),
            ("", ""),
        ] {
            assert_eq!(told(text).join(" "), expected, "{text}");
        }
    }
}
