//! Judgments as JSON lines or CSV, one at a time: a run of millions is never held.

use evenhand_core::{Judgment, Look, Response, Verdict};
use serde::Serialize;
use std::io::{self, Write};

/// One judgment, flat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgmentRow<'a> {
    /// Position in the plan.
    pub trial: u64,
    /// The item's id.
    pub item: &'a str,
    /// The system shown first, or alone.
    pub first: Option<&'a str>,
    /// The system shown second.
    pub second: Option<&'a str>,
    /// Probability that the first is better.
    pub p_first: Option<f64>,
    /// Probability of a tie.
    pub p_tie: Option<f64>,
    /// Probability that the second is better.
    pub p_second: Option<f64>,
    /// The score of a single response.
    pub score: Option<f64>,
    /// The kind of failure, where there is no verdict.
    pub failure: Option<&'a str>,
    /// What was found in place of a verdict.
    pub detail: Option<&'a str>,
    /// How much better the first is, in forms that say so: from 1 to -1 for steps, a difference of
    /// scores else.
    pub strength: Option<f64>,
    /// Where the verdict was read.
    pub source: Option<&'a str>,
    /// All systems in the order in which they were shown, joined by commas, where there are more
    /// than two.
    pub systems: Option<String>,
    /// The places of those systems, from 1 for the best, joined by commas.
    pub places: Option<String>,
}

impl<'a> JudgmentRow<'a> {
    /// The row of a judgment, with the item's id and the responses in slot order.
    pub fn new(judgment: &'a Judgment, item: &'a str, responses: &'a [Response]) -> Self {
        let system = |slot: usize| responses.get(slot).map(|response| response.system.as_ref());
        let failure = judgment.outcome.as_ref().err();
        let (pair, score) = match &judgment.outcome {
            Ok(Verdict::Pairwise {
                first, tie, second, ..
            }) => ([Some(*first), Some(*tie), Some(*second)], None),
            Ok(Verdict::Pointwise { score, .. }) => ([None; 3], Some(*score)),
            Ok(Verdict::Listwise { .. }) | Err(_) => ([None; 3], None),
        };
        let (strength, places) = match &judgment.outcome {
            Ok(Verdict::Pairwise {
                grade: Some(grade), ..
            }) => (Some(grade.strength()), None),
            Ok(Verdict::Listwise { places, .. }) => (None, Some(joined(places))),
            _ => (None, None),
        };
        let names: Vec<&str> = responses
            .iter()
            .map(|response| response.system.as_ref())
            .collect();
        JudgmentRow {
            trial: judgment.trial.index,
            item,
            first: system(0),
            second: system(1),
            systems: (names.len() > 2).then(|| joined(&names)),
            p_first: pair[0],
            p_tie: pair[1],
            p_second: pair[2],
            score,
            strength,
            places,
            source: judgment
                .outcome
                .as_ref()
                .ok()
                .map(|verdict| verdict.source().name()),
            failure: failure.map(|failure| failure.kind.name()),
            detail: failure.map(|failure| failure.detail.as_str()),
        }
    }
}

fn joined<T: ToString>(parts: &[T]) -> String {
    parts.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A row with the looks that its judgment was made of, where there was more than one.
#[derive(Serialize)]
struct WithLooks<'a> {
    #[serde(flatten)]
    row: &'a JudgmentRow<'a>,
    looks: &'a [Look],
}

/// Writes rows as they come.
pub enum JudgmentWriter<W: Write> {
    /// One JSON object a line.
    Json(W),
    /// A header, then a row each.
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> JudgmentWriter<W> {
    /// CSV into this.
    pub fn csv(out: W) -> Self {
        JudgmentWriter::Csv(Box::new(csv::Writer::from_writer(out)))
    }

    /// Writes one row; as JSON with its looks.
    pub fn row(&mut self, row: &JudgmentRow, looks: &[Look]) -> io::Result<()> {
        match self {
            JudgmentWriter::Json(out) => {
                match looks {
                    [] => serde_json::to_writer(&mut *out, row)?,
                    looks => serde_json::to_writer(&mut *out, &WithLooks { row, looks })?,
                }
                out.write_all(b"\n")
            }
            JudgmentWriter::Csv(out) => out.serialize(row).map_err(io::Error::other),
        }
    }

    /// Writes out what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            JudgmentWriter::Json(out) => out.flush(),
            JudgmentWriter::Csv(out) => out.flush(),
        }
    }
}
