//! Flips and ties by judge, distractor and protocol: tables 2 and 3 of distracted evaluation.

use crate::View;
use crate::columns::Columns;
use crate::numbers::{or_blank, percent, with_interval};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_core::in_order;
use evenhand_studies::audit::{
    AuditReport, FlipRate, FlipRow, FlipTable, KindOfProtocol, flip_table, tie_table,
};

const FLIPS: &str = "Flips: how often the response preferred less is preferred once it is \
                     rewritten, per cent";
const TIES: &str = "Ties at equal quality: how often a response and itself, rewritten, are called \
                    equal, per cent";
const AVERAGES: &str = "; of an average over judges, the lowest and the highest";

/// Returns the flips of all judges; None where no audit counted any.
pub(super) fn flips_text(reports: &[AuditReport], view: View) -> Option<String> {
    let several = reports.len() > 1;
    Some(table_text(FLIPS, &flip_table(reports)?, several, view))
}

/// Returns the ties of all judges; None where no audit counted any.
pub(super) fn ties_text(reports: &[AuditReport], view: View) -> Option<String> {
    let several = reports.len() > 1;
    Some(table_text(TIES, &tie_table(reports)?, several, view))
}

/// Returns a table with its heading: in the paper's layout, or, where a terminal has no room for
/// that, with a row for each distractor.
fn table_text(heading: &str, flips: &FlipTable, several: bool, view: View) -> String {
    let averages = if several { AVERAGES } else { "" };
    let head = sentences_text(&format!("{heading}{averages}"), view);
    let wide = by_judge(flips);
    let table = match view.width {
        Some(width) if !view.verbose && wide.width() > width => by_distractor(flips, several),
        _ => wide,
    };
    format!("{head}\n{}", fit_table(table, view, &[]))
}

/// Returns the paper's layout: a row for each judge and turn, and below each distractor a column
/// for each protocol, absolute scores first.
fn by_judge(flips: &FlipTable) -> TextTable {
    let distractors = in_order(flips.rows.iter().map(|row| &row.distractor));
    let rows = in_order(flips.rows.iter().map(|row| (&row.judge, row.turn)));
    let mut columns: Columns<(&Option<String>, Option<u32>)> = Columns::new(&[]);
    columns.push("judge", |(judge, _)| judge_name(judge));
    if has_turns(flips) {
        columns.push("turn", |(_, turn)| turn_name(*turn));
    }
    let figures_from = columns.len();
    let mut protocols: Vec<usize> = (0..flips.protocols.len()).collect();
    protocols.sort_by_key(|at| flips.kinds[*at] != KindOfProtocol::Absolute);
    let names = column_names(flips);
    for distractor in distractors {
        for &at in &protocols {
            let name = format!("{}: {}", distractor_name(distractor), names[at]);
            columns.push(name, move |(judge, turn)| {
                let of_cell = |row: &&FlipRow| {
                    row.judge == **judge && row.turn == *turn && row.distractor == *distractor
                };
                or_blank(flips.rows.iter().find(of_cell), |row| {
                    rate_text(&row.flips[at])
                })
            });
        }
    }
    columns.table(rows).with_numbers_from(figures_from)
}

/// Returns a row for each judge, distractor and turn.
fn by_distractor(flips: &FlipTable, several: bool) -> TextTable {
    let mut columns: Columns<FlipRow> = Columns::new(&[]);
    if several {
        columns.push("judge", |row| judge_name(&row.judge));
    }
    columns.push("distractor", |row| distractor_name(&row.distractor));
    if has_turns(flips) {
        columns.push("turn", |row| turn_name(row.turn));
    }
    let figures_from = columns.len();
    for (at, name) in column_names(flips).into_iter().enumerate() {
        columns.push(name, move |row| or_blank(row.flips.get(at), rate_text));
    }
    columns.table(&flips.rows).with_numbers_from(figures_from)
}

fn rate_text(rate: &FlipRate) -> String {
    let range = rate.range.map(|ends| ends.map(Some));
    with_interval(rate.value, rate.ci.or(range), percent)
}

fn has_turns(flips: &FlipTable) -> bool {
    flips.rows.iter().any(|row| row.turn.is_some())
}

fn judge_name(judge: &Option<String>) -> String {
    judge.clone().unwrap_or("average over judges".into())
}

fn distractor_name(distractor: &Option<String>) -> String {
    distractor.clone().unwrap_or("average".into())
}

fn turn_name(turn: Option<u32>) -> String {
    turn.map_or("all".into(), |turn| turn.to_string())
}

/// Returns the paper's names of the columns where there is one of each kind, else the protocols.
fn column_names(flips: &FlipTable) -> Vec<String> {
    let name = |kind: &KindOfProtocol| match kind {
        KindOfProtocol::Pairs => "pairs".to_string(),
        KindOfProtocol::Absolute => "absolute".to_string(),
    };
    match &flips.kinds[..] {
        [a, b] if a != b => vec![name(a), name(b)],
        _ => flips.protocols.clone(),
    }
}
