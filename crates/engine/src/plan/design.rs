//! Designs: which comparisons are made.

use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::tournament::Tournament;
use std::fmt;
use std::sync::Arc;

/// Which pairs of systems are compared on each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Design {
    /// Every pair.
    AllPairs,
    /// Every system against this one.
    Reference(String),
    /// This many pairs per item, drawn from the seed so that all pairs are used about equally
    /// often.
    Sample(usize),
    /// The pairs that people have labelled, each in both orders unless the protocol shows both
    /// itself.
    Labelled,
    /// Pairs that are chosen as the run goes on, by what is certain already.
    Adaptive,
    /// Pairs that are chosen in rounds, by how the systems stand.
    Tournament(Tournament),
}

impl Design {
    /// Reads `all-pairs`, `reference:SYSTEM`, `sample:K`, `labelled`, `adaptive`, `swiss:ROUNDS` or
    /// `swim`.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse(text: &str) -> Result<Design, Refusal> {
        let refuse = |expected: &str| Refusal::of_value(Setting::Design, text, expected);
        match text.split_once(':') {
            None if text == "all-pairs" => Ok(Design::AllPairs),
            None if text == "labelled" => Ok(Design::Labelled),
            None if text == "adaptive" => Ok(Design::Adaptive),
            None if text == "swim" => Ok(Design::Tournament(Tournament::Swim)),
            Some(("swiss", rounds)) => match rounds.parse() {
                Ok(rounds) if rounds > 0 => Ok(Design::Tournament(Tournament::Swiss { rounds })),
                _ => Err(refuse("ROUNDS must be a whole number of rounds, 1 or more")),
            },
            Some(("reference", system)) if !system.is_empty() => {
                Ok(Design::Reference(system.into()))
            }
            Some(("sample", k)) => match k.parse() {
                Ok(k) if k > 0 => Ok(Design::Sample(k)),
                _ => Err(refuse(
                    "K must be a whole number of comparisons per item, 1 or more",
                )),
            },
            _ => Err(refuse(
                "expected all-pairs, reference:SYSTEM, sample:K, labelled, adaptive, swiss:ROUNDS \
                 or swim",
            )),
        }
    }

    /// Whether what is judged next depends on what was judged before.
    pub fn chooses(&self) -> bool {
        matches!(self, Design::Adaptive | Design::Tournament(_))
    }

    /// Returns the index of the reference system.
    ///
    /// # Errors
    /// A reference that is no system of the data, with those that are.
    pub fn reference(&self, systems: &[Arc<str>]) -> Result<Option<u32>, Refusal> {
        let Design::Reference(name) = self else {
            return Ok(None);
        };
        match systems.iter().position(|system| **system == **name) {
            Some(system) => Ok(Some(system as u32)),
            None => {
                let reason = format!("no such system in the data; it has {}", systems.join(", "));
                Err(Refusal::new(Setting::Design, Cause::Data, reason).with_value(self))
            }
        }
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Design::AllPairs => f.write_str("all-pairs"),
            Design::Reference(system) => write!(f, "reference:{system}"),
            Design::Sample(k) => write!(f, "sample:{k}"),
            Design::Labelled => f.write_str("labelled"),
            Design::Adaptive => f.write_str("adaptive"),
            Design::Tournament(Tournament::Swiss { rounds }) => write!(f, "swiss:{rounds}"),
            Design::Tournament(Tournament::Swim) => f.write_str("swim"),
        }
    }
}
