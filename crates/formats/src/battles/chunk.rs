//! The rows of one piece of a file, under numbers of their own. A chunk depends on the bytes of its
//! piece alone.

use super::error::{BattleProblem, Fault, Result};
use super::intern::Interner;
use super::outcomes::{Outcome, Signs, Spelled};
use super::plan::{Field, MAX_SYSTEMS, Part, Plan};
use crate::count_covariates;
use std::borrow::Cow;
use std::ops::Range;

/// The rows of a piece, by columns. Systems and clusters are numbered within the chunk, by first
/// appearance.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) a: Vec<u16>,
    pub(super) b: Vec<u16>,
    /// Empty for a file of counts.
    pub(super) outcome: Vec<Outcome>,
    /// Empty where no cluster is read.
    pub(super) cluster: Vec<u32>,
    /// One for each field that is a number, and one for each count of each text, in the order of
    /// the fields.
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) systems: Interner,
    pub(super) clusters: Interner,
    /// The signs among the outcomes.
    pub(super) signs: Signs,
    /// How many rows were met, those that a filter leaves out included.
    pub(super) met: u64,
    /// How many of them are left out because the word for their outcome says so.
    pub(super) dropped: u64,
    /// What is wrong with rows that cannot be read; none of their cells is kept.
    pub(super) bad: Vec<Fault>,
}

impl Chunk {
    /// Makes it empty, for a file of this plan.
    pub(super) fn clear(&mut self, plan: &Plan) {
        self.a.clear();
        self.b.clear();
        self.outcome.clear();
        self.cluster.clear();
        self.clear_numbers(plan.count_numbers());
        self.systems.clear();
        self.clusters.clear();
        (self.signs, self.met, self.dropped) = (Signs::default(), 0, 0);
        self.bad.clear();
    }

    /// Notes what is wrong with a row, and takes back what was kept of it: its pair is kept last.
    /// False where there are bad rows enough.
    #[cold]
    pub(super) fn note_bad(&mut self, fault: Fault, most: u64) -> bool {
        let rows = self.a.len();
        self.outcome.truncate(rows);
        self.cluster.truncate(rows);
        for column in &mut self.numbers {
            column.truncate(rows);
        }
        self.bad.push(fault);
        (self.bad.len() as u64) < most
    }

    /// Leaves so many empty columns of numbers, with the memory that they have.
    fn clear_numbers(&mut self, columns: usize) {
        for column in &mut self.numbers {
            column.clear();
        }
        self.numbers.resize_with(columns, Vec::new);
    }

    /// Adds one row: the cell of each field is a range of the text.
    #[inline]
    pub(super) fn push_row(&mut self, plan: &Plan, text: &[u8], cells: &[Range<usize>]) -> Result {
        if !plan.filter.is_empty() && !passes_filter(plan, text, cells) {
            return Ok(());
        }
        // Before its systems are known: a row that is left out ranks nobody.
        let cell = |number: usize| {
            let range = cells.get(number).cloned().unwrap_or_default();
            text.get(range).unwrap_or_default().to_vec()
        };
        if plan.drops_row(cell)? {
            self.dropped += 1;
            return Ok(());
        }
        let mut row = RowState::default();
        for (at, (field, range)) in plan.fields.iter().zip(cells).enumerate() {
            let cell = text.get(range.clone()).unwrap_or_default();
            self.push_cell(plan, (at, field), cell, &mut row)?;
        }
        self.push_marked(plan, cell)?;
        self.push_pair(row.systems)
    }

    /// Adds the outcome whose mark is 1, where the file has a column for each.
    pub(super) fn push_marked(&mut self, plan: &Plan, cell: impl Fn(usize) -> Vec<u8>) -> Result {
        if !plan.marks.is_empty() {
            let found = plan.marked(cell)?;
            self.outcome.push(found.ok_or_else(|| plan.no_mark())?);
        }
        Ok(())
    }

    #[inline]
    fn push_cell(
        &mut self,
        plan: &Plan,
        (at, field): (usize, &Field),
        cell: &[u8],
        row: &mut RowState,
    ) -> Result {
        match field.part {
            // The two systems are the first fields of every plan.
            Part::System => row.systems[at & 1] = self.system_number(plan, at, cell)?,
            Part::Winner => {
                let outcome = match plan.fixed_outcome(cell) {
                    Some(outcome) => outcome,
                    None => self.read_outcome(plan, at, cell, row.systems)?,
                };
                self.outcome.push(outcome);
            }
            Part::Cluster => {
                let number = self.cluster_number(plan, at, cell)?;
                self.cluster.push(number);
            }
            Part::Weight | Part::Covariate | Part::Count => {
                let value = read_number(field.part, &field.name, cell)?;
                self.push_number(row.next_numbers(1), value);
            }
            Part::Text => {
                self.push_text_counts(row.next_numbers(plan.counted.len()), plan, at, cell)?;
            }
            Part::Filter | Part::Mark => {}
        }
        Ok(())
    }

    /// Adds the systems of a row, which must differ.
    #[inline]
    pub(super) fn push_pair(&mut self, [a, b]: [u16; 2]) -> Result {
        if a == b {
            return Err(self.self_comparison(a));
        }
        self.a.push(a);
        self.b.push(b);
        Ok(())
    }

    #[cold]
    fn self_comparison(&self, system: u16) -> BattleProblem {
        BattleProblem::Itself {
            system: self.system_name(system).into_owned(),
        }
    }

