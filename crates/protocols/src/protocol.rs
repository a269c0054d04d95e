//! A protocol: form x reasoning x calibration, and the rubric that says what "better" means.

use crate::ask::{Ask, Judged};
use crate::calibration::{self, Calibration};
use crate::error::ProtocolError;
use crate::fitted::{Feature, Fitted, Member};
use crate::form::{Against, Form, Scale};
use crate::look::Looker;
use crate::name::{Parts, RULES};
use crate::panel::{Panel, panel};
use crate::prompts::{Needs, Pack, PromptError, Prompts};
use crate::reasoning::{Reasoning, ReasoningKind};
use crate::scene::Scene;
use crate::{likelihood, reading};
use evenhand_core::{Outcome, Reply, View};
use std::fmt;

/// How a judge is asked and its reply read.
#[derive(Debug)]
pub struct Protocol {
    pub(crate) form: Form,
    pub(crate) reasoning: Reasoning,
    pub(crate) calibration: Calibration,
    pub(crate) rubric: String,
    pub(crate) panel: Panel,
    pub(crate) prompts: Prompts,
    /// Of a calibrated panel: what is asked in place of all above, which then says only what comes
    /// out of it.
    pub(crate) fitted: Option<Fitted>,
}

/// What a protocol is made of beside its name.
#[derive(Clone, Debug, Default)]
pub struct ProtocolOptions {
    /// The prompts.
    pub pack: Pack,
    /// The scale, in place of the form's own.
    pub scale: Option<Scale>,
    /// How the verdicts of several judges become one.
    pub panel: Panel,
}

impl Protocol {
    /// Reads `form[/reasoning[/calibration[/rubric]]]` or a preset's name, with the built-in
    /// prompts.
    pub fn parse(name: &str) -> Result<Protocol, ProtocolError> {
        Protocol::with(name, &ProtocolOptions::default())
    }

    /// The same with other prompts, another scale, or a rule for a panel.
    pub fn with(name: &str, options: &ProtocolOptions) -> Result<Protocol, ProtocolError> {
        let Parts {
            mut form,
            reasoning,
            calibration,
            rubric,
        } = Parts::parse(name, &options.pack)?;
        if let Some(scale) = options.scale {
            let none = || ProtocolError::NoScale {
                scale: scale.to_string(),
                form: form.to_string(),
            };
            form = form.with_scale(scale).ok_or_else(none)?;
        }
        let prompts = load_prompts(form, reasoning, calibration, &rubric, &options.pack)?;
        Ok(Protocol {
            form,
            reasoning,
            calibration,
            rubric,
            panel: options.panel,
            prompts,
            fitted: None,
        })
    }

    /// A calibrated panel: P(the first is better) = 1 / (1 + exp(-sum of weight x difference)),
    /// over its members and then features. It compares two responses, in both orders where a
    /// member's order matters, within one trial.
    ///
    /// # Errors
    /// No member, one that shows more than two responses, or not a finite weight for each member
    /// and feature.
    pub fn panel_of(
        members: Vec<Member>,
        features: Vec<Feature>,
        weights: Vec<f64>,
    ) -> Result<Protocol, ProtocolError> {
        let fitted = Fitted::new(members, features, weights).map_err(ProtocolError::Panel)?;
        Ok(Protocol {
            fitted: Some(fitted),
            ..Protocol::parse("pairwise/direct/swap:average")?
        })
    }

