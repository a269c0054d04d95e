//! The systems that a simulated model tells apart.

use super::material::Material;
use std::sync::Arc;

/// The systems of the tweak set, best first.
pub const TWEAKED: [&str; 4] = ["adherent", "severity-1", "severity-2", "severity-3"];

/// Returns the systems that a simulated judge tells apart, best first; rewritten responses are as
/// good as the others of their system.
pub(super) fn known_systems(materials: &[Material]) -> Vec<Arc<str>> {
    let base = materials.iter().take(1).flat_map(Material::base_systems);
    let tweaked = TWEAKED.iter().filter(|_| materials.len() > 1).copied();
    let names = base.map(String::as_str).chain(tweaked);
    names.map(Arc::from).collect()
}
