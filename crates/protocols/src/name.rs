//! A protocol's name: form[/reasoning[/calibration[/rubric]]], or a preset's.

use crate::calibration::{Calibration, Disagree};
use crate::error::ProtocolError;
use crate::form::{Form, Slots};
use crate::preset;
use crate::prompts::Pack;
use crate::reasoning::Reasoning;

/// The rubric where none is named.
pub(crate) const RULES: &str = "rules";

/// The four parts of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) form: Form,
    pub(crate) reasoning: Reasoning,
    pub(crate) calibration: Calibration,
    pub(crate) rubric: String,
}

impl Parts {
    /// Reads a name, with `direct`, `swap` (for one response `single`) and `rules` where a part is
    /// left out.
    pub(crate) fn parse(given: &str, pack: &Pack) -> Result<Parts, ProtocolError> {
        let mut parts = preset::expand(given).split('/');
        let form = parts.next().unwrap_or("");
        let form = Form::parse(form).ok_or_else(|| unknown(given, form, "form", &forms()))?;
        let reasoning = parts.next().unwrap_or("direct");
        let reasoning = Reasoning::parse(reasoning)
            .ok_or_else(|| unknown(given, reasoning, "reasoning", Reasoning::NAMES))?;
        let calibration = parts.next().unwrap_or(if form.slots() == Slots::One {
            "single"
        } else {
            "swap"
        });
        let calibration = Calibration::parse(calibration)
            .ok_or_else(|| unknown(given, calibration, "calibration", Calibration::NAMES))?;
        let rubric = parts.next().unwrap_or(RULES);
        let rubrics: Vec<&str> = pack.rubrics().collect();
        if !rubrics.contains(&rubric) {
            return Err(unknown(given, rubric, "rubric", &rubrics.join(", ")));
        }
        let found = Parts {
            form,
            reasoning,
            calibration,
            rubric: rubric.into(),
        };
        match found.meaningless(parts.next()) {
            Some(why) => Err(ProtocolError::NoMeaning {
                given: given.into(),
                why,
            }),
            None => Ok(found),
        }
    }

    /// Why these parts do not go together, if they do not.
    fn meaningless(&self, rest: Option<&str>) -> Option<&'static str> {
        let Parts {
            form,
            reasoning,
            calibration,
            rubric,
        } = self;
        match (form, form.slots(), calibration) {
            _ if rest.is_some() => {
                Some("expected at most four parts, form/reasoning/calibration/rubric")
            }
            (Form::Likelihood(_), ..)
                if reasoning.is_written()
                    || reasoning.metrics
                    || reasoning.reference
                    || rubric != RULES =>
            {
                Some(
                    "likelihood asks for no verdict, so nothing can be reasoned or laid down \
                     before it; use likelihood/direct/single",
                )
            }
            (_, _, Calibration::Single { .. }) => None,
            (Form::Likelihood(_), ..) => Some(
                "likelihood is the same in every order and every sample; use \
                 likelihood/direct/single",
            ),
            (.., Calibration::Mec { .. }) if !reasoning.is_written() => Some(
                "mec averages over samples of the evidence that the judge writes, and direct \
                 writes none; use cot, pros-cons, prepair or prepair-star",
            ),
            (
                ..,
                Calibration::Mec {
                    both_orders: false, ..
                },
            ) => None,
            (_, Slots::One, _) => Some(
                "this calibration needs two responses in one prompt, and this form shows one at a \
                 time; use single or mec",
            ),
            (.., Calibration::SwapCot(_)) if !reasoning.is_in_the_reply() => Some(
                "swap-cot shows the judge the explanations that came with its verdicts; use cot or \
                 pros-cons",
            ),
            (
                _,
                Slots::Many(_),
                Calibration::SwapCot(_)
                | Calibration::Portia(_)
                | Calibration::BothOrders(Disagree::Tie),
            ) => Some(
                "this calibration is for two responses, and listwise shows more; use single, swap, \
                 swap:average, swap:none or mec",
            ),
            _ => None,
        }
    }
}

fn forms() -> String {
    format!("{}, or a preset (evenhand prompts list)", Form::NAMES)
}

fn unknown(given: &str, part: &str, axis: &'static str, expected: &str) -> ProtocolError {
    let part = if part.is_empty() {
        "an empty part".to_string()
    } else {
        format!("`{part}`")
    };
    ProtocolError::Unknown {
        given: given.into(),
        part,
        axis,
        expected: expected.into(),
    }
}
