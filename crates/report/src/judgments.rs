//! Judgments as JSON lines, CSV or Parquet, one at a time: a run of millions is never held.

use crate::kept::cells_of;
use crate::serialize::SheetWriter;
use evenhand_core::{Judgment, Look, Response, Verdict};
use evenhand_formats::ParquetWriter;
use evenhand_pages::Detail;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// One judgment, flat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    /// The text that was found in place of a verdict.
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
    /// Whether both orders were shown in this one judgment: the verdict is of both together, and
    /// neither response was shown first.
    pub both_orders: bool,
    /// The name that items of the same question have in common: intervals count a question once.
    /// None where the item alone asks it.
    pub question_id: Option<&'a str>,
}

impl<'a> JudgmentRow<'a> {
    /// Returns the row of a judgment, with the item's id, the name of its question and the
    /// responses in slot order.
    pub fn new(
        judgment: &'a Judgment,
        item: &'a str,
        question: Option<&'a str>,
        responses: &'a [Response],
    ) -> Self {
        let mut row = JudgmentRow::default();
        (row.trial, row.item, row.question_id) = (judgment.trial.index, item, question);
        let names = responses.iter().map(|response| &*response.system);
        row.set_systems(&names.collect::<Vec<_>>());
        row.both_orders = judgment.looks.iter().any(|look| look.swapped);
        match &judgment.outcome {
            Ok(verdict) => row.set_verdict(verdict),
            Err(failure) => {
                row.failure = Some(failure.kind.name());
                row.detail = Some(&failure.detail);
            }
        }
        row
    }

    /// Returns the row of a judgment that a run keeps, with the name of its item's question.
    pub fn of_kept(judgment: &'a Detail, question: Option<&'a str>) -> Self {
        let mut row = JudgmentRow::default();
        (row.trial, row.item, row.question_id) = (judgment.trial, &judgment.item.id, question);
        let names = judgment.responses.iter();
        row.set_systems(&names.map(|response| &*response.system).collect::<Vec<_>>());
        row.both_orders = judgment.looks.iter().any(|look| look.look.swapped);
        match &judgment.verdict {
            Some(verdict) => row.set_verdict(verdict),
            None => {
                row.failure = judgment.outcome.failure;
                row.detail = judgment.detail.as_deref();
            }
        }
        row
    }

    fn set_systems(&mut self, names: &[&'a str]) {
        self.first = names.first().copied();
        self.second = names.get(1).copied();
        self.systems = (names.len() > 2).then(|| joined(names));
    }

    fn set_verdict(&mut self, verdict: &Verdict) {
        self.source = Some(verdict.source().name());
        match verdict {
            Verdict::Pointwise { score, .. } => self.score = Some(*score),
            Verdict::Listwise { places, .. } => self.places = Some(joined(places)),
            Verdict::Pairwise {
                first,
                tie,
                second,
                grade,
                ..
            } => {
                [self.p_first, self.p_tie, self.p_second] = [*first, *tie, *second].map(Some);
                self.strength = grade.as_ref().map(|grade| grade.strength());
            }
        }
    }
}

fn joined<T: ToString>(parts: &[T]) -> String {
    parts.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A judgment as a line of JSON.
#[derive(Serialize, JsonSchema)]
pub(crate) struct JudgmentLine<'a> {
    #[serde(flatten)]
    row: &'a JudgmentRow<'a>,
    /// The looks that it was made of, where there was more than one.
    #[serde(skip_serializing_if = "is_empty")]
    looks: &'a [Look],
}

fn is_empty(looks: &&[Look]) -> bool {
    looks.is_empty()
}

/// Writes judgments as they come.
pub enum JudgmentWriter<W: Write + Send> {
    /// One JSON object a line.
    Json(W),
    /// A header, then a line each.
    Csv(Box<SheetWriter<W>>),
    /// The columns of the CSV of records, typed; whole once it is finished.
    Parquet(Box<ParquetWriter<W>>),
}

impl<W: Write + Send> JudgmentWriter<W> {
    /// Returns a writer of rows as CSV.
    pub fn to_csv(out: W) -> Self {
        JudgmentWriter::Csv(Box::new(SheetWriter::new(out)))
    }

    /// Writes one row; as JSON with its looks.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write_row(&mut self, row: &JudgmentRow, looks: &[Look]) -> io::Result<()> {
        match self {
            JudgmentWriter::Json(out) => {
                serde_json::to_writer(&mut *out, &JudgmentLine { row, looks })?;
                out.write_all(b"\n")
            }
            JudgmentWriter::Csv(out) => out.write_record(row),
            JudgmentWriter::Parquet(out) => out.write_row(cells_of(&serde_json::to_value(row)?)),
        }
    }

    /// Writes out what is buffered, and the end of the file.
    ///
    /// # Errors
    /// Those of the file.
    pub fn finish(&mut self) -> io::Result<()> {
        match self {
            JudgmentWriter::Json(out) => out.flush(),
            JudgmentWriter::Csv(out) => out.flush(),
            JudgmentWriter::Parquet(out) => out.finish(),
        }
    }
}
