//! A protocol by its four parts: form x reasoning x calibration, and the rubric.

use crate::ask::{Ask, VerdictOrStop};
use crate::error::ProtocolError;
use crate::form::{AnswerReading, Baseline, Form, Scale};
use crate::likelihood;
use crate::look::Looker;
use crate::methods::{Calibration, Presentation};
use crate::panel::Panel;
use crate::probabilities::keep_likeliest;
use crate::prompts::{Needs, Pack, PromptError, Prompts};
use crate::protocol_name::{Parts, RULES};
use crate::reading;
use crate::reasonings::Reasoning;
use crate::reward;
use crate::scene::Scene;
use crate::structured::HeldReplies;
use evenhand_core::{Outcome, Reply, View};
use std::fmt;

/// The parts of a protocol that its name does not say.
#[derive(Clone, Debug, Default)]
pub struct ProtocolOptions {
    /// The prompts.
    pub pack: Pack,
    /// The scale, in place of the form's own.
    pub scale: Option<Scale>,
    /// How the verdicts of several judges become one.
    pub panel: Panel,
    /// What a name that says no calibration means: `swap:average` in place of `swap`, where answers
    /// have probabilities. For judges that always give them.
    pub averages_orders: bool,
}

/// Form x reasoning x calibration, and the rubric that says what "better" means.
#[derive(Debug)]
pub struct JudgedProtocol {
    pub(crate) form: Form,
    pub(crate) reasoning: Reasoning,
    pub(crate) calibration: Box<dyn Calibration>,
    pub(crate) rubric: String,
    pub(crate) panel: Panel,
    pub(crate) prompts: Prompts,
}

impl JudgedProtocol {
    /// Reads `form[/reasoning[/calibration[/rubric]]]` or a preset's name, and loads its prompts.
    ///
    /// # Errors
    /// An unknown name, parts that do not go together, a scale for a form that has none, or a
    /// prompt that cannot be used.
    pub fn parse(name: &str, options: &ProtocolOptions) -> Result<JudgedProtocol, ProtocolError> {
        let mut parts = Parts::parse(name, options)?;
        if let Some(scale) = options.scale {
            let rescaled = parts.form.with_scale(scale);
            parts.form = rescaled.ok_or_else(|| ProtocolError::NoScale {
                scale: scale.to_string(),
                form: parts.form.to_string(),
            })?;
        }
        let prompts = load_prompts(&parts, &options.pack)?;
        Ok(JudgedProtocol {
            form: parts.form,
            reasoning: parts.reasoning,
            calibration: parts.calibration,
            rubric: parts.rubric,
            panel: options.panel,
            prompts,
        })
    }

    /// Returns what comes before the verdict.
    pub fn reasoning(&self) -> Reasoning {
        self.reasoning
    }

    /// Returns what a trial asks for, beside what the reasoning asks before the verdict.
    pub fn cost(&self) -> crate::Cost {
        self.calibration.cost()
    }

    /// Returns a digest of its prompts and of the reader of verdicts.
    pub(crate) fn fingerprint(&self) -> String {
        let strictly = if self.prompts.strict_reading {
            ".strict"
        } else {
            ""
        };
        let prompts = self.prompts.fingerprint();
        format!("{prompts}.{}{strictly}", reading::VERSION)
    }

    /// Returns the protocol that makes one verdict of the probabilities of both orders, where this
    /// one asks for just the same in trials of their own.
    pub(crate) fn averaged(&self) -> Option<String> {
        let is_swap = self.calibration.presentation() == Presentation::BothAsTrials;
        if !is_swap || self.calls_vary() || !self.wants_probabilities() {
            return None;
        }
        let form = self.form.with_reading(AnswerReading::Mean)?;
        let rubric = match self.rubric.as_str() {
            RULES => String::new(),
            other => format!("/{other}"),
        };
        Some(format!("{form}/{}/swap:average{rubric}", self.reasoning))
    }

    pub(crate) fn wants_probabilities(&self) -> bool {
        !self.form.options().is_empty() && self.prompts.notation().is_none()
    }

