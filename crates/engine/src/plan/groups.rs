//! Groups of systems that are shown together: all of them, or a fair draw.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::Arc;

/// Systems that are shown together, in the order of their indices.
pub(super) type Group = Box<[u32]>;

/// Returns all groups of this size among those present, or the one of all of them where they are
/// fewer; none below two.
pub(super) fn groups_among(present: &[u32], size: usize) -> Vec<Group> {
    let size = size.min(present.len());
    let mut groups = Vec::new();
    if size >= 2 {
        extend_group(&mut Vec::new(), present, size, &mut groups);
    }
    groups
}

fn extend_group(chosen: &mut Vec<u32>, rest: &[u32], size: usize, groups: &mut Vec<Group>) {
    if chosen.len() == size {
        groups.push(chosen.clone().into());
        return;
    }
    for (number, system) in rest.iter().enumerate() {
        chosen.push(*system);
        extend_group(chosen, &rest[number + 1..], size, groups);
        chosen.pop();
    }
}

/// Counts the groups of `size` among n, where n below it gives one (none below two); saturating.
pub(super) fn count_groups(n: u64, size: u64) -> u64 {
    match n {
        0 | 1 => 0,
        _ if n <= size => 1,
        _ => binomial(n, size).unwrap_or(u64::MAX),
    }
}

/// n choose k; None beyond 64 bits. Each product is divisible by the next number, so that nothing
/// is rounded.
fn binomial(n: u64, k: u64) -> Option<u64> {
    (0..k).try_fold(1u64, |count, chosen| {
        Some(count.checked_mul(n - chosen)? / (chosen + 1))
    })
}

/// Draws for each item the k groups whose pairs were used least so far, in an order drawn for the
/// item.
pub(super) fn draw_groups(
    present: &[Arc<[u32]>],
    systems: usize,
    k: usize,
    size: usize,
    seed: u64,
) -> Vec<Box<[Group]>> {
    // How often each pair of systems was drawn.
    let mut uses = vec![0_u32; systems * systems];
    let mut drawn = Vec::with_capacity(present.len());
    for (item, present) in (0..).zip(present) {
        let mut groups = groups_among(present, size);
        shuffle(&mut groups, &mut random_stream(seed, item));
        // The sort is stable: among equals, the drawn order decides.
        groups.sort_by_key(|group| {
            let uses = pairs_of_group(group, systems).map(|pair| uses[pair]);
            uses.sum::<u32>()
        });
        groups.truncate(k);
        for group in &groups {
            for pair in pairs_of_group(group, systems) {
                uses[pair] += 1;
            }
        }
        drawn.push(groups.into_boxed_slice());
    }
    drawn
}

/// Returns the places of a group's pairs in a square table of all systems.
fn pairs_of_group(group: &[u32], systems: usize) -> impl Iterator<Item = usize> {
    group.iter().enumerate().flat_map(move |(number, a)| {
        let others = group[number + 1..].iter();
        others.map(move |b| *a as usize * systems + *b as usize)
    })
}

pub(crate) fn shuffle<T>(list: &mut [T], random: &mut ChaCha8Rng) {
    for last in (1..list.len()).rev() {
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        list.swap(last, other);
    }
}

pub(crate) fn random_stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}
