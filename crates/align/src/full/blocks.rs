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

/// The blocks in their order; together they are the text.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut prose = Vec::new();
    let mut open: Option<(Fence<'_>, Range<usize>)> = None;
    for line in lines(text) {
        let content = text.get(line.clone()).unwrap_or_default();
        match &open {
            Some((fence, first)) if fence.is_closed_by(content) => {
                blocks.push(code(fence, first, line.start, line.end));
                open = None;
            }
            Some(_) => {}
            None => match Fence::opened_by(content) {
                Some(fence) => {
                    blocks.push(Block::Prose {
                        lines: std::mem::take(&mut prose),
                    });
                    open = Some((fence, line));
                }
                None => prose.push(line),
            },
        }
    }
    match open {
        Some((fence, first)) => blocks.push(code(&fence, &first, text.len(), text.len())),
        None => blocks.push(Block::Prose { lines: prose }),
    }
    blocks
}

fn code<'t>(fence: &Fence<'t>, first: &Range<usize>, inside: usize, end: usize) -> Block<'t> {
    Block::Code {
        start: first.start,
        end,
        info: fence.info,
        inside: first.end..inside,
    }
}

/// Each line with its end.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at - line.len()..*at)
    })
}

/// A run of at least three backticks or tildes that begins a line, and what follows it.
struct Fence<'t> {
    mark: char,
    length: usize,
    info: &'t str,
}

impl<'t> Fence<'t> {
    fn opened_by(line: &'t str) -> Option<Fence<'t>> {
        let line = line.trim();
        let mark = line
            .chars()
            .next()
            .filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| Fence {
            mark,
            length,
            info: info.trim(),
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}
