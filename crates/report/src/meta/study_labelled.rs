//! Labelled pairs in a study: a grid of protocols by input sets, and differences between protocols.

use super::paired::{paired_json, paired_table};
use super::percent_with_interval;
use crate::order::in_order;
use crate::serialize::array_of;
use crate::text_table::TextTable;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{ProtocolDifferences, StudyReport};
use serde_json::{Value, json};

/// Returns for each judge a table of accuracies, protocols by input sets and totals, where there
/// are several protocols or sets; behind them the differences.
pub(super) fn labelled_grids(report: &StudyReport) -> Vec<TextTable> {
    let judges = in_order(report.labelled.iter().map(|(_, one)| one.judge.as_str()));
    let grids = judges
        .iter()
        .filter_map(|judge| grid_of_judge(report, judge));
    grids
        .chain(report.differences.iter().map(differences_table))
        .collect()
}

fn differences_table(one: &ProtocolDifferences) -> TextTable {
    paired_table(&one.differences)
}

/// Returns the accuracies of a judge; None where there is only one.
fn grid_of_judge(report: &StudyReport, judge: &str) -> Option<TextTable> {
    let grid = AccuracyGrid::new(report, judge);
    (grid.evaluations.len() > 1).then(|| grid.to_table())
}

/// The accuracies of one judge: a row for each protocol, a column for each input set or total.
struct AccuracyGrid<'a> {
    judge: &'a str,
    /// Each with its input set or total.
    evaluations: Vec<&'a (String, Evaluation)>,
}

impl<'a> AccuracyGrid<'a> {
    fn new(report: &'a StudyReport, judge: &'a str) -> Self {
        let all = report.labelled.iter().chain(&report.totals);
        let evaluations = all.filter(|(_, one)| one.judge == judge).collect();
        AccuracyGrid { judge, evaluations }
    }

    fn to_table(&self) -> TextTable {
        let protocols = self.protocols().into_iter();
        TextTable::with_header(self.header())
            .with_rows(protocols.map(|protocol| self.row_of_protocol(protocol)))
            .with_numbers_from(1)
    }

    fn protocols(&self) -> Vec<&'a str> {
        let evaluations = self.evaluations.iter();
        in_order(evaluations.map(|(_, one)| one.protocol.as_str()))
    }

    fn inputs(&self) -> Vec<&'a str> {
        let evaluations = self.evaluations.iter();
        in_order(evaluations.map(|(input, _)| input.as_str()))
    }

    fn header(&self) -> Vec<String> {
        let mut header = vec![format!("{}: accuracy %", self.judge)];
        header.extend(self.inputs().into_iter().map(String::from));
        header
    }

    fn row_of_protocol(&self, protocol: &str) -> Vec<String> {
        let inputs = self.inputs().into_iter();
        let mut cells = vec![protocol.to_string()];
        cells.extend(inputs.map(|input| self.cell(protocol, input)));
        cells
    }

    fn cell(&self, protocol: &str, input: &str) -> String {
        // The last evaluation of a protocol on an input set is the one that is shown.
        let mut latest_first = self.evaluations.iter().rev();
        let found = latest_first.find(|(name, one)| one.protocol == protocol && name == input);
        found.map_or("-".into(), |(_, one)| accuracy_text(one))
    }
}

/// Returns the accuracy in percent; of repeated pairs with its standard deviation over repeats.
fn accuracy_text(one: &Evaluation) -> String {
    let accuracy = percent_with_interval(&one.total.measures.accuracy);
    match one.repeats.as_ref().and_then(|repeats| repeats.sd.value) {
        Some(sd) => format!("{accuracy} sd {:.1}", 100.0 * sd),
        None => accuracy,
    }
}

/// Returns the differences of a judge over a total.
pub(super) fn differences_json(one: &ProtocolDifferences) -> Value {
    json!({
        "total": one.total,
        "judge": one.judge,
        "differences": array_of(&one.differences, paired_json),
    })
}
