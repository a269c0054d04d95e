//! Verdicts that are more than one of two or three answers.

use super::Draw;
use super::preference::{Planted, pairwise_first};

/// The probability of each of n steps from "the first is much better" to "the second is much
/// better": binomial, with the mean where the probability of the first puts it.
pub(super) fn steps(first: f64, n: usize) -> Vec<f64> {
    let mut p = vec![1.0];
    for _ in 1..n {
        let mut next = vec![0.0; p.len() + 1];
        for (at, mass) in p.iter().enumerate() {
            next[at] += mass * first;
            next[at + 1] += mass * (1.0 - first);
        }
        p = next;
    }
    p
}

/// Two whole scores between the ends: the preferred response is above the other by one point or
/// more.
pub(super) fn scores(planted: &Planted, low: f64, high: f64, draw: Draw) -> String {
    let span = (high - low).max(1.0);
    let lower = low + (draw.uniform("level") * span).floor().min(span - 1.0);
    let above = lower + 1.0 + (draw.uniform("margin") * (high - lower - 1.0).max(0.0)).floor();
    let first = draw.uniform("choice") < pairwise_first(planted);
    match draw.uniform("tie") < planted.spec.tie {
        true => format!("{lower} {lower}"),
        false if first => format!("{above} {lower}"),
        false => format!("{lower} {above}"),
    }
}

/// The letters of all responses, best first: by planted quality with Gumbel noise (Plackett-Luce),
/// or, with the probability of the first-slot defect, as they were shown (in reverse where it is
/// negative).
pub(super) fn order(planted: &Planted, draw: Draw) -> String {
    let count = planted.about.responses.len();
    let mut slots: Vec<usize> = (0..count).collect();
    if draw.uniform("slot") >= planted.spec.first_slot.abs() {
        let quality: Vec<f64> = slots
            .iter()
            .map(|slot| planted.strength(*slot) + draw.gumbel(&format!("quality {slot}")))
            .collect();
        slots.sort_by(|a, b| quality[*b].total_cmp(&quality[*a]));
    } else if planted.spec.first_slot < 0.0 {
        slots.reverse();
    }
    if draw.uniform("choice set") < planted.spec.choice_set {
        by_set(planted, &mut slots);
    }
    let letter = |slot: &usize| {
        char::from_u32('A' as u32 + *slot as u32)
            .unwrap_or('?')
            .to_string()
    };
    slots.iter().map(letter).collect::<Vec<_>>().join(" > ")
}

/// The one response in words of certainty.
pub(super) fn rewritten(planted: &Planted) -> String {
    let text = planted
        .about
        .responses
        .first()
        .map_or("", |response| response.text.as_ref());
    format!("This is absolutely and undoubtedly so. {text}")
}

/// An order that the set of all responses decides, whatever the place of each.
fn by_set(planted: &Planted, slots: &mut [usize]) {
    // As a reader sees it: more or fewer spaces make no other set.
    let text = |slot: usize| {
        planted
            .about
            .responses
            .get(slot)
            .map_or("", |response| response.text.as_ref())
    };
    let words = |slot: usize| text(slot).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut texts: Vec<String> = (0..slots.len()).map(words).collect();
    texts.sort_unstable();
    let all = format!("{}\u{1}{}", planted.spec.seed, texts.join("\u{1}"));
    let place =
        |slot: usize| *blake3::hash(format!("{all}\u{2}{}", words(slot)).as_bytes()).as_bytes();
    slots.sort_by_key(|slot| place(*slot));
}
