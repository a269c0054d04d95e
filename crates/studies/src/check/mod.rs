//! How well systems keep verifiable constraints: IFEval's four accuracies, with intervals, over all
//! items and over those of each value of a field.

mod slices;

pub use slices::CheckSlice;

use crate::Figure;
use crate::figure::indicator;
use evenhand_constraints::{Checked, Constraints};
use evenhand_core::{Item, Refusal};
use evenhand_engine::EngineError;
use evenhand_formats::Dataset;
use evenhand_ranking::{InteractionReport, ItemSlices};
use evenhand_stats::{Bootstrap, ClusteredRatio, Error, clustered_ratio, mean_share};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckReport {
    /// Each system, in the order of the data.
    pub systems: Vec<SystemChecked>,
    /// The same by the items of each value of a field; empty where none was named.
    pub slices: Vec<CheckSlice>,
    /// Whether slices differ: over several systems, the interaction of system and slice in the
    /// share of responses that keep all constraints; over one system, that share itself. None
    /// without slices.
    pub interaction: Option<InteractionReport>,
    /// Items without constraints, which are passed over.
    pub unconstrained: u64,
    /// The level of the intervals.
    pub level: f64,
    /// The seed of the bootstrap.
    pub seed: u64,
}

/// A system's responses.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SystemChecked {
    /// The system.
    pub system: String,
    /// Responses to items with constraints.
    pub prompts: u64,
    /// Constraints of them.
    pub instructions: u64,
    /// The share of responses that keep all constraints (IFEval's prompt-level strict accuracy),
    /// Wilson's interval.
    pub prompt_strict: Figure,
    /// The share that keeps all in one of the eight loose forms.
    pub prompt_loose: Figure,
    /// The share of constraints that are kept (instruction-level), bootstrap over items.
    pub instruction_strict: Figure,
    /// The share of constraints that are kept loosely.
    pub instruction_loose: Figure,
    /// By instruction type: how many there are, how many are kept, and loosely.
    pub types: BTreeMap<String, [u64; 3]>,
}

/// The verdicts on one response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseChecked {
    /// The item.
    pub item: String,
    /// The system.
    pub system: String,
    /// The constraints' types, in order.
    pub instruction_id_list: Vec<&'static str>,
    /// Whether each is kept.
    pub strict: Vec<bool>,
    /// Whether each is kept loosely.
    pub loose: Vec<bool>,
}

/// A response to an item with constraints, checked.
struct CheckedResponse<'a> {
    item: usize,
    constraints: &'a Constraints,
    found: Checked,
}

/// Checks every response to an item with constraints; `each` is told of each, by system, then item.
/// `by` is a field and the slice of each item, which are checked by themselves too.
///
/// # Errors
/// Constraints that cannot be read, with their item; no item with any; a response that cannot be
/// read back; items that do not have several values of `by`; bad settings.
pub fn check(
    data: &Dataset,
    by: Option<&(&str, ItemSlices)>,
    plan: &Bootstrap,
    mut each: impl FnMut(ResponseChecked) -> Result<(), EngineError>,
) -> Result<CheckReport, EngineError> {
    let constraints = constraints_of_items(data)?;
    let checks = Checks {
        data,
        constraints: &constraints,
    };
    let mut report = checks.empty_report(plan);
    let systems = 0..data.systems.len();
    let checked = systems.map(|system| checks.check_system(system, &mut each));
    let checked = checked.collect::<Result<Vec<_>, _>>()?;
    for (name, responses) in data.systems.iter().zip(&checked) {
        let all: Vec<&CheckedResponse<'_>> = responses.iter().collect();
        report.systems.push(checked_system(name, &all, plan)?);
    }
    if let Some(by) = by {
        checks.add_slices(&mut report, by, &checked, plan)?;
    }
    Ok(report)
}

/// The data, and the constraints of each item.
struct Checks<'a> {
    data: &'a Dataset,
    constraints: &'a [Constraints],
}

impl<'a> Checks<'a> {
    fn empty_report(&self, plan: &Bootstrap) -> CheckReport {
        let unconstrained = self.constraints.iter().filter(|all| all.list().is_empty());
        CheckReport {
            level: plan.level,
            seed: plan.seed,
            unconstrained: unconstrained.count() as u64,
            ..CheckReport::default()
        }
    }

    fn check_system(
        &self,
        system: usize,
        each: &mut impl FnMut(ResponseChecked) -> Result<(), EngineError>,
    ) -> Result<Vec<CheckedResponse<'a>>, EngineError> {
        let mut checked = Vec::new();
        for (at, item) in self.data.items.iter().enumerate() {
            if let Some(response) = self.check_response(at, system)? {
                each(response.row(&item.id, &self.data.systems[system]))?;
                checked.push(response);
            }
        }
        Ok(checked)
    }

    /// Checks a response; None without one, or without constraints.
    fn check_response(
        &self,
        item: usize,
        system: usize,
    ) -> Result<Option<CheckedResponse<'a>>, EngineError> {
        let constraints = &self.constraints[item];
        if constraints.list().is_empty() {
            return Ok(None);
        }
        let response = self.data.response(item, system)?;
        Ok(response.map(|response| CheckedResponse {
            item,
            constraints,
            found: constraints.check(&response.text),
        }))
    }
}

