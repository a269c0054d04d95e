//! Plans the trials of a job from its data, protocol and design.

use crate::{Design, Orders, Plan};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::Dataset;
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
    let slots = protocol.form().slots();
    match design {
        Design::Labelled => return plan_labelled(dataset, present, protocol, seed),
        Design::AllPairs | Design::Adaptive if slots == Slots::One => {
            return Ok(Plan::pointwise(present));
        }
        _ => {}
    }
    let size = match slots {
        Slots::One => {
            let (form, setting) = (protocol.form(), Setting::Design);
            let reason = format!(
                "{form} looks at each response alone, so no pairs are chosen; leave {setting} out"
            );
            let refusal = Refusal::new(setting, Cause::Conflict(Setting::Protocol), reason);
            return Err(refusal.with_value(design));
        }
        Slots::Two => 2,
        Slots::Many(_) if matches!(design, Design::Tournament(_)) => {
            let reason = "a tournament compares two responses at a time, but this form lists \
                          several; use a pairwise form";
            let refusal = Refusal::new(Setting::Design, Cause::Conflict(Setting::Protocol), reason);
            return Err(refusal.with_value(design));
        }
        Slots::Many(Some(size)) => size as usize,
        // A list of no stated size is of all systems that answered an item.
        Slots::Many(None) => present
            .iter()
            .map(|present| present.len())
            .max()
            .unwrap_or(0),
    };
    if size > MOST_SLOTS {
        let reason = format!(
            "a prompt holds at most {MOST_SLOTS} responses, and some items have {size}; use \
             listwise:N"
        );
        return Err(Refusal::new(Setting::Protocol, Cause::Data, reason).with_value(protocol));
    }
    let orders = Orders::left_by(protocol.presentation());
    Plan::grouped(present, &dataset.systems, design, size, orders, seed)
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
        let responses = present.iter().zip(&pairs).map(|(present, pairs)| {
            let in_pair = |system: &u32| pairs.iter().any(|pair| pair.contains(system));
            present.iter().copied().filter(in_pair).collect()
        });
        return Ok(Plan::pointwise(responses.collect()));
    }
    // People saw both responses, so that a pair is judged in both orders also where a protocol
    // draws one, as mec does. A protocol that looks once is asked once.
    let looks_once =
        matches!(protocol, Protocol::Judged(judged) if judged.cost().most.verdicts == 1);
    let orders = match Orders::left_by(protocol.presentation()) {
        Orders::Drawn if !looks_once => Orders::Both,
        orders => orders,
    };
    Ok(Plan::pairs(present, pairs, orders, seed))
}

/// Returns for each item the pairs that have a label and both responses, each once, whoever and how
/// many have labelled it.
fn labelled_pairs(dataset: &Dataset) -> Vec<Vec<[u32; 2]>> {
    let mut pairs = vec![Vec::new(); dataset.items.len()];
    for label in &dataset.labels {
        let item = label.item as usize;
        let has_response = |system: u32| dataset.has_response(item, system as usize);
        let Some(pairs) = pairs.get_mut(item) else {
            continue;
        };
        let pair = [label.a.min(label.b), label.a.max(label.b)];
        if has_response(label.a) && has_response(label.b) && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Items that all systems answered share one list: it is most of what a plan of millions holds.
fn systems_present(dataset: &Dataset) -> Present {
    let all: Arc<[u32]> = (0..dataset.systems.len() as u32).collect();
    let items = 0..dataset.items.len();
    items
        .map(|item| {
            let answered = |system: &u32| dataset.has_response(item, *system as usize);
            if all.iter().all(answered) {
                all.clone()
            } else {
                all.iter().copied().filter(answered).collect()
            }
        })
        .collect()
}