    /// What a reply says by its text alone, where it also has the probabilities of the answers, and
    /// what the most probable of them says: a judge may write one thing and mean another. None for
    /// a reply without either.
    pub fn two_readings(&self, responses: usize, reply: &Reply) -> Option<[Outcome; 2]> {
        let answers = reply
            .answers
            .as_ref()
            .filter(|_| self.fitted.is_none() && !reply.text.trim().is_empty())?;
        let two = [None, Some(reading::likeliest_alone(answers))].map(|answers| Reply {
            answers,
            ..reply.clone()
        });
        Some(two.map(|reply| reading::read(self.form, responses, &reply, &self.prompts)))
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

    /// Whether the probabilities of answers are asked for, beside the text.
    pub fn wants_probabilities(&self) -> bool {
        match &self.fitted {
            Some(fitted) => fitted.protocols().any(Protocol::wants_probabilities),
            None => !self.form.options().is_empty() && self.prompts.notation().is_none(),
        }
    }

    /// Whether this is a calibrated panel.
    pub fn is_calibrated(&self) -> bool {
        self.fitted.is_some()
    }

    /// Whether texts are shown between marks, in the prompts of some call: not where responses are
    /// scored after the conversation as it stands.
    pub fn shows_texts(&self) -> bool {
        match (&self.fitted, self.form) {
            (Some(fitted), _) => fitted.protocols().any(Protocol::shows_texts),
            (None, Form::Likelihood(likely)) => likely.against == Against::Inverse,
            (None, _) => true,
        }
    }

    /// Whether a judge must say how probable a given text is; for a calibrated panel, its judge of
    /// this number.
    pub fn scores_texts(&self, judge: usize) -> bool {
        match &self.fitted {
            Some(fitted) => fitted
                .of_judge(judge)
                .any(|protocol| protocol.scores_texts(0)),
            None => matches!(self.form, Form::Likelihood(_)),
        }
    }

    /// How the verdicts of several judges become one.
    pub fn panel(&self) -> Panel {
        self.panel
    }

    /// What decides, beside the name, what is asked and how it is read: prompts and reader.
    pub fn fingerprint(&self) -> String {
        let fitted = self.fitted.as_ref().map(Fitted::fingerprint);
        format!(
            "{}.{}",
            fitted.as_deref().unwrap_or(self.prompts.fingerprint()),
            reading::VERSION
        )
    }

    /// Rounds of calls, one after the other, where every call is needed; without the second stage,
    /// which adds one to each round of verdicts.
    pub fn rounds_at_most(&self) -> u32 {
        if let Some(fitted) = &self.fitted {
            return fitted
                .protocols()
                .map(Protocol::rounds_at_most)
                .max()
                .unwrap_or(0);
        }
        let context = u32::from(self.reasoning.metrics || self.reasoning.reference);
        let steps = match self.calibration {
            Calibration::SwapCot(_) => 2,
            Calibration::Portia(portia) => [portia.original, portia.length, portia.semantic]
                .map(u32::from)
                .iter()
                .sum(),
            _ => 1,
        };
        let notes = match self.reasoning.kind {
            ReasoningKind::Prepair => 1,
            // One analysis of all responses is written anew for each step, which shows them in
            // other parts.
            ReasoningKind::PrepairStar => steps,
            _ => 0,
        };
        context + notes + steps + u32::from(self.embeds())
    }

    /// Whether responses are embedded (portia with `embedding`).
    pub fn embeds(&self) -> bool {
        let own = matches!(self.calibration, Calibration::Portia(portia) if portia.embedding);
        own || self
            .fitted
            .iter()
            .flat_map(Fitted::protocols)
            .any(Protocol::embeds)
    }

    /// Whether further calls depend on what the first ones say.
    pub fn is_adaptive(&self) -> bool {
        let own = matches!(
            self.calibration,
            Calibration::SwapCot(_) | Calibration::Portia(_)
        );
        own || self
            .fitted
            .iter()
            .flat_map(Fitted::protocols)
            .any(Protocol::is_adaptive)
    }

    /// Judges the responses in view. Pure: run from the top again whenever a reply has arrived.
    pub fn judge(&self, view: &View, ask: &Ask) -> Judged {
        if let Some(fitted) = &self.fitted {
            return fitted.judge(view, ask);
        }
        match ask.members() {
            1 => self.judge_by_one(view, ask),
            _ => panel(self.panel, ask, |ask| self.judge_by_one(view, ask)),
        }
    }

    pub(crate) fn judge_by_one(&self, view: &View, ask: &Ask) -> Judged {
        if let Form::Likelihood(likely) = self.form {
            return likelihood::judge(view, likely, ask, &self.prompts);
        }
        let looker = Looker {
            form: self.form,
            reasoning: self.reasoning,
            prompts: &self.prompts,
        };
        let look = |scene: &Scene, ask: &Ask| looker.look(scene, ask);
        let scene = Scene::new(view);
        match self.calibration {
            Calibration::Single { .. } | Calibration::Swap => Ok(look(&scene, ask)?.verdict),
            Calibration::BothOrders(disagree) => {
                calibration::both_orders(&scene, disagree, ask, look)
            }
            Calibration::SwapCot(disagree) => {
                calibration::swap_cot(&scene, disagree, ask, look, |scene, texts, ask| {
                    looker.look_again(scene, texts, ask)
                })
            }
            Calibration::Mec {
                k,
                both_orders: false,
            } => calibration::mec(&scene, k, ask, look),
            Calibration::Mec {
                k,
                both_orders: true,
            } => calibration::mec_bpc(&scene, k, ask, look),
            Calibration::Portia(portia) => calibration::portia(&scene, &portia, ask, look),
        }
    }
}

fn load_prompts(
    form: Form,
    reasoning: Reasoning,
    calibration: Calibration,
    rubric: &str,
    pack: &Pack,
) -> Result<Prompts, PromptError> {
    if let Form::Likelihood(_) = form {
        return Prompts::load_likelihood(form, pack);
    }
    let mut files: Vec<&str> = reasoning.texts().iter().map(|text| text.file).collect();
    if let Calibration::SwapCot(_) = calibration {
        files.push("reconsider");
    }
    let needs = Needs {
        form,
        rubric,
        questions: reasoning.kind.questions(),
        reasons_in_reply: reasoning.is_in_the_reply(),
        shows_parts: matches!(calibration, Calibration::Portia(_)),
        files,
    };
    Prompts::load(&needs, pack)
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(fitted) = &self.fitted {
            let members: Vec<String> = fitted.protocols().map(Protocol::to_string).collect();
            return write!(f, "panel of {}", members.join(" + "));
        }
        write!(f, "{}/{}/{}", self.form, self.reasoning, self.calibration)?;
        if self.rubric == RULES {
            Ok(())
        } else {
            write!(f, "/{}", self.rubric)
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
