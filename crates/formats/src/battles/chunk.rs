//! The rows of one piece of a file, under numbers of their own. A chunk depends on the bytes of its
//! piece alone.

use super::fault::{Fault, Result};
use super::intern::Interner;
use super::plan::{Field, MAX_SYSTEMS, Part, Plan};
use crate::count_covariates;
use crate::error::DataProblem;
use crate::filter::Condition;
use crate::outcomes::{BattleOutcome, Signs, Spelled};
use std::borrow::Cow;
use std::ops::Range;

/// The number of a word whose outcome depends on the systems of its row.
const BY_ROW: u32 = 4;

/// The cells of rows, by the number of their field in the plan. Their texts may have numbers, so
/// that each is looked up once.
pub(super) trait RowCells {
    /// Returns a text; it is an error where nothing stands.
    fn text(&self, at: usize, row: usize) -> Result<Cow<'_, [u8]>>;

    /// Returns a text, which is empty for a null.
    fn text_or_empty(&self, at: usize, row: usize) -> Cow<'_, [u8]>;

    /// Returns the number in a cell of this field, within what its part allows.
    fn number(&self, field: &Field, at: usize, row: usize) -> Result<f64>;

    /// Returns what `find` makes of a text; it is called once for each text that has a number.
    fn map_text(
        &mut self,
        at: usize,
        row: usize,
        find: impl FnOnce(&[u8]) -> Result<u32>,
    ) -> Result<u32>;

    /// Whether a cell has a value that the filter asks for.
    fn meets(&mut self, at: usize, row: usize, condition: &Condition) -> Result<bool> {
        let text = self.text_or_empty(at, row);
        Ok(condition.accepts(&String::from_utf8_lossy(&text)))
    }
}

/// One row of a text: the cell of each field is a range of it.
pub(super) struct TextRow<'t> {
    pub(super) text: &'t [u8],
    pub(super) cells: &'t [Range<usize>],
    /// What is wrong with the cells of these fields, which matters where they are read.
    pub(super) faults: &'t [(usize, DataProblem)],
}

impl TextRow<'_> {
    #[inline]
    fn cell(&self, at: usize) -> &[u8] {
        let range = self.cells.get(at).cloned();
        range
            .and_then(|range| self.text.get(range))
            .unwrap_or_default()
    }

    /// Refuses a cell that is known to be wrong.
    #[inline]
    fn check(&self, at: usize) -> Result {
        match self.faults.iter().find(|(field, _)| *field == at) {
            Some((_, problem)) => Err(problem.clone()),
            None => Ok(()),
        }
    }
}

impl RowCells for TextRow<'_> {
    #[inline]
    fn text(&self, at: usize, _: usize) -> Result<Cow<'_, [u8]>> {
        self.check(at)?;
        Ok(self.cell(at).into())
    }

    fn text_or_empty(&self, at: usize, _: usize) -> Cow<'_, [u8]> {
        self.cell(at).into()
    }

    #[inline]
    fn number(&self, field: &Field, at: usize, _: usize) -> Result<f64> {
        self.check(at)?;
        let cell = self.cell(at);
        // Most weights are this one.
        if cell == b"1" {
            return Ok(1.0);
        }
        let text = String::from_utf8_lossy(cell);
        let value = text.parse().ok();
        if let Some(value) = value.and_then(|value| field.allow_number(value)) {
            return Ok(value);
        }
        if text.is_empty() {
            return Err(DataProblem::EmptyCell {
                field: field.name.clone(),
                expected: field.part.expected(),
            });
        }
        Err(field.wrong_number(text.into_owned()))
    }

    #[inline]
    fn map_text(
        &mut self,
        at: usize,
        _: usize,
        find: impl FnOnce(&[u8]) -> Result<u32>,
    ) -> Result<u32> {
        find(self.cell(at))
    }
}

/// How many rows of a piece have these systems and this outcome.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) a: u16,
    pub(super) b: u16,
    pub(super) outcome: BattleOutcome,
    pub(super) rows: u64,
}

