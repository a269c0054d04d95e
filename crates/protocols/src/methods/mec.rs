//! Multiple evidence calibration: the verdict averaged over samples of what the judge writes before
//! it.

use super::{
    Calibration, Cost, Method, Presentation, no_sample, parse_count, reject_likelihood,
    reject_one_in_view,
};
use crate::ask::{Ask, Stop, VerdictOrStop, settled};
use crate::form::Form;
use crate::look::{Looker, Seen};
use crate::orders::neither_failed;
use crate::prompts::PromptFile;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use crate::verdicts::mean;
use evenhand_core::{Failure, Outcome, Verdict};
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[
        (
            "mec:K",
            "the verdict averaged over K samples of the evidence written before it",
        ),
        ("mec+bpc:K", "the same in both orders"),
    ],
    options: "",
    source: "Wang et al. 2023 (FairEval), sections 4.1 and 4.2",
    prompts: &[],
    parse,
};

#[derive(Debug)]
struct Mec {
    /// Samples, 1 or more.
    k: u32,
    /// Whether they are taken in both orders and averaged over them too (balanced position
    /// calibration).
    both_orders: bool,
}

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    let both_orders = match name {
        "mec" => false,
        "mec+bpc" => true,
        _ => return None,
    };
    let ([] | [_]) = options else {
        return None;
    };
    let k = parse_count(options, 1)?;
    Some(Box::new(Mec { k, both_orders }))
}

impl Calibration for Mec {
    fn presentation(&self) -> Presentation {
        if self.both_orders {
            Presentation::BothWithinTrial
        } else {
            Presentation::Drawn
        }
    }

    fn cost(&self) -> Cost {
        let orders = if self.both_orders { 2 } else { 1 };
        Cost::one_round(orders * self.k, self.k)
    }

    fn reject(&self, form: Form, reasoning: Reasoning) -> Option<&'static str> {
        let two = self.both_orders.then_some(form);
        reject_likelihood(form)
            .or_else(|| reject_no_evidence(reasoning))
            .or_else(|| two.and_then(reject_one_in_view))
    }

    fn prompts(&self) -> &'static [PromptFile] {
        METHOD.prompts
    }

    fn shows_parts(&self) -> bool {
        false
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        if self.both_orders {
            self.judge_both_orders(looker, scene, ask)
        } else {
            let samples = settled(self.sample(looker, scene, ask))?;
            Ok(average_samples(samples, scene.reversed, ask)?)
        }
    }
}

fn reject_no_evidence(reasoning: Reasoning) -> Option<&'static str> {
    (!reasoning.is_written()).then_some(
        "mec averages over samples of the evidence that the judge writes, and direct writes none; \
         use cot, pros-cons, prepair or prepair-star",
    )
}

impl Mec {
    /// Asks for all samples in the order of a scene, together.
    fn sample(
        &self,
        looker: &Looker,
        scene: &Scene,
        ask: &Ask,
    ) -> impl Iterator<Item = Result<Seen, Stop>> {
        (0..self.k).map(move |sample| looker.look(scene, &ask.sample(sample, self.k)))
    }

    /// Asks for the samples of both orders together; both orders have the same weight.
    fn judge_both_orders(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        let [forward, backward] = self.sample_both_orders(looker, scene, ask)?;
        let means = neither_failed([
            average_samples(forward, false, ask),
            average_samples(backward, true, ask),
        ])?;
        mean(&means).ok_or_else(|| no_sample().into())
    }

    /// Returns the samples of each order, in the slots of the scene.
    fn sample_both_orders(
        &self,
        looker: &Looker,
        scene: &Scene,
        ask: &Ask,
    ) -> Result<[Vec<Result<Seen, Failure>>; 2], Stop> {
        let swapped = scene.swapped();
        let forward = self.sample(looker, scene, ask);
        let backward = self.sample(looker, &swapped, ask);
        let backward = backward.map(|seen| seen.map(Seen::swapped));
        let mut forward = settled(forward.chain(backward))?;
        let backward = forward.split_off(self.k as usize);
        Ok([forward, backward])
    }
}

/// Averages the verdicts of one order. A sample that failed is left out, and is kept as a failed
/// look; where all failed, the first failure stands.
fn average_samples(samples: Vec<Result<Seen, Failure>>, swapped: bool, ask: &Ask) -> Outcome {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut failure = None;
    for (sample, seen) in samples.into_iter().enumerate() {
        let outcome = seen.map(|seen| seen.verdict);
        ask.note("", sample as u32, swapped, outcome.clone());
        match outcome {
            Ok(verdict) => verdicts.push(verdict),
            Err(found) => failure = failure.or(Some(found)),
        }
    }
    mean(&verdicts).ok_or_else(|| failure.unwrap_or_else(no_sample))
}

impl fmt::Display for Mec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.both_orders { "mec+bpc" } else { "mec" };
        write!(f, "{name}:{}", self.k)
    }
}