    fn system_name(&self, system: u16) -> Cow<'_, str> {
        String::from_utf8_lossy(self.systems.get(system.into()))
    }

    /// Adds a value to a column of numbers.
    #[inline]
    pub(super) fn push_number(&mut self, number: usize, value: f64) {
        if let Some(column) = self.numbers.get_mut(number) {
            column.push(value);
        }
    }

    /// Adds the counts of a text to their columns of numbers, of which this is the first.
    pub(super) fn push_text_counts(
        &mut self,
        first: usize,
        plan: &Plan,
        field: usize,
        text: &[u8],
    ) -> Result {
        let text = std::str::from_utf8(text).map_err(|error| BattleProblem::Utf8 {
            field: plan.field_name(field),
            lossy: text_around(text, error.valid_up_to()),
        })?;
        for (number, count) in (first..).zip(count_covariates(text, &plan.counted)) {
            self.push_number(number, count);
        }
        Ok(())
    }

    /// Returns the number of a system's name, which is checked when it is new.
    #[inline]
    pub(super) fn system_number(&mut self, plan: &Plan, field: usize, name: &[u8]) -> Result<u16> {
        let (number, is_new) = self.systems.intern(name);
        if is_new {
            self.check_system(plan, field, name)?;
        }
        Ok(number as u16)
    }

    fn check_system(&self, plan: &Plan, field: usize, name: &[u8]) -> Result {
        check_text(plan, field, name)?;
        if self.systems.len() > MAX_SYSTEMS {
            return Err(plan.too_many_systems(field));
        }
        Ok(())
    }

    /// Returns the outcome that a cell spells in a row of these systems.
    pub(super) fn read_outcome(
        &mut self,
        plan: &Plan,
        field: usize,
        cell: &[u8],
        [a, b]: [u16; 2],
    ) -> Result<Outcome> {
        let word = String::from_utf8_lossy(cell);
        let systems = (self.system_name(a), self.system_name(b));
        let spelled = plan.outcomes.read_word(&word, [&systems.0, &systems.1]);
        if let Spelled::Sign(outcome) = spelled {
            self.signs.add(outcome);
        }
        spelled.outcome(|| plan.field_name(field), &word)
    }

    /// Returns the number of a cluster's value, which is checked when it is new.
    #[inline]
    pub(super) fn cluster_number(
        &mut self,
        plan: &Plan,
        field: usize,
        value: &[u8],
    ) -> Result<u32> {
        let (number, is_new) = self.clusters.intern(value);
        if is_new {
            check_text(plan, field, value)?;
        }
        Ok(number)
    }
}

/// The columns of numbers that a row has filled, and its systems.
#[derive(Default)]
struct RowState {
    systems: [u16; 2],
    numbers: usize,
}

impl RowState {
    /// Returns the next column of numbers, and passes so many.
    fn next_numbers(&mut self, count: usize) -> usize {
        self.numbers += count;
        self.numbers - count
    }
}

/// Whether the cells of a row have the values that the filter asks for.
fn passes_filter(plan: &Plan, text: &[u8], cells: &[Range<usize>]) -> bool {
    let fields = plan.fields.iter().zip(cells);
    let asked = fields.filter(|(field, _)| field.part == Part::Filter);
    let mut conditions = asked.zip(plan.filter.conditions());
    conditions.all(|((_, cell), condition)| {
        let cell = text.get(cell.clone()).unwrap_or_default();
        condition.accepts(&String::from_utf8_lossy(cell))
    })
}

/// Returns a few characters before and after this byte of a text that may be long.
fn text_around(text: &[u8], byte: usize) -> String {
    let part = text
        .get(byte.saturating_sub(20)..text.len().min(byte + 20))
        .unwrap_or_default();
    String::from_utf8_lossy(part).into_owned()
}

fn check_text(plan: &Plan, field: usize, text: &[u8]) -> Result {
    match std::str::from_utf8(text) {
        Err(_) => Err(BattleProblem::not_utf8(plan.field_name(field), text)),
        Ok("") => Err(empty_cell(plan.fields.get(field))),
        Ok(_) => Ok(()),
    }
}

fn empty_cell(field: Option<&Field>) -> BattleProblem {
    BattleProblem::EmptyCell {
        field: field.map_or_else(String::new, |field| field.name.clone()),
        expected: field.map_or("a value", |field| field.part.expected()),
    }
}

/// Reads the number in a cell, within what its part allows.
pub(super) fn read_number(part: Part, field: &str, cell: &[u8]) -> Result<f64> {
    // Most weights are this one.
    if cell == b"1" {
        return Ok(1.0);
    }
    let text = String::from_utf8_lossy(cell);
    let value = text.parse().ok();
    value
        .and_then(|value| allow_number(part, value))
        .ok_or_else(|| number_problem(part, field, &text))
}

fn number_problem(part: Part, field: &str, text: &str) -> BattleProblem {
    let (field, expected) = (field.to_owned(), part.expected());
    if text.is_empty() {
        return BattleProblem::EmptyCell { field, expected };
    }
    BattleProblem::Number {
        field,
        found: text.to_owned(),
        expected,
    }
}

/// Returns the value, if its part allows it.
pub(super) fn allow_number(part: Part, value: f64) -> Option<f64> {
    // Adding 0 makes a zero of -0.
    (value.is_finite() && (part == Part::Covariate || value >= 0.0)).then_some(value + 0.0)
}
