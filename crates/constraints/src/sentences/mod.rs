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

use crate::python::strip_end;
use boundary::has_boundary;
use std::ops::Range;
use tokens::{closes, is_blank, parts_words};

/// Returns the sentences of a text, in order, without the white space between.
pub(crate) fn split_sentences(text: &str) -> Vec<&str> {
    let (places, characters): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
    let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
    // The sentences up to their points, in characters; the last one ends where the text does.
    let (mut spans, mut start) = (Vec::new(), 0);
    for candidate in find_candidates(&characters) {
        let around = &characters[candidate.word..candidate.after];
        // Only blanks may stand between the start of a line and the word.
        let mut before = characters[..candidate.word].iter();
        let before = before.rfind(|c| !matches!(c, ' ' | '\t'));
        if has_boundary(around, before.is_none_or(|c| *c == '\n')) {
            spans.push(start..candidate.mark + 1);
            start = candidate.next;
        }
    }
    let end = strip_end(text).chars().count();
    spans.push(start..end.max(start));
    let spans = move_closing_marks(&characters, &spans).into_iter();
    spans
        .filter_map(|span| text.get(place(span.start)..place(span.end)))
        .filter(|found| !found.is_empty())
        .collect()
}

/// A mark that may end a sentence, and the text around it that decides.
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

/// Returns the candidates, of those in one word only the last.
fn find_candidates(text: &[char]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let (mut word, mut before) = (0, 0);
    for candidate in (0..text.len()).filter_map(|at| candidate_at(text, at)) {
        // The last white space between the two marks, but where it comes first.
        let between = &text[before..candidate.mark];
        let space = between
            .iter()
            .rposition(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}'));
        if let Some(space) = space.filter(|space| *space > 0) {
            word = before + space + 1;
        }
        if word < before {
            found.pop();
        }
        before = candidate.mark;
        found.push(Candidate { word, ..candidate });
    }
    found
}

/// Returns the mark at this place, if one is there that something follows; its word is not known
/// yet.
fn candidate_at(text: &[char], mark: usize) -> Option<Candidate> {
    let is_mark = matches!(text[mark], '.' | '?' | '!');
    let follows = *text.get(mark + 1).filter(|_| is_mark)?;
    let (next, after) = if parts_words(follows) {
        (mark + 1, mark + 2)
    } else {
        // The word after white space.
        let rest = &text[mark + 1..];
        let spaces = rest.iter().position(|c| !is_blank(*c));
        let spaces = spaces.filter(|spaces| *spaces > 0)?;
        let word = &rest[spaces..];
        let length = word.iter().position(|c| is_blank(*c));
        let start = mark + 1 + spaces;
        (start, start + length.unwrap_or(word.len()))
    };
    Some(Candidate {
        word: 0,
        mark,
        next,
        after,
    })
}

/// Moves closing marks at the start of a sentence to the end of the one before.
fn move_closing_marks(text: &[char], spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut moved = 0;
    let mut found = Vec::with_capacity(spans.len());
    for (at, span) in spans.iter().enumerate() {
        let start = (span.start + moved).min(span.end);
        let next = spans.get(at + 1);
        let closing = next.and_then(|next| Some((next.start, closing_marks(&text[next.clone()])?)));
        let (end, all) = match closing {
            Some((next, (marks, all))) => (next + marks, all),
            None => (span.end, 0),
        };
        found.push(start..end);
        moved = all;
    }
    found
}

/// Returns how many closing marks a sentence starts with, and how many characters they are with the
/// white space after them: only where white space, two hyphens or the end follows.
fn closing_marks(sentence: &[char]) -> Option<(usize, usize)> {
    let marks = sentence.iter().take_while(|c| closes(**c)).count();
    let rest = sentence.get(marks..).filter(|_| marks > 0)?;
    let spaces = rest.iter().take_while(|c| is_blank(**c)).count();
    let may_close = rest.is_empty() || spaces > 0 || rest.starts_with(&['-', '-']);
    may_close.then_some((marks, marks + spaces))
}

#[cfg(test)]
mod tests {
    use super::split_sentences;

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
            assert_eq!(split_sentences(text), *expected, "{text:?}");
        }
    }
}