    pub(crate) fn held_replies(&self) -> Option<HeldReplies> {
        // How many responses are in view decides of nothing but a list's fields.
        let shape = self.prompts.shape(2)?;
        Some(HeldReplies {
            reasons: shape.reasons,
            wants_probabilities: self.wants_probabilities(),
        })
    }

    pub(crate) fn shows_texts(&self) -> bool {
        match self.form {
            Form::Likelihood(likely) => likely.baseline == Baseline::Inverse,
            _ => true,
        }
    }

    pub(crate) fn scores_texts(&self) -> bool {
        self.form.asks_nothing()
    }

    pub(crate) fn wants_rewards(&self) -> bool {
        self.form == Form::Reward
    }

    pub(crate) fn embeds(&self) -> bool {
        self.calibration.cost().most.embeddings
    }

    pub(crate) fn rounds_at_most(&self) -> u32 {
        let most = self.calibration.cost().most;
        let before = self.reasoning.rounds_before(most.rounds);
        before + u32::from(most.embeddings) + most.rounds
    }

    pub(crate) fn two_readings(&self, responses: usize, reply: &Reply) -> Option<[Outcome; 2]> {
        let answers = reply.answers.as_ref()?;
        if reply.text.trim().is_empty() {
            return None;
        }
        let read = |answers| {
            let reply = Reply {
                answers,
                ..reply.clone()
            };
            self.prompts.reader(responses).read_verdict(&reply)
        };
        Some([read(None), read(Some(keep_likeliest(answers)))])
    }

    /// Returns whether how many calls are made depends on what the judge says: it is asked again
    /// where it contradicts itself, writes the list of what it is asked, or is shown its own
    /// analyses in the place of the responses, of which two may be alike.
    pub(crate) fn calls_vary(&self) -> bool {
        let writes_criteria = matches!(self.form, Form::Checklist(_)) && self.reasoning.metrics;
        self.calibration.cost().is_adaptive() || writes_criteria || self.reasoning.analyses_only
    }

    /// Returns whether each item needs criteria of its own.
    pub(crate) fn needs_criteria(&self) -> bool {
        matches!(self.form, Form::Checklist(_)) && !self.reasoning.metrics
    }

    /// Judges by one judge, whoever else is in the panel.
    pub(crate) fn judge_by_one(&self, view: &View, ask: &Ask) -> VerdictOrStop {
        if let Form::Likelihood(likely) = self.form {
            return likelihood::judge_by_likelihood(view, likely, ask, &self.prompts);
        }
        if self.form == Form::Reward {
            return reward::judge_by_reward(view, ask);
        }
        let looker = Looker {
            reasoning: self.reasoning,
            prompts: &self.prompts,
            together: match self.calibration.presentation() {
                Presentation::BothAsTrials | Presentation::BothWithinTrial => 2,
                Presentation::Drawn | Presentation::AsGiven => 1,
            },
        };
        self.calibration.judge(&looker, &Scene::new(view), ask)
    }
}

fn load_prompts(parts: &Parts, pack: &Pack) -> Result<Prompts, PromptError> {
    match parts.form {
        Form::Likelihood(_) => return Prompts::load_likelihood(parts.form, pack),
        Form::Reward => return Ok(Prompts::bare(Form::Reward)),
        _ => {}
    }
    let reasoning = parts.reasoning.texts().map(|text| text.file);
    let method = parts.method.prompts.iter().map(|file| file.name);
    let needs = Needs {
        form: parts.form,
        rubric: &parts.rubric,
        questions: parts.reasoning.questions(),
        reasons_in_reply: parts.reasoning.is_in_the_reply(),
        // Analyses that stand for the answers stand for their parts too.
        shows_parts: parts.method.shows_parts && !parts.reasoning.analyses_only,
        files: reasoning.chain(method).collect(),
    };
    Prompts::load(&needs, pack)
}

impl fmt::Display for JudgedProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.form, self.reasoning, self.calibration)?;
        if self.rubric == RULES {
            Ok(())
        } else {
            write!(f, "/{}", self.rubric)
        }
    }
}
