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
    let field = Field::new(estimates);
    estimates
        .iter()
        .map(|estimate| field.rank(estimate, resolution))
        .collect()
}

/// The scores that a system is ranked among.
struct Field {
    /// The finite scores, the best first.
    finite: Vec<f64>,
    /// How many systems are at plus infinity.
    top: usize,
    /// How many systems are at minus infinity.
    bottom: usize,
}

impl Field {
    fn new(estimates: &[Estimate]) -> Field {
        let mut finite = finite_scores(estimates);
        finite.sort_unstable_by(|x, y| y.total_cmp(x));
        Field {
            finite,
            top: count_equal(estimates, Estimate::PlusInfinity),
            bottom: count_equal(estimates, Estimate::MinusInfinity),
        }
    }

    /// The rank of one of the systems; None where it is unknown how many are better.
    fn rank(&self, estimate: &Estimate, resolution: f64) -> Option<u32> {
        Some(1 + self.count_above(*estimate, resolution)? as u32)
    }

    /// How many systems are better; None where that is unknown.
    fn count_above(&self, estimate: Estimate, resolution: f64) -> Option<usize> {
        match estimate {
            Estimate::Finite(own) => Some(self.top + self.count_better(own, resolution)),
            Estimate::PlusInfinity => (self.top == 1).then_some(0),
            Estimate::MinusInfinity => (self.bottom == 1).then_some(self.top + self.finite.len()),
            Estimate::Undefined(_) => None,
        }
    }

    fn count_better(&self, own: f64, resolution: f64) -> usize {
        self.finite
            .partition_point(|&other| other - own > resolution)
    }
}

/// How many of some scores are better than one by more than `resolution`.
pub(crate) fn count_better(scores: impl Iterator<Item = f64>, own: f64, resolution: f64) -> u32 {
    scores.filter(|other| other - own > resolution).count() as u32
}

fn count_equal(estimates: &[Estimate], kind: Estimate) -> usize {
    estimates.iter().filter(|&&other| other == kind).count()
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
