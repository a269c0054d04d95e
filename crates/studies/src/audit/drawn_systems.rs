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
    // All turns of a conversation share the stream of the first one in the data, so that the same
    // systems are compared in each.
    let mut stream = item;
    if material.items[item as usize].turn.is_some() {
        let question = material.questions[item as usize];
        if let Some(first) = material
            .questions
            .iter()
            .position(|other| *other == question)
        {
            stream = first as u32;
        }
    }
    let mut systems = material.answered(item);
    shuffle(&mut systems, seed, stream);
    if let Some(label) = material.label_on(item) {
        systems.sort_by_key(|system| ![label.a, label.b].contains(system));
    }
    systems.first_chunk().copied()
}

/// Shuffles with a stream of its own for each item, so that no item depends on the others.
fn shuffle(systems: &mut [u32], seed: u64, item: u32) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::from(item));
    for last in (1..systems.len()).rev() {
        systems.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
}
