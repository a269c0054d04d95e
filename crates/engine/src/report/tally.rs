//! Counts trials with and without a verdict, with an example of every way to fail.

use crate::Coverage;
use evenhand_core::{Item, Judgment, RequestKey, Response};
use serde::Serialize;
use std::collections::BTreeMap;

/// The first trial that failed in one way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailureRow {
    /// The kind of failure.
    pub kind: &'static str,
    /// How many trials failed in this way.
    pub count: u64,
    /// The item's id.
    pub item: String,
    /// The systems, in slot order.
    pub systems: Vec<String>,
    /// The details, with the server's words where it said any.
    pub detail: String,
    /// The call that it ends with, if one was answered: by it the reply is found in the run.
    #[serde(skip)]
    pub call: Option<RequestKey>,
}

/// Counts judgments as they come, in plan order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    coverage: Coverage,
    failures: BTreeMap<&'static str, FailureRow>,
}

impl Tally {
    /// Takes the next judgment, with the item and the responses that it is of.
    pub fn add(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        self.coverage.trials += 1;
        let Err(failure) = &judgment.outcome else {
            self.coverage.verdicts += 1;
            return;
        };
        let kind = failure.kind.name();
        *self.coverage.failures.entry(kind.into()).or_default() += 1;
        let row = self.failures.entry(kind).or_insert_with(|| FailureRow {
            kind,
            count: 0,
            item: item.id.clone(),
            systems: responses
                .iter()
                .map(|response| response.system.to_string())
                .collect(),
            detail: failure.detail.clone(),
            call: judgment.calls.last().copied(),
        });
        row.count += 1;
    }

    /// Returns how many trials came to a verdict.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Returns the first failure of each kind, by the kind's name.
    pub fn failures(&self) -> Vec<FailureRow> {
        self.failures.values().cloned().collect()
    }
}
