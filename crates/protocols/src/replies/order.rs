//! An order of several responses: letters with `>` or `=` between them.

use super::json;
use super::lines::{Line, find_own_part, split_lines};
use super::statements::{Statement, Unread, agree_on_verdict};
use super::tokens::{CORES, LABELS, split_tokens};
use std::fmt::Debug;

/// Reads the order that the reply states; `parse` reads one from a text that is nothing else.
pub(crate) fn read_order<T: Clone + PartialEq + Debug>(
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, Unread> {
    if let Some(order) = json::read_order_field(text) {
        return parse(&order).ok_or(Unread::Nothing);
    }
    let text = find_own_part(text);
    let statements = split_lines(text).filter_map(|line| read_line(&line, &parse));
    agree_on_verdict(text, statements.collect(), |stated| format!("{stated:?}"))
}

fn read_line<T>(line: &Line, parse: impl Fn(&str) -> Option<T>) -> Option<Statement<T>> {
    let order = strip_label(&line.text);
    Some(Statement {
        at: line.at,
        stated: parse(order)?,
        labelled: order.len() < line.text.trim().len(),
    })
}

/// Returns what a line says behind `Order:`, `Final ranking:` and the like.
fn strip_label(line: &str) -> &str {
    let words = split_tokens(line);
    let in_label = words.iter().take_while(|word| word.is_any_of(&LABELS));
    let (label, rest) = words.split_at(in_label.count());
    let order = match rest.first() {
        Some(next) if label.iter().any(|word| word.is_any_of(&CORES)) => line.get(next.at..),
        _ => None,
    };
    order.unwrap_or(line).trim()
}
