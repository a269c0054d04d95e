//! The judgments of a run in memory, and their rows.
//!
//! A row is what is shown in one line: both orders of a pair on one item and replicate, a single
//! response with its score, or a list. [`RunIndex`] keeps judgments as columns, about 80 bytes
//! each, and derives what a row says of them when it is asked.

mod columns;
mod counts;
mod entry;
mod people;
mod row;
mod rows;

pub(crate) use counts::RunSums;
pub use counts::{Counts, MatrixCell, PeopleCounts, RowSums};
pub use entry::{EntryOutcome, JudgmentEntry, LookFlags};
pub use people::PersonLabel;
pub(crate) use row::Cells;
pub use row::{RowFacts, side_name};

pub(crate) use columns::{Columns, NONE};

use crate::names::Names;
use people::PeopleLabels;
use rows::RowTable;

/// The judgments of a run as columns, with their rows.
#[derive(Clone, Debug, Default)]
pub struct RunIndex {
    pub(crate) columns: Columns,
    pub(crate) rows: RowTable,
    items: Names,
    systems: Names,
    categories: Names,
    /// The category of each item; [`NONE`] where it has none.
    category_of: Vec<u32>,
    people: PeopleLabels,
}

impl RunIndex {
    /// Makes room for this many more judgments.
    pub fn reserve(&mut self, judgments: usize) {
        self.columns.reserve(judgments);
        self.rows.reserve(judgments / 2 + 1);
    }

    /// Adds a judgment. Judgments are added in the order of their trials.
    pub fn add(&mut self, entry: &JudgmentEntry<'_>) {
        let item = self.number_item(entry.item, entry.category);
        let number = self.columns.push(entry, item, &mut self.systems);
        self.rows.add(number, &self.columns);
    }

    /// Gives a system its number before it is shown: systems that are known earlier stand earlier.
    pub fn know_system(&mut self, system: &str) {
        self.systems.intern(system);
    }

    /// Gives an item its number, and its category, before it is judged.
    pub fn know_item(&mut self, id: &str, category: Option<&str>) {
        self.number_item(id, category);
    }

    fn number_item(&mut self, id: &str, category: Option<&str>) -> u32 {
        let item = self.items.intern(id);
        if item as usize == self.category_of.len() {
            let category = category.map_or(NONE, |name| self.categories.intern(name));
            self.category_of.push(category);
        }
        item
    }

    /// Sets the tokens and the cost in USD of a judgment's calls.
    pub fn set_usage(&mut self, judgment: u32, tokens: u64, cost: Option<f64>) {
        self.columns.set_usage(judgment, tokens, cost);
    }

    /// Returns how many judgments there are.
    pub fn judgments(&self) -> usize {
        self.columns.len()
    }

    /// Returns how many items have a judgment.
    pub fn judged_items(&self) -> usize {
        let mut judged = vec![false; self.items.len()];
        for item in &self.columns.item {
            judged[*item as usize] = true;
        }
        judged.into_iter().filter(|is_judged| *is_judged).count()
    }

    /// Returns how many judgments have no verdict.
    pub fn failures(&self) -> usize {
        let all = 0..self.judgments() as u32;
        all.filter(|at| self.columns.failure(*at).is_some()).count()
    }

    /// Returns how many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the highest trial; None where there is no judgment.
    pub fn last_trial(&self) -> Option<u64> {
        self.columns
            .trial
            .iter()
            .max()
            .map(|trial| u64::from(*trial))
    }

    /// Returns the lowest trial; None where there is no judgment.
    pub fn first_trial(&self) -> Option<u64> {
        let lowest = self.columns.trial.iter().min();
        lowest.map(|trial| u64::from(*trial))
    }

    /// Finds the judgment of a trial.
    pub fn find_trial(&self, trial: u64) -> Option<u32> {
        let trial = u32::try_from(trial).ok()?;
        let trials = &self.columns.trial;
        let found = match trials.binary_search(&trial) {
            Ok(found) => Some(found),
            // Only where trials were not added in order.
            Err(_) => trials.iter().position(|other| *other == trial),
        };
        found.map(|found| found as u32)
    }

    /// Returns the row that a judgment belongs to.
    pub fn row_of(&self, judgment: u32) -> Option<u32> {
        self.rows.find(judgment, &self.columns)
    }

    /// Finds the row of two systems on an item, whichever is named first.
    pub fn find_pair(&self, item: u32, [a, b]: [u32; 2], replicate: u32) -> Option<u32> {
        let systems = [a.min(b), a.max(b)];
        self.rows.find_pair(item, systems, replicate, &self.columns)
    }

    /// Returns the item of a row, and its two systems by ascending number; None where it is no
    /// pair.
    pub fn pair_of(&self, row: u32) -> Option<(u32, [u32; 2])> {
        let judgment = self.judgments_of(row).into_iter().flatten().next()?;
        let (at, columns) = (judgment as usize, &self.columns);
        let [first, second] = [*columns.first.get(at)?, *columns.second.get(at)?];
        let is_pair = second != NONE && columns.list(judgment).is_none();
        is_pair.then(|| (columns.item[at], [first.min(second), first.max(second)]))
    }

    /// Returns the judgments of a row: of the first order, and of the second.
    pub fn judgments_of(&self, row: u32) -> [Option<u32>; 2] {
        self.rows.judgments(row)
    }

    /// Returns the probabilities of first, tie and second, where a judgment of a pair has a
    /// verdict.
    pub fn chances_of(&self, judgment: u32) -> Option<[f64; 3]> {
        self.columns.chances(judgment)
    }

    /// Returns the trial of a judgment.
    pub fn trial_of(&self, judgment: u32) -> u64 {
        u64::from(self.columns.trial[judgment as usize])
    }

    /// Returns the names of the systems, in the order in which they were first shown.
    pub fn systems(&self) -> &Names {
        &self.systems
    }

    /// Returns the ids of the items, in the order in which they were first judged.
    pub fn items(&self) -> &Names {
        &self.items
    }

    /// Returns the categories, in the order of the items.
    pub fn categories(&self) -> &Names {
        &self.categories
    }

    /// Returns the category of an item.
    pub fn category_of(&self, item: u32) -> Option<u32> {
        let category = self.category_of.get(item as usize).copied();
        category.filter(|category| *category != NONE)
    }
}
