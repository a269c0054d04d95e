//! Games of systems: what a judge preferred on each item, in one state of the field.

use evenhand_stats::{Comparison, Game};

/// How much one system is preferred to another on an item, by the probabilities of the verdict, as
/// a ranking counts it.
#[derive(Clone, Copy)]
pub(super) struct AuditGame {
    pub(super) item: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) share_a: f64,
}

/// The games of all pairs in one state of the field, by item.
pub(super) type Games = Vec<AuditGame>;

impl AuditGame {
    pub(super) fn comparison(&self) -> Comparison {
        Comparison {
            item: self.item,
            a: self.a as u16,
            b: self.b as u16,
            wins_a: self.share_a,
            ties: 0.0,
            wins_b: 1.0 - self.share_a,
        }
    }

    /// Returns the game for Elo, counted so often.
    pub(super) fn elo_game(&self, weight: f64) -> Game {
        Game {
            a: self.a as u16,
            b: self.b as u16,
            score: self.share_a,
            weight,
        }
    }
}
