//! Both orders within one trial.

use super::{
    Calibration, Cost, Method, Presentation, reject_lists, reject_one_in_view, reject_unasked,
};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::orders::{Disagree, conclude, look_twice};
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[(
        "swap:average, swap:tie, swap:none",
        "both orders within one trial; the last word is what contradicting verdicts come to",
    )],
    options: "",
    source: "Zheng et al. 2023 (MT-Bench), section 3.4: `swap:tie`",
    prompts: &[],
    shows_parts: false,
    parse,
};

#[derive(Debug)]
struct BothOrders(Disagree);

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    match (name, options) {
        ("swap", [rule]) => Some(Box::new(BothOrders(Disagree::parse(rule)?))),
        _ => None,
    }
}

impl Calibration for BothOrders {
    fn presentation(&self) -> Presentation {
        Presentation::BothWithinTrial
    }

    fn cost(&self) -> Cost {
        Cost::one_round(2, 1)
    }

    fn reject(&self, form: Form, _: Reasoning) -> Option<&'static str> {
        let ties = (self.0 == Disagree::Tie).then_some(form);
        reject_unasked(form)
            .or_else(|| reject_one_in_view(form))
            .or_else(|| ties.and_then(reject_lists))
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        let looks = look_twice(looker, scene, "", ask)?;
        Ok(conclude(looks, self.0)?)
    }
}

impl fmt::Display for BothOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "swap:{}", self.0)
    }
}
