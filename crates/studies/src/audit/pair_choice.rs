//! Which pairs of responses an audit looks at.

use super::asks::Duel;
use super::material::Material;
use schemars::JsonSchema;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Which pairs of an item's responses are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum PairChoice {
    /// One: that which people compared, where they did, else one drawn from the seed.
    #[default]
    Drawn,
    /// Every two systems that answered (Tripathi et al. 2025, appendix A.2, take all of MT-Bench).
    All,
    /// Those that people compared, each once.
    Labelled,
}

impl PairChoice {
    /// The names of all choices.
    pub const NAMES: &[&str] = PairChoice::VARIANTS;

    /// Returns its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the choice of this name.
    pub fn named(name: &str) -> Option<PairChoice> {
        name.parse().ok()
    }

    /// Returns the pairs of an item's systems; none where fewer than two systems answered, or
    /// nobody compared any.
    pub(super) fn pairs(self, material: &Material, seed: u64, item: u32) -> Vec<[u32; 2]> {
        match self {
            PairChoice::Drawn => material
                .drawn_systems(seed, item)
                .map_or_else(Vec::new, |pair| vec![pair]),
            PairChoice::All => {
                let answered = |system: &u32| material.answer(*system, item).is_some();
                let systems: Vec<u32> = (0..material.base).filter(answered).collect();
                let with_later = |(at, a): (usize, &u32)| {
                    let a = *a;
                    systems[at + 1..].iter().map(move |b| [a, *b])
                };
                systems.iter().enumerate().flat_map(with_later).collect()
            }
            PairChoice::Labelled => material.labelled_pairs(item),
        }
    }

    /// Returns those of an item's pairs whose responses differ. Where both are the same, both
    /// orders are one prompt: a judge that has to name one of them turns with the order, and is not
    /// biased for that.
    pub(super) fn duels(self, material: &Material, seed: u64, item: u32) -> Vec<Duel> {
        let mut pairs = self.pairs(material, seed, item);
        pairs.retain(|pair| !material.are_same(*pair, item));
        let pairs = pairs.into_iter();
        pairs.map(|pair| Duel::in_data(item, pair)).collect()
    }

    /// Returns the responses to an item that are looked at by themselves, each as a duel against
    /// itself: the first of a drawn pair, else all that stand in a pair.
    pub(super) fn responses(self, material: &Material, seed: u64, item: u32) -> Vec<Duel> {
        let pairs = self.pairs(material, seed, item);
        let mut systems: Vec<u32> = match self {
            PairChoice::Drawn => pairs.iter().map(|[a, _]| *a).collect(),
            _ => pairs.concat(),
        };
        systems.sort_unstable();
        systems.dedup();
        let systems = systems.into_iter();
        systems
            .map(|system| Duel::in_data(item, [system; 2]))
            .collect()
    }
}
