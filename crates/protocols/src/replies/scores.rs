//! Two scores, where the prompt asks for one of each response.

use super::json;
use super::lines::find_own_part;
use super::statements::Unread;
use super::tokens::split_tokens;
use crate::Scale;
use crate::extraction::{NoVerdict, Notation, Stated, extract};

/// Reads two scores on the scale, of the first and of the second response: in the first line, in
/// the last, or in the two lines that are the whole reply.
pub(crate) fn read_scores(text: &str, scale: Scale) -> Result<[f64; 2], Unread> {
    if let Some(scores) = json::read_score_fields(text) {
        return check_scale(scores, scale);
    }
    let places = find_places(find_own_part(text));
    let found = places
        .iter()
        .filter_map(|place| read_place(place, scale).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    check_scale(agree_on_scores(&found)?, scale)
}

/// Returns the texts in which both scores may stand: the first line, the last, and a reply of two
/// lines as a whole.
fn find_places(text: &str) -> Vec<String> {
    let lines = text.trim().lines();
    let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    match lines.as_slice() {
        [] => Vec::new(),
        [line] => vec![line.to_string()],
        [first, second] => vec![
            first.to_string(),
            second.to_string(),
            format!("{first}\n{second}"),
        ],
        [first, .., last] => vec![first.to_string(), last.to_string()],
    }
}

fn agree_on_scores(found: &[[f64; 2]]) -> Result<[f64; 2], Unread> {
    let [first, rest @ ..] = found else {
        return Err(Unread::Nothing);
    };
    match rest.iter().find(|other| *other != first) {
        Some(other) => Err(Unread::Ambiguous(
            format!("{first:?}"),
            format!("{other:?}"),
        )),
        None => Ok(*first),
    }
}

/// Reads both scores from a line or two, by the notation for a pair of scores.
fn read_place(text: &str, scale: Scale) -> Result<Option<[f64; 2]>, Unread> {
    if text.trim_start().starts_with('>') {
        return Ok(None);
    }
    let text = speak_of_assistants(strip_label(text));
    match extract(Notation::ScorePair(scale), &text) {
        Ok(Stated::Scores(a, b)) => Ok(Some([a, b])),
        Err(NoVerdict::OutOfRange(score)) => Err(Unread::OffScale(score.to_string())),
        _ => Ok(None),
    }
}

/// Our prompts speak of answers where those of the notation speak of assistants.
fn speak_of_assistants(text: &str) -> String {
    let text = text.replace("Answer ", "Assistant ");
    text.replace("Response ", "Assistant ")
}

/// Returns what a line says behind its label (the form that the prompt asks for), if it has one.
fn strip_label(line: &str) -> &str {
    match split_tokens(line).as_slice() {
        [label, next, ..] if label.is_any_of(&LABELS) && label.closing_stop() == Some(':') => {
            line.get(next.at..).unwrap_or(line)
        }
        _ => line,
    }
}

fn check_scale(scores: [f64; 2], scale: Scale) -> Result<[f64; 2], Unread> {
    let off = scores.into_iter().find(|score| !scale.contains(*score));
    off.map_or(Ok(scores), |off| Err(Unread::OffScale(off.to_string())))
}

const LABELS: [&str; 3] = ["scores", "score", "verdict"];
