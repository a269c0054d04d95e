//! Logits to probabilities: the same bits on every machine, and fast enough not to be felt.

/// Returns the logarithm of the sum of the exponentials of the logits; NaN where they are no
/// numbers.
pub(super) fn log_sum_exp(logits: &[f32]) -> f64 {
    let most = f64::from(maximum(logits));
    let sum = sum_of_exponentials(logits, most);
    most + sum.ln()
}

/// Returns the largest of the logits; negative infinity if there is none.
pub(super) fn maximum(logits: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (whole, rest) = logits.as_chunks::<LANES>();
    for chunk in whole {
        for (lane, logit) in lanes.iter_mut().zip(chunk) {
            *lane = if *logit > *lane { *logit } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(
        f32::NEG_INFINITY,
        |most, logit| if *logit > most { *logit } else { most },
    )
}

/// Sums run in this many lanes side by side, in the same order whatever the processor's width.
const LANES: usize = 16;

fn sum_of_exponentials(logits: &[f32], most: f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (whole, rest) = logits.as_chunks::<LANES>();
    for chunk in whole {
        for (lane, logit) in lanes.iter_mut().zip(chunk) {
            *lane += exponential(f64::from(*logit) - most);
        }
    }
    let tail: f64 = rest
        .iter()
        .map(|logit| exponential(f64::from(*logit) - most))
        .sum();
    lanes.iter().sum::<f64>() + tail
}

/// e to the power of x, for x from negative infinity to 0, to about 1e-12 of its value; 0 from -700
/// down, NaN for NaN.
///
/// Plain arithmetic without branches, so that the compiler makes vector code of it, and without the
/// platform's `exp`, so that every machine gets the same bits.
pub(super) fn exponential(x: f64) -> f64 {
    /// Adding it rounds to a whole number, which is left in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = if x < -700.0 { -700.0 } else { x };
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = x - whole * std::f64::consts::LN_2;
    let power = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    let value = taylor_series(rest) * power;
    if x <= -700.0 { 0.0 } else { value }
}

/// Returns the Taylor series of e to the power of x, for |x| up to ln(2)/2.
fn taylor_series(x: f64) -> f64 {
    const TERMS: [f64; 12] = [
        1.0,
        1.0,
        0.5,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
    ];
    TERMS.iter().rev().fold(0.0, |sum, term| sum * x + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right() {
        for step in 0..70_000 {
            let x = -f64::from(step) / 100.0;
            let error = (exponential(x) - x.exp()).abs();
            assert!(error <= 1e-12 * x.exp(), "at {x}: {error}");
        }
        assert_eq!(
            [
                exponential(0.0),
                exponential(f64::NEG_INFINITY),
                exponential(-1e9)
            ],
            [1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn log_sum_exp_agrees_with_the_plain_sum() {
        let logits: Vec<f32> = (0..1003)
            .map(|index| ((index * 7919) % 1000) as f32 / 50.0 - 4.0)
            .collect();
        let plain = logits
            .iter()
            .map(|logit| f64::from(*logit).exp())
            .sum::<f64>()
            .ln();
        assert!((log_sum_exp(&logits) - plain).abs() < 1e-11);
        let far: Vec<f32> = logits.iter().map(|logit| logit - 1e4).collect();
        assert!((log_sum_exp(&far) + 1e4 - plain).abs() < 1e-2);
        assert!(log_sum_exp(&[1.0, f32::NAN]).is_nan());
    }
}
