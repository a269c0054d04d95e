//! How much was won.

use crate::estimate::finite_scores;
use crate::linear::largest;
use crate::{Estimate, Scores, Tally};

/// The points of each system: its wins plus half its ties, in comparisons (the score of
/// Copeland 1951, by games).
///
/// ```text
/// score(i) = sum over j of ( wins(i, j) + ties(i, j) / 2 )
/// ```
///
/// Undefined ([`crate::Undefined::NoData`]) for a system without comparisons. It grows with the
/// number of comparisons, so compare systems that were compared equally often; [`crate::win_ratio`]
/// divides by that number.
pub fn counting(tally: &Tally) -> Scores {
    let points = |i: usize| (tally.games_of(i) > 0.0).then(|| tally.points_of(i));
    let systems = 0..tally.systems();
    let estimates: Vec<Estimate> = systems.map(|i| Estimate::or_no_data(points(i))).collect();
    // Sums are rounded at about 1e-16 of their size; this leaves room for many.
    let resolution = 1e-12 * largest(&finite_scores(&estimates));
    Scores::ranked(estimates, tally.weights(), resolution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn wins_and_half_ties() {
        // 0 against 1: 3 won, 1 tied, 1 lost; 0 against 2: 2 lost.  3 never played.
        let mut tally = Tally::new(4).unwrap();
        tally.add(0, 1, 3.0, 1.0, 1.0).unwrap();
        tally.add(2, 0, 2.0, 0.0, 0.0).unwrap();
        let scores = counting(&tally);
        assert_eq!(scores.estimates[..3], [3.5, 1.5, 2.0].map(Estimate::Finite));
        assert_eq!(scores.estimates[3], Estimate::Undefined(Undefined::NoData));
        assert_eq!(scores.ranks, [Some(1), Some(3), Some(2), None]);
    }
}
