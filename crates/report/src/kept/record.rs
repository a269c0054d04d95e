//! Judgments with their texts as data: JSON lines, or flat as CSV and Parquet.

use crate::serialize::{SheetWriter, value_cell};
use crate::{JudgmentRow, JudgmentWriter};
use evenhand_core::Message;
use evenhand_formats::ColumnKind::{self, Flag, Integer, Number, Text};
use evenhand_formats::ParquetWriter;
use evenhand_pages::{Detail, LookDetail, Row};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// A judgment with the texts that it is of and the judge's words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JudgmentRecord<'a> {
    #[serde(flatten)]
    judgment: JudgmentRow<'a>,
    replicate: u32,
    category: Option<&'a str>,
    /// What the systems answered; None where the run keeps no texts.
    instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<&'a [Message]>,
    reference: Option<&'a str>,
    responses: Vec<ResponseRecord<'a>>,
    /// The judge's words in the last call.
    reply: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    looks: &'a [LookDetail],
    calls: Vec<CallRecord<'a>>,
    prompt_tokens: u64,
    completion_tokens: u64,
    cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<RowRecord<'a>>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ResponseRecord<'a> {
    system: &'a str,
    text: Option<&'a str>,
    #[serde(flatten)]
    more: Option<ResponseExtras<'a>>,
}

/// What a response has where it is more than a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ResponseExtras<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<&'a [Message]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trajectory: Option<&'a evenhand_core::Trajectory>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct CallRecord<'a> {
    judge: &'a str,
    reply: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    prompt_tokens: u64,
    completion_tokens: u64,
    cost_usd: Option<f64>,
}

/// What both orders say together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RowRecord<'a> {
    /// Its lowest trial.
    id: u64,
    /// The system that both orders prefer in the mean; `tie`, or null without a verdict.
    winner: Option<&'a str>,
    flipped: bool,
    split: bool,
    people: Option<&'a str>,
}

impl<'a> JudgmentRecord<'a> {
    /// Returns the record of a judgment. `question` is the name of its item's question, where it
    /// has one, and `keeps_texts` says whether its run keeps texts.
    pub fn new(
        judgment: &'a Detail,
        question: Option<&'a str>,
        keeps_texts: bool,
    ) -> JudgmentRecord<'a> {
        let calls = judgment.calls.iter().map(|call| {
            let reply = call.reply.as_ref();
            CallRecord {
                judge: &call.judge,
                reply: reply.map(|reply| &*reply.text),
                reasoning: reply.and_then(|reply| reply.reasoning.as_deref()),
                error: call.error.as_deref(),
                prompt_tokens: call.tokens.prompt,
                completion_tokens: call.tokens.completion,
                cost_usd: call.cost,
            }
        });
        let calls: Vec<CallRecord<'a>> = calls.collect();
        let item = &judgment.item;
        let responses = judgment.responses.iter().map(|one| {
            let (turns, trajectory) = (one.turns.as_deref(), one.trajectory.as_deref());
            let is_more = turns.is_some() || trajectory.is_some();
            ResponseRecord {
                system: &one.system,
                text: keeps_texts.then_some(&*one.text),
                more: is_more.then_some(ResponseExtras { turns, trajectory }),
            }
        });
        let costs = calls.iter().map(|call| call.cost_usd);
        JudgmentRecord {
            judgment: JudgmentRow::of_kept(judgment, question),
            replicate: judgment.row.replicate,
            category: item.category.as_deref(),
            instruction: keeps_texts.then_some(&*item.text),
            turns: item.turns.as_deref(),
            reference: item.reference.as_deref(),
            responses: responses.collect(),
            reply: calls.last().and_then(|call| call.reply),
            looks: &judgment.looks,
            prompt_tokens: calls.iter().map(|call| call.prompt_tokens).sum(),
            completion_tokens: calls.iter().map(|call| call.completion_tokens).sum(),
            cost_usd: costs.sum::<Option<f64>>().filter(|_| !calls.is_empty()),
            calls,
            row: None,
        }
    }

    /// Adds what both orders of the judgment's pair say together.
    #[must_use]
    pub fn with_row(mut self, row: &'a Row) -> JudgmentRecord<'a> {
        self.row = Some(RowRecord {
            id: row.id,
            winner: name_winner(row, Some(row.outcome)),
            flipped: row.flipped,
            split: row.split,
            people: name_winner(row, row.people),
        });
        self
    }
}

