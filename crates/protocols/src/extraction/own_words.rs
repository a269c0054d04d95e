//! What of a reply are the judge's own words: not its thinking, and not what it quotes.

use std::ops::Range;

/// A judge's reply and what it quotes.
pub(crate) struct Reply<'a> {
    pub(crate) text: &'a str,
    /// Byte ranges within `text`, ascending, apart from one another.
    quoted: Vec<Range<usize>>,
}

impl<'a> Reply<'a> {
    pub(crate) fn new(text: &'a str) -> Reply<'a> {
        Reply {
            text,
            quoted: quotations(text),
        }
    }

    /// The quotation that `at` lies in.
    pub(crate) fn quotation(&self, at: usize) -> Option<&Range<usize>> {
        let next = self.quoted.partition_point(|range| range.end <= at);
        self.quoted.get(next).filter(|range| range.start <= at)
    }
}

/// Code blocks, block quotes, and what stands between quotation marks.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut plain = 0;
    for block in blocks(text) {
        between_marks(text, plain..block.start, &mut found);
        plain = block.end;
        found.push(block);
    }
    between_marks(text, plain..text.len(), &mut found);
    found
}

/// Fenced code (a fence that is never closed is none) and lines that begin with `>`.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut fence: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let bare = line.trim_start();
        match fence {
            _ if is_fence(bare) && fence.is_some() => {
                let (start, known) = fence.take().unwrap_or((at, found.len()));
                found.truncate(known);
                found.push(start..end);
            }
            None if is_fence(bare) => fence = Some((at, found.len())),
            _ if bare.starts_with('>') => found.push(at..end),
            _ => {}
        }
        at = end;
    }
    found
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// What stands between a pair of quotation marks. A mark that is never closed quotes nothing: one
/// of a pair without its partner is known by looking ahead, and another straight opening mark takes
/// the place of the one before.
fn between_marks(text: &str, within: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = text.get(within.clone()).unwrap_or_default();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    let mut chars = part.char_indices().peekable();
    let last_closing = CURLY.map(|(_, closing)| part.rfind(closing).unwrap_or(0));
    while let Some((at, mark)) = chars.next() {
        let after = chars.peek().map_or(' ', |(_, after)| *after);
        match open {
            Some((start, closing)) if mark == closing && closes(mark, before, after) => {
                found.push(within.start + start..within.start + at + mark.len_utf8());
                open = None;
            }
            Some((_, closing)) if mark != closing => {}
            _ => {
                open = opened(mark, before, after, at, last_closing)
                    .map(|closing| (at, closing))
                    .or(open)
            }
        }
        before = mark;
    }
}

/// The mark that would close the quotation that `mark` opens, if it opens one.
fn opened(
    mark: char,
    before: char,
    after: char,
    at: usize,
    last_closing: [usize; CURLY.len()],
) -> Option<char> {
    if is_straight(mark) {
        return (!before.is_alphanumeric()
            && before != mark
            && after != mark
            && !after.is_whitespace())
        .then_some(mark);
    }
    let paired = CURLY
        .iter()
        .zip(last_closing)
        .find(|((opening, _), last)| *opening == mark && *last > at);
    paired.map(|((_, closing), _)| *closing)
}

fn closes(mark: char, before: char, after: char) -> bool {
    !is_straight(mark) || (!before.is_whitespace() && before != mark && !after.is_alphanumeric())
}

fn is_straight(mark: char) -> bool {
    matches!(mark, '"' | '`')
}

/// Marks that open a quotation, and those that close it.
const CURLY: [(char, char); 4] = [('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> Vec<&str> {
        quotations(text)
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
        let reply = Reply::new("x \"y\" z \"w\"");
        assert_eq!(
            [0, 2, 3, 4, 5, 8].map(|at| reply.quotation(at).is_some()),
            [false, true, true, true, false, true]
        );
    }
}
