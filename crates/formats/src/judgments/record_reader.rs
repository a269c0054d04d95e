//! One record, and where its judgments go. Each format adds the methods that read its records.

use super::Options;
use super::builder::{Builder, JudgedPair, JudgedResponse};
use super::judgment_row::JudgmentRow;
use crate::error::{DataError, DataProblem, Result};

/// One record, and where its judgments go.
pub(super) struct RecordReader<'r> {
    pub(super) row: JudgmentRow<'r>,
    /// From 0, in its file.
    pub(super) position: u64,
    pub(super) options: &'r Options,
    pub(super) builder: &'r mut Builder,
}

impl RecordReader<'_> {
    pub(super) fn number_pair(&mut self, item: String, [a, b]: [String; 2]) -> Result<JudgedPair> {
        let place = self.row.place;
        Ok(JudgedPair {
            item: self.builder.number_item(item, place)?,
            a: self.builder.number_system(a, place)?,
            b: self.builder.number_system(b, place)?,
        })
    }

    /// Numbers an item and the systems that these fields name.
    pub(super) fn number_pair_in(&mut self, item: String, fields: [&str; 2]) -> Result<JudgedPair> {
        let systems = self.row.required_names(fields)?;
        self.number_pair(item, systems)
    }

    /// Numbers an item and the system that this field names.
    pub(super) fn number_response_in(
        &mut self,
        item: String,
        field: &str,
    ) -> Result<JudgedResponse> {
        // The item comes first, so that one of too many is named before the system is looked at.
        let item = self.builder.number_item(item, self.row.place)?;
        let system = self.row.required_name(field)?;
        let system = self.builder.number_system(system, self.row.place)?;
        Ok(JudgedResponse { item, system })
    }

    /// Keeps the name of the judge in this field, where it has one, as that of these systems.
    pub(super) fn add_judge_in(&mut self, systems: &[u16], field: &str) -> Result {
        let judge = self.row.optional_name(field)?;
        self.builder.add_judge_of(systems, judge);
        Ok(())
    }
}

impl JudgmentRow<'_> {
    /// Returns the error for a record whose systems are not named.
    pub(super) fn unnamed_systems(&self, kind: super::JudgmentFormat) -> DataError {
        let kind = kind.to_string();
        DataProblem::NoSystems { kind }.at(self.place)
    }
}
