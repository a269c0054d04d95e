//! Sentences, by the decision procedure of Punkt (Kiss and Strunk 2006, "Unsupervised Multilingual
//! Sentence Boundary Detection", section 4) as nltk 3.10.4 runs it, with short word lists of our
//! own in place of its trained tables.
//!
//! A `.`, `?` or `!` can end a sentence where white space and more text, or a mark that words do
//! not hold, comes after. `?` and `!` then do. A point does unless the word before it is an
//! abbreviation, an initial or a number and the word after it does not look like a start. Marks
//! that close (quotes, brackets) go with the sentence before.

mod boundary;
mod tokens;
mod words;

use crate::python::rstrip;
use boundary::has_boundary;
use tokens::{closes, is_blank, parts_words};

/// The sentences of a text, in order, without the white space between.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let (places, characters): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    let spans = with_closing_marks(
        &characters,
        spans(&characters, rstrip(text).chars().count()),
    );
    spans
        .into_iter()
        .filter_map(|(start, end)| text.get(place(start)..place(end)))
        .filter(|found| !found.is_empty())
        .collect()
}

/// A half-open range of characters.
type Span = (usize, usize);

/// The sentences up to their points; the last one ends where the text does.
fn spans(text: &[char], end: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    let starts_line = |at: usize| {
        text[..at]
            .iter()
            .rfind(|c| !matches!(c, ' ' | '\t'))
            .is_none_or(|c| *c == '\n')
    };
    let ends = |it: &Candidate| has_boundary(&text[it.word..it.after], starts_line(it.word));
    for candidate in candidates(text).into_iter().filter(ends) {
        spans.push((start, candidate.mark + 1));
        start = candidate.next;
    }
    spans.push((start, end.max(start)));
    spans
}

/// A mark that may end a sentence, and what is looked at to decide.
#[derive(Clone, Copy)]
struct Candidate {
    /// Where the word before it starts.
    word: usize,
    /// The mark.
    mark: usize,
    /// Where the next sentence would start.
    next: usize,
    /// Where the word (or sign) after it ends.
    after: usize,
}

/// The candidates, of those in one word only the last.
fn candidates(text: &[char]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let (mut word, mut before) = (0, 0);
    for (mark, next, after) in (0..text.len()).filter_map(|at| mark_at(text, at)) {
        let space = text[before..mark]
            .iter()
            .rposition(|c| is_ascii_space(*c))
            .filter(|at| *at > 0);
        word = space.map_or(word, |at| before + at + 1);
        if word < before {
            found.pop();
        }
        found.push(Candidate {
            word,
            mark,
            next,
            after,
        });
        before = mark;
    }
    found
}

fn is_ascii_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

/// A mark at this place that something follows: the place, where the next sentence would start, and
/// where what follows ends.
fn mark_at(text: &[char], at: usize) -> Option<(usize, usize, usize)> {
    let follows = matches!(text[at], '.' | '?' | '!')
        .then(|| text.get(at + 1))
        .flatten()?;
    if parts_words(*follows) {
        return Some((at, at + 1, at + 2));
    }
    let next = at
        + 1
        + text[at + 1..]
            .iter()
            .position(|c| !is_blank(*c))
            .filter(|spaces| *spaces > 0)?;
    let length = text[next..]
        .iter()
        .position(|c| is_blank(*c))
        .unwrap_or(text.len() - next);
    Some((at, next, next + length))
}

/// Moves closing marks at the start of a sentence to the end of the one before.
fn with_closing_marks(text: &[char], spans: Vec<Span>) -> Vec<Span> {
    let mut moved = 0;
    let mut found = Vec::with_capacity(spans.len());
    for (at, &(start, end)) in spans.iter().enumerate() {
        let start = (start + moved).min(end);
        let closing = spans
            .get(at + 1)
            .and_then(|&(from, to)| closing_marks(&text[from..to]).map(|marks| (from, marks)));
        moved = closing.map_or(0, |(_, (_, all))| all);
        found.push((
            start,
            closing.map_or(end, |(from, (marks, _))| from + marks),
        ));
    }
    found
}

/// How many closing marks a sentence starts with, and how many characters they are with the white
/// space after them: only where white space, two hyphens or the end follows.
fn closing_marks(sentence: &[char]) -> Option<(usize, usize)> {
    let marks = sentence.iter().take_while(|c| closes(**c)).count();
    let rest = sentence.get(marks..).filter(|_| marks > 0)?;
    let spaces = rest.iter().take_while(|c| is_blank(**c)).count();
    (rest.is_empty() || spaces > 0 || rest.starts_with(&['-', '-']))
        .then_some((marks, marks + spaces))
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn as_nltk_has_them() {
        // Each was tried with nltk 3.10.4 (PunktTokenizer, english).
        let cases: &[(&str, &[&str])] = &[
            (
                "Hi there. “Yo.” Foo! (Bar?) end",
                &["Hi there.", "“Yo.”", "Foo!", "(Bar?)", "end"],
            ),
            (
                "Dr. Smith went. He left at 3 p.m. yesterday",
                &["Dr. Smith went.", "He left at 3 p.m. yesterday"],
            ),
            (
                "Well... The end. Well... the end.",
                &["Well...", "The end.", "Well... the end."],
            ),
            ("Wait!!! No. . . yes", &["Wait!!!", "No.", ".", ".", "yes"]),
            (
                "1. One\n2. two\n3. Three",
                &["1.", "One\n2. two\n3.", "Three"],
            ),
            ("  a.b c.  ", &["  a.b c."]),
            ("", &[]),
            (" \n ", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), *expected, "{text:?}");
        }
    }
}
