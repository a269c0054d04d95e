//! What is certain of a ranking under the new judge, pair by pair and as a whole.

use super::wealth::{Control, ControlledTest};
use crate::Error;
use crate::checks::check_share;
use crate::special::halve_range;

/// How often an end of an interval is halved: it is then within 2^-21 of where it should be, on the
/// outer side.
const HALVINGS: u32 = 22;
/// A sum of differences counts as 0 within this.
const ROUNDING: f64 = 1e-9;

/// Two systems as the old judge has them.
#[derive(Clone, Debug, PartialEq)]
pub struct OldPair {
    /// The old judge's differences, from -1 to 1, at all places in the order in which they are
    /// asked: above 0 where it prefers the system that it has above. 0 where it has no verdict: it
    /// only makes the control a worse one.
    pub old: Vec<f64>,
    /// Whether the old judge tells the two apart, so that the same ranking must keep their order.
    pub apart: bool,
}

/// What becomes of a pair's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairChange {
    /// The new judge has the two in the same order.
    Kept,
    /// The new judge has them the other way round.
    Reversed,
    /// All is asked, and the new judge has them exactly even.
    Even,
    /// It is not certain yet; or all is asked, and what has no verdict could turn it.
    Undecided,
    /// The old judge did not tell them apart: there was no order to keep.
    NotApart,
}

/// What becomes of the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankingChange {
    /// Every pair that the old judge tells apart keeps its order.
    Same,
    /// At least one of these pairs does not.
    Changed,
    /// Neither is certain.
    Undecided,
    /// The old judge tells no two systems apart: there is no order to keep.
    NothingToKeep,
}

/// The mean difference of a pair under the new judge, of all its places.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewMean {
    /// How many places the new judge was asked of.
    pub asked: usize,
    /// How many there are.
    pub places: usize,
    /// The lower end of the interval, from -1.
    pub low: f64,
    /// The upper end of the interval, up to 1.
    pub high: f64,
}

/// Why what was told cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MigrationError {
    /// A number that cannot be used.
    #[error(transparent)]
    Input(#[from] Error),
    /// A difference that is no difference.
    #[error("pair {pair} has the difference {value} at place {place}; expected one from -1 to 1")]
    Difference {
        /// The pair, from 0.
        pair: usize,
        /// The place, from 0.
        place: usize,
        /// What was told.
        value: f64,
    },
    /// A pair without a place, or one of another number.
    #[error("there is no pair {pair} with a place {place}")]
    NoSuchPlace {
        /// The pair, from 0.
        pair: usize,
        /// The place, from 0.
        place: usize,
    },
}

/// The state of a migration; see the module's documentation.
#[derive(Clone, Debug)]
pub struct Migration {
    alpha: f64,
    pairs: Vec<Pair>,
}

#[derive(Clone, Debug)]
struct Pair {
    apart: bool,
    control: Control,
    negated: Control,
    kept: ControlledTest,
    reversed: ControlledTest,
    /// What was told: at least and at most.
    lows: Vec<f64>,
    highs: Vec<f64>,
}

impl Pair {
    fn is_asked(&self) -> bool {
        self.lows.len() == self.control.len()
    }

    /// What is known once all is asked; None before.
    fn known(&self) -> Option<PairChange> {
        let sum_of = |values: &[f64]| values.iter().sum::<f64>();
        self.is_asked()
            .then(|| match (sum_of(&self.lows), sum_of(&self.highs)) {
                (low, _) if low > ROUNDING => PairChange::Kept,
                (_, high) if high < -ROUNDING => PairChange::Reversed,
                (low, high) if low >= -ROUNDING && high <= ROUNDING => PairChange::Even,
                _ => PairChange::Undecided,
            })
    }

    /// Whether the same ranking can be claimed as far as this pair goes.
    fn is_kept_at(&self, alpha: f64) -> bool {
        match self.known() {
            Some(change) => change == PairChange::Kept,
            None => self.kept.peak() >= 1.0 / alpha,
        }
    }
}

impl Migration {
    /// Starts with nothing asked. `alpha` is the chance, at most, of each kind of false claim.
    ///
    /// # Errors
    /// An alpha that is not strictly between 0 and 1, a pair without places, and a difference that
    /// is not from -1 to 1.
    pub fn new(alpha: f64, pairs: Vec<OldPair>) -> Result<Migration, MigrationError> {
        check_share("alpha", alpha)?;
        let mut states = Vec::with_capacity(pairs.len());
        for (number, pair) in pairs.into_iter().enumerate() {
            if pair.old.is_empty() {
                return Err(MigrationError::NoSuchPlace {
                    pair: number,
                    place: 0,
                });
            }
            for (place, value) in pair.old.iter().enumerate() {
                check_difference(number, place, *value)?;
            }
            let control = Control::new(pair.old);
            states.push(Pair {
                apart: pair.apart,
                negated: control.negated(),
                control,
                kept: ControlledTest::at_most(0.0),
                reversed: ControlledTest::at_most(0.0),
                lows: Vec::new(),
                highs: Vec::new(),
            });
        }
        Ok(Migration {
            alpha,
            pairs: states,
        })
    }

