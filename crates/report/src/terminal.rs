//! Foreign text on a terminal: names, ids, replies and whatever a server said.

pub use evenhand_core::printable;
use evenhand_core::{escape_where, is_acted_on};
use std::borrow::Cow;

/// Returns the text as [`printable`] has it, with its line ends and tabs left as they are: for
/// messages of ours that quote foreign words.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape_where(text, |c| is_acted_on(c) && !matches!(c, '\n' | '\t'))
}

/// Returns a text for people with nothing in it that a program which reads a job's log would act
/// on: GitHub's runner takes lines that begin with `::`, white space not counted, and `##[`
/// anywhere as commands, those of Azure and TeamCity `##name[`. An invisible word joiner (U+2060)
/// breaks them.
pub fn without_commands(text: &str) -> Cow<'_, str> {
    let mut breaks = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let shown = line.trim_start();
        if shown.starts_with("::") {
            breaks.push(from + line.len() - shown.len() + 1);
        }
        for (at, _) in line.match_indices('#') {
            let Some(behind) = line[at + 1..].strip_prefix('#') else {
                continue;
            };
            if behind
                .trim_start_matches(|c: char| c.is_ascii_alphanumeric())
                .starts_with('[')
            {
                breaks.push(from + at + 1);
            }
        }
        from += line.len();
    }
    if breaks.is_empty() {
        return Cow::Borrowed(text);
    }
    breaks.sort_unstable();
    let mut out = String::with_capacity(text.len() + 3 * breaks.len());
    let mut from = 0;
    for at in breaks {
        out.push_str(&text[from..at]);
        out.push('\u{2060}');
        from = at;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
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
    fn what_a_runner_would_act_on_is_broken() {
        for text in [
            "::error file=a::x",
            "  \t::add-mask::e  1\n::set-output name=code::0\n",
            "q ##[add-mask]e, ###[group]",
            "a\n\u{a0}::stop-commands::t\n##vso[task.setvariable]x##teamcity[y]",
            ":::: ::warning::",
            "##[##[a]",
        ] {
            let broken = without_commands(text);
            let acted_on = broken.lines().any(|line| {
                let known = ["##[", "##vso[", "##teamcity["];
                line.trim().starts_with("::") || known.iter().any(|mark| line.contains(mark))
            });
            assert!(!acted_on, "{broken:?}");
            assert_eq!(broken.replace('\u{2060}', ""), text);
            assert_eq!(without_commands(&broken), broken, "once is enough");
        }
        for text in [
            "",
            "a::b, std::io",
            "## Title [x]",
            "#[test]",
            "a\n b :: c\n",
        ] {
            assert!(matches!(without_commands(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(excerpt("abcdef", 3), "abc... (3 more characters)");
        assert_eq!(excerpt("abc", 3), "abc");
    }
}
