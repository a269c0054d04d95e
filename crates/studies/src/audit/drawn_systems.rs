//! The systems of an item, in an order drawn from the seed.

use super::material::Material;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Returns N different systems of an item in an order drawn from the seed, first the two that
/// people compared; None where fewer answered.
pub(super) fn draw_systems<const N: usize>(
    material: &Material,
    seed: u64,
    item: u32,
) -> Option<[u32; N]> {
    let mut systems = material.answered(item);
    shuffle(&mut systems, seed, stream_of(material, item));
    compared_first(&mut systems, material, item);
    systems.first_chunk().copied()
}

/// Returns the number of an item's stream: all turns of a conversation share that of the first one
/// in the data, so that the same systems are compared in each.
fn stream_of(material: &Material, item: u32) -> u32 {
    if material.items[item as usize].turn.is_none() {
        return item;
    }
    let question = material.questions[item as usize];
    let mut questions = material.questions.iter();
    let first = questions.position(|other| *other == question);
    first.map_or(item, |first| first as u32)
}

/// Moves the two systems that people compared to the front; the others keep their order.
fn compared_first(systems: &mut [u32], material: &Material, item: u32) {
    if let Some(label) = material.label_on(item) {
        systems.sort_by_key(|system| ![label.a, label.b].contains(system));
    }
}

/// Shuffles with a stream of its own for each item, so that no item depends on the others.
fn shuffle(systems: &mut [u32], seed: u64, item: u32) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::from(item));
    for last in (1..systems.len()).rev() {
        systems.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
}
