//! Both responses side by side, each read blind to the other: there is no order that could matter.

use super::{Calibration, Cost, Method, Presentation};
use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::look::Looker;
use crate::prompts::PromptFile;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[(
        "order-free",
        "both side by side, each read blind to the other; GGUF models alone can be asked so",
    )],
    options: "",
    source: "",
    prompts: &[ORDER_FREE],
    shows_parts: false,
    parse,
};

/// Begins, shows one response, names it, and asks.
const ORDER_FREE: PromptFile = PromptFile {
    name: crate::prompts::BESIDE,
    text: include_str!("../../prompts/order-free.toml"),
};

#[derive(Debug)]
struct OrderFree;

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    match (name, options) {
        ("order-free", []) => Some(Box::new(OrderFree)),
        _ => None,
    }
}

impl Calibration for OrderFree {
    fn presentation(&self) -> Presentation {
        Presentation::BothWithinTrial
    }

    fn cost(&self) -> Cost {
        Cost::one_round(1, 1)
    }

    fn reject(&self, form: Form, reasoning: Reasoning) -> Option<&'static str> {
        let is_direct = reasoning.kind.name == "direct" && !reasoning.is_written();
        let asks_more = reasoning.metrics || reasoning.reference || reasoning.analyses_only;
        let fits = matches!(form, Form::Pairwise(_)) && is_direct && !asks_more;
        (!fits).then_some(
            "order-free asks at once which of two responses is better; use it with \
             pairwise/direct, or use swap:average",
        )
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        looker.look_beside(scene, ask)
    }
}

impl fmt::Display for OrderFree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("order-free")
    }
}
