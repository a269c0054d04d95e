//! The state of a design: what has been judged, and what is certain.

use super::AdaptiveError;
use super::contest::{Contest, Leader};
use super::interval::{PairInterval, mean_interval};
use super::plan::{Layout, Plan, StopReason, Unit};
use crate::checks::check_probability;
use crate::index;
use crate::linear::difference;

/// A pair whose order is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The system with the larger mean.
    pub above: usize,
    /// The system with the smaller mean.
    pub below: usize,
}

/// An adaptive design under a [`Plan`]: it takes outcomes, and says what is certain and what to
/// judge next.
///
/// It is a pure function of the plan and of the outcomes.
///
/// ```
/// use evenhand_stats::adaptive::{Adaptive, Allocation, Order, Plan, Population, StopReason, Layout, StopRule, Unit};
///
/// // Three systems on 200 items: the first does well on all, the second on half, the third on none.
/// let order = Order::random(200, Population::Finite, 7, 0)?;
/// let plan = Plan {
///     systems: 3,
///     layout: Layout::Arms(order),
///     alpha: 0.05,
///     stop: StopRule::AllPairs,
///     budget: Some(600),
///     allocation: Allocation::Adaptive,
/// };
/// let mut design = Adaptive::new(plan)?;
/// while design.stop_reason().is_none() {
///     for wanted in design.next_judgments(6) {
///         let Unit::System(system) = wanted.unit else { continue };
///         let outcome = [1.0, f64::from(wanted.item % 2), 0.0][system];
///         design.observe(wanted.unit, wanted.place, outcome)?;
///     }
/// }
/// assert_eq!(design.stop_reason(), Some(StopReason::Certain));
/// assert_eq!(design.certified_pairs().len(), 3);
/// assert!(design.judged() < 100, "of 600");
/// # Ok::<(), evenhand_stats::adaptive::AdaptiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Adaptive {
    pub(super) plan: Plan,
    /// All pairs, the smaller number first.
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) contests: Vec<Contest>,
    /// Of each pair whose order is certified who has the larger mean.
    pub(super) sides: Vec<Option<Leader>>,
    /// How many those are.
    pub(super) certified: usize,
    /// The outcomes of each unit, place by place.
    pub(super) outcomes: Vec<Vec<f64>>,
    judged: u64,
    certain: bool,
}

impl Adaptive {
    /// A design in which nothing has been judged.
    ///
    /// # Errors
    /// An alpha, a number of systems or a stopping rule out of range; not one order for each pair.
    pub fn new(plan: Plan) -> Result<Adaptive, AdaptiveError> {
        plan.check()?;
        Ok(Adaptive {
            pairs: index::pairs(plan.systems).collect(),
            contests: vec![Contest::new(); plan.pairs()],
            sides: vec![None; plan.pairs()],
            certified: 0,
            outcomes: vec![Vec::new(); plan.units()],
            judged: 0,
            certain: false,
            plan,
        })
    }

    /// Takes the outcome, from 0 to 1, of a judgment. A unit's places come one after the other,
    /// from 0; units may come in any order, wanted or not.
    ///
    /// # Errors
    /// No such unit; a place that is not the unit's next; an outcome that is not from 0 to 1. The
    /// design is then unchanged.
    pub fn observe(&mut self, unit: Unit, place: usize, outcome: f64) -> Result<(), AdaptiveError> {
        let index = self.unit_index(unit)?;
        let expected = self.outcomes[index].len();
        let places = self.plan.order(index).len();
        if place != expected || place >= places {
            return Err(AdaptiveError::Place {
                unit,
                place,
                expected,
                places,
            });
        }
        check_probability(place, "outcome", outcome)?;
        self.outcomes[index].push(outcome);
        self.judged += 1;
        let Unit::System(system) = unit else {
            self.add_difference(index, net_preference(outcome));
            return Ok(());
        };
        // A system is compared with all that have been judged at this place.
        for other in (0..self.plan.systems).filter(|&other| other != system) {
            let Some(&theirs) = self.outcomes[other].get(place) else {
                continue;
            };
            let (a, b) = (system.min(other), system.max(other));
            let difference = if system == a {
                outcome - theirs
            } else {
                theirs - outcome
            };
            let pair = index::number_of_pair(self.plan.systems, a, b);
            self.add_difference(pair, difference);
        }
        Ok(())
    }

