//! The rows of one piece of a file, under numbers of their own. A chunk depends on the bytes of its
//! piece alone.

use super::columns::{Part, Plan};
use super::error::Problem;
use super::intern::Interner;
use super::outcomes::{Outcome, Signs, Spelled};
use crate::count_covariates;
use std::ops::Range;

/// The most systems that a table may have.
pub const MAX_SYSTEMS: usize = 4096;

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
}

impl Chunk {
    /// Makes it empty, for a file of this plan.
    pub(super) fn clear(&mut self, plan: &Plan) {
        self.a.clear();
        self.b.clear();
        self.outcome.clear();
        self.cluster.clear();
        self.numbers.iter_mut().for_each(Vec::clear);
        self.numbers.resize_with(plan.numbers(), Vec::new);
        self.systems.clear();
        self.clusters.clear();
        (self.signs, self.met) = (Signs::default(), 0);
    }

    /// Adds one row: the cell of each field is a range of the text.
    #[inline]
    pub(super) fn push(
        &mut self,
        plan: &Plan,
        text: &[u8],
        cells: &[Range<usize>],
    ) -> Result<(), Problem> {
        if !plan.filter.is_empty() && !kept(plan, text, cells) {
            return Ok(());
        }
        let mut number = 0;
        let mut systems = [0, 0];
        for (at, (field, range)) in plan.fields.iter().zip(cells).enumerate() {
            let cell = text.get(range.clone()).unwrap_or_default();
            match field.part {
                Part::System => systems[at & 1] = self.system(plan, at, cell)?,
                Part::Winner => {
                    let known = plan
                        .fixed(cell)
                        .map_or_else(|| self.spelled(plan, at, cell, systems), Ok)?;
                    self.outcome.push(known);
                }
                Part::Cluster => {
                    let number = self.cluster_number(plan, at, cell)?;
                    self.cluster.push(number);
                }
                Part::Weight | Part::Covariate | Part::Count => {
                    let value = read_number(field.part, &field.name, cell)?;
                    self.add_number(number, value);
                    number += 1;
                }
                Part::Text => {
                    self.add_counts(number, plan, at, cell)?;
                    number += plan.counted.len();
                }
                Part::Filter => {}
            }
        }
        self.pair(systems)
    }

    /// Adds the systems of a row, which must differ.
    #[inline]
    pub(super) fn pair(&mut self, [a, b]: [u16; 2]) -> Result<(), Problem> {
        if a == b {
            return Err(self.itself(a));
        }
        self.a.push(a);
        self.b.push(b);
        Ok(())
    }

    #[cold]
    fn itself(&self, system: u16) -> Problem {
        Problem::Itself {
            system: String::from_utf8_lossy(self.systems.get(system.into())).into_owned(),
        }
    }

    /// Adds a value to a column of numbers.
    #[inline]
    pub(super) fn add_number(&mut self, number: usize, value: f64) {
        if let Some(column) = self.numbers.get_mut(number) {
            column.push(value);
        }
    }

    /// Adds the counts of a text to their columns of numbers, of which this is the first.
    pub(super) fn add_counts(
        &mut self,
        number: usize,
        plan: &Plan,
        field: usize,
        text: &[u8],
    ) -> Result<(), Problem> {
        let text = std::str::from_utf8(text).map_err(|error| Problem::Utf8 {
            field: plan.name(field),
            lossy: text_around(text, error.valid_up_to()),
        })?;
        let counts = count_covariates(text, &plan.counted).into_iter();
        (number..)
            .zip(counts)
            .for_each(|(number, count)| self.add_number(number, count));
        Ok(())
    }

    /// The number of a system's name, which is checked when it is new.
    #[inline]
    pub(super) fn system(
        &mut self,
        plan: &Plan,
        field: usize,
        name: &[u8],
    ) -> Result<u16, Problem> {
        let (number, new) = self.systems.intern(name);
        if new {
            check_text(plan, field, name)?;
            if self.systems.len() > MAX_SYSTEMS {
                return Err(Problem::TooManySystems {
                    limit: MAX_SYSTEMS,
                    field: plan.name(field),
                });
            }
        }
        Ok(number as u16)
    }

    /// The outcome that a cell spells in a row of these systems.
    pub(super) fn spelled(
        &mut self,
        plan: &Plan,
        field: usize,
        cell: &[u8],
        systems: [u16; 2],
    ) -> Result<Outcome, Problem> {
        let word = String::from_utf8_lossy(cell);
        let [a, b] = systems.map(|system| String::from_utf8_lossy(self.systems.get(system.into())));
        let spelled = plan.outcomes.read(&word, [&a, &b]);
        if let Spelled::Sign(outcome) = spelled {
            self.signs.add(outcome);
        }
        spelled.outcome(|| plan.name(field), &word)
    }

    /// The number of a cluster's value, which is checked when it is new.
    #[inline]
    pub(super) fn cluster_number(
        &mut self,
        plan: &Plan,
        field: usize,
        value: &[u8],
    ) -> Result<u32, Problem> {
        let (number, new) = self.clusters.intern(value);
        if new {
            check_text(plan, field, value)?;
        }
        Ok(number)
    }
}

/// Whether the cells of a row have the values that the filter asks for.
fn kept(plan: &Plan, text: &[u8], cells: &[Range<usize>]) -> bool {
    let asked = plan
        .fields
        .iter()
        .zip(cells)
        .filter(|(field, _)| field.part == Part::Filter);
    asked
        .zip(plan.filter.conditions())
        .all(|((_, cell), condition)| {
            let cell = text.get(cell.clone()).unwrap_or_default();
            condition.meets(&String::from_utf8_lossy(cell))
        })
}

/// A few characters before and after this byte of a text that may be long.
fn text_around(text: &[u8], byte: usize) -> String {
    let part = text
        .get(byte.saturating_sub(20)..text.len().min(byte + 20))
        .unwrap_or_default();
    String::from_utf8_lossy(part).into_owned()
}

fn check_text(plan: &Plan, field: usize, text: &[u8]) -> Result<(), Problem> {
    let expected = || {
        plan.fields
            .get(field)
            .map_or("a value", |field| field.part.expected())
    };
    match std::str::from_utf8(text) {
        Err(_) => Err(Problem::Utf8 {
            field: plan.name(field),
            lossy: String::from_utf8_lossy(text).into_owned(),
        }),
        Ok("") => Err(Problem::EmptyCell {
            field: plan.name(field),
            expected: expected(),
        }),
        Ok(_) => Ok(()),
    }
}

/// The number in a cell, within what its part allows.
pub(super) fn read_number(part: Part, field: &str, cell: &[u8]) -> Result<f64, Problem> {
    if cell == b"1" {
        return Ok(1.0);
    }
    let text = String::from_utf8_lossy(cell);
    if text.is_empty() {
        return Err(Problem::EmptyCell {
            field: field.to_owned(),
            expected: part.expected(),
        });
    }
    let value = text.parse().ok().and_then(|value| allowed(part, value));
    value.ok_or_else(|| Problem::Number {
        field: field.to_owned(),
        found: text.into_owned(),
        expected: part.expected(),
    })
}

/// The value, if its part allows it.
pub(super) fn allowed(part: Part, value: f64) -> Option<f64> {
    // Adding 0 makes a zero of -0.
    (value.is_finite() && (part == Part::Covariate || value >= 0.0)).then_some(value + 0.0)
}
