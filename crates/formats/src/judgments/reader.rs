//! Files of judgments one by one, put together.

use super::builder::{Builder, RecordReader};
use super::judgment_row::JudgmentRow;
use super::pandalm::PandaLm;
use super::recognise::find_format;
use super::verdicts::{RecordedJudgments, SourceFile};
use super::{JudgmentFormat, Options, scores};
use crate::error::{DataError, DataProblem, Place, Result};
use crate::filter::FieldsFound;
use crate::outcomes::Signs;
use crate::source::values::Values;
use serde_json::Value;
use std::io::BufRead;

/// Reads files, each under its name, one after the other.
///
/// # Errors
/// No file; those of [`JudgmentReader::add_file`].
pub fn read_judgments<N: AsRef<str>, F: BufRead>(
    files: impl IntoIterator<Item = (N, F)>,
    options: &Options,
) -> Result<RecordedJudgments> {
    let mut reader = JudgmentReader::new(options);
    for (name, file) in files {
        reader.add_file(file, name.as_ref())?;
    }
    reader.finish()
}

/// The kind of failure of a record that cannot be read, and is left out.
const UNREADABLE: &str = "unreadable";

/// Reads files one by one and puts together what they hold.
pub struct JudgmentReader<'o> {
    options: &'o Options,
    builder: Builder,
    pandalm: PandaLm,
    found: FieldsFound,
    /// The outcomes that were written as 1, 0 or -1, and where the first of them stands.
    signs: Signs,
    first_sign: Option<Place>,
    /// Whether the first table of scores names its items: the others are held to it.
    has_items: Option<bool>,
}

impl<'o> JudgmentReader<'o> {
    /// Returns a reader that has read nothing yet.
    pub fn new(options: &'o Options) -> Self {
        JudgmentReader {
            options,
            builder: Builder::default(),
            pandalm: PandaLm::default(),
            found: FieldsFound::default(),
            signs: Signs::default(),
            first_sign: None,
            has_items: None,
        }
    }

    /// Reads a file, plain or gzip, under this name. After an error the reader cannot be used any
    /// more.
    ///
    /// # Errors
    /// A file that cannot be read or is empty; a format that is not known or cannot be ranked; a
    /// record without the fields of its format, or with other values in them; comparisons after
    /// scores, or scores after comparisons.
    pub fn add_file(&mut self, file: impl BufRead, name: &str) -> Result<JudgmentFormat> {
        let (mut values, first) = Values::open(file, name)?;
        let (record, place) = &first;
        let kind = find_format(record, place, self.options)?;
        if kind.has_no_systems() {
            return Err(JudgmentRow { record, place }.unnamed_systems(kind));
        }
        let filter = &self.options.columns.filter;
        let filter = self.found.start_file(filter, kind.name(), name, record);
        let has_items = scores::has_items(record, self.options);
        if kind == JudgmentFormat::Scores && *self.has_items.get_or_insert(has_items) != has_items {
            let field = "item".to_owned();
            let is_here = has_items;
            return Err(DataProblem::ItemsOfSome { field, is_here }.at(&Place::file(name)));
        }
        let (mut records, skip) = (0, self.options.columns.skip_bad);
        let skipped = values.for_each_good(first, skip, |record, place, position| {
            records += 1;
            let record = &record;
            let row = JudgmentRow { record, place };
            if filter.keeps(record, position) {
                self.read_record(kind, has_items, row, position)?;
                self.found.count_record(&filter);
            } else if kind == JudgmentFormat::PandaLmPairs {
                // Verdicts on the pair may follow in another file.
                self.pandalm.leave_out(row)?;
            }
            Ok(())
        })?;
        for _ in &skipped {
            self.builder.add_failure(UNREADABLE);
        }
        self.builder.recorded.skipped.extend(skipped);
        self.builder.recorded.sources.push(SourceFile {
            name: name.to_owned(),
            kind,
            records,
        });
        Ok(kind)
    }

    /// Returns the judgments that were read.
    ///
    /// # Errors
    /// No file was given; a field of the filter is nowhere, or nothing is left; outcomes of which
    /// it is not known what they mean.
    pub fn finish(mut self) -> Result<RecordedJudgments> {
        if self.builder.recorded.sources.is_empty() {
            return Err(DataError::new(DataProblem::NoFiles));
        }
        self.found.check(&self.options.columns.filter)?;
        if let Some(place) = self.first_sign.filter(|_| self.signs.are_unclear()) {
            return Err(DataProblem::Signs { field: None }.at(&place));
        }
        self.pandalm.finish(&mut self.builder);
        self.builder.settle_votes();
        Ok(self.builder.recorded)
    }

    /// Reads a record; `has_items` says whether the items of a table of scores have names.
    fn read_record(
        &mut self,
        kind: JudgmentFormat,
        has_items: bool,
        row: JudgmentRow<'_>,
        position: u64,
    ) -> Result {
        let is_score = match kind {
            JudgmentFormat::MtBenchScores | JudgmentFormat::Scores => true,
            JudgmentFormat::ScorePairs => self.options.scored,
            // Our own judgments may be of either sort: one of a single response has no second
            // system.
            JudgmentFormat::Judgments => row.find("second").is_none_or(Value::is_null),
            _ => false,
        };
        self.builder.expect_sort(is_score, row.place, kind)?;
        self.builder.question = row.name_if_any("question_id");
        let mut record = RecordReader {
            row,
            position,
            options: self.options,
            builder: &mut self.builder,
        };
        match kind {
            JudgmentFormat::Judgments => record.read_judgment(),
            JudgmentFormat::Labels => record.read_label(),
            JudgmentFormat::AlpacaEval => record.read_annotation(),
            JudgmentFormat::AlpacaEvalPreferences => record.read_preference(),
            JudgmentFormat::ArenaHard => record.read_games(),
            JudgmentFormat::MtBenchPairs => record.read_game_pair(),
            JudgmentFormat::MtBenchScores => record.read_single(),
            JudgmentFormat::PandaLmPairs => self.pandalm.read_pair(&mut record),
            JudgmentFormat::PandaLmVerdicts => self.pandalm.read_verdict(&mut record),
            JudgmentFormat::Scores => record.read_score(has_items),
            JudgmentFormat::ScorePairs => record.read_review(),
            JudgmentFormat::Battles => {
                if let Some(outcome) = record.read_battle()? {
                    self.signs.add(outcome);
                    self.first_sign.get_or_insert_with(|| row.place.clone());
                }
                Ok(())
            }
            JudgmentFormat::LlmBar
            | JudgmentFormat::JudgeBench
            | JudgmentFormat::AutoJPairs
            | JudgmentFormat::AutoJVerdicts => Err(row.unnamed_systems(kind)),
        }
    }
}
