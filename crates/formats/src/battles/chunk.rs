//! The rows of one piece of a file, under numbers of their own. A chunk depends on the bytes of its
//! piece alone.

use super::error::{BattleProblem, Fault, Result};
use super::intern::Interner;
use super::plan::{MAX_SYSTEMS, Part, Plan};
use crate::count_covariates;
use crate::outcomes::{BattleOutcome, Signs, Spelled};
use std::borrow::Cow;
use std::ops::Range;

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
        for column in &mut self.numbers {
            column.clear();
        }
        self.numbers.resize_with(plan.count_numbers(), Vec::new);
        self.systems.clear();
        self.clusters.clear();
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
        for column in &mut self.numbers {
            column.truncate(rows);
        }
        self.bad.push(fault);
        Ok((self.bad.len() as u64) < plan.most_bad)
    }

    /// Adds one row: the cell of each field is a range of the text.
    #[inline]
    pub(super) fn push_row(&mut self, plan: &Plan, text: &[u8], cells: &[Range<usize>]) -> Result {
        let cell = |range: Option<&Range<usize>>| {
            text.get(range.cloned().unwrap_or_default())
                .unwrap_or_default()
        };
        if !plan.filter.is_empty() {
            let fields = plan.fields.iter().zip(cells);
            let asked = fields.filter(|(field, _)| field.part == Part::Filter);
            let mut conditions = asked.zip(plan.filter.conditions());
            if !conditions.all(|((_, range), condition)| {
                condition.accepts(&String::from_utf8_lossy(cell(Some(range))))
            }) {
                return Ok(());
            }
        }
        // Before its systems are known: a row that is left out ranks nobody.
        if plan.drops_row(|number| cell(cells.get(number)).to_vec())? {
            self.dropped += 1;
            return Ok(());
        }
        let (mut systems, mut number) = ([0, 0], 0);
        for (at, (field, range)) in plan.fields.iter().zip(cells).enumerate() {
            let cell = cell(Some(range));
            match field.part {
                // The two systems are the first fields of every plan.
                Part::System => systems[at & 1] = self.system_number(plan, at, cell)?,
                Part::Winner => {
                    let outcome = match plan.fixed_outcome(cell) {
                        Some(outcome) => outcome,
                        None => self.read_outcome(plan, at, cell, systems)?,
                    };
                    self.outcome.push(outcome);
                }
                Part::Cluster => {
                    let cluster = self.cluster_number(plan, at, cell)?;
                    self.cluster.push(cluster);
                }
                Part::Weight | Part::Covariate | Part::Count => {
                    self.push_number(number, read_number(field.part, &field.name, cell)?);
                    number += 1;
                }
                Part::Text => {
                    self.push_text_counts(number, plan, at, cell)?;
                    number += plan.counted.len();
                }
                Part::Filter | Part::Mark => {}
            }
        }
        self.push_marked(plan, |number| cell(cells.get(number)).to_vec())?;
        self.push_pair(systems)
    }

    /// Adds the outcome whose mark is 1, where the file has a column for each.
    pub(super) fn push_marked(&mut self, plan: &Plan, cell: impl Fn(usize) -> Vec<u8>) -> Result {
        if plan.marks.is_empty() {
            return Ok(());
        }
        let Some(outcome) = plan.marked(cell)? else {
            let field = plan.list_marks();
            return Err(BattleProblem::NoWinner { field });
        };
        self.outcome.push(outcome);
        Ok(())
    }

    /// Adds the systems of a row, which must differ.
    #[inline]
    pub(super) fn push_pair(&mut self, [a, b]: [u16; 2]) -> Result {
        if a == b {
            let system = self.system_name(a).into_owned();
            return Err(BattleProblem::Itself { system });
        }
        self.a.push(a);
        self.b.push(b);
        Ok(())
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
        let text = std::str::from_utf8(text).map_err(|error| {
            // A few characters before and after the fault: the text may be long.
            let at = error.valid_up_to();
            let around = text.get(at.saturating_sub(20)..text.len().min(at + 20));
            BattleProblem::not_utf8(plan.field_name(field), around.unwrap_or_default())
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
            check_text(plan, field, name)?;
            if self.systems.len() > MAX_SYSTEMS {
                return Err(plan.too_many_systems(field));
            }
        }
        Ok(number as u16)
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

/// Checks that a name is in UTF-8 and not empty.
fn check_text(plan: &Plan, field: usize, text: &[u8]) -> Result {
    match std::str::from_utf8(text) {
        Err(_) => Err(BattleProblem::not_utf8(plan.field_name(field), text)),
        Ok("") => Err(BattleProblem::EmptyCell {
            field: plan.field_name(field),
            expected: match plan.fields.get(field) {
                Some(field) => field.part.expected(),
                None => "a value",
            },
        }),
        Ok(_) => Ok(()),
    }
}

/// Reads the number in a cell, within what its part allows.
fn read_number(part: Part, field: &str, cell: &[u8]) -> Result<f64> {
    // Most weights are this one.
    if cell == b"1" {
        return Ok(1.0);
    }
    let text = String::from_utf8_lossy(cell);
    let value = text.parse().ok();
    if let Some(value) = value.and_then(|value| allow_number(part, value)) {
        return Ok(value);
    }
    let (field, expected) = (field.to_owned(), part.expected());
    if text.is_empty() {
        return Err(BattleProblem::EmptyCell { field, expected });
    }
    Err(BattleProblem::Number {
        field,
        found: text.into_owned(),
        expected,
    })
}

/// Returns the value, if its part allows it.
pub(super) fn allow_number(part: Part, value: f64) -> Option<f64> {
    // Adding 0 makes a zero of -0.
    (value.is_finite() && (part == Part::Covariate || value >= 0.0)).then_some(value + 0.0)
}
