//! AlpacaEval: which of a reference's and a system's outputs an annotator preferred.

use super::super::alpaca_eval::preference_weights;
use super::super::judgment_row::JudgmentRow;
use super::line_reader::LineReader;
use super::{JudgeOutput, RecordedGame, Result, ShownPair, UNPARSED};
use crate::records::name_of_text;

const PREFERENCE: &str = "a number from 1 to 2, or 0";

impl LineReader<'_, '_> {
    /// Reads a record of `annotations.json`. The item is its instruction.
    pub(super) fn read_annotation(&mut self) -> Result {
        let item = name_of_text(self.row.required_text("instruction")?);
        self.read_preferred(item, ["generator_1", "generator_2"])
    }

    /// Reads a record without the texts: the reference is output 1.
    pub(super) fn read_preference(&mut self) -> Result {
        let item = self.row.required_name("instruction_id")?;
        self.read_preferred(item, ["reference", "model"])
    }

    /// Reads a preference. The order in which the outputs were shown is not kept.
    fn read_preferred(&mut self, item: String, system_fields: [&str; 2]) -> Result {
        let systems = self.row.required_names(system_fields)?;
        self.give_game(RecordedGame {
            question: None,
            item,
            shown: ShownPair::Unordered(systems),
            said: read_shares(self.row)?,
            recorded: None,
        })
    }
}

fn read_shares(row: JudgmentRow<'_>) -> Result<JudgeOutput<'static>> {
    match row.nullable_number("preference")? {
        Some(preference) => weigh_preference(row, preference).map(JudgeOutput::Shares),
        None => Ok(JudgeOutput::Nothing(UNPARSED)),
    }
}

fn weigh_preference(row: JudgmentRow<'_>, preference: f64) -> Result<[f64; 3]> {
    preference_weights(preference)
        .ok_or_else(|| row.wrong_value("preference", PREFERENCE, &preference.into()))
}
