//! From scores to ranks.

use super::finite_scores;
use crate::Estimate;

/// Competition ranks ("1224"): one more than the number of systems that are better by more than
/// `resolution` (in the unit of the scores; 0 or more); equals share the better rank.
///
/// Plus infinity is above every finite score and minus infinity below. An undefined score has no
/// rank and does not count in the ranks of the others. Several systems at the same infinity have no
/// rank: how they compare is unknown.
pub fn competition_ranks(estimates: &[Estimate], resolution: f64) -> Vec<Option<u32>> {
    // Descending.
    let mut finite = finite_scores(estimates);
    finite.sort_unstable_by(|x, y| y.total_cmp(x));
    let count = |kind: Estimate| estimates.iter().filter(|&&other| other == kind).count();
    let top = count(Estimate::PlusInfinity);
    let bottom = count(Estimate::MinusInfinity);
    let ranks = estimates.iter().map(|&estimate| {
        let above = match estimate {
            Estimate::Finite(own) => {
                top + finite.partition_point(|&other| other - own > resolution)
            }
            // Infinities are in no order among each other.
            Estimate::PlusInfinity if top == 1 => 0,
            Estimate::MinusInfinity if bottom == 1 => top + finite.len(),
            _ => return None,
        };
        Some(1 + above as u32)
    });
    ranks.collect()
}

/// How many of some scores are better than one by more than `resolution`.
pub(crate) fn count_better(scores: impl Iterator<Item = f64>, own: f64, resolution: f64) -> u32 {
    scores.filter(|other| other - own > resolution).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;
    use Estimate::{Finite, MinusInfinity, PlusInfinity};

    #[test]
    fn equals_share_the_better_rank() {
        let ranks = competition_ranks(
            &[Finite(1.0), Finite(3.0), Finite(3.0 - 1e-13), Finite(-2.0)],
            1e-12,
        );
        assert_eq!(ranks, [Some(3), Some(1), Some(1), Some(4)]);
    }

    #[test]
    fn infinities_are_at_the_ends_and_the_undefined_outside() {
        let undefined = Estimate::Undefined(Undefined::NoData);
        let ranks = competition_ranks(&[MinusInfinity, Finite(0.0), undefined, PlusInfinity], 0.0);
        assert_eq!(ranks, [Some(3), Some(2), None, Some(1)]);
    }

    #[test]
    fn two_at_the_same_infinity_are_not_told_apart() {
        let ranks = competition_ranks(&[PlusInfinity, Finite(0.0), PlusInfinity], 0.0);
        assert_eq!(ranks, [None, Some(3), None]);
    }
}
