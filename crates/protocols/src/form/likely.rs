//! The likelihood form's variants: what the likelihood of a response is set against.

use std::fmt;

/// A variant of the likelihood form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likely {
    /// What the likelihood is set against.
    pub against: Against,
    /// How the difference counts.
    pub counted: Counted,
}

/// How the difference of log-probabilities counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// In nats per token of what is scored.
    PerToken,
    /// In nats in all.
    Sum,
    /// Per token, and with it so many hundredths of the response's surprisal, -log P(response |
    /// instruction) per token: a judge prefers what it would have written itself (Wataoka et al.
    /// 2024, arXiv:2410.21819), and this takes some of that back. What exceeds [`FLUENT`] counts
    /// against the response.
    Surprisal(u8),
}

/// The surprisal, in nats per token, that few fluent texts exceed, and most shuffled words and
/// nearly all random letters do.
pub const FLUENT: f64 = 2.5;

/// What the likelihood of a response is set against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Nothing: log P(response | instruction) alone (GPTScore, Fu et al. 2023).
    Nothing,
    /// The same response without the instruction: log P(response | instruction) - log P(response |
    /// null instruction).
    Null,
    /// As `Null`, but only what the conversation before the response lacks is counted, per token of
    /// the whole response. So what repeats the instruction gains nothing by it.
    Novel,
    /// The same response as an answer to this many other items: log P(response | instruction) less
    /// the mean of log P(response | another item's instruction).
    Others(u32),
    /// The instruction: log P(instruction | response) - log P(instruction | null instruction).
    Inverse,
}

/// More other items than these are refused: each is a call for each response.
const MOST_OTHERS: u32 = 32;

impl Likely {
    /// The variant where none is named: against the null instruction, per token.
    pub const PLAIN: Likely = Likely {
        against: Against::Null,
        counted: Counted::PerToken,
    };

    /// The unit of its scores.
    pub fn unit(self) -> &'static str {
        match (self.against, self.counted) {
            (Against::Novel, Counted::Surprisal(_)) => {
                "nats per token that the instruction adds to words of the response's own, and \
                 surprisal"
            }
            (_, Counted::Surprisal(_)) => "nats per token that the instruction adds, and surprisal",
            (Against::Nothing, Counted::PerToken) => "nats per token of the response",
            (Against::Nothing, Counted::Sum) => "nats",
            (Against::Inverse, Counted::PerToken) => {
                "nats per token of the instruction that the response adds"
            }
            (Against::Inverse, Counted::Sum) => "nats that the response adds to the instruction",
            (Against::Novel, Counted::PerToken) => {
                "nats per token that the instruction adds to words of the response's own"
            }
            (Against::Novel, Counted::Sum) => {
                "nats that the instruction adds to words of the response's own"
            }
            (_, Counted::PerToken) => "nats per token that the instruction adds",
            (_, Counted::Sum) => "nats that the instruction adds",
        }
    }

    /// Reads `null`, `novel`, `given`, `contrast=K` or `inverse`, and `,sum` or (of the first two)
    /// `,surprisal=0.1`.
    pub fn parse(name: &str) -> Option<Likely> {
        let (against, counted) = match name.rsplit_once(',') {
            Some((against, counted)) => (against, Counted::parse(counted)?),
            None => {
                Counted::parse(name).map_or((name, Counted::PerToken), |counted| ("null", counted))
            }
        };
        let likely = Likely {
            against: Against::parse(against)?,
            counted,
        };
        let responses = matches!(likely.against, Against::Null | Against::Novel);
        (responses || !matches!(counted, Counted::Surprisal(_))).then_some(likely)
    }
}

impl Counted {
    fn parse(name: &str) -> Option<Counted> {
        if name == "sum" {
            return Some(Counted::Sum);
        }
        let decimals = name.strip_prefix("surprisal=0.")?;
        let digits = (1..=2).contains(&decimals.len())
            && decimals.bytes().all(|digit| digit.is_ascii_digit());
        let hundredths = format!("{decimals:0<2}").parse().ok()?;
        (digits && hundredths > 0).then_some(Counted::Surprisal(hundredths))
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
                others
                    .filter(|others| (1..=MOST_OTHERS).contains(others))
                    .map(Against::Others)
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
        match self.counted {
            Counted::PerToken => Ok(()),
            Counted::Sum => f.write_str(",sum"),
            Counted::Surprisal(hundredths) => {
                write!(f, ",surprisal={}", f64::from(hundredths) / 100.0)
            }
        }
    }
}
