//! Flips by distractor and protocol: table 2 of distracted evaluation.

use crate::View;
use crate::numbers::{percent, with_interval};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{AuditReport, FlipTable, KindOfProtocol, flip_table};

const HEAD: &str = "Flips: how often the response preferred less is preferred once it is \
                    rewritten, per cent";

/// Returns the table of all judges; None where no audit counted flips.
pub(super) fn flips_text(reports: &[AuditReport], view: View) -> Option<String> {
    let flips = flip_table(reports)?;
    let several = reports.len() > 1;
    let has_turns = flips.rows.iter().any(|row| row.turn.is_some());
    // The columns before the figures.
    let leading = |judge: &str, distractor: &str, turn: &str| {
        let judge = several.then_some(judge).into_iter();
        let cells = judge.chain([distractor]).chain(has_turns.then_some(turn));
        cells.map(String::from).collect::<Vec<_>>()
    };
    let mut header = leading("judge", "distractor", "turn");
    let figures_from = header.len();
    header.extend(column_names(&flips));
    let rows = flips.rows.iter().map(|row| {
        let judge = row.judge.as_deref().unwrap_or("average over judges");
        let distractor = row.distractor.as_deref().unwrap_or("average");
        let turn = row.turn.map_or("all".into(), |turn| turn.to_string());
        let mut cells = leading(judge, distractor, &turn);
        for rate in &row.flips {
            let range = rate.range.map(|ends| ends.map(Some));
            cells.push(with_interval(rate.value, rate.ci.or(range), percent));
        }
        cells
    });
    let table = TextTable::with_header(header)
        .with_rows(rows)
        .with_numbers_from(figures_from);
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
