//! Text as the reference checker's language sees it. Python's `str` methods differ from Rust's in a
//! few places, and a verdict can hang on each of them.

/// White space of `str.strip`, `str.split` and `\s` of `re`: Unicode's White_Space and the four
/// separators U+001C to U+001F.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.strip_space()`.
pub(crate) fn strip_space(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.strip_end()`.
pub(crate) fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// `str.split()`: the words between runs of white space.
pub(crate) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// `str.isupper()`: there is an upper-case character, and no lower-case or title-case one.
pub(crate) fn is_upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(|c| c.is_lowercase() || is_title(c))
}

/// `str.islower()`: there is a lower-case character, and no upper-case or title-case one.
pub(crate) fn is_lower(text: &str) -> bool {
    text.chars().any(char::is_lowercase) && !text.chars().any(|c| c.is_uppercase() || is_title(c))
}

/// Title-case letters (category Lt): four Latin digraphs and the Greek capitals with a small iota.
fn is_title(c: char) -> bool {
    matches!(c, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}' | '\u{1fa8}'..='\u{1faf}')
        || matches!(c, '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}')
}

/// `\s` of `re`, for patterns.
pub(crate) const SPACE: &str = r"[\s\x1c-\x1f]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_of_information_are_space() {
        assert_eq!(strip_space("\u{1c} a \u{1f}\u{85}\u{a0}"), "a");
        assert_eq!(
            split_words(" a\u{1d}b  c ").collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
        assert_eq!(strip_end(" a\u{1e}"), " a");
        assert!(!is_space('\u{200b}'));
    }

    #[test]
    fn case_is_of_the_whole_text() {
        assert!(is_upper("A 1!") && !is_upper("1!") && !is_upper("Aa") && !is_upper("A\u{1c5}"));
        assert!(is_lower("a 1!") && !is_lower("1!") && !is_lower("aB"));
        assert!(
            is_lower("ª") && is_upper("Ⅷ"),
            "characters that are not letters can have case"
        );
    }
}
