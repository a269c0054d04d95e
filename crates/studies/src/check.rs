//! How well systems keep verifiable constraints: IFEval's four accuracies, with intervals, over all
//! items and over those of each value of a field.

use crate::Figure;
use crate::figure::indicator;
use evenhand_constraints::{Checked, Constraints};
use evenhand_core::{Item, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::Dataset;
use evenhand_ranking::{
    FEW_ITEMS, InteractionReport, ItemSlices, SliceTest, SliceUnit, slice_values,
};
use evenhand_stats::change::{Moves, clustered_change};
use evenhand_stats::interaction::{mean_residuals, score_residuals};
use evenhand_stats::{Bootstrap, Error, ItemScore, holm};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckReport {
    /// Each system, in the order of the data.
    pub systems: Vec<SystemChecked>,
    /// Each two of them, in that order.
    pub differences: Vec<CheckDifference>,
    /// The same by the items of each value of a field; empty where none was named.
    pub slices: Vec<CheckSlice>,
    /// Whether slices differ: over several systems, the interaction of system and slice in the
    /// share of responses that keep all constraints; over one system, that share itself. None
    /// without slices.
    pub interaction: Option<InteractionReport>,
    /// Items with constraints.
    pub n_items: u64,
    /// The questions that they ask: these are what intervals and tests are over.
    pub n_questions: u64,
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
    /// The share of responses that keep all constraints (IFEval's prompt-level strict accuracy).
    pub prompt_strict: Figure,
    /// The share that keeps all in one of the eight loose forms.
    pub prompt_loose: Figure,
    /// The share of constraints that are kept (instruction-level), over questions.
    pub instruction_strict: Figure,
    /// The share of constraints that are kept loosely.
    pub instruction_loose: Figure,
    /// By instruction type: how many there are, how many are kept, and loosely.
    pub types: BTreeMap<String, [u64; 3]>,
}

/// How much more often one system keeps all constraints of a response than another does, on the
/// items that both answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CheckDifference {
    /// The system that this is said of.
    pub a: String,
    /// The system that it is compared with.
    pub b: String,
    /// Items that both answered.
    pub n_items: u64,
    /// The share of responses of `a` that keep all constraints (strict), less that of `b`, in
    /// [-1, 1]; None where they share no item.
    pub difference: Option<f64>,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// Two-sided p-value of no difference, in (0, 1], over questions: the exact sign test, or that
    /// of random signs where questions have several items.
    pub p: Option<f64>,
    /// The same, adjusted for all pairs (Holm 1979).
    pub p_adjusted: Option<f64>,
}

/// The verdicts on one response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseChecked {
    /// The item.
    pub item: String,
    /// Its question, where the data name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_id: Option<String>,
    /// Its category, where the data name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The system.
    pub system: String,
    /// The constraints' types, in order.
    pub instruction_id_list: Vec<&'static str>,
    /// Whether each is kept.
    pub strict: Vec<bool>,
    /// Whether each is kept loosely.
    pub loose: Vec<bool>,
}

/// The systems on the items with one value of a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckSlice {
    /// The value; blank for items without one.
    pub value: String,
    /// Its items with constraints.
    pub n_items: u64,
    /// The questions that they ask.
    pub n_questions: u64,
    /// Whether these are too few for intervals to be trusted.
    pub too_small: bool,
    /// Each system, in the order of the data.
    pub systems: Vec<SystemChecked>,
}

/// A response to an item with constraints, checked.
struct CheckedResponse<'a> {
    item: usize,
    /// The item's question: items of one question count as one in intervals and tests.
    question: u32,
    constraints: &'a Constraints,
    found: Checked,
}

