//! Calibration: how several looks become one verdict.

mod both_orders;
mod portia;
mod reconsider;
mod repeat;

pub(crate) use both_orders::both_orders;
pub(crate) use portia::portia;
pub(crate) use reconsider::swap_cot;
pub(crate) use repeat::{mec, mec_bpc};

use std::fmt;

/// How several looks become one verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibration {
    /// Each comparison once: in an order drawn from the seed, or in that of the data.
    Single {
        /// In the order of the data.
        fixed: bool,
    },
    /// Each comparison in both orders, as two trials: both verdicts count, and how they become one
    /// is left to the aggregation.
    Swap,
    /// Both orders within one trial.
    BothOrders(Disagree),
    /// The same; where the orders disagree the judge is shown both explanations and asked again, in
    /// both orders (LLMBar's Swap+CoT; Zeng et al. 2024, section 4). The rule is for what still
    /// disagrees.
    SwapCot(Disagree),
    /// The verdict averaged over samples of the evidence that the judge writes before it (Wang et
    /// al. 2023, section 4.1).
    Mec {
        /// Samples, 1 or more.
        k: u32,
        /// Whether they are taken in both orders and averaged over them too (balanced position
        /// calibration, section 4.2).
        both_orders: bool,
    },
    /// Split, align and merge, until the order stops mattering (PORTIA, algorithm 1).
    Portia(Portia),
}

/// What two verdicts that contradict one another come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagree {
    /// The mean of the two.
    Average,
    /// A tie.
    Tie,
    /// No verdict: the failure `inconsistent`.
    None,
}

/// PORTIA's cascade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portia {
    /// Segments, 2 or more.
    pub k: u32,
    /// Whether the responses as they are come first, so that only what is inconsistent is split.
    pub original: bool,
    /// Whether there is a step with segments of equal length.
    pub length: bool,
    /// Whether there is a step with segments of like content.
    pub semantic: bool,
    /// Whether content is alike by embeddings, and not by the tokens that are shared.
    pub embedding: bool,
    /// What is concluded where every step contradicts itself.
    pub disagree: Disagree,
}

impl Calibration {
    /// The names that [`Calibration::parse`] takes, for messages.
    pub const NAMES: &'static str = "single, single:fixed, swap, swap:average, swap:tie, \
                                     swap:none, swap-cot, mec:K, mec+bpc:K or portia:K (swap-cot \
                                     and portia take average, tie or none for what still \
                                     disagrees; portia also no-length, no-semantic, original-first \
                                     and embedding, as in portia:3,no-length,tie)";

    /// The most samples and segments.
    const MOST: u32 = 64;

    /// Reads `NAME[:OPTION,...]`; k is 3 where none is named.
    pub fn parse(text: &str) -> Option<Calibration> {
        let (name, options) = text
            .split_once(':')
            .map_or((text, ""), |(name, options)| (name, options));
        if text.ends_with([':', ',']) {
            return None;
        }
        let words: Vec<&str> = options.split(',').filter(|word| !word.is_empty()).collect();
        match (name, &words[..]) {
            ("single", []) => Some(Calibration::Single { fixed: false }),
            ("single", ["fixed"]) => Some(Calibration::Single { fixed: true }),
            ("swap", []) => Some(Calibration::Swap),
            ("swap", [rule]) => Disagree::parse(rule).map(Calibration::BothOrders),
            ("swap-cot", []) => Some(Calibration::SwapCot(Disagree::Average)),
            ("swap-cot", [rule]) => Disagree::parse(rule).map(Calibration::SwapCot),
            ("mec", [] | [_]) => count(&words, 1).map(|k| Calibration::Mec {
                k,
                both_orders: false,
            }),
            ("mec+bpc", [] | [_]) => count(&words, 1).map(|k| Calibration::Mec {
                k,
                both_orders: true,
            }),
            ("portia", words) => Portia::parse(words).map(Calibration::Portia),
            _ => None,
        }
    }
}

