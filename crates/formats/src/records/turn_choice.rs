//! Which turn of a conversation is judged.

use crate::error::{DataError, DataProblem};
use std::fmt;
use std::str::FromStr;

/// Which turns of conversations are read as items and responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnChoice {
    /// The first turn and the answers to it.
    #[default]
    First,
    /// The turn of this number, 2 or more, with the turns before it in view. The item is
    /// `QUESTION/2`.
    Number(u32),
    /// Every turn, each as an item of its own: `QUESTION/1`, `QUESTION/2`.
    Each,
    /// The conversation as one: the item keeps its id, and all answers are judged together.
    Whole,
}

impl TurnChoice {
    /// Returns the part of a conversation that is read for its turn of this number.
    pub(super) fn part(self, number: u32) -> ConversationPart {
        ConversationPart {
            turn: (self != TurnChoice::Whole).then_some(number),
            numbered: matches!(self, TurnChoice::Number(_) | TurnChoice::Each),
        }
    }

    /// Returns the part that is read of a conversation, where that is one alone.
    pub(crate) fn only_part(self) -> ConversationPart {
        match self {
            TurnChoice::Number(number) => self.part(number),
            _ => self.part(1),
        }
    }

    /// Whether votes on the turn of this number are read.
    pub(super) fn takes_votes_on(self, turn: u32) -> bool {
        match self {
            TurnChoice::First => turn == 1,
            TurnChoice::Number(number) => turn == number,
            TurnChoice::Each => true,
            TurnChoice::Whole => false,
        }
    }
}

impl FromStr for TurnChoice {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        match text {
            "first" | "1" => Ok(TurnChoice::First),
            "second" => Ok(TurnChoice::Number(2)),
            "each" => Ok(TurnChoice::Each),
            "whole" => Ok(TurnChoice::Whole),
            number => match number.parse() {
                Ok(number) if number > 0 => Ok(TurnChoice::Number(number)),
                _ => Err(DataError::new(DataProblem::Turn {
                    found: text.to_owned(),
                })),
            },
        }
    }
}

impl fmt::Display for TurnChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TurnChoice::First => f.write_str("first"),
            TurnChoice::Number(number) => write!(f, "{number}"),
            TurnChoice::Each => f.write_str("each"),
            TurnChoice::Whole => f.write_str("whole"),
        }
    }
}

/// The part of a conversation that an item and its responses are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConversationPart {
    /// The turn, from 1, with those before it; None for all turns as one. 0 stands for a record
    /// that names its item in full.
    pub(super) turn: Option<u32>,
    /// Whether the turn is a part of the item's id.
    pub(super) numbered: bool,
}

impl ConversationPart {
    /// Returns how many of so many turns are read: one at least.
    pub(super) fn length_of(self, turns: usize) -> usize {
        let wanted = self.turn.map_or(usize::MAX, |turn| turn as usize);
        wanted.min(turns).max(1)
    }

    /// Returns the item's id, with the turn where that is a part of it. An item without an id is
    /// known by its conversation.
    pub(super) fn item_id(self, question: &str) -> String {
        match self.number().filter(|_| !question.is_empty()) {
            Some(turn) => format!("{question}/{turn}"),
            None => question.to_owned(),
        }
    }

    /// Returns the turn, where it is a part of the item's id.
    pub(super) fn number(self) -> Option<u32> {
        self.turn.filter(|turn| self.numbered && *turn > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_go_round() {
        for (text, choice) in [
            ("first", TurnChoice::First),
            ("2", TurnChoice::Number(2)),
            ("each", TurnChoice::Each),
            ("whole", TurnChoice::Whole),
        ] {
            assert_eq!(text.parse::<TurnChoice>().unwrap(), choice);
            assert_eq!(choice.to_string(), text);
        }
        assert_eq!("second".parse::<TurnChoice>().unwrap().to_string(), "2");
        assert_eq!(
            "0".parse::<TurnChoice>().unwrap_err().to_string(),
            "`turn` 0: expected first, second, a number from 1, each or whole"
        );
    }
}
