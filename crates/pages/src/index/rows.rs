//! Which judgments stand in one row.

use super::columns::{Columns, NONE};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The judgments of each row, in the order of their first trials.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowTable {
    /// The judgment that shows the earlier system first, and the one that shows it second.
    cells: Vec<[u32; 2]>,
    /// Rows by what they are of.
    places: HashTable<u32>,
}

/// What a row is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RowKey {
    item: u32,
    a: u32,
    b: u32,
    replicate: u32,
}

impl RowKey {
    fn of(judgment: u32, columns: &Columns) -> RowKey {
        let at = judgment as usize;
        let (first, second) = (columns.first[at], columns.second[at]);
        RowKey {
            item: columns.item[at],
            a: first.min(second),
            b: first.max(second),
            replicate: columns.replicate[at],
        }
    }

    fn hash(self) -> u64 {
        let mut hasher = FxHasher::default();
        Hash::hash(&self, &mut hasher);
        hasher.finish()
    }
}

impl RowTable {
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        self.cells.reserve(rows);
        self.places.reserve(rows, |_| 0);
    }

    /// Puts a judgment into its row, or into a new one: where it has none yet, or its place there
    /// is taken. Lists are rows of their own.
    pub(crate) fn add(&mut self, judgment: u32, columns: &Columns) {
        if columns.list(judgment).is_some() {
            self.cells.push([judgment, NONE]);
            return;
        }
        let at = judgment as usize;
        // The second cell where the later system is shown first.
        let cell = usize::from(columns.first[at] > columns.second[at]);
        let key = RowKey::of(judgment, columns);
        if let Some(row) = self.find_place(key, columns)
            && self.cells[row as usize][cell] == NONE
        {
            self.cells[row as usize][cell] = judgment;
            return;
        }
        let row = self.cells.len() as u32;
        let mut cells = [NONE; 2];
        cells[cell] = judgment;
        self.cells.push(cells);
        let cells = &self.cells;
        let rehash = |row: &u32| RowKey::of(any_judgment(cells[*row as usize]), columns).hash();
        self.places.insert_unique(key.hash(), row, rehash);
    }

    fn find_place(&self, key: RowKey, columns: &Columns) -> Option<u32> {
        let is_same = |row: &u32| {
            let judgment = any_judgment(self.cells[*row as usize]);
            RowKey::of(judgment, columns) == key
        };
        // The latest of equal rows comes last: an earlier one has its places taken.
        let rows = self.places.iter_hash(key.hash()).copied();
        rows.filter(is_same).max()
    }

    /// Finds the row of two systems, the lower number first, on an item.
    pub(crate) fn find_pair(
        &self,
        item: u32,
        [a, b]: [u32; 2],
        replicate: u32,
        columns: &Columns,
    ) -> Option<u32> {
        let key = RowKey {
            item,
            a,
            b,
            replicate,
        };
        self.find_place(key, columns)
    }

    /// Finds the row that holds a judgment.
    pub(crate) fn find(&self, judgment: u32, columns: &Columns) -> Option<u32> {
        let holds = |row: &u32| self.cells[*row as usize].contains(&judgment);
        if columns.list(judgment).is_some() {
            return (0..self.len() as u32).find(holds);
        }
        let key = RowKey::of(judgment, columns);
        let mut rows = self.places.iter_hash(key.hash()).copied();
        rows.find(holds)
    }

    /// Returns the judgments of a row.
    pub(crate) fn judgments(&self, row: u32) -> [Option<u32>; 2] {
        let cells = self.cells.get(row as usize).copied();
        cells
            .unwrap_or([NONE; 2])
            .map(|cell| (cell != NONE).then_some(cell))
    }
}

fn any_judgment([one, other]: [u32; 2]) -> u32 {
    if one == NONE { other } else { one }
}
