//! Swap+CoT: where the orders disagree, the judge is shown both explanations and asked again.

use super::{
    Asked, Calibration, Cost, Method, Presentation, reject_likelihood, reject_lists,
    reject_one_in_view,
};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::orders::{BothLooks, Disagree, agree, conclude, look_in_both_orders, look_twice};
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
        reject_likelihood(form)
            .or_else(|| reject_one_in_view(form))
            .or((!explains).then_some(
                "swap-cot shows the judge the explanations that came with its verdicts; use cot or \
                 pros-cons",
            ))
            .or_else(|| reject_lists(form))
    }

    fn prompts(&self) -> &'static [PromptFile] {
        METHOD.prompts
    }

    fn shows_parts(&self) -> bool {
        false
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        let first = look_twice(looker, scene, "first", ask)?;
        let Some(explanations) = contradicting_texts(&first) else {
            return Ok(conclude(first, self.0)?);
        };
        let second = look_in_both_orders(scene, "again", ask, |scene, ask| {
            looker.look_again(RECONSIDER.name, scene, own_first(&explanations, scene), ask)
        })?;
        Ok(conclude(second, self.0)?)
    }
}

/// Returns the explanations of two looks whose verdicts contradict one another.
fn contradicting_texts(looks: &BothLooks) -> Option<[String; 2]> {
    let [Ok(forward), Ok(backward)] = looks else {
        return None;
    };
    let contradicts = !agree(&forward.verdict, &backward.verdict);
    contradicts.then(|| [forward.text.clone(), backward.text.clone()])
}

/// Returns the explanations in the order in which a scene shows them: first the one that was written
/// in the scene's own order.
fn own_first<'a>([forward, backward]: &'a [String; 2], scene: &Scene) -> [&'a str; 2] {
    if scene.reversed {
        [backward, forward]
    } else {
        [forward, backward]
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
