//! Scores, steps and preferences: a number, where the prompt asks for one.

use super::json::{Fields, StatedObject, take_objects};
use super::letter::list_preferences;
use super::lex::{Kind, Piece, any_in, count_while, split};
use super::lines::{find_own_part, split_lines};
use super::preference::begins_remark;
use super::scores::heads_count;
use super::statements::{Statement, Unread, agree_on_verdict, keep_own};
use crate::lexicon::List::*;
use crate::lexicon::Phrases;

/// Reads which of the `options` (numbers as they are asked for) the reply states: its place among
/// them. Where the numbers are `steps` from the first response to the second, words that prefer the
/// other one contradict it. Of a reply that was `cut` short only what closes it is a verdict.
pub(crate) fn read_number(
    text: &str,
    options: &[String],
    steps: bool,
    cut: bool,
) -> Result<usize, Unread> {
    let is_one_line = text.trim().lines().count() == 1;
    let (objects, outside) = take_objects(text, &Fields::have_verdict);
    let text = find_own_part(&outside);
    let top = options.last().and_then(|option| option.parse().ok());
    let mut statements = keep_own(text, list_statements(text, top, cut), cut);
    // A number's word alone is a score only where it is the whole reply.
    if !is_one_line {
        statements
            .retain(|one| one.labelled || text[one.at..].contains(|c: char| c.is_ascii_digit()));
    }
    let whole = objects
        .iter()
        .filter(|object| !object.fields.are_of_a_part());
    for object in whole {
        let is_clear = has_top(&object.fields, top);
        // `{"winner": 2}` names a response.
        let names_response = |key: &str| split(&key.replace('_', " ")).iter().any(is_of_winner);
        for value in object.fields.verdicts_in(|key| !names_response(key)) {
            if let Some((number, rest)) = read_value(&split(&value), top) {
                let is_whole = rest
                    .iter()
                    .all(|piece| matches!(piece.kind, Kind::Stop('.')));
                statements.push(object.state(number.filter(|_| is_whole && is_clear)));
            }
        }
    }
    let name = |number: &Option<f64>| {
        number.map_or_else(|| "a number that is not clear".into(), |n| n.to_string())
    };
    if !steps && turns_scale(text, top) {
        return Err(Unread::Vague(excerpt(text)));
    }
    let Some(stated) = agree_on_verdict(text, &statements, name)? else {
        return Err(Unread::Vague(excerpt(text)));
    };
    let mut values = options.iter().map(|option| option.parse());
    let place = values.position(|value| value == Ok(stated));
    let place = place.ok_or_else(|| Unread::OffScale(stated.to_string()))?;
    if cut && may_go_on(text, top) {
        return Err(Unread::Vague(excerpt(text)));
    }
    if steps && contradicts(text, &objects, place, options.len()) {
        return Err(Unread::Vague(excerpt(text)));
    }
    Ok(place)
}

/// Reads a score that words are, and nothing else: `4`, `4/5`, `Score: 4 (good)`.
pub(crate) fn read_score(words: &str, top: Option<f64>) -> Option<f64> {
    let pieces = split(words);
    let score = strip_label(&pieces, top).unwrap_or(&pieces);
    let opening = count_while(score, |piece| piece.kind == Kind::Open);
    let (number, rest) = read_value(&score[opening..], top)?;
    number.filter(|_| fits(rest, top))
}

/// Whether a text that was cut ends in digits to which another may belong: the `1` of `10`.
pub(super) fn may_go_on(text: &str, top: Option<f64>) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let last = text[digits..].parse::<f64>();
    last.is_ok_and(|last| top.is_some_and(|top| last * 10.0 <= top))
}

/// Whether a word says of what stands with it that it is the better response.
fn is_of_winner(piece: &Piece) -> bool {
    piece.is_in(Better) || piece.is_in(Winning) || piece.is(Phrases::Winners.list())
}

/// Whether the fields beside a number leave it one of the scale that ends at `top`: no top of their
/// own is another one (`"out_of": 5`, `"scale": "0-100"`), and nothing is taken off.
fn has_top(fields: &Fields, top: Option<f64>) -> bool {
    let text_of = |name: &str| fields.get(name).map(|value| value.to_string());
    let tops = ["out_of", "max", "max_score", "maximum", "scale"];
    let others = tops.into_iter().filter_map(text_of).any(|value| {
        let last = split(&value)
            .into_iter()
            .rev()
            .find_map(|piece| piece.number());
        last.is_some() && last != top
    });
    let taken_off = ["penalty", "penalties", "deduction", "deductions"];
    !others && taken_off.into_iter().all(|name| fields.get(name).is_none())
}

