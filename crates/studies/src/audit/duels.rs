//! Which responses of an item a probe looks at: drawn once for each item, so that probes share what
//! they ask.

use super::asks::{Asks, Duel, Seen, Stop};
use super::drawn_systems::draw_systems;
use super::material::Material;
use super::rows::mean;
use crate::figure::indicator;
use evenhand_core::Side;

impl Asks<'_> {
    /// Returns the two systems of an item of the data: those that people compared, where they did,
    /// else drawn from the seed; fails where fewer answered.
    pub(super) fn duel(&self, item: u32) -> Seen<Duel> {
        Ok(Duel::in_data(item, self.drawn_systems(item)?))
    }

    /// Returns N different systems of an item of the data; fails where fewer answered.
    pub(super) fn drawn_systems<const N: usize>(&self, item: u32) -> Seen<[u32; N]> {
        draw_systems(self.data(), self.options.seed, item).ok_or(Stop::Failed)
    }
}

/// Returns how much people prefer the first of a duel: the mean over all who said something, from 0
/// to 1.
pub(super) fn people_share(material: &Material, duel: Duel) -> Option<f64> {
    let orders = [duel, duel.swapped()].map(Duel::systems);
    let mut votes = Vec::new();
    for label in &material.labels {
        if label.item == duel.item && orders.contains(&[label.a, label.b]) {
            let same_order = label.a == duel.a;
            votes.push(match label.preferred {
                Side::Tie => 0.5,
                Side::First => indicator(same_order),
                Side::Second => indicator(!same_order),
            });
        }
    }
    mean(&votes)
}
