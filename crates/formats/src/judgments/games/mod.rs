//! RecordedJudgments judgments line by line, with the judge's own text: for asking how good a judge is.
//!
//! The readers of [`super::read_judgments`] make rankings: they trust the verdict that a file records and
//! forget which pair a failure belongs to. Here every line is handed over with the text that it was
//! read from, so that it can be read anew.

mod alpaca_eval;
mod arena_hard;
mod auto_j;
mod battles;
mod evenhand_files;
mod judge_bench;
mod llmbar;
mod mt_bench;
mod pandalm;
mod score_pairs;
mod scores;

#[cfg(test)]
mod tests;

use super::judgment_row::JudgmentRow;
use super::{Error, JudgmentFormat, Options, UNPARSED, find_format};
use crate::battles::Signs;
use crate::records::{FieldsFound, Input, Place, Preference, Values};
use evenhand_core::Side;
use std::io::BufRead;

/// A line of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgmentLine<'a> {
    /// The labels that people (or the truth) give a pair.
    Label(PairLabel),
    /// A judge's verdict on a pair that it was shown in one order.
    Game(RecordedGame<'a>),
    /// A judge's verdict on a single response.
    Grade(RecordedGrade<'a>),
    /// A battle: people's vote or a judge's verdict, which the file does not tell apart. The order
    /// shown is not known.
    Battle(RecordedGame<'a>),
}

/// The labels that people give a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairLabel {
    /// The name of the item, or of the pair where a file names pairs.
    pub item: String,
    /// The name that pairs on the same instruction have in common, where it is not the item's name.
    pub cluster: Option<String>,
    /// The part of the input set that it belongs to, where the file says so.
    pub category: Option<String>,
    /// The systems; None where the file does not name them.
    pub systems: Option<[String; 2]>,
    /// The lengths of the two responses in characters, where the file has them.
    pub lengths: Option<[u32; 2]>,
    /// Which of the two is better: one for each annotator.
    pub preferred: Vec<Preference>,
}

/// A judge's verdict on a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGame<'a> {
    /// The name of the item, or of the pair.
    pub item: String,
    /// Which responses it was shown, and where.
    pub shown: ShownPair,
    /// The judge's reply.
    pub said: JudgeOutput<'a>,
    /// The verdict that the source read in it, in terms of the slots; the inner None where it found no
    /// verdict. The outer None where the source keeps no verdict beside what was said.
    pub recorded: Option<Option<Side>>,
}

/// Which responses a judge was shown, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownPair {
    /// By the names of their systems: the first and the second.
    Systems([String; 2]),
    /// By the names of their systems, in an order that the file does not tell.
    Unordered([String; 2]),
    /// The two of the item's pair, in the order of the label.
    Forward,
    /// The two of the item's pair, in the reverse of that order.
    Swapped,
}

/// A judge's reply, in terms of the slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JudgeOutput<'a> {
    /// A text, and the notation that its verdict is in, where the format has one.
    Text(&'a str, Option<&'static str>),
    /// A text with a score for each response, each by itself; equal ones are the second's, by the
    /// rule of the evaluator.
    Ratings([&'a str; 2]),
    /// The probabilities of "the first is better", "a tie", "the second is better".
    Shares([f64; 3]),
    /// Nothing: the kind of failure.
    Nothing(&'static str),
}

/// A judge's verdict on a single response.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGrade<'a> {
    /// The name of the item.
    pub item: String,
    /// The system.
    pub system: String,
    /// The text and the notation of its score, where the file has a text.
    pub text: Option<(&'a str, &'static str)>,
    /// The score that the source records; None where it found none.
    pub score: Option<f64>,
}

/// Takes the lines one by one, each with its place; an error ends the reading.
pub type LineSink<'s> = dyn FnMut(JudgmentLine<'_>, &Place) -> Result<(), Error> + 's;

