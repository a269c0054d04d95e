//! Two scores, where the prompt asks for one of each response.

use super::json::{Fields, take_objects};
use super::letter::list_preferences;
use super::lex::{Kind, Piece, count_while, split};
use super::lines::{find_own_part, split_lines};
use super::number::{may_go_on, read_value, turns_scale};
use super::preference::Letters;
use super::statements::{Statement, Unread, agree_on_verdict, keep_own};
use crate::Scale;
use crate::lexicon::List::{
    Faults, Ills, LabelWords, Nouns, Openers, Rationale, ScoreNouns, VerdictNouns,
};
use crate::lexicon::Phrases;
use serde_json::Value;

/// Reads two scores on the scale, of the first and of the second response: side by side in the
/// first line or in the last, in the two lines that are the whole reply, or each behind its
/// response's name.
pub(crate) fn read_scores(text: &str, scale: Scale, cut: bool) -> Result<[f64; 2], Unread> {
    let (objects, outside) = take_objects(text, &|fields| read_fields(fields).is_some());
    let text = find_own_part(&outside);
    let top = scale.values().last();
    let mut statements = keep_own(text, list_pairs(text, top), cut);
    if let Some((at, named)) = read_named(text, top, cut)? {
        statements.push(Statement::with_label(at, named));
    }
    for object in &objects {
        let scores = read_fields(&object.fields).filter(|_| !object.fields.are_of_a_part());
        statements.extend(scores.map(|scores| object.state(scores)));
    }
    let scores = agree_on_verdict(text, &statements, |scores| format!("{scores:?}"))?;
    if cut && may_go_on(text, top) {
        return Err(Unread::Vague(format!("{scores:?}, and may go on")));
    }
    if turns_scale(text, top) {
        return Err(Unread::Vague(format!(
            "{scores:?}, and that the lower one is better"
        )));
    }
    if let Some(off) = scores.into_iter().find(|score| !scale.contains(*score)) {
        return Err(Unread::OffScale(off.to_string()));
    }
    // Words that call the lower one better contradict the scores.
    let side = scores[1].total_cmp(&scores[0]) as i32;
    let said = list_preferences(text, &objects);
    if said.iter().any(|said| said * side < 0) {
        return Err(Unread::Vague(format!(
            "{scores:?}, and the other is better"
        )));
    }
    Ok(scores)
}

/// Lists the lines that are two scores and nothing else, behind a label or without one.
fn list_pairs(text: &str, top: Option<f64>) -> Vec<Statement<[f64; 2]>> {
    let lines: Vec<(usize, Vec<Piece>)> = split_lines(text)
        .map(|line| (line.at, split(&line.text)))
        .collect();
    // Two lines of a number each.
    if let [(at, first), (_, second)] = &lines[..]
        && let (Some(first), Some(second)) = (only_value(first, top), only_value(second, top))
    {
        return vec![Statement::without_label(*at, [first, second])];
    }
    let mut found = Vec::new();
    for (row, (at, pieces)) in lines.iter().enumerate() {
        // `B A` above `8 7`: they stand the other way round.
        if row > 0 && names_second_first(&lines[row - 1].1) {
            continue;
        }
        let count = count_while(pieces, |piece| {
            piece.is(&["final", "overall", "the", "my", "are", "is"]) || piece.is(NAMES)
        });
        let led = pieces
            .get(count)
            .is_some_and(|next| next.is_stop(":") || next.is_sign(&["-", "="]));
        let rest = match count {
            0 => &pieces[..],
            count => &pieces[(count + usize::from(led)).min(pieces.len())..],
        };
        if let Some(scores) = read_pair(rest, top) {
            let statement = Statement::without_label(*at, scores);
            found.push(Statement {
                labelled: count > 0,
                ..statement
            });
        }
    }
    found
}

/// Whether a line above two scores names the second response first: `B A`, `Answer B, answer A:`.
fn names_second_first(pieces: &[Piece]) -> bool {
    let place = |letter: &str| pieces.iter().position(|piece| piece.raw == letter);
    let names = |piece: &Piece| {
        piece.kind != Kind::Word || piece.raw.len() == 1 || piece.is_in(Nouns) || piece.is(&["and"])
    };
    let heads = pieces.last().is_some_and(|last| last.is_stop(":")) || pieces.iter().all(names);
    let turned = |(first, second): (usize, usize)| second < first;
    heads && place("A").zip(place("B")).is_some_and(turned)
}

