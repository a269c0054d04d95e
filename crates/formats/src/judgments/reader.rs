//! Files of judgments one by one, put together.

use super::builder::{Builder, VerdictSort};
use super::judgment_format::recognise_judgments;
use super::judgment_row::JudgmentRow;
use super::pandalm::PandaLm;
use super::verdicts::{RecordedJudgments, SourceFile};
use super::{
    Error, JudgmentFormat, Options, alpaca_eval, arena_hard, battles, evenhand_files, find_format,
    mt_bench, score_pairs, scores,
};
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
    let is_readable = kind != JudgmentFormat::Scores || scores::has_columns(&first, options);
    is_readable.then_some(kind)
}

/// Reads files, each under its name, one after the other.
///
/// # Errors
/// No file; those of [`JudgmentReader::add_file`].
pub fn read_judgments<N: AsRef<str>, F: BufRead>(
    files: impl IntoIterator<Item = (N, F)>,
    options: &Options,
) -> Result<RecordedJudgments, Error> {
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
    signs: Signs,
    signs_at: Option<Place>,
}

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
            signs: Signs::default(),
            signs_at: None,
        }
    }

    /// Reads a file, plain or gzip, under this name. After an error the reader cannot be used any
    /// more.
    ///
    /// # Errors
    /// A file that cannot be read or is empty; a format that is not known or cannot be ranked; a
    /// record without the fields of its format, or with other values in them; comparisons after
    /// scores, or scores after comparisons.
    pub fn add_file(&mut self, file: impl BufRead, name: &str) -> Result<JudgmentFormat, Error> {
        let mut values = Values::open(Box::new(file), &Input::new(name))?;
        let first = values.first()?;
        let reading = self.start_file(name, &first)?;
        let mut records = 0;
        values.for_each_from(first, |record, place, position| {
            records += 1;
            let row = JudgmentRow {
                record: &record,
                place,
            };
            self.add_record(&reading, row, position)
        })?;
        self.builder.recorded.sources.push(SourceFile {
            name: name.to_owned(),
            kind: reading.kind,
            records,
        });
        Ok(reading.kind)
    }

    /// Finds out what a file with this first record is.
    fn start_file(
        &mut self,
        name: &str,
        (first, place): &(Value, Place),
    ) -> Result<FileReading, Error> {
        let kind = self.find_ranked_format(first, place)?;
        let filter = &self.options.filter;
        self.found
            .add_file(filter, kind.name().to_owned(), name, first);
        Ok(FileReading {
            kind,
            has_items: scores::has_items(first, self.options),
            filter: self.found.filter_of_last(filter),
        })
    }

    fn find_ranked_format(&self, first: &Value, place: &Place) -> Result<JudgmentFormat, Error> {
        let kind = find_format(first, place, self.options)?;
        if kind.has_no_systems() {
            return Err(Error::NoSystems {
                place: place.clone(),
                kind,
            });
        }
        Ok(kind)
    }

    fn add_record(
        &mut self,
        reading: &FileReading,
        row: JudgmentRow<'_>,
        position: u64,
    ) -> Result<(), Error> {
        if reading.filter.keeps(row.record, position) {
            self.read_record(reading, row, position)?;
            self.found.count_kept(u64::from(!reading.filter.is_empty()));
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
    pub fn finish(mut self) -> Result<RecordedJudgments, Error> {
        if self.builder.recorded.sources.is_empty() {
            return Err(Error::NoFiles);
        }
        self.found.check(&self.options.filter)?;
        if let Some(place) = self.signs_at.filter(|_| self.signs.are_unclear()) {
            return Err(Error::Signs { place });
        }
        self.pandalm.finish(&mut self.builder);
        Ok(self.builder.recorded)
    }

    fn read_record(
        &mut self,
        reading: &FileReading,
        row: JudgmentRow<'_>,
        position: u64,
    ) -> Result<(), Error> {
        let (kind, options) = (reading.kind, self.options);
        let sort = self.sort_of(kind, row);
        self.builder.expect_sort(sort, row.place, kind)?;
        let builder = &mut self.builder;
        match kind {
            JudgmentFormat::Judgments => evenhand_files::read_judgment(row, builder),
            JudgmentFormat::Labels => {
                evenhand_files::read_label(row, position, &options.outcomes, builder)
            }
            JudgmentFormat::AlpacaEval => alpaca_eval::read_annotation(row, builder),
            JudgmentFormat::AlpacaEvalPreferences => alpaca_eval::read_preference(row, builder),
            JudgmentFormat::ArenaHard => arena_hard::read_games(row, options, builder),
            JudgmentFormat::MtBenchPairs => mt_bench::read_pair(row, options.both_games, builder),
            JudgmentFormat::MtBenchScores => mt_bench::read_single(row, builder),
            JudgmentFormat::PandaLmPairs => self.pandalm.read_pair(row, position, builder),
            JudgmentFormat::PandaLmVerdicts => self.pandalm.read_verdict(row, builder),
            JudgmentFormat::Scores => {
                scores::read_score(row, options, reading.has_items, position, builder)
            }
            JudgmentFormat::ScorePairs => score_pairs::read_review(row, options.scored, builder),
            JudgmentFormat::Battles => self.read_battle(row),
            JudgmentFormat::LlmBar
            | JudgmentFormat::JudgeBench
            | JudgmentFormat::AutoJPairs
            | JudgmentFormat::AutoJVerdicts => Err(Error::NoSystems {
                place: row.place.clone(),
                kind,
            }),
        }
    }

    fn read_battle(&mut self, row: JudgmentRow<'_>) -> Result<(), Error> {
        let sign = battles::read_battle(row, self.options, &mut self.builder)?;
        if let Some(outcome) = sign {
            self.signs.add(outcome);
            self.signs_at.get_or_insert_with(|| row.place.clone());
        }
        Ok(())
    }

    /// Returns the sort of a record. Our own judgments may be of either: one of a single response
    /// has no second system.
    fn sort_of(&self, kind: JudgmentFormat, row: JudgmentRow<'_>) -> VerdictSort {
        let is_score = match kind {
            JudgmentFormat::MtBenchScores | JudgmentFormat::Scores => true,
            JudgmentFormat::ScorePairs => self.options.scored,
            JudgmentFormat::Judgments => row.find("second").is_none_or(Value::is_null),
            _ => false,
        };
        if is_score {
            VerdictSort::Score
        } else {
            VerdictSort::Comparison
        }
    }
}
