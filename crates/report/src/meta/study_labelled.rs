//! Labelled pairs in a study: a grid of protocols by input sets, and differences between protocols.

use super::paired::{paired_json, paired_table};
use super::{in_order, percent_with_interval};
use crate::text_table::TextTable;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{ProtocolDifferences, StudyReport};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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

fn grid_of_judge(report: &StudyReport, judge: &str) -> Option<TextTable> {
    let all = report.labelled.iter().chain(&report.totals);
    let own: Vec<&(String, Evaluation)> = all.filter(|(_, one)| one.judge == judge).collect();
    let inputs = in_order(own.iter().map(|(input, _)| input.as_str()));
    let protocols = in_order(own.iter().map(|(_, one)| one.protocol.as_str()));
    if own.len() < 2 {
        return None;
    }
    let cells: BTreeMap<(&str, &str), String> = own
        .iter()
        .map(|(input, one)| ((one.protocol.as_str(), input.as_str()), accuracy_text(one)))
        .collect();
    let header = [format!("{judge}: accuracy %")].into_iter();
    let rows = protocols.iter().map(|protocol| {
        let found = inputs.iter().map(|input| cells.get(&(*protocol, *input)));
        let found = found.map(|cell| cell.cloned().unwrap_or_else(|| "-".into()));
        [(*protocol).to_string()]
            .into_iter()
            .chain(found)
            .collect::<Vec<String>>()
    });
    let table = TextTable::with_header(header.chain(inputs.iter().map(ToString::to_string)));
    Some(table.with_rows(rows).with_numbers_from(1))
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
        "differences": one.differences.iter().map(paired_json).collect::<Vec<_>>(),
    })
}
