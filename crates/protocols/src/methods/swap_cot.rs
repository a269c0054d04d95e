//! Swap+CoT: where the orders disagree, the judge is shown both explanations and asked again.

use super::{
    Asked, Calibration, Cost, Method, Presentation, reject_lists, reject_one_in_view,
    reject_unasked,
};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::orders::{Disagree, agree, conclude, look_in_both_orders, look_twice};
use crate::prompts::PromptFile;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[(
        "swap-cot",
        "where the orders disagree, both explanations are shown and the judge is asked again",
    )],
    options: "swap-cot takes average, tie or none for what still disagrees",
    source: "Zeng et al. 2024 (LLMBar), section 4: Swap+CoT",
    prompts: &[RECONSIDER],
    shows_parts: false,
    parse,
};

/// Asks again, with two assessments that contradict one another in view.
const RECONSIDER: PromptFile = PromptFile {
    name: "reconsider",
    text: include_str!("../../prompts/reconsider.toml"),
};

/// The rule is for what still disagrees when the judge was asked again.
#[derive(Debug)]
struct SwapCot(Disagree);

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    match (name, options) {
        ("swap-cot", []) => Some(Box::new(SwapCot(Disagree::Average))),
        ("swap-cot", [rule]) => Some(Box::new(SwapCot(Disagree::parse(rule)?))),
        _ => None,
    }
}

impl Calibration for SwapCot {
    fn presentation(&self) -> Presentation {
        Presentation::BothWithinTrial
    }

    fn cost(&self) -> Cost {
        Cost {
            least: Asked::verdicts(2, 1),
            most: Asked::verdicts(4, 2),
            samples: 1,
        }
    }

    fn reject(&self, form: Form, reasoning: Reasoning) -> Option<&'static str> {
        let explains = reasoning.is_in_the_reply();
        reject_unasked(form)
            .or_else(|| reject_one_in_view(form))
            .or((!explains).then_some(
                "swap-cot shows the judge the explanations that came with its verdicts; use cot or \
                 pros-cons",
            ))
            .or_else(|| reject_lists(form))
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        let first = look_twice(looker, scene, "first", ask)?;
        let [Ok(forward), Ok(backward)] = &first else {
            return Ok(conclude(first, self.0)?);
        };
        if agree(&forward.verdict, &backward.verdict) {
            return Ok(conclude(first, self.0)?);
        }
        let second = look_in_both_orders(scene, "again", ask, |scene, ask| {
            // The one that was written in the scene's own order comes first.
            let explanations = match scene.reversed {
                true => [&*backward.text, &*forward.text],
                false => [&*forward.text, &*backward.text],
            };
            looker.look_again(RECONSIDER.name, scene, explanations, ask)
        })?;
        Ok(conclude(second, self.0)?)
    }
}

impl fmt::Display for SwapCot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Disagree::Average => f.write_str("swap-cot"),
            rule => write!(f, "swap-cot:{rule}"),
        }
    }
}
