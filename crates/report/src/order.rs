//! Pairs by their numbers.

/// Returns pairs by their numbers, the least first; those of one number in the given order.
pub(crate) fn sort_by_number<T>(pairs: impl Iterator<Item = (f64, T)>) -> Vec<(f64, T)> {
    let mut sorted: Vec<(f64, T)> = pairs.collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted
}