/// Checks every response to an item with constraints; `each` is told of each, by system, then item.
/// `by` is a field and the slice of each item, which are checked by themselves too.
///
/// # Errors
/// Constraints that cannot be read, with their item; no item with any; no response; one that cannot be
/// read back; items that do not have several values of `by`; bad settings.
// Long, and flat: what is refused, each response, then the systems, types and slices.
pub fn check(
    data: &Dataset,
    by: Option<&(&str, ItemSlices)>,
    plan: &Bootstrap,
    mut each: impl FnMut(ResponseChecked) -> Result<(), EngineError>,
) -> Result<CheckReport, EngineError> {
    let constraints = constraints_of_items(data)?;
    if data.systems.is_empty() {
        let why = "there are no responses, only items with constraints; give the files of the \
                   systems' responses too, such as responses.jsonl with item, system and output";
        return Err(Refusal::of_input(why).into());
    }
    let items = 0..data.items.len();
    let constrained: Vec<usize> = items
        .filter(|at| !constraints[*at].list().is_empty())
        .collect();
    let questions = data.clusters();
    let mut checked: Vec<Vec<CheckedResponse<'_>>> = Vec::new();
    for (system, name) in data.systems.iter().enumerate() {
        let mut responses = Vec::new();
        for &item in &constrained {
            if let Some(response) = data.response(item, system)? {
                let response = CheckedResponse {
                    item,
                    question: questions.of(item as u32),
                    constraints: &constraints[item],
                    found: constraints[item].check(&response.text),
                };
                each(response.row(&data.items[item], name))?;
                responses.push(response);
            }
        }
        checked.push(responses);
    }
    let count_questions = |items: &[usize]| -> u64 {
        let asked = items.iter().map(|at| questions.of(*at as u32));
        asked.collect::<BTreeSet<u32>>().len() as u64
    };
    let mut report = CheckReport {
        systems: check_systems(data, &checked, |_| true, plan)?,
        differences: compare_systems(data, &checked, plan.level)?,
        n_items: constrained.len() as u64,
        n_questions: count_questions(&constrained),
        unconstrained: (data.items.len() - constrained.len()) as u64,
        level: plan.level,
        seed: plan.seed,
        ..CheckReport::default()
    };
    if let Some((field, slices)) = by {
        let of_items: Vec<String> = data.items.iter().map(|item| slices.of_item(item)).collect();
        let all = constrained.iter().map(|at| of_items[*at].clone());
        let values = slice_values(Setting::By, field, all)?;
        for value in &values {
            let is_in = |item: usize| of_items[item] == *value;
            let own: Vec<usize> = constrained
                .iter()
                .copied()
                .filter(|at| is_in(*at))
                .collect();
            let n_questions = count_questions(&own);
            report.slices.push(CheckSlice {
                value: value.clone(),
                n_items: own.len() as u64,
                n_questions,
                too_small: n_questions < FEW_ITEMS as u64,
                systems: check_systems(data, &checked, is_in, plan)?,
            });
        }
        let test = SliceTest {
            field,
            values: &values,
            names: &data
                .systems
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            unit: SliceUnit::ShareKept,
            differs: "How often constraints are kept differs",
            units: match report.n_questions < report.n_items {
                true => "questions",
                false => "items",
            },
            plan,
        };
        report.interaction = Some(test_slices(&test, &of_items, &checked));
    }
    Ok(report)
}

/// Returns the constraints of each item.
fn constraints_of_items(data: &Dataset) -> Result<Vec<Constraints>, EngineError> {
    let mut all = Vec::new();
    for item in &data.items {
        all.push(match &item.constraints {
            None => Constraints::default(),
            Some(value) => Constraints::parse(value, item.instruction())
                .map_err(|error| Refusal::of_input(format!("item `{}`: {error}", item.id)))?,
        });
    }
    if all.iter().all(|constraints| constraints.list().is_empty()) {
        let why = "no item has constraints; expected `constraints` in items.jsonl, or IFEval's \
                   prompts with instruction_id_list and kwargs";
        return Err(Refusal::of_input(why).into());
    }
    Ok(all)
}

