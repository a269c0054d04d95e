//! Reasoning: what comes before the verdict.

use crate::prompts::{METRICS, REASONING_TOKENS, REFERENCE, TextPrompt};
use std::fmt;

/// What comes before the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reasoning {
    /// How the judge comes to its verdict.
    pub kind: ReasoningKind,
    /// Whether it first writes criteria for the instruction, which all comparisons of the
    /// instruction share (Zeng et al. 2024, LLMBar, section 4: self-generated metrics).
    pub metrics: bool,
    /// Whether it has a reference answer: the item's, or else one that it writes first (Zheng et
    /// al. 2023, section 3.4).
    pub reference: bool,
}

/// How a judge comes to its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningKind {
    /// The verdict alone.
    Direct,
    /// The judge reasons in writing, then gives its verdict, in one reply.
    Cot,
    /// The same, by what speaks for and against each response (PRePair's figure 3).
    ProsCons,
    /// Each response is analysed by itself; then the verdict, with the analyses in view (PRePair,
    /// section 4).
    Prepair,
    /// Both analyses from one call that sees both responses; then the verdict (PRePair's ablation,
    /// PREPAIR*).
    PrepairStar,
}

impl Reasoning {
    /// The names that [`Reasoning::parse`] takes, for messages.
    pub const NAMES: &'static str = "direct, cot, pros-cons, prepair or prepair-star, each also \
                                     with +metrics, +reference or both";

    const KINDS: [(&'static str, ReasoningKind); 5] = [
        ("direct", ReasoningKind::Direct),
        ("cot", ReasoningKind::Cot),
        ("pros-cons", ReasoningKind::ProsCons),
        ("prepair", ReasoningKind::Prepair),
        ("prepair-star", ReasoningKind::PrepairStar),
    ];

    /// Reads `KIND[+metrics][+reference]`.
    pub fn parse(name: &str) -> Option<Reasoning> {
        let mut parts = name.split('+');
        let kind = parts.next()?;
        let kind = Self::KINDS.iter().find(|(name, _)| *name == kind)?.1;
        let mut reasoning = Reasoning {
            kind,
            metrics: false,
            reference: false,
        };
        for part in parts {
            match part {
                "metrics" if !reasoning.metrics => reasoning.metrics = true,
                "reference" if !reasoning.reference => reasoning.reference = true,
                _ => return None,
            }
        }
        Some(reasoning)
    }

    /// Whether the judge writes something that leads to its verdict.
    pub fn is_written(self) -> bool {
        self.kind != ReasoningKind::Direct
    }

    /// Whether reasoning and verdict are one reply.
    pub fn is_in_the_reply(self) -> bool {
        matches!(self.kind, ReasoningKind::Cot | ReasoningKind::ProsCons)
    }
}

/// PRePair's analysis of one response by itself.
pub(crate) const ANALYSE: TextPrompt = TextPrompt {
    file: "analyse",
    tokens: REASONING_TOKENS,
};

/// The analyses of all responses in one text.
pub(crate) const ANALYSE_ALL: TextPrompt = TextPrompt {
    file: "analyse-all",
    tokens: REASONING_TOKENS,
};

impl ReasoningKind {
    /// The names of the questions that suit, the best first.
    pub(crate) fn questions(self) -> &'static [&'static str] {
        match self {
            ReasoningKind::Direct => &["direct"],
            ReasoningKind::Cot => &["cot"],
            ReasoningKind::ProsCons => &["pros-cons", "cot"],
            ReasoningKind::Prepair | ReasoningKind::PrepairStar => &["noted", "direct"],
        }
    }
}

impl Reasoning {
    /// The texts that the judge is asked for before the verdict.
    pub(crate) fn texts(self) -> Vec<TextPrompt> {
        let mut texts = Vec::new();
        if self.metrics {
            texts.push(METRICS);
        }
        if self.reference {
            texts.push(REFERENCE);
        }
        match self.kind {
            ReasoningKind::Prepair => texts.push(ANALYSE),
            ReasoningKind::PrepairStar => texts.push(ANALYSE_ALL),
            ReasoningKind::Direct | ReasoningKind::Cot | ReasoningKind::ProsCons => {}
        }
        texts
    }
}

impl fmt::Display for Reasoning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::KINDS
            .iter()
            .find(|(_, kind)| *kind == self.kind)
            .map_or("", |(name, _)| name);
        f.write_str(name)?;
        f.write_str(if self.metrics { "+metrics" } else { "" })?;
        f.write_str(if self.reference { "+reference" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        for name in [
            "direct",
            "cot+metrics",
            "pros-cons+reference",
            "prepair+metrics+reference",
            "prepair-star",
        ] {
            assert_eq!(
                Reasoning::parse(name)
                    .map(|reasoning| reasoning.to_string())
                    .as_deref(),
                Some(name)
            );
        }
        assert_eq!(
            Reasoning::parse("cot+reference+metrics"),
            Reasoning::parse("cot+metrics+reference")
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for name in [
            "",
            "think",
            "cot+",
            "cot+metrics+metrics",
            "+metrics",
            "direct+x",
        ] {
            assert_eq!(Reasoning::parse(name), None, "{name}");
        }
    }
}
