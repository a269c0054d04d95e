//! Recorded judgments line by line, with the judge's own text: for asking how good a judge is.
//!
//! The readers of [`super::read_judgments`] make rankings: they trust the verdict that a file
//! records and forget which pair a failure belongs to. Here every line is handed over with the text
//! that it was read from, so that it can be read anew.

mod auto_j;
mod judge_bench;
mod lines;
mod llmbar;

#[cfg(test)]
mod tests;

pub use lines::{
    JudgeOutput, JudgmentLine, LineSink, PairLabel, RecordedGame, RecordedGrade, ShownPair,
};

pub(super) use lines::LineReader;

use super::judgment_row::JudgmentRow;
use super::recognise::find_format;
use super::{JudgmentFormat, Options};
use crate::error::{DataProblem, Result};
use crate::filter::FieldsFound;
use crate::outcomes::Signs;
use crate::source::values::Values;
use std::io::BufRead;

/// Reads a file of recorded judgments, plain or gzip, line by line. Battles whose items have names
/// are read too.
///
/// Returns which fields of `options.columns.filter` the file has; a file that has one is read as
/// far as its records meet the condition.
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
    let (mut values, first) = Values::open(file, name)?;
    let (record, start) = first.clone();
    // Here battles are judgments like any others.
    let options = Options {
        battles: true,
        ..options.clone()
    };
    let kind = find_format(&record, &start, &options)?;
    let mut found = FieldsFound::default();
    let filter = found.start_file(&options.columns.filter, kind.name(), name, &record);
    let mut signs = Signs::default();
    values.for_each_from(first, |record, place, position| -> Result {
        let record = &record;
        if filter.keeps(record, position) {
            let row = JudgmentRow { record, place };
            let line = LineReader {
                row,
                position,
                options: &options,
                question: row.name_if_any("question_id"),
                sink: &mut *sink,
            };
            line.read(kind, &mut signs)?;
            found.count_record(&filter);
        }
        Ok(())
    })?;
    if signs.are_unclear() {
        Err(DataProblem::Signs { field: None }.at(&start))
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
