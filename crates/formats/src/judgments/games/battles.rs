//! Battles whose items have names.

use super::super::battles::{Battle, parse_battle};
use super::line_reader::LineReader;
use super::{JudgmentLine, RecordedGame, Result, ShownPair, verdict_shares};
use crate::battles::{Outcome, Signs};
use evenhand_core::Side;

impl LineReader<'_, '_> {
    /// Reads a battle, whose item has a name.
    pub(super) fn read_battle(&mut self, signs: &mut Signs) -> Result {
        let Some(battle) = parse_battle(self.row, self.options)? else {
            return Ok(());
        };
        if battle.is_sign {
            signs.add(battle.outcome);
        }
        let game = RecordedGame {
            question: self.row.name_if_any("question_id"),
            ..game_of(battle)
        };
        (self.sink)(JudgmentLine::Battle(game), self.row.place)
    }
}

fn game_of(battle: Battle) -> RecordedGame<'static> {
    RecordedGame {
        question: None,
        item: battle.item,
        shown: ShownPair::Unordered(battle.systems),
        said: verdict_shares(Some(side_of(battle.outcome))),
        recorded: None,
    }
}

fn side_of(outcome: Outcome) -> Side {
    match outcome {
        Outcome::A => Side::First,
        Outcome::Tie | Outcome::BothBad => Side::Tie,
        Outcome::B => Side::Second,
    }
}
