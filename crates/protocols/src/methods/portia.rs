//! PORTIA: split, align and merge the responses until their order stops mattering.

use super::{
    Asked, Calibration, Cost, Method, Presentation, parse_count, reject_lists, reject_one_in_view,
    reject_unasked, split_options,
};
use crate::ask::{Ask, Stop, VerdictOrStop, both};
use crate::form::Form;
use crate::look::Looker;
use crate::orders::{Disagree, both_agree, conclude, look_twice, neither_failed};
use crate::reasonings::{Notes, Reasoning};
use crate::scene::Scene;
use crate::segments::{Alignment, cut_segments, list_pieces};
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[(
        "portia:K",
        "responses split into K aligned parts until the order stops mattering; with no-length, \
         no-semantic, original-first, and average, tie or none (portia:3,original-first,tie); \
         embedding aligns by embeddings, the judge's own or another model's, and not by shared \
         tokens",
    )],
    options: "portia takes average, tie or none for what still disagrees, and no-length, \
              no-semantic, original-first and embedding, as in portia:3,no-length,tie",
    source: "PORTIA, algorithm 1",
    prompts: &[],
    shows_parts: true,
    parse,
};

/// The cascade: segments of equal length; where the orders disagree, segments of like content;
/// where they still disagree, the rule. Responses too short to split are shown whole (section 3).
#[derive(Debug)]
struct Portia {
    /// Segments, 2 or more.
    k: u32,
    /// Whether the responses as they are come first, so that only what is inconsistent is split.
    original: bool,
    /// Whether there is a step with segments of equal length.
    length: bool,
    /// Whether there is a step with segments of like content.
    semantic: bool,
    /// Whether content is alike by embeddings, and not by the tokens that are shared.
    embedding: bool,
    /// The rule for what every step leaves inconsistent.
    disagree: Disagree,
}

/// A way to show the responses: whole, or cut by length or by meaning.
#[derive(Clone, Copy)]
enum Step {
    Original,
    Length,
    Semantic,
}

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    let portia = Portia::parse(name, options)?;
    Some(Box::new(portia))
}

impl Portia {
    fn parse(name: &str, options: &[&str]) -> Option<Portia> {
        let mut portia = Portia {
            k: 3,
            original: false,
            length: true,
            semantic: true,
            embedding: false,
            disagree: Disagree::None,
        };
        let mut words = options;
        // A number can only stand first.
        if let [first, rest @ ..] = options
            && first.starts_with(|c: char| c.is_ascii_digit())
        {
            portia.k = parse_count(&[first], 2)?;
            words = rest;
        }
        for word in words {
            match *word {
                "original-first" => portia.original = true,
                "no-length" => portia.length = false,
                "no-semantic" => portia.semantic = false,
                "embedding" => portia.embedding = true,
                rule => portia.disagree = Disagree::parse(rule)?,
            }
        }
        // Something must be split, and embeddings used where they are asked for.
        let has_meaning = portia.semantic || (portia.length && !portia.embedding);
        (name == "portia" && has_meaning).then_some(portia)
    }

    fn steps(&self) -> Vec<Step> {
        let steps = [
            (self.original, Step::Original),
            (self.length, Step::Length),
            (self.semantic, Step::Semantic),
        ];
        let wanted = steps.into_iter().filter(|(wanted, _)| *wanted);
        wanted.map(|(_, step)| step).collect()
    }

    /// Returns the responses as a step shows them; None where they are too short to split.
    fn cut<'a>(&self, scene: &Scene<'a>, step: Step, ask: &Ask) -> Result<Option<Scene<'a>>, Stop> {
        let [a, b] = [scene.text(0), scene.text(1)];
        let k = self.k as usize;
        let parts = match step {
            Step::Original => return Ok(Some(scene.clone())),
            Step::Length => cut_segments(a, b, Alignment::Length, k),
            Step::Semantic if self.embedding => cut_by_embedding(a, b, k, ask)?,
            Step::Semantic => cut_segments(a, b, Alignment::Tokens, k),
        };
        Ok(parts.map(|parts| scene.in_parts(parts)))
    }
}