/// Returns the figures of each system on some of the items.
fn check_systems(
    data: &Dataset,
    checked: &[Vec<CheckedResponse<'_>>],
    is_in: impl Fn(usize) -> bool,
    plan: &Bootstrap,
) -> Result<Vec<SystemChecked>, Error> {
    let mut systems = Vec::new();
    for (name, responses) in data.systems.iter().zip(checked) {
        let own = responses.iter().filter(|response| is_in(response.item));
        systems.push(SystemChecked::measure(
            name,
            &own.collect::<Vec<_>>(),
            plan,
        )?);
    }
    Ok(systems)
}

/// Compares each two systems on the items that both answered.
fn compare_systems(
    data: &Dataset,
    checked: &[Vec<CheckedResponse<'_>>],
    level: f64,
) -> Result<Vec<CheckDifference>, Error> {
    // Kept by one and broken by the other, or the reverse.
    let moves = Moves {
        step: 1.0,
        limit: 1.0,
    };
    let mut differences = Vec::new();
    for (first, responses) in checked.iter().enumerate() {
        for (second, others) in checked.iter().enumerate().skip(first + 1) {
            let others: BTreeMap<usize, bool> = others
                .iter()
                .map(|response| (response.item, response.found.all_strict()))
                .collect();
            let shared = responses.iter().filter_map(|response| {
                let other = *others.get(&response.item)?;
                let kept = indicator(response.found.all_strict());
                Some((response.question, kept - indicator(other)))
            });
            let shared: Vec<(u32, f64)> = shared.collect();
            let mut row = CheckDifference {
                a: data.systems[first].to_string(),
                b: data.systems[second].to_string(),
                n_items: shared.len() as u64,
                ..CheckDifference::default()
            };
            match clustered_change(&shared, moves, level) {
                Ok(change) => {
                    row.difference = Some(change.difference);
                    (row.ci, row.p) = (change.interval, Some(change.p_value));
                }
                Err(Error::Undefined(_)) => {}
                Err(error) => return Err(error),
            }
            differences.push(row);
        }
    }
    let tested: Vec<f64> = differences.iter().filter_map(|row| row.p).collect();
    let mut adjusted = holm(&tested)?.into_iter();
    for row in differences.iter_mut().filter(|row| row.p.is_some()) {
        row.p_adjusted = adjusted.next();
    }
    Ok(differences)
}

impl CheckedResponse<'_> {
    fn row(&self, item: &Item, system: &str) -> ResponseChecked {
        let constraints = self.constraints.list().iter();
        ResponseChecked {
            item: item.id.clone(),
            question_id: item.question.clone(),
            category: item.category.clone(),
            system: system.into(),
            instruction_id_list: constraints
                .map(|constraint| constraint.id().name())
                .collect(),
            strict: self.found.strict.clone(),
            loose: self.found.loose.clone(),
        }
    }
}

impl SystemChecked {
    fn measure(
        system: &str,
        checked: &[&CheckedResponse<'_>],
        plan: &Bootstrap,
    ) -> Result<SystemChecked, Error> {
        let mut types: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for response in checked {
            let verdicts = response.found.strict.iter().zip(&response.found.loose);
            for (constraint, (strict, loose)) in response.constraints.list().iter().zip(verdicts) {
                let [all, kept, kept_loosely] =
                    types.entry(constraint.id().name().into()).or_default();
                *all += 1;
                *kept += u64::from(*strict);
                *kept_loosely += u64::from(*loose);
            }
        }
        // The share of responses that are kept whole.
        let of_responses = |is_kept: fn(&Checked) -> bool| {
            let rows = checked.iter().map(|response| {
                let kept = indicator(is_kept(&response.found));
                (response.question, kept, 1.0)
            });
            Figure::of_rows(rows, plan.level)
        };
        // The share of constraints that are kept.
        let of_constraints = |verdicts: fn(&Checked) -> &[bool]| {
            let rows = checked.iter().map(|response| {
                let verdicts = verdicts(&response.found);
                let kept = verdicts.iter().filter(|kept| **kept).count();
                (response.question, kept as f64, verdicts.len() as f64)
            });
            Figure::of_rows(rows, plan.level)
        };
        Ok(SystemChecked {
            system: system.into(),
            prompts: checked.len() as u64,
            instructions: types.values().map(|[all, ..]| all).sum(),
            prompt_strict: of_responses(Checked::all_strict)?,
            prompt_loose: of_responses(Checked::all_loose)?,
            instruction_strict: of_constraints(|found| &found.strict)?,
            instruction_loose: of_constraints(|found| &found.loose)?,
            types,
        })
    }
}

/// Tests whether the share of responses that keep all constraints differs between slices, given the
/// slice of each item. What a question has in a slice counts as one.
fn test_slices(
    test: &SliceTest<'_>,
    of_items: &[String],
    checked: &[Vec<CheckedResponse<'_>>],
) -> InteractionReport {
    let unit = |response: &CheckedResponse<'_>| {
        let slice = test
            .values
            .partition_point(|known| *known < of_items[response.item]);
        (slice as u32, response.question)
    };
    let units: BTreeSet<(u32, u32)> = checked.iter().flatten().map(unit).collect();
    let units: Vec<(u32, u32)> = units.into_iter().collect();
    let mut rows = Vec::new();
    for (system, responses) in (0_u16..).zip(checked) {
        for response in responses {
            let own = unit(response);
            let at = units.partition_point(|known| *known < own) as u32;
            rows.push(ItemScore::new(
                at,
                system,
                indicator(response.found.all_strict()),
            ));
        }
    }
    let slices: Vec<u32> = units.iter().map(|(slice, _)| *slice).collect();
    // What one system keeps is compared with nobody else's.
    let residuals = match checked.len() {
        1 => mean_residuals(1, &rows),
        systems => score_residuals(systems, &rows),
    };
    test.of_residuals(residuals, &slices)
}
