//! Words of a response that stand in the conversation before it.

use evenhand_core::Message;
use std::collections::HashSet;
use std::ops::Range;

/// Finds the spans, in bytes, of what of a text stands in a conversation before it: words, whatever
/// their case, with what lies between two such words, or between one and an end of the text.
///
/// A word is a run of letters and digits; where a script puts no space between words it is a run
/// between punctuation marks. A text without words repeats nothing.
pub(crate) fn find_repeated(before: &[Message], text: &str) -> Vec<Range<usize>> {
    let known = collect_words(before);
    let mut repeated = Repeated::new();
    for (start, word) in split_words(text) {
        repeated.add(start, word, known.contains(&word.to_lowercase()));
    }
    repeated.finish(text.len())
}

/// The repeated spans of the words so far.
struct Repeated {
    spans: Vec<Range<usize>>,
    /// Whether a repeated word would join the last span: no word of the text's own parts them, nor
    /// one from the beginning of the text.
    joins: bool,
    /// The byte behind the last word.
    end: usize,
}

impl Repeated {
    fn new() -> Repeated {
        Repeated {
            spans: Vec::new(),
            joins: true,
            end: 0,
        }
    }

    fn add(&mut self, start: usize, word: &str, repeats: bool) {
        let end = start + word.len();
        if repeats {
            self.extend_to(start, end);
        }
        self.joins = repeats;
        self.end = end;
    }

    /// Adds a repeated word to the last span, or a span of its own.
    fn extend_to(&mut self, start: usize, end: usize) {
        match self.spans.last_mut() {
            Some(span) if self.joins => span.end = end,
            _ if self.joins => self.spans.push(self.end..end),
            _ => self.spans.push(start..end),
        }
    }

    /// Returns the spans; what follows the last word belongs to it.
    fn finish(mut self, end: usize) -> Vec<Range<usize>> {
        if let Some(span) = self.spans.last_mut().filter(|_| self.joins) {
            span.end = end;
        }
        self.spans
    }
}

/// Collects the words of messages in lower case.
fn collect_words(messages: &[Message]) -> HashSet<String> {
    messages
        .iter()
        .flat_map(|message| split_words(&message.content))
        .map(|(_, word)| word.to_lowercase())
        .collect()
}

/// Splits a text into words, each with the byte at which it begins.
pub(crate) fn split_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    let words = runs.filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(before: &str, text: &'a str) -> Vec<&'a str> {
        find_repeated(&[Message::system("Be brief."), Message::user(before)], text)
            .into_iter()
            .map(|span| &text[span])
            .collect()
    }

    #[test]
    fn words_of_any_message_before_are_found_whatever_their_case() {
        assert_eq!(
            found(
                "Name a bird, please!",
                "A BIRD: the wren. Brief, isn't it? bird"
            ),
            ["A BIRD", "Brief", "bird"]
        );
        assert_eq!(
            found("Wie hei\u{df}t Stra\u{df}e?", "Na, STRA\u{df}E, na ja"),
            ["STRA\u{df}E"]
        );
    }

    #[test]
    fn what_lies_between_repeated_words_and_at_the_ends_belongs_to_them() {
        assert_eq!(
            found("Name a bird, please!", " * name (a) bird\n"),
            [" * name (a) bird\n"]
        );
        assert_eq!(
            found("Name a bird, please!", "\"Please, a wren.\""),
            ["\"Please, a"]
        );
        assert_eq!(
            found("Name a bird, please!", "Wren; owl. A bird..."),
            ["A bird..."]
        );
    }

    #[test]
    fn a_part_of_a_word_is_no_word_and_nothing_has_none() {
        assert!(found("birds", "bird birdsong").is_empty());
        assert!(found("", "a bird").is_empty());
        assert!(found("a bird", "").is_empty());
        assert!(found("a bird ...", "...").is_empty());
    }
}
