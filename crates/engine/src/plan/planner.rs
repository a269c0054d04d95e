//! Plans the trials of a job from its data, protocol and design.

use crate::{Design, EngineError, Orders, Plan};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::{Dataset, Label};
use evenhand_protocols::{Protocol, Slots};
use std::sync::Arc;

/// The most responses in one prompt.
const MOST_SLOTS: usize = 26;

/// For each item the systems that answered it, in order.
type Present = Vec<Arc<[u32]>>;

pub(super) fn plan_trials(
    dataset: &Dataset,
    protocol: &Protocol,
    design: &Design,
    seed: u64,
) -> Result<Plan, EngineError> {
    let present = systems_present(dataset);
    if *design == Design::Labelled {
        return Ok(plan_labelled(dataset, present, protocol, seed)?);
    }
    let size = match protocol.form().slots() {
        Slots::One => return Ok(plan_single(present, protocol, design)?),
        slots => group_size(slots, &present),
    };
    if size > MOST_SLOTS {
        return Err(refuse_size(protocol, size).into());
    }
    let orders = Orders::left_by(protocol.presentation());
    Ok(Plan::grouped(
        present,
        &dataset.systems,
        design,
        size,
        orders,
        seed,
    )?)
}

/// A list of no stated size is of all systems that answered an item.
fn group_size(slots: Slots, present: &Present) -> usize {
    match slots {
        Slots::One => 1,
        Slots::Two => 2,
        Slots::Many(Some(size)) => size as usize,
        Slots::Many(None) => {
            let sizes = present.iter().map(|present| present.len());
            sizes.max().unwrap_or(0)
        }
    }
}

fn refuse_size(protocol: &Protocol, size: usize) -> Refusal {
    let reason = format!(
        "a prompt holds at most {MOST_SLOTS} responses, and some items have {size}; use listwise:N"
    );
    Refusal::new(Setting::Protocol, Cause::Data, reason).with_value(protocol)
}

/// Plans the labelled pairs; of a form that looks at each response alone, the responses in them.
fn plan_labelled(
    dataset: &Dataset,
    present: Present,
    protocol: &Protocol,
    seed: u64,
) -> Result<Plan, Refusal> {
    if dataset.labels.is_empty() {
        return Err(Refusal::of_input(
            "the data has no labels; expected labels.jsonl {item, a, b, preferred}, or pairs with \
             a label (docs/formats.md)",
        ));
    }
    let pairs = labelled_pairs(dataset);
    if protocol.form().slots() == Slots::One {
        let responses = present.iter().zip(&pairs);
        let responses = responses.map(|(present, pairs)| systems_in_pairs(present, pairs));
        return Ok(Plan::pointwise(responses.collect()));
    }
    // People saw both responses: a labelled pair is judged in both orders, not in one drawn.
    let orders = match Orders::left_by(protocol.presentation()) {
        Orders::Drawn => Orders::Both,
        orders => orders,
    };
    Ok(Plan::pairs(present, pairs, orders, seed))
}

/// Returns for each item the pairs that have a label and both responses, each once.
fn labelled_pairs(dataset: &Dataset) -> Vec<Vec<[u32; 2]>> {
    let mut pairs: Vec<Vec<[u32; 2]>> = vec![Vec::new(); dataset.items.len()];
    for label in &dataset.labels {
        let pair = [label.a.min(label.b), label.a.max(label.b)];
        if let Some(pairs) = pairs.get_mut(label.item as usize)
            && is_answered(dataset, label)
            && !pairs.contains(&pair)
        {
            pairs.push(pair);
        }
    }
    pairs
}

fn is_answered(dataset: &Dataset, label: &Label) -> bool {
    let item = label.item as usize;
    let mut systems = [label.a, label.b].into_iter();
    systems.all(|system| dataset.has_response(item, system as usize))
}

fn systems_in_pairs(present: &Arc<[u32]>, pairs: &[[u32; 2]]) -> Arc<[u32]> {
    let present = present.iter().copied();
    let in_pair = |system: &u32| pairs.iter().any(|pair| pair.contains(system));
    present.filter(in_pair).collect()
}

fn plan_single(present: Present, protocol: &Protocol, design: &Design) -> Result<Plan, Refusal> {
    if matches!(design, Design::AllPairs | Design::Adaptive) {
        return Ok(Plan::pointwise(present));
    }
    let reason = format!(
        "{} looks at each response alone, so no pairs are chosen; leave {} out",
        protocol.form(),
        Setting::Design
    );
    Err(
        Refusal::new(Setting::Design, Cause::Conflict(Setting::Protocol), reason)
            .with_value(design),
    )
}

/// Items that all systems answered share one list: it is most of what a plan of millions holds.
fn systems_present(dataset: &Dataset) -> Present {
    let systems = dataset.systems.len() as u32;
    let all: Arc<[u32]> = (0..systems).collect();
    let mut present = Vec::with_capacity(dataset.items.len());
    for item in 0..dataset.items.len() {
        let answered = |system: &u32| dataset.has_response(item, *system as usize);
        present.push(if (0..systems).all(|system| answered(&system)) {
            all.clone()
        } else {
            (0..systems).filter(answered).collect()
        });
    }
    present
}
