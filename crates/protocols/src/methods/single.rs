//! Each comparison once.

use super::{Calibration, Cost, Method, Presentation};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::prompts::PromptFile;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[
        ("single", "once, in an order drawn from the seed"),
        ("single:fixed", "once, in the order of the data"),
    ],
    options: "",
    source: "",
    prompts: &[],
    parse,
};

#[derive(Debug)]
struct Single {
    /// Whether the order is that of the data.
    fixed: bool,
}

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    match (name, options) {
        ("single", []) => Some(Box::new(Single { fixed: false })),
        ("single", ["fixed"]) => Some(Box::new(Single { fixed: true })),
        _ => None,
    }
}

impl Calibration for Single {
    fn presentation(&self) -> Presentation {
        if self.fixed {
            Presentation::AsGiven
        } else {
            Presentation::Drawn
        }
    }

    fn cost(&self) -> Cost {
        Cost::one_round(1, 1)
    }

    fn reject(&self, _: Form, _: Reasoning) -> Option<&'static str> {
        None
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

impl fmt::Display for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.fixed { "single:fixed" } else { "single" })
    }
}
