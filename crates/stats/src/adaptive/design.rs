//! The state of a design: what has been judged, and what is certain.

use super::AdaptiveError;
use super::certify::{Certificate, Certified};
use super::contest::Contest;
use super::interval::{PairInterval, mean_interval};
use super::order::Order;
use super::plan::{Layout, Plan, StopReason, Unit};
use crate::checks::{check_probability, ensure};
use crate::index;
use crate::linear::difference;

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
    pub(super) certificate: Certificate,
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
            certificate: Certificate::new(plan.pairs(), plan.alpha),
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
        self.check_place(unit, index, place)?;
        check_probability(place, "outcome", outcome)?;
        self.outcomes[index].push(outcome);
        self.judged += 1;
        match unit {
            Unit::System(system) => self.compare_system(system, place, outcome),
            Unit::Pair(..) => self.add_difference(index, net_preference(outcome)),
        }
        Ok(())
    }

    /// The place must be the unit's next.
    fn check_place(&self, unit: Unit, index: usize, place: usize) -> Result<(), AdaptiveError> {
        let (expected, places) = (self.outcomes[index].len(), self.plan.order(index).len());
        ensure(place == expected && place < places, || {
            AdaptiveError::Place {
                unit,
                place,
                expected,
                places,
            }
        })
    }

    /// Why there is nothing more to judge; `None` while there is.
    pub fn stop_reason(&self) -> Option<StopReason> {
        if self.certain {
            Some(StopReason::Certain)
        } else if self.is_budget_spent() {
            Some(StopReason::Budget)
        } else {
            self.is_exhausted().then_some(StopReason::Exhausted)
        }
    }

    fn is_budget_spent(&self) -> bool {
        let budget = self.plan.budget;
        budget.is_some_and(|budget| self.judged >= budget)
    }

    /// Whether no pair can still be judged.
    fn is_exhausted(&self) -> bool {
        (0..self.pairs.len()).all(|pair| !self.is_open(pair))
    }

    /// How many outcomes it has taken.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The pairs whose order is certified; none is ever taken back.
    pub fn certified_pairs(&self) -> Vec<Certified> {
        let pairs = 0..self.pairs.len();
        pairs
            .filter_map(|pair| self.certified_order(pair))
            .collect()
    }

    /// The order of a pair, where it is certified.
    pub(super) fn certified_order(&self, pair: usize) -> Option<Certified> {
        let side = self.certificate.side(pair)?;
        Some(Certified::new(self.pairs[pair], side))
    }

    /// For every pair the interval of its difference; all hold at all times together with chance
    /// 1 - alpha.
    pub fn pair_intervals(&self) -> Vec<PairInterval> {
        let bar = self.interval_bar();
        let pairs = 0..self.pairs.len();
        pairs.map(|pair| self.pair_interval(pair, bar)).collect()
    }

    /// The wealth at which a mean is left out: 2 m / alpha, an alpha / m for each of m pairs.
    fn interval_bar(&self) -> f64 {
        2.0 * self.pairs.len() as f64 / self.plan.alpha
    }

    fn pair_interval(&self, pair: usize, bar: f64) -> PairInterval {
        let (first, second) = self.pairs[pair];
        let differences = self.differences(pair);
        let (low, high) = mean_interval(self.pair_order(pair), &differences, bar);
        PairInterval {
            first,
            second,
            judged: differences.len(),
            low,
            high,
            certified: self.certificate.side(pair),
        }
    }

    /// Whether a pair is not certified and can still be judged.
    pub(super) fn is_open(&self, pair: usize) -> bool {
        !self.is_certified(pair) && self.contests[pair].seen < self.pair_order(pair).len()
    }

    pub(super) fn is_certified(&self, pair: usize) -> bool {
        self.certificate.side(pair).is_some()
    }

    pub(super) fn pair_order(&self, pair: usize) -> &Order {
        order_of_pair(&self.plan.layout, pair)
    }

    /// The position of a pair of different systems.
    fn pair_index(&self, a: usize, b: usize) -> usize {
        index::number_of_pair(self.plan.systems, a.min(b), a.max(b))
    }

    /// The position of a system or pair.
    fn unit_index(&self, unit: Unit) -> Result<usize, AdaptiveError> {
        let systems = self.plan.systems;
        match (unit, &self.plan.layout) {
            (Unit::System(system), Layout::Arms(_)) if system < systems => Ok(system),
            (Unit::Pair(a, b), Layout::Pairs(_)) if a < b && b < systems => {
                Ok(self.pair_index(a, b))
            }
            _ => Err(AdaptiveError::NoSuchUnit { unit }),
        }
    }

    /// Compares a system with all that have been judged at this place.
    fn compare_system(&mut self, system: usize, place: usize, outcome: f64) {
        for other in (0..self.plan.systems).filter(|&other| other != system) {
            if let Some(&theirs) = self.outcomes[other].get(place) {
                let difference = if system < other {
                    outcome - theirs
                } else {
                    theirs - outcome
                };
                self.add_difference(self.pair_index(system, other), difference);
            }
        }
    }

    /// One more difference of a pair; what is certified needs no more.
    fn add_difference(&mut self, pair: usize, difference: f64) {
        if !self.is_certified(pair) {
            self.contests[pair].observe(order_of_pair(&self.plan.layout, pair), difference);
            self.certify_after(pair);
        }
    }

    /// Certifies what a new difference of a pair has made certain. The bar falls with every
    /// certificate, so one may bring others.
    fn certify_after(&mut self, pair: usize) {
        if self.contests[pair].peak() >= self.certificate.bar() {
            self.certificate.update(&self.contests);
            self.certain |= self.is_certain();
        }
    }

    fn differences(&self, pair: usize) -> Vec<f64> {
        match &self.plan.layout {
            Layout::Arms(_) => self.arm_differences(pair),
            Layout::Pairs(_) => {
                let outcomes = self.outcomes[pair].iter();
                outcomes.copied().map(net_preference).collect()
            }
        }
    }

    /// The first system's outcomes less the second's, on the places that both have passed.
    fn arm_differences(&self, pair: usize) -> Vec<f64> {
        let (a, b) = self.pairs[pair];
        difference(&self.outcomes[a], &self.outcomes[b])
    }
}

fn order_of_pair(layout: &Layout, pair: usize) -> &Order {
    match layout {
        Layout::Arms(order) => order,
        Layout::Pairs(orders) => &orders[pair],
    }
}

/// How far the first of a pair is preferred, from -1 to 1: 0 for a tie.
fn net_preference(outcome: f64) -> f64 {
    2.0 * outcome - 1.0
}
