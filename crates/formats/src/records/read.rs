//! The records of a file, one by one, as records of ours.

use super::error::{Place, Result};
use super::extract::RecordKind;
use super::fields::Fields;
use super::input::Input;
use super::known_formats::Format;
use super::map::{Mapping, Target};
use super::record::Record;
use super::values::Values;
use super::zeros::ZeroLabels;
use serde_json::Value;
use std::io::BufRead;

/// The contents of a file: its format and how many records of which kind it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileContents {
    /// Its format; `None` for a mapping of the user's.
    pub format: Option<Format>,
    /// The kind of its records.
    pub kind: RecordKind,
    /// How many records were read: all in [`read_records`], one in
    /// [`inspect_file`].
    pub records: u64,
    /// How many of them are kept: those that the filter keeps, but for votes on second turns.
    pub kept: u64,
    /// How many are votes on second turns, which no two systems share.
    pub passed_over: u64,
}

impl FileContents {
    /// Returns the contents of a file of which no record was read; its kind is not known yet.
    fn unread(format: Option<Format>) -> Self {
        FileContents {
            format,
            kind: RecordKind::Items,
            records: 0,
            kept: 0,
            passed_over: 0,
        }
    }
}

/// Takes the records one by one, each with its place; an error ends the reading.
pub type Sink<'a> = dyn FnMut(Record, &Place) -> Result + 'a;

/// Reads a file's records, plain or gzip, and hands them over one by one. One that the filter
/// leaves out, or a vote on a second turn, is handed over as [`Record::LeftOut`].
///
/// # Errors
/// A file that cannot be read, is empty or has an unknown format; a record without the fields of its
/// kind, or with other values in them; labels of which it is not known what they mean; an error of
/// `sink`, which ends the reading.
pub fn read_records(
    file: impl BufRead,
    input: &Input<'_>,
    sink: &mut Sink<'_>,
) -> Result<FileContents> {
    let mut values = Values::open(Box::new(file), input)?;
    let first = values.first()?;
    let mut reader = RecordReader::new(input, &first, values.is_csv())?;
    values.for_each_from(first, |record, place, position| {
        let record = reader.read_record(&record, place, position)?;
        sink(record, place)
    })?;
    reader.finish()
}

/// Looks at a file's first record only, and returns what [`read_records`] will find.
///
/// # Errors
/// A file that cannot be read, is empty or has an unknown format.
pub fn inspect_file(file: impl BufRead, input: &Input<'_>) -> Result<FileContents> {
    let mut values = Values::open(Box::new(file), input)?;
    let first = values.first()?;
    let reader = RecordReader::new(input, &first, values.is_csv())?;
    Ok(FileContents {
        records: 1,
        kept: 1,
        ..reader.contents
    })
}

/// Returns the first of a file's records, as it is, for which `is_wanted` is true of it and its
/// position; `None` where there is no such record.
///
/// # Errors
/// A file that cannot be read or is empty.
pub fn find_record(
    file: impl BufRead,
    input: &Input<'_>,
    mut is_wanted: impl FnMut(&Value, u64) -> bool,
) -> Result<Option<Value>> {
    let mut values = Values::open(Box::new(file), input)?;
    let (mut record, _) = values.first()?;
    for position in 0.. {
        if is_wanted(&record, position) {
            return Ok(Some(record));
        }
        match values.next_value()? {
            Some((next, _)) => record = next,
            None => break,
        }
    }
    Ok(None)
}

/// Makes records of ours of a file's values.
struct RecordReader<'i> {
    input: &'i Input<'i>,
    mapping: Mapping,
    tabular: bool,
    zeros: ZeroLabels,
    contents: FileContents,
}

impl<'i> RecordReader<'i> {
    fn new(input: &'i Input<'i>, (first, place): &(Value, Place), tabular: bool) -> Result<Self> {
        let (format, mapping) = input.find_mapping(first, tabular, place)?;
        let mut reader = RecordReader {
            input,
            mapping,
            tabular,
            zeros: ZeroLabels::default(),
            contents: FileContents::unread(format),
        };
        reader.contents.kind = reader.fields(first, place, 0).record_kind()?;
        Ok(reader)
    }

    fn fields<'r>(&'r self, record: &'r Value, place: &'r Place, position: u64) -> Fields<'r> {
        Fields {
            record,
            position,
            place,
            mapping: &self.mapping,
            default_system: self.input.default_system,
            tabular: self.tabular,
        }
    }

    fn read_record(&mut self, value: &Value, place: &Place, position: u64) -> Result<Record> {
        let fields = self.fields(value, place, position);
        let record = fields.read_record(self.contents.kind)?;
        if let Some(label) = fields.unexplained_label() {
            self.zeros.add_label(&label, place);
        }
        Ok(if self.count_record(value, position) {
            record
        } else {
            Record::LeftOut(Box::new(record))
        })
    }

    /// Counts a record, and returns whether it is kept.
    fn count_record(&mut self, value: &Value, position: u64) -> bool {
        let passed = self.passes_over(value);
        let kept = !passed && self.filter_keeps(value, position);
        self.contents.records += 1;
        self.contents.kept += u64::from(kept);
        self.contents.passed_over += u64::from(passed);
        kept
    }

    fn passes_over(&self, value: &Value) -> bool {
        let format = self.contents.format;
        format.is_some_and(|format| format.passes_over(value))
    }

    fn filter_keeps(&self, value: &Value, position: u64) -> bool {
        let filter = self.input.filter;
        filter.is_none_or(|filter| filter.keeps(value, position))
    }

    /// Checks what only the whole file tells.
    fn finish(self) -> Result<FileContents> {
        self.zeros.check(self.mapping.field_label(Target::Label))?;
        Ok(self.contents)
    }
}
