//! How files spell the outcome of a battle.

use super::error::{BattleProblem, Result};
use evenhand_core::split_list;
use std::fmt;

/// Outcome of a battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Outcome {
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
const NAMES: [(Outcome, &str); 4] = [
    (Outcome::A, "first"),
    (Outcome::B, "second"),
    (Outcome::Tie, "tie"),
    (Outcome::BothBad, "both-bad"),
];

impl Outcome {
    /// Returns the outcome of a spelling that means the same in every row and file.
    #[inline]
    pub(super) fn from_word(text: &[u8]) -> Option<Outcome> {
        match text {
            b"model_a" | b"left" | b"system_a" => Some(Outcome::A),
            b"model_b" | b"right" | b"system_b" => Some(Outcome::B),
            b"tie" => Some(Outcome::Tie),
            b"tie (bothbad)" | b"both_bad" => Some(Outcome::BothBad),
            _ => None,
        }
    }

    /// Returns the outcome of a number: the inverse of `outcome as u32`.
    #[cfg(feature = "parquet")]
    pub(super) fn from_number(number: u32) -> Outcome {
        match number {
            0 => Outcome::A,
            1 => Outcome::Tie,
            2 => Outcome::BothBad,
            _ => Outcome::B,
        }
    }

    fn from_name(name: &str) -> Option<Outcome> {
        let name = simplify_word(name);
        let mut known = NAMES.iter();
        let found = known.find(|(_, known)| simplify_word(known) == name)?;
        Some(found.0)
    }

    fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(known, _)| *known == self);
        found.map_or("", |(_, name)| name)
    }
}

/// Spellings of outcomes: the user's, and beside them those that many files have.
///
/// Known without any of the user's are `model_a`, `system_a`, `left`, `first` and `a`, and likewise
/// for the second; `tie` and `draw`; `both_bad`; the name of either system; and 1, -1 and 0 in files that
/// have -1. Capitals, spaces, `_`, `-` and brackets make no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spellings {
    /// None: rows with the word are left out.
    own: Vec<(String, Option<Outcome>)>,
}

/// The name of the meaning that a row is left out.
const DROP: &str = "drop";

/// Meaning of a word in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    Is(Outcome),
    /// 1, -1 or 0, which are outcomes in files that have -1.
    Sign(Outcome),
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
            spellings.add_part(&part)?;
        }
        Ok(spellings)
    }

    fn add_part(&mut self, part: &str) -> Result<(), String> {
        let (word, outcome) = parse_spelling(part)?;
        if self.find_own(word).is_some() {
            return Err(spelling_error(part, "the word is there twice"));
        }
        self.own.push((word.to_owned(), outcome));
        Ok(())
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
    /// out.
    fn find_own(&self, word: &str) -> Option<Option<Outcome>> {
        let own = self.own.iter().find(|(own, _)| is_same_word(own, word))?;
        Some(own.1)
    }

    /// Whether the user has given none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Reads a word of a row with these two systems.
    pub(crate) fn read_word(&self, word: &str, systems: [&str; 2]) -> Spelled {
        let word = word.trim();
        let fixed = self.find_own(word);
        match fixed.or_else(|| Outcome::from_word(word.as_bytes()).map(Some)) {
            Some(Some(outcome)) => Spelled::Is(outcome),
            Some(None) => Spelled::Dropped,
            None => read_loose_word(word, named_system(word, systems)),
        }
    }
}

impl fmt::Display for Spellings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.own.iter();
        let parts: Vec<String> = parts
            .map(|(word, outcome)| format!("{word}={}", outcome.map_or(DROP, Outcome::name)))
            .collect();
        f.write_str(&parts.join(","))
    }
}