/// The rows of a piece, by columns. Systems and clusters are numbered within the chunk, by first
/// appearance.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) a: Vec<u16>,
    pub(super) b: Vec<u16>,
    /// Empty for a file of counts.
    pub(super) outcome: Vec<BattleOutcome>,
    /// Empty where no cluster is read.
    pub(super) cluster: Vec<u32>,
    /// Empty where no values are kept.
    pub(super) label: Vec<u32>,
    /// One for each field that is a number, and one for each count of each text, in the order of
    /// the fields.
    pub(super) numbers: Vec<Vec<f64>>,
    /// Rows that were counted while they were read, and are not kept one by one.
    pub(super) cells: Vec<Cell>,
    pub(super) systems: Interner,
    pub(super) clusters: Interner,
    pub(super) labels: Interner,
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
        self.label.clear();
        for column in &mut self.numbers {
            column.clear();
        }
        self.numbers.resize_with(plan.count_numbers(), Vec::new);
        self.cells.clear();
        self.systems.clear();
        self.clusters.clear();
        self.labels.clear();
        self.signs = Signs::default();
        self.met = 0;
        self.dropped = 0;
        self.bad.clear();
    }

    /// Notes what is wrong with a row, and takes back what was kept of it: its pair is kept last.
    /// False where there are bad rows enough.
    ///
    /// # Errors
    /// Returns the fault of a file that cannot be read as a whole.
    #[cold]
    pub(super) fn refuse_row(&mut self, fault: Fault, plan: &Plan) -> Result<bool, Fault> {
        if fault.is_of_file() {
            return Err(fault);
        }
        let rows = self.a.len();
        self.outcome.truncate(rows);
        self.cluster.truncate(rows);
        self.label.truncate(rows);
        for column in &mut self.numbers {
            column.truncate(rows);
        }
        self.bad.push(fault);
        Ok((self.bad.len() as u64) < plan.most_bad)
    }

    /// Adds one row of these cells, unless the filter or its outcome leaves it out.
    // Long: what leaves a row out, in the order in which it is found cheapest.
    #[inline]
    pub(super) fn push_row<C: RowCells + ?Sized>(
        &mut self,
        plan: &Plan,
        cells: &mut C,
        row: usize,
    ) -> Result {
        if !plan.filter.is_empty() {
            let fields = plan.fields.iter().enumerate();
            let asked = fields.filter(|(_, field)| field.part == Part::Filter);
            for ((at, _), condition) in asked.zip(plan.filter.conditions()) {
                if !cells.meets(at, row, condition)? {
                    return Ok(());
                }
            }
        }
        // Before its systems are known: a row that is left out ranks nobody.
        if plan.drops_row(|at| cells.text_or_empty(at, row))? {
            self.dropped += 1;
            return Ok(());
        }
        let (mut systems, mut number) = ([0, 0], 0);
        for (at, field) in plan.fields.iter().enumerate() {
            match field.part {
                // The two systems are the first fields of every plan, and their numbers fit.
                Part::System => {
                    let find = |name: &[u8]| self.system_number(plan, at, name);
                    systems[at & 1] = cells.map_text(at, row, find)? as u16;
                }
                Part::Winner => {
                    let fixed = |word: &[u8]| {
                        let outcome = plan.fixed_outcome(word);
                        Ok(outcome.map_or(BY_ROW, |outcome| outcome as u32))
                    };
                    let outcome = match cells.map_text(at, row, fixed)? {
                        BY_ROW => self.read_outcome(plan, at, &cells.text(at, row)?, systems)?,
                        known => BattleOutcome::from_number(known),
                    };
                    self.outcome.push(outcome);
                }
                Part::Cluster => {
                    let find = |value: &[u8]| self.cluster_number(plan, at, value);
                    let cluster = cells.map_text(at, row, find)?;
                    self.cluster.push(cluster);
                }
                Part::Label => {
                    let value = cells.text_or_empty(at, row);
                    self.label.push(self.labels.intern(&value).0);
                }
                Part::Covariate | Part::Text if !self.is_ranked(plan, systems, cells, row)? => {
                    for _ in 0..plan.width(field.part) {
                        self.push_number(number, 0.0);
                        number += 1;
                    }
                }
                Part::Weight | Part::Covariate | Part::Count => {
                    self.push_number(number, cells.number(field, at, row)?);
                    number += 1;
                }
                Part::Text => {
                    self.push_text_counts(number, plan, at, &cells.text(at, row)?)?;
                    number += plan.counted.len();
                }
                Part::Filter | Part::Mark => {}
            }
        }
        // The outcome whose mark is 1, where the file has a column for each.
        if !plan.marks.is_empty() {
            let outcome = plan.marked(|at| cells.text_or_empty(at, row))?;
            let no_winner = || DataProblem::NoWinner {
                field: plan.list_marks(),
            };
            self.outcome.push(outcome.ok_or_else(no_winner)?);
        }
        let [a, b] = systems;
        if a == b {
            let system = self.system_name(a).into_owned();
            return Err(DataProblem::Itself { system });
        }
        self.a.push(a);
        self.b.push(b);
        Ok(())
    }

    /// Whether the row under way is ranked, so that its covariates are read.
    #[inline]
    fn is_ranked<C: RowCells + ?Sized>(
        &self,
        plan: &Plan,
        [a, b]: [u16; 2],
        cells: &C,
        row: usize,
    ) -> Result<bool> {
        let Some(ranked) = &plan.covariates_of else {
            return Ok(true);
        };
        // The pair of a row is kept last, and its outcome where one field has it.
        let outcome = match plan.marks.is_empty() {
            true => self.outcome.get(self.a.len()).copied(),
            false => plan.marked(|at| cells.text_or_empty(at, row))?,
        };
        Ok(ranked.hold([&self.system_name(a), &self.system_name(b)], outcome))
    }

    fn system_name(&self, system: u16) -> Cow<'_, str> {
        String::from_utf8_lossy(self.systems.get(system.into()))
    }

    /// Adds a value to a column of numbers.
    #[inline]
    fn push_number(&mut self, number: usize, value: f64) {
        if let Some(column) = self.numbers.get_mut(number) {
            column.push(value);
        }
    }

    /// Adds the counts of a text to their columns of numbers, of which this is the first.
    fn push_text_counts(&mut self, first: usize, plan: &Plan, field: usize, text: &[u8]) -> Result {
        let text = std::str::from_utf8(text).map_err(|error| {
            // A few characters before and after the fault: the text may be long.
            let at = error.valid_up_to();
            let around = text.get(at.saturating_sub(20)..text.len().min(at + 20));
            DataProblem::not_utf8(plan.field_name(field), around.unwrap_or_default())
        })?;
        for (number, count) in (first..).zip(count_covariates(text, &plan.counted)) {
            self.push_number(number, count);
        }
        Ok(())
    }

    /// Returns the number of a system's name, which is checked when it is new.
    #[inline]
    pub(super) fn system_number(&mut self, plan: &Plan, field: usize, name: &[u8]) -> Result<u32> {
        let (number, is_new) = self.systems.intern(name);
        if is_new {
            check_text(plan, field, name)?;
            if self.systems.len() > MAX_SYSTEMS {
                return Err(plan.too_many_systems(field));
            }
        }
        Ok(number)
    }

    /// Returns the outcome that a cell spells in a row of these systems.
    pub(super) fn read_outcome(
        &mut self,
        plan: &Plan,
        field: usize,
        cell: &[u8],
        [a, b]: [u16; 2],
    ) -> Result<BattleOutcome> {
        let word = String::from_utf8_lossy(cell);
        let (a, b) = (self.system_name(a), self.system_name(b));
        let spelled = plan.outcomes.read_word(&word, [&a, &b]);
        if let Spelled::Sign(outcome) = spelled {
            self.signs.add(outcome);
        }
        spelled.outcome(|| plan.field_name(field), &word)
    }

    /// Returns the number of a cluster's value, which is checked when it is new.
    #[inline]
    fn cluster_number(&mut self, plan: &Plan, field: usize, value: &[u8]) -> Result<u32> {
        let (number, is_new) = self.clusters.intern(value);
        if is_new {
            check_text(plan, field, value)?;
        }
        Ok(number)
    }
}

/// Checks that a name is in UTF-8 and not empty.
fn check_text(plan: &Plan, field: usize, text: &[u8]) -> Result {
    match std::str::from_utf8(text) {
        Err(_) => Err(DataProblem::not_utf8(plan.field_name(field), text)),
        Ok("") => Err(DataProblem::EmptyCell {
            field: plan.field_name(field),
            expected: match plan.fields.get(field) {
                Some(field) => field.part.expected(),
                None => "a value",
            },
        }),
        Ok(_) => Ok(()),
    }
}