fn only_value(pieces: &[Piece], top: Option<f64>) -> Option<f64> {
    let (value, rest) = read_value(pieces, top)?;
    let is_alone = rest
        .iter()
        .all(|piece| matches!(piece.kind, Kind::Stop(_) | Kind::Close));
    value.filter(|_| is_alone && pieces[0].number().is_some())
}

/// Reads `8 6`, `8, 6`, `8/10 and 6/10`, `8 / 6`. A fraction of the scale's top is one score.
fn read_pair(pieces: &[Piece], top: Option<f64>) -> Option<[f64; 2]> {
    if let [one, slash, other, rest @ ..] = pieces
        && slash.is_sign(&["/"])
        && other.number() != top
        && rest.iter().all(|piece| piece.is_stop("."))
    {
        return Some([one.number()?, other.number()?]);
    }
    pieces.first()?.number()?;
    let (one, rest) = read_value(pieces, top)?;
    let joins = |piece: &Piece| {
        piece.is_stop(",;") || piece.is_sign(&["|", "&"]) || piece.is(&["and", "vs", "versus"])
    };
    let rest = &rest[count_while(rest, joins)..];
    let (other, rest) = read_value(rest, top).filter(|_| rest[0].number().is_some())?;
    let ends = rest
        .iter()
        .all(|piece| matches!(piece.kind, Kind::Stop('.' | '!' | ';') | Kind::Close));
    Some([one.filter(|_| ends)?, other?])
}

/// Reads the scores that stand behind the responses' names, one of each: `A: 8/10, B: 6/10`, or
/// over lines. A response with two scores is ambiguous.
// Deep: a line may hold several scores, and which it holds decides what the next line is about.
fn read_named(
    text: &str,
    top: Option<f64>,
    cut: bool,
) -> Result<Option<(usize, [f64; 2])>, Unread> {
    let letters = ["A", "B"].map(String::from);
    let letters = Letters(&letters);
    let mut found: Vec<Statement<(usize, Option<f64>)>> = Vec::new();
    // Whether the line above heads figures of something else: `Errors:`, `Style:`.
    let mut is_of_other = false;
    for line in split_lines(text) {
        let pieces = split(&line.text);
        let known = found.len();
        let mut at = 0;
        while at < pieces.len() {
            let begins = at == 0
                || pieces[at - 1].kind != Kind::Word
                || pieces[at - 1].is(&["and", "points", "while", "but", "give", "rate"]);
            let scored = read_named_score(&pieces[at..], letters, top).filter(|_| begins);
            match scored {
                Some((option, value, length)) => {
                    // `Errors: A: 3, B: 1` are no scores.
                    if is_of_other || found.len() == known && heads_figures(&pieces[..at]) {
                        is_of_other = true;
                        break;
                    }
                    // Behind a line's beginning the other response's score must stand in it too.
                    found.push(Statement::with_label(line.at, (option, value)));
                    at += length;
                }
                None => at += 1,
            }
        }
        if at >= pieces.len() && found.len() == known {
            is_of_other = heads_figures(&pieces);
        }
    }
    let own = keep_own(text, found, cut);
    let mut scores = [None, None];
    for statement in &own {
        let (option, value) = statement.stated;
        let Some(value) = value else {
            return Err(Unread::Vague("a score that is not clear".into()));
        };
        match scores[option] {
            Some(other) if other != value => {
                return Err(Unread::Ambiguous(format!("{other}"), format!("{value}")));
            }
            _ => scores[option] = Some(value),
        }
    }
    Ok(match scores {
        [Some(a), Some(b)] => own.last().map(|last| (last.at, [a, b])),
        _ => None,
    })
}

/// Whether words head figures that are no scores of the whole: they end with a colon or a dash, and
/// none of them speaks of scores.
pub(super) fn heads_figures(pieces: &[Piece]) -> bool {
    let sentence = pieces.iter().rposition(|piece| piece.is_stop(".!,;"));
    let pieces = &pieces[sentence.map_or(0, |at| at + 1)..];
    let heads = pieces
        .last()
        .is_some_and(|last| last.is_stop(":") || last.is_sign(&["-"]));
    let scores = |piece: &Piece| {
        piece.is(NAMES)
            || piece.is_in(ScoreNouns)
            || piece.is_in(VerdictNouns)
            || piece.is(Phrases::Scored.list())
    };
    heads && pieces.iter().any(|piece| piece.kind == Kind::Word) && !pieces.iter().any(scores)
}

