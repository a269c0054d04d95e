//! Where in a reply its verdict may stand: in the first line, or in the last that is no trailer.

use super::lex::{Piece, any_in, count_while, split};
use super::lines::find_lines;
use crate::lexicon::List::{Courtesies, Notes, Rationale};
use std::ops::Range;

/// The lines of a reply in which a verdict may stand.
pub(super) struct Ends {
    lines: Vec<Range<usize>>,
}

impl Ends {
    /// Finds the first and the last line. What a reply closes with beside its verdict (a courtesy,
    /// how sure it is, the reasons behind a line `Rationale:`) is a trailer, and the line before it
    /// counts too. A reply that was `cut` has a last line alone, and a first that stands by itself.
    pub(super) fn of(text: &str, cut: bool) -> Ends {
        let lines = find_lines(text);
        let Some(last) = lines.len().checked_sub(1) else {
            return Ends { lines };
        };
        // Where somebody's words are cut off before it, nothing opens the reply.
        let before = text[..lines[0].start].trim_start();
        let mut ends = vec![last];
        if !before.contains(['\n', '\r']) {
            ends.push(0);
        }
        if !cut {
            let pieces: Vec<Vec<Piece>> = lines
                .iter()
                .map(|line| split(&text[line.clone()]))
                .collect();
            let is_prose = |at: usize| text[lines[at].clone()].starts_with(|c| !"{[\"".contains(c));
            let reasons = (1..lines.len())
                .rev()
                .find(|at| is_prose(*at) && is_reason(&pieces[*at]));
            let mut at = reasons.map_or(last, |at| at - 1);
            while at > 0 && is_prose(at) && is_trailer(&pieces[at]) {
                at -= 1;
            }
            ends.push(at);
        }
        let lines = ends.into_iter().map(|at| lines[at].clone());
        Ends {
            lines: lines.collect(),
        }
    }

    /// The last line that says something.
    pub(super) fn last(text: &str) -> Range<usize> {
        find_lines(text).pop().unwrap_or_default()
    }

    /// Whether a byte of the reply lies in one of the lines.
    pub(super) fn contain(&self, at: usize) -> bool {
        self.lines
            .iter()
            .any(|line| line.contains(&at) || line.is_empty() && line.start == at)
    }

    /// Whether one of the lines lies in a range of the reply, or a part of it.
    pub(super) fn meet(&self, range: &Range<usize>) -> bool {
        let apart = |line: &Range<usize>| line.end <= range.start || range.end <= line.start;
        self.lines.iter().any(|line| !apart(line))
    }
}

/// Whether a line begins the reasons of a verdict above it: `Rationale: …`, `Explanation:`.
fn is_reason(line: &[Piece]) -> bool {
    let named = count_while(line, |piece| {
        piece.is(&[
            "my", "the", "brief", "short", "reason", "reasons", "for", "this",
        ])
    });
    let label = any_in(&line[..line.len().min(named + 1)], Rationale);
    let end = line.iter().position(|piece| piece.is_stop(":"));
    label && (line.len() == 1 || end.is_some_and(|end| end <= named + 1))
}

fn is_trailer(line: &[Piece]) -> bool {
    let mut words = line
        .iter()
        .filter(|piece| !piece.word.is_empty() && piece.word != "(");
    let Some(first) = words.next() else {
        return true;
    };
    let second = words.next();
    let second_is = |known: &[&str]| second.is_some_and(|second| second.is(known));
    let second_stops = second.is_some_and(|second| second.is_stop(":"));
    first.is_in(Courtesies)
        || first.is(&["let", "feel", "if", "i", "this"])
            && second_is(&["me", "free", "you", "hope", "concludes"])
        || first.is_in(Notes) && (second_stops || second_is(&["level", "score", "is"]))
}
