//! A protocol: form x reasoning x calibration.

use crate::{Ask, Form, Judged, PromptError, Prompts, likelihood, reading};
use evenhand_core::{Failure, FailureKind, View};
use std::fmt;

/// What comes before the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    /// Nothing: the verdict alone.
    Direct,
    /// The judge reasons in writing, then gives its verdict.
    Cot,
}

/// How several looks become one verdict. Order belongs to the plan, so that every look stays measurable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibration {
    /// Each comparison once, in an order drawn from the seed.
    Single,
    /// Each pair in both orders; both verdicts count.
    Swap,
}

/// How a judge is asked and its reply read.
#[derive(Debug)]
pub struct Protocol {
    form: Form,
    reasoning: Reasoning,
    calibration: Calibration,
    prompts: Prompts,
}

/// A protocol that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// A name that is none.
    #[error("--protocol {given}: {part} is no {axis}; expected {expected}")]
    Unknown {
        /// The whole name.
        given: String,
        /// The part that is unknown.
        part: String,
        /// The axis it should be on.
        axis: &'static str,
        /// The names of that axis.
        expected: &'static str,
    },
    /// Parts that do not go together.
    #[error("--protocol {given}: {why}")]
    NoMeaning {
        /// The whole name.
        given: String,
        /// Why not, and what to ask for instead.
        why: &'static str,
    },
    /// Its prompts are broken.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl Protocol {
    /// Reads `form[/reasoning[/calibration]]`, with `direct` and (for pairs) `swap` where a part is left out.
    pub fn parse(name: &str) -> Result<Protocol, ProtocolError> {
        let mut parts = name.split('/');
        let form = form_of(name, parts.next().unwrap_or(""))?;
        let reasoning = reasoning_of(name, parts.next().unwrap_or("direct"))?;
        let default = if form.responses() == 2 { "swap" } else { "single" };
        let calibration = calibration_of(name, parts.next().unwrap_or(default))?;
        if let Some(why) = meaningless(form, reasoning, calibration, parts.next()) {
            return Err(ProtocolError::NoMeaning { given: name.into(), why });
        }
        Ok(Protocol { form, reasoning, calibration, prompts: Prompts::builtin(form, reasoning)? })
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// What comes before the verdict.
    pub fn reasoning(&self) -> Reasoning {
        self.reasoning
    }

    /// How several looks become one verdict.
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// What decides, beside the name, what is asked and how it is read: prompts and reader.
    pub fn fingerprint(&self) -> String {
        format!("{}.{}", self.prompts.fingerprint(), reading::VERSION)
    }

    /// Rounds of calls, one after the other.
    pub fn rounds(&self) -> u32 {
        1
    }

    /// Judges the responses in view. Pure: run from the top again whenever a reply has arrived.
    pub fn judge(&self, view: &View, ask: &Ask) -> Judged {
        match self.form {
            Form::Likelihood => likelihood::judge(view, ask, &self.prompts),
            form => {
                let prompt = self.prompts.verdict(form, self.reasoning, view);
                let prompt = prompt.map_err(|e| Failure::new(FailureKind::Invalid, e.to_string()))?;
                Ok(reading::read(form, &ask.one(prompt)?, self.prompts.marker())?)
            }
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasoning = match self.reasoning {
            Reasoning::Direct => "direct",
            Reasoning::Cot => "cot",
        };
        let calibration = match self.calibration {
            Calibration::Single => "single",
            Calibration::Swap => "swap",
        };
        write!(f, "{}/{reasoning}/{calibration}", self.form)
    }
}

fn form_of(given: &str, part: &str) -> Result<Form, ProtocolError> {
    let expected = "pairwise, pairwise-tie, pointwise, pointwise:LOW-HIGH (such as pointwise:1-5) or likelihood";
    Form::parse(part).ok_or_else(|| unknown(given, part, "form", expected))
}

fn reasoning_of(given: &str, part: &str) -> Result<Reasoning, ProtocolError> {
    match part {
        "direct" => Ok(Reasoning::Direct),
        "cot" => Ok(Reasoning::Cot),
        _ => Err(unknown(given, part, "reasoning", "direct or cot")),
    }
}

fn calibration_of(given: &str, part: &str) -> Result<Calibration, ProtocolError> {
    match part {
        "single" => Ok(Calibration::Single),
        "swap" => Ok(Calibration::Swap),
        _ => Err(unknown(given, part, "calibration", "single or swap")),
    }
}

fn unknown(given: &str, part: &str, axis: &'static str, expected: &'static str) -> ProtocolError {
    let part = if part.is_empty() { "an empty part".to_string() } else { format!("`{part}`") };
    ProtocolError::Unknown { given: given.into(), part, axis, expected }
}

fn meaningless(form: Form, reasoning: Reasoning, calibration: Calibration, rest: Option<&str>) -> Option<&'static str> {
    match (form, reasoning, calibration) {
        _ if rest.is_some() => Some("expected at most three parts, form/reasoning/calibration"),
        (Form::Likelihood, Reasoning::Cot, _) => {
            Some("likelihood asks for no verdict, so nothing can be reasoned before it; use likelihood/direct/single")
        }
        (form, _, Calibration::Swap) if form.responses() == 1 => {
            Some("swap needs two responses in one prompt, and this form shows one at a time; use single")
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
