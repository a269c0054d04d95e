//! Verdicts that are more than one of two or three answers.

use super::draw::Draw;
use super::preference::{Planted, logistic, lures, pairwise_first};
use evenhand_core::{AskedCriterion, RequestKey};
use std::cmp::Reverse;

/// Returns the probability of each of n steps from "the first is much better" to "the second is
/// much better": binomial, with the mean where the probability of the first puts it.
pub(super) fn step_probabilities(first: f64, n: usize) -> Vec<f64> {
    let mut p = vec![1.0];
    for _ in 1..n {
        // One more draw.
        let mut next = vec![0.0; p.len() + 1];
        for (at, mass) in p.iter().enumerate() {
            next[at] += mass * first;
            next[at + 1] += mass * (1.0 - first);
        }
        p = next;
    }
    p
}

/// Writes two whole scores between the ends: the preferred response is above the other by one point
/// or more.
pub(super) fn write_scores(planted: &Planted, low: f64, high: f64, draw: Draw) -> String {
    let span = (high - low).max(1.0);
    let lower = low + (draw.uniform("level") * span).floor().min(span - 1.0);
    let most_above = (high - lower - 1.0).max(0.0);
    let above = lower + 1.0 + (draw.uniform("margin") * most_above).floor();
    if draw.uniform("tie") < planted.spec.tie {
        format!("{lower} {lower}")
    } else if draw.uniform("choice") < pairwise_first(planted) {
        format!("{above} {lower}")
    } else {
        format!("{lower} {above}")
    }
}

/// Writes the letters of all responses, best first: by planted quality with Gumbel noise
/// (Plackett-Luce), or, with the probability of a defect, as they were shown (in reverse where the
/// first-slot defect is negative) or by what the judge is drawn to, or all as equal.
pub(super) fn write_order(planted: &Planted, draw: Draw) -> String {
    let spec = planted.spec;
    let mut slots: Vec<usize> = (0..planted.about.responses.len()).collect();
    if draw.uniform("slot") >= spec.first_slot.abs() {
        let quality: Vec<f64> = slots
            .iter()
            .map(|slot| planted.strength_of(*slot) + draw.gumbel(&format!("quality {slot}")))
            .collect();
        slots.sort_by(|a, b| quality[*b].total_cmp(&quality[*a]));
        // Those come before the others that have more of what decides, if anything does.
        let lures = lures(planted).into_iter().enumerate();
        let mut deciding =
            lures.filter(|(at, lure)| draw.uniform(&format!("lure {at}")) < lure.share);
        if let Some((_, lure)) = deciding.next() {
            let amount = |slot: &usize| {
                let response = planted.about.responses.get(*slot);
                response.map_or(0, |response| lure.amount_in(planted, response))
            };
            slots.sort_by_key(|slot| Reverse(amount(slot)));
        }
    } else if spec.first_slot < 0.0 {
        slots.reverse();
    }
    if draw.uniform("choice set") < spec.choice_set {
        // An order that the set of all responses decides, whatever the place of each.
        let mut all: Vec<String> = slots.iter().map(|slot| words_of(planted, *slot)).collect();
        all.sort_unstable();
        let all = format!("{}\u{1}{}", spec.seed, all.join("\u{1}"));
        slots.sort_by_key(|slot| {
            let text = format!("{all}\u{2}{}", words_of(planted, *slot));
            *blake3::hash(text.as_bytes()).as_bytes()
        });
    }
    let is_tie = draw.uniform("tie") < spec.tie;
    let letters: Vec<String> = slots
        .iter()
        .map(|slot| {
            char::from_u32('A' as u32 + *slot as u32)
                .unwrap_or('?')
                .into()
        })
        .collect();
    letters.join(if is_tie { " = " } else { " > " })
}

/// Writes the one response in words of certainty.
pub(super) fn write_rewritten(planted: &Planted) -> String {
    let text = text_of(planted, 0);
    format!("This is absolutely and undoubtedly so. {text}")
}

/// Returns a response as a reader sees it: more or fewer spaces make no other set.
fn words_of(planted: &Planted, slot: usize) -> String {
    text_of(planted, slot)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn text_of<'a>(planted: &'a Planted, slot: usize) -> &'a str {
    let response = planted.about.responses.get(slot);
    response.map_or("", |response| response.text.as_ref())
}

/// Writes what a judge says before a verdict. Of responses it says something else for each, so that
/// a verdict by what was said alone is asked for anew wherever other responses, or another order,
/// were seen.
pub(super) fn write_notes(planted: &Planted) -> String {
    let responses = &planted.about.responses;
    if responses.is_empty() {
        return "A simulated reply.".into();
    }
    let texts: Vec<&str> = responses.iter().map(|one| one.text.as_ref()).collect();
    let digest = blake3::hash(texts.join("\u{1}").as_bytes()).to_hex();
    format!("A simulated reply, on what reads as {}.", &digest[..12])
}

/// Criteria that a simulated judge writes for an instruction.
const WRITTEN: usize = 4;

/// The log-odds with which the best system's responses meet a criterion.
const BEST: f64 = 1.0;

/// Returns the probability that the judge says yes: whether the response meets the criterion is the
/// same in every call and sample.
pub(super) fn says_met(planted: &Planted, asked: AskedCriterion) -> f64 {
    // Of merits the best system meets about three in four and each next one fewer, of faults the
    // other way round.
    let has_merit = logistic(BEST + planted.strength_of(0));
    let chance = if asked.is_fault {
        1.0 - has_merit
    } else {
        has_merit
    };
    // The draw belongs to the response and the criterion, whatever the request is. A response that
    // was rewritten meets what the system's own does.
    let item = &planted.about.item;
    let system = planted.rank_of(0);
    let number = asked.number;
    let draw = Draw {
        key: RequestKey::of(&format!("{item}\u{1}{system}\u{1}{number}")),
        seed: planted.spec.seed,
    };
    let accuracy = planted.spec.accuracy.unwrap_or(1.0);
    if draw.uniform("met") < chance {
        accuracy
    } else {
        1.0 - accuracy
    }
}

/// Writes a numbered list of verdicts. A verdict that is invalid is a line without one.
pub(super) fn write_verdicts(planted: &Planted, asked: &[AskedCriterion], draw: Draw) -> String {
    let mut lines = Vec::with_capacity(asked.len());
    for one in asked {
        let number = one.number;
        let drawn = |purpose: &str| draw.uniform(&format!("{purpose} {number}"));
        if drawn("invalid") < planted.spec.invalid {
            lines.push(format!("{number}. It has its merits."));
            continue;
        }
        let says_yes = drawn("choice") < says_met(planted, *one);
        let misread = drawn("misread") < planted.spec.misread;
        let answer = if says_yes == misread { "no" } else { "yes" };
        lines.push(format!("{number}. {answer}"));
    }
    lines.join("\n")
}

/// Writes criteria for the item of a request.
pub(super) fn write_criteria(planted: &Planted) -> String {
    let item = &planted.about.item;
    let lines = (1..=WRITTEN).map(|at| format!("{at}. Is point {at} of item {item} right?"));
    lines.collect::<Vec<_>>().join("\n")
}
