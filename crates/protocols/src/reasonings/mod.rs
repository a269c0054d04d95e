//! Reasoning: what comes before the verdict.
//!
//! A kind of reasoning is one file here and one line of [`REASONINGS`]. Its file holds its name,
//! its cost, its prompts, and what it asks before the verdict.

mod cot;
mod direct;
mod prepair;
mod prepair_star;
mod pros_cons;

use crate::ask::{Ask, Stop};
use crate::prompts::{Context, METRICS, PromptFile, Prompts, REFERENCE, TextPrompt};
use crate::scene::Scene;
use std::fmt;

/// All kinds of reasoning, in the order in which they are listed to users.
pub const REASONINGS: [&ReasoningKind; 5] = [
    &direct::KIND,
    &cot::KIND,
    &pros_cons::KIND,
    &prepair::KIND,
    &prepair_star::KIND,
];

/// How a judge comes to its verdict.
#[derive(Debug)]
pub struct ReasoningKind {
    /// Its name.
    pub name: &'static str,
    /// A few words on the text that the judge writes.
    pub about: &'static str,
    /// The publication that it comes from, and what differs here; empty where it is common
    /// practice.
    pub source: &'static str,
    /// The notes that it asks for before the verdict.
    pub notes: Notes,
    /// Whether reasoning and verdict are one reply.
    pub in_reply: bool,
    /// The questions of a form's prompt file that suit where responses are in view, the best first.
    pub(crate) questions: &'static [&'static str],
    /// The text that it asks for before the verdict.
    pub(crate) text: Option<TextPrompt>,
    /// The prompt files that no other part of a protocol has.
    pub(crate) prompts: &'static [PromptFile],
    /// Asks for what comes before the verdict.
    pub(crate) take_notes: TakeNotes,
}

/// Asks for analyses of the responses of a scene, with what belongs to the item in view.
pub(crate) type TakeNotes = fn(&Prompts, &Scene, &Context, &Ask) -> Result<Vec<String>, Stop>;

/// The calls before a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notes {
    /// No call.
    None,
    /// One call for each response, all together, which every comparison of that response shares.
    OfEachResponse,
    /// One call for each look, before it.
    OfEachLook,
}

/// The way to a verdict: all that a judge writes or is shown before it.
#[derive(Clone, Copy, Debug)]
pub struct Reasoning {
    /// How the judge comes to its verdict.
    pub kind: &'static ReasoningKind,
    /// Whether it first writes criteria for the instruction, which all comparisons of the
    /// instruction share (Zeng et al. 2024, LLMBar, section 4: self-generated metrics).
    pub metrics: bool,
    /// Whether it has a reference answer: the item's, or else one that it writes first (Zheng et
    /// al. 2023, section 3.4).
    pub reference: bool,
    /// Whether the verdict is asked with the analyses in the place of the responses, as PRePair's
    /// last prompt does (figures 8, 12 and 13); only where something is noted before the verdict.
    pub analyses_only: bool,
}

/// Returns the names that [`Reasoning::parse`] takes, for messages.
pub(crate) fn name_reasonings() -> String {
    let [most @ .., last] = REASONINGS.map(|kind| kind.name);
    let most = most.join(", ");
    format!(
        "{most} or {last}, each also with +metrics, +reference or both; prepair and prepair-star \
         also with +analyses-only"
    )
}

impl Reasoning {
    /// Reads `KIND[+metrics][+reference][+analyses-only]`.
    pub fn parse(name: &str) -> Option<Reasoning> {
        let mut parts = name.split('+');
        let kind = parts.next()?;
        let mut reasoning = Reasoning {
            kind: REASONINGS.iter().find(|known| known.name == kind)?,
            metrics: false,
            reference: false,
            analyses_only: false,
        };
        let has_notes = reasoning.kind.notes != Notes::None;
        for part in parts {
            let said = match part {
                "metrics" => &mut reasoning.metrics,
                "reference" => &mut reasoning.reference,
                // There must be analyses that can stand for the responses.
                "analyses-only" if has_notes => &mut reasoning.analyses_only,
                _ => return None,
            };
            // Nothing is said twice.
            if std::mem::replace(said, true) {
                return None;
            }
        }
        Some(reasoning)
    }

    /// Returns the questions of a form's prompt file that suit, the best first.
    pub(crate) fn questions(self) -> Vec<&'static str> {
        let alone = self.analyses_only.then_some("noted-alone");
        alone
            .into_iter()
            .chain(self.kind.questions.iter().copied())
            .collect()
    }

    /// Returns whether the judge writes something that leads to its verdict.
    pub fn is_written(self) -> bool {
        self.kind.in_reply || self.kind.notes != Notes::None
    }

    /// Returns whether reasoning and verdict are one reply.
    pub fn is_in_the_reply(self) -> bool {
        self.kind.in_reply
    }

    /// Returns the texts that the judge is asked for before the verdict.
    pub(crate) fn texts(self) -> impl Iterator<Item = TextPrompt> {
        let metrics = self.metrics.then_some(METRICS);
        let reference = self.reference.then_some(REFERENCE);
        [metrics, reference, self.kind.text].into_iter().flatten()
    }

    /// Returns the rounds that come before those of the verdicts, of which there are so many.
    pub(crate) fn rounds_before(self, verdict_rounds: u32) -> u32 {
        let context = u32::from(self.metrics || self.reference);
        let notes = match self.kind.notes {
            Notes::None => 0,
            Notes::OfEachResponse => 1,
            // Each step shows the responses in other parts, so that it needs an analysis of its
            // own.
            Notes::OfEachLook => verdict_rounds,
        };
        context + notes
    }
}

/// Takes no notes: for a verdict that comes alone, or together with its reasoning.
fn take_none(_: &Prompts, _: &Scene, _: &Context, _: &Ask) -> Result<Vec<String>, Stop> {
    Ok(Vec::new())
}

impl fmt::Display for Reasoning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        f.write_str(if self.metrics { "+metrics" } else { "" })?;
        f.write_str(if self.reference { "+reference" } else { "" })?;
        f.write_str(if self.analyses_only {
            "+analyses-only"
        } else {
            ""
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(name: &str) -> Option<String> {
        Reasoning::parse(name).map(|reasoning| reasoning.to_string())
    }

    #[test]
    fn names_go_round() {
        for name in [
            "direct",
            "cot+metrics",
            "pros-cons+reference",
            "prepair+metrics+reference",
            "prepair-star",
            "prepair+analyses-only",
            "prepair-star+metrics+analyses-only",
        ] {
            assert_eq!(round_trip(name).as_deref(), Some(name));
        }
        assert_eq!(
            round_trip("cot+reference+metrics").as_deref(),
            Some("cot+metrics+reference")
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
            "cot+analyses-only",
            "prepair+analyses-only+analyses-only",
        ] {
            assert_eq!(round_trip(name), None, "{name}");
        }
    }
}
