//! Flips by distractor and protocol, with averages over distractors and over judges: the layout of
//! Tripathi et al. 2025, table 2.

use super::AuditReport;
use super::finding::Finding;
use super::finding_name::{FindingName, RewriteEffect};
use super::rows::mean;
use super::unique::unique;
use evenhand_protocols::{Form, Slots};
use serde::Serialize;

/// How often the response that was preferred less is preferred once it is rewritten.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlipTable {
    /// The protocols: a column for each.
    pub protocols: Vec<String>,
    /// Whether each shows one response or two.
    pub kinds: Vec<KindOfProtocol>,
    /// By judge, then distractor, then turn.
    pub rows: Vec<FlipRow>,
}

/// How a protocol looks at responses, in the words of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KindOfProtocol {
    /// One at a time.
    Absolute,
    /// Two at a time.
    Pairs,
}

/// The flips of a judge by a distractor.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// A share of flips.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    let flips = flips_in(reports);
    if flips.is_empty() {
        return None;
    }
    let protocols = flips.iter().map(|finding| finding.protocol.clone());
    let protocols = unique(protocols.collect());
    let cells = in_order(unique(flips.into_iter().filter_map(cell_of).collect()));
    Some(FlipTable {
        kinds: protocols.iter().map(|protocol| kind_of(protocol)).collect(),
        rows: all_rows(reports, &cells, &protocols),
        protocols,
    })
}

/// Returns the findings that have a place in the table.
fn flips_in(reports: &[AuditReport]) -> Vec<&Finding> {
    let findings = reports.iter().flat_map(|report| &report.findings);
    findings
        .filter(|finding| cell_of(finding).is_some())
        .collect()
}

/// Returns the rows of all judges, and of several their average.
fn all_rows(reports: &[AuditReport], cells: &[Cell], protocols: &[String]) -> Vec<FlipRow> {
    let mut rows = Vec::new();
    for report in reports {
        rows.extend(rows_of(report, cells, protocols));
    }
    if reports.len() > 1 {
        rows.extend(average_rows(&rows, cells, protocols.len()));
    }
    rows
}

fn rows_of(report: &AuditReport, cells: &[Cell], protocols: &[String]) -> Vec<FlipRow> {
    let cells = cells.iter();
    cells.map(|cell| row_of(report, cell, protocols)).collect()
}

fn average_rows(rows: &[FlipRow], cells: &[Cell], protocols: usize) -> Vec<FlipRow> {
    let cells = cells.iter();
    cells
        .map(|cell| average_row(rows, cell, protocols))
        .collect()
}

/// Puts the averages over distractors after the distractors.
fn in_order(cells: Vec<Cell>) -> Vec<Cell> {
    let (averages, single): (Vec<Cell>, Vec<Cell>) = cells
        .into_iter()
        .partition(|(distractor, _)| distractor.is_none());
    [single, averages].concat()
}

fn cell_of(finding: &Finding) -> Option<Cell> {
    match &finding.name {
        FindingName::Rewritten { rewrite, effect } if *effect == RewriteEffect::Flips => {
            Some((Some(rewrite.clone()), None))
        }
        FindingName::MeanFlips => Some((None, None)),
        FindingName::FlipsInTurn { rewrite, turn } => Some((rewrite.clone(), Some(*turn))),
        _ => None,
    }
}

fn kind_of(protocol: &str) -> KindOfProtocol {
    let form = protocol.split('/').next().and_then(Form::parse);
    match form.map(Form::slots) {
        Some(Slots::One) => KindOfProtocol::Absolute,
        _ => KindOfProtocol::Pairs,
    }
}

fn row_of(report: &AuditReport, cell: &Cell, protocols: &[String]) -> FlipRow {
    let protocols = protocols.iter();
    FlipRow {
        judge: Some(report.judge.clone()),
        distractor: cell.0.clone(),
        turn: cell.1,
        flips: protocols
            .map(|protocol| rate_in(report, cell, protocol))
            .collect(),
    }
}

fn rate_in(report: &AuditReport, cell: &Cell, protocol: &str) -> FlipRate {
    let mut findings = report.findings.iter();
    let found = findings
        .find(|finding| finding.protocol == protocol && cell_of(finding).as_ref() == Some(cell));
    found.map(FlipRate::of_finding).unwrap_or_default()
}

/// Returns the averages of the rows of all judges that are of this cell.
fn average_row(rows: &[FlipRow], cell: &Cell, protocols: usize) -> FlipRow {
    let rows: Vec<&FlipRow> = rows.iter().filter(|row| row.is_of(cell)).collect();
    FlipRow {
        judge: None,
        distractor: cell.0.clone(),
        turn: cell.1,
        flips: (0..protocols).map(|at| average(&rows, at)).collect(),
    }
}

impl FlipRow {
    fn is_of(&self, (distractor, turn): &Cell) -> bool {
        self.distractor == *distractor && self.turn == *turn
    }
}

impl FlipRate {
    fn of_finding(finding: &Finding) -> FlipRate {
        FlipRate {
            value: finding.figure.value,
            ci: finding.figure.ci,
            range: None,
        }
    }
}

fn average(rows: &[&FlipRow], protocol: usize) -> FlipRate {
    let values = rows.iter().filter_map(|row| row.flips[protocol].value);
    let values: Vec<f64> = values.collect();
    FlipRate {
        value: mean(&values),
        ci: None,
        range: range_of(&values),
    }
}

/// Returns the lowest and the highest value.
fn range_of(values: &[f64]) -> Option<[f64; 2]> {
    let values = || values.iter().copied();
    Some([values().reduce(f64::min)?, values().reduce(f64::max)?])
}
