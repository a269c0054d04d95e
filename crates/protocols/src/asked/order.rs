//! An order of several responses: letters with `>` or `=` between them.

use super::token::{CORES, LABELS, tokens};
use super::{Statement, Unread, agree, json, lines, one_line, own_part};
use crate::extraction::Reply;

/// The order that the reply states, as `parse` reads it from a text that is nothing else.
pub(crate) fn read_order<T: Clone + PartialEq + std::fmt::Debug>(
    text: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, Unread> {
    if let Some(order) = json::order(text) {
        return parse(&order).ok_or(Unread::Nothing);
    }
    let text = own_part(text);
    let statement = |line: std::ops::Range<usize>| {
        let whole = one_line(text.get(line.clone())?);
        let order = without_label(&whole);
        Some(Statement {
            at: line.start,
            stated: parse(order)?,
            labelled: order.len() < whole.trim().len(),
        })
    };
    let statements = lines(text).into_iter().filter_map(statement).collect();
    agree(&Reply::new(text), statements, |stated| {
        format!("{stated:?}")
    })
}

/// The line behind `Order:`, `Final ranking:` and the like.
fn without_label(line: &str) -> &str {
    let words = tokens(line);
    let labels = words.iter().take_while(|word| word.is(&LABELS)).count();
    let is_label = labels > 0 && words[..labels].iter().any(|word| word.is(&CORES));
    let start = words
        .get(labels)
        .filter(|_| is_label)
        .map_or(0, |word| word.at);
    line.get(start..).unwrap_or(line).trim()
}
