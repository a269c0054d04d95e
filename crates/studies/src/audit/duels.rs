//! Which responses of an item a probe looks at: drawn once for each item, so that probes share what
//! they ask.

use super::asks::{Asks, Duel};
use super::material::Material;
use evenhand_formats::records::Preference;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The two systems of an item: those that people compared, where they did, else drawn from the
/// seed; none where fewer answered.
pub(super) fn duel(asks: &Asks<'_>, material: usize, item: u32) -> Option<Duel> {
    let group = group(asks, material, item, 2)?;
    Some(Duel {
        material,
        item,
        a: group[0],
        b: group[1],
    })
}

/// So many different systems of an item in an order drawn from the seed; first the two that people
/// compared.
pub(super) fn group(asks: &Asks<'_>, material: usize, item: u32, size: usize) -> Option<Vec<u32>> {
    drawn(asks.materials.get(material)?, asks.seed, item, size)
}

/// So many different systems of an item of a material, as [`group`] has them.
pub(super) fn drawn(of: &Material, seed: u64, item: u32, size: usize) -> Option<Vec<u32>> {
    let mut systems = of.answered(item);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::from(item));
    for last in (1..systems.len()).rev() {
        systems.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
    if let Some(label) = of.labels.iter().find(|label| label.item == item) {
        systems.sort_by_key(|system| ![label.a, label.b].contains(system));
    }
    systems.truncate(size);
    (systems.len() == size).then_some(systems)
}

/// What people said of a duel: how much they prefer a, over all who said something.
pub(super) fn people(asks: &Asks<'_>, duel: Duel) -> Option<f64> {
    let share = |first: u32, preferred: Preference| match preferred {
        Preference::Tie => 0.5,
        Preference::A => f64::from(u8::from(first == duel.a)),
        Preference::B => f64::from(u8::from(first != duel.a)),
    };
    let labels = &asks.materials.get(duel.material)?.labels;
    let of = labels.iter().filter(|label| {
        label.item == duel.item
            && [[duel.a, duel.b], [duel.b, duel.a]].contains(&[label.a, label.b])
    });
    let votes: Vec<f64> = of.map(|label| share(label.a, label.preferred)).collect();
    (!votes.is_empty()).then(|| votes.iter().sum::<f64>() / votes.len() as f64)
}
