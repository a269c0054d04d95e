//! A change that is looked for again and again: the chance of a false alarm is bounded over all
//! looks together, however many there are and whenever one stops.

use crate::bootstrap::keyed_generator;
use crate::checks::{check_argument, check_finite, check_probability};
use crate::{Error, Undefined};
use rand_chacha::rand_core::RngCore;

/// What one cluster's values are in the run that is looked at, and were in the runs before it that
/// measured the same.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterHistory {
    /// The value now.
    pub now: f64,
    /// The values before, at least one, in any order.
    pub before: Vec<f64>,
}

/// The p-values of one look: of a rise, and of a fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookPValues {
    /// How likely the values would be as high, had nothing changed.
    pub rise: f64,
    /// How likely they would be as low.
    pub fall: f64,
}

/// What the random words are for.
const LOOKS: u8 = b'l';
/// Draws end when so many were as extreme as what was found (Besag and Clifford 1991).
const ENOUGH: u32 = 20;
/// The most draws: no p-value is below 1 / (MOST + 1).
const MOST: u32 = 99_999;
/// Sums that differ by this share of their terms are equal.
const ROUNDING: f64 = 1e-9;

/// Tests whether the values of a run are higher, or lower, than those of the runs before it.
///
/// Had nothing changed, a cluster's values would be exchangeable over the runs, so that the one of
/// now might as well have been any of them. Each draw puts one of the cluster's own values, at
/// random, in the place of the one of now, for every cluster at once; the p-value is the share of
/// draws whose sum is as extreme as the one found. Drawing ends after the twentieth such draw, or
/// after 99,999 (Besag and Clifford 1991, "Sequential Monte Carlo p-values": h of l draws give h /
/// l, fewer than h of n give (g + 1) / (n + 1)), which is a p-value whatever the number of draws.
///
/// Given which values the runs so far have, whatever their order, and all that comes later, the
/// p-value is at most u with chance at most u. So the p-values of consecutive looks are as if
/// independent (Vovk, Gammerman and Shafer 2005, "Algorithmic Learning in a Random World", theorem
/// 8.1 on sequential ranks), which [`betting_wealth`] takes of them. `look` numbers the look; with
/// `seed` it fixes the draws.
///
/// # Errors
/// A value that is not finite; no cluster ([`Undefined::NoData`]).
pub fn look_p_values(
    clusters: &[ClusterHistory],
    seed: u64,
    look: u64,
) -> Result<LookPValues, Error> {
    for cluster in clusters {
        check_finite("value", &[cluster.now])?;
        check_finite("value", &cluster.before)?;
    }
    // A cluster whose values are all alike adds nothing to any sum.
    let moved: Vec<&ClusterHistory> = clusters.iter().filter(|one| one.has_moved()).collect();
    if clusters.is_empty() {
        return Err(Undefined::NoData.into());
    }
    // What each draw adds to the sum that was found.
    let mut steps: Vec<Vec<f64>> = Vec::with_capacity(moved.len());
    let mut reach = 0.0;
    for cluster in &moved {
        let mut own: Vec<f64> = cluster.before.iter().map(|x| x - cluster.now).collect();
        own.push(0.0);
        reach += own.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        steps.push(own);
    }
    let rounding = ROUNDING * reach;
    let mut words = keyed_generator(seed, LOOKS, look);
    let mut rise = Tail::default();
    let mut fall = Tail::default();
    for _ in 0..MOST {
        let mut sum = 0.0;
        for own in &steps {
            let drawn = (u64::from(words.next_u32()) * own.len() as u64) >> 32;
            sum += own[drawn as usize];
        }
        rise.add(sum >= -rounding);
        fall.add(sum <= rounding);
        if rise.is_done() && fall.is_done() {
            break;
        }
    }
    Ok(LookPValues {
        rise: rise.p_value(),
        fall: fall.p_value(),
    })
}

/// The least p-value that [`look_p_values`] can give for so many values.
pub fn least_look_p_value(clusters: &[ClusterHistory]) -> f64 {
    let shares = clusters
        .iter()
        .map(|one| 1.0 / (one.before.len() + 1) as f64);
    shares.product::<f64>().max(1.0 / f64::from(MOST + 1))
}

impl ClusterHistory {
    fn has_moved(&self) -> bool {
        self.before.iter().any(|before| *before != self.now)
    }
}

/// Draws that were as extreme as what was found.
#[derive(Default)]
struct Tail {
    extreme: u32,
    draws: u32,
}

impl Tail {
    fn add(&mut self, is_extreme: bool) {
        if !self.is_done() {
            self.draws += 1;
            self.extreme += u32::from(is_extreme);
        }
    }

    fn is_done(&self) -> bool {
        self.extreme >= ENOUGH
    }

    fn p_value(&self) -> f64 {
        match self.is_done() {
            true => f64::from(self.extreme) / f64::from(self.draws),
            false => f64::from(self.extreme + 1) / f64::from(self.draws + 1),
        }
    }
}

/// The exponents of the bets: a bet of e multiplies its stake by e p^(e - 1). The small ones win
/// by one look that is very unlikely, the large ones by many that are a little.
const BETS: [f64; 3] = [0.2, 0.5, 0.8];

/// The wealth after each look of a gambler who bets on small p-values, beginning with 1.
///
/// Part of the stake, 1 / (c (c + 1)), is held back until look c, so that looks without a change
/// before it cost it nothing; it is shared evenly by three bets, of which each multiplies by e
/// p^(e - 1) at every look. Where each p-value given the others before it is at most u with chance
/// at most u for every u, the expectation of each product is at most 1 and falls from look to look:
/// the chance that the wealth ever reaches 1 / a is at most a (Ville 1939; Vovk, Nouretdinov and
/// Gammerman 2003, "Testing exchangeability on-line", for the bets; Shin, Ramdas and Rinaldo 2023,
/// "E-detectors", for changes that begin later). Since each bet falls with p, larger p-values are
/// no more than cautious.
///
/// # Errors
/// A p-value that is none, or 0.
pub fn betting_wealth(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    let mut stakes = [0.0; BETS.len()];
    let mut all = Vec::with_capacity(p_values.len());
    for (look, p) in p_values.iter().enumerate() {
        check_probability(look, "p", *p)?;
        check_argument("p", *p, *p > 0.0, "above 0")?;
        let number = look as f64 + 1.0;
        let put_in = 1.0 / (number * (number + 1.0)) / BETS.len() as f64;
        for (stake, bet) in stakes.iter_mut().zip(BETS) {
            *stake = (*stake + put_in) * bet * p.powf(bet - 1.0);
        }
        let held_back = 1.0 / (number + 1.0);
        all.push(held_back + stakes.iter().sum::<f64>());
    }
    Ok(all)
}
