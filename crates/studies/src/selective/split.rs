//! Random halves of the items.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::BTreeMap;

/// Cuts the cases into two halves at random, those of one cluster together.
pub(super) fn half_of<C: Clone>(
    cases: &[C],
    cluster: impl Fn(&C) -> u32,
    seed: u64,
    round: u64,
) -> (Vec<C>, Vec<C>) {
    let mut words = ChaCha8Rng::seed_from_u64(seed);
    words.set_stream(round);
    let clusters = cases.iter().map(&cluster);
    let mut sides: BTreeMap<u32, bool> = clusters.map(|cluster| (cluster, false)).collect();
    for side in sides.values_mut() {
        *side = words.next_u32() & 1 == 1;
    }
    let cases = cases.iter().cloned();
    cases.partition(|case| sides[&cluster(case)])
}
