//! Counts trials with and without a verdict, with an example of every way to fail.

use evenhand_core::{
    Item, Judgment, Look, Outcome, RequestKey, Response, Stage, Verdict, VerdictSource,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many trials came to a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coverage {
    /// Planned judgments.
    pub trials: u64,
    /// Verdicts among them.
    pub verdicts: u64,
    /// Failures by kind; with the verdicts they make up the trials.
    pub failures: BTreeMap<String, u64>,
}

impl Coverage {
    /// Counts a trial, with the kind of its failure where it came to no verdict.
    pub fn add(&mut self, failure: Option<&str>) {
        self.trials += 1;
        match failure {
            None => self.verdicts += 1,
            Some(kind) => *self.failures.entry(kind.into()).or_default() += 1,
        }
    }
}

/// The first trial that failed in one way.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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

/// The replies that were read in one way, and one of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReadingRow {
    /// Where their verdicts were read ([`VerdictSource::name`]).
    pub source: &'static str,
    /// The same in words for people ([`VerdictSource::manner`]).
    pub manner: &'static str,
    /// How many there are.
    pub replies: u64,
    /// The item of the first that stands for itself.
    pub item: String,
    /// The systems that it is of, in slot order.
    pub systems: Vec<String>,
    /// Its text, or the end of a long one, once the run was looked into; None where the run does
    /// not hold it.
    pub reply: Option<String>,
    /// Its call: by it the reply is found in the run.
    #[serde(skip)]
    pub call: Option<RequestKey>,
}

fn names_of(responses: &[Response]) -> Vec<String> {
    let systems = responses.iter().map(|response| response.system.to_string());
    systems.collect()
}

/// Counts judgments as they come, in plan order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    coverage: Coverage,
    failures: BTreeMap<&'static str, FailureRow>,
    readings: BTreeMap<&'static str, ReadingRow>,
}

impl Tally {
    /// Takes the next judgment, with the item and the responses that it is of.
    pub fn add(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        self.count_readings(judgment, item, responses);
        let failure = judgment.outcome.as_ref().err();
        self.coverage
            .add(failure.map(|failure| failure.kind.name()));
        if let Some(failure) = failure {
            let kind = failure.kind.name();
            let row = self.failures.entry(kind).or_insert_with(|| FailureRow {
                kind,
                count: 0,
                item: item.id.clone(),
                systems: names_of(responses),
                detail: failure.detail.clone(),
                call: judgment.calls.last().copied(),
            });
            row.count += 1;
        }
    }

    fn count_readings(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        // How the replies were read: of each look, or of the judgment alone. What a member of a
        // panel said, and what is said of one criterion, is part of another reply.
        let is_reply = |look: &&Look| {
            !matches!(look.stage, Stage::Member | Stage::Term) && look.criterion.is_none()
        };
        let looks = judgment.looks.iter().filter(is_reply);
        let mut outcomes: Vec<&Outcome> = looks.map(|look| &look.outcome).collect();
        if outcomes.is_empty() {
            outcomes.push(&judgment.outcome);
        }
        let verdicts = outcomes.into_iter().flatten();
        let sources: Vec<VerdictSource> = verdicts.map(Verdict::source).collect();
        let are_alike = sources.windows(2).all(|pair| pair[0] == pair[1]);
        for source in sources {
            let Some(manner) = source.manner() else {
                continue;
            };
            let row = self.readings.entry(source.name()).or_insert(ReadingRow {
                source: source.name(),
                manner,
                replies: 0,
                item: String::new(),
                systems: Vec::new(),
                reply: None,
                call: None,
            });
            row.replies += 1;
            if row.call.is_none() && are_alike {
                // The reply that was read is the last one, or the one before it, where a second
                // stage read that.
                let behind = usize::from(source == VerdictSource::SecondStage);
                row.call = judgment.calls.iter().rev().nth(behind).copied();
                row.item.clone_from(&item.id);
                row.systems = names_of(responses);
            }
        }
    }

    /// Returns how many trials came to a verdict.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Returns how many replies were read in each way, the most first.
    pub fn readings(&self) -> Vec<ReadingRow> {
        let mut rows: Vec<ReadingRow> = self.readings.values().cloned().collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.replies));
        rows
    }

    /// Returns the first failure of each kind, by the kind's name.
    pub fn failures(&self) -> Vec<FailureRow> {
        self.failures.values().cloned().collect()
    }
}
