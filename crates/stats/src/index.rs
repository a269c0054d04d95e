//! Numbers of systems: which are finite, where each stands in a list, and their pairs.

use crate::Estimate;

/// The systems with a finite score, in ascending order.
pub(crate) fn finite_systems(estimates: &[Estimate]) -> Vec<usize> {
    (0..estimates.len())
        .filter(|&i| estimates[i].finite().is_some())
        .collect()
}

/// For each of `count` systems its place in the list `systems`; None for those that it lacks.
pub(crate) fn places_of(systems: &[usize], count: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; count];
    for (place, &system) in systems.iter().enumerate() {
        places[system] = Some(place);
    }
    places
}

/// The pairs i < j of k systems: (0, 1), (0, 2), ..., (1, 2), ...
pub(crate) fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
}

/// The place of the pair i < j among the [`pairs`] of k systems.
pub(crate) fn number_of_pair(k: usize, i: usize, j: usize) -> usize {
    // Before the pairs of i come k - 1 of system 0, k - 2 of system 1, ...
    i * (2 * k - i - 1) / 2 + j - i - 1
}

/// The pairs of k systems with the larger number first: (1, 0), (2, 0), (2, 1), ...
pub(crate) fn pairs_below(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(|i| (0..i).map(move |j| (i, j)))
}

/// All k * k pairs, row by row, a system with itself too.
pub(crate) fn all_pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |i| (0..k).map(move |j| (i, j)))
}

/// The positions of the values, the smallest value first.
pub(crate) fn ascending_positions(values: &[f64]) -> Vec<usize> {
    // Values and positions are sorted together: following positions to values would miss the cache.
    let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, position)| position).collect()
}

/// The values once each, in ascending order.
pub(crate) fn distinct<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}

/// How many different values there are, and for each value its number among them in ascending
/// order.
pub(crate) fn number_values<T: Copy + Ord>(values: &[T]) -> (usize, Vec<usize>) {
    let different = distinct(values.to_vec());
    let number = |value: &T| different.partition_point(|other| other < value);
    (different.len(), values.iter().map(number).collect())
}

/// How many of n a share of them is, rounded up: 0.1 of 30 is 3, whatever the last bit of the
/// share.
pub(crate) fn count_for_share(share: f64, n: usize) -> f64 {
    (share * n as f64 - 1e-9).ceil()
}

/// The count, or as many as a list can have.
pub(crate) fn saturating_size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