    /// Takes what the new judge says at the next place of a pair: a difference from -1 to 1 as
    /// `[difference, difference]`. Where a verdict is missing, the least and the most that the
    /// difference could be.
    ///
    /// # Errors
    /// A pair that is not there or has been asked everything, and differences that are none.
    pub fn observe(&mut self, pair: usize, [low, high]: [f64; 2]) -> Result<(), MigrationError> {
        let place = self.pairs.get(pair).map_or(0, |state| state.lows.len());
        let state = self.pairs.get_mut(pair).filter(|state| !state.is_asked());
        let Some(state) = state else {
            return Err(MigrationError::NoSuchPlace { pair, place });
        };
        check_difference(pair, place, low)?;
        check_difference(pair, place, high)?;
        state.kept.observe(&state.control, low);
        state.reversed.observe(&state.negated, -high);
        state.lows.push(low);
        state.highs.push(high.max(low));
        Ok(())
    }

    /// At how many places each pair was asked.
    pub fn asked(&self) -> Vec<usize> {
        self.pairs.iter().map(|pair| pair.lows.len()).collect()
    }

    /// What is certain of the ranking.
    pub fn ranking(&self) -> RankingChange {
        let mut apart = self.pairs.iter().filter(|pair| pair.apart).peekable();
        if apart.peek().is_none() {
            return RankingChange::NothingToKeep;
        }
        if apart.all(|pair| pair.is_kept_at(self.alpha)) {
            return RankingChange::Same;
        }
        let pairs = self.certified();
        let is_change =
            |change: &PairChange| matches!(change, PairChange::Reversed | PairChange::Even);
        match pairs.iter().any(is_change) {
            true => RankingChange::Changed,
            false => RankingChange::Undecided,
        }
    }

    /// What is certain of each pair. Where the ranking is the same, every pair that the old judge
    /// tells apart is kept.
    pub fn pairs(&self) -> Vec<PairChange> {
        if self.ranking() != RankingChange::Same {
            return self.certified();
        }
        let kept = |pair: &Pair| match pair.apart {
            true => PairChange::Kept,
            false => PairChange::NotApart,
        };
        self.pairs.iter().map(kept).collect()
    }

    /// Whether more of a pair can decide anything: it is apart, not all asked, and either the
    /// ranking may still be the same and needs this pair, or the pair itself is not certain.
    pub fn is_open(&self, pair: usize) -> bool {
        self.open_pairs().get(pair).copied().unwrap_or(false)
    }

    /// For each pair, whether more of it can decide anything.
    pub fn open_pairs(&self) -> Vec<bool> {
        let (ranking, certified) = (self.ranking(), self.certified());
        let open = |(pair, change): (&Pair, &PairChange)| {
            let needed = match ranking {
                RankingChange::Same | RankingChange::NothingToKeep => false,
                RankingChange::Undecided => !pair.is_kept_at(self.alpha),
                RankingChange::Changed => true,
            };
            needed && *change == PairChange::Undecided && !pair.is_asked()
        };
        self.pairs.iter().zip(&certified).map(open).collect()
    }

    /// The mean of each pair under the new judge; all intervals hold together at all times.
    pub fn means(&self) -> Vec<NewMean> {
        let bar = 2.0 * self.pairs.len() as f64 / self.alpha;
        let mean_of = |pair: &Pair| {
            let (places, asked) = (pair.control.len(), pair.lows.len());
            let left = (places - asked) as f64;
            let least = (pair.lows.iter().sum::<f64>() - left) / places as f64;
            let most = (pair.highs.iter().sum::<f64>() + left) / places as f64;
            let negated: Vec<f64> = pair.highs.iter().map(|high| -high).collect();
            let low = rejected_up_to(&pair.control, &pair.lows, bar).clamp(least, most);
            let high = (-rejected_up_to(&pair.negated, &negated, bar)).clamp(least, most);
            // The tests may have rejected every mean that is possible, with a chance below alpha.
            let (low, high) = match low <= high && left > 0.0 {
                true => (low, high),
                false => (least, most),
            };
            NewMean {
                asked,
                places,
                low,
                high,
            }
        };
        self.pairs.iter().map(mean_of).collect()
    }

    /// What is certain of each pair by itself (Holm over both orders of every pair).
    fn certified(&self) -> Vec<PairChange> {
        let mut tests: Vec<(f64, usize, PairChange)> = Vec::new();
        let mut changes = Vec::with_capacity(self.pairs.len());
        for (number, pair) in self.pairs.iter().enumerate() {
            changes.push(match pair.apart {
                true => pair.known().unwrap_or(PairChange::Undecided),
                false => PairChange::NotApart,
            });
            if pair.apart {
                tests.push((pair.kept.peak(), number, PairChange::Kept));
                tests.push((pair.reversed.peak(), number, PairChange::Reversed));
            }
        }
        tests.sort_by(|one, other| other.0.total_cmp(&one.0));
        let hypotheses = tests.len();
        for (rank, (peak, number, change)) in tests.into_iter().enumerate() {
            if peak < (hypotheses - rank) as f64 / self.alpha {
                break;
            }
            // A pair that is asked to the end is what it is, also where the tests erred before.
            if !self.pairs[number].is_asked() {
                changes[number] = change;
            }
        }
        changes
    }
}

fn check_difference(pair: usize, place: usize, value: f64) -> Result<(), MigrationError> {
    match (-1.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(MigrationError::Difference { pair, place, value }),
    }
}

/// The largest mean known to be too small: one that a test rejects whose wealth has reached `bar`.
///
/// The wealth falls as the mean goes up, in every factor: so the means rejected are all those up to
/// a number.
fn rejected_up_to(control: &Control, differences: &[f64], bar: f64) -> f64 {
    let is_rejected = |mean: f64| {
        let mut test = ControlledTest::at_most(mean);
        differences.iter().any(|difference| {
            test.observe(control, *difference);
            test.peak() >= bar
        })
    };
    halve_range((-1.0, 1.0), HALVINGS, is_rejected).0
}
