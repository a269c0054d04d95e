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
    let mut known = HashSet::new();
    for message in before {
        known.extend(split_words(&message.content).map(|(_, word)| word.to_lowercase()));
    }
    let mut spans: Vec<Range<usize>> = Vec::new();
    // Whether a repeated word joins the last span: no word of the text's own parts them, nor one
    // from the beginning of the text.
    let mut joins = true;
    for (start, word) in split_words(text) {
        let end = start + word.len();
        let repeats = known.contains(&word.to_lowercase());
        if repeats {
            match spans.last_mut() {
                Some(span) if joins => span.end = end,
                // The first word: what stands before it belongs to it.
                _ if joins => spans.push(0..end),
                _ => spans.push(start..end),
            }
        }
        joins = repeats;
    }
    // What follows the last word belongs to it.
    if let Some(span) = spans.last_mut().filter(|_| joins) {
        span.end = text.len();
    }
    spans
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
