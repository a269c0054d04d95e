//! Plans the trials of a job from its data, protocol and design.

use crate::{Design, Orders, Plan};
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
) -> Result<Plan, Refusal> {
    let present = systems_present(dataset);
    match (design, protocol.form().slots()) {
        (Design::Labelled, _) => plan_labelled(dataset, present, protocol, seed),
        (_, Slots::One) => plan_single(present, protocol, design),
        (_, slots) => {
            let size = group_size(slots, &present);
            check_size(protocol, size)?;
            let orders = Orders::left_by(protocol.presentation());
            Plan::grouped(present, &dataset.systems, design, size, orders, seed)
        }
    }
}

fn check_size(protocol: &Protocol, size: usize) -> Result<(), Refusal> {
    if size > MOST_SLOTS {
        return Err(refuse_size(protocol, size));
    }
    Ok(())
}

/// A list of no stated size is of all systems that answered an item.
fn group_size(slots: Slots, present: &Present) -> usize {
    match slots {
        Slots::One => 1,
        Slots::Two => 2,
        Slots::Many(Some(size)) => size as usize,
        Slots::Many(None) => most_present(present),
    }
}

fn most_present(present: &Present) -> usize {
    let sizes = present.iter().map(|present| present.len());
    sizes.max().unwrap_or(0)
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
        return Err(Refusal::of_input(NO_LABELS));
    }
    let pairs = labelled_pairs(dataset);
    if protocol.form().slots() == Slots::One {
        return Ok(plan_labelled_responses(&present, &pairs));
    }
    Ok(Plan::pairs(
        present,
        pairs,
        orders_of_labelled(protocol),
        seed,
    ))
}

const NO_LABELS: &str = "the data has no labels; expected labels.jsonl {item, a, b, preferred}, or \
                         pairs with a label (docs/formats.md)";

fn plan_labelled_responses(present: &Present, pairs: &[Vec<[u32; 2]>]) -> Plan {
    let responses = present.iter().zip(pairs);
    let responses = responses.map(|(present, pairs)| systems_in_pairs(present, pairs));
    Plan::pointwise(responses.collect())
}

/// People saw both responses: a labelled pair is judged in both orders, not in one drawn.
fn orders_of_labelled(protocol: &Protocol) -> Orders {
    match Orders::left_by(protocol.presentation()) {
        Orders::Drawn => Orders::Both,
        orders => orders,
    }
}

/// Returns for each item the pairs that have a label and both responses, each once.
fn labelled_pairs(dataset: &Dataset) -> Vec<Vec<[u32; 2]>> {
    let mut pairs = vec![Vec::new(); dataset.items.len()];
    let labels = dataset.labels.iter();
    for label in labels.filter(|label| is_answered(dataset, label)) {
        let pair = [label.a.min(label.b), label.a.max(label.b)];
        if let Some(pairs) = pairs.get_mut(label.item as usize) {
            add_once(pairs, pair);
        }
    }
    pairs
}

/// Adds a pair unless it is there: several people may have labelled it.
fn add_once(pairs: &mut Vec<[u32; 2]>, pair: [u32; 2]) {
    if !pairs.contains(&pair) {
        pairs.push(pair);
    }
}

fn is_answered(dataset: &Dataset, label: &Label) -> bool {
    let mut systems = [label.a, label.b].into_iter();
    systems.all(|system| dataset.has_response(label.item as usize, system as usize))
}

fn systems_in_pairs(present: &Arc<[u32]>, pairs: &[[u32; 2]]) -> Arc<[u32]> {
    let present = present.iter().copied();
    let in_pair = |system: &u32| pairs.iter().any(|pair| pair.contains(system));
    present.filter(in_pair).collect()
}

fn plan_single(present: Present, protocol: &Protocol, design: &Design) -> Result<Plan, Refusal> {
    match design {
        Design::AllPairs | Design::Adaptive => Ok(Plan::pointwise(present)),
        _ => Err(refuse_pairs(protocol, design)),
    }
}

fn refuse_pairs(protocol: &Protocol, design: &Design) -> Refusal {
    let (form, setting) = (protocol.form(), Setting::Design);
    let reason =
        format!("{form} looks at each response alone, so no pairs are chosen; leave {setting} out");
    Refusal::new(setting, Cause::Conflict(Setting::Protocol), reason).with_value(design)
}

/// Items that all systems answered share one list: it is most of what a plan of millions holds.
fn systems_present(dataset: &Dataset) -> Present {
    let all = all_systems(dataset);
    let items = 0..dataset.items.len();
    items
        .map(|item| systems_of_item(dataset, item, &all))
        .collect()
}

fn all_systems(dataset: &Dataset) -> Arc<[u32]> {
    (0..dataset.systems.len() as u32).collect()
}

fn systems_of_item(dataset: &Dataset, item: usize, all: &Arc<[u32]>) -> Arc<[u32]> {
    let answered = |system: &u32| dataset.has_response(item, *system as usize);
    if all.iter().all(answered) {
        return all.clone();
    }
    all.iter().copied().filter(answered).collect()
}
