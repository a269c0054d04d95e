//! Designs: which comparisons are made.

use evenhand_core::{Cause, Refusal, Setting};
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
}

impl Design {
    /// Reads `all-pairs`, `reference:SYSTEM`, `sample:K`, `labelled` or `adaptive`.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse(text: &str) -> Result<Design, Refusal> {
        if let Some(("sample", k)) = text.split_once(':') {
            return parse_sample(k).ok_or_else(|| refuse_design(text, EXPECTED_SAMPLE));
        }
        parse_name(text).ok_or_else(|| refuse_design(text, EXPECTED_DESIGN))
    }

    /// Returns the index of the reference system.
    ///
    /// # Errors
    /// A reference that is no system of the data, with those that are.
    pub(crate) fn reference(&self, systems: &[Arc<str>]) -> Result<Option<u32>, Refusal> {
        let Design::Reference(name) = self else {
            return Ok(None);
        };
        let found = systems.iter().position(|system| **system == **name);
        match found {
            Some(system) => Ok(Some(system as u32)),
            None => Err(self.refuse_reference(systems)),
        }
    }

    fn refuse_reference(&self, systems: &[Arc<str>]) -> Refusal {
        let known = systems.join(", ");
        let reason = format!("no such system in the data; it has {known}");
        Refusal::new(Setting::Design, Cause::Data, reason).with_value(self)
    }
}

const EXPECTED_DESIGN: &str =
    "expected all-pairs, reference:SYSTEM, sample:K, labelled or adaptive";
const EXPECTED_SAMPLE: &str = "K must be a whole number of comparisons per item, 1 or more";

fn parse_sample(k: &str) -> Option<Design> {
    let k = k.parse().ok().filter(|k| *k > 0)?;
    Some(Design::Sample(k))
}

/// Reads a design that is a name alone, or a name and a system.
fn parse_name(text: &str) -> Option<Design> {
    match text.split_once(':') {
        None if text == "all-pairs" => Some(Design::AllPairs),
        None if text == "labelled" => Some(Design::Labelled),
        None if text == "adaptive" => Some(Design::Adaptive),
        Some(("reference", system)) if !system.is_empty() => Some(Design::Reference(system.into())),
        _ => None,
    }
}

fn refuse_design(text: &str, expected: &str) -> Refusal {
    Refusal::of_value(Setting::Design, text, expected)
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Design::AllPairs => f.write_str("all-pairs"),
            Design::Reference(system) => write!(f, "reference:{system}"),
            Design::Sample(k) => write!(f, "sample:{k}"),
            Design::Labelled => f.write_str("labelled"),
            Design::Adaptive => f.write_str("adaptive"),
        }
    }
}
