//! A protocol's name: form[/reasoning[/calibration[/rubric]]], or a preset's.

use crate::error::ProtocolError;
use crate::form::{Form, Slots};
use crate::methods::{Calibration, name_calibrations, parse_calibration};
use crate::preset::expand_preset;
use crate::prompts::Pack;
use crate::reasonings::{Reasoning, name_reasonings};

/// The rubric where none is named.
pub(crate) const RULES: &str = "rules";

/// The four parts of a protocol.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) form: Form,
    pub(crate) reasoning: Reasoning,
    pub(crate) calibration: Box<dyn Calibration>,
    pub(crate) rubric: String,
}

impl Parts {
    /// Reads a name, with `direct`, `swap` (for one response `single`) and `rules` where a part is
    /// left out.
    pub(crate) fn parse(given: &str, pack: &Pack) -> Result<Parts, ProtocolError> {
        let mut parts = expand_preset(given).split('/');
        let form = parse_form(given, parts.next().unwrap_or(""))?;
        let found = Parts {
            form,
            reasoning: parse_reasoning(given, parts.next().unwrap_or("direct"))?,
            calibration: parse_method(given, parts.next().unwrap_or(usual_calibration(form)))?,
            rubric: parse_rubric(given, parts.next().unwrap_or(RULES), pack)?,
        };
        let checked = found.check(parts.next());
        checked.map_err(|why| no_meaning(given, why))?;
        Ok(found)
    }

    /// Checks that these parts go together, and that nothing follows them.
    fn check(&self, rest: Option<&str>) -> Result<(), &'static str> {
        self.find_conflict(rest).map_or(Ok(()), Err)
    }

    /// Returns why these parts do not go together, if they do not.
    fn find_conflict(&self, rest: Option<&str>) -> Option<&'static str> {
        if rest.is_some() {
            return Some("expected at most four parts, form/reasoning/calibration/rubric");
        }
        let is_likelihood = matches!(self.form, Form::Likelihood(_));
        if is_likelihood && self.says_more_than_a_likelihood_takes() {
            return Some(
                "likelihood asks for no verdict, so nothing can be reasoned or laid down before \
                 it; use likelihood/direct/single",
            );
        }
        let checklist = matches!(self.form, Form::Checklist(_)).then_some(self);
        checklist
            .and_then(Parts::find_checklist_conflict)
            .or_else(|| self.calibration.reject(self.form, self.reasoning))
    }

    /// Returns why a checklist does not go with the other parts, if it does not.
    fn find_checklist_conflict(&self) -> Option<&'static str> {
        if self.rubric != RULES {
            return Some("checklist judges by the criteria of the item, so it takes no rubric");
        }
        let is_usual = ["direct", "cot"].contains(&self.reasoning.kind.name);
        (!is_usual).then_some(
            "checklist asks whether each criterion is met, with or without a few sentences before; \
             use direct or cot, each perhaps with +metrics or +reference",
        )
    }

    fn says_more_than_a_likelihood_takes(&self) -> bool {
        let reasoning = self.reasoning;
        reasoning.is_written() || reasoning.metrics || reasoning.reference || self.rubric != RULES
    }
}

fn no_meaning(given: &str, why: &'static str) -> ProtocolError {
    let given = given.into();
    ProtocolError::NoMeaning { given, why }
}

fn usual_calibration(form: Form) -> &'static str {
    if form.slots() == Slots::One {
        "single"
    } else {
        "swap"
    }
}

fn parse_form(given: &str, part: &str) -> Result<Form, ProtocolError> {
    let forms = || format!("{}, or a preset (evenhand prompts list)", Form::NAMES);
    Form::parse(part).ok_or_else(|| unknown_part(given, part, "form", &forms()))
}

fn parse_reasoning(given: &str, part: &str) -> Result<Reasoning, ProtocolError> {
    let unknown = || unknown_part(given, part, "reasoning", &name_reasonings());
    Reasoning::parse(part).ok_or_else(unknown)
}

fn parse_method(given: &str, part: &str) -> Result<Box<dyn Calibration>, ProtocolError> {
    let unknown = || unknown_part(given, part, "calibration", &name_calibrations());
    parse_calibration(part).ok_or_else(unknown)
}

fn parse_rubric(given: &str, part: &str, pack: &Pack) -> Result<String, ProtocolError> {
    let rubrics: Vec<&str> = pack.rubrics().collect();
    if rubrics.contains(&part) {
        Ok(part.into())
    } else {
        Err(unknown_part(given, part, "rubric", &rubrics.join(", ")))
    }
}

fn unknown_part(given: &str, part: &str, axis: &'static str, expected: &str) -> ProtocolError {
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