/// Whether words head a figure that counts something or is of a part: `Number of errors:`,
/// `Strengths:`, `Writing style:`; `Based on the rubric:` does not.
pub(super) fn heads_count(pieces: &[Piece]) -> bool {
    let counts = |piece: &Piece| {
        piece.is_in(Ills) || piece.is_in(Faults) || piece.is(Phrases::Counted.list())
    };
    let goes_on = |piece: &Piece| {
        piece.is_in(Openers)
            || piece.is_in(Rationale)
            || piece.is_in(LabelWords)
            || piece.is(Phrases::GoingOn.list())
    };
    let part = pieces.len() <= 3 && !pieces.iter().any(goes_on);
    heads_figures(pieces) && (part || pieces.iter().any(counts))
}

/// Reads a response's name and its score, None in place of one that is not clear; returns how many
/// pieces they are, too.
fn read_named_score(
    pieces: &[Piece],
    letters: Letters,
    top: Option<f64>,
) -> Option<(usize, Option<f64>, usize)> {
    // `Score A: 7`
    let score = count_while(pieces, |piece| piece.is_in(ScoreNouns)).min(1);
    let (option, rest) = letters.lead(&pieces[score..])?;
    let links = count_while(rest, |piece| {
        piece.is_stop(":")
            || piece.is_sign(&["-", "=", "|"])
            || piece.kind == Kind::Open
            || piece.is(&[
                "is", "gets", "scores", "score", "receives", "rating", "earns", "a", "an", "of",
                "has", "deserves",
            ])
    });
    let (value, behind) = read_value(&rest[links..], top)?;
    if links == 0 || rest[links].kind == Kind::Word {
        return None;
    }
    // `A: 7 B: 8`
    let names_next = letters.lead(behind).is_some_and(|(next, _)| next != option);
    let is_clear = names_next
        || behind.first().is_none_or(|next| {
            matches!(
                next.kind,
                Kind::Stop('.' | ',' | ':' | ';' | '!') | Kind::Open | Kind::Close
            ) || next.is(&["and", "while", "but", "because", "since"])
                || next.is_sign(&["-", "|"])
        });
    // `8 - 2` is another number.
    let changes =
        matches!(behind, [dash, next, ..] if dash.is_sign(&["-"]) && next.number().is_some());
    // `8 (minus 2)`, `8, less one`, `3 (errors)`, `8 (out of 20)`.
    let mut remark = behind.iter().skip(1);
    let opens = behind
        .first()
        .is_some_and(|next| next.is_stop(",") || next.kind == Kind::Open);
    let is_other = opens
        && remark.next().is_some_and(|word| {
            word.number().is_some_and(|number| number < 0.0)
                || word.is(&["minus", "less", "later", "then", "was"])
                || word.is(&[
                    "errors", "error", "typos", "mistakes", "sources", "rank", "words",
                ])
        });
    let out_of = behind[..behind.len().min(8)]
        .windows(3)
        .find(|next| next[0].is(&["out"]) && next[1].is(&["of"]) && next[2].number().is_some());
    let is_of_top = out_of.is_none_or(|next| next[2].number() == top);
    let value = value.filter(|_| is_clear && !changes && !is_other && is_of_top);
    Some((option, value, pieces.len() - behind.len()))
}

/// Reads two scores of an object: `{"A": 8, "B": 9}`, `{"score_a": 8, "score_b": 9}`, `{"scores":
/// [8, 9]}`, `{"A": {"score": 8}, "B": {"score": 9}}`.
fn read_fields(fields: &Fields) -> Option<[f64; 2]> {
    let scores = match fields.get("scores") {
        Some(Value::Array(list)) if list.len() == 2 => {
            return Some([score_of(&list[0])?, score_of(&list[1])?]);
        }
        Some(object @ Value::Object(_)) => serde_json::from_value(object.clone()).ok()?,
        _ => fields.clone(),
    };
    PAIRS
        .iter()
        .find_map(|[a, b]| Some([score_of(scores.get(a)?)?, score_of(scores.get(b)?)?]))
}

fn score_of(value: &Value) -> Option<f64> {
    match value {
        Value::Object(fields) => fields.get("score").or(fields.get("rating"))?.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    }
}

const PAIRS: [[&str; 2]; 8] = [
    ["a", "b"],
    ["score_a", "score_b"],
    ["a_score", "b_score"],
    ["answer_a", "answer_b"],
    ["response_a", "response_b"],
    ["assistant_a", "assistant_b"],
    ["answer_a_score", "answer_b_score"],
    ["rating_a", "rating_b"],
];
const NAMES: &[&str] = &[
    "scores", "score", "verdict", "verdicts", "ratings", "rating",
];
