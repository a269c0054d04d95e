//! What decides a simulated verdict: the planted quality, or one of the planted defects.

use super::{Spec, Taste};
use evenhand_core::{About, Response};
use std::sync::Arc;

/// What a simulated judge knows of one request.
pub(super) struct Planted<'a> {
    pub(super) spec: &'a Spec,
    pub(super) systems: &'a [Arc<str>],
    pub(super) about: &'a About,
}

/// Words that sound sure of themselves (the distractor that the simulated judge falls for).
const ASSERTIVE: [&str; 6] = [
    "absolutely",
    "certainly",
    "clearly",
    "definitely",
    "undoubtedly",
    "unquestionably",
];

impl Planted<'_> {
    fn rank(&self, slot: usize) -> usize {
        let Some(response) = self.about.responses.get(slot) else {
            return self.systems.len();
        };
        let name = response.system.as_ref();
        let place = |name: &str| self.systems.iter().position(|system| **system == *name);
        // A response that was rewritten, `a+assertive`, is as good as the system's own.
        let origin = || name.rsplit_once('+').and_then(|(origin, _)| place(origin));
        place(name).or_else(origin).unwrap_or(self.systems.len())
    }

    /// Planted quality in log-odds, 0 for the best system.
    pub(super) fn strength(&self, slot: usize) -> f64 {
        -self.spec.gap * self.rank(slot) as f64
    }
}

/// Probability that the first of two is chosen. Each defect decides with its own probability, in
/// the order below; what is left is decided by quality.
pub(super) fn pairwise_first(planted: &Planted) -> f64 {
    let spec = planted.spec;
    let longer = prefer(planted, |response| seen_length(&response.text));
    let surer = prefer(planted, |response| assertive_words(&response.text));
    let own = spec
        .own
        .as_ref()
        .and_then(|own| prefer(planted, |response| usize::from(*response.system == **own)));
    let slot = Some(f64::from(u8::from(spec.first_slot >= 0.0)));
    let mut causes = vec![
        (spec.first_slot.abs(), slot),
        (spec.length, longer),
        (spec.distractor, surer),
        (spec.own_bonus, own),
        (spec.intransitive, cycle(planted)),
    ];
    let taste = |&(taste, share): &(Taste, f64)| {
        (
            share,
            prefer(planted, |response| taste.amount(&response.text)),
        )
    };
    causes.extend(spec.tastes.iter().map(taste));
    causes
        .iter()
        .rev()
        .fold(by_quality(planted), |rest, (weight, first)| match first {
            Some(first) => weight * first + (1.0 - weight) * rest,
            None => rest,
        })
}

fn by_quality(planted: &Planted) -> f64 {
    let (a, b) = (planted.rank(0), planted.rank(1));
    match planted.spec.accuracy {
        _ if a == b => 0.5,
        Some(accuracy) if a < b => accuracy,
        Some(accuracy) => 1.0 - accuracy,
        None => logistic(planted.strength(0) - planted.strength(1)),
    }
}

/// 1 if the first has more of it, 0 if the second has; None where it does not tell them apart.
fn prefer(planted: &Planted, much: impl Fn(&Response) -> usize) -> Option<f64> {
    let [first, second] = &planted.about.responses[..] else {
        return None;
    };
    match much(first).cmp(&much(second)) {
        std::cmp::Ordering::Greater => Some(1.0),
        std::cmp::Ordering::Less => Some(0.0),
        std::cmp::Ordering::Equal => None,
    }
}

/// Each third system beats the one before it: 0 beats 1 beats 2 beats 0, by rank modulo three.
fn cycle(planted: &Planted) -> Option<f64> {
    match (planted.rank(1) + 3 - planted.rank(0) % 3) % 3 {
        1 => Some(1.0),
        2 => Some(0.0),
        _ => None,
    }
}

/// Quality of one response in [0, 1]: latent quality with Gumbel noise, pulled to the middle by
/// `compression`; with the probability of the length, distractor and self-preference defects it is
/// those that decide.
pub(super) fn pointwise_quality(planted: &Planted, gumbel: f64, cause: f64) -> f64 {
    let (spec, response) = (planted.spec, planted.about.responses.first());
    let text = response.map_or("", |response| &response.text);
    let by_length = (seen_length(text) as f64 / 2000.0).min(1.0);
    let by_words = if assertive_words(text) > 0 { 1.0 } else { 0.0 };
    let by_own = f64::from(u8::from(
        response.map(|r| r.system.as_ref()) == spec.own.as_deref() && spec.own.is_some(),
    ));
    let latent = logistic(planted.strength(0) + gumbel);
    let edges = [
        spec.length,
        spec.length + spec.distractor,
        spec.length + spec.distractor + spec.own_bonus * by_own,
    ];
    let quality = [by_length, by_words, 1.0]
        .into_iter()
        .zip(edges)
        .find(|(_, edge)| cause < *edge)
        .map_or(latent, |(q, _)| q);
    0.5 + (quality - 0.5) * (1.0 - spec.compression)
}

/// The length as a reader sees it: in characters, white space in a row as one.
fn seen_length(text: &str) -> usize {
    let words = text.split_whitespace().map(|word| word.chars().count() + 1);
    words.sum::<usize>().saturating_sub(1)
}

fn assertive_words(text: &str) -> usize {
    let is_assertive = |word: &str| ASSERTIVE.iter().any(|sure| word.eq_ignore_ascii_case(sure));
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| is_assertive(word))
        .count()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
