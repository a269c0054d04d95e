//! Each comparison in both orders, as two trials: both verdicts count, and how they become one is
//! left to the aggregation.

use super::{Calibration, Cost, Method, Presentation, reject_likelihood, reject_one_in_view};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::prompts::PromptFile;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[(
        "swap",
        "each pair in both orders, as two trials (the default where responses are compared)",
    )],
    options: "",
    source: "",
    prompts: &[],
    parse,
};

#[derive(Debug)]
struct Swap;

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    match (name, options) {
        ("swap", []) => Some(Box::new(Swap)),
        _ => None,
    }
}

impl Calibration for Swap {
    fn presentation(&self) -> Presentation {
        Presentation::BothAsTrials
    }

    fn cost(&self) -> Cost {
        Cost::one_round(1, 1)
    }

    fn reject(&self, form: Form, _: Reasoning) -> Option<&'static str> {
        reject_likelihood(form).or_else(|| reject_one_in_view(form))
    }

    fn prompts(&self) -> &'static [PromptFile] {
        METHOD.prompts
    }

    fn shows_parts(&self) -> bool {
        false
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        Ok(looker.look(scene, ask)?.verdict)
    }
}

impl fmt::Display for Swap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("swap")
    }
}
