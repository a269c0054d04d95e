//! Figures by judge, distractor and protocol, with averages over distractors and over judges: the
//! layout of Tripathi et al. 2025, table 2 (flips) and table 3 (ties at equal quality).

use super::AuditReport;
use super::finding::Finding;
use super::finding_name::{FindingName, RewriteEffect};
use super::rows::mean;
use evenhand_core::in_order;
use evenhand_protocols::{Form, Slots};
use schemars::JsonSchema;
use serde::Serialize;

/// How often the response that was preferred less is preferred once it is rewritten.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlipTable {
    /// The protocols: a column for each.
    pub protocols: Vec<String>,
    /// Whether each shows one response or two.
    pub kinds: Vec<KindOfProtocol>,
    /// By judge, then distractor, then turn.
    pub rows: Vec<FlipRow>,
}

/// How often a response and itself, rewritten, are called equal.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TieTable {
    /// The protocols: a column for each.
    pub protocols: Vec<String>,
    /// Whether each shows one response or two.
    pub kinds: Vec<KindOfProtocol>,
    /// By judge, then distractor.
    pub rows: Vec<TieRow>,
}

/// How a protocol looks at responses, in the words of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KindOfProtocol {
    /// One at a time.
    Absolute,
    /// Two at a time.
    Pairs,
}

/// The flips of a judge by a distractor.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlipRow {
    /// The judge; None for the average over all.
    pub judge: Option<String>,
    /// The distractor; None for the average over all.
    pub distractor: Option<String>,
    /// The turn of the conversations; None for all together.
    pub turn: Option<u32>,
    /// By protocol.
    pub flips: Vec<FlipRate>,
}

/// The ties of a judge by a distractor.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TieRow {
    /// The judge; None for the average over all.
    pub judge: Option<String>,
    /// The distractor; None for all together.
    pub distractor: Option<String>,
    /// By protocol.
    pub ties: Vec<FlipRate>,
}

/// A share of flips, or of ties.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FlipRate {
    /// The share; None where there is none.
    pub value: Option<f64>,
    /// Its interval; None for an average over judges, who are not drawn from any population.
    pub ci: Option<[Option<f64>; 2]>,
    /// Of an average over judges, the lowest and the highest.
    pub range: Option<[f64; 2]>,
}

/// Which distractor and which turn a row is of.
type Cell = (Option<String>, Option<u32>);

/// Returns the flips that audits counted; None where none did.
pub fn flip_table(reports: &[AuditReport]) -> Option<FlipTable> {
    rates_of(reports, flips_cell)
}

/// Returns the ties that audits counted at equal quality, as flips; None where none did.
pub fn tie_table(reports: &[AuditReport]) -> Option<FlipTable> {
    rates_of(reports, ties_cell)
}

impl From<FlipTable> for TieTable {
    fn from(table: FlipTable) -> Self {
        let rows = table.rows.into_iter().map(|row| TieRow {
            judge: row.judge,
            distractor: row.distractor,
            ties: row.flips,
        });
        TieTable {
            protocols: table.protocols,
            kinds: table.kinds,
            rows: rows.collect(),
        }
    }
}

fn flips_cell(name: &FindingName) -> Option<Cell> {
    match name {
        FindingName::Rewritten { rewrite, effect } if *effect == RewriteEffect::Flips => {
            Some((Some(rewrite.clone()), None))
        }
        FindingName::MeanFlips => Some((None, None)),
        FindingName::FlipsInTurn { rewrite, turn } => Some((rewrite.clone(), Some(*turn))),
        _ => None,
    }
}

fn ties_cell(name: &FindingName) -> Option<Cell> {
    match name {
        FindingName::Rewritten {
            rewrite,
            effect: RewriteEffect::EqualVerdict | RewriteEffect::EqualScore,
        } => Some((Some(rewrite.clone()), None)),
        FindingName::MeanTies => Some((None, None)),
        _ => None,
    }
}

/// Returns the findings that have a cell, by judge, cell and protocol, with averages over judges
/// where there are several; None where no finding has one.
fn rates_of(
    reports: &[AuditReport],
    cell_of: fn(&FindingName) -> Option<Cell>,
) -> Option<FlipTable> {
    let findings = reports.iter().flat_map(|report| &report.findings);
    let with_cells: Vec<(&Finding, Cell)> = findings
        .filter_map(|finding| Some((finding, cell_of(&finding.name)?)))
        .collect();
    if with_cells.is_empty() {
        return None;
    }
    let protocols = in_order(with_cells.iter().map(|(one, _)| one.protocol.clone()));
    let mut cells = in_order(with_cells.into_iter().map(|(_, cell)| cell));
    // The averages over distractors come after the distractors.
    cells.sort_by_key(|(distractor, _)| distractor.is_none());

    let row = |judge: Option<&String>, (distractor, turn): &Cell, flips| FlipRow {
        judge: judge.cloned(),
        distractor: distractor.clone(),
        turn: *turn,
        flips,
    };
    let mut rows = Vec::new();
    for report in reports {
        for cell in &cells {
            let rate_under = |protocol: &String| {
                let found = report.findings.iter().find(|finding| {
                    finding.protocol == *protocol && cell_of(&finding.name).as_ref() == Some(cell)
                });
                found.map_or_else(FlipRate::default, |finding| FlipRate {
                    value: finding.figure.value,
                    ci: finding.figure.ci,
                    range: None,
                })
            };
            let rates = protocols.iter().map(rate_under).collect();
            rows.push(row(Some(&report.judge), cell, rates));
        }
    }
    if reports.len() > 1 {
        let mut averages = Vec::new();
        for cell in &cells {
            let average_under = |protocol: usize| {
                let of_cell = rows
                    .iter()
                    .filter(|row| (&row.distractor, &row.turn) == (&cell.0, &cell.1));
                let values: Vec<f64> = of_cell
                    .filter_map(|row| row.flips[protocol].value)
                    .collect();
                let lowest = values.iter().copied().reduce(f64::min);
                let highest = values.iter().copied().reduce(f64::max);
                FlipRate {
                    value: mean(&values),
                    ci: None,
                    range: lowest.zip(highest).map(<[f64; 2]>::from),
                }
            };
            let rates = (0..protocols.len()).map(average_under).collect();
            averages.push(row(None, cell, rates));
        }
        rows.extend(averages);
    }
    Some(FlipTable {
        kinds: protocols.iter().map(|name| kind_of(name)).collect(),
        protocols,
        rows,
    })
}

/// Returns how a protocol of this name looks at responses.
pub fn kind_of(protocol: &str) -> KindOfProtocol {
    let form = protocol.split('/').next().and_then(Form::parse);
    match form.map(Form::slots) {
        Some(Slots::One) => KindOfProtocol::Absolute,
        _ => KindOfProtocol::Pairs,
    }
}