/// Returns the system of a side, `tie`, or None for no side.
fn name_winner<'a>(row: &'a Row, side: Option<&'a str>) -> Option<&'a str> {
    match side? {
        "a" => Some(&row.a),
        "b" => row.b.as_deref(),
        "none" => None,
        other => Some(other),
    }
}

/// The columns of CSV and Parquet, where a record has what stands in them, and what that is. What
/// both orders of a pair say together stands in the line of each, and its names say so: it is no
/// verdict of one judgment.
const COLUMNS: [(&str, &str, ColumnKind); 32] = [
    ("trial", "/trial", Integer),
    ("item", "/item", Text),
    ("first", "/first", Text),
    ("second", "/second", Text),
    ("p_first", "/p_first", Number),
    ("p_tie", "/p_tie", Number),
    ("p_second", "/p_second", Number),
    ("score", "/score", Number),
    ("failure", "/failure", Text),
    ("detail", "/detail", Text),
    ("strength", "/strength", Number),
    ("source", "/source", Text),
    ("systems", "/systems", Text),
    ("places", "/places", Text),
    ("both_orders", "/both_orders", Flag),
    ("question_id", "/question_id", Text),
    ("replicate", "/replicate", Integer),
    ("category", "/category", Text),
    ("row", "/row/id", Integer),
    ("row_winner", "/row/winner", Text),
    ("row_flipped", "/row/flipped", Flag),
    ("row_split", "/row/split", Flag),
    ("row_people", "/row/people", Text),
    ("prompt_tokens", "/prompt_tokens", Integer),
    ("completion_tokens", "/completion_tokens", Integer),
    ("cost_usd", "/cost_usd", Number),
    ("instruction", "/instruction", Text),
    ("reference", "/reference", Text),
    ("response_first", "/responses/0/text", Text),
    ("response_second", "/responses/1/text", Text),
    ("responses", "/responses", Text),
    ("reply", "/reply", Text),
];

/// Returns what stands in the columns of a record, null where there is nothing.
pub(crate) fn cells_of(record: &Value) -> [&Value; COLUMNS.len()] {
    COLUMNS.map(|(name, pointer, _)| match record.pointer(pointer) {
        // Two responses have columns of their own.
        Some(Value::Array(all)) if name == "responses" && all.len() <= 2 => &Value::Null,
        found => found.unwrap_or(&Value::Null),
    })
}

impl<W: Write + Send> JudgmentWriter<W> {
    /// Returns a writer of records as CSV, with its header written.
    ///
    /// # Errors
    /// Those of the file.
    pub fn to_csv_of_records(out: W) -> io::Result<Self> {
        let mut writer = SheetWriter::new(out);
        writer.write_row(COLUMNS.map(|(name, ..)| name))?;
        Ok(JudgmentWriter::Csv(Box::new(writer)))
    }

    /// Returns a writer of records as Parquet.
    ///
    /// # Errors
    /// Those of the file.
    pub fn to_parquet_of_records(out: W) -> io::Result<Self> {
        let writer = ParquetWriter::new(out, COLUMNS.map(|(name, _, kind)| (name, kind)))?;
        Ok(JudgmentWriter::Parquet(Box::new(writer)))
    }

    /// Writes one record.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write_record(&mut self, record: &JudgmentRecord<'_>) -> io::Result<()> {
        match self {
            JudgmentWriter::Json(out) => {
                serde_json::to_writer(&mut *out, record)?;
                out.write_all(b"\n")
            }
            JudgmentWriter::Csv(out) => {
                let record = serde_json::to_value(record)?;
                let cells = cells_of(&record).map(value_cell);
                out.write_row(cells)
            }
            JudgmentWriter::Parquet(out) => out.write_row(cells_of(&serde_json::to_value(record)?)),
        }
    }
}
