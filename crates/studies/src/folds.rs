//! Parts for cross-validation.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

/// Deals numbers to so many parts, in an order drawn from the seed: returns the part of each.
pub(crate) fn deal(
    numbers: impl Iterator<Item = u32>,
    parts: usize,
    seed: u64,
) -> BTreeMap<u32, usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let numbers: BTreeSet<u32> = numbers.collect();
    // In ascending order, so that the draws do not depend on the order of the rows.
    let mut drawn: Vec<(u64, u32)> = numbers
        .into_iter()
        .map(|number| (rng.next_u64(), number))
        .collect();
    drawn.sort_unstable();
    let places = drawn.into_iter().enumerate();
    places
        .map(|(place, (_, number))| (number, place % parts))
        .collect()
}