impl Spelled {
    /// Returns the outcome, or why the word has none.
    pub(crate) fn outcome(self, field: impl Fn() -> String, word: &str) -> Result<Outcome> {
        let (field, found) = match self {
            Spelled::Is(outcome) | Spelled::Sign(outcome) => return Ok(outcome),
            Spelled::Either | Spelled::Dropped | Spelled::Unknown => (field(), word.to_owned()),
        };
        Err(match self {
            _ if word.trim().is_empty() => BattleProblem::NoWinner { field },
            Spelled::Either => BattleProblem::WinnerOrSystem { field, found },
            _ => BattleProblem::Winner { field, found },
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
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.merge(Signs {
            met: true,
            minus: outcome == Outcome::B,
        });
    }

    pub(crate) fn merge(&mut self, other: Signs) {
        (self.met, self.minus) = (self.met | other.met, self.minus | other.minus);
    }

    /// Whether their meaning cannot be known.
    pub(crate) fn are_unclear(self) -> bool {
        self.met && !self.minus
    }
}

/// Reads a word that has no spelling of its own: a common one, the name of a system, or a sign.
fn read_loose_word(word: &str, named: Option<Outcome>) -> Spelled {
    let common = common_outcome(word);
    if let (Some(common), Some(named)) = (common, named)
        && common != named
    {
        return Spelled::Either;
    }
    match common.or(named) {
        Some(outcome) => Spelled::Is(outcome),
        None => read_sign(word),
    }
}

/// Splits `A=first` into its word and its outcome.
fn parse_spelling(part: &str) -> Result<(&str, Option<Outcome>), String> {
    let split = part.rsplit_once('=');
    let (word, name) = split.ok_or_else(|| spelling_error(part, "there is no `=`"))?;
    if name.trim() == DROP {
        return Ok((word.trim(), None));
    }
    let outcome = Outcome::from_name(name.trim());
    let outcome = outcome.ok_or_else(|| spelling_error(part, "no such outcome"))?;
    Ok((word.trim(), Some(outcome)))
}

/// Returns which of two systems a word names, where they differ.
fn named_system(word: &str, [first, second]: [&str; 2]) -> Option<Outcome> {
    if first == second {
        None
    } else if word == first {
        Some(Outcome::A)
    } else if word == second {
        Some(Outcome::B)
    } else {
        None
    }
}

/// Returns the outcome of a word that many files have.
fn common_outcome(word: &str) -> Option<Outcome> {
    match simplify_word(word).as_str() {
        "a" | "first" | "modela" | "systema" | "left" => Some(Outcome::A),
        "b" | "second" | "modelb" | "systemb" | "right" => Some(Outcome::B),
        "tie" | "draw" => Some(Outcome::Tie),
        "bothbad" | "tiebothbad" => Some(Outcome::BothBad),
        _ => None,
    }
}

/// Removes what makes no difference in a word: capitals, spaces, hyphens, brackets.
fn simplify_word(word: &str) -> String {
    let letters = word.chars().filter(|letter| letter.is_alphanumeric());
    letters.collect::<String>().to_lowercase()
}

fn read_sign(word: &str) -> Spelled {
    match word.parse::<f64>() {
        Ok(1.0) => Spelled::Sign(Outcome::A),
        Ok(-1.0) => Spelled::Sign(Outcome::B),
        Ok(0.0) => Spelled::Sign(Outcome::Tie),
        _ => Spelled::Unknown,
    }
}

/// Whether two words are one; numbers are, however they are written.
fn is_same_word(own: &str, word: &str) -> bool {
    let number = number_of(own);
    own == word || number.is_some_and(|number| number_of(word) == Some(number))
}

fn number_of(word: &str) -> Option<f64> {
    word.parse().ok()
}

fn spelling_error(part: &str, what: &str) -> String {
    format!(
        "`{part}`: {what}; expected WORD=first, =second, =tie, =both-bad or =drop, separated by \
         commas, such as A=first,B=second"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEMS: [&str; 2] = ["gpt", "b"];

    #[test]
    fn common_spellings_are_known() {
        let none = Spellings::default();
        for (word, outcome) in [
            ("A", Outcome::A),
            ("model_a", Outcome::A),
            ("gpt", Outcome::A),
            ("right", Outcome::B),
            ("b", Outcome::B),
            ("Draw", Outcome::Tie),
            ("Both Bad", Outcome::BothBad),
            ("bothbad", Outcome::BothBad),
            ("Tie (both bad)", Outcome::BothBad),
        ] {
            assert_eq!(
                none.read_word(word, SYSTEMS),
                Spelled::Is(outcome),
                "{word}"
            );
        }
        for (word, outcome) in [("1", Outcome::A), ("-1.0", Outcome::B), ("0", Outcome::Tie)] {
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
            Spelled::Is(Outcome::A)
        );
        assert_eq!(
            Spellings::parse("b=second")
                .unwrap()
                .read_word("b", ["b", "c"]),
            Spelled::Is(Outcome::B)
        );
    }

    #[test]
    fn the_users_words_come_first() {
        let own = Spellings::parse("2=second, 1 =first,x=y=tie,bothbad=tie").unwrap();
        assert_eq!(own.read_word("2.0", SYSTEMS), Spelled::Is(Outcome::B));
        assert_eq!(own.read_word("1", SYSTEMS), Spelled::Is(Outcome::A));
        assert_eq!(own.read_word("x=y", SYSTEMS), Spelled::Is(Outcome::Tie));
        assert_eq!(own.read_word("bothbad", SYSTEMS), Spelled::Is(Outcome::Tie));
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
