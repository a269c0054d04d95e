//! Which words of a response are not its own.

use evenhand_core::Message;
use std::collections::HashSet;
use std::ops::Range;

/// The spans, in bytes, of what of a text stands in a conversation before it: words, whatever their
/// case, with what lies between two such words, or between one and an end of the text.
///
/// A word is a run of letters and digits; where a script puts no space between words it is a run
/// between punctuation marks. A text without words repeats nothing.
pub(crate) fn repeated(before: &[Message], text: &str) -> Vec<Range<usize>> {
    let known: HashSet<String> = before
        .iter()
        .flat_map(|message| words(&message.content))
        .map(|(_, word)| word.to_lowercase())
        .collect();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let (mut joined, mut end) = (true, 0);
    for (start, word) in words(text) {
        let (repeats, after) = (known.contains(&word.to_lowercase()), start + word.len());
        match spans.last_mut().filter(|_| joined && repeats) {
            Some(span) => span.end = after,
            None if repeats => spans.push(if joined { end } else { start }..after),
            None => {}
        }
        (joined, end) = (repeats, after);
    }
    if let Some(span) = spans.last_mut().filter(|_| joined) {
        span.end = text.len();
    }
    spans
}

/// The words of a text and where each begins.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let runs = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    runs.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(before: &str, text: &'a str) -> Vec<&'a str> {
        repeated(&[Message::system("Be brief."), Message::user(before)], text)
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
