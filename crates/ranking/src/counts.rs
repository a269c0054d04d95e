//! Counts of what each system took part in.

/// Counts how often each of so many systems is named.
pub(crate) fn count_systems(systems: usize, named: impl Iterator<Item = u16>) -> Vec<u64> {
    let mut counts = vec![0; systems];
    for system in named {
        counts[usize::from(system)] += 1;
    }
    counts
}
