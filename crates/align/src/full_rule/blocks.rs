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
    let mut splitter = BlockSplitter::default();
    for line in line_ranges(text) {
        let content = text.get(line.clone()).unwrap_or_default();
        splitter.add_line(line, content);
    }
    splitter.finish(text.len())
}

#[derive(Default)]
struct BlockSplitter<'t> {
    blocks: Vec<Block<'t>>,
    prose: Vec<Range<usize>>,
    /// The fence that no other has closed yet, and its line.
    open: Option<(Fence<'t>, Range<usize>)>,
}

impl<'t> BlockSplitter<'t> {
    fn add_line(&mut self, line: Range<usize>, content: &'t str) {
        match self.open.take() {
            Some((fence, first)) if fence.is_closed_by(content) => {
                self.blocks.push(fence.block(first, line.start, line.end));
            }
            Some(open) => self.open = Some(open),
            None => self.add_outside(line, content),
        }
    }

    /// Adds a line that stands in no code block.
    fn add_outside(&mut self, line: Range<usize>, content: &'t str) {
        match Fence::parse_opening(content) {
            Some(fence) => {
                self.end_prose();
                self.open = Some((fence, line));
            }
            None => self.prose.push(line),
        }
    }

    fn end_prose(&mut self) {
        let lines = std::mem::take(&mut self.prose);
        self.blocks.push(Block::Prose { lines });
    }

    fn finish(mut self, end: usize) -> Vec<Block<'t>> {
        match self.open.take() {
            Some((fence, first)) => self.blocks.push(fence.block(first, end, end)),
            None => self.end_prose(),
        }
        self.blocks
    }
}

/// Iterates over the lines, each with its line end.
fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start..*at)
    })
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
        let mark = fence_mark(line)?;
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
    fn block(&self, first: Range<usize>, inside: usize, end: usize) -> Block<'t> {
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

/// Returns the character of the fence that a line may begin with.
fn fence_mark(line: &str) -> Option<char> {
    let first = line.chars().next();
    first.filter(|mark| matches!(mark, '`' | '~'))
}
