//! The records of a file, one by one, as records of ours.

use super::extract::RecordKind;
use super::fields::Fields;
use super::input::Input;
use super::known_formats::Format;
use super::labels::ZeroLabels;
use super::map::{Mapping, Target};
use super::record::Record;
use super::turn_choice::{ConversationPart, TurnChoice};
use crate::error::{DataError, Place, Result, describe_further_responses};
use crate::source::values::Placed;
use serde_json::Value;
use std::io::BufRead;
use std::ops::RangeInclusive;

/// The contents of a file: its format and how many records of which kind it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContents {
    /// Its format; `None` for a mapping of the user's.
    pub format: Option<Format>,
    /// The kind of its records.
    pub kind: RecordKind,
    /// How many records were read: all in [`read_records`], one in
    /// [`inspect_file`].
    pub records: u64,
    /// How many of them are kept: those that the filter keeps, but for votes on turns that are not
    /// read and conversations that end before them.
    pub kept: u64,
    /// How many are votes on turns that are not read.
    pub passed_over: u64,
    /// How many conversations end before the turn that is read.
    pub too_short: u64,
    /// How many conversations have later turns than the one that is read, where nobody chose it.
    pub cut_short: u64,
    /// What is not shown of trajectories.
    pub unshown: Unshown,
    /// How many halves of characters (lone surrogates) are read as U+FFFD.
    pub lone_surrogates: u64,
    /// What is wrong with each of the records that are left out because they cannot be read.
    pub skipped: Vec<DataError>,
    /// What to say of fields that look like further responses than the two of a pair, where the
    /// format has no place for them; of the first record with such fields.
    pub further_responses: Option<String>,
}

/// What is not shown of the trajectories of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unshown {
    /// How many trajectories are longer than their budget.
    pub cut: u64,
    /// How many tokens are left out of them.
    pub tokens: u64,
    /// How many thoughts are left out.
    pub thoughts: u64,
}

/// Takes the records one by one, each with its place; an error ends the reading.
pub type Sink<'a> = dyn FnMut(Record, &Place) -> Result + 'a;

/// Reads a file's records, plain or gzip, and hands them over one by one. One that the filter
/// leaves out, or a vote on a turn that is not read, is handed over as [`Record::LeftOut`]. A
/// conversation of which each turn is read is handed over turn by turn.
///
/// # Errors
/// A file that cannot be read, is empty or has an unknown format; a record without the fields of
/// its kind, or with other values in them; labels of which it is not known what they mean; an error
/// of `sink`, which ends the reading.
pub fn read_records(
    file: impl BufRead,
    input: &Input<'_>,
    sink: &mut Sink<'_>,
) -> Result<FileContents> {
    let (mut values, first) = input.open(file)?;
    let mut reader = RecordReader::new(input, &first, values.is_csv())?;
    reader.contents.skipped =
        values.for_each_good(first, input.skip_bad, |record, place, position| {
            reader.read_value(&record, place, position, sink)
        })?;
    reader.contents.lone_surrogates = values.lone_surrogates();
    let label = reader.mapping.field_label(Target::Label);
    reader.zeros.check(label)?;
    Ok(reader.contents)
}

