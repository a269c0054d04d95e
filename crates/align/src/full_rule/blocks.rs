//! An answer as fenced blocks of code and the lines between them.

use std::ops::Range;

/// A part of an answer, in bytes.
pub(super) enum Block<'t> {
    /// Lines that are no code.
    Prose { lines: Vec<Range<usize>> },
    /// A fenced block with its fence lines, and what is between those. Without a closing fence it
    /// goes to the end of the text.
    Code {
        start: usize,
        end: usize,
        info: &'t str,
        inside: Range<usize>,
    },
}

/// Returns the blocks in their order; together they are the text.
pub(super) fn split_blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut prose) = (Vec::new(), Vec::new());
    // The fence that no other has closed yet, and its line.
    let mut open: Option<(Fence<'_>, Range<usize>)> = None;
    let mut at = 0;
    for content in text.split_inclusive('\n') {
        let line = at..at + content.len();
        at = line.end;
        if let Some((fence, first)) = &open {
            if fence.is_closed_by(content) {
                blocks.push(fence.block(first, line.start, line.end));
                open = None;
            }
        } else if let Some(fence) = Fence::parse_opening(content) {
            let lines = std::mem::take(&mut prose);
            blocks.push(Block::Prose { lines });
            open = Some((fence, line));
        } else {
            prose.push(line);
        }
    }
    blocks.push(match open {
        Some((fence, first)) => fence.block(&first, at, at),
        None => Block::Prose { lines: prose },
    });
    blocks
}

/// A run of at least three backticks or tildes that begins a line, and what follows it.
struct Fence<'t> {
    mark: char,
    length: usize,
    info: &'t str,
}

impl<'t> Fence<'t> {
    fn parse_opening(line: &'t str) -> Option<Fence<'t>> {
        let line = line.trim();
        let first = line.chars().next();
        let mark = first.filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        // ```` ```x``` ```` on one line is inline code.
        let is_inline_code = mark == '`' && info.contains('`');
        (length >= 3 && !is_inline_code).then(|| Fence {
            mark,
            length,
            info: info.trim(),
        })
    }

    /// Returns the block whose first line is `first`, and whose code ends at `inside`.
    fn block(&self, first: &Range<usize>, inside: usize, end: usize) -> Block<'t> {
        Block::Code {
            start: first.start,
            end,
            info: self.info,
            inside: first.end..inside,
        }
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}
