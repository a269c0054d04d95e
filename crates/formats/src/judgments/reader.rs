//! Files of judgments one by one, put together.

use super::builder::{Builder, RecordSort, VerdictSort};
use super::judgment_format::recognise_judgments;
use super::judgment_row::JudgmentRow;
use super::pandalm::PandaLm;
use super::record_reader::RecordReader;
use super::verdicts::{RecordedJudgments, SourceFile};
use super::{Error, JudgmentFormat, Options, Result, find_format, scores};
use crate::battles::Signs;
use crate::records::{FieldsFound, Filter, Input, Place, Values};
use serde_json::Value;
use std::io::BufRead;

/// Returns the format of a file, by its first record; `None` where that is not known or cannot be
/// read, which [`JudgmentReader::add_file`] explains.
pub fn detect_format(file: impl BufRead, options: &Options) -> Option<JudgmentFormat> {
    let mut values = Values::open(Box::new(file), &Input::new("")).ok()?;
    let (first, _) = values.first().ok()?;
    let kind = recognise_judgments(&first, options)?;
    is_readable(kind, &first, options).then_some(kind)
}

/// Whether a file of this kind has the columns that it needs; a table of scores is recognised by
/// the columns that the user names, which it may lack.
fn is_readable(kind: JudgmentFormat, first: &Value, options: &Options) -> bool {
    kind != JudgmentFormat::Scores || scores::has_columns(first, options)
}

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

/// Reads files one by one and puts together what they hold.
pub struct JudgmentReader<'o> {
    options: &'o Options,
    builder: Builder,
    pandalm: PandaLm,
    found: FieldsFound,
    signs: SignsMet,
}

/// The outcomes that were written as 1, 0 or -1, and where the first of them stands.
#[derive(Default)]
struct SignsMet {
    signs: Signs,
    first: Option<Place>,
}

impl SignsMet {
    fn read_battle(&mut self, record: &mut RecordReader<'_>) -> Result {
        if let Some(outcome) = record.read_battle()? {
            self.signs.add(outcome);
            let place = record.row.place;
            self.first.get_or_insert_with(|| place.clone());
        }
        Ok(())
    }

