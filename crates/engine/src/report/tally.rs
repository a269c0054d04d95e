//! Counts trials with and without a verdict, with an example of every way to fail.

use crate::Coverage;
use evenhand_core::{Failure, FailureKind, Item, Judgment, RequestKey, Response};
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

impl FailureRow {
    /// Describes a trial that failed, and counts none yet.
    fn new(judgment: &Judgment, failure: &Failure, item: &Item, responses: &[Response]) -> Self {
        let systems = responses.iter().map(|response| response.system.to_string());
        FailureRow {
            kind: failure.kind.name(),
            count: 0,
            item: item.id.clone(),
            systems: systems.collect(),
            detail: failure.detail.clone(),
            call: judgment.calls.last().copied(),
        }
    }
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
        match &judgment.outcome {
            Ok(_) => self.coverage.verdicts += 1,
            Err(failure) => {
                self.count_failure(failure.kind);
                let first = || FailureRow::new(judgment, failure, item, responses);
                let row = self.failures.entry(failure.kind.name());
                row.or_insert_with(first).count += 1;
            }
        }
    }

    fn count_failure(&mut self, kind: FailureKind) {
        let count = self.coverage.failures.entry(kind.name().into());
        *count.or_default() += 1;
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
