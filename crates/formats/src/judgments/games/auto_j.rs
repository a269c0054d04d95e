//! Auto-J (Li et al. 2024): pairs with a person's label, and a judge's verdicts on them in both
//! orders.

use super::super::judgment_row::look_up_side;
use super::lines::{JudgeOutput, LineReader, PairLabel, ShownPair};
use crate::error::Result;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "0 for the first response, 1 for the second or 2 for a tie";
const VERDICT: &str =
    "0 for the response shown first, 1 for the one shown second, 2 for a tie, or null";

const SIDES: [(f64, Side); 3] = [(0.0, Side::First), (1.0, Side::Second), (2.0, Side::Tie)];

impl LineReader<'_, '_> {
    /// Reads a pair with its label; the scenario is its part of the input set.
    pub(super) fn read_scenario_pair(&mut self) -> Result {
        let Some(preferred) = self.read_numbered_side("label", LABEL)? else {
            return Err(self.row.unknown_word("label", &Value::Null, LABEL));
        };
        let label = PairLabel::of_pair(self.numbered_item()?, preferred);
        self.give_label(PairLabel {
            category: self.row.optional_name("scenario")?,
            lengths: self.response_lengths(["response 1", "response 2"]),
            same: self.has_same_responses(["response 1", "response 2"]),
            ..label
        })
    }

    /// Reads two verdicts, each in terms of what was shown first and second.
    pub(super) fn read_both_verdicts(&mut self) -> Result {
        for (field, shown) in [
            ("verdict_order_12", ShownPair::Forward),
            ("verdict_order_21", ShownPair::Swapped),
        ] {
            let verdict = self.read_numbered_side(field, VERDICT)?;
            let said = JudgeOutput::of_verdict(verdict);
            self.give_game(self.numbered_item()?, shown, said, None)?;
        }
        Ok(())
    }

    /// Reads the number of a side, which may be written as a text; `None` for null.
    fn read_numbered_side(&self, field: &str, expected: &'static str) -> Result<Option<Side>> {
        self.row.read_word(field, expected, |found| {
            let number = match found {
                Value::Null => return Some(None),
                Value::String(text) => text.trim().parse().ok()?,
                number => number.as_f64()?,
            };
            look_up_side(&SIDES, number).map(Some)
        })
    }
}
