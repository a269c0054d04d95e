//! A job: everything that decides what is asked.

use crate::plan::planner::plan_trials;
use crate::{Design, EngineError, Plan};
use evenhand_core::{Cause, Clusters, Refusal, Response, Setting, Trial, View};
use evenhand_formats::Dataset;
use evenhand_formats::records::DataError;
use evenhand_protocols::{Judges, Panel, Protocol, Slots, find_unusable_criteria};

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
        check_responses(&dataset, &protocol)?;
        check_majority(&protocol, &judges)?;
        check_criteria(&dataset, &protocol)?;
        let plan = plan_trials(&dataset, &protocol, &design, seed)?;
        check_any_trial(&plan)?;
        Ok(Job {
            clusters: dataset.clusters(),
            copies: dataset.copies()?,
            dataset,
            protocol,
            design,
            plan,
            judges,
            seed,
        })
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
            responses.push(self.response(trial.item, *system)?);
        }
        Ok(responses)
    }

    fn response(&self, item: u32, system: u32) -> Result<Response, EngineError> {
        let response = self.dataset.response(item as usize, system as usize)?;
        Ok(response.ok_or_else(|| refuse_foreign_trial("a response"))?)
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

fn check_responses(dataset: &Dataset, protocol: &Protocol) -> Result<(), DataError> {
    match protocol.form().slots() {
        Slots::One => dataset.check_any(),
        _ => dataset.check_pairwise(),
    }
}

/// Checks that every item has criteria, where responses are judged by them.
fn check_criteria(dataset: &Dataset, protocol: &Protocol) -> Result<(), Refusal> {
    if !protocol.needs_criteria() {
        return Ok(());
    }
    let unusable = find_unusable_items(dataset);
    if unusable.is_empty() {
        return Ok(());
    }
    Err(refuse_items(&unusable, dataset.items.len()))
}

/// Returns the items that cannot be judged by criteria, with what each has.
fn find_unusable_items(dataset: &Dataset) -> Vec<(&str, &'static str)> {
    let items = dataset.items.iter();
    let unusable = items.filter_map(|item| Some((&*item.id, find_unusable_criteria(item)?)));
    unusable.collect()
}

fn name_some(unusable: &[(&str, &str)]) -> String {
    let named = unusable.iter().take(NAMED);
    let named: Vec<String> = named.map(|(id, why)| format!("`{id}` has {why}")).collect();
    match unusable.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// How many items without criteria are named.
const NAMED: usize = 5;

fn refuse_items(unusable: &[(&str, &str)], items: usize) -> Refusal {
    let reason = format!(
        "checklist judges by the criteria of each item, and {} of {items} items cannot be judged \
         so: {}; give every item a field `criteria`, keep those that have one ({}), or let \
         the judge write them (checklist/direct+metrics)",
        unusable.len(),
        name_some(unusable),
        Setting::Where,
    );
    Refusal::new(Setting::Protocol, Cause::Data, reason)
}

fn check_any_trial(plan: &Plan) -> Result<(), Refusal> {
    if plan.is_empty() {
        return Err(Refusal::of_input(
            "there is nothing to judge: no item has the responses that the protocol and design \
             need",
        ));
    }
    Ok(())
}

fn refuse_foreign_trial(what: &str) -> Refusal {
    Refusal::of_input(format!("a trial was planned for {what} that is not there"))
}

fn check_majority(protocol: &Protocol, judges: &Judges) -> Result<(), Refusal> {
    let panel = protocol.panel();
    let of_pairs = panel.is_of_pairs() && judges.panel.len() > 1;
    if of_pairs && protocol.form().slots() != Slots::Two {
        return Err(refuse_panel(panel));
    }
    Ok(())
}

fn refuse_panel(panel: Panel) -> Refusal {
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
    Refusal::new(Setting::Panel, conflict, reason).with_value(panel)
}
