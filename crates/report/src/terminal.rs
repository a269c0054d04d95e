//! Foreign text on a terminal: names, ids, replies and whatever a server said.

use std::borrow::Cow;

/// Returns the text with everything escaped that a terminal acts on and a reader does not see: control
/// characters (C0, C1, ESC, line ends) and marks that turn the direction of writing, as `\n` or
/// `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape_where(text, is_acted_on)
}

/// Returns the text as [`printable`] has it, with its line ends and tabs left as they are: for messages of
/// ours that quote foreign words.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape_where(text, |c| is_acted_on(c) && !matches!(c, '\n' | '\t'))
}

/// Returns the beginning of a printable text, at most so many characters of it.
pub fn excerpt(text: &str, most: usize) -> String {
    let whole = printable(text);
    match whole.char_indices().nth(most) {
        None => whole.into_owned(),
        Some((end, _)) => {
            let more = whole[end..].chars().count();
            format!("{}... ({more} more characters)", &whole[..end])
        }
    }
}

fn escape_where(text: &str, must_escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly every text has nothing to escape, and is not copied.
    if !text.contains(&must_escape) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if must_escape(c) {
            push_escaped(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.extend(c.escape_unicode()),
    }
}

fn is_acted_on(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_the_rest_is_left() {
        for (text, expected) in [
            (
                "plain, \u{e9}\u{4f60} \u{1f600}",
                "plain, \u{e9}\u{4f60} \u{1f600}",
            ),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("a\nb\rc\td", "a\\nb\\rc\\td"),
            (
                "\u{9b}1m\u{202e}evil\u{2066}",
                "\\u{9b}1m\\u{202e}evil\\u{2066}",
            ),
        ] {
            assert_eq!(printable(text), expected);
        }
        assert_eq!(printable_lines("a\nb\u{1b}c"), "a\nb\\u{1b}c");
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(excerpt("abcdef", 3), "abc... (3 more characters)");
        assert_eq!(excerpt("abc", 3), "abc");
    }
}
