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
    /// Returns the place of a response's system, 0 for the best; after all where it is none of them.
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
        -self.spec.gap * self.rank_of(slot) as f64
    }

    fn is_own(&self, response: &Response) -> bool {
        self.spec
            .own
            .as_deref()
            .is_some_and(|own| *response.system == *own)
    }
}

/// Something that may decide between two responses: how often it does, and what it prefers.
struct Cause {
    share: f64,
    /// 1 if it prefers the first, 0 if the second; None where it does not tell them apart.
    first: Option<f64>,
}

impl Cause {
    /// Returns the probability of the first where it is `otherwise` without this cause.
    fn mix_into(&self, otherwise: f64) -> f64 {
        match self.first {
            Some(first) => self.share * first + (1.0 - self.share) * otherwise,
            None => otherwise,
        }
    }
}

/// Returns the probability that the first of two is chosen. Each defect decides with its own
/// probability, in the order of the causes; what is left is decided by quality.
pub(super) fn pairwise_first(planted: &Planted) -> f64 {
    let mut p = first_by_quality(planted);
    // From the last on, so that the first cause decides before all others.
    for cause in causes(planted).into_iter().rev() {
        p = cause.mix_into(p);
    }
    p
}

fn causes(planted: &Planted) -> Vec<Cause> {
    let spec = planted.spec;
    let slot = f64::from(u8::from(spec.first_slot >= 0.0));
    let mut causes = vec![Cause {
        share: spec.first_slot.abs(),
        first: Some(slot),
    }];
    causes.extend(lures(planted).into_iter().map(|lure| Cause {
        share: lure.share,
        first: prefer(planted, |response| lure.amount_in(planted, response)),
    }));
    // Behind length, words and origin, before the other tastes.
    let cycle = Cause {
        share: spec.intransitive,
        first: first_by_cycle(planted),
    };
    causes.insert(4, cycle);
    causes
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

fn first_by_quality(planted: &Planted) -> f64 {
    let (a, b) = (planted.rank_of(0), planted.rank_of(1));
    match planted.spec.accuracy {
        _ if a == b => 0.5,
        Some(accuracy) if a < b => accuracy,
        Some(accuracy) => 1.0 - accuracy,
        None => logistic(planted.strength_of(0) - planted.strength_of(1)),
    }
}

/// Returns 1 if the first has more of it, 0 if the second has; None where it does not tell them
/// apart.
fn prefer(planted: &Planted, amount: impl Fn(&Response) -> usize) -> Option<f64> {
    let [first, second] = &planted.about.responses[..] else {
        return None;
    };
    match amount(first).cmp(&amount(second)) {
        Ordering::Greater => Some(1.0),
        Ordering::Less => Some(0.0),
        Ordering::Equal => None,
    }
}

/// Each third system beats the one before it: 0 beats 1 beats 2 beats 0, by rank modulo three.
fn first_by_cycle(planted: &Planted) -> Option<f64> {
    match (planted.rank_of(1) + 3 - planted.rank_of(0) % 3) % 3 {
        1 => Some(1.0),
        2 => Some(0.0),
        _ => None,
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

/// Returns the bonus of the only response, if it is the judge's own.
fn own_bonus_of(planted: &Planted) -> f64 {
    match planted.about.responses.first() {
        Some(response) if planted.is_own(response) => planted.spec.own_bonus,
        _ => 0.0,
    }
}

fn quality_by_defect(planted: &Planted, cause: f64) -> Option<f64> {
    let (spec, response) = (planted.spec, planted.about.responses.first());
    let text = response.map_or("", |response| &response.text);
    let own_bonus = own_bonus_of(planted);
    let sure = spec.length + spec.distractor;
    if cause < spec.length {
        Some((seen_length(text) as f64 / 2000.0).min(1.0))
    } else if cause < sure {
        let is_sure = count_words(text, &ASSERTIVE) > 0;
        Some(f64::from(u8::from(is_sure)))
    } else if cause < sure + own_bonus {
        Some(1.0)
    } else {
        quality_by_taste(spec, text, cause - sure - own_bonus)
    }
}

/// Returns the score of the taste that decides, the best for a text that has it; None where none
/// does.
fn quality_by_taste(spec: &Spec, text: &str, mut cause: f64) -> Option<f64> {
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