/// Whether the reply's words prefer another side than a step: by a statement, in the fields of its
/// objects, or by the letters beside the number, of which none is on its side or the one that is is
/// called bad.
fn contradicts(text: &str, objects: &[StatedObject], place: usize, steps: usize) -> bool {
    let side = (2 * place + 1).cmp(&steps) as i32;
    let preferences = list_preferences(text, objects);
    if !preferences.is_empty() {
        return preferences.iter().any(|other| *other != side);
    }
    let mut lines = split_lines(text).map(|line| split(&line.text));
    lines.any(|line| {
        let stated = Some((place + 1) as f64);
        let is_beside = line.len() < 12 && line.iter().any(|piece| piece.number() == stated);
        let has = |letter: &str| {
            line.iter()
                .any(|piece| piece.kind == Kind::Word && piece.raw == letter)
        };
        // `1, since A fails`
        let is_bad = |letter: &str| {
            let said = line.iter().skip_while(|piece| piece.raw != letter);
            let mut said = said.skip(1).filter(|piece| !piece.is_in(Being));
            said.next()
                .is_some_and(|word| word.is_in(Faults) || word.is_in(Losing))
        };
        is_beside
            && match side {
                -1 => has("B") && !has("A") || is_bad("A"),
                1 => has("A") && !has("B") || is_bad("B"),
                _ => has("A") != has("B"),
            }
    })
}

/// Lists the numbers that stand where a verdict may, behind a label or as a line; None for one that
/// is not clear: a bound, a sum, a correction, a share of another scale. Where the reply was `cut`,
/// one that words follow is no verdict.
fn list_statements(text: &str, top: Option<f64>, cut: bool) -> Vec<Statement<Option<f64>>> {
    let mut found = Vec::new();
    // Whether the line above heads a figure of something else: `Number of errors:`.
    let mut is_of_other = false;
    for line in split_lines(text) {
        let pieces = split(&line.text);
        let headed = std::mem::replace(&mut is_of_other, heads_count(&pieces));
        // `(8)`, `=> 8`
        let opens = |piece: &Piece| piece.kind == Kind::Open || piece.is_sign(&["->"]);
        let pieces = &pieces[count_while(&pieces, opens)..];
        if let Some((number, rest)) = read_value(pieces, top) {
            // The `1.` of a list is no score, nor is a number within a sentence.
            let is_line = rest
                .iter()
                .all(|piece| piece.is_stop(".,:;!") || piece.kind == Kind::Close);
            let has_remark = line.is_first
                && rest.first().is_some_and(|next| {
                    next.is_stop(":,;")
                        || next.kind == Kind::Open
                        || next.is_sign(&["-"])
                        || next.is_in(Reasons)
                });
            if headed {
                continue;
            } else if is_line || (has_remark && !cut) {
                found.push(Statement::without_label(
                    line.at,
                    number.filter(|_| fits(rest, top)),
                ));
            } else if line.is_first
                && rest.first().is_some_and(|next| {
                    matches!(next.kind, Kind::Sign(_))
                        || next.is(&["minus", "plus", "or", "to", "and"])
                })
            {
                found.push(Statement::without_label(line.at, None));
            }
        } else if line.is_first && is_bound(pieces) {
            found.push(Statement::without_label(line.at, None));
        }
        for (at, sentence) in line.sentences() {
            let pieces = split(sentence);
            // `Score: 9. No, 7.`
            if let [no, stop, other @ ..] = &pieces[..]
                && no.is(&["no"])
                && stop.is_stop(",:")
                && read_value(other, top).is_some()
            {
                found.push(Statement::with_label(at, None));
            }
            let is_question = pieces.last().is_some_and(|piece| piece.is_stop("?"));
            let is_denied = pieces.iter().any(|piece| piece.is(&["not"]));
            if is_question || is_denied || any_in(&pieces, Hearsay) {
                continue;
            }
            let Some(rest) = strip_label(&pieces, top).or_else(|| strip_giving(&pieces)) else {
                continue;
            };
            if let Some((number, behind)) = read_value(rest, top) {
                let goes_on = behind
                    .iter()
                    .any(|piece| matches!(piece.kind, Kind::Word | Kind::Number(_)));
                found.push(Statement {
                    is_verdict: !cut || !goes_on,
                    ..Statement::with_label(at, number.filter(|_| fits(behind, top)))
                });
            } else if is_bound(rest) {
                found.push(Statement::with_label(at, None));
            }
        }
    }
    found
}

