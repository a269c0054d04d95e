//! A job: everything that decides what is asked.

use crate::plan::planner::plan_trials;
use crate::plan::shard::Shard;
use crate::{Design, EngineError, Plan};
use evenhand_core::{
    Cause, Clusters, JudgeKind, Refusal, RequestKey, Response, Setting, Trial, View,
};
use evenhand_formats::Dataset;
use evenhand_models::served::is_served;
use evenhand_protocols::{Judges, Panel, Pass, Protocol, Slots, find_unusable_criteria, run};

/// Everything that decides what is asked.
#[derive(Debug)]
pub struct Job {
    /// The input set, its systems and responses.
    pub dataset: Dataset,
    /// Which of its items ask one question, and so count as one in intervals and tests.
    pub clusters: Clusters,
    /// Items that are copies, each with the first that it copies ([`Dataset::copies`]).
    pub copies: Vec<[u32; 2]>,
    /// How the judge is asked.
    pub protocol: Protocol,
    /// Which pairs are compared.
    pub design: Design,
    /// The trials.
    pub plan: Plan,
    /// The judge, or the panel, by identity.
    pub judges: Judges,
    /// The seed of what the plan draws.
    pub seed: u64,
    /// Which part of the items is judged; None for all.
    pub shard: Option<Shard>,
    /// What speaks against the judge by its own file, such as a head's that is not recommended.
    pub judge_limits: Option<String>,
}

impl Job {
    /// Plans the trials.
    ///
    /// # Errors
    /// Data that the protocol and the design leave nothing to judge of; a panel that cannot vote on
    /// what the form gives.
    pub fn new(
        dataset: Dataset,
        protocol: Protocol,
        design: Design,
        judges: Judges,
        seed: u64,
    ) -> Result<Job, EngineError> {
        match protocol.form().slots() {
            Slots::One => dataset.check_any()?,
            _ => dataset.check_pairwise()?,
        }
        check_votes(&protocol, &judges)?;
        check_deciding(&protocol, &judges)?;
        check_rewards(&protocol, &judges)?;
        check_side_by_side(&protocol, &judges)?;
        if protocol.needs_criteria() {
            check_criteria(&dataset)?;
        }
        let plan = plan_trials(&dataset, &protocol, &design, seed)?;
        if plan.is_empty() {
            let why = "there is nothing to judge: no item has the responses that the protocol and \
                       design need";
            return Err(Refusal::of_input(why).into());
        }
        let job = Job {
            clusters: dataset.clusters(),
            copies: dataset.copies()?,
            dataset,
            protocol,
            design,
            plan,
            judges,
            seed,
            shard: None,
            judge_limits: None,
        };
        job.check_asks()?;
        Ok(job)
    }

