//! Flips by distractor and protocol: table 2 of distracted evaluation.

use crate::View;
use crate::numbers::{bracketed_interval, or_dash};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{
    AuditReport, FlipRate, FlipRow, FlipTable, KindOfProtocol, flip_table,
};

const HEAD: &str = "Flips: how often the response preferred less is preferred once it is \
                    rewritten, per cent";

/// Returns the table of all judges; None where no audit counted flips.
pub(super) fn flips_text(reports: &[AuditReport], view: View) -> Option<String> {
    let flips = flip_table(reports)?;
    let shown = Shown::new(reports.len() > 1, &flips);
    let head = sentences_text(&shown.heading(), view);
    let table = fit_table(shown.table(&flips), view, &[]);
    Some(format!("{head}\n{table}"))
}

/// Which columns stand before the figures, beside that of the distractor.
#[derive(Clone, Copy)]
struct Shown {
    several: bool,
    has_turns: bool,
}

impl Shown {
    fn new(several: bool, flips: &FlipTable) -> Self {
        let has_turns = flips.rows.iter().any(|row| row.turn.is_some());
        Shown { several, has_turns }
    }

    fn table(self, flips: &FlipTable) -> TextTable {
        TextTable::with_header(self.header(flips))
            .with_rows(flips.rows.iter().map(|row| self.row(row)))
            .with_numbers_from(self.leading_columns())
    }
    fn leading_columns(self) -> usize {
        1 + usize::from(self.several) + usize::from(self.has_turns)
    }

    fn heading(self) -> String {
        if self.several {
            format!("{HEAD}; of an average over judges, the lowest and the highest")
        } else {
            HEAD.into()
        }
    }

    fn header(self, flips: &FlipTable) -> Vec<String> {
        self.cells("judge", "distractor", "turn")
            .into_iter()
            .chain(column_names(flips))
            .collect()
    }

    fn cells(self, judge: &str, distractor: &str, turn: &str) -> Vec<String> {
        let judge = self.several.then_some(judge);
        let turn = self.has_turns.then_some(turn);
        let cells = judge.into_iter().chain([distractor]).chain(turn);
        cells.map(String::from).collect()
    }

    fn row(self, row: &FlipRow) -> Vec<String> {
        let mut cells = self.leading_cells(row);
        cells.extend(row.flips.iter().map(rate_text));
        cells
    }

    fn leading_cells(self, row: &FlipRow) -> Vec<String> {
        let judge = row.judge.as_deref().unwrap_or("average over judges");
        let distractor = row.distractor.as_deref().unwrap_or("average");
        let turn = row.turn.map_or("all".into(), |turn| turn.to_string());
        self.cells(judge, distractor, &turn)
    }
}

/// Returns the paper's names of the columns where there is one of each kind, else the protocols.
fn column_names(flips: &FlipTable) -> Vec<String> {
    if has_one_of_each(&flips.kinds) {
        return flips.kinds.iter().map(kind_name).collect();
    }
    flips.protocols.clone()
}

fn has_one_of_each(kinds: &[KindOfProtocol]) -> bool {
    matches!(
        kinds,
        [KindOfProtocol::Pairs, KindOfProtocol::Absolute]
            | [KindOfProtocol::Absolute, KindOfProtocol::Pairs]
    )
}

fn kind_name(kind: &KindOfProtocol) -> String {
    match kind {
        KindOfProtocol::Pairs => "pairs".into(),
        KindOfProtocol::Absolute => "absolute".into(),
    }
}

fn rate_text(rate: &FlipRate) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let range = rate.range.map(|ends| ends.map(Some));
    let ends = bracketed_interval(rate.ci.or(range), percent);
    or_dash(rate.value, |share| percent(share) + &ends)
}
