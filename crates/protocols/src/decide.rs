//! Looks of judges that answer with probabilities and write no text.
//!
//! A look is one question about a state. The responses are fields of the state, in an order that
//! does not depend on the order of the look: both looks at a pair ask about the same state, one
//! with the answers in reverse, and so share a call.

use crate::ask::{Ask, Stop, VerdictOrStop, invalid, settled};
use crate::checklist::{find_unusable_criteria, see_outcomes};
use crate::form::Form;
use crate::judged::JudgedProtocol;
use crate::judges::DecidingJudge;
use crate::look_steps::{Looker, Seen};
use crate::probabilities::{make_verdict, renormalise};
use crate::prompts::{Context, Shown, decided_form};
use crate::reasonings::Notes;
use crate::scene::Scene;
use evenhand_core::{
    Failure, FailureKind, Finish, JudgedCriterion, QuestionAnswers, Reply, Verdict, VerdictSource,
};

/// Changes when the same judge would be asked something else, beside the prompts: part of a run's
/// manifest.
pub const DECISION_VERSION: u32 = 1;

/// Below this share on the answers of a question a judge did not mean any of them: it was likelier
/// to say something else.
pub const LEAST_LABEL_MASS: f64 = 0.5;

impl JudgedProtocol {
    /// Returns why a judge that answers with probabilities and writes no text cannot judge so, and
    /// what to use instead; None where it can.
    pub(crate) fn refuse_deciding(&self) -> Option<String> {
        let form = self.form;
        let why = match form {
            Form::Pairwise(_)
            | Form::PairwiseTie(_)
            | Form::Pairwise5Point(_)
            | Form::PairwiseLikert(_)
            | Form::Checklist(_) => None,
            Form::Pointwise(scale, _) => {
                let (count, most) = (scale.texts().len(), QuestionAnswers::MOST_LEVELS);
                (count > most).then(|| {
                    format!(
                        "a question has {most} levels at most, and the scale {scale} has {count}; \
                         pointwise:1-10, pointwise:0-9 or pointwise:1-5 fit"
                    )
                })
            }
            Form::PairwiseScore(_) | Form::Listwise(_) => Some(format!(
                "{form} has the judge write more than one answer; use pairwise, pairwise-tie, \
                 pairwise-5point, pairwise-likert, pointwise or checklist"
            )),
            Form::Likelihood(_) => {
                Some("likelihood asks how probable a text is; use pairwise or pointwise".into())
            }
            Form::Reward => Some("reward is for reward models; use pairwise or pointwise".into()),
        };
        let reasoning = self.reasoning;
        let name = reasoning.kind.name;
        let cost = self.calibration.cost();
        let calibration = &self.calibration;
        why.or_else(|| {
            let writes = reasoning.kind.in_reply || reasoning.kind.notes != Notes::None;
            writes.then(|| format!("{name} has the judge write before its verdict; use direct"))
        })
        .or_else(|| {
            let why = "+metrics has the judge write criteria; give each item its own and use \
                       checklist, or leave it out";
            reasoning.metrics.then(|| why.into())
        })
        .or_else(|| {
            let draws = cost.samples > 1 || cost.is_adaptive() || cost.most.embeddings;
            draws.then(|| {
                format!(
                    "{calibration} rests on what the judge writes, or cuts the responses; use \
                     swap, swap:average, swap:tie, swap:none or single, and repeats for samples"
                )
            })
        })
        .or_else(|| {
            self.prompts.has_own_words().then(|| {
                let kind = form.kind();
                format!(
                    "prompts of your own for {kind} are for judges that write; put your words \
                     into decide.toml"
                )
            })
        })
    }
}

