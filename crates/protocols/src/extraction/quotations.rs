//! Quotations in a judge's reply. The rest are its own words.

use std::ops::Range;

/// A judge's reply without its thinking, and what it quotes.
pub(crate) struct ReplyText<'a> {
    pub(crate) text: &'a str,
    /// Byte ranges within `text`, ascending, apart from one another.
    quoted: Vec<Range<usize>>,
}

impl<'a> ReplyText<'a> {
    pub(crate) fn new(text: &'a str) -> ReplyText<'a> {
        ReplyText {
            text,
            quoted: find_quotations(text),
        }
    }

    /// Returns the quotation that the byte `at` lies in.
    pub(crate) fn find_quotation(&self, at: usize) -> Option<&Range<usize>> {
        let next = self.quoted.partition_point(|range| range.end <= at);
        self.quoted.get(next).filter(|range| range.start <= at)
    }
}

/// Finds code blocks, block quotes, and what stands between quotation marks.
fn find_quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut plain = 0;
    for block in find_blocks(text) {
        add_marked(text, plain..block.start, &mut found);
        plain = block.end;
        found.push(block);
    }
    add_marked(text, plain..text.len(), &mut found);
    found
}

/// Finds fenced code and lines that begin with `>`. A fence that is never closed quotes nothing.
fn find_blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // Where a fence begins that is not closed yet, and how many blocks were found before it.
    let mut open: Option<(usize, usize)> = None;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let words = line.trim_start();
        let is_fence = words.starts_with("```") || words.starts_with("~~~");
        match open {
            Some((fence, known)) if is_fence => {
                // Lines that were found within it are part of it.
                found.truncate(known);
                found.push(fence..end);
                open = None;
            }
            None if is_fence => open = Some((start, found.len())),
            _ if words.starts_with('>') => found.push(start..end),
            _ => {}
        }
    }
    found
}

/// Adds what stands between a pair of quotation marks. A mark that is never closed quotes nothing:
/// one of a pair without its partner is known by looking ahead, and another straight opening mark
/// takes the place of the one before.
fn add_marked(text: &str, within: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = text.get(within.clone()).unwrap_or_default();
    let last_closing = CURLY.map(|(_, closing)| part.rfind(closing).unwrap_or(0));
    // Where a quotation begins that is not closed yet, and the mark that closes it.
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    let mut marks = part.char_indices().peekable();
    while let Some((at, mark)) = marks.next() {
        let after = marks.peek().map_or(' ', |(_, next)| *next);
        let is_straight = matches!(mark, '"' | '`');
        let may_close =
            !is_straight || (!before.is_whitespace() && before != mark && !after.is_alphanumeric());
        match open {
            Some((start, closing)) if mark == closing && may_close => {
                found.push(within.start + start..within.start + at + mark.len_utf8());
                open = None;
            }
            Some((_, closing)) if mark != closing => {}
            _ => {
                let closing = if is_straight {
                    let is_apart = !before.is_alphanumeric() && !after.is_whitespace();
                    (is_apart && before != mark && after != mark).then_some(mark)
                } else {
                    let mut pairs = CURLY.iter().zip(last_closing);
                    pairs
                        .find(|((opening, _), last)| *opening == mark && *last > at)
                        .map(|((_, closing), _)| *closing)
                };
                open = closing.map(|closing| (at, closing)).or(open);
            }
        }
        before = mark;
    }
}

/// Marks that open a quotation, and those that close it.
const CURLY: [(char, char); 4] = [('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> Vec<&str> {
        find_quotations(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn quotation_marks_of_several_kinds() {
        assert_eq!(
            quoted("It says \"yes\" and “no, \"x\"”."),
            ["\"yes\"", "“no, \"x\"”"]
        );
        assert_eq!(
            quoted("A \"two\nline\" text, and `[[A]]`"),
            ["\"two\nline\"", "`[[A]]`"]
        );
    }

    #[test]
    fn marks_that_quote_nothing() {
        for text in [
            "a 5\" disk and a 3\" one",
            "\"never closed",
            "it's the judge's",
            "``` never closed\nx",
            "“ x",
        ] {
            assert_eq!(quoted(text), Vec::<&str>::new(), "{text}");
        }
        assert_eq!(
            quoted("\"never closed, then \"closed\" here"),
            ["\"closed\""]
        );
    }

    #[test]
    fn code_and_block_quotes() {
        assert_eq!(
            quoted("a\n```rust\n> \"x\"\n```\nb\n> c\n"),
            ["```rust\n> \"x\"\n```\n", "> c\n"]
        );
        assert_eq!(
            quoted("```\na\n```\n```\n\"b\""),
            ["```\na\n```\n", "\"b\""]
        );
    }

    #[test]
    fn quotation_by_place() {
        let reply = ReplyText::new("x \"y\" z \"w\"");
        assert_eq!(
            [0, 2, 3, 4, 5, 8].map(|at| reply.find_quotation(at).is_some()),
            [false, true, true, true, false, true]
        );
    }
}
