//! The random draws of one item: a function of the seed and the item's number alone, as in
//! `evenhand_stats`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// ChaCha with 8 rounds; its key is the seed in little-endian order and 24 zero bytes, its stream
/// is the number of the item.
pub(super) struct Draw(ChaCha8Rng);

impl Draw {
    pub(super) fn new(seed: u64, stream: u64) -> Draw {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Draw(generator)
    }

    /// Returns a number below `limit`, all equally likely (Lemire 2019, algorithm 5); 0 where
    /// `limit` is 0.
    pub(super) fn number_below(&mut self, limit: usize) -> usize {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let uneven = limit.wrapping_neg().checked_rem(limit).unwrap_or(0);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(limit);
            // Lower products would make some numbers likelier than others.
            if product as u32 >= uneven {
                return (product >> 32) as usize;
            }
        }
    }

    /// Returns a number from `low` to `high`, both included.
    pub(super) fn number_between(&mut self, low: usize, high: usize) -> usize {
        low + self.number_below(high.saturating_sub(low) + 1)
    }

    /// Returns `count` different ones of the list in random order (all of them, if there are
    /// fewer).
    pub(super) fn pick_some<T: Clone>(&mut self, list: &[T], count: usize) -> Vec<T> {
        let mut left = list.to_vec();
        (0..count.min(left.len()))
            .map(|_| left.remove(self.number_below(left.len())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_a_function_of_seed_and_stream() {
        let draw =
            |seed, stream| Draw::new(seed, stream).pick_some(&(0..100).collect::<Vec<_>>(), 100);
        assert_eq!(draw(3, 5), draw(3, 5));
        assert_ne!(draw(3, 5), draw(3, 6));
        assert_ne!(draw(3, 5), draw(4, 5));
        let mut sorted = draw(0, 0);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_eq!(Draw::new(0, 0).number_below(0), 0);
    }
}