/// Looks at responses by a question with a few answers, or by one for each criterion.
pub(crate) fn look_by_question(
    looker: &Looker,
    judge: &DecidingJudge,
    scene: &Scene,
    ask: &Ask,
) -> Result<Seen, Stop> {
    if !scene.parts.is_empty() {
        return Err(invalid("a judge that answers with probabilities sees whole responses").into());
    }
    let reference = match (looker.reasoning.reference, &scene.item.reference) {
        (false, _) => None,
        (true, Some(given)) if !given.trim().is_empty() => Some(given.to_string()),
        (true, _) => {
            let why = "the item has no reference answer, and this judge writes none";
            return Err(invalid(why).into());
        }
    };
    let context = Context {
        metrics: None,
        reference,
    };
    let form = looker.prompts.form();
    let shown = Shown::new(form, scene, &context, ask.breaks_marks());
    let order = order_of_state(judge, scene);
    let Form::Checklist(_) = form else {
        let together = match judge.shares_state {
            true => looker.together,
            false => 1,
        };
        let verdict = ask_question(looker, judge, &shown, &order, together, ask)?;
        return Ok(Seen {
            verdict,
            text: String::new(),
        });
    };
    if let Some(why) = find_unusable_criteria(scene.item) {
        return Err(invalid(format!("the item has {why}")).into());
    }
    let criteria: Vec<JudgedCriterion> = (1..)
        .zip(&scene.item.criteria)
        .map(|(number, criterion)| JudgedCriterion {
            number,
            criterion: criterion.clone(),
            model_written: false,
        })
        .collect();
    let together = criteria.len() as u32;
    let outcomes = settled(criteria.chunks(1).map(|checklist| -> VerdictOrStop {
        let shown = Shown {
            form: decided_form(form),
            checklist,
            ..shown
        };
        ask_question(looker, judge, &shown, &order, together, ask)
    }))?;
    see_outcomes(&criteria, &outcomes, ask)
}

/// Returns the slots in the order in which the state shows them: where both looks share it, in one
/// that is drawn by the item and the systems, so that it favours none over many items, and that a
/// rewritten response keeps (`a+flattery` has the place of `a`).
fn order_of_state(judge: &DecidingJudge, scene: &Scene) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scene.responses.len()).collect();
    if judge.shares_state {
        order.sort_by_cached_key(|slot| {
            let system: &str = &scene.responses[*slot].system;
            let origin = system.rsplit_once('+').map_or(system, |(origin, _)| origin);
            let draw = blake3::hash(format!("{}\0{origin}", scene.item.id).as_bytes());
            (*draw.as_bytes(), system.to_owned())
        });
    }
    order
}

/// Asks one question, and reads the verdict from the probabilities of its answers.
fn ask_question(
    looker: &Looker,
    judge: &DecidingJudge,
    shown: &Shown,
    order: &[usize],
    together: u32,
    ask: &Ask,
) -> VerdictOrStop {
    let prompt = looker.prompts.ask_question(shown, order, together)?;
    let reply = ask.one(prompt)?;
    let verdict = read_answer(decided_form(shown.form), judge, &reply);
    if let (Err(failure), Some(asked)) = (&verdict, ask.last_call()) {
        ask.blame(failure.kind, asked);
    }
    Ok(verdict?)
}

/// Reads the verdict of a form from a reply. Probabilities that lie elsewhere than on the answers
/// are no verdict, however they are shared among these.
fn read_answer(form: Form, judge: &DecidingJudge, reply: &Reply) -> Result<Verdict, Failure> {
    if reply.finish == Finish::Refusal {
        let why = "the judge declined to answer the question";
        return Err(Failure::new(FailureKind::Refused, why));
    }
    let off_label = |why: String| Failure::new(FailureKind::OffLabel, why);
    let least = judge.least_label_mass;
    if let Some(mass) = reply.label_mass.filter(|mass| *mass < least) {
        return Err(off_label(format!(
            "only {mass:.3} of the probability lay on the answers of the question, and {least} is \
             the least that counts (least-label-mass): the judge meant something else"
        )));
    }
    if reply.argmax_is_label == Some(false) {
        let why = "the most probable token was no answer of the question: the judge meant \
                   something else";
        return Err(off_label(why.into()));
    }
    let options = form.options();
    let answers = reply.answers.as_deref().unwrap_or_default();
    let shares = renormalise(answers, options.len()).map_err(|why| {
        let expected = options.join(", ");
        let why = format!("expected a probability for {expected}; {why}");
        Failure::new(FailureKind::Unparsed, why)
    })?;
    let mut p = shares.of_answers;
    // A question has a tie between the two, so that its reverse is that of the other order; the
    // form has it last.
    if let Form::PairwiseTie(_) = form {
        p.swap(1, 2);
    }
    let outside = reply.label_mass.map_or(shares.outside, |mass| 1.0 - mass);
    Ok(make_verdict(form, p, outside, VerdictSource::Probabilities))
}

#[cfg(test)]
#[path = "tests/decide.rs"]
mod tests;
