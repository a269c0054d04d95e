//! Variants of the likelihood form.

use std::fmt;

/// A variant of the likelihood form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikelihoodVariant {
    /// The likelihood with which it is compared.
    pub baseline: Baseline,
    /// How the difference is counted.
    pub unit: GainUnit,
}

/// How the difference of log-probabilities is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainUnit {
    /// Nats per token of what is scored.
    PerToken,
    /// Nats, summed over tokens.
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

/// The likelihood with which that of a response is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Nothing: log P(response | instruction) alone (GPTScore, Fu et al. 2023).
    Nothing,
    /// That of the response without the instruction: log P(response | instruction) - log P(response
    /// | null instruction).
    Null,
    /// Like `Null`, but only words that the conversation before the response lacks are counted, per
    /// token of the whole response. So a response gains nothing by repeating the instruction.
    Novel,
    /// That of the response as an answer to this many other items: log P(response | instruction)
    /// less the mean of log P(response | another item's instruction).
    Others(u32),
    /// The instruction: log P(instruction | response) - log P(instruction | null instruction).
    Inverse,
}

/// More other items than these are refused: each is a call for each response.
const MOST_OTHERS: u32 = 32;

impl LikelihoodVariant {
    /// The variant where none is named: against the null instruction, per token.
    pub const DEFAULT: LikelihoodVariant = LikelihoodVariant {
        baseline: Baseline::Null,
        unit: GainUnit::PerToken,
    };

    /// Describes the unit of its scores.
    pub fn describe_unit(self) -> &'static str {
        match (self.unit, self.baseline) {
            (GainUnit::PerToken, Baseline::Nothing) => "nats per token of the response",
            (GainUnit::PerToken, Baseline::Inverse) => {
                "nats per token of the instruction that the response adds"
            }
            (GainUnit::PerToken, Baseline::Novel) => {
                "nats per token that the instruction adds to words of the response's own"
            }
            (GainUnit::PerToken, _) => "nats per token that the instruction adds",
            (GainUnit::Sum, Baseline::Nothing) => "nats",
            (GainUnit::Sum, Baseline::Inverse) => "nats that the response adds to the instruction",
            (GainUnit::Sum, Baseline::Novel) => {
                "nats that the instruction adds to words of the response's own"
            }
            (GainUnit::Sum, _) => "nats that the instruction adds",
            (GainUnit::Surprisal(_), Baseline::Novel) => {
                "nats per token that the instruction adds to words of the response's own, and \
                 surprisal"
            }
            (GainUnit::Surprisal(_), _) => {
                "nats per token that the instruction adds, and surprisal"
            }
        }
    }

    /// Reads `null`, `novel`, `given`, `contrast=K` or `inverse`, and `,sum` or (of the first two)
    /// `,surprisal=0.1`.
    pub fn parse(name: &str) -> Option<LikelihoodVariant> {
        let (baseline, unit) = match (name.rsplit_once(','), GainUnit::parse(name)) {
            (Some((baseline, unit)), _) => (baseline, GainUnit::parse(unit)?),
            // A unit alone goes with the null instruction.
            (None, Some(unit)) => ("null", unit),
            (None, None) => (name, GainUnit::PerToken),
        };
        let baseline = Baseline::parse(baseline)?;
        // Surprisal is that of the response, given its instruction.
        let suits = match unit {
            GainUnit::PerToken | GainUnit::Sum => true,
            GainUnit::Surprisal(_) => matches!(baseline, Baseline::Null | Baseline::Novel),
        };
        suits.then_some(LikelihoodVariant { baseline, unit })
    }
}

impl GainUnit {
    fn parse(name: &str) -> Option<GainUnit> {
        match name {
            "sum" => Some(GainUnit::Sum),
            name => parse_hundredths(name.strip_prefix("surprisal=0.")?).map(GainUnit::Surprisal),
        }
    }
}

/// Parses one or two decimals as hundredths, above 0.
fn parse_hundredths(decimals: &str) -> Option<u8> {
    let is_number = decimals.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number || !(1..=2).contains(&decimals.len()) {
        return None;
    }
    let hundredths = format!("{decimals:0<2}").parse().ok()?;
    (hundredths > 0).then_some(hundredths)
}

impl Baseline {
    fn parse(name: &str) -> Option<Baseline> {
        match name {
            "given" => Some(Baseline::Nothing),
            "null" => Some(Baseline::Null),
            "novel" => Some(Baseline::Novel),
            "inverse" => Some(Baseline::Inverse),
            name => {
                let others = name.strip_prefix("contrast=")?.parse().ok()?;
                let is_allowed = (1..=MOST_OTHERS).contains(&others);
                is_allowed.then_some(Baseline::Others(others))
            }
        }
    }
}

impl fmt::Display for LikelihoodVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.baseline)?;
        match self.unit {
            GainUnit::PerToken => Ok(()),
            GainUnit::Sum => f.write_str(",sum"),
            GainUnit::Surprisal(hundredths) => {
                write!(f, ",surprisal={}", f64::from(hundredths) / 100.0)
            }
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Baseline::Nothing => f.write_str("given"),
            Baseline::Null => f.write_str("null"),
            Baseline::Novel => f.write_str("novel"),
            Baseline::Others(others) => write!(f, "contrast={others}"),
            Baseline::Inverse => f.write_str("inverse"),
        }
    }
}
