//! The share of comparisons won, every opponent counting the same.

use crate::{Estimate, Scores, Tally};

/// Shares are rounded at about 1e-16; this leaves room for sums of many.
const RESOLUTION: f64 = 1e-12;

/// The mean over the opponents that a system met of the share it won from each, in [0, 1], a tie
/// counting half (the definition of evalica 0.4).
///
/// ```text
/// score(i) = mean over j met by i of ( wins(i, j) + ties(i, j) / 2 ) / games(i, j)
/// ```
///
/// Unlike [`crate::win_ratio`] it does not depend on how often each opponent was met. Undefined
/// ([`crate::Undefined::NoData`]) for a system without comparisons. Systems that met different
/// opponents, or stand in groups that never met, are compared with different fields.
pub fn average_win_rate(tally: &Tally) -> Scores {
    let systems = tally.systems();
    let rates = (0..systems).map(|i| {
        let (mut sum, mut count) = (0.0, 0.0);
        for j in (0..systems).filter(|&j| tally.games(i, j) > 0.0) {
            // The clamp keeps rounding from making a share more than all.
            sum += (tally.points(i, j) / tally.games(i, j)).clamp(0.0, 1.0);
            count += 1.0;
        }
        Estimate::or_no_data((count > 0.0).then(|| sum / count))
    });
    Scores::ranked(rates.collect(), tally.weights(), RESOLUTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Undefined;

    #[test]
    fn every_opponent_counts_the_same() {
        // 0 against 1: 3 won, 1 tied (3.5 of 4); 0 against 2: 1 of 2. Mean (0.875 + 0.5) / 2; win
        // ratio 4.5 / 6.
        let mut tally = Tally::new(4).unwrap();
        tally.add(0, 1, 3.0, 1.0, 0.0).unwrap();
        tally.add(2, 0, 1.0, 0.0, 1.0).unwrap();
        let scores = average_win_rate(&tally);
        assert_eq!(
            scores.estimates[..3],
            [0.6875, 0.125, 0.5].map(Estimate::Finite)
        );
        assert_eq!(scores.estimates[3], Estimate::Undefined(Undefined::NoData));
        assert_eq!(scores.ranks, [Some(1), Some(3), Some(2), None]);
    }
}
