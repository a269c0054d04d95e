//! Random halves of the items, and means.

use super::Case;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::BTreeMap;

/// Cuts the cases into two halves at random, pairs on one instruction together.
pub(super) fn half_of(cases: &[Case], seed: u64, round: u64) -> (Vec<Case>, Vec<Case>) {
    let mut words = ChaCha8Rng::seed_from_u64(seed);
    words.set_stream(round);
    let mut sides: BTreeMap<u32, bool> = cases.iter().map(|case| (case.cluster, false)).collect();
    for side in sides.values_mut() {
        *side = words.next_u32() & 1 == 1;
    }
    let cases = cases.iter().cloned();
    cases.partition(|case| sides[&case.cluster])
}

/// None without numbers.
pub(super) fn mean_of(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for number in numbers {
        sum += number;
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}
