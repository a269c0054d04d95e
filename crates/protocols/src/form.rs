//! Forms: how a verdict is expressed.

use std::fmt;

/// A scale of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The worst value.
    pub low: u32,
    /// The best value; above `low`.
    pub high: u32,
}

/// How a verdict is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One response, a whole number on a scale.
    Pointwise(Scale),
    /// Two responses, one is better (RealRank's base form).
    Pairwise,
    /// Two responses, one is better or they are equal (PORTIA's relation-based form).
    PairwiseTie,
    /// One response, no verdict asked: how much more probable the instruction makes it, per token.
    Likelihood,
}

impl Form {
    /// Reads a form's name: `pairwise`, `pairwise-tie`, `likelihood`, `pointwise` (1-10) or `pointwise:LOW-HIGH`.
    pub fn parse(name: &str) -> Option<Form> {
        match name {
            "pairwise" => Some(Form::Pairwise),
            "pairwise-tie" => Some(Form::PairwiseTie),
            "likelihood" => Some(Form::Likelihood),
            "pointwise" => Some(Form::Pointwise(Scale { low: 1, high: 10 })),
            _ => Scale::parse(name.strip_prefix("pointwise:")?).map(Form::Pointwise),
        }
    }

    /// How many responses the judge sees at once.
    pub fn responses(self) -> usize {
        match self {
            Form::Pairwise | Form::PairwiseTie => 2,
            Form::Pointwise(_) | Form::Likelihood => 1,
        }
    }

    /// The ends of the scale; zeros where the form has none.
    pub(crate) fn ends(self) -> (u32, u32) {
        match self {
            Form::Pointwise(scale) => (scale.low, scale.high),
            _ => (0, 0),
        }
    }

    /// The answers between which the judge decides, in slot order; empty where none is asked.
    pub fn options(self) -> Vec<String> {
        match self {
            Form::Pointwise(scale) => scale.values().map(|value| value.to_string()).collect(),
            Form::Pairwise => ["A", "B"].map(String::from).to_vec(),
            Form::PairwiseTie => ["A", "B", "C"].map(String::from).to_vec(),
            Form::Likelihood => Vec::new(),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Pointwise(scale) => write!(f, "pointwise:{}-{}", scale.low, scale.high),
            Form::Pairwise => f.write_str("pairwise"),
            Form::PairwiseTie => f.write_str("pairwise-tie"),
            Form::Likelihood => f.write_str("likelihood"),
        }
    }
}

impl Scale {
    /// The widest scale that is taken: a prompt asks for one whole number, and every value is read by its probability.
    const WIDEST: u32 = 100;

    /// Reads `LOW-HIGH`, for example `0-9` or `1-5`.
    pub fn parse(text: &str) -> Option<Scale> {
        let (low, high) = text.split_once('-')?;
        let scale = Scale { low: low.parse().ok()?, high: high.parse().ok()? };
        (scale.low < scale.high && scale.high - scale.low <= Self::WIDEST).then_some(scale)
    }

    /// The values of the scale, worst first.
    pub fn values(self) -> impl Iterator<Item = u32> {
        self.low..=self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        for name in
            ["pairwise", "pairwise-tie", "likelihood", "pointwise:0-9", "pointwise:1-5", "pointwise:1-7", "pointwise:1-10"]
        {
            assert_eq!(Form::parse(name).map(|form| form.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Form::parse("pointwise"), Form::parse("pointwise:1-10"));
    }

    #[test]
    fn nonsense_scales_are_refused() {
        for name in ["pointwise:5-1", "pointwise:3-3", "pointwise:0-999", "pointwise:-1-4", "pointwise:a-b", "pointwise:"] {
            assert_eq!(Form::parse(name), None, "{name}");
        }
    }
}
