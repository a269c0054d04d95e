//! Which response a simulated judge prefers: by planted quality, or by one of the planted defects.

use super::Spec;
use super::taste::{Taste, count_words};
use evenhand_core::{About, Response};
use std::cmp::Ordering;
use std::sync::Arc;

/// A request as a simulated judge sees it.
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
    /// Returns the place of a response's system, 0 for the best; after all where it is none of
    /// them.
    pub(super) fn rank_of(&self, slot: usize) -> usize {
        self.about
            .responses
            .get(slot)
            .and_then(|response| self.find_place(&response.system))
            .unwrap_or(self.systems.len())
    }

    fn find_place(&self, name: &str) -> Option<usize> {
        self.place_of(name).or_else(|| {
            // A response that was rewritten, `a+assertive`, is as good as the system's own.
            let (origin, _) = name.rsplit_once('+')?;
            self.place_of(origin)
        })
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.systems.iter().position(|system| **system == *name)
    }

    /// Returns the planted quality in log-odds, 0 for the best system.
    pub(super) fn strength_of(&self, slot: usize) -> f64 {
        -self.spec.gap() * self.rank_of(slot) as f64
    }

    fn is_own(&self, response: &Response) -> bool {
        self.spec
            .own
            .as_deref()
            .is_some_and(|own| *response.system == *own)
    }
}

/// Returns the probability that the first of two is chosen. Each defect decides with its own
/// probability, in the order of the causes; what is left is decided by quality.
pub(super) fn pairwise_first(planted: &Planted) -> f64 {
    let spec = planted.spec;
    let a = planted.rank_of(0);
    let b = planted.rank_of(1);
    // How often each cause decides, and how: 1 where it prefers the first, 0 where it prefers the
    // second, None where it does not tell them apart.
    let slot = f64::from(u8::from(spec.first_slot >= 0.0));
    let mut causes = vec![(spec.first_slot.abs(), Some(slot))];
    for lure in lures(planted) {
        let amount = |response| lure.amount_in(planted, response);
        let preferred = match &planted.about.responses[..] {
            // Counting words is the most of what this judge does: nothing that decides nothing.
            [first, second] if lure.share > 0.0 => match amount(first).cmp(&amount(second)) {
                Ordering::Greater => Some(1.0),
                Ordering::Less => Some(0.0),
                Ordering::Equal => None,
            },
            _ => None,
        };
        causes.push((lure.share, preferred));
    }
    // Each third system beats the one before it: 0 beats 1 beats 2 beats 0, by rank modulo three.
    let cycle = match (b + 3 - a % 3) % 3 {
        1 => Some(1.0),
        2 => Some(0.0),
        _ => None,
    };
    // Behind length, words and origin, before the other tastes.
    causes.insert(4, (spec.intransitive, cycle));

    let mut p = match spec.accuracy {
        _ if a == b => 0.5,
        Some(accuracy) if a < b => accuracy,
        Some(accuracy) => 1.0 - accuracy,
        None => logistic(planted.strength_of(0) - planted.strength_of(1)),
    };
    // From the last on, so that the first cause decides before all others.
    for (share, preferred) in causes.into_iter().rev() {
        if let Some(first) = preferred {
            p = share * first + (1.0 - share) * p;
        }
    }
    p
}

/// Something in a response that must not matter, and how often it decides: the response that has
/// more of it is preferred.
pub(super) struct Lure {
    pub(super) share: f64,
    of: LureOf,
}

enum LureOf {
    Length,
    Assertive,
    Own,
    Taste(Taste),
}

/// Returns all of them, in the order in which they decide: three, and then the other tastes.
pub(super) fn lures(planted: &Planted) -> Vec<Lure> {
    let spec = planted.spec;
    let tastes = spec.tastes.iter();
    [
        (spec.length, LureOf::Length),
        (spec.distractor, LureOf::Assertive),
        (spec.own_bonus, LureOf::Own),
    ]
    .into_iter()
    .chain(tastes.map(|(taste, share)| (*share, LureOf::Taste(*taste))))
    .map(|(share, of)| Lure { share, of })
    .collect()
}

impl Lure {
    /// Returns how much of it a response has.
    pub(super) fn amount_in(&self, planted: &Planted, response: &Response) -> usize {
        match self.of {
            LureOf::Length => seen_length(&response.text),
            LureOf::Assertive => count_words(&response.text, &ASSERTIVE),
            LureOf::Own => usize::from(planted.is_own(response)),
            LureOf::Taste(taste) => taste.amount_in(&response.text),
        }
    }
}

/// Returns the quality of one response in [0, 1]: latent quality with Gumbel noise, pulled to the
/// middle by `compression`; with the probability of the length, distractor, self-preference and
/// other taste defects it is those that decide.
pub(super) fn pointwise_quality(planted: &Planted, gumbel: f64, cause: f64) -> f64 {
    let latent = logistic(planted.strength_of(0) + gumbel);
    let quality = quality_by_defect(planted, cause).unwrap_or(latent);
    0.5 + (quality - 0.5) * (1.0 - planted.spec.compression)
}

/// Returns the quality that a defect gives a response, if one decides: for each taste, the best for
/// a text that has it.
fn quality_by_defect(planted: &Planted, cause: f64) -> Option<f64> {
    let spec = planted.spec;
    let response = planted.about.responses.first();
    let text = response.map_or("", |response| &response.text);
    let is_own = response.is_some_and(|response| planted.is_own(response));
    let own_bonus = if is_own { spec.own_bonus } else { 0.0 };
    let sure = spec.length + spec.distractor;
    if cause < spec.length {
        return Some((seen_length(text) as f64 / 2000.0).min(1.0));
    }
    if cause < sure {
        let is_sure = count_words(text, &ASSERTIVE) > 0;
        return Some(f64::from(u8::from(is_sure)));
    }
    if cause < sure + own_bonus {
        return Some(1.0);
    }
    let mut cause = cause - sure - own_bonus;
    for (taste, share) in &spec.tastes {
        if cause < *share {
            return Some(f64::from(u8::from(taste.amount_in(text) > 0)));
        }
        cause -= share;
    }
    None
}

/// Returns the length as a reader sees it: in characters, white space in a row as one.
fn seen_length(text: &str) -> usize {
    let words = text.split_whitespace().map(|word| word.chars().count() + 1);
    words.sum::<usize>().saturating_sub(1)
}

pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
