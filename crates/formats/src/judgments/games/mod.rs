//! Recorded judgments line by line, with the judge's own text: for asking how good a judge is.
//!
//! The readers of [`super::read_judgments`] make rankings: they trust the verdict that a file
//! records and forget which pair a failure belongs to. Here every line is handed over with the text
//! that it was read from, so that it can be read anew.

mod auto_j;
mod judge_bench;
mod line_reader;
mod llmbar;

#[cfg(test)]
mod tests;

pub(super) use line_reader::{JudgeReply, LineReader};

use super::evenhand_files::LabelRecord;
use super::judgment_row::JudgmentRow;
use super::{Error, JudgmentFormat, Options, Result, UNPARSED, find_format};
use crate::filter::FieldsFound;
use crate::outcomes::Signs;
use crate::records::{Input, Place};
use crate::source::values::Values;
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
    pub preferred: Vec<Side>,
}

impl PairLabel {
    /// Returns the one label of a pair whose systems have no names.
    fn of_pair(item: String, preferred: Side) -> Self {
        PairLabel {
            item,
            cluster: None,
            category: None,
            systems: None,
            lengths: None,
            preferred: vec![preferred],
        }
    }

    /// Returns the labels of named systems.
    pub(super) fn of_votes(label: LabelRecord) -> Self {
        PairLabel {
            item: label.item,
            cluster: None,
            category: None,
            systems: Some(label.systems),
            lengths: None,
            preferred: label.votes.iter().map(|vote| vote.preferred).collect(),
        }
    }
}

/// A judge's verdict on a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGame<'a> {
    /// The name of the item, or of the pair.
    pub item: String,
    /// Its `question_id`, where the record has one: turns of a conversation have one in common.
    pub question: Option<String>,
    /// Which responses it was shown, and where.
    pub shown: ShownPair,
    /// The judge's reply.
    pub said: JudgeOutput<'a>,
    /// The verdict that the source read in it, in terms of the slots; the inner None where it found
    /// no verdict. The outer None where the source keeps no verdict beside what was said.
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
    /// A score for each response, in the order of the slots, of which the higher is better; without
    /// a text. What equal ones mean is for the source to say.
    Scores([f64; 2]),
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
pub type LineSink<'s> = dyn FnMut(JudgmentLine<'_>, &Place) -> Result + 's;

/// Reads a file of recorded judgments, plain or gzip, line by line. Battles whose items have names
/// are read too.
///
/// Returns which fields of `options.filter` the file has; a file that has one is read as far as its
/// records meet the condition.
///
/// # Errors
/// A file that cannot be read or is empty; a format that is not known; a record without the fields
/// of its format, or with other values in them; what the sink returns.
pub fn read_lines(
    file: impl BufRead,
    name: &str,
    options: &Options,
    sink: &mut LineSink<'_>,
) -> Result<FieldsFound> {
    let mut values = Values::open(Box::new(file), &Input::new(name))?;
    let first = values.first()?;
    let (record, start) = first.clone();
    // Here battles are judgments like any others.
    let options = Options {
        battles: true,
        ..options.clone()
    };
    let kind = find_format(&record, &start, &options)?;
    let mut found = FieldsFound::default();
    let filter = found.start_file(&options.filter, kind.name(), name, &record);
    let mut signs = Signs::default();
    values.for_each_from(first, |record, place, position| -> Result {
        let record = &record;
        if filter.keeps(record, position) {
            let line = LineReader {
                row: JudgmentRow { record, place },
                position,
                options: &options,
                sink: &mut *sink,
            };
            line.read(kind, &mut signs)?;
            found.count_record(&filter);
        }
        Ok(())
    })?;
    if signs.are_unclear() {
        Err(Error::Signs { place: start })
    } else {
        Ok(found)
    }
}

impl LineReader<'_, '_> {
    fn read(mut self, kind: JudgmentFormat, signs: &mut Signs) -> Result {
        match kind {
            JudgmentFormat::LlmBar => self.read_llmbar(),
            JudgmentFormat::JudgeBench => self.read_judge_bench(),
            JudgmentFormat::MtBenchPairs => self.read_game_pair(),
            JudgmentFormat::MtBenchScores => self.read_single(),
            JudgmentFormat::ArenaHard => self.read_games(),
            JudgmentFormat::PandaLmPairs => self.read_instruction_pair(),
            JudgmentFormat::PandaLmVerdicts => self.read_verdict(),
            JudgmentFormat::Labels => self.read_label(),
            JudgmentFormat::Judgments => self.read_judgment(),
            JudgmentFormat::AlpacaEval => self.read_annotation(),
            JudgmentFormat::AlpacaEvalPreferences => self.read_preference(),
            JudgmentFormat::Scores => self.read_score(),
            JudgmentFormat::ScorePairs => self.read_review(),
            JudgmentFormat::AutoJPairs => self.read_scenario_pair(),
            JudgmentFormat::AutoJVerdicts => self.read_both_verdicts(),
            JudgmentFormat::Battles => self.read_battle(signs),
        }
    }
}

/// Returns the recorded verdict alone, where there is no text.
pub(super) fn verdict_shares(recorded: Option<Side>) -> JudgeOutput<'static> {
    match recorded {
        Some(Side::First) => JudgeOutput::Shares([1.0, 0.0, 0.0]),
        Some(Side::Tie) => JudgeOutput::Shares([0.0, 1.0, 0.0]),
        Some(Side::Second) => JudgeOutput::Shares([0.0, 0.0, 1.0]),
        None => JudgeOutput::Nothing(UNPARSED),
    }
}
