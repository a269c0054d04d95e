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
/// Plain arithmetic without branches: the compiler does several at once, and the bits are the same
/// on every machine.
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

/// The chances that follow from a lead in log-odds.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    /// Of winning.
    pub(super) wins: f64,
    /// Of losing: 1 - wins, without its loss of digits.
    pub(super) loses: f64,
    /// wins * loses: the slope of `wins`.
    pub(super) slope: f64,
}

#[inline(always)]
pub(super) fn chance_at(lead: f64) -> Chance {
    let odds = exp_below_zero(-lead.abs());
    let better = 1.0 / (1.0 + odds);
    let worse = odds * better;
    let (wins, loses) = if lead < 0.0 {
        (worse, better)
    } else {
        (better, worse)
    };
    Chance {
        wins,
        loses,
        slope: better * worse,
    }
}

impl Chance {
    /// The outcome less its expectation, `won - wins`, exact to the last digits where both are
    /// close to 0 or 1.
    #[inline(always)]
    pub(super) fn surprise(self, won: f64) -> f64 {
        won * self.loses - (1.0 - won) * self.wins
    }
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
        assert_eq!(
            (exp_below_zero(0.0), exp_below_zero(-1e300)),
            (1.0, exp_below_zero(-700.0))
        );
    }

    #[test]
    fn chances_by_hand() {
        // Odds 3 : 1, and their slope 3/16.
        for (lead, wins) in [(3f64.ln(), 0.75), (-(3f64.ln()), 0.25)] {
            let found = chance_at(lead);
            assert!((found.wins - wins).abs() < 1e-15 && (found.loses - 1.0 + wins).abs() < 1e-15);
            assert!(
                (found.slope - 0.1875).abs() < 1e-15
                    && (found.surprise(0.5) - 0.5 + wins).abs() < 1e-15
            );
        }
        let sure = chance_at(1e9);
        assert!(
            sure.wins == 1.0 && sure.loses > 0.0 && sure.slope > 0.0 && sure.surprise(1.0) > 0.0
        );
    }
}
