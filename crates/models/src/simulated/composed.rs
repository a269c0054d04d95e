//! Verdicts that are more than one of two or three answers.

use super::draw::Draw;
use super::preference::{Planted, lures, pairwise_first};
use std::cmp::Reverse;

/// Returns the probability of each of n steps from "the first is much better" to "the second is
/// much better": binomial, with the mean where the probability of the first puts it.
pub(super) fn step_probabilities(first: f64, n: usize) -> Vec<f64> {
    let mut p = vec![1.0];
    for _ in 1..n {
        p = add_draw(&p, first);
    }
    p
}

/// Returns the probabilities of a binomial after one more draw.
fn add_draw(p: &[f64], first: f64) -> Vec<f64> {
    let mut next = vec![0.0; p.len() + 1];
    for (at, mass) in p.iter().enumerate() {
        next[at] += mass * first;
        next[at + 1] += mass * (1.0 - first);
    }
    next
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
    let mut slots: Vec<usize> = (0..planted.about.responses.len()).collect();
    if draw.uniform("slot") >= planted.spec.first_slot.abs() {
        sort_by_quality(planted, &mut slots, draw);
        sort_by_lure(planted, &mut slots, draw);
    } else if planted.spec.first_slot < 0.0 {
        slots.reverse();
    }
    if draw.uniform("choice set") < planted.spec.choice_set {
        sort_by_set(planted, &mut slots);
    }
    let is_tie = draw.uniform("tie") < planted.spec.tie;
    join_letters(&slots, if is_tie { " = " } else { " > " })
}

/// Puts those before the others that have more of what decides, if anything does.
fn sort_by_lure(planted: &Planted, slots: &mut [usize], draw: Draw) {
    let lures = lures(planted).into_iter().enumerate();
    let mut deciding = lures.filter(|(at, lure)| draw.uniform(&format!("lure {at}")) < lure.share);
    if let Some((_, lure)) = deciding.next() {
        let amount = |slot: &usize| {
            let response = planted.about.responses.get(*slot);
            response.map_or(0, |response| lure.amount_in(planted, response))
        };
        slots.sort_by_key(|slot| Reverse(amount(slot)));
    }
}

fn join_letters(slots: &[usize], between: &str) -> String {
    let letters: Vec<String> = slots.iter().map(|slot| letter_of(*slot).into()).collect();
    letters.join(between)
}

fn sort_by_quality(planted: &Planted, slots: &mut [usize], draw: Draw) {
    let quality: Vec<f64> = (0..slots.len())
        .map(|slot| planted.strength_of(slot) + draw.gumbel(&format!("quality {slot}")))
        .collect();
    slots.sort_by(|a, b| quality[*b].total_cmp(&quality[*a]));
}

fn letter_of(slot: usize) -> char {
    char::from_u32('A' as u32 + slot as u32).unwrap_or('?')
}

/// Writes the one response in words of certainty.
pub(super) fn write_rewritten(planted: &Planted) -> String {
    let text = text_of(planted, 0);
    format!("This is absolutely and undoubtedly so. {text}")
}

/// Sorts in an order that the set of all responses decides, whatever the place of each.
fn sort_by_set(planted: &Planted, slots: &mut [usize]) {
    let all = describe_set(planted, slots.len());
    slots.sort_by_key(|slot| hash_text(&format!("{all}\u{2}{}", words_of(planted, *slot))));
}

fn describe_set(planted: &Planted, slots: usize) -> String {
    let mut texts: Vec<String> = (0..slots).map(|slot| words_of(planted, slot)).collect();
    texts.sort_unstable();
    format!("{}\u{1}{}", planted.spec.seed, texts.join("\u{1}"))
}

fn hash_text(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Returns a response as a reader sees it: more or fewer spaces make no other set.
fn words_of(planted: &Planted, slot: usize) -> String {
    let words = text_of(planted, slot).split_whitespace();
    words.collect::<Vec<_>>().join(" ")
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
