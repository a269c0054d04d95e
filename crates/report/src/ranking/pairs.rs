//! The differences of every two systems: as a table, as cells of CSV, and in words.

use super::{range_text, score_decimals};
use crate::columns::Columns;
use crate::numbers::{chosen_percent, group_digits, or_blank, or_dash};
use crate::serialize::{end_cell, optional_cell};
use evenhand_core::{Setting, name_in_words, p_value_or_bound_text};
use evenhand_ranking::{PairRow, Report};

/// Returns the columns of a table of pairs.
pub(super) fn pair_columns(report: &Report) -> Columns<'static, PairRow> {
    let decimals = score_decimals(report.unit);
    let mut columns: Columns<PairRow> = Columns::new(&[
        ("system", |pair| pair.a.clone()),
        ("against", |pair| pair.b.clone()),
    ]);
    columns.push("difference", move |pair| {
        or_dash(pair.difference, |difference| {
            format!("{difference:.decimals$}")
        })
    });
    let interval = format!("{} % interval", chosen_percent(report.ci.level));
    columns.push(interval, move |pair| {
        or_dash(pair.ci, |ci| range_text(ci, decimals))
    });
    columns.extend(&[
        ("p", |pair| {
            or_dash(pair.p, |p| p_value_or_bound_text(p, pair.p_is_bound))
        }),
        ("p adjusted", |pair| {
            or_dash(pair.p_adjusted, |p| {
                p_value_or_bound_text(p, pair.p_adjusted_is_bound)
            })
        }),
    ]);
    if report.differences.iter().any(|pair| pair.note.is_some()) {
        columns.push("note", |pair| pair.note.clone().unwrap_or_default());
    }
    columns
}

/// Returns the cell of a pair in a column that rankings have too; its difference is no score.
pub(super) fn pair_cell(pair: &PairRow, column: &str) -> String {
    match column {
        "system" => pair.a.clone(),
        "ci_low" => end_cell(pair.ci, 0),
        "ci_high" => end_cell(pair.ci, 1),
        "note" => optional_cell(pair.note.as_ref()),
        _ => String::new(),
    }
}

/// Says what the differences are, and why another command may say something else.
pub(super) fn about_pairs() -> String {
    format!(
        "these are differences of the scores above, tested for all pairs together; `compare` with \
         {} tests two systems by their items alone, so its interval and p may differ",
        Setting::Pair
    )
}

/// Names the better one first, as pairs come in rank order.
pub(super) fn pair_text(pair: &PairRow, report: &Report) -> String {
    let [a, b] = [&pair.a, &pair.b].map(|name| name_in_words(name));
    let tested = or_blank(pair.p.zip(pair.p_adjusted), |(p, adjusted)| {
        let p = p_value_or_bound_text(p, pair.p_is_bound);
        let adjusted = match report.differences.len() {
            // One pair leaves nothing to adjust for.
            1 => String::new(),
            pairs => format!(
                ", {} for all {} pairs",
                p_value_or_bound_text(adjusted, pair.p_adjusted_is_bound),
                group_digits(pairs as u64)
            ),
        };
        format!(", p {p}{adjusted}")
    });
    let Some(difference) = pair.difference else {
        let why = pair.note.as_deref().unwrap_or_default();
        return format!("{a} and {b}: {why}{tested}");
    };
    let decimals = score_decimals(report.unit);
    let interval = match pair.ci {
        Some(ci) => {
            let (level, range) = (chosen_percent(report.ci.level), range_text(ci, decimals));
            format!(" ({level} % interval {range})")
        }
        None => or_blank(pair.note.as_deref(), |why| format!(" ({why})")),
    };
    let said = match difference {
        0.0 => format!("{a} and {b} are even:"),
        _ => format!("{a} is ahead of {b} by"),
    };
    format!("{said} {difference:.decimals$}{interval}{tested}")
}
