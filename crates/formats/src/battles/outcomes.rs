//! How files spell what became of a battle.

use super::error::Problem;
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

/// Names of the outcomes in `--outcomes`.
const NAMES: [(Outcome, &str); 4] = [
    (Outcome::A, "first"),
    (Outcome::B, "second"),
    (Outcome::Tie, "tie"),
    (Outcome::BothBad, "both-bad"),
];

impl Outcome {
    /// The outcome of a spelling that means the same in every row and file.
    #[inline]
    pub(super) fn read(text: &[u8]) -> Option<Outcome> {
        match text {
            b"model_a" | b"left" => Some(Outcome::A),
            b"model_b" | b"right" => Some(Outcome::B),
            b"tie" => Some(Outcome::Tie),
            b"tie (bothbad)" | b"both_bad" => Some(Outcome::BothBad),
            _ => None,
        }
    }

    /// The inverse of `outcome as u32`.
    #[cfg(feature = "parquet")]
    pub(super) fn numbered(number: u32) -> Outcome {
        match number {
            0 => Outcome::A,
            1 => Outcome::Tie,
            2 => Outcome::BothBad,
            _ => Outcome::B,
        }
    }

    fn named(name: &str) -> Option<Outcome> {
        NAMES
            .iter()
            .find(|(_, known)| plain(known) == plain(name))
            .map(|(outcome, _)| *outcome)
    }
}

/// Spellings of outcomes: the user's, and beside them those that many files have.
///
/// Known without a word of the user's are `model_a`, `left`, `first` and `a`, and likewise for the
/// second; `tie` and `draw`; `both_bad`; the name of either system; and 1, -1 and 0 in files that
/// have -1. Capitals, spaces, `_`, `-` and brackets make no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spellings {
    own: Vec<(String, Outcome)>,
}

/// Meaning of a word in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    Is(Outcome),
    /// 1, -1 or 0, which are outcomes in files that have -1.
    Sign(Outcome),
    /// A word for one slot, and the name of the system in the other.
    Either,
    Unknown,
}

impl Spellings {
    /// Reads `A=first,B=second,neither=tie,Both Bad=both-bad`. A word ends at the last `=` of its
    /// part.
    ///
    /// # Errors
    /// A part that is something else, or a word that is there twice; the text is for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut own: Vec<(String, Outcome)> = Vec::new();
        for part in text.split(',') {
            let (word, name) = part
                .rsplit_once('=')
                .ok_or_else(|| bad(part, "there is no `=`"))?;
            let outcome =
                Outcome::named(name.trim()).ok_or_else(|| bad(part, "no such outcome"))?;
            if own.iter().any(|(known, _)| same(known, word.trim())) {
                return Err(bad(part, "the word is there twice"));
            }
            own.push((word.trim().to_owned(), outcome));
        }
        Ok(Spellings { own })
    }

    /// True where the user has named none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Reads a word of a row with these two systems.
    pub(crate) fn read(&self, word: &str, systems: [&str; 2]) -> Spelled {
        let word = word.trim();
        if let Some((_, outcome)) = self.own.iter().find(|(own, _)| same(own, word)) {
            return Spelled::Is(*outcome);
        }
        let named = match systems {
            [first, second] if first == second => None,
            [first, _] if word == first => Some(Outcome::A),
            [_, second] if word == second => Some(Outcome::B),
            _ => None,
        };
        match (Outcome::read(word.as_bytes()), usual(word), named) {
            (Some(outcome), ..) => Spelled::Is(outcome),
            (None, Some(usual), Some(named)) if usual != named => Spelled::Either,
            (None, usual, named) => usual.or(named).map_or_else(|| sign(word), Spelled::Is),
        }
    }
}