fn constraints_of_items(data: &Dataset) -> Result<Vec<Constraints>, EngineError> {
    let all = data
        .items
        .iter()
        .map(constraints_of)
        .collect::<Result<Vec<_>, _>>()?;
    if all.iter().all(|constraints| constraints.list().is_empty()) {
        let why = "no item has constraints; expected `constraints` in items.jsonl, or IFEval's \
                   prompts with instruction_id_list and kwargs";
        return Err(Refusal::of_input(why).into());
    }
    Ok(all)
}

fn constraints_of(item: &Item) -> Result<Constraints, EngineError> {
    let Some(value) = &item.constraints else {
        return Ok(Constraints::default());
    };
    Constraints::parse(value, item.instruction())
        .map_err(|error| Refusal::of_input(format!("item `{}`: {error}", item.id)).into())
}

impl CheckedResponse<'_> {
    fn row(&self, item: &str, system: &str) -> ResponseChecked {
        let constraints = self.constraints.list().iter();
        ResponseChecked {
            item: item.into(),
            system: system.into(),
            instruction_id_list: constraints
                .map(|constraint| constraint.id().name())
                .collect(),
            strict: self.found.strict.clone(),
            loose: self.found.loose.clone(),
        }
    }

    fn count_types(&self, types: &mut CountsByType) {
        let verdicts = self.found.strict.iter().zip(&self.found.loose);
        for (constraint, (strict, loose)) in self.constraints.list().iter().zip(verdicts) {
            let [all, kept, kept_loosely] = types.entry(constraint.id().name().into()).or_default();
            *all += 1;
            *kept += u64::from(*strict);
            *kept_loosely += u64::from(*loose);
        }
    }
}

fn checked_system(
    system: &str,
    checked: &[&CheckedResponse<'_>],
    plan: &Bootstrap,
) -> Result<SystemChecked, EngineError> {
    let instructions = checked
        .iter()
        .map(|response| response.constraints.list().len() as u64);
    Ok(SystemChecked {
        system: system.into(),
        prompts: checked.len() as u64,
        instructions: instructions.sum(),
        prompt_strict: response_share(checked, Checked::all_strict, plan)?,
        prompt_loose: response_share(checked, Checked::all_loose, plan)?,
        instruction_strict: constraint_share(checked, |found| &found.strict, plan)?,
        instruction_loose: constraint_share(checked, |found| &found.loose, plan)?,
        types: counts_by_type(checked),
    })
}

/// Returns the share of responses that are kept whole, with Wilson's interval.
fn response_share(
    checked: &[&CheckedResponse<'_>],
    is_kept: fn(&Checked) -> bool,
    plan: &Bootstrap,
) -> Result<Figure, Error> {
    let values: Vec<f64> = checked
        .iter()
        .map(|response| indicator(is_kept(&response.found)))
        .collect();
    let share = mean_share(&values, plan.level);
    defined_figure(share.map(|share| (share.value, Some([share.low, share.high]))))
}

/// Returns the share of constraints that are kept, with a bootstrap interval over items.
fn constraint_share(
    checked: &[&CheckedResponse<'_>],
    verdicts: fn(&Checked) -> &[bool],
    plan: &Bootstrap,
) -> Result<Figure, Error> {
    let rows: Vec<(f64, f64)> = checked
        .iter()
        .map(|response| kept_of_all(verdicts(&response.found)))
        .collect();
    let ratio = clustered_ratio(&rows, plan);
    defined_figure(ratio.map(|ratio| (ratio.value, closed_ends(&ratio))))
}

/// Counts the constraints that are kept, and all.
fn kept_of_all(verdicts: &[bool]) -> (f64, f64) {
    let kept = verdicts.iter().filter(|kept| **kept).count();
    (kept as f64, verdicts.len() as f64)
}

fn closed_ends(ratio: &ClusteredRatio) -> Option<[f64; 2]> {
    let interval = ratio.interval.as_ref().ok()?;
    Some([interval.low?, interval.high?])
}

fn defined_figure(found: Result<(f64, Option<[f64; 2]>), Error>) -> Result<Figure, Error> {
    match found {
        Ok((value, ci)) => Ok(Figure {
            value: Some(value),
            ci: ci.map(|ends| ends.map(Some)),
            note: None,
        }),
        Err(Error::Undefined(reason)) => Ok(Figure::undefined(reason.to_string())),
        Err(error) => Err(error),
    }
}

/// By instruction type how many constraints there are, how many are kept, and loosely.
type CountsByType = BTreeMap<String, [u64; 3]>;

fn counts_by_type(checked: &[&CheckedResponse<'_>]) -> CountsByType {
    let mut types = CountsByType::new();
    for response in checked {
        response.count_types(&mut types);
    }
    types
}