/// Looks at a file's first record only, and returns what [`read_records`] will find.
///
/// # Errors
/// A file that cannot be read, is empty or has an unknown format.
pub fn inspect_file(file: impl BufRead, input: &Input<'_>) -> Result<FileContents> {
    let (values, first) = input.open(file)?;
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
    let (mut values, (mut record, _)) = input.open(file)?;
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

/// Hands over a file's records one by one as JSON objects with their places, whatever their fields;
/// a cell of CSV is a string, an empty one null. Those that the input's filter leaves out are
/// passed over. Returns how many are left, at least 1.
///
/// # Errors
/// A file that cannot be read, is empty, or holds something else than records; nothing left; an
/// error of `sink`, which ends the reading.
pub fn read_objects<E: From<DataError>>(
    file: impl BufRead,
    input: &Input<'_>,
    mut sink: impl FnMut(Value, &Place) -> Result<(), E>,
) -> Result<u64, E> {
    let (mut values, first) = input.open(file)?;
    let (mut kept, mut last) = (0, first.1.clone());
    values.for_each_from(first, |record, place, position| {
        last = place.clone();
        if input
            .filter
            .is_none_or(|filter| filter.keeps(&record, position))
        {
            sink(record, place)?;
            kept += 1;
        }
        Ok::<(), E>(())
    })?;
    match input.filter.filter(|_| kept == 0) {
        Some(filter) => Err(filter.nothing_left().at(&last).into()),
        None => Ok(kept),
    }
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
    fn new(input: &'i Input<'i>, (first, place): &Placed, tabular: bool) -> Result<Self> {
        let (format, mapping) = input.find_mapping(first, tabular, place)?;
        let mut reader = RecordReader {
            input,
            mapping,
            tabular,
            zeros: ZeroLabels::default(),
            contents: FileContents {
                format,
                // Not known yet.
                kind: RecordKind::Items,
                records: 0,
                kept: 0,
                passed_over: 0,
                too_short: 0,
                cut_short: 0,
                unshown: Unshown::default(),
                lone_surrogates: 0,
                skipped: Vec::new(),
                further_responses: None,
            },
        };
        let part = input.turn.only_part();
        reader.contents.kind = reader.fields(first, place, 0, part).record_kind()?;
        Ok(reader)
    }

    fn fields<'r>(
        &'r self,
        record: &'r Value,
        place: &'r Place,
        position: u64,
        part: ConversationPart,
    ) -> Fields<'r> {
        Fields {
            record,
            position,
            place,
            mapping: &self.mapping,
            input: self.input,
            tabular: self.tabular,
            part,
        }
    }

    /// Hands over the records of a value: one, or one for each of its turns.
    fn read_value(
        &mut self,
        value: &Value,
        place: &Place,
        position: u64,
        sink: &mut Sink<'_>,
    ) -> Result {
        let found = self.find_turns(value, place, position);
        let filter = self.input.filter;
        let is_kept = !found.passed_over
            && !found.too_short
            && filter.is_none_or(|filter| filter.keeps(value, position));
        self.contents.records += 1;
        self.contents.kept += u64::from(is_kept);
        self.contents.passed_over += u64::from(found.passed_over);
        self.contents.too_short += u64::from(found.too_short);
        self.contents.cut_short += u64::from(found.cut_short);
        for number in found.numbers {
            let part = self.input.turn.part(number);
            let fields = self.fields(value, place, position, part);
            let record = fields.read_record(self.contents.kind)?;
            if !is_kept {
                // A vote on another turn has its item's id, and another conversation than the votes
                // that are read: it says nothing of that item.
                if !(found.passed_over && self.contents.kind == RecordKind::Pairs) {
                    sink(Record::LeftOut(Box::new(record)), place)?;
                }
                continue;
            }
            let unshown = &mut self.contents.unshown;
            for answer in record.answers() {
                let trajectory = answer.trajectory.as_ref();
                if let Some(gap) = trajectory.and_then(|trajectory| trajectory.left_out) {
                    unshown.cut += 1;
                    unshown.tokens += gap.tokens;
                }
                unshown.thoughts += u64::from(answer.hidden_thoughts);
            }
            sink(record, place)?;
        }
        let is_pair = self.contents.kind == RecordKind::Pairs && self.contents.format.is_some();
        if is_pair && is_kept && self.contents.further_responses.is_none() {
            let further = self.mapping.further_responses(value);
            let name = |target| self.mapping.found_name(target, value);
            let pair = [name(Target::Output1), name(Target::Output2)];
            let pair = pair.each_ref().map(String::as_str);
            let said = describe_further_responses(&name(Target::Instruction), pair, &further);
            self.contents.further_responses = (!further.is_empty()).then_some(said);
        }
        let part = self.input.turn.only_part();
        let label = self
            .fields(value, place, position, part)
            .unexplained_label();
        if let Some(label) = label {
            self.zeros.add_label(&label, place);
        }
        Ok(())
    }

    /// Returns which turns of a value are read.
    fn find_turns(&self, value: &Value, place: &Place, position: u64) -> TurnsRead {
        let choice = self.input.turn;
        let kind = self.contents.kind;
        let is_foreign_vote = self.contents.format == Some(Format::Votes);
        if is_foreign_vote || kind == RecordKind::Labels && choice != TurnChoice::First {
            let turn = match value.get("turn").filter(|turn| !turn.is_null()) {
                // In our own files a vote without a turn names its item in full.
                None if !is_foreign_vote => return TurnsRead::one(0),
                None => 1,
                // What is no number is no turn that is read.
                Some(turn) => turn_number(turn).unwrap_or(u32::MAX),
            };
            return TurnsRead {
                passed_over: !choice.takes_votes_on(turn),
                ..TurnsRead::one(turn)
            };
        }
        let fields = self.fields(value, place, position, choice.only_part());
        let turns = match kind {
            RecordKind::Items | RecordKind::Pairs => fields.count_turns(Target::Instruction),
            RecordKind::Responses => fields.count_turns(Target::Output),
            RecordKind::Labels | RecordKind::Ratings => 1,
        };
        match choice {
            TurnChoice::First => TurnsRead {
                cut_short: turns > 1,
                ..TurnsRead::one(1)
            },
            TurnChoice::Whole => TurnsRead::one(1),
            TurnChoice::Each => TurnsRead {
                numbers: 1..=turns.max(1),
                ..TurnsRead::one(1)
            },
            TurnChoice::Number(number) => TurnsRead {
                too_short: turns < number,
                ..TurnsRead::one(number)
            },
        }
    }
}

/// The turns of a record that are read.
struct TurnsRead {
    /// From 1; 0 alone for a record that names its item in full.
    numbers: RangeInclusive<u32>,
    /// Whether the record is a vote on a turn that is not read.
    passed_over: bool,
    /// Whether the conversation ends before the turn that is read.
    too_short: bool,
    /// Whether there are later turns, where nobody chose which are read.
    cut_short: bool,
}

impl TurnsRead {
    fn one(turn: u32) -> Self {
        TurnsRead {
            numbers: turn..=turn,
            passed_over: false,
            too_short: false,
            cut_short: false,
        }
    }
}

/// Reads the number of a turn, which may be written as a text.
fn turn_number(turn: &Value) -> Option<u32> {
    match turn {
        Value::String(text) => text.parse().ok(),
        number => u32::try_from(number.as_u64()?).ok(),
    }
}