impl fmt::Display for Spellings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |outcome: &Outcome| {
            NAMES
                .iter()
                .find(|(known, _)| known == outcome)
                .map_or("", |(_, name)| name)
        };
        let parts: Vec<String> = self
            .own
            .iter()
            .map(|(word, outcome)| format!("{word}={}", name(outcome)))
            .collect();
        f.write_str(&parts.join(","))
    }
}

impl Spelled {
    /// The outcome, or why there is none.
    pub(crate) fn outcome(
        self,
        field: impl Fn() -> String,
        word: &str,
    ) -> Result<Outcome, Problem> {
        match self {
            Spelled::Is(outcome) | Spelled::Sign(outcome) => Ok(outcome),
            Spelled::Either => Err(Problem::WinnerOrSystem {
                field: field(),
                found: word.to_owned(),
            }),
            Spelled::Unknown => Err(Problem::Winner {
                field: field(),
                found: word.to_owned(),
            }),
        }
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

    /// True where nobody can say what they mean.
    pub(crate) fn unclear(self) -> bool {
        self.met && !self.minus
    }
}

/// The outcome of a word that many files have.
fn usual(word: &str) -> Option<Outcome> {
    match plain(word).as_str() {
        "a" | "first" | "modela" | "left" => Some(Outcome::A),
        "b" | "second" | "modelb" | "right" => Some(Outcome::B),
        "tie" | "draw" => Some(Outcome::Tie),
        "bothbad" | "tiebothbad" => Some(Outcome::BothBad),
        _ => None,
    }
}

/// A word without what makes no difference: capitals, spaces, hyphens, brackets.
fn plain(word: &str) -> String {
    word.chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect::<String>()
        .to_lowercase()
}

fn sign(word: &str) -> Spelled {
    match word.parse::<f64>() {
        Ok(1.0) => Spelled::Sign(Outcome::A),
        Ok(-1.0) => Spelled::Sign(Outcome::B),
        Ok(0.0) => Spelled::Sign(Outcome::Tie),
        _ => Spelled::Unknown,
    }
}

/// True of two words that are one; numbers are, however they are written.
fn same(own: &str, word: &str) -> bool {
    own == word
        || matches!((own.parse::<f64>(), word.parse::<f64>()), (Ok(one), Ok(other)) if one == other)
}

fn bad(part: &str, what: &str) -> String {
    format!(
        "`{part}`: {what}; expected WORD=first, =second, =tie or =both-bad, separated by commas, \
         such as A=first,B=second"
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
            assert_eq!(none.read(word, SYSTEMS), Spelled::Is(outcome), "{word}");
        }
        for (word, outcome) in [("1", Outcome::A), ("-1.0", Outcome::B), ("0", Outcome::Tie)] {
            assert_eq!(none.read(word, SYSTEMS), Spelled::Sign(outcome), "{word}");
        }
        for word in ["", "2", "GPT", "neither"] {
            assert_eq!(none.read(word, SYSTEMS), Spelled::Unknown, "{word}");
        }
    }

    #[test]
    fn a_letter_that_names_the_system_of_the_other_slot_is_not_guessed_at() {
        assert_eq!(Spellings::default().read("b", ["b", "c"]), Spelled::Either);
        assert_eq!(
            Spellings::default().read("left", ["right", "left"]),
            Spelled::Is(Outcome::A)
        );
        assert_eq!(
            Spellings::parse("b=second").unwrap().read("b", ["b", "c"]),
            Spelled::Is(Outcome::B)
        );
    }

    #[test]
    fn the_users_words_come_first() {
        let own = Spellings::parse("2=second, 1 =first,x=y=tie,bothbad=tie").unwrap();
        assert_eq!(own.read("2.0", SYSTEMS), Spelled::Is(Outcome::B));
        assert_eq!(own.read("1", SYSTEMS), Spelled::Is(Outcome::A));
        assert_eq!(own.read("x=y", SYSTEMS), Spelled::Is(Outcome::Tie));
        assert_eq!(own.read("bothbad", SYSTEMS), Spelled::Is(Outcome::Tie));
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