    /// Checks that their meaning is known.
    fn check(&self) -> Result {
        match &self.first {
            Some(place) if self.signs.are_unclear() => Err(Error::Signs {
                place: place.clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// The kind of failure of a record that cannot be read, and is left out.
const UNREADABLE: &str = "unreadable";

/// The settings that hold for all records of a file.
struct FileReading {
    kind: JudgmentFormat,
    /// Whether the items of a table of scores have names.
    has_items: bool,
    filter: Filter,
}

impl<'o> JudgmentReader<'o> {
    /// Returns a reader that has read nothing yet.
    pub fn new(options: &'o Options) -> Self {
        JudgmentReader {
            options,
            builder: Builder::default(),
            pandalm: PandaLm::default(),
            found: FieldsFound::default(),
            signs: SignsMet::default(),
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
        let mut values = Values::open(Box::new(file), &Input::new(name))?;
        let first = values.first()?;
        let reading = self.start_file(name, &first)?;
        let records = self.add_records(&mut values, first, &reading)?;
        self.add_source(name, reading.kind, records);
        Ok(reading.kind)
    }

    /// Adds the records of a file, of which the first was read, and returns how many there are.
    fn add_records(
        &mut self,
        values: &mut Values<'_>,
        first: (Value, Place),
        reading: &FileReading,
    ) -> Result<u64> {
        let (mut records, skip) = (0, self.options.skip_bad);
        let skipped = values.for_each_good(first, skip, |record, place, position| {
            records += 1;
            let record = &record;
            self.add_record(reading, JudgmentRow { record, place }, position)
        })?;
        for _ in &skipped {
            self.builder.add_failure(UNREADABLE);
        }
        self.builder.recorded.skipped.extend(skipped);
        Ok(records)
    }

    fn add_source(&mut self, name: &str, kind: JudgmentFormat, records: u64) {
        self.builder.recorded.sources.push(SourceFile {
            name: name.to_owned(),
            kind,
            records,
        });
    }

    /// Finds out what a file with this first record is.
    fn start_file(&mut self, name: &str, (first, place): &(Value, Place)) -> Result<FileReading> {
        let kind = self.find_ranked_format(first, place)?;
        let filter = &self.options.filter;
        let filter = self.found.start_file(filter, kind.name(), name, first);
        Ok(FileReading {
            kind,
            has_items: scores::has_items(first, self.options),
            filter,
        })
    }

    fn find_ranked_format(&self, record: &Value, place: &Place) -> Result<JudgmentFormat> {
        let kind = find_format(record, place, self.options)?;
        if kind.has_no_systems() {
            return Err(JudgmentRow { record, place }.unnamed_systems(kind));
        }
        Ok(kind)
    }

    fn add_record(&mut self, reading: &FileReading, row: JudgmentRow<'_>, position: u64) -> Result {
        if reading.filter.keeps(row.record, position) {
            self.read_record(reading, row, position)?;
            self.found.count_record(&reading.filter);
        // Verdicts on the pair may follow in another file.
        } else if reading.kind == JudgmentFormat::PandaLmPairs {
            self.pandalm.leave_out(row)?;
        }
        Ok(())
    }

    /// Returns the judgments that were read.
    ///
    /// # Errors
    /// No file was given; a field of the filter is nowhere, or nothing is left; outcomes of which
    /// it is not known what they mean.
    pub fn finish(mut self) -> Result<RecordedJudgments> {
        if self.builder.recorded.sources.is_empty() {
            return Err(Error::NoFiles);
        }
        self.found.check(&self.options.filter)?;
        self.signs.check()?;
        self.pandalm.finish(&mut self.builder);
        Ok(self.builder.recorded)
    }

    fn read_record(
        &mut self,
        reading: &FileReading,
        row: JudgmentRow<'_>,
        position: u64,
    ) -> Result {
        self.expect_sort(reading.kind, row)?;
        self.builder.question = row.name_if_any("question_id");
        let mut record = RecordReader {
            row,
            position,
            options: self.options,
            builder: &mut self.builder,
        };
        match reading.kind {
            JudgmentFormat::Judgments => record.read_judgment(),
            JudgmentFormat::Labels => record.read_label(),
            JudgmentFormat::AlpacaEval => record.read_annotation(),
            JudgmentFormat::AlpacaEvalPreferences => record.read_preference(),
            JudgmentFormat::ArenaHard => record.read_games(),
            JudgmentFormat::MtBenchPairs => record.read_game_pair(),
            JudgmentFormat::MtBenchScores => record.read_single(),
            JudgmentFormat::PandaLmPairs => self.pandalm.read_pair(&mut record),
            JudgmentFormat::PandaLmVerdicts => self.pandalm.read_verdict(&mut record),
            JudgmentFormat::Scores => record.read_score(reading.has_items),
            JudgmentFormat::ScorePairs => record.read_review(),
            JudgmentFormat::Battles => self.signs.read_battle(&mut record),
            JudgmentFormat::LlmBar
            | JudgmentFormat::JudgeBench
            | JudgmentFormat::AutoJPairs
            | JudgmentFormat::AutoJVerdicts => Err(row.unnamed_systems(reading.kind)),
        }
    }

    /// Returns the sort of a record. Our own judgments may be of either: one of a single response
    /// has no second system.
    fn expect_sort(&mut self, kind: JudgmentFormat, row: JudgmentRow<'_>) -> Result {
        self.builder.expect_sort(RecordSort {
            sort: self.sort_of(kind, row),
            place: row.place,
            kind,
        })
    }

    /// Returns the sort of a record.
    fn sort_of(&self, kind: JudgmentFormat, row: JudgmentRow<'_>) -> VerdictSort {
        if self.is_score(kind, row) {
            VerdictSort::Score
        } else {
            VerdictSort::Comparison
        }
    }

    fn is_score(&self, kind: JudgmentFormat, row: JudgmentRow<'_>) -> bool {
        match kind {
            JudgmentFormat::MtBenchScores | JudgmentFormat::Scores => true,
            JudgmentFormat::ScorePairs => self.options.scored,
            // Our own judgments may be of either sort: one of a single response has no second
            // system.
            JudgmentFormat::Judgments => row.find("second").is_none_or(Value::is_null),
            _ => false,
        }
    }
}
