//! Which token comes next.

use super::llama::Token;
use super::softmax::{exponential, maximum};
use evenhand_core::{Decoding, RequestKey};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// How the next token is chosen.
pub(super) enum Sampler {
    /// The most probable one; of equals the first.
    Greedy,
    /// Drawn at this temperature.
    Draw {
        temperature: f64,
        random: Box<ChaCha8Rng>,
    },
}

impl Sampler {
    /// Makes the sampler of a request: its draws depend on the seed, on which sample it is, and on
    /// the rest of its content.
    pub(super) fn new(decoding: &Decoding, sample: u32, key: &RequestKey) -> Sampler {
        if decoding.temperature <= 0.0 {
            return Sampler::Greedy;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&decoding.seed.to_le_bytes());
        hasher.update(&sample.to_le_bytes());
        hasher.update(&key.0);
        let random = ChaCha8Rng::from_seed(*hasher.finalize().as_bytes());
        Sampler::Draw {
            temperature: decoding.temperature,
            random: Box::new(random),
        }
    }

    /// Returns the next token, or None if the logits are not numbers.
    pub(super) fn choose_token(&mut self, logits: &[f32]) -> Option<Token> {
        let index = match self {
            Sampler::Greedy => find_best(logits)?,
            Sampler::Draw {
                temperature,
                random,
            } => {
                // A number from 0 up to 1, of 53 random bits.
                let unit = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                draw_index(logits, *temperature, unit)?
            }
        };
        Token::try_from(index).ok()
    }
}

fn find_best(logits: &[f32]) -> Option<usize> {
    let most = maximum(logits);
    logits
        .iter()
        .position(|logit| *logit == most && most.is_finite())
}

fn draw_index(logits: &[f32], temperature: f64, unit: f64) -> Option<usize> {
    let most = f64::from(maximum(logits));
    let weight = |logit: &f32| exponential((f64::from(*logit) - most) / temperature);
    let mut left = unit * logits.iter().map(weight).sum::<f64>();
    if !left.is_finite() {
        return None;
    }
    let found = logits.iter().position(|logit| {
        left -= weight(logit);
        left < 0.0
    });
    found.or_else(|| find_best(logits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(temperature: f64, sample: u32) -> Sampler {
        Sampler::new(
            &Decoding {
                max_tokens: 1,
                temperature,
                seed: 1,
                schema: None,
            },
            sample,
            &RequestKey([7; 32]),
        )
    }

    #[test]
    fn greedy_takes_the_first_of_the_best() {
        assert_eq!(sampler(0.0, 0).choose_token(&[1.0, 3.0, 3.0]), Some(1));
        assert_eq!(sampler(0.0, 0).choose_token(&[f32::NAN, f32::NAN]), None);
    }

    #[test]
    fn draws_follow_the_probabilities() {
        let logits = [0.0, (3.0_f32).ln(), f32::NEG_INFINITY];
        let mut sampler = sampler(1.0, 0);
        let hits = (0..4000)
            .filter(|_| sampler.choose_token(&logits) == Some(1))
            .count();
        assert!((2900..3100).contains(&hits), "{hits}");
    }

    #[test]
    fn draws_repeat_and_differ_between_samples() {
        let logits = [0.0; 1000];
        let draws = |sample| {
            let mut sampler = sampler(0.7, sample);
            (0..8)
                .map(|_| sampler.choose_token(&logits))
                .collect::<Vec<_>>()
        };
        assert_eq!(draws(0), draws(0));
        assert_ne!(draws(0), draws(1));
    }
}