/// Reads a number with its denominator and its unit: `4`, `4/5`, `4 out of 5`, `four stars`; None
/// in place of the number where its scale is another. Returns what is behind it.
pub(super) fn read_value(pieces: &[Piece], top: Option<f64>) -> Option<(Option<f64>, &[Piece])> {
    let (first, rest) = pieces.split_first()?;
    let article = first.is(&["a", "an"]);
    let (first, rest) = if article {
        rest.split_first()?
    } else {
        (first, rest)
    };
    let number = match first.kind {
        Kind::Number(number) => number,
        Kind::Word => Some(WORDS.iter().position(|word| *word == first.word)? as f64),
        _ => return None,
    };
    let below = match rest {
        [slash, below, behind @ ..] if slash.is_sign(&["/"]) => Some((below, behind)),
        [out, of, below, behind @ ..] if out.is(&["out"]) && of.is(&["of"]) => {
            Some((below, behind))
        }
        [of, below, behind @ ..]
            if of.is(&["of", "von", "sur", "sobre", "su", "de", "op", "из"]) =>
        {
            Some((below, behind))
        }
        _ => None,
    };
    let (number, rest) = match below.map(|(below, behind)| (value_of(below), behind)) {
        Some((Some(below), behind)) => (number.filter(|_| top == Some(below)), behind),
        Some((None, _)) => (None, rest),
        None => (number, rest),
    };
    let unit = rest.first().is_some_and(|next| {
        next.is(&[
            "point", "points", "star", "stars", "punkte", "punkten", "分", "点", "점",
        ])
    });
    let behind = &rest[usize::from(unit)..];
    let behind = match behind.first() {
        Some(next) if unit && next.kind == Kind::Word && !next.is_in(Reasons) => {
            return Some((None, behind));
        }
        _ => behind,
    };
    Some((number, behind))
}

/// Returns whether a text says of its numbers that the lower one is better: `Lower is better`,
/// `(1 = best)`, `10 is the worst`.
pub(super) fn turns_scale(text: &str, top: Option<f64>) -> bool {
    let links = |piece: &Piece| {
        piece.is(&[
            "is", "are", "means", "being", "the", "score", "scores", "number", "numbers",
        ]) || piece.is_sign(&["=", "-"])
            || piece.is_stop(":")
    };
    text.lines().any(|line| {
        let pieces = split(line);
        (0..pieces.len()).any(|at| {
            let behind = &pieces[at + 1..];
            let count = count_while(behind, links);
            let Some(quality) = behind.get(count).filter(|_| count > 0) else {
                return false;
            };
            let named = at > 0 && pieces[at - 1].is_in(Nouns);
            let number = pieces[at].number().filter(|_| !named);
            let low = pieces[at].is(&["lower", "smaller", "lowest", "smallest", "fewer"]);
            let high = pieces[at].is(&["higher", "larger", "highest", "largest"]);
            quality.is(&["better", "best"]) && (low || number.is_some_and(|one| one <= 1.0))
                || quality.is(&["worse", "worst"]) && (high || number.is_some() && number == top)
        })
    })
}

fn value_of(piece: &Piece) -> Option<f64> {
    let word = WORDS.iter().position(|word| *word == piece.word);
    piece.number().or(word.map(|word| word as f64))
}

/// Whether what stands behind a number leaves it as it is: nothing, or a remark without another
/// figure for it.
fn fits(behind: &[Piece], top: Option<f64>) -> bool {
    let Some(next) = behind.first() else {
        return true;
    };
    let opens = begins_remark(next) || next.kind == Kind::Close;
    let remark = || {
        behind.iter().skip_while(|piece| {
            !matches!(piece.kind, Kind::Word | Kind::Number(_) | Kind::Sign(_))
                || piece.is_sign(&["-"])
        })
    };
    let mut words = remark();
    let first = words.next();
    let second = words.next();
    // `8 for tone`: of a part; `8 for its tone` gives the reason.
    let is_part = first.is_some_and(|first| first.is(&["for"]))
        && second.is_some_and(|second| {
            second.kind == Kind::Word
                && !second.is(&["the", "its", "being", "this", "it", "a", "these"])
        });
    if is_part {
        return false;
    }
    // `5 (max 5)`, `4, on a scale of 1 to 5`: the last number is the top.
    if first.is_some_and(|first| first.is(&["max", "maximum", "out", "of", "on", "from"])) {
        let last = remark().filter_map(|piece| piece.number()).last();
        let opens_top = next.is(&["on"]) || !matches!(next.kind, Kind::Word | Kind::Number(_));
        return opens_top && (last.is_none() || last == top);
    }
    let is_number = |piece: &Piece| value_of(piece).is_some();
    let changes =
        |piece: &Piece| piece.is_in(Corrections) || piece.is_sign(&["=", "->", "<-", "+", "~"]);
    // `Less two for the date`, `but it costs it three points`.
    let counts = |pair: &[Piece]| {
        value_of(&pair[0]).is_some() && pair[1].is(&["for", "points", "point", "off"])
    };
    let has_number =
        remark().any(|piece| piece.number().is_some()) || behind.windows(2).any(counts);
    let costs = has_number && remark().any(|piece| piece.is(Phrases::Costing.list()));
    // `10, no: 8`, `7, though for style 6`: another score behind it.
    let mut said = behind
        .iter()
        .filter(|piece| !matches!(piece.kind, Kind::Close | Kind::Stop('.')));
    let ends_with_number = said.next_back().is_some_and(|last| last.number().is_some());
    let is_announced = |pair: &[Piece]| pair[0].is_stop(":") && pair[1].number().is_some();
    let has_other = ends_with_number || behind.windows(2).any(is_announced);
    let is_changed = remark().any(|piece| piece.is_sign(&["->"]))
        || has_number && remark().any(changes)
        || first.is_some_and(is_number)
        || has_other;
    // `Five-point scale`, `before the penalty`, `at most`, `lower is better`.
    let has = |words: &[&str]| remark().any(|piece| piece.is(words));
    let is_of_other_scale = has(&["scale", "five-point", "five-star", "ten-point"])
        && !remark().any(|piece| piece.number() == top);
    let is_provisional = has(&["penalty", "penalties", "deduction", "deductions", "bound"])
        || behind.windows(2).any(|pair| {
            pair[0].is(&["at", "lower"]) && pair[1].is(&["most", "best", "least", "is"])
        });
    opens && !is_changed && !costs && !is_of_other_scale && !is_provisional
}

