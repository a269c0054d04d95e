//! Values once, and pairs by their numbers.

/// Returns each value once, in the order in which they come.
pub(crate) fn in_order<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Returns pairs by their numbers, the least first; those of one number in the given order.
pub(crate) fn sort_by_number<T>(pairs: impl Iterator<Item = (f64, T)>) -> Vec<(f64, T)> {
    let mut sorted: Vec<(f64, T)> = pairs.collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted
}