    /// Refuses a plan of which every trial fails before it asks anything: for what it is made of,
    /// which no judge can mend. Where some trials ask, the failures of the others are data.
    fn check_asks(&self) -> Result<(), EngineError> {
        // What is written elsewhere is run when it is asked for, and not before.
        if let Protocol::Custom(_) = self.protocol {
            return Ok(());
        }
        let mut first = None;
        for trial in self.plan.trials() {
            let responses = self.responses(&trial)?;
            let view = self.view(&trial, &responses)?;
            let unanswered = |_: &RequestKey| None;
            match run(&self.protocol, &view, &self.judges, 0, &unanswered) {
                Pass::Done(done) if done.calls.is_empty() => match done.outcome {
                    Err(failure) => first = first.or(Some(failure)),
                    Ok(_) => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
        match first {
            Some(failure) => {
                let refusal = Refusal::new(Setting::Protocol, Cause::Data, failure.detail);
                Err(refusal.with_value(&self.protocol).into())
            }
            None => Ok(()),
        }
    }

    /// Makes every trial so often, at least once: repeat 0 asks what the job without repeats asks,
    /// and every further one asks anew.
    #[must_use]
    pub fn repeated(self, repeats: u32) -> Job {
        Job {
            plan: self.plan.repeated(repeats),
            ..self
        }
    }

    /// Whether the judge sees two responses or more at once, and compares them.
    pub fn compares(&self) -> bool {
        self.protocol.form().slots() != Slots::One
    }

    /// Returns the judge's identity, for people; those of a panel one after the other.
    pub fn judge(&self) -> String {
        self.judges.panel.join(" + ")
    }

    /// Returns the responses of a trial, in slot order.
    ///
    /// # Errors
    /// A response that cannot be read; a trial that is not of this job.
    pub fn responses(&self, trial: &Trial) -> Result<Vec<Response>, EngineError> {
        let mut responses = Vec::with_capacity(trial.systems.len());
        for system in &trial.systems {
            let response = self
                .dataset
                .response(trial.item as usize, *system as usize)?;
            responses.push(response.ok_or_else(|| refuse_foreign_trial("a response"))?);
        }
        Ok(responses)
    }

    /// Returns what the protocol sees of a trial.
    ///
    /// # Errors
    /// A trial that is not of this job.
    pub fn view<'a>(
        &'a self,
        trial: &Trial,
        responses: &'a [Response],
    ) -> Result<View<'a>, EngineError> {
        let view = View::of(&self.dataset.items, trial.item as usize, responses);
        Ok(view.ok_or_else(|| refuse_foreign_trial("an item"))?)
    }
}

/// Refuses a protocol under which a judge of these that writes no text cannot judge.
fn check_deciding(protocol: &Protocol, judges: &Judges) -> Result<(), Refusal> {
    for (place, judge) in judges.panel.iter().enumerate() {
        if judges.deciding.iter().all(|one| one.judge != *judge) {
            continue;
        }
        let second = judges.second_stage.is_some();
        let second = second.then(|| "there is no reply for a second stage to read".to_string());
        if let Some(why) = protocol.refuse_deciding(place).or(second) {
            let reason = format!("{judge} answers with probabilities and writes no text: {why}");
            return Err(conflict_of(protocol, reason));
        }
    }
    Ok(())
}

/// Refuses a judge that gives rewards where a verdict is wanted, and one that gives none where they
/// are. Simulated judges do both, and of programs and functions only their authors know.
fn check_rewards(protocol: &Protocol, judges: &Judges) -> Result<(), Refusal> {
    for (place, judge) in judges.panel.iter().enumerate() {
        let kind = JudgeKind::of(judge);
        let may_give = match kind {
            JudgeKind::Reward | JudgeKind::GgufReward | JudgeKind::Simulated => true,
            JudgeKind::Gguf | JudgeKind::Anthropic => false,
            JudgeKind::Other => !is_served(judge),
        };
        let why = match protocol.wants_rewards(place) {
            false if matches!(kind, JudgeKind::Reward | JudgeKind::GgufReward) => {
                "gives a number for a whole answer and no verdict, which the protocol reward alone \
                 asks for"
            }
            true if !may_give => {
                "gives no reward; name a reward model, a GGUF file that scores answers or a server \
                 (reward:MODEL@BASE_URL), or use pairwise or pointwise"
            }
            _ => continue,
        };
        return Err(conflict_of(protocol, format!("{judge} {why}")));
    }
    Ok(())
}

/// Refuses a judge that cannot read responses side by side where it is asked to.
fn check_side_by_side(protocol: &Protocol, judges: &Judges) -> Result<(), Refusal> {
    if !protocol.reads_side_by_side() {
        return Ok(());
    }
    let can = |judge: &str| matches!(JudgeKind::of(judge), JudgeKind::Gguf | JudgeKind::Simulated);
    let Some(judge) = judges.panel.iter().find(|judge| !can(judge)) else {
        return Ok(());
    };
    let reason = format!(
        "{judge} cannot be asked to read responses side by side, as GGUF models of this machine \
         can; use swap:average"
    );
    Err(conflict_of(protocol, reason))
}

/// Returns the refusal of a protocol for what a judge cannot do.
fn conflict_of(protocol: &Protocol, reason: String) -> Refusal {
    let conflict = Cause::Conflict(Setting::Judge);
    Refusal::new(Setting::Protocol, conflict, reason).with_value(protocol)
}

/// How many items without criteria are named.
const NAMED: usize = 5;

/// Checks that every item has criteria to judge its responses by.
fn check_criteria(dataset: &Dataset) -> Result<(), Refusal> {
    let items = dataset.items.iter();
    let unusable: Vec<(&str, &str)> = items
        .filter_map(|item| Some((&*item.id, find_unusable_criteria(item)?)))
        .collect();
    if unusable.is_empty() {
        return Ok(());
    }
    let some = unusable.iter().take(NAMED);
    let some: Vec<String> = some.map(|(id, why)| format!("`{id}` has {why}")).collect();
    let mut named = some.join(", ");
    if unusable.len() > NAMED {
        named += &format!(" and {} more", unusable.len() - NAMED);
    }
    let reason = format!(
        "checklist judges by the criteria of each item, and {} of {} items cannot be judged so: \
         {named}; give every item a field `criteria`, keep those that have one ({}), or let the \
         judge write them (checklist/direct+metrics)",
        unusable.len(),
        dataset.items.len(),
        Setting::Where,
    );
    Err(Refusal::new(Setting::Protocol, Cause::Data, reason))
}

/// Checks that members who vote on pairs are shown pairs.
fn check_votes(protocol: &Protocol, judges: &Judges) -> Result<(), Refusal> {
    let panel = protocol.panel();
    let of_pairs = panel.is_of_pairs() && judges.panel.len() > 1;
    if !of_pairs || protocol.form().slots() == Slots::Two {
        return Ok(());
    }
    let reason = match panel {
        Panel::Escalate(_) => {
            "a member is sure of which of two responses is better, and this form compares no two; \
             use mean"
        }
        _ => {
            "members vote on which of two responses is better, and this form compares no two; use \
             mean"
        }
    };
    let conflict = Cause::Conflict(Setting::Protocol);
    Err(Refusal::new(Setting::Panel, conflict, reason).with_value(panel))
}

fn refuse_foreign_trial(what: &str) -> Refusal {
    Refusal::of_input(format!("a trial was planned for {what} that is not there"))
}
