//! How files spell the outcome of a battle or a label, whoever reads them.

use crate::error::DataProblem;
use evenhand_core::{Side, split_list};
use std::fmt;

/// How a battle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BattleOutcome {
    /// The first system won.
    A,
    /// A tie.
    Tie,
    /// A tie, and both responses were bad.
    BothBad,
    /// The second system won.
    B,
}

/// Names of the outcomes where a user gives spellings.
const NAMES: [(BattleOutcome, &str); 4] = [
    (BattleOutcome::A, "first"),
    (BattleOutcome::B, "second"),
    (BattleOutcome::Tie, "tie"),
    (BattleOutcome::BothBad, "both-bad"),
];

/// The name of the meaning that a row is left out.
const DROP: &str = "drop";

impl BattleOutcome {
    /// Returns the outcome of a spelling that means the same in every row and file.
    #[inline]
    pub(crate) fn from_word(text: &[u8]) -> Option<BattleOutcome> {
        match text {
            b"model_a" | b"left" | b"system_a" => Some(BattleOutcome::A),
            b"model_b" | b"right" | b"system_b" => Some(BattleOutcome::B),
            b"tie" => Some(BattleOutcome::Tie),
            b"tie (bothbad)" | b"both_bad" => Some(BattleOutcome::BothBad),
            _ => None,
        }
    }

    /// Returns the outcome of a number: the inverse of `outcome as u32`.
    #[inline]
    pub(crate) fn from_number(number: u32) -> BattleOutcome {
        match number {
            0 => BattleOutcome::A,
            1 => BattleOutcome::Tie,
            2 => BattleOutcome::BothBad,
            _ => BattleOutcome::B,
        }
    }

    /// Returns the side that won; both bad is a tie.
    pub(crate) fn side(self) -> Side {
        match self {
            BattleOutcome::A => Side::First,
            BattleOutcome::Tie | BattleOutcome::BothBad => Side::Tie,
            BattleOutcome::B => Side::Second,
        }
    }
}

/// Returns which of two systems a name is, where they differ.
pub(crate) fn named_system(name: &str, [first, second]: [&str; 2]) -> Option<BattleOutcome> {
    if first == second {
        None
    } else if name == first {
        Some(BattleOutcome::A)
    } else if name == second {
        Some(BattleOutcome::B)
    } else {
        None
    }
}

/// Spellings of outcomes: the user's, and beside them those that many files have.
///
/// Known without any of the user's are `model_a`, `system_a`, `left`, `first` and `a`, and likewise
/// for the second; `tie` and `draw`; `both_bad`; the name of either system; and 1, -1 and 0 in
/// files that have -1. Capitals, spaces, `_`, `-` and brackets make no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spellings {
    /// None: rows with the word are left out.
    own: Vec<(String, Option<BattleOutcome>)>,
}

/// Meaning of a word in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    Is(BattleOutcome),
    /// 1, -1 or 0, which are outcomes in files that have -1.
    Sign(BattleOutcome),
    /// A word for one slot, and the name of the system in the other.
    Either,
    /// The row is left out: the user says so.
    Dropped,
    Unknown,
}

impl Spellings {
    /// Reads `A=first,B=second,neither=tie,Both Bad=both-bad,skipped=drop`. A word ends at the last
    /// `=` of its part; no word at all is an empty cell, or null. A part with a comma stands in
    /// double quotes, as [`split_list`] has it.
    ///
    /// # Errors
    /// If a part is something else, or a word is given twice; the text is meant for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut spellings = Spellings::default();
        for part in split_list(text) {
            let wrong = |what: &str| {
                format!(
                    "`{part}`: {what}; expected WORD=first, =second, =tie, =both-bad or =drop, \
                     separated by commas, such as A=first,B=second"
                )
            };
            let (word, name) = part
                .rsplit_once('=')
                .ok_or_else(|| wrong("there is no `=`"))?;
            let (word, name) = (word.trim(), name.trim());
            let outcome = if name == DROP {
                None
            } else {
                let name = simplify_word(name);
                let known = NAMES.iter().find(|(_, known)| simplify_word(known) == name);
                let (outcome, _) = known.ok_or_else(|| wrong("no such outcome"))?;
                Some(*outcome)
            };
            if spellings.find_own(word).is_some() {
                return Err(wrong("the word is there twice"));
            }
            spellings.own.push((word.to_owned(), outcome));
        }
        Ok(spellings)
    }

    /// Whether a row with this word is left out.
    pub(crate) fn drops(&self, word: &str) -> bool {
        self.find_own(word.trim()) == Some(None)
    }

    /// Whether any word leaves a row out.
    pub(crate) fn drop_any(&self) -> bool {
        self.own.iter().any(|(_, outcome)| outcome.is_none())
    }

    /// Returns the outcome that the user says a word is; the inner None where its rows are left
    /// out. Two numbers are one word, however they are written.
    fn find_own(&self, word: &str) -> Option<Option<BattleOutcome>> {
        let number: Option<f64> = word.parse().ok();
        let is_word = |own: &str| own == word || number.is_some() && own.parse().ok() == number;
        let (_, outcome) = self.own.iter().find(|(own, _)| is_word(own))?;
        Some(*outcome)
    }

    /// Whether the user has given none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Reads a word of a row with these two systems.
    pub(crate) fn read_word(&self, word: &str, systems: [&str; 2]) -> Spelled {
        let word = word.trim();
        match self.find_own(word) {
            Some(Some(outcome)) => return Spelled::Is(outcome),
            Some(None) => return Spelled::Dropped,
            None => {}
        }
        if let Some(outcome) = BattleOutcome::from_word(word.as_bytes()) {
            return Spelled::Is(outcome);
        }
        let common = match simplify_word(word).as_str() {
            "a" | "first" | "modela" | "systema" | "left" => Some(BattleOutcome::A),
            "b" | "second" | "modelb" | "systemb" | "right" => Some(BattleOutcome::B),
            "tie" | "draw" => Some(BattleOutcome::Tie),
            "bothbad" | "tiebothbad" => Some(BattleOutcome::BothBad),
            _ => None,
        };
        match (common, named_system(word, systems)) {
            (Some(common), Some(named)) if common != named => Spelled::Either,
            (Some(outcome), _) | (None, Some(outcome)) => Spelled::Is(outcome),
            (None, None) => match word.parse::<f64>() {
                Ok(1.0) => Spelled::Sign(BattleOutcome::A),
                Ok(-1.0) => Spelled::Sign(BattleOutcome::B),
                Ok(0.0) => Spelled::Sign(BattleOutcome::Tie),
                _ => Spelled::Unknown,
            },
        }
    }
}

