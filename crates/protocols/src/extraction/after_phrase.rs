//! Verdicts after a fixed phrase: `[RESULT] A`, `[RESULT] 4`, "the final decision is Response 1".

use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::{Reading, Stated};
use crate::Scale;
use crate::replies::{read_score, read_side};
use evenhand_core::Side;

/// Reads `[RESULT] A` (Kim et al., "Prometheus 2", relative grading). No tie.
pub(super) fn read_result_letter(reply: &ReplyText) -> Reading {
    let statements = find_statements(reply.text, "[result]", |behind| {
        state(behind).filter(|stated| *stated != Stated::Tie)
    });
    find_verdict(reply, statements)
}

/// Reads `[RESULT] 4`, `4/5` or `4 out of 5` (Prometheus 2, direct assessment). Of another top it is
/// another scale's.
pub(super) fn read_result_number(reply: &ReplyText, scale: Scale) -> Reading {
    let top = scale.values().last();
    let parse = |behind: &str| read_score(behind, top).map(Stated::Score);
    find_verdict(reply, find_statements(reply.text, "[result]", parse))?.check_scale(scale)
}

/// Reads "So, the final decision is Response 1" (or 2, or tie; Li et al., "Generative Judge for
/// Evaluating Alignment").
pub(super) fn read_final_decision(reply: &ReplyText) -> Reading {
    let statements = find_statements(reply.text, "final decision is", state);
    find_verdict(reply, statements)
}

/// Returns what words state of two responses: `A`, `Response 1`, `A is worse than B`.
fn state(words: &str) -> Option<Stated> {
    Some(match read_side(words)? {
        Side::First => Stated::First,
        Side::Second => Stated::Second,
        Side::Tie => Stated::Tie,
    })
}

/// Finds every place of the phrase (in lower case) behind which the first line parses.
fn find_statements(
    text: &str,
    phrase: &str,
    parse: impl Fn(&str) -> Option<Stated>,
) -> Vec<Statement> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, _) in lower.match_indices(phrase) {
        let start = at + phrase.len();
        let behind = &text[start..];
        let end = behind.char_indices().nth(LONGEST_VERDICT);
        let near = end.map_or(behind, |(end, _)| &behind[..end]);
        let line = near.trim_start_matches(|c: char| c.is_whitespace() || "*:".contains(c));
        let begin = start + near.len() - line.len();
        let line = line.lines().next().unwrap_or_default().trim_end();
        // A mark that closes the form is no word of it.
        let line = line.strip_suffix("[END]").unwrap_or(line);
        if let Some(stated) = parse(line) {
            let at = at..begin + 1;
            found.push(Statement { at, stated });
        }
    }
    found
}

/// How far after the phrase a verdict is looked for, in characters.
const LONGEST_VERDICT: usize = 200;
