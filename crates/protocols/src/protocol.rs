//! A protocol: how a judge is asked and its reply read.

use crate::ask::{Ask, VerdictOrStop};
use crate::checklist::find_unusable_criteria;
use crate::custom::CustomProtocol;
use crate::error::ProtocolError;
use crate::form::{AnswerReading, Form};
use crate::head::{HeadProtocol, HeadWeights};
use crate::judged::{JudgedProtocol, ProtocolOptions};
use crate::methods::Presentation;
use crate::panel::{Panel, judge_by_all};
use crate::prompts::Pack;
use crate::reading;
use crate::structured::HeldReplies;
use crate::weighed::{Feature, Member, WeighedPanel};
use evenhand_core::{Item, Outcome, Reply, ShownFields, View};
use std::fmt;

/// How a judge is asked and its reply read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Protocol {
    /// Form x reasoning x calibration, and the rubric that says what "better" means.
    Judged(Box<JudgedProtocol>),
    /// A fitted combination of judges; users know it as a calibrated panel.
    Weighed(WeighedPanel),
    /// A head on a model of this machine, fitted to a user's labels, or about to be.
    Head(Box<HeadProtocol>),
    /// A protocol that is written elsewhere.
    Custom(Box<dyn CustomProtocol>),
}

impl Protocol {
    /// Reads `form[/reasoning[/calibration[/rubric]]]` or a preset's name, with the built-in
    /// prompts.
    ///
    /// # Errors
    /// An unknown name, or parts that do not go together.
    pub fn parse(name: &str) -> Result<Protocol, ProtocolError> {
        Protocol::with(name, &ProtocolOptions::default())
    }

    /// Like [`Protocol::parse`], with other prompts, another scale, or a rule for a panel.
    ///
    /// # Errors
    /// Also a scale for a form that has none, or a prompt that cannot be used.
    pub fn with(name: &str, options: &ProtocolOptions) -> Result<Protocol, ProtocolError> {
        let judged = JudgedProtocol::parse(name, options)?;
        Ok(Protocol::Judged(Box::new(judged)))
    }

    /// Builds a calibrated panel: P(the first is better) = 1 / (1 + exp(-sum of weight x
    /// difference)), over its members and then features. It compares two responses, in both orders
    /// where a member's order matters, within one trial.
    ///
    /// # Errors
    /// No member, one that shows more than two responses, or not a finite weight for each member
    /// and feature.
    pub fn weighed(
        members: Vec<Member>,
        features: Vec<Feature>,
        weights: Vec<f64>,
    ) -> Result<Protocol, ProtocolError> {
        let panel = WeighedPanel::new(members, features, weights);
        panel.map(Protocol::Weighed).map_err(ProtocolError::Panel)
    }

    /// Builds a fitted head of this name: each response is scored by itself, in log-odds.
    ///
    /// # Errors
    /// A prompt of the pack that cannot be used.
    pub fn head(
        weights: HeadWeights,
        name: String,
        pack: &Pack,
    ) -> Result<Protocol, ProtocolError> {
        let head = HeadProtocol::fitted(weights, name, pack)?;
        Ok(Protocol::Head(Box::new(head)))
    }

    /// Builds the protocol that gathers what a head is fitted to: it judges by likelihood, and asks
    /// for the states at all depths that are tried.
    ///
    /// # Errors
    /// As [`Protocol::head`].
    pub fn gathering_head(pack: &Pack) -> Result<Protocol, ProtocolError> {
        Ok(Protocol::Head(Box::new(HeadProtocol::unfitted(pack)?)))
    }

    /// Runs a protocol that is written elsewhere.
    pub fn custom(protocol: impl CustomProtocol + 'static) -> Protocol {
        Protocol::Custom(Box::new(protocol))
    }

    /// Returns the form of its verdicts; a calibrated panel's are pairwise.
    pub fn form(&self) -> Form {
        match self {
            Protocol::Judged(judged) => judged.form,
            Protocol::Weighed(_) => Form::Pairwise(AnswerReading::Mean),
            Protocol::Head(head) => head.form(),
            Protocol::Custom(custom) => custom.form(),
        }
    }

