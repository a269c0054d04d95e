//! Which pairs of responses an audit looks at.

use super::asks::Duel;
use super::material::Material;
use schemars::JsonSchema;
use serde::Serialize;

/// Which pairs of an item's responses are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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
    /// Every choice.
    pub const ALL: [PairChoice; 3] = [PairChoice::Drawn, PairChoice::All, PairChoice::Labelled];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            PairChoice::Drawn => "drawn",
            PairChoice::All => "all",
            PairChoice::Labelled => "labelled",
        }
    }

    /// Returns the choice of this name.
    pub fn named(name: &str) -> Option<PairChoice> {
        PairChoice::ALL
            .into_iter()
            .find(|choice| choice.name() == name)
    }

    /// Returns the pairs of an item; none where no two systems answered differently, or nobody
    /// compared any.
    pub(super) fn duels(self, material: &Material, seed: u64, item: u32) -> Vec<Duel> {
        let pairs: Vec<[u32; 2]> = match self {
            PairChoice::Drawn => material
                .drawn_systems(seed, item)
                .map_or_else(Vec::new, |pair| vec![pair]),
            PairChoice::All => {
                let systems = 0..material.base;
                let pairs = systems.flat_map(|a| (a + 1..material.base).map(move |b| [a, b]));
                pairs.filter(|pair| material.differ(*pair, item)).collect()
            }
            PairChoice::Labelled => material.labelled_pairs(item),
        };
        let pairs = pairs.into_iter();
        pairs.map(|pair| Duel::in_data(item, pair)).collect()
    }

    /// Returns the responses to an item that are looked at by themselves, each as a duel against
    /// itself: the first of a drawn pair, else all that stand in a pair.
    pub(super) fn responses(self, material: &Material, seed: u64, item: u32) -> Vec<Duel> {
        let duels = self.duels(material, seed, item);
        let mut systems: Vec<u32> = match self {
            PairChoice::Drawn => duels.iter().map(|duel| duel.a).collect(),
            _ => duels.iter().flat_map(|duel| [duel.a, duel.b]).collect(),
        };
        systems.sort_unstable();
        systems.dedup();
        let systems = systems.into_iter();
        systems
            .map(|system| Duel::in_data(item, [system; 2]))
            .collect()
    }
}