    /// Why there is nothing more to judge; `None` while there is.
    pub fn stop_reason(&self) -> Option<StopReason> {
        if self.certain {
            Some(StopReason::Certain)
        } else if self.plan.budget.is_some_and(|budget| self.judged >= budget) {
            Some(StopReason::Budget)
        } else if (0..self.pairs.len()).all(|pair| !self.is_open(pair)) {
            Some(StopReason::Exhausted)
        } else {
            None
        }
    }

    /// How many outcomes it has taken.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The pairs whose order is certified; none is ever taken back.
    pub fn certified_pairs(&self) -> Vec<Certified> {
        (0..self.pairs.len())
            .filter_map(|pair| self.certified_order(pair))
            .collect()
    }

    /// The order of a pair, where it is certified.
    pub(super) fn certified_order(&self, pair: usize) -> Option<Certified> {
        let side = self.sides[pair]?;
        let (above, below) = side.put_first(self.pairs[pair]);
        Some(Certified { above, below })
    }

    /// For every pair the interval of its difference; all hold at all times together with chance
    /// 1 - alpha. That of a certified pair does not reach beyond 0: where it would, it ends there,
    /// as the order says, and holds as the certified orders do. Such an end at 0 is open. All
    /// intervals and all certified orders together hold with chance 1 - 1.5 alpha at least.
    pub fn pair_intervals(&self) -> Vec<PairInterval> {
        // A mean is left out at an alpha / m for each of m pairs, for either side.
        let bar = 2.0 * self.pairs.len() as f64 / self.plan.alpha;
        let mut intervals = Vec::with_capacity(self.pairs.len());
        for (pair, &(first, second)) in self.pairs.iter().enumerate() {
            let differences = match &self.plan.layout {
                // On the places that both have passed.
                Layout::Arms(_) => difference(&self.outcomes[first], &self.outcomes[second]),
                Layout::Pairs(_) => {
                    let outcomes = self.outcomes[pair].iter().copied();
                    outcomes.map(net_preference).collect()
                }
            };
            let (low, high) = mean_interval(self.plan.order(pair), &differences, bar);
            // Holm's bar falls with each pair certified, and that of the intervals does not: a pair
            // may be certified while its interval still reaches beyond 0. An interval on the other
            // side of 0 alone stays: what was seen later shows that the order was certified
            // wrongly.
            let (low, high) = match self.sides[pair] {
                Some(Leader::First) if high > 0.0 => (low.max(0.0), high),
                Some(Leader::Second) if low < 0.0 => (low, high.min(0.0)),
                _ => (low, high),
            };
            intervals.push(PairInterval {
                first,
                second,
                judged: differences.len(),
                low,
                high,
                certified: self.sides[pair],
            });
        }
        intervals
    }

    /// Whether a pair is not certified and can still be judged.
    pub(super) fn is_open(&self, pair: usize) -> bool {
        self.sides[pair].is_none() && self.contests[pair].seen < self.plan.order(pair).len()
    }

    /// The wealth that certifies the next pair by Holm's method, on tests that hold at all times:
    /// (2 m - r) / alpha with m pairs, two hypotheses each, of which r are rejected.
    pub(super) fn bar(&self) -> f64 {
        (2 * self.sides.len() - self.certified) as f64 / self.plan.alpha
    }

    /// The position of a system or pair.
    fn unit_index(&self, unit: Unit) -> Result<usize, AdaptiveError> {
        let systems = self.plan.systems;
        match (unit, &self.plan.layout) {
            (Unit::System(system), Layout::Arms(_)) if system < systems => Ok(system),
            (Unit::Pair(a, b), Layout::Pairs(_)) if a < b && b < systems => {
                Ok(index::number_of_pair(systems, a, b))
            }
            _ => Err(AdaptiveError::NoSuchUnit { unit }),
        }
    }

    /// One more difference of a pair; what is certified needs no more.
    fn add_difference(&mut self, pair: usize, difference: f64) {
        if self.sides[pair].is_some() {
            return;
        }
        self.contests[pair].observe(self.plan.order(pair), difference);
        if self.contests[pair].evidence().0 < self.bar() {
            return;
        }
        // The bar falls with each pair certified, so that one may bring others: after each the
        // search begins again.
        let mut pair = 0;
        while pair < self.contests.len() {
            let (wealth, side) = self.contests[pair].evidence();
            if self.sides[pair].is_none() && wealth >= self.bar() {
                self.sides[pair] = Some(side);
                self.certified += 1;
                pair = 0;
            } else {
                pair += 1;
            }
        }
        self.certain |= self.is_certain();
    }
}

/// How far the first of a pair is preferred, from -1 to 1: 0 for a tie.
fn net_preference(outcome: f64) -> f64 {
    2.0 * outcome - 1.0
}
