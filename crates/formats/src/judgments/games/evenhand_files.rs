//! Our own judgments and labels.

use super::super::evenhand_files::{failure_kind, read_own_label};
use super::super::judgment_row::JudgmentRow;
use super::line_reader::LineReader;
use super::{JudgeOutput, PairLabel, RecordedGame, RecordedGrade, Result, ShownPair, UNPARSED};
use evenhand_core::FailureKind;

impl LineReader<'_, '_> {
    /// Reads a line of `labels.jsonl`.
    pub(super) fn read_label(&mut self) -> Result {
        let label = read_own_label(self.row, self.position, self.options)?;
        self.give_label(PairLabel::of_votes(label))
    }

    /// Reads a line of `evenhand judge`.
    pub(super) fn read_judgment(&mut self) -> Result {
        let [item, first] = self.row.required_names(["item", "first"])?;
        match self.row.optional_name("second")? {
            None => self.read_grade(item, first),
            Some(second) => self.read_comparison(item, [first, second]),
        }
    }

    fn read_grade(&mut self, item: String, system: String) -> Result {
        let score = self.row.nullable_number("score")?;
        self.give_grade(RecordedGrade {
            item,
            system,
            text: None,
            score,
        })
    }

    fn read_comparison(&mut self, item: String, systems: [String; 2]) -> Result {
        self.give_game(RecordedGame {
            question: None,
            item,
            shown: ShownPair::Systems(systems),
            said: read_output(self.row)?,
            recorded: None,
        })
    }
}

fn read_output(row: JudgmentRow<'_>) -> Result<JudgeOutput<'static>> {
    let shares = row.nullable_numbers(["p_first", "p_tie", "p_second"])?;
    Ok(match shares {
        [Some(first), Some(tie), Some(second)] => JudgeOutput::Shares([first, tie, second]),
        _ => JudgeOutput::Nothing(failure_name(row)),
    })
}

fn failure_name(row: JudgmentRow<'_>) -> &'static str {
    let kind = row.find("failure").and_then(failure_kind);
    kind.map_or(UNPARSED, FailureKind::name)
}
