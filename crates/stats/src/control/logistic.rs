//! The logistic function of many leads at once.

/// Adding this rounds a number below 2^51 to a whole one, which then stands in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts: the first has so few digits that a whole number up to 2^20 times it is exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// 1/13!, 1/12!, ..., 1/2!: the series of the exponential, whose next term is below 1e-17 here.
const SERIES: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// exp(x) for x from -700 to 0 (below that, exp(-700)), to about 2e-16 of its value.
///
/// Plain arithmetic without branches: the compiler does several at once, and the bits are the same on every machine.
#[inline(always)]
fn exp_below_zero(x: f64) -> f64 {
    let x = if x < -700.0 { -700.0 } else { x };
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let rest = (x - whole * LN_2[0]) - whole * LN_2[1];
    let tail = SERIES.iter().fold(0.0, |sum, term| sum * rest + term);
    let power = 1.0 + (rest + rest * rest * tail);
    f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// The chance to win with a lead (in log-odds), and its slope, chance * (1 - chance); neither loses digits far out.
#[inline(always)]
pub(super) fn chance_and_slope(lead: f64) -> (f64, f64) {
    let odds = exp_below_zero(-lead.abs());
    let better = 1.0 / (1.0 + odds);
    let worse = odds * better;
    (if lead < 0.0 { worse } else { better }, better * worse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_exponential_of_the_library() {
        for i in 0..70_000 {
            let x = -f64::from(i) / 100.0 * 0.999_7;
            assert!((exp_below_zero(x) / x.exp() - 1.0).abs() < 6e-16, "{x}");
        }
        assert_eq!((exp_below_zero(0.0), exp_below_zero(-1e300)), (1.0, exp_below_zero(-700.0)));
    }

    #[test]
    fn chances_by_hand() {
        // Odds 3 : 1, and their slope 3/16.
        let (chance, slope) = chance_and_slope(3f64.ln());
        assert!((chance - 0.75).abs() < 1e-15 && (slope - 0.1875).abs() < 1e-15);
        let (chance, slope) = chance_and_slope(-3f64.ln());
        assert!((chance - 0.25).abs() < 1e-15 && (slope - 0.1875).abs() < 1e-15);
        assert_eq!(chance_and_slope(1e9).0, 1.0);
        assert!(chance_and_slope(1e9).1 > 0.0 && chance_and_slope(-1e9).0 > 0.0);
    }
}
