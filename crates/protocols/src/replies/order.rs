//! An order of several responses: letters with `>` or `=` between them, or a list of ranks.

use super::json::{Fields, take_objects};
use super::lex::{Kind, Piece, any_in, count_while, split};
use super::lines::{Line, find_own_part, split_lines};
use super::preference::Letters;
use super::statements::{Statement, Unread, agree_on_verdict, is_own, keep_own};
use super::tokens::split_tokens;
use crate::extraction::ReplyText;
use crate::lexicon::List::{Better, Faults, Losing, Rejecting, Worse};
use crate::lexicon::Phrases;
use serde_json::Value;
use std::fmt::Debug;

/// Reads the order that the reply states; `parse` reads one from a text that is nothing else. Of a
/// reply that was `cut` short only what closes it is a verdict.
pub(crate) fn read_order<T: Clone + PartialEq + Debug>(
    text: &str,
    cut: bool,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, Unread> {
    let (objects, outside) = take_objects(text, &|fields| read_field(fields).is_some());
    let text = find_own_part(&outside);
    if text.lines().any(puts_worst_first) {
        return Err(Unread::Vague("an order with the worst first".into()));
    }
    let mut lines = Vec::new();
    let mut above = String::new();
    for line in split_lines(text) {
        let is_of_quality = !heads_another_order(&above);
        lines.extend(read_line(&line, &parse).filter(|_| is_of_quality));
        above = line.text;
    }
    let mut statements = keep_own(text, lines, cut);
    if let Some((at, order)) = read_ranks(text, false)
        && let Some(order) = parse(&order)
    {
        statements.push(Statement::with_label(at, order));
    }
    for object in &objects {
        let order = read_field(&object.fields).and_then(|order| parse(&order));
        let order = order.filter(|_| !object.fields.are_of_a_part());
        statements.push(object.state(order.ok_or(Unread::Nothing)?));
    }
    agree_on_verdict(text, &statements, |stated| format!("{stated:?}"))
}

fn read_line<T>(line: &Line, parse: impl Fn(&str) -> Option<T>) -> Option<Statement<T>> {
    let order = strip_label(&line.text);
    let is_labelled = order.len() < line.text.trim().len();
    // Behind a label the best comes first in a list too.
    let listed = || parse(&order.replace(',', " > ")).filter(|_| is_labelled);
    Some(Statement {
        labelled: is_labelled,
        ..Statement::with_label(line.at, parse(order).or_else(listed)?)
    })
}

/// Whether a line says that the worst comes first: `Worst to best:`, `(least helpful first)`.
fn puts_worst_first(line: &str) -> bool {
    const ASCENDING: [&str; 4] = [
        "ascending",
        "aufsteigend",
        "\u{4ece}\u{5dee}",
        "\u{60aa}\u{3044}",
    ];
    let pieces = split(line);
    let is_first = |piece: &Piece| piece.is(&["first", "to", "au", "a", "zuerst"]);
    let turned = (0..pieces.len()).any(|at| {
        let mut behind = pieces[at + 1..].iter().take(2);
        pieces[at].is(Phrases::Lowest.list()) && behind.any(is_first)
    });
    turned
        || ASCENDING
            .iter()
            .any(|word| line.to_lowercase().contains(word))
}

/// Whether a line heads an order of something else than quality: `By length:`, `Not this order:`,
/// `Worst:`.
fn heads_another_order(line: &str) -> bool {
    let ill = [Worse, Faults, Losing, Rejecting];
    let pieces = split(line);
    let names_other = |piece: &Piece| {
        piece.is(Phrases::OtherOrders.list()) || ill.iter().any(|list| piece.is_in(*list))
    };
    // `Best to worst:` is the order of quality.
    let of_quality = any_in(&pieces, Better);
    line.trim_end_matches(['*', '_', ' ']).ends_with(':')
        && pieces.iter().any(names_other)
        && !of_quality
}

/// Returns what a line says behind `Order:`, `Final ranking:` and the like.
fn strip_label(line: &str) -> &str {
    let words = split_tokens(line);
    let in_label = words.iter().take_while(|word| word.may_announce());
    let (label, rest) = words.split_at(in_label.count());
    let order = match rest.first() {
        Some(next) if label.iter().any(|word| word.names_verdict()) => line.get(next.at..),
        _ => None,
    };
    order.unwrap_or(line).trim()
}

/// Reads a list of ranks that closes the reply, line by line (`1. B`, `2. Answer A - shorter`), as
/// an order; returns where its last line begins.
pub(super) fn read_ranks(text: &str, headed: bool) -> Option<(usize, String)> {
    let letters: Vec<String> = ('A'..='Z').map(String::from).collect();
    let mut ranks: Vec<(usize, usize, usize)> = Vec::new();
    // `1. A: vague`, `2. B: wrong` may be notes: with remarks, words before must speak of an order.
    let (mut is_announced, mut has_remarks, mut first) = (false, false, None);
    let mut is_headed = false;
    let mut is_of_quality = true;
    let reply = ReplyText::new(text);
    for line in split_lines(text) {
        // `Ranking:` is one line with the first rank.
        let ranks_of = strip_label(&line.text);
        let label = &line.text[..line.text.trim_end().len() - ranks_of.len()];
        let has_label = split(ranks_of)
            .first()
            .is_some_and(|first| first.number() == Some(1.0));
        let pieces = split(if has_label { ranks_of } else { &line.text });
        if has_label && !label.trim().is_empty() {
            (is_announced, is_headed) = (true, true);
            is_of_quality = !heads_another_order(label.trim());
        }
        let rank = pieces.first().and_then(|piece| piece.number());
        let behind = pieces.get(1..).unwrap_or_default();
        let stops = count_while(behind, |piece| {
            piece.is_stop(".:") || piece.kind == Kind::Close
        });
        let named = Letters(&letters)
            .lead(&behind[stops..])
            .filter(|(_, rest)| {
                stops > 0
                    && rest.first().is_none_or(|next| {
                        !matches!(next.kind, Kind::Word | Kind::Number(_))
                            && !next.is_sign(&["=", ">", "<", "/", "&"])
                    })
            });
        match (rank, named) {
            (Some(rank), Some((letter, rest))) if rank == ranks.len() as f64 + 1.0 => {
                let worst = rank == 1.0 && any_in(rest, Worse) && !any_in(rest, Better);
                if rank == 1.0 {
                    let is_clear = is_of_quality && !worst;
                    first = Some(line.at).filter(|at| is_clear && is_own(&reply, *at));
                }
                has_remarks |= rest.iter().any(|piece| piece.kind == Kind::Word);
                ranks.push((line.at, rank as usize, letter))
            }
            // Another list, or words behind this one: it is not what closes the reply.
            _ => {
                ranks.clear();
                has_remarks = false;
                let speaks_of_order = |piece: &Piece| {
                    piece.is(&["best", "order", "ranking", "rank", "ranked", "ranks"])
                };
                is_announced |= pieces.iter().any(speaks_of_order);
                is_of_quality = !heads_another_order(&line.text);
            }
        }
    }
    first.filter(|_| is_announced || !has_remarks)?;
    if headed && (!is_headed || text.lines().any(puts_worst_first)) {
        return None;
    }
    let at = ranks.last()?.0;
    let order: Vec<&str> = ranks
        .iter()
        .map(|(_, _, letter)| letters[*letter].as_str())
        .collect();
    Some((at, order.join(" > ")))
}

/// Reads an order from an object: `{"order": ["B", "A"]}`, `{"order": "B > A"}`. None where there
/// is no such field; where two differ, or one says that the worst comes first, an order of nothing.
fn read_field(fields: &Fields) -> Option<String> {
    let keys = Phrases::OrderFields.list().iter();
    let mut orders = keys.filter_map(|key| match fields.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(names) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            Some(names?.join(" > "))
        }
        _ => None,
    });
    let order = orders.next()?;
    let agree = orders.all(|other| other == order) && !fields.texts().any(puts_worst_first);
    Some(if agree { order } else { String::new() })
}