fn count(words: &[&str], least: u32) -> Option<u32> {
    let count = words.first().map_or(Some(3), |word| word.parse().ok())?;
    (least..=Calibration::MOST)
        .contains(&count)
        .then_some(count)
}

impl Disagree {
    const NAMES: [(&'static str, Disagree); 3] = [
        ("average", Disagree::Average),
        ("tie", Disagree::Tie),
        ("none", Disagree::None),
    ];

    fn parse(word: &str) -> Option<Disagree> {
        Self::NAMES
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, rule)| *rule)
    }

    fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, rule)| *rule == self)
            .map_or("", |(name, _)| name)
    }
}

impl Portia {
    fn parse(words: &[&str]) -> Option<Portia> {
        let mut portia = Portia {
            k: 3,
            original: false,
            length: true,
            semantic: true,
            embedding: false,
            disagree: Disagree::None,
        };
        for (at, word) in words.iter().enumerate() {
            match *word {
                "original-first" => portia.original = true,
                "no-length" => portia.length = false,
                "no-semantic" => portia.semantic = false,
                "embedding" => portia.embedding = true,
                word if at == 0 && word.starts_with(|c: char| c.is_ascii_digit()) => {
                    portia.k = count(&[word], 2)?
                }
                word => portia.disagree = Disagree::parse(word)?,
            }
        }
        let meaningful = if portia.embedding {
            portia.semantic
        } else {
            portia.length || portia.semantic
        };
        meaningful.then_some(portia)
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Calibration::Single { fixed: false } => f.write_str("single"),
            Calibration::Single { fixed: true } => f.write_str("single:fixed"),
            Calibration::Swap => f.write_str("swap"),
            Calibration::BothOrders(rule) => write!(f, "swap:{}", rule.name()),
            Calibration::SwapCot(Disagree::Average) => f.write_str("swap-cot"),
            Calibration::SwapCot(rule) => write!(f, "swap-cot:{}", rule.name()),
            Calibration::Mec { k, both_orders } => {
                write!(f, "mec{}:{k}", if *both_orders { "+bpc" } else { "" })
            }
            Calibration::Portia(portia) => write!(f, "{portia}"),
        }
    }
}

impl fmt::Display for Portia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "portia:{}", self.k)?;
        let words = [
            (self.original, "original-first"),
            (!self.length, "no-length"),
            (!self.semantic, "no-semantic"),
            (self.embedding, "embedding"),
        ];
        words
            .iter()
            .filter(|(said, _)| *said)
            .try_for_each(|(_, word)| write!(f, ",{word}"))?;
        if self.disagree == Disagree::None {
            Ok(())
        } else {
            write!(f, ",{}", self.disagree.name())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        for name in [
            "single",
            "single:fixed",
            "swap",
            "swap:average",
            "swap:tie",
            "swap:none",
            "swap-cot",
            "swap-cot:tie",
            "mec:5",
            "mec+bpc:3",
            "portia:3",
            "portia:4,original-first,no-length,tie",
            "portia:2,no-semantic",
            "portia:3,embedding",
            "portia:3,original-first,no-length,embedding,average",
        ] {
            assert_eq!(
                Calibration::parse(name)
                    .map(|calibration| calibration.to_string())
                    .as_deref(),
                Some(name)
            );
        }
        assert_eq!(Calibration::parse("mec"), Calibration::parse("mec:3"));
        assert_eq!(Calibration::parse("portia"), Calibration::parse("portia:3"));
        assert_eq!(
            Calibration::parse("portia:tie"),
            Calibration::parse("portia:3,tie")
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for name in [
            "",
            "swap:",
            "swap:x",
            "mec:0",
            "mec:99",
            "mec:3,4",
            "portia:1",
            "portia:no-length,no-semantic",
            "portia:no-semantic,embedding",
            "portia:3,",
            "single:x",
        ] {
            assert_eq!(Calibration::parse(name), None, "{name}");
        }
    }
}
