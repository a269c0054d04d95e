//! Multiple evidence calibration: the verdict averaged over samples of what the judge writes before
//! it.

use super::{
    Calibration, Cost, Method, Presentation, no_sample, parse_count, reject_one_in_view,
    reject_unasked,
};
use crate::ask::{Ask, Stop, VerdictOrStop, settled};
use crate::form::Form;
use crate::look::{Looker, Seen};
use crate::orders::neither_failed;
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
    source: "Wang et al. 2024 (FairEval), sections 4.1 and 4.2",
    prompts: &[],
    shows_parts: false,
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
        reject_unasked(form)
            .or((!reasoning.is_written()).then_some(
                "mec averages over samples of the evidence that the judge writes, but direct \
                 writes none; use cot, pros-cons, prepair or prepair-star",
            ))
            .or_else(|| two.and_then(reject_one_in_view))
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        let own = self.sample(looker, scene, ask);
        if !self.both_orders {
            return Ok(average_samples(settled(own)?, scene.reversed, ask)?);
        }
        // The samples of both orders are asked for together, and both have the same weight.
        let swapped = scene.swapped();
        let other = self.sample(looker, &swapped, ask);
        let other = other.map(|seen| seen.map(Seen::swapped));
        let mut forward = settled(own.chain(other))?;
        let backward = forward.split_off(self.k as usize);
        let means = neither_failed([
            average_samples(forward, false, ask),
            average_samples(backward, true, ask),
        ])?;
        mean(&means).ok_or_else(|| no_sample().into())
    }
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