/// Embeds each response once, whatever it is compared with: all its pieces are one call.
fn cut_by_embedding(
    a: &str,
    b: &str,
    k: usize,
    ask: &Ask,
) -> Result<Option<Vec<[String; 2]>>, Stop> {
    let [Some(pieces_a), Some(pieces_b)] = [a, b].map(|text| list_pieces(text, k)) else {
        return Ok(None);
    };
    let embedded = both(ask.embed(pieces_a), ask.embed(pieces_b))?;
    let [of_a, of_b] = neither_failed(embedded)?;
    Ok(cut_segments(a, b, Alignment::Embeddings([&of_a, &of_b]), k))
}

impl Calibration for Portia {
    fn presentation(&self) -> Presentation {
        Presentation::BothWithinTrial
    }

    fn cost(&self) -> Cost {
        let steps = self.steps().len() as u32;
        let embeds_first = self.embedding && steps == 1;
        Cost {
            least: Asked {
                embeddings: embeds_first,
                ..Asked::verdicts(2, 1)
            },
            most: Asked {
                embeddings: self.embedding,
                ..Asked::verdicts(2 * steps, steps)
            },
            samples: 1,
        }
    }

    fn reject(&self, form: Form, reasoning: Reasoning) -> Option<&'static str> {
        // A verdict must see the responses, or an analysis of their parts.
        let hidden = reasoning.analyses_only && reasoning.kind.notes == Notes::OfEachResponse;
        reject_unasked(form)
            .or_else(|| reject_one_in_view(form))
            .or_else(|| reject_lists(form))
            .or(hidden.then_some(
                "portia splits responses, and prepair+analyses-only shows none to the verdict; \
                 use prepair, or prepair-star+analyses-only",
            ))
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        // Step by step until both orders agree; whole where no step can show the responses.
        let mut last = None;
        for step in self.steps() {
            if let Some(cut) = self.cut(scene, step, ask)? {
                let looks = last.insert(look_twice(looker, &cut, step.name(), ask)?);
                if both_agree(looks) {
                    break;
                }
            }
        }
        let looks = match last {
            Some(looks) => looks,
            None => look_twice(looker, scene, "whole", ask)?,
        };
        Ok(conclude(looks, self.disagree)?)
    }
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Step::Original => "original",
            Step::Length => "length",
            Step::Semantic => "semantic",
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
        for (_, word) in words.iter().filter(|(said, _)| *said) {
            write!(f, ",{word}")?;
        }
        match self.disagree {
            Disagree::None => Ok(()),
            rule => write!(f, ",{rule}"),
        }
    }
}

/// Returns the pairs of segments that a step of PORTIA showed of two responses, given in slot
/// order; the segments of each response concatenate to it.
///
/// `protocol` is its full name, as a run keeps it, `step` the stage of the look. None for other
/// protocols, for steps that show responses whole, and where meaning was compared by embeddings,
/// which the name does not hold.
pub fn portia_segments(
    protocol: &str,
    step: &str,
    responses: [&str; 2],
) -> Option<Vec<[String; 2]>> {
    let (name, options) = split_options(protocol.rsplit('/').next()?);
    let portia = Portia::parse(name, &options)?;
    let alignment = match step {
        "length" => Alignment::Length,
        "semantic" if !portia.embedding => Alignment::Tokens,
        _ => return None,
    };
    let [a, b] = responses;
    cut_segments(a, b, alignment, portia.k as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
    const B: &str = "Dogs do bark. A cat will sleep all day. At night cats hunt mice.";

    #[test]
    fn segments_are_found_again_and_join_to_the_responses() {
        for step in ["length", "semantic"] {
            let found = portia_segments("pairwise/direct/portia:2,tie", step, [A, B]).unwrap();
            assert_eq!(found.len(), 2, "{step}");
            let joined =
                [0, 1].map(|side| found.iter().map(|pair| &*pair[side]).collect::<String>());
            assert_eq!(joined, [A, B]);
        }
    }

    #[test]
    fn nothing_is_made_up_where_the_segments_are_not_known() {
        for (protocol, step) in [
            ("pairwise/direct/portia:2", "original"),
            ("pairwise/direct/portia:2,embedding", "semantic"),
            ("pairwise/direct/swap", "length"),
            ("pairwise/direct/portia:x", "length"),
            ("", "length"),
        ] {
            assert_eq!(
                portia_segments(protocol, step, [A, B]),
                None,
                "{protocol} {step}"
            );
        }
        assert_eq!(
            portia_segments("pairwise/direct/portia:3", "length", ["One.", B]),
            None
        );
    }
}
