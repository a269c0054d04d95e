//! The likelihood form's variants: what the likelihood of a response is set against.

use std::fmt;

/// A variant of the likelihood form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likely {
    /// What the likelihood is set against.
    pub against: Against,
    /// Nats in all, rather than per token of what is scored.
    pub summed: bool,
}

/// What the likelihood of a response is set against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Nothing: log P(response | instruction) alone (GPTScore, Fu et al. 2023).
    Nothing,
    /// The same response without the instruction: log P(response | instruction) - log P(response | null instruction).
    Null,
    /// As `Null`, but only what the conversation before the response lacks is counted, per token of the whole response. So what
    /// repeats the instruction gains nothing by it.
    Novel,
    /// The same response as an answer to this many other items: log P(response | instruction) less the mean of
    /// log P(response | another item's instruction).
    Others(u32),
    /// The instruction: log P(instruction | response) - log P(instruction | null instruction).
    Inverse,
}

/// More other items than these are refused: each is a call for each response.
const MOST_OTHERS: u32 = 32;

impl Likely {
    /// The variant where none is named: against the null instruction, per token.
    pub const PLAIN: Likely = Likely { against: Against::Null, summed: false };

    /// The unit of its scores.
    pub fn unit(self) -> &'static str {
        match (self.against, self.summed) {
            (Against::Nothing, false) => "nats per token of the response",
            (Against::Nothing, true) => "nats",
            (Against::Inverse, false) => "nats per token of the instruction that the response adds",
            (Against::Inverse, true) => "nats that the response adds to the instruction",
            (Against::Novel, false) => "nats per token that the instruction adds to words of the response's own",
            (Against::Novel, true) => "nats that the instruction adds to words of the response's own",
            (_, false) => "nats per token that the instruction adds",
            (_, true) => "nats that the instruction adds",
        }
    }

    /// Reads `null`, `novel`, `given`, `contrast=K` or `inverse`, and `,sum`.
    pub fn parse(name: &str) -> Option<Likely> {
        let (against, summed) = match name.strip_suffix("sum") {
            Some("") => ("null", true),
            Some(rest) => (rest.strip_suffix(',')?, true),
            None => (name, false),
        };
        Against::parse(against).map(|against| Likely { against, summed })
    }
}

impl Against {
    fn parse(name: &str) -> Option<Against> {
        match name {
            "given" => Some(Against::Nothing),
            "null" => Some(Against::Null),
            "novel" => Some(Against::Novel),
            "inverse" => Some(Against::Inverse),
            name => {
                let others = name.strip_prefix("contrast=")?.parse().ok();
                others.filter(|others| (1..=MOST_OTHERS).contains(others)).map(Against::Others)
            }
        }
    }
}

impl fmt::Display for Likely {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.against {
            Against::Nothing => f.write_str("given")?,
            Against::Null => f.write_str("null")?,
            Against::Novel => f.write_str("novel")?,
            Against::Others(others) => write!(f, "contrast={others}")?,
            Against::Inverse => f.write_str("inverse")?,
        }
        f.write_str(if self.summed { ",sum" } else { "" })
    }
}
