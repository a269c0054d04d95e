//! Battles whose items have names.

use super::super::battles::parse_battle;
use super::super::judgment_row::JudgmentRow;
use super::{Error, JudgmentLine, LineSink, RecordedGame, ShownPair, verdict_shares};
use crate::battles::{Outcome, Signs};
use crate::judgments::Options;
use evenhand_core::Side;

/// Reads a battle, whose item has a name.
pub(super) fn read_battle(
    row: JudgmentRow<'_>,
    options: &Options,
    signs: &mut Signs,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let battle = parse_battle(row, options)?;
    if battle.is_sign {
        signs.add(battle.outcome);
    }
    let side = match battle.outcome {
        Outcome::A => Side::First,
        Outcome::Tie | Outcome::BothBad => Side::Tie,
        Outcome::B => Side::Second,
    };
    let game = RecordedGame {
        item: battle.item,
        shown: ShownPair::Unordered(battle.systems),
        said: verdict_shares(Some(side)),
        recorded: None,
    };
    sink(JudgmentLine::Battle(game), row.place)
}
