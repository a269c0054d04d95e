//! An order of several responses: letters with `>` or `=` between them, or a list of ranks.

use super::json::{Fields, take_objects};
use super::lex::{Kind, count_while, split};
use super::lines::{Line, find_own_part, split_lines};
use super::preference::Letters;
use super::statements::{Statement, Unread, agree_on_verdict, keep_own};
use super::tokens::split_tokens;
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
    let lines = split_lines(text).filter_map(|line| read_line(&line, &parse));
    let mut statements = keep_own(text, lines.collect(), cut);
    if let Some((at, order)) = read_ranks(text)
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
fn read_ranks(text: &str) -> Option<(usize, String)> {
    let letters: Vec<String> = ('A'..='Z').map(String::from).collect();
    let mut ranks: Vec<(usize, usize, usize)> = Vec::new();
    for line in split_lines(text) {
        let pieces = split(&line.text);
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
            (Some(rank), Some((letter, _))) if rank == ranks.len() as f64 + 1.0 => {
                ranks.push((line.at, rank as usize, letter))
            }
            // Another list, or words behind this one: it is not what closes the reply.
            _ => ranks.clear(),
        }
    }
    let at = ranks.last()?.0;
    let order: Vec<&str> = ranks
        .iter()
        .map(|(_, _, letter)| letters[*letter].as_str())
        .collect();
    Some((at, order.join(" > ")))
}

/// Reads an order from an object: `{"order": ["B", "A"]}`, `{"order": "B > A"}`.
fn read_field(fields: &Fields) -> Option<String> {
    let keys = ["order", "ranking", "rank", "final_ranking", "final_order"];
    match keys.iter().find_map(|key| fields.get(key))? {
        Value::String(text) => Some(text.clone()),
        Value::Array(names) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            Some(names?.join(" > "))
        }
        _ => None,
    }
}
