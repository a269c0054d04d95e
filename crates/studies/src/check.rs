//! How well systems keep verifiable constraints: IFEval's four accuracies, with intervals.

use crate::Figure;
use evenhand_constraints::{Checked, Constraints};
use evenhand_engine::EngineError;
use evenhand_formats::Dataset;
use evenhand_stats::{Bootstrap, Error, clustered_ratio, mean_share};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckReport {
    /// Each system, in the order of the data.
    pub systems: Vec<SystemChecked>,
    /// Items without constraints, which are passed over.
    pub unconstrained: u64,
    /// The level of the intervals.
    pub level: f64,
    /// The seed of the bootstrap.
    pub seed: u64,
}

/// A system's responses.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The same in one of the eight loose forms.
    pub prompt_loose: Figure,
    /// The share of constraints that are kept (instruction-level), bootstrap over items.
    pub instruction_strict: Figure,
    /// The same, loosely.
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

/// Checks every response to an item with constraints; `each` is told of each, by system, then item.
///
/// # Errors
/// Constraints that cannot be read, with their item; no item with any; a response that cannot be
/// read back; bad settings.
pub fn check(
    data: &Dataset,
    plan: &Bootstrap,
    mut each: impl FnMut(ResponseChecked) -> Result<(), EngineError>,
) -> Result<CheckReport, EngineError> {
    let constraints = constraints(data)?;
    let mut report = CheckReport {
        level: plan.level,
        seed: plan.seed,
        ..CheckReport::default()
    };
    report.unconstrained = constraints
        .iter()
        .filter(|constraints| constraints.list().is_empty())
        .count() as u64;
    for (system, name) in data.systems.iter().enumerate() {
        let mut checked: Vec<(&Constraints, Checked)> = Vec::new();
        for (item, constraints) in constraints
            .iter()
            .enumerate()
            .filter(|(_, constraints)| !constraints.list().is_empty())
        {
            let Some(response) = data.response(item, system)? else {
                continue;
            };
            let found = constraints.check(&response.text);
            let id = data
                .items
                .get(item)
                .map(|item| item.id.clone())
                .unwrap_or_default();
            each(row(id, name, constraints, &found))?;
            checked.push((constraints, found));
        }
        report.systems.push(of(name, &checked, plan)?);
    }
    Ok(report)
}

fn constraints(data: &Dataset) -> Result<Vec<Constraints>, EngineError> {
    let read = |item: &evenhand_core::Item| match &item.constraints {
        None => Ok(Constraints::default()),
        Some(value) => {
            let unread = |error| EngineError::Setting(format!("item `{}`: {error}", item.id));
            Constraints::parse(value, item.instruction()).map_err(unread)
        }
    };
    let all = data.items.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if all.iter().all(|constraints| constraints.list().is_empty()) {
        let why = "no item has constraints; expected `constraints` in items.jsonl, or IFEval's \
                   prompts with instruction_id_list and kwargs";
        return Err(EngineError::Setting(why.into()));
    }
    Ok(all)
}

fn row(item: String, system: &str, constraints: &Constraints, found: &Checked) -> ResponseChecked {
    let instruction_id_list = constraints
        .list()
        .iter()
        .map(|constraint| constraint.id().name())
        .collect();
    ResponseChecked {
        item,
        system: system.into(),
        instruction_id_list,
        strict: found.strict.clone(),
        loose: found.loose.clone(),
    }
}

fn of(
    system: &str,
    checked: &[(&Constraints, Checked)],
    plan: &Bootstrap,
) -> Result<SystemChecked, EngineError> {
    let share = |kept: fn(&Checked) -> bool| -> Result<Figure, EngineError> {
        let values: Vec<f64> = checked
            .iter()
            .map(|(_, found)| f64::from(u8::from(kept(found))))
            .collect();
        Ok(figure(mean_share(&values, plan.level).map(|share| {
            (share.value, Some([share.low, share.high]))
        }))?)
    };
    let ratio = |kept: fn(&Checked) -> &[bool]| -> Result<Figure, EngineError> {
        let count = |verdicts: &[bool]| verdicts.iter().filter(|kept| **kept).count() as f64;
        let rows: Vec<(f64, f64)> = checked
            .iter()
            .map(|(_, found)| (count(kept(found)), kept(found).len() as f64))
            .collect();
        let found = clustered_ratio(&rows, plan).map(|found| {
            let ends = found
                .interval
                .ok()
                .and_then(|interval| Some([interval.low?, interval.high?]));
            (found.value, ends)
        });
        Ok(figure(found)?)
    };
    Ok(SystemChecked {
        system: system.into(),
        prompts: checked.len() as u64,
        instructions: checked
            .iter()
            .map(|(constraints, _)| constraints.list().len() as u64)
            .sum(),
        prompt_strict: share(Checked::all_strict)?,
        prompt_loose: share(Checked::all_loose)?,
        instruction_strict: ratio(|found| &found.strict)?,
        instruction_loose: ratio(|found| &found.loose)?,
        types: types(checked),
    })
}

fn figure(found: Result<(f64, Option<[f64; 2]>), Error>) -> Result<Figure, Error> {
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

fn types(checked: &[(&Constraints, Checked)]) -> BTreeMap<String, [u64; 3]> {
    let mut types: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for (constraints, found) in checked {
        for ((constraint, strict), loose) in constraints
            .list()
            .iter()
            .zip(&found.strict)
            .zip(&found.loose)
        {
            let counts = types.entry(constraint.id().name().into()).or_default();
            counts
                .iter_mut()
                .zip([true, *strict, *loose])
                .for_each(|(count, yes)| *count += u64::from(yes));
        }
    }
    types
}
