//! What is drawn at random: the order of the pairs, and who stands on the left.

use super::label::Slot;

/// A pair, and who looks at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn<'a> {
    pub(super) seed: u64,
    pub(super) annotator: &'a str,
    /// Item, earlier system, other system.
    pub(super) pair: [&'a str; 3],
}

impl Drawn<'_> {
    /// Returns which system stands on the left for this annotator.
    pub(super) fn left(&self) -> Slot {
        match draw(self.seed, "left", self.annotator, self.pair) & 1 {
            0 => Slot::A,
            _ => Slot::B,
        }
    }

    /// Returns a text that changes with the sides, and does not tell them.
    pub(super) fn mark(&self) -> String {
        let side = match self.left() {
            Slot::A => "mark a",
            Slot::B => "mark b",
        };
        let drawn = draw(self.seed, side, self.annotator, self.pair);
        format!("{drawn:016x}")
    }
}

/// Returns the place of a pair in the random order, the same for all annotators.
pub(super) fn draw_place(seed: u64, pair: [&str; 3]) -> u64 {
    draw(seed, "place", "", pair)
}

/// Draws a number by a seed, for what, for whom and for a pair: the same on every machine.
fn draw(seed: u64, what: &str, who: &str, pair: [&str; 3]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for part in [what, who].into_iter().chain(pair) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_even_and_differ_between_people() {
        let items: Vec<String> = (0..1000).map(|item| format!("q{item}")).collect();
        let left = |annotator: &str| {
            let sides = items.iter().map(|item| Drawn {
                seed: 7,
                annotator,
                pair: [item, "x", "y"],
            });
            sides
                .map(|drawn| drawn.left() == Slot::A)
                .collect::<Vec<bool>>()
        };
        let (one, other) = (left("one"), left("other"));
        let count = one.iter().filter(|left| **left).count();
        assert!((450..550).contains(&count), "{count}");
        assert_ne!(one, other);
    }
}
