//! Which responses of an item a probe looks at: drawn once for each item, so that probes share what
//! they ask.

use super::asks::{Asks, Duel};
use super::material::Material;
use crate::figure::indicator;
use evenhand_formats::Label;
use evenhand_formats::records::Preference;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

impl Duel {
    /// Returns the two in the other order.
    pub(super) fn swapped(self) -> Duel {
        Duel {
            a: self.b,
            b: self.a,
            ..self
        }
    }
}

/// Returns the two systems of an item: those that people compared, where they did, else drawn from
/// the seed; None where fewer answered.
pub(super) fn duel_of(asks: &Asks<'_>, material: usize, item: u32) -> Option<Duel> {
    let systems = drawn_systems(asks, material, item, 2)?;
    Some(Duel {
        material,
        item,
        a: systems[0],
        b: systems[1],
    })
}

/// Returns so many different systems of an item in an order drawn from the seed; first the two that
/// people compared.
pub(super) fn drawn_systems(
    asks: &Asks<'_>,
    material: usize,
    item: u32,
    size: usize,
) -> Option<Vec<u32>> {
    draw_systems(asks.materials.get(material)?, asks.seed, item, size)
}

/// Draws so many different systems of an item of a material, as [`drawn_systems`] has them.
pub(super) fn draw_systems(
    material: &Material,
    seed: u64,
    item: u32,
    size: usize,
) -> Option<Vec<u32>> {
    let mut systems = material.answered(item);
    shuffle(&mut systems, seed, item);
    if let Some(label) = material.labels.iter().find(|label| label.item == item) {
        systems.sort_by_key(|system| ![label.a, label.b].contains(system));
    }
    systems.truncate(size);
    (systems.len() == size).then_some(systems)
}

/// Shuffles with a stream of its own for each item, so that no item depends on the others.
fn shuffle(systems: &mut [u32], seed: u64, item: u32) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::from(item));
    for last in (1..systems.len()).rev() {
        systems.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
}

/// Returns how much people prefer the first of a duel: the mean over all who said something, from 0
/// to 1.
pub(super) fn people_share(asks: &Asks<'_>, duel: Duel) -> Option<f64> {
    let votes: Vec<f64> = asks
        .materials
        .get(duel.material)?
        .labels
        .iter()
        .filter(|label| is_about(label, duel))
        .map(|label| vote_for_first(label, duel))
        .collect();
    (!votes.is_empty()).then(|| votes.iter().sum::<f64>() / votes.len() as f64)
}

fn is_about(label: &Label, duel: Duel) -> bool {
    let compared = [label.a, label.b];
    label.item == duel.item && (compared == [duel.a, duel.b] || compared == [duel.b, duel.a])
}

fn vote_for_first(label: &Label, duel: Duel) -> f64 {
    let same_order = label.a == duel.a;
    match label.preferred {
        Preference::Tie => 0.5,
        Preference::A => indicator(same_order),
        Preference::B => indicator(!same_order),
    }
}