/// Reads a file of recorded judgments, plain or gzip, line by line. Battles whose items have names
/// are read too.
///
/// Returns which fields of `options.filter` the file has; a file that has one is read as far as its
/// records meet the condition.
///
/// # Errors
/// A file that cannot be read or is empty; a format that is not known; a record without the fields of
/// its format, or with other values in them; what the sink returns.
pub fn read_lines(
    file: impl BufRead,
    name: &str,
    options: &Options,
    sink: &mut LineSink<'_>,
) -> Result<FieldsFound, Error> {
    let options = &Options {
        battles: true,
        ..options.clone()
    };
    let mut values = Values::open(Box::new(file), &Input::new(name))?;
    let first = values.first()?;
    let start = first.1.clone();
    let kind = find_format(&first.0, &start, options)?;
    let mut found = FieldsFound::default();
    found.add_file(&options.filter, kind.name().to_owned(), name, &first.0);
    let filter = found.filter_of_last(&options.filter);
    let mut lines = Lines {
        kind,
        options,
        signs: Signs::default(),
        sink,
    };
    values.for_each_from(first, |record, place, position| {
        if !filter.keeps(&record, position) {
            return Ok(());
        }
        let row = JudgmentRow {
            record: &record,
            place,
        };
        lines.read_line(row, position)?;
        found.count_kept(u64::from(!filter.is_empty()));
        Ok::<(), Error>(())
    })?;
    if lines.signs.are_unclear() {
        Err(Error::Signs { place: start })
    } else {
        Ok(found)
    }
}

/// Reads the lines of one file.
struct Lines<'r, 's> {
    kind: JudgmentFormat,
    options: &'r Options,
    signs: Signs,
    sink: &'r mut LineSink<'s>,
}

impl Lines<'_, '_> {
    fn read_line(&mut self, row: JudgmentRow<'_>, position: u64) -> Result<(), Error> {
        let (options, sink) = (self.options, &mut *self.sink);
        match self.kind {
            JudgmentFormat::LlmBar => llmbar::read_record(row, position, sink),
            JudgmentFormat::JudgeBench => judge_bench::read_record(row, sink),
            JudgmentFormat::MtBenchPairs => mt_bench::read_pair(row, sink),
            JudgmentFormat::MtBenchScores => mt_bench::read_single(row, sink),
            JudgmentFormat::ArenaHard => arena_hard::read_games(row, options, sink),
            JudgmentFormat::PandaLmPairs => pandalm::read_pair(row, position, sink),
            JudgmentFormat::PandaLmVerdicts => pandalm::read_verdict(row, sink),
            JudgmentFormat::Labels => {
                evenhand_files::read_label(row, position, &options.outcomes, sink)
            }
            JudgmentFormat::Judgments => evenhand_files::read_judgment(row, sink),
            JudgmentFormat::AlpacaEval => alpaca_eval::read_annotation(row, sink),
            JudgmentFormat::AlpacaEvalPreferences => alpaca_eval::read_preference(row, sink),
            JudgmentFormat::Scores => scores::read_score(row, options, position, sink),
            JudgmentFormat::ScorePairs => score_pairs::read_review(row, sink),
            JudgmentFormat::AutoJPairs => auto_j::read_pair(row, position, sink),
            JudgmentFormat::AutoJVerdicts => auto_j::read_verdicts(row, position, sink),
            JudgmentFormat::Battles => battles::read_battle(row, options, &mut self.signs, sink),
        }
    }
}

/// Returns the recorded verdict alone, where there is no text.
fn verdict_shares(recorded: Option<Side>) -> JudgeOutput<'static> {
    match recorded {
        Some(Side::First) => JudgeOutput::Shares([1.0, 0.0, 0.0]),
        Some(Side::Tie) => JudgeOutput::Shares([0.0, 1.0, 0.0]),
        Some(Side::Second) => JudgeOutput::Shares([0.0, 0.0, 1.0]),
        None => JudgeOutput::Nothing(UNPARSED),
    }
}

/// Returns a text in a notation, or where there is none the recorded verdict.
fn text_or_shares<'a>(
    text: Option<&'a str>,
    notation: Option<&'static str>,
    recorded: Option<Side>,
) -> JudgeOutput<'a> {
    match text {
        Some(text) => JudgeOutput::Text(text, notation),
        None => verdict_shares(recorded),
    }
}

/// Returns the lengths of two responses in characters, where the record has both.
fn response_lengths(row: JudgmentRow<'_>, fields: [&str; 2]) -> Option<[u32; 2]> {
    let length = |field| {
        let text = row.find_text(field)?;
        Some(u32::try_from(text.chars().count()).unwrap_or(u32::MAX))
    };
    Some([length(fields[0])?, length(fields[1])?])
}
