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

/// A fence of code that is not closed yet.
#[derive(Clone, Copy)]
struct OpenFence {
    start: usize,
    /// How many blocks were found before it.
    known: usize,
}

/// Finds fenced code and lines that begin with `>`. A fence that is never closed quotes nothing.
fn find_blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<OpenFence> = None;
    for line in line_ranges(text) {
        let start = text[line.clone()].trim_start();
        match open {
            Some(fence) if is_fence(start) => {
                // Lines that were found within it are part of it.
                found.truncate(fence.known);
                found.push(fence.start..line.end);
                open = None;
            }
            None if is_fence(start) => open = Some(OpenFence::new(line.start, found.len())),
            _ if start.starts_with('>') => found.push(line),
            _ => {}
        }
    }
    found
}

impl OpenFence {
    fn new(start: usize, known: usize) -> OpenFence {
        OpenFence { start, known }
    }
}

/// Returns the bytes of each line, its break included.
fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = end;
        end += line.len();
        start..end
    })
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// A character of a text that may be a quotation mark.
struct Mark {
    at: usize,
    mark: char,
    /// The character before it; a space where there is none.
    before: char,
    /// The character behind it; a space where there is none.
    after: char,
}

fn marks_of(text: &str) -> impl Iterator<Item = Mark> + '_ {
    let before = [' '].into_iter().chain(text.chars());
    let after = text.chars().skip(1).chain([' ']);
    let neighbours = before.zip(after);
    let marks = text.char_indices().zip(neighbours);
    marks.map(|((at, mark), (before, after))| Mark {
        at,
        mark,
        before,
        after,
    })
}

/// Where the closing marks of each pair of [`CURLY`] stand last in a text.
type LastClosing = [usize; CURLY.len()];

/// A quotation that is not closed yet.
#[derive(Clone, Copy)]
struct OpenQuote {
    start: usize,
    /// The mark that closes it.
    closing: char,
}

/// Adds what stands between a pair of quotation marks. A mark that is never closed quotes nothing:
/// one of a pair without its partner is known by looking ahead, and another straight opening mark
/// takes the place of the one before.
fn add_marked(text: &str, within: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = text.get(within.clone()).unwrap_or_default();
    let last_closing = CURLY.map(|(_, closing)| part.rfind(closing).unwrap_or(0));
    let mut open: Option<OpenQuote> = None;
    for mark in marks_of(part) {
        match open {
            Some(quote) if mark.closes(quote) => {
                found.push(within.start + quote.start..within.start + mark.end());
                open = None;
            }
            Some(quote) if mark.mark != quote.closing => {}
            _ => open = mark.open_quote(last_closing).or(open),
        }
    }
}

impl Mark {
    /// Returns the quotation that this mark opens, if it opens one.
    fn open_quote(&self, last_closing: LastClosing) -> Option<OpenQuote> {
        let closing = if self.is_straight() {
            self.may_open().then_some(self.mark)
        } else {
            self.find_partner(last_closing)
        };
        closing.map(|closing| OpenQuote {
            start: self.at,
            closing,
        })
    }

    /// Returns the closing mark of a pair that this one opens and that stands behind it.
    fn find_partner(&self, last_closing: LastClosing) -> Option<char> {
        let mut pairs = CURLY.iter().zip(last_closing);
        let pair = pairs.find(|((opening, _), last)| *opening == self.mark && *last > self.at);
        pair.map(|((_, closing), _)| *closing)
    }

    fn closes(&self, quote: OpenQuote) -> bool {
        self.mark == quote.closing && self.may_close()
    }

    /// Returns the byte behind it.
    fn end(&self) -> usize {
        self.at + self.mark.len_utf8()
    }

    /// Whether a straight mark stands as one that opens a quotation.
    fn may_open(&self) -> bool {
        !self.before.is_alphanumeric()
            && self.before != self.mark
            && self.after != self.mark
            && !self.after.is_whitespace()
    }

    fn may_close(&self) -> bool {
        !self.is_straight()
            || (!self.before.is_whitespace()
                && self.before != self.mark
                && !self.after.is_alphanumeric())
    }

    fn is_straight(&self) -> bool {
        matches!(self.mark, '"' | '`')
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
