//! Where in a reply its verdict may stand: in the first line, or in the last that is no trailer.

use super::lex::{Piece, split};
use super::lines::find_lines;
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
}

/// Whether a line begins the reasons of a verdict above it: `Rationale: …`, `Explanation:`.
fn is_reason(line: &[Piece]) -> bool {
    let words = line.iter().take_while(|piece| {
        piece.is(&[
            "my", "the", "brief", "short", "reason", "reasons", "for", "this",
        ])
    });
    let named = words.count();
    let label = line[..line.len().min(named + 1)]
        .iter()
        .any(|piece| piece.is(&REASONS));
    let end = line.iter().position(|piece| piece.is_stop(":"));
    label && (line.len() == 1 || end.is_some_and(|end| end <= named + 1))
}

fn is_trailer(line: &[Piece]) -> bool {
    let mut words = line
        .iter()
        .filter(|piece| !piece.word.is_empty() && piece.word != "(");
    let first = words.next();
    let second = words.next();
    match first {
        None => true,
        Some(first) => {
            first.is(&COURTESIES)
                || first.is(&["let", "feel", "if", "i", "this"])
                    && second.is_some_and(|second| {
                        second.is(&["me", "free", "you", "hope", "concludes"])
                    })
                || first.is(&NOTES)
                    && second.is_some_and(|second| {
                        second.is_stop(":") || second.is(&["level", "score", "is"])
                    })
        }
    }
}

const REASONS: [&str; 12] = [
    "rationale",
    "reason",
    "reasons",
    "reasoning",
    "explanation",
    "justification",
    "why",
    "because",
    "begründung",
    "explication",
    "justificación",
    "motivazione",
];
const COURTESIES: [&str; 6] = ["hope", "please", "thanks", "thank", "cheers", "end"];
const NOTES: [&str; 5] = ["note", "confidence", "certainty", "caveat", "disclaimer"];