    /// Returns the least and the most that a score of a response to these items can be: the ends of
    /// the form's scale; of a checklist 1 where all merits are met, and the lowest total of any of
    /// these items where all faults are. None where there are no scores, nothing bounds them, or
    /// the judge writes the criteria itself.
    pub fn score_range<'a>(&self, items: impl IntoIterator<Item = &'a Item>) -> Option<[f64; 2]> {
        let Protocol::Judged(judged) = self else {
            return None;
        };
        if let Form::Pointwise(scale, _) = judged.form {
            return Some([scale.low(), scale.high()]);
        }
        let items = items.into_iter().filter(|_| judged.needs_criteria());
        let lowest = items.filter(|item| find_unusable_criteria(item).is_none());
        let lowest = lowest.map(|item| {
            let sum = |are_faults: bool| -> f64 {
                let criteria = item.criteria.iter();
                let counted = criteria.filter(|one| one.is_fault() == are_faults);
                counted.map(|one| one.weight).sum()
            };
            sum(true) / sum(false)
        });
        lowest.reduce(f64::min).map(|low| [low, 1.0])
    }

    /// Returns the name of its calibration; None where it is not one of form x reasoning x
    /// calibration.
    pub fn calibration_name(&self) -> Option<String> {
        match self {
            Protocol::Judged(judged) => Some(judged.calibration.to_string()),
            Protocol::Weighed(_) | Protocol::Head(_) | Protocol::Custom(_) => None,
        }
    }

    /// Whether responses are read side by side, as only models of this machine can be asked to.
    pub fn reads_side_by_side(&self) -> bool {
        match self {
            Protocol::Judged(judged) => judged.prompts.reads_side_by_side(),
            Protocol::Weighed(panel) => panel.reads_side_by_side(),
            Protocol::Head(_) | Protocol::Custom(_) => false,
        }
    }

    /// Returns the name of the protocol that asks for just the same and makes one verdict of the
    /// probabilities in both orders; None where there is no such one.
    pub fn averaged(&self) -> Option<String> {
        match self {
            Protocol::Judged(judged) => judged.averaged(),
            Protocol::Weighed(_) | Protocol::Head(_) | Protocol::Custom(_) => None,
        }
    }

    /// Returns in which orders responses are shown, and whether the plan sees to them.
    pub fn presentation(&self) -> Presentation {
        match self {
            Protocol::Judged(judged) => judged.calibration.presentation(),
            Protocol::Weighed(_) => Presentation::BothWithinTrial,
            Protocol::Head(head) => head.likelihood.calibration.presentation(),
            Protocol::Custom(custom) => custom.presentation(),
        }
    }

    /// Returns how the verdicts of several judges become one.
    pub fn panel(&self) -> Panel {
        match self {
            Protocol::Judged(judged) => judged.panel,
            Protocol::Weighed(_) | Protocol::Head(_) | Protocol::Custom(_) => Panel::Mean,
        }
    }

    /// Returns whether this is a calibrated panel.
    pub fn is_weighed(&self) -> bool {
        matches!(self, Protocol::Weighed(_))
    }

    /// Returns whether the probabilities of answers are asked for, beside the text.
    pub fn wants_probabilities(&self) -> bool {
        match self {
            Protocol::Custom(custom) => custom.wants_probabilities(),
            _ => self.members().any(JudgedProtocol::wants_probabilities),
        }
    }

    /// Returns what its replies are where a judge's server holds them to a JSON schema. None where
    /// they are never held: a list over criteria, no reply at all, prompts in the user's own words,
    /// a calibrated panel (whose weights were fitted to replies as they come), or a protocol that
    /// is written elsewhere.
    pub fn held_replies(&self) -> Option<HeldReplies> {
        match self {
            Protocol::Judged(judged) => judged.held_replies(),
            Protocol::Weighed(_) | Protocol::Head(_) | Protocol::Custom(_) => None,
        }
    }

    /// Returns why a judge that answers with probabilities and writes no text cannot judge so, and
    /// what to use instead; None where it can. `place` is its place among the judges.
    pub fn refuse_deciding(&self, place: usize) -> Option<String> {
        match self {
            Protocol::Judged(judged) => judged.refuse_deciding(),
            Protocol::Weighed(panel) => {
                let mut own = panel.of_judge(place);
                own.find_map(JudgedProtocol::refuse_deciding)
            }
            Protocol::Head(_) => Some("a head reads the states of a GGUF model".into()),
            Protocol::Custom(_) => Some("it is written elsewhere, for judges that write".into()),
        }
    }

    /// Returns a digest of what asks judges that answer with probabilities.
    pub fn decide_fingerprint(&self) -> String {
        let members = self
            .members()
            .map(|judged| judged.prompts.decide_fingerprint());
        members.collect::<Vec<_>>().join(".")
    }

    /// Returns whether texts are shown between marks, in the prompts of some call: not where
    /// responses are scored after the conversation as it stands.
    pub fn shows_texts(&self) -> bool {
        match self {
            // Only its author knows: it is taken to show them.
            Protocol::Custom(_) => true,
            _ => self.members().any(JudgedProtocol::shows_texts),
        }
    }

    /// Returns whether a judge only scores responses, by their likelihood or by its reward, and
    /// writes nothing; for a calibrated panel, its `judge`-th judge.
    pub fn scores_texts(&self, judge: usize) -> bool {
        match self {
            Protocol::Judged(judged) => judged.scores_texts(),
            Protocol::Weighed(panel) => panel.of_judge(judge).any(JudgedProtocol::scores_texts),
            Protocol::Head(_) => true,
            Protocol::Custom(_) => false,
        }
    }

    /// Returns whether a judge must give rewards; for a calibrated panel, its `judge`-th judge.
    pub fn wants_rewards(&self, judge: usize) -> bool {
        match self {
            Protocol::Judged(judged) => judged.wants_rewards(),
            Protocol::Weighed(panel) => panel.of_judge(judge).any(JudgedProtocol::wants_rewards),
            Protocol::Head(_) | Protocol::Custom(_) => false,
        }
    }

    /// Returns whether the difference of two scores is the log-odds that the first response is
    /// better, as labels taught it: of a fitted head alone.
    pub fn scores_log_odds(&self) -> bool {
        matches!(self, Protocol::Head(head) if head.form() == Form::Reward)
    }

    /// Returns whether responses are embedded (portia with `embedding`).
    pub fn embeds(&self) -> bool {
        self.members().any(JudgedProtocol::embeds)
    }

    /// Returns whether responses are judged by criteria of the item's own (a checklist that is not
    /// written by the judge).
    pub fn needs_criteria(&self) -> bool {
        self.members().any(JudgedProtocol::needs_criteria)
    }

    /// Returns the judged protocols of which it consists: itself alone, the members of a panel, the
    /// likelihood that a head asks for, or none where it is written elsewhere.
    fn members(&self) -> impl Iterator<Item = &JudgedProtocol> {
        let (judged, panel) = match self {
            Protocol::Judged(judged) => (Some(&**judged), None),
            Protocol::Weighed(panel) => (None, Some(panel.protocols())),
            Protocol::Head(head) => (Some(&head.likelihood), None),
            Protocol::Custom(_) => (None, None),
        };
        judged.into_iter().chain(panel.into_iter().flatten())
    }

    /// Returns whether further calls depend on what the first ones say.
    pub fn is_adaptive(&self) -> bool {
        let mut members = self.members();
        match self {
            Protocol::Custom(custom) => custom.is_adaptive(),
            _ => members.any(|member| member.calibration.cost().is_adaptive()),
        }
    }

    /// Returns whether how many calls so many judges are asked depends on what they say.
    pub fn calls_vary(&self, judges: usize) -> bool {
        let in_turn = judges > 1 && matches!(self.panel(), Panel::Escalate(_));
        let mut members = self.members();
        in_turn || self.is_adaptive() || members.any(JudgedProtocol::calls_vary)
    }

    /// Returns the rounds of calls, one after the other, where every call is needed; without the
    /// second stage, which adds one to each round of verdicts.
    pub fn rounds_at_most(&self) -> u32 {
        let rounds = self.members().map(JudgedProtocol::rounds_at_most);
        match self {
            Protocol::Custom(custom) => custom.rounds_at_most(),
            _ => rounds.max().unwrap_or(0),
        }
    }

    /// Returns the free fields of items and responses that its prompts show. Protocols that are
    /// written elsewhere see items as they are, and name none.
    pub fn shown_fields(&self) -> ShownFields {
        let mut shown = ShownFields::default();
        for judged in self.members() {
            shown.merge(judged.prompts.shown_fields());
        }
        shown
    }

    /// Returns a digest of what decides, beside the name, what is asked and how it is read: prompts
    /// and reader.
    pub fn fingerprint(&self) -> String {
        match self {
            Protocol::Judged(judged) => judged.fingerprint(),
            Protocol::Weighed(panel) => format!("{}.{}", panel.fingerprint(), reading::VERSION),
            Protocol::Head(head) => head.fingerprint(),
            Protocol::Custom(custom) => custom.fingerprint(),
        }
    }

    /// Returns what a reply says by its text alone, where it also has the probabilities of the
    /// answers, and what the most probable of them says: a judge may write one thing and mean
    /// another. None for a reply without either.
    pub fn two_readings(&self, responses: usize, reply: &Reply) -> Option<[Outcome; 2]> {
        match self {
            Protocol::Judged(judged) => judged.two_readings(responses, reply),
            Protocol::Weighed(_) | Protocol::Head(_) | Protocol::Custom(_) => None,
        }
    }

    /// Judges the responses in view. Pure: run from the top again whenever a reply has arrived.
    ///
    /// # Errors
    /// A missing reply, or the failure of the judgment.
    pub fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop {
        match self {
            Protocol::Judged(judged) => {
                judge_by_all(judged.panel, ask, |ask| judged.judge_by_one(view, ask))
            }
            Protocol::Weighed(panel) => panel.judge(view, ask),
            Protocol::Head(head) => judge_by_all(Panel::Mean, ask, |ask| head.judge(view, ask)),
            Protocol::Custom(custom) => {
                judge_by_all(Panel::Mean, ask, |ask| custom.judge(view, ask))
            }
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Protocol::Judged(judged) => write!(f, "{judged}"),
            Protocol::Weighed(panel) => write!(f, "{panel}"),
            Protocol::Head(head) => write!(f, "{head}"),
            Protocol::Custom(custom) => f.write_str(custom.name()),
        }
    }
}

#[cfg(test)]
#[path = "tests/mod.rs"]
mod tests;
