//! A page for people: headings, facts and texts.
//!
//! Foreign words can neither act on the terminal nor pose as a heading or a fact: texts are
//! indented further than those.

use crate::View;
use crate::terminal::printable_lines;
use textwrap::{Options, WordSplitter, wrap};

/// Columns of the name of a fact.
const NAME: usize = 10;

/// Columns that a text has at least, however narrow the terminal is.
const LEAST: usize = 20;

/// A page while it is written.
pub(super) struct Page {
    out: String,
    width: Option<usize>,
}

impl Page {
    pub(super) fn new(view: View) -> Page {
        Page {
            out: String::new(),
            width: view.width,
        }
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    /// Begins a part: its heading, with an empty line above all but the first.
    pub(super) fn add_heading(&mut self, heading: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.add_lines("", "  ", &heading.replace('\n', " "));
    }

    /// Adds what a name stands for, the lines of it below each other.
    pub(super) fn add_fact(&mut self, name: &str, value: &str) {
        let first = format!("  {name:<NAME$}  ");
        self.add_lines(&first, &" ".repeat(NAME + 4), value);
    }

    /// Adds a text whole, with its own lines, each indented by so many columns.
    pub(super) fn add_text(&mut self, indent: usize, text: &str) {
        let indent = " ".repeat(indent);
        let shown = if text.is_empty() { "(empty)" } else { text };
        self.add_lines(&indent, &indent, shown);
    }

    fn add_lines(&mut self, first: &str, rest: &str, text: &str) {
        for (at, line) in text.lines().enumerate() {
            let first = if at == 0 { first } else { rest };
            self.add_line(first, rest, &printable_lines(line).replace('\t', "    "));
        }
    }

    /// Adds a line, on a terminal broken between words.
    fn add_line(&mut self, first: &str, rest: &str, line: &str) {
        let Some(width) = self.width else {
            return self.push(&format!("{first}{line}"));
        };
        let options = Options::new(width.max(first.len().max(rest.len()) + LEAST))
            .initial_indent(first)
            .subsequent_indent(rest)
            .word_splitter(WordSplitter::NoHyphenation);
        for broken in wrap(line, options) {
            self.push(&broken);
        }
    }

    fn push(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: Option<usize>) -> Page {
        Page::new(View {
            width,
            verbose: false,
        })
    }

    #[test]
    fn a_text_keeps_its_lines_and_is_broken_between_words_alone() {
        let text = "def f():\r\n\treturn 1\n\na sentence that is longer than the terminal is wide";
        let mut whole = page(None);
        whole.add_text(2, text);
        let lines = "  def f():\n      return 1\n\n  a sentence that is longer than the terminal \
                     is wide\n";
        assert_eq!(whole.into_text(), lines);
        let mut narrow = page(Some(30));
        narrow.add_text(2, text);
        let lines = "  def f():\n      return 1\n\n  a sentence that is longer\n  than the \
                     terminal is wide\n";
        assert_eq!(narrow.into_text(), lines);
    }

    #[test]
    fn foreign_words_neither_act_nor_pose_as_a_heading() {
        let mut page = page(None);
        page.add_heading("bee\nverdict");
        page.add_text(2, "\u{1b}[2J\n\nverdict\u{2028}bee");
        page.add_text(2, "");
        let shown = "bee verdict\n  \\u{1b}[2J\n\n  verdict\\u{2028}bee\n  (empty)\n";
        assert_eq!(page.into_text(), shown);
    }
}
