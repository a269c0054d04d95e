//! The random draws of a round: a function of the seed and the round's number alone.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The clusters picked in one round: `clusters` draws with replacement from `0..clusters`, all
/// equally likely.
///
/// The generator is ChaCha with 8 rounds; its key is the seed in little-endian order and 24 zero
/// bytes, its stream is the number of the round. Each draw takes 32-bit words x until the low half
/// of x * clusters is at least 2^32 mod clusters, and is the high half (Lemire 2019, algorithm 5).
pub fn draw_clusters(seed: u64, round: u64, clusters: u32) -> impl Iterator<Item = u32> {
    draw_numbers(seed, round, clusters).take(clusters as usize)
}

/// As many draws with replacement from `0..limit` as are wanted, all equally likely; none where
/// `limit` is 0. The first `limit` of them are those of [`draw_clusters`].
pub fn draw_numbers(seed: u64, round: u64, limit: u32) -> impl Iterator<Item = u32> {
    let mut words = round_generator(seed, round);
    let count = if limit == 0 { 0 } else { usize::MAX };
    std::iter::repeat_with(move || draw_below(&mut words, limit)).take(count)
}

/// The stream of random words of one round.
pub(crate) fn round_generator(seed: u64, round: u64) -> ChaCha8Rng {
    keyed_generator(seed, 0, round)
}

/// The generator of one stream: its key is the seed in little-endian order, the purpose and zeros.
pub(crate) fn keyed_generator(seed: u64, purpose: u8, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8] = purpose;
    let mut generator = ChaCha8Rng::from_seed(key);
    generator.set_stream(stream);
    generator
}

/// A number below `limit`, which must not be 0.
pub(super) fn draw_below(words: &mut ChaCha8Rng, limit: u32) -> u32 {
    let mut product = u64::from(words.next_u32()) * u64::from(limit);
    if (product as u32) < limit {
        let uneven = limit.wrapping_neg() % limit;
        // Words that would favour some numbers are drawn again.
        while (product as u32) < uneven {
            product = u64::from(words.next_u32()) * u64::from(limit);
        }
    }
    (product >> 32) as u32
}

/// Puts numbers in an order in which each is equally likely (Fisher and Yates), from the last down.
pub(crate) fn shuffle(numbers: &mut [u32], words: &mut ChaCha8Rng) {
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, draw_below(words, last as u32 + 1) as usize);
    }
}

/// Counts the picks of one round into `weights`, one for each cluster.
pub(super) fn count_picks(seed: u64, round: u64, weights: &mut [f64]) {
    weights.fill(0.0);
    for pick in draw_clusters(seed, round, weights.len() as u32) {
        weights[pick as usize] += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_a_function_of_seed_and_number() {
        let draw = |seed, round| draw_clusters(seed, round, 1000).collect::<Vec<_>>();
        assert_eq!(draw(3, 5), draw(3, 5));
        assert_ne!(draw(3, 5), draw(3, 6));
        assert_ne!(draw(3, 5), draw(4, 5));
        assert_eq!(draw_clusters(0, 0, 0).count(), 0);
    }

    #[test]
    fn the_draws_are_pinned() {
        // Computed by another program from the definition (ChaCha in Python): a change here changes
        // every interval that was ever published with a seed.
        assert_eq!(
            draw_clusters(0, 0, 10).collect::<Vec<_>>(),
            [1, 8, 9, 6, 7, 2, 5, 1, 4, 2]
        );
        assert_eq!(
            draw_clusters(12345, 678, 3_000_000_000)
                .take(5)
                .collect::<Vec<_>>(),
            [
                2_544_816_794,
                737_856_219,
                1_883_610_724,
                1_011_185_124,
                1_328_760_535
            ]
        );
    }

    #[test]
    fn all_clusters_are_equally_likely() {
        // 20,000 draws from 20 clusters: 1000 each, standard deviation sqrt(20000 * 0.05 * 0.95) =
        // 31; five of them.
        let mut counts = [0u32; 20];
        (0..1000)
            .flat_map(|round| draw_clusters(1, round, 20))
            .for_each(|pick| counts[pick as usize] += 1);
        assert!(counts.iter().all(|&n| n.abs_diff(1000) < 155), "{counts:?}");
    }
}
