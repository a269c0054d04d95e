//! Our own judgments and labels.

use super::super::evenhand_files::read_label_record;
use super::super::judgment_row::JudgmentRow;
use super::{
    Error, JudgeOutput, JudgmentLine, LineSink, PairLabel, RecordedGame, RecordedGrade, ShownPair,
    UNPARSED,
};
use crate::battles::Spellings;
use crate::records::Format;
use evenhand_core::FailureKind;

/// Reads a line of `labels.jsonl`.
pub(super) fn read_label(
    row: JudgmentRow<'_>,
    position: u64,
    outcomes: &Spellings,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let mapping = Format::Labels.mapping()?.with_outcomes(outcomes.clone());
    let label = read_label_record(row, position, &mapping)?;
    let label = PairLabel {
        item: label.item,
        cluster: None,
        category: None,
        systems: Some(label.systems),
        lengths: None,
        preferred: label.votes.iter().map(|vote| vote.preferred).collect(),
    };
    sink(JudgmentLine::Label(label), row.place)
}

/// Reads a line of `evenhand judge`.
pub(super) fn read_judgment(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let (item, first) = (row.required_name("item")?, row.required_name("first")?);
    let line = match row.optional_name("second")? {
        None => JudgmentLine::Grade(RecordedGrade {
            item,
            system: first,
            text: None,
            score: row.nullable_number("score")?,
        }),
        Some(second) => JudgmentLine::Game(RecordedGame {
            item,
            shown: ShownPair::Systems([first, second]),
            said: read_shares(row)?,
            recorded: None,
        }),
    };
    sink(line, row.place)
}

fn read_shares(row: JudgmentRow<'_>) -> Result<JudgeOutput<'static>, Error> {
    let shares = [
        row.nullable_number("p_first")?,
        row.nullable_number("p_tie")?,
        row.nullable_number("p_second")?,
    ];
    Ok(match shares {
        [Some(first), Some(tie), Some(second)] => JudgeOutput::Shares([first, tie, second]),
        _ => JudgeOutput::Nothing(failure_name(row)),
    })
}

fn failure_name(row: JudgmentRow<'_>) -> &'static str {
    let kind = row.find("failure").cloned();
    let kind: Option<FailureKind> = kind.and_then(|kind| serde_json::from_value(kind).ok());
    kind.map_or(UNPARSED, FailureKind::name)
}
