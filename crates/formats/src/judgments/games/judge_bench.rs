//! JudgeBench (Tan et al. 2024): a judge's two games on pairs with objective labels, as its tool
//! writes them and normalised.

use super::super::judgment_row::JudgmentRow;
use super::{
    Error, JudgeOutput, JudgmentLine, LineSink, PairLabel, RecordedGame, ShownPair,
    response_lengths, text_or_shares,
};
use crate::records::Preference;
use evenhand_core::Side;
use serde_json::Value;

const LABEL: &str = "`A>B` or `B>A`";
const DECISION: &str = "`A>B`, `B>A`, `A=B` or null";

/// Reads a record: the pair's label, and a game in each order. A decision speaks of the slots.
pub(super) fn read_record(row: JudgmentRow<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = row.required_name("pair_id")?;
    let label = read_label(row, item.clone())?;
    sink(JudgmentLine::Label(label), row.place)?;
    for (at, shown) in [ShownPair::Forward, ShownPair::Swapped]
        .into_iter()
        .enumerate()
    {
        let Some(game) = find_game(row, at).filter(|game| !game.is_null()) else {
            continue;
        };
        let recorded = read_decision(row, game.get("decision").unwrap_or(&Value::Null))?;
        let game = RecordedGame {
            item: item.clone(),
            shown,
            said: read_reply(row, game, recorded),
            recorded: Some(recorded),
        };
        sink(JudgmentLine::Game(game), row.place)?;
    }
    Ok(())
}

fn read_label(row: JudgmentRow<'_>, item: String) -> Result<PairLabel, Error> {
    let preferred = match row.required_text("label")? {
        "A>B" => Preference::A,
        "B>A" => Preference::B,
        _ => {
            let found = row.require("label", LABEL)?;
            return Err(row.unknown_word("label", found, LABEL));
        }
    };
    Ok(PairLabel {
        item,
        cluster: None,
        category: row.optional_name("source")?,
        systems: None,
        lengths: response_lengths(row, ["response_A", "response_B"]),
        preferred: vec![preferred],
    })
}

fn find_game(row: JudgmentRow<'_>, at: usize) -> Option<&Value> {
    match row.find("judgments") {
        Some(judgments) => judgments.get(at),
        None => row.record.get(if at == 0 { "game_1" } else { "game_2" }),
    }
}

/// Returns the judge's reply; a reward model has scores and no text.
fn read_reply<'a>(
    row: JudgmentRow<'a>,
    game: &'a Value,
    recorded: Option<Side>,
) -> JudgeOutput<'a> {
    let judgment = game.get("judgment");
    let reply = judgment.and_then(|judgment| judgment.get("response"));
    let reply = reply.or_else(|| game.get("response"));
    text_or_shares(reply.and_then(Value::as_str), judge_notation(row), recorded)
}

/// Returns the notation that each of the tool's judges is asked for.
fn judge_notation(row: JudgmentRow<'_>) -> Option<&'static str> {
    match row.find_text("judge_name") {
        Some("vanilla") => Some("output-letter"),
        Some("prometheus_2") => Some("result-letter"),
        Some("auto_j") => Some("final-decision"),
        Some("skywork_critic") => Some("bracketed-letter"),
        // Their normalised form does not say which; this is the tool's usual one.
        _ => Some("bracketed-strength"),
    }
}

fn read_decision(row: JudgmentRow<'_>, found: &Value) -> Result<Option<Side>, Error> {
    match found.as_str() {
        Some("A>B") => Ok(Some(Side::First)),
        Some("B>A") => Ok(Some(Side::Second)),
        Some("A=B") => Ok(Some(Side::Tie)),
        None if found.is_null() => Ok(None),
        _ => Err(row.unknown_word("decision", found, DECISION)),
    }
}
