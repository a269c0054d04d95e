//! Draws that depend on what was asked and on the seed, and on nothing else.

/// An odd multiplier without structure (the golden ratio's fraction, as in SplitMix64).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a digest of bytes: eight at a time, since every request of a benchmark passes here. Not
/// for adversaries.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().copied().map(u64::from);
    let mut hash = bytes.len() as u64;
    for word in words.chain(rest) {
        hash = (hash ^ word).wrapping_mul(STEP).rotate_left(29);
    }
    mix_bits(hash)
}

/// Returns the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
pub(super) fn mix_bits(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Draws of one seed on one subject, each known by its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    state: u64,
}

impl Draw {
    pub(super) fn new(seed: u64, subject: u64) -> Draw {
        Draw {
            state: mix_bits(seed.wrapping_add(STEP)) ^ mix_bits(subject),
        }
    }

    /// Draws 64 bits.
    pub(super) fn bits(self, name: &str, number: u64) -> u64 {
        mix_bits(self.state ^ digest(name.as_bytes()) ^ mix_bits(number.wrapping_add(STEP)))
    }

    /// Draws a number strictly between 0 and 1.
    pub(super) fn uniform(self, name: &str, number: u64) -> f64 {
        ((self.bits(name, number) >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Draws one of these; `None` where there are none.
    pub(super) fn pick<'a, T>(self, name: &str, number: u64, from: &'a [T]) -> Option<&'a T> {
        let index = (self.uniform(name, number) * from.len() as f64) as usize;
        from.get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn digests_tell_contents_apart() {
        let texts = [
            "",
            "\0",
            "\0\0",
            "aaaaaaaa",
            "aaaaaaab",
            "baaaaaaa",
            "aaaaaaaaa",
            "aaaaaaaabbbbbbbb",
            "bbbbbbbbaaaaaaaa",
        ];
        let digests: HashSet<u64> = texts.iter().map(|text| digest(text.as_bytes())).collect();
        assert_eq!(digests.len(), texts.len());
    }

    #[test]
    fn draws_are_spread_evenly_and_repeat() {
        let draws: Vec<f64> = (0..10_000)
            .map(|n| Draw::new(7, n).uniform("x", 0))
            .collect();
        let below = |limit: f64| draws.iter().filter(|draw| **draw < limit).count();
        assert!(draws.iter().all(|draw| *draw > 0.0 && *draw < 1.0));
        assert!((2_800..3_200).contains(&below(0.3)), "{}", below(0.3));
        assert_eq!(Draw::new(7, 1).bits("x", 0), Draw::new(7, 1).bits("x", 0));
        assert_ne!(Draw::new(7, 1).bits("x", 0), Draw::new(7, 1).bits("x", 1));
        assert_ne!(Draw::new(7, 1).bits("x", 0), Draw::new(8, 1).bits("x", 0));
    }
}
