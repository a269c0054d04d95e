//! A row group to a chunk.

use super::coded_pages::lock_names;
use super::column_values::ColumnValues;
use super::counted_group::count_group;
use super::{ParquetFile, damaged};
use crate::battles::chunk::{Chunk, RowCells};
use crate::battles::fault::{Fault, Result};
use crate::battles::pieces::push_rows;
use crate::battles::plan::{Field, Part, Plan};
use crate::error::DataProblem;
use crate::filter::Condition;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;
use std::borrow::Cow;

/// How many rows are decoded at a time.
pub(super) const BATCH: usize = 1 << 14;
/// How many, where there are texts, whose bytes are kept until they are counted.
const BATCH_OF_TEXTS: usize = 1 << 8;

/// A number that no text has.
const UNKNOWN: u32 = u32::MAX;

/// Reads a row group, or so many of its rows; a fault says how many of them come before.
pub(super) fn read_group(
    file: &ParquetFile,
    group: usize,
    plan: &Plan,
    most_rows: u64,
    chunk: &mut Chunk,
) -> Result<(), Fault> {
    if plan.counting {
        if count_group(file, group, plan, chunk) {
            return Ok(());
        }
        // Row by row it is seen what is the matter, and where.
        chunk.clear(plan);
    }
    let damaged_file = |error: ParquetError| Fault::of_file(damaged(&error));
    let group = file.get_row_group(group).map_err(damaged_file)?;
    let mut columns = Vec::with_capacity(plan.fields.len());
    for field in &plan.fields {
        columns.push(GroupColumn {
            field,
            values: ColumnValues::open(&*group, field).map_err(damaged_file)?,
            map: Vec::new(),
        });
    }
    let rows = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
    let rows = usize::try_from(rows.min(most_rows)).unwrap_or(0);
    let most = match plan.position(Part::Text) {
        Some(_) => BATCH_OF_TEXTS,
        None => BATCH,
    };
    let mut done = 0;
    while done < rows {
        let batch = most.min(rows - done);
        let (mut end, mut null) = (batch, None);
        for column in &mut columns {
            let before = column.fill(batch).map_err(damaged_file)?;
            if before < end {
                (end, null) = (before, Some(column.field));
            }
        }
        let goes_on = push_rows(&mut columns[..], end, plan, chunk)
            .map_err(|fault| fault.moved_by(done as u64))?;
        // The rows before the first null are whole: their problems come before it.
        if let Some(field) = null.filter(|_| goes_on) {
            return Err(Fault::after((done + end) as u64, field.wrong_type("null")));
        }
        done += batch;
    }
    Ok(())
}

/// A column, and the chunk's number or the outcome of each of its texts.
struct GroupColumn<'a> {
    field: &'a Field,
    values: ColumnValues,
    map: Vec<u32>,
}

impl GroupColumn<'_> {
    /// Decodes the next rows, and returns how many of them come before the first null.
    fn fill(&mut self, rows: usize) -> Result<usize, ParquetError> {
        let mut before = self.values.fill(rows, !self.field.part.is_number())?;
        match self.field.part {
            // Nobody won where a null stands, and what that means is for the outcomes to say.
            Part::Filter | Part::Label | Part::Winner | Part::Mark => {
                before = self.values.fill_nulls(rows);
            }
            // Not every row needs its covariates.
            Part::Covariate | Part::Text => before = self.values.spread_nulls(rows),
            _ => {}
        }
        let names = lock_names(&self.values.names).map_or(0, |names| names.len());
        self.map.resize(names, UNKNOWN);
        Ok(before)
    }

    /// Returns the number of the row's text; `usize::MAX` for a row that was not read.
    fn text_id(&self, row: usize) -> usize {
        let id = self.values.ids.get(row);
        id.map_or(usize::MAX, |&id| id as usize)
    }

    /// Refuses a null.
    #[inline]
    fn check(&self, row: usize) -> Result {
        match self.values.is_null(row) {
            true => Err(self.field.wrong_type("null")),
            false => Ok(()),
        }
    }

    #[cold]
    fn map_new_text(&mut self, id: usize, find: impl FnOnce(&[u8]) -> Result<u32>) -> Result<u32> {
        let failed = |_| DataProblem::Io("another reader has failed".to_owned());
        let names = self.values.names.lock().map_err(failed)?;
        let number = find(names.get(id))?;
        if let Some(known) = self.map.get_mut(id) {
            *known = number;
        }
        Ok(number)
    }
}

impl RowCells for [GroupColumn<'_>] {
    fn text(&self, at: usize, row: usize) -> Result<Cow<'_, [u8]>> {
        // Responses are not numbered.
        if self[at].field.part == Part::Text {
            self[at].check(row)?;
            let text = self[at].values.texts.get(row);
            return Ok(text.map_or(&[][..], |text| text.data()).into());
        }
        Ok(self.text_or_empty(at, row))
    }

    fn text_or_empty(&self, at: usize, row: usize) -> Cow<'_, [u8]> {
        match self[at].values.names.lock() {
            Ok(names) => names.get(self[at].text_id(row)).to_vec().into(),
            Err(_) => Cow::default(),
        }
    }

    #[inline]
    fn number(&self, field: &Field, at: usize, row: usize) -> Result<f64> {
        self[at].check(row)?;
        let number = self[at].values.numbers.get(row);
        let number = number.copied().unwrap_or(f64::NAN);
        let allowed = field.allow_number(number);
        allowed.ok_or_else(|| field.wrong_number(number.to_string()))
    }

    #[inline]
    fn map_text(
        &mut self,
        at: usize,
        row: usize,
        find: impl FnOnce(&[u8]) -> Result<u32>,
    ) -> Result<u32> {
        let id = self[at].text_id(row);
        match self[at].map.get(id) {
            Some(&number) if number != UNKNOWN => Ok(number),
            _ => self[at].map_new_text(id, find),
        }
    }

    fn meets(&mut self, at: usize, row: usize, condition: &Condition) -> Result<bool> {
        let accepts = |text: &[u8]| condition.accepts(&String::from_utf8_lossy(text));
        let met = self.map_text(at, row, |text| Ok(u32::from(accepts(text))))?;
        Ok(met != 0)
    }
}
