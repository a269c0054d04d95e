//! Words in a drawing: hidden marks made visible, cut and broken to the room there is.

use crate::printable;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Width of a column as a share of the letters' height.
const COLUMN: f64 = 0.6;

/// Characters that are looked at of any text.
const LONGEST: usize = 600;

/// Characters of one letter with its accents; more of them would pile up over the figure.
const ACCENTED: usize = 6;

/// Returns the text with its hidden marks visible, and no more of it than anyone reads.
pub(super) fn tame(text: &str) -> String {
    let begin: String = text.chars().take(LONGEST).collect();
    let shown = printable(&begin);
    let letters = shown.graphemes(true);
    let mut tamed: String = letters
        .flat_map(|letter| letter.chars().take(ACCENTED))
        .collect();
    if begin.len() < text.len() {
        tamed.push('…');
    }
    tamed
}

/// Returns about how wide a text is in letters of this size.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    text.width() as f64 * COLUMN * size
}

/// Returns a text that fits, cut with an ellipsis where it has to be.
pub(super) fn fit(text: &str, room: f64, size: f64) -> String {
    let tamed = tame(text);
    if width_of(&tamed, size) <= room {
        return tamed;
    }
    let mut kept = String::new();
    for letter in tamed.graphemes(true) {
        if width_of(&kept, size) + width_of(letter, size) + width_of("…", size) > room {
            break;
        }
        kept.push_str(letter);
    }
    kept.trim_end().to_owned() + "…"
}

/// Returns a text in lines that fit, at most so many; the last is cut where there is more.
pub(super) fn wrap(text: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let tamed = tame(text);
    let mut lines: Vec<String> = Vec::new();
    let mut words = tamed.split(' ').peekable();
    while let Some(first) = words.next()
        && lines.len() < most
    {
        // The last line takes all words that are left, and is cut.
        let is_last = lines.len() + 1 == most;
        let mut line = first.to_owned();
        while let Some(word) = words.peek() {
            let longer = format!("{line} {word}");
            if !is_last && width_of(&longer, size) > room {
                break;
            }
            line = longer;
            words.next();
        }
        lines.push(fit(line.trim(), room, size));
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Returns a text as it stands in XML.
pub(crate) fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // No document of XML may hold these two.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_broken_where_the_room_ends() {
        assert_eq!(fit("short", 100.0, 10.0), "short");
        assert_eq!(fit("much too long", 34.0, 10.0), "much…");
        assert_eq!(fit("你好你好你好", 34.0, 10.0), "你好…");
        let room = width_of("one two", 10.0);
        assert_eq!(wrap("one two three", room, 10.0, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three", room, 10.0, 1), ["one tw…"]);
        assert!(wrap("", room, 10.0, 2).is_empty());
    }

    #[test]
    fn hidden_marks_are_shown_and_piles_of_accents_are_not() {
        assert_eq!(tame("a\u{202e}b\n"), "a\\u{202e}b\\n");
        let pile = format!("e{}", "\u{301}".repeat(500));
        assert_eq!(tame(&pile).chars().count(), ACCENTED);
        assert_eq!(tame(&"x".repeat(10_000)).chars().count(), LONGEST + 1);
        assert_eq!(
            escape_xml("<a b=\"&\">\u{ffff}"),
            "&lt;a b=&quot;&amp;&quot;&gt;\u{fffd}"
        );
    }
}