/// Whether a number is given only from one side, or about: `<5`, `at least 4`, `~7`.
fn is_bound(pieces: &[Piece]) -> bool {
    let count = count_while(pieces, |piece| {
        piece.is_in(Bounds) || matches!(piece.kind, Kind::Sign(_))
    });
    count > 0
        && pieces
            .get(count)
            .is_some_and(|piece| value_of(piece).is_some())
}

/// Returns what is behind words that announce a score: `Score:`, `My final rating is`, `Grade -`.
fn strip_label(pieces: &[Piece], top: Option<f64>) -> Option<&[Piece]> {
    let connects = |piece: &Piece| {
        piece.is_stop(":")
            || piece.is_sign(&["-", "="])
            || piece.is(&["is", "of", "ist", "est", "es"])
    };
    let names = |piece: &Piece| {
        piece.is_in(ScoreNouns) || piece.is_in(VerdictNouns) || piece.is(&["answer"])
    };
    let belongs = |piece: &Piece| {
        piece.is_in(LabelWords)
            || piece.is_in(ScoreNouns)
            || piece.is(&["better", "best", "preferred", "so", "thus", "hence"])
            || connects(piece)
    };
    let articles = |piece: &Piece| piece.is(&["a", "an"]);
    let count = count_while(pieces, belongs);
    let label = &pieces[..count];
    let last = label.iter().rev().find(|piece| !articles(piece))?;
    // `Winner: 2` and `Answer 2` name a response.
    if label.iter().any(is_of_winner) && !label.iter().any(|piece| piece.is_in(ScoreNouns)) {
        return None;
    }
    let is_bare = label.len() == 1 && names(last) && !last.is_in(Nouns);
    let named =
        label.iter().any(names) || label.len() == 2 && label[0].is(&["overall", "total", "final"]);
    // `Score (1-10): 7`
    let behind = &pieces[count..];
    let (range, rest) = behind.split_at(behind.len().min(1 + count_while(behind, is_of_range)));
    if let ([open, inner @ .., close], [colon, value @ ..]) = (range, rest)
        && open.kind == Kind::Open
        && close.kind == Kind::Close
        && colon.is_stop(":")
        && named
    {
        let last = inner.iter().rev().find_map(Piece::number);
        return (last == top).then_some(value);
    }
    (named && (connects(last) || is_bare)).then_some(behind)
}

/// Whether a piece may stand in the range of a score: `(1-10`, `(out of 10`.
fn is_of_range(piece: &Piece) -> bool {
    matches!(
        piece.kind,
        Kind::Open | Kind::Number(_) | Kind::Sign("-" | "/")
    ) || piece.is(&["from", "to", "out", "of", "max"])
}

/// Returns what is behind words that give a score: `I would rate this answer`, `I give it a score
/// of`.
fn strip_giving(pieces: &[Piece]) -> Option<&[Piece]> {
    let count = count_while(pieces, |piece| piece.is_in(Givers) || piece.is_stop(","));
    let gives = pieces.get(count)?.is(&[
        "give", "rate", "score", "assign", "award", "grade", "deserves", "earns",
    ]);
    let behind = &pieces[count + 1..];
    let given = count_while(behind, |piece| piece.is_in(Given) || piece.is_stop(":"));
    (count > 0 && gives).then(|| &behind[given..])
}

fn excerpt(text: &str) -> String {
    let line = text.trim().lines().next_back().unwrap_or_default();
    line.chars().take(80).collect()
}

/// Numbers in words, from 0.
const WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];
