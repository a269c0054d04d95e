//! A row group to counts, without looking at its rows one by one more than once.

use super::ParquetFile;
use super::coded_pages::lock_names;
use super::column_values::ColumnValues;
use super::row_group::BATCH;
use crate::battles::chunk::{Cell, Chunk};
use crate::battles::plan::Plan;
use ::parquet::file::reader::FileReader;

/// The most cells of the table that rows are counted in: 16 MB.
const MOST_CELLS: usize = 1 << 21;

/// Counts the rows of a row group by their two systems and the word for their outcome. False where
/// anything is not as it should be, or there are too many different words: then nothing of the
/// chunk is to be used.
pub(super) fn count_group(
    file: &ParquetFile,
    group: usize,
    plan: &Plan,
    chunk: &mut Chunk,
) -> bool {
    count_cells(file, group, plan, chunk).is_some()
}

// Deep: all rows pass here, and a name is numbered in the loop that meets it first.
fn count_cells(file: &ParquetFile, group: usize, plan: &Plan, chunk: &mut Chunk) -> Option<()> {
    let group = file.get_row_group(group).ok()?;
    let open = |field: usize| ColumnValues::open(&*group, plan.fields.get(field)?).ok();
    let mut columns = [open(0)?, open(1)?, open(2)?];
    let mut counts = CellCounts::default();
    // The chunk's number of each name of the two columns of systems, once a row has it.
    let mut numbers: [Vec<Option<u16>>; 2] = Default::default();
    let rows = usize::try_from(group.metadata().num_rows()).ok()?;
    let mut done = 0;
    while done < rows {
        let batch = BATCH.min(rows - done);
        let mut names = [0; 3];
        for (column, names) in columns.iter_mut().zip(&mut names) {
            let before_null = column.fill(batch, true).ok()?;
            *names = lock_names(&column.names).ok()?.len();
            if before_null < batch || column.ids.len() < batch {
                return None;
            }
        }
        counts.make_room(names)?;
        let [a, b, word] = &columns;
        // Systems are numbered by first appearance, the first of a row before the second. Most
        // names of a dictionary are met in its first rows.
        for (numbers, names) in numbers.iter_mut().zip(names) {
            numbers.resize(names, None);
        }
        if numbers.iter().flatten().any(Option::is_none) {
            for (&a_id, &b_id) in a.ids.iter().zip(&b.ids) {
                for (field, (column, id)) in [(a, a_id), (b, b_id)].into_iter().enumerate() {
                    let number = numbers[field].get_mut(id as usize)?;
                    if number.is_none() {
                        let names = lock_names(&column.names).ok()?;
                        let found = chunk.system_number(plan, field, names.get(id as usize));
                        *number = Some(found.ok()? as u16);
                    }
                }
            }
        }
        counts.add_rows(&a.ids, &b.ids, &word.ids)?;
        done += batch;
    }
    chunk.met = rows as u64;
    let words = lock_names(&columns[2].names).ok()?;
    for (ids, rows) in counts.met() {
        let [a, b] = [0, 1].map(|field| numbers[field].get(ids[field]).copied().flatten());
        let (a, b) = (a?, b?);
        if a == b {
            return None;
        }
        let word = words.get(ids[2]);
        let outcome = match plan.fixed_outcome(word) {
            Some(outcome) => outcome,
            // A word may be the name of a system.
            None => chunk.read_outcome(plan, 2, word, [a, b]).ok()?,
        };
        let same = |cell: &&mut Cell| (cell.a, cell.b, cell.outcome) == (a, b, outcome);
        match chunk.cells.last_mut().filter(same) {
            Some(cell) => cell.rows += rows,
            None => chunk.cells.push(Cell {
                a,
                b,
                outcome,
                rows,
            }),
        }
    }
    Some(())
}

/// How many rows have the first system, the second and the word of these numbers: at
/// `((a << bits[1]) | b) << bits[2] | word`.
#[derive(Default)]
struct CellCounts {
    cells: Vec<u64>,
    /// How many bits the numbers of each take; those of the first are the length's.
    bits: [u32; 3],
}

impl CellCounts {
    /// Makes room for so many different names; None where that is too much.
    fn make_room(&mut self, names: [usize; 3]) -> Option<()> {
        let bits = names.map(|names| names.max(2).next_power_of_two().trailing_zeros());
        if !self.cells.is_empty() && bits == self.bits {
            return Some(());
        }
        let all: u32 = bits.iter().sum();
        let cells = 1_usize
            .checked_shl(all)
            .filter(|cells| *cells <= MOST_CELLS)?;
        let before = std::mem::replace(
            self,
            CellCounts {
                cells: vec![0; cells],
                bits,
            },
        );
        for (ids, rows) in before.met() {
            let at = self.place(ids);
            *self.cells.get_mut(at)? = rows;
        }
        Some(())
    }

    fn place(&self, [a, b, word]: [usize; 3]) -> usize {
        (((a << self.bits[1]) | b) << self.bits[2]) | word
    }

    /// Adds rows; None where a number is beyond what there is room for.
    fn add_rows(&mut self, a: &[u32], b: &[u32], word: &[u32]) -> Option<()> {
        let [_, b_bits, word_bits] = self.bits;
        for ((&a, &b), &word) in a.iter().zip(b).zip(word) {
            let pair = ((a as usize) << b_bits) | b as usize;
            *self.cells.get_mut((pair << word_bits) | word as usize)? += 1;
        }
        Some(())
    }

    /// The cells with rows: their numbers, and how many rows.
    fn met(&self) -> impl Iterator<Item = ([usize; 3], u64)> {
        let [_, b, word] = self.bits;
        let met = self.cells.iter().enumerate().filter(|(_, rows)| **rows > 0);
        met.map(move |(at, rows)| {
            let pair = at >> word;
            (
                [pair >> b, pair & ((1 << b) - 1), at & ((1 << word) - 1)],
                *rows,
            )
        })
    }
}
