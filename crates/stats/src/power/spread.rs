//! What pairs of systems that are far apart say of systems that are close.

/// How the leads of single judgments vary, pooled over pairs of systems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeadSpread {
    /// Their variance within a pair; above 0.
    pub within: f64,
    /// The mean over judgments of the squared mean lead of their pair, less what chance adds to it;
    /// at least 0.
    pub between: f64,
    /// Of leads that are shares, as probabilities are: their variance were each pair's mean 0 and
    /// its log-odds as far from their mean as they are. None where every lead is -1, 0 or 1.
    pub by_odds: Option<f64>,
}

/// Leads beyond this vary as one of this size: a lead of 1 does not vary.
pub(super) const MOST_LEAD: f64 = 0.98;

impl LeadSpread {
    /// How many times as much leads would vary in a pair of systems whose mean lead is this, if as
    /// many judgments were decided, and as clearly, as in these pairs: the mean square of a lead,
    /// `within` and `between`, stays what it is, and what is not the mean's is variance.
    ///
    /// A judgment that is won or lost has a square of 1, and so a variance of 1 less the squared
    /// mean: 1 between equal systems, and 0.19 where one wins 95 %. Where systems that are far
    /// apart are seldom tied, or judged with more confidence than close ones, it is too much rather
    /// than too little. A judge's probabilities may lie close to their mean, wherever that is: then
    /// it is their log-odds that vary alike, of which a lead moves by (1 - lead squared) / 2.
    pub fn at(&self, lead: f64) -> f64 {
        let lead = lead.abs().min(MOST_LEAD);
        let square = lead * lead;
        // A mean lead takes at least as large a share of judgments that are decided.
        let by_square = (self.within + self.between).max(lead) - square;
        let by_odds = self
            .by_odds
            .map(|variance| variance * (1.0 - square).powi(2));
        by_odds.map_or(by_square, |by_odds| by_odds.min(by_square)) / self.within
    }

    /// The most that leads from -1 to 1 with this mean can vary by: that of what is won or lost.
    pub(super) fn most(lead: f64) -> f64 {
        1.0 - lead.abs().min(MOST_LEAD).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // One wins 95 % of what is won or lost: a mean of 0.9.
        let far = LeadSpread {
            within: 0.19,
            between: 0.81,
            by_odds: None,
        };
        assert!((0.19 * far.at(0.0) - 1.0).abs() < 1e-12);
        assert!((0.19 * far.at(-0.1) - 0.99).abs() < 1e-12);
        assert!((far.at(0.9) - 1.0).abs() < 1e-12);
        // Half are tied, which leaves no room for a mean of 0.6.
        let tied = LeadSpread {
            within: 0.5,
            between: 0.0,
            by_odds: None,
        };
        assert!((tied.at(0.0) - 1.0).abs() < 1e-12);
        assert!((0.5 * tied.at(0.6) - 0.24).abs() < 1e-12);
        // Shares of 0.79 to 0.81, a lead of 0.6: 0.0001 / 0.64^2 were they about a half.
        let sure = LeadSpread {
            within: 0.0001,
            between: 0.36,
            by_odds: Some(0.0001 / 0.64 / 0.64),
        };
        assert!((0.64 * 0.64 * sure.at(0.0) - 1.0).abs() < 1e-12);
        assert!((sure.at(-0.6) - 1.0).abs() < 1e-12);
        // However far, something varies.
        for lead in [0.99, 1.0, 7.0] {
            assert!(far.at(lead) > 0.0 && far.at(lead) == far.at(1.0), "{lead}");
        }
    }
}
