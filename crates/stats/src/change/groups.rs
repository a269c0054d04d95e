//! Whether groups of items differ in their means.

use crate::bootstrap::{keyed_generator, run_rounds, shuffle};
use crate::checks::check_rows;
use crate::{Bootstrap, Error, Undefined};

/// The test of a difference between groups.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GroupDifference {
    /// Sum over groups of items x (group's mean - mean)^2, over the whole sum of squares, in
    /// [0, 1]: the share of the variance that the groups explain.
    pub explained: f64,
    /// The share of orders of the items that explain as much, in (0, 1].
    pub p_value: f64,
    /// Groups with items.
    pub groups: usize,
}

/// The permutation test of equal means in several groups: if groups do not matter, any item might
/// as well have been in another (Fisher 1935; Phipson and Smyth 2010 for the added ones).
///
/// `values` and `groups`, numbered from 0, belong together by item. p = (1 + #{explained* >=
/// explained}) / (R + 1) over `plan.rounds` orders.
///
/// # Errors
/// Lists of different lengths; a plan that cannot be run; fewer than two groups
/// ([`Undefined::NoPairs`]); values that are all the same ([`Undefined::NoVariance`]).
pub fn group_difference(
    values: &[f64],
    groups: &[u32],
    plan: &Bootstrap,
) -> Result<GroupDifference, Error> {
    check_rows(values.len())?;
    if values.len() != groups.len() {
        return Err(Error::Lengths {
            first: values.len(),
            second: groups.len(),
        });
    }
    let sizes = count_sizes(groups);
    let centred = centre(values)?;
    if sizes.iter().filter(|size| **size > 0.0).count() < 2 {
        return Err(Undefined::NoPairs.into());
    }
    test_centred(&centred, groups, &sizes, plan)
}

fn test_centred(
    centred: &[f64],
    groups: &[u32],
    sizes: &[f64],
    plan: &Bootstrap,
) -> Result<GroupDifference, Error> {
    let whole: f64 = centred.iter().map(|x| x * x).sum();
    let found = between(centred, groups, sizes);
    // Sums in another order round differently: a hair less is as extreme.
    let limit = found - 1e-12 * whole;
    let is_extreme = |(): &mut (), round| {
        let drawn = reorder(groups, plan.seed, round);
        between(centred, &drawn, sizes) >= limit
    };
    let found_in = run_rounds(centred.len(), plan, || (), is_extreme)?;
    let extreme = found_in.iter().filter(|extreme| **extreme).count();
    Ok(GroupDifference {
        explained: (found / whole).clamp(0.0, 1.0),
        p_value: (1 + extreme) as f64 / (1 + plan.rounds) as f64,
        groups: sizes.iter().filter(|size| **size > 0.0).count(),
    })
}

/// The key of the random orders, beside those of resamples.
const ORDERS: u8 = 0x67;

fn reorder(groups: &[u32], seed: u64, round: u64) -> Vec<u32> {
    let mut drawn = groups.to_vec();
    shuffle(&mut drawn, &mut keyed_generator(seed, ORDERS, round));
    drawn
}

fn centre(values: &[f64]) -> Result<Vec<f64>, Error> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    if values.iter().all(|value| *value == values[0]) {
        return Err(Undefined::NoVariance.into());
    }
    Ok(values.iter().map(|value| value - mean).collect())
}

fn count_sizes(groups: &[u32]) -> Vec<f64> {
    let count = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0.0; count];
    for group in groups {
        sizes[*group as usize] += 1.0;
    }
    sizes
}

/// The sum of squares between the groups, of values whose mean is 0.
fn between(centred: &[f64], groups: &[u32], sizes: &[f64]) -> f64 {
    let mut sums = vec![0.0; sizes.len()];
    for (value, group) in centred.iter().zip(groups) {
        sums[*group as usize] += value;
    }
    let filled = sums.iter().zip(sizes).filter(|(_, size)| **size > 0.0);
    filled.map(|(sum, size)| sum * sum / size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_differ_are_found_and_others_are_not() {
        let groups: Vec<u32> = (0..90).map(|i| i % 3).collect();
        let wave = |i: u32| f64::from(i * 37 % 101) / 101.0;
        let plan = Bootstrap::default();
        let same: Vec<f64> = (0..90).map(wave).collect();
        assert!(group_difference(&same, &groups, &plan).unwrap().p_value > 0.1);
        let apart: Vec<f64> = (0..90).map(|i| wave(i) + f64::from(i % 3 == 0)).collect();
        let found = group_difference(&apart, &groups, &plan).unwrap();
        assert!(found.p_value < 0.002 && found.explained > 0.5, "{found:?}");
    }

    #[test]
    fn the_share_of_false_alarms_is_the_level() {
        let groups: Vec<u32> = (0..40).map(|i| i % 4).collect();
        let plan = Bootstrap {
            rounds: 199,
            ..Bootstrap::default()
        };
        let mut state = 7_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut alarm = || {
            let values: Vec<f64> = (0..40).map(|_| uniform()).collect();
            group_difference(&values, &groups, &plan).unwrap().p_value <= 0.05
        };
        let alarms = (0..1000).filter(|_| alarm()).count();
        assert!((30..=72).contains(&alarms), "{alarms} of 1000");
    }

    #[test]
    fn what_has_no_answer_is_said() {
        let plan = Bootstrap::default();
        assert!(group_difference(&[1.0, 2.0], &[0, 0], &plan).is_err());
        assert!(group_difference(&[1.0, 1.0], &[0, 1], &plan).is_err());
        assert!(group_difference(&[], &[], &plan).is_err());
        assert!(group_difference(&[1.0], &[0, 1], &plan).is_err());
    }
}
