//! Random draws of a simulated judge.

use evenhand_core::RequestKey;

/// Uniform draws that depend on the request, the seed and the purpose alone.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub(super) key: RequestKey,
    pub(super) seed: u64,
}

impl Draw {
    /// Draws a number in [0, 1).
    pub(super) fn uniform(self, purpose: &str) -> f64 {
        // The 53 bits that a number below 1 can hold.
        (self.bits(purpose) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn bits(self, purpose: &str) -> u64 {
        let mut hash = blake3::Hasher::new();
        hash.update(&self.key.0)
            .update(&self.seed.to_le_bytes())
            .update(purpose.as_bytes());
        let mut head = [0; 8];
        head.copy_from_slice(&hash.finalize().as_bytes()[..8]);
        u64::from_le_bytes(head)
    }

    /// Draws standard Gumbel noise: the difference of two draws is logistic, so that scores compare
    /// as Bradley and Terry have it.
    pub(super) fn gumbel(self, purpose: &str) -> f64 {
        -(-self.uniform(purpose).max(f64::MIN_POSITIVE).ln()).ln()
    }
}

/// Draws one of several by their probabilities.
pub(super) fn pick_likely(p: &[f64], uniform: f64) -> usize {
    let mut sum = 0.0;
    for (at, p) in p.iter().enumerate() {
        sum += p;
        if uniform < sum {
            return at;
        }
    }
    p.len().saturating_sub(1)
}

/// Draws any but the most probable; that one where there is no other.
pub(super) fn pick_unlikely(p: &[f64], uniform: f64) -> usize {
    let step = (uniform * p.len().saturating_sub(1) as f64) as usize + 1;
    (evenhand_core::likeliest(p) + step) % p.len().max(1)
}
