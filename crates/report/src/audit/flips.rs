//! Flips by distractor and protocol: table 2 of distracted evaluation.

use crate::View;
use crate::columns::Columns;
use crate::numbers::{or_blank, percent, with_interval};
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{AuditReport, FlipRow, FlipTable, KindOfProtocol, flip_table};

const HEAD: &str = "Flips: how often the response preferred less is preferred once it is \
                    rewritten, per cent";

/// Returns the table of all judges; None where no audit counted flips.
pub(super) fn flips_text(reports: &[AuditReport], view: View) -> Option<String> {
    let flips = flip_table(reports)?;
    let several = reports.len() > 1;
    let has_turns = flips.rows.iter().any(|row| row.turn.is_some());
    let mut columns: Columns<FlipRow> = Columns::new(&[]);
    if several {
        columns.push("judge", |row| {
            row.judge.clone().unwrap_or("average over judges".into())
        });
    }
    columns.push("distractor", |row| {
        row.distractor.clone().unwrap_or("average".into())
    });
    if has_turns {
        columns.push("turn", |row| {
            row.turn.map_or("all".into(), |turn| turn.to_string())
        });
    }
    let figures_from = columns.len();
    for (at, name) in column_names(&flips).into_iter().enumerate() {
        columns.push(name, move |row| {
            or_blank(row.flips.get(at), |rate| {
                let range = rate.range.map(|ends| ends.map(Some));
                with_interval(rate.value, rate.ci.or(range), percent)
            })
        });
    }
    let table = columns.table(&flips.rows).with_numbers_from(figures_from);
    let heading = if several {
        format!("{HEAD}; of an average over judges, the lowest and the highest")
    } else {
        HEAD.into()
    };
    let head = sentences_text(&heading, view);
    Some(format!("{head}\n{}", fit_table(table, view, &[])))
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
