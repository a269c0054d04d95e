//! Refuses weights so far apart that arithmetic loses what the light ones say.

use crate::Aggregation;
use crate::method::{Method, refuse_aggregation};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::Tally;

/// How many times as much as the lightest pair, or the prior, the heaviest pair may weigh.
///
/// A fit adds both up with 16 digits. Strengths are right to 1e-12 log-odds up to a factor of 1e14,
/// and all 0 from 1e17 on.
const MOST_APART: f64 = 1e12;

/// Refuses comparisons that a fit of strengths could get wrong without a sign of it.
///
/// # Errors
/// A pair that weighs more than [`MOST_APART`] times as much as another or the prior, by an
/// aggregation that fits strengths.
pub(super) fn check_weights(tally: &Tally, method: &Method) -> Result<(), Refusal> {
    use Aggregation::{BradleyTerry, Davidson, RaoKupper};
    if !matches!(method.aggregation, BradleyTerry | Davidson | RaoKupper) {
        return Ok(());
    }
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for (i, j) in (0..tally.systems()).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let weight = tally.games(i, j);
        if weight > 0.0 {
            least = least.min(weight);
            most = most.max(weight);
        }
    }
    let prior = method.prior.map_or(f64::INFINITY, |prior| prior.weight());
    if most <= least.min(prior) * MOST_APART {
        return Ok(());
    }
    let light = if prior < least {
        format!("the prior {prior}")
    } else {
        format!("those of another {least}")
    };
    let reason = format!(
        "the comparisons of one pair of systems weigh {most:e} in all, and {light}; strengths can \
         be told where the one is at most {MOST_APART:e} times the other. Bring the weights closer \
         together, or use {} win-ratio",
        Setting::Aggregate
    );
    Err(refuse_aggregation(method.aggregation, Cause::Data, reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tally of a path of systems: weights of ten to these powers, and log-odds of each pair.
    fn path(pairs: &[(f64, f64)]) -> Tally {
        let mut tally = Tally::new(pairs.len() + 1).unwrap();
        for (at, (power, odds)) in pairs.iter().enumerate() {
            let (weight, chance) = (10f64.powf(*power), 1.0 / (1.0 + (-odds).exp()));
            tally
                .add(at, at + 1, weight * chance, 0.0, weight * (1.0 - chance))
                .unwrap();
        }
        tally
    }

    proptest! {
        /// On a path each difference is the log-odds of its own pair, whatever the others weigh.
        #[test]
        fn weights_that_are_not_refused_have_the_right_strengths(
            pairs in proptest::collection::vec((0.0..12.0f64, -3.0..3.0f64), 2..6),
        ) {
            let tally = path(&pairs);
            for aggregation in [Aggregation::BradleyTerry, Aggregation::Davidson, Aggregation::RaoKupper] {
                let scores = aggregation.pair_method(None).unwrap().scores(&tally);
                let found: Vec<f64> = scores.estimates.iter().map(|estimate| estimate.finite().unwrap()).collect();
                for (two, (_, odds)) in found.windows(2).zip(&pairs) {
                    prop_assert!((two[0] - two[1] - odds).abs() < 1e-6, "{aggregation:?} {found:?}");
                }
            }
        }
    }
}
