//! The share of comparisons won.

use crate::{Estimate, Scores, Tally};

/// Shares are rounded at about 1e-16; this leaves room for sums of many.
const RESOLUTION: f64 = 1e-12;

/// The share of all its comparisons that each system won, in [0, 1], a tie counting half (RealRank,
/// section 2.1).
///
/// Undefined ([`crate::Undefined::NoData`]) for a system without comparisons. It is comparable
/// between systems only as far as they met the same opponents.
pub fn win_ratio(tally: &Tally) -> Scores {
    let weight = tally.weights();
    let estimates = weight.iter().enumerate().map(|(i, &games)| {
        // The clamp keeps rounding from making a share more than all.
        let share = (games > 0.0).then(|| (tally.points_of(i) / games).clamp(0.0, 1.0));
        Estimate::or_no_data(share)
    });
    Scores::ranked(estimates.collect(), weight, RESOLUTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn wins_and_half_ties_over_games() {
        // 0 against 1: 3 won, 1 tied, 1 lost; 0 against 2: 2 lost.  3 never played.
        let mut tally = Tally::new(4).unwrap();
        tally.add(0, 1, 3.0, 1.0, 1.0).unwrap();
        tally.add(2, 0, 2.0, 0.0, 0.0).unwrap();
        let scores = win_ratio(&tally);
        let expected = [3.5 / 7.0, 1.5 / 5.0, 1.0].map(Estimate::Finite);
        assert_eq!(scores.estimates[..3], expected);
        assert_eq!(scores.estimates[3], Estimate::Undefined(Undefined::NoData));
        assert_eq!(scores.ranks, [Some(2), Some(3), Some(1), None]);
        assert_eq!(scores.weight, [7.0, 5.0, 2.0, 0.0]);
    }
}