impl fmt::Display for Spellings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (word, outcome)) in self.own.iter().enumerate() {
            let known = NAMES.iter().find(|(known, _)| Some(*known) == *outcome);
            let name = known.map_or(DROP, |(_, name)| name);
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{word}={name}")?;
        }
        Ok(())
    }
}

impl Spelled {
    /// Returns the outcome, or why the word has none.
    pub(crate) fn outcome(
        self,
        field: impl Fn() -> String,
        word: &str,
    ) -> Result<BattleOutcome, DataProblem> {
        if let Spelled::Is(outcome) | Spelled::Sign(outcome) = self {
            return Ok(outcome);
        }
        let (field, found) = (field(), word.to_owned());
        Err(match self {
            _ if word.trim().is_empty() => DataProblem::NoWinner { field },
            Spelled::Either => DataProblem::SlotOrSystem { field, found },
            _ => DataProblem::Winner { field, found },
        })
    }
}

/// Which of 1, 0 and -1 were met: without -1, 0 may be a tie or that the second won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs {
    met: bool,
    minus: bool,
}

impl Signs {
    pub(crate) fn add(&mut self, outcome: BattleOutcome) {
        self.merge(Signs {
            met: true,
            minus: outcome == BattleOutcome::B,
        });
    }

    pub(crate) fn merge(&mut self, other: Signs) {
        self.met |= other.met;
        self.minus |= other.minus;
    }

    /// Whether their meaning cannot be known.
    pub(crate) fn are_unclear(self) -> bool {
        self.met && !self.minus
    }
}

/// Removes what makes no difference in a word: capitals, spaces, hyphens, brackets.
fn simplify_word(word: &str) -> String {
    let letters = word.chars().filter(|letter| letter.is_alphanumeric());
    letters.collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEMS: [&str; 2] = ["gpt", "b"];

    #[test]
    fn common_spellings_are_known() {
        let none = Spellings::default();
        for (word, outcome) in [
            ("A", BattleOutcome::A),
            ("model_a", BattleOutcome::A),
            ("gpt", BattleOutcome::A),
            ("right", BattleOutcome::B),
            ("b", BattleOutcome::B),
            ("Draw", BattleOutcome::Tie),
            ("Both Bad", BattleOutcome::BothBad),
            ("bothbad", BattleOutcome::BothBad),
            ("Tie (both bad)", BattleOutcome::BothBad),
        ] {
            assert_eq!(
                none.read_word(word, SYSTEMS),
                Spelled::Is(outcome),
                "{word}"
            );
        }
        for (word, outcome) in [
            ("1", BattleOutcome::A),
            ("-1.0", BattleOutcome::B),
            ("0", BattleOutcome::Tie),
        ] {
            assert_eq!(
                none.read_word(word, SYSTEMS),
                Spelled::Sign(outcome),
                "{word}"
            );
        }
        for word in ["", "2", "GPT", "neither"] {
            assert_eq!(none.read_word(word, SYSTEMS), Spelled::Unknown, "{word}");
        }
    }

    #[test]
    fn a_letter_that_names_the_system_of_the_other_slot_is_not_guessed_at() {
        assert_eq!(
            Spellings::default().read_word("b", ["b", "c"]),
            Spelled::Either
        );
        assert_eq!(
            Spellings::default().read_word("left", ["right", "left"]),
            Spelled::Is(BattleOutcome::A)
        );
        assert_eq!(
            Spellings::parse("b=second")
                .unwrap()
                .read_word("b", ["b", "c"]),
            Spelled::Is(BattleOutcome::B)
        );
    }

    #[test]
    fn the_users_words_come_first() {
        let own = Spellings::parse("2=second, 1 =first,x=y=tie,bothbad=tie").unwrap();
        assert_eq!(own.read_word("2.0", SYSTEMS), Spelled::Is(BattleOutcome::B));
        assert_eq!(own.read_word("1", SYSTEMS), Spelled::Is(BattleOutcome::A));
        assert_eq!(
            own.read_word("x=y", SYSTEMS),
            Spelled::Is(BattleOutcome::Tie)
        );
        assert_eq!(
            own.read_word("bothbad", SYSTEMS),
            Spelled::Is(BattleOutcome::Tie)
        );
        assert_eq!(
            Spellings::parse("x=Both_Bad"),
            Spellings::parse("x=both-bad")
        );
        assert_eq!(own.to_string(), "2=second,1=first,x=y=tie,bothbad=tie");
        for bad in ["A", "A=won", "A=first,A=tie"] {
            let error = Spellings::parse(bad).unwrap_err();
            assert!(error.contains("expected WORD=first"), "{error}");
        }
    }
}
