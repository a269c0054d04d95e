//! One look in each trial: in one order, or in both orders as two trials, of which both verdicts
//! count and the aggregation says how they become one.

use super::{Calibration, Cost, Method, Presentation, reject_one_in_view, reject_unasked};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use std::fmt;

pub(super) const SWAP: Method = Method {
    names: &[(
        "swap",
        "each pair in both orders, as two trials (the default where responses are compared)",
    )],
    options: "",
    source: "",
    prompts: &[],
    shows_parts: false,
    parse: |name, options| match (name, options) {
        ("swap", []) => Some(Box::new(Once(Presentation::BothAsTrials))),
        _ => None,
    },
};

pub(super) const SINGLE: Method = Method {
    names: &[
        ("single", "once, in an order drawn from the seed"),
        ("single:fixed", "once, in the order of the data"),
    ],
    options: "",
    source: "",
    prompts: &[],
    shows_parts: false,
    parse: |name, options| match (name, options) {
        ("single", []) => Some(Box::new(Once(Presentation::Drawn))),
        ("single", ["fixed"]) => Some(Box::new(Once(Presentation::AsGiven))),
        _ => None,
    },
};

#[derive(Debug)]
struct Once(Presentation);

impl Calibration for Once {
    fn presentation(&self) -> Presentation {
        self.0
    }

    fn cost(&self) -> Cost {
        Cost::one_round(1, 1)
    }

    fn reject(&self, form: Form, _: Reasoning) -> Option<&'static str> {
        match self.0 {
            Presentation::BothAsTrials => reject_unasked(form).or_else(|| reject_one_in_view(form)),
            _ => None,
        }
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        Ok(looker.look(scene, ask)?.verdict)
    }
}

impl fmt::Display for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Presentation::BothAsTrials => "swap",
            Presentation::AsGiven => "single:fixed",
            _ => "single",
        })
    }
}
