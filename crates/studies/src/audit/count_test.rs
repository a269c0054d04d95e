//! The exact binomial test of how many items show a defect, against the chance that an item of a
//! judge without it shows it.

use super::finding::{Finding, FindingMaker, Made};
use super::finding_name::FindingName;
use super::rows::Rows;

impl FindingMaker<'_> {
    /// A share of items with a 1, tested one-sided against a judge whose items have one with a
    /// chance of at most `chance`.
    pub(super) fn tested_count(self, name: FindingName, rows: &Rows<f64>, chance: f64) -> Made {
        // Of every question the first item counts, so that they are independent.
        let firsts = rows.first_of_each_question();
        let count = firsts.iter().sum::<f64>() as u64;
        let all = firsts.len() as u64;
        Ok(Finding {
            unbiased: Some(chance),
            p: (all > 0).then(|| chance_of_at_least(count, all, chance)),
            ..self.share(name, rows)?
        })
    }
}

/// Returns the chance of at least `count` of n at `chance`.
fn chance_of_at_least(count: u64, n: u64, chance: f64) -> f64 {
    // The terms of the lower tail, each from the one before it: no factorial overflows.
    let (mut term, mut sum) = ((1.0 - chance).powf(n as f64), 0.0);
    for k in 0..count.min(n) {
        sum += term;
        term *= (n - k) as f64 / (k + 1) as f64 * chance / (1.0 - chance);
    }
    // Rounding may take the sum a little beyond 1.
    (1.0 - sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_tail_by_hand() {
        // 2 or 3 of 3 at 1/8: 3/64 * 7/8 + 1/512 = 22/512.
        assert!((chance_of_at_least(2, 3, 0.125) - 22.0 / 512.0).abs() < 1e-12);
        assert_eq!(chance_of_at_least(0, 10, 0.1), 1.0);
    }
}
