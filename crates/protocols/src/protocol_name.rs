//! A protocol's name: form[/reasoning[/calibration[/rubric]]], or a preset's.

use crate::error::ProtocolError;
use crate::form::{Form, Slots};
use crate::judged::ProtocolOptions;
use crate::methods::{Calibration, Method, name_calibrations, parse_calibration};
use crate::preset::{PRESETS, expand_preset};
use crate::reasonings::{Reasoning, name_reasonings};
use evenhand_core::did_you_mean;

/// The rubric where none is named.
pub(crate) const RULES: &str = "rules";

/// The four parts of a protocol.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) form: Form,
    pub(crate) reasoning: Reasoning,
    pub(crate) method: &'static Method,
    pub(crate) calibration: Box<dyn Calibration>,
    pub(crate) rubric: String,
}

impl Parts {
    /// Reads a name, with `direct`, `swap` (for one response `single`) and `rules` where a part is
    /// left out.
    pub(crate) fn parse(given: &str, options: &ProtocolOptions) -> Result<Parts, ProtocolError> {
        let mut parts = expand_preset(given).split('/');
        let rubrics: Vec<&str> = options.pack.rubrics().collect();
        // A rubric that stands in the place of another part is told where it belongs.
        let expect = |part: &str, names: String| match rubrics.contains(&part) {
            true => format!(
                "{names}; `{part}` is a rubric, the fourth part: form/reasoning/calibration/{part}"
            ),
            false => names,
        };
        let part = parts.next().unwrap_or("");
        let form = Form::parse(part).ok_or_else(|| unknown_form(given, part))?;
        let part = parts.next().unwrap_or("direct");
        let reasoning = Reasoning::parse(part).ok_or_else(|| {
            unknown_part(given, part, "reasoning", &expect(part, name_reasonings()))
        })?;
        let usual = match form.slots() {
            Slots::One => "single",
            Slots::Two if options.averages_orders && form.reading().is_some() => "swap:average",
            Slots::Two | Slots::Many(_) => "swap",
        };
        let part = parts.next().unwrap_or(usual);
        let (method, calibration) = parse_calibration(part).ok_or_else(|| {
            unknown_part(
                given,
                part,
                "calibration",
                &expect(part, name_calibrations()),
            )
        })?;
        let rubric = parts.next().unwrap_or(RULES);
        if !rubrics.contains(&rubric) {
            let names = rubrics.join(", ");
            let names = format!("{names}, or one of your own: rubrics/NAME.toml in a prompt pack");
            return Err(unknown_part(given, rubric, "rubric", &names));
        }
        let found = Parts {
            form,
            reasoning,
            method,
            calibration,
            rubric: rubric.into(),
        };
        match found.find_conflict(parts.next()) {
            Some(why) => Err(ProtocolError::NoMeaning {
                given: given.into(),
                why,
            }),
            None => Ok(found),
        }
    }

    /// Returns why these parts do not go together, or with what follows them, if they do not.
    fn find_conflict(&self, rest: Option<&str>) -> Option<&'static str> {
        if rest.is_some() {
            return Some("expected at most four parts, form/reasoning/calibration/rubric");
        }
        let reasoning = self.reasoning;
        let has_rubric = self.rubric != RULES;
        let is_prepared =
            reasoning.is_written() || reasoning.metrics || reasoning.reference || has_rubric;
        match self.form {
            form if form.asks_nothing() && is_prepared => Some(
                "likelihood and reward ask for no verdict, so there is nothing to reason or \
                 prescribe before it; use likelihood/direct/single or reward/direct/single",
            ),
            Form::Checklist(_) if has_rubric => {
                Some("checklist judges by the criteria of the item, so it takes no rubric")
            }
            Form::Checklist(_) if !["direct", "cot"].contains(&reasoning.kind.name) => Some(
                "checklist asks whether each criterion is met, with or without a few sentences \
                 before; use direct or cot, each perhaps with +metrics or +reference",
            ),
            form => self.calibration.reject(form, reasoning),
        }
    }
}

/// A first part that is no form, where a preset may stand too. One that is close to a name gets
/// that name alone: the list of all is long.
fn unknown_form(given: &str, part: &str) -> ProtocolError {
    let presets = PRESETS.iter().map(|preset| preset.name);
    let meant = did_you_mean(part, names_in(Form::NAMES).chain(presets));
    let expected = match meant.is_empty() {
        true => format!("{}, or a preset (`evenhand prompts list`)", Form::NAMES),
        false => {
            "a form such as pairwise or pointwise, or a preset (`evenhand prompts list`)".into()
        }
    };
    unknown(given, part, "form", expected + &meant)
}

fn unknown_part(given: &str, part: &str, axis: &'static str, expected: &str) -> ProtocolError {
    let meant = did_you_mean(part, names_in(expected));
    unknown(given, part, axis, format!("{expected}{meant}"))
}

/// Returns the names that a text says are expected; what follows in brackets are words about them.
fn names_in(expected: &str) -> impl Iterator<Item = &str> {
    let names = expected.split('(').next().unwrap_or_default();
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '+';
    let names = names.split(move |letter| !is_of_name(letter));
    names.filter(|name| name.len() >= 3)
}

fn unknown(given: &str, part: &str, axis: &'static str, expected: String) -> ProtocolError {
    let part = if part.is_empty() {
        "an empty part".to_string()
    } else {
        format!("`{part}`")
    };
    ProtocolError::Unknown {
        given: given.into(),
        part,
        axis,
        expected,
    }
}
