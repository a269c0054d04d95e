//! Foreign text on one line that a terminal shows and does not act on.

use std::borrow::Cow;

/// Returns the text with everything escaped that a terminal acts on and a reader does not see:
/// control characters (C0, C1, ESC, line ends) and marks that turn the direction of writing, as
/// `\n` or `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape_where(text, is_acted_on)
}

/// Returns the text with these characters escaped.
pub fn escape_where(text: &str, must_escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly every text has nothing to escape, and is not copied.
    if !text.contains(&must_escape) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !must_escape(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal acts on a character, or a reader does not see it.
pub fn is_acted_on(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
