//! The rectified Bradley-Terry objective over counts of pairs, and its maximum where there is a
//! finite one.

use super::PoweredError;
use crate::graph::components;
use crate::index;
use crate::linear::{Derivatives, centred, halved_steps, laplacian_solve, largest, shorten};
use crate::special::{log_win_chance, win_chance};

/// Steps before giving up.
const MAX_ITERATIONS: usize = 200;
/// Steps (in log-odds) below this end the search; Newton's steps shrink quadratically, so the error
/// is far smaller.
const NEGLIGIBLE: f64 = 1e-11;
/// Steps below this that shrink no more are rounding, and end the search as well.
const SMALL: f64 = 1e-7;
/// Longest step in log-odds.
const LONGEST: f64 = 4.0;
/// How often a step that lowers the objective is halved.
const MAX_HALVINGS: i32 = 60;
/// Shares of all points that are rounding.
const ROUNDING: f64 = 1e-12;

/// The sum over i, j of points(i, j) * log(1 / (1 + exp(s_j - s_i))). Rectified points may be
/// negative; the two of a pair add up to a weight that is not, so the sum is concave in s. All
/// points add up to 1.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    /// How many systems there are, k.
    systems: usize,
    /// Row-major: `points[i * k + j]` of i against j.
    points: Vec<f64>,
}

impl Objective {
    pub(super) fn new(systems: usize) -> Objective {
        Objective {
            systems,
            points: vec![0.0; systems * systems],
        }
    }

    /// Adds a comparison: `outcome` points of `weight` for a, the rest for b.
    pub(super) fn add(&mut self, (a, b): (usize, usize), weight: f64, outcome: f64) {
        self.points[a * self.systems + b] += weight * outcome;
        self.points[b * self.systems + a] += weight * (1.0 - outcome);
    }

    /// Strengths with mean 0 that maximise the objective, by Newton's method; `lambda` is for
    /// messages.
    ///
    /// A finite maximum exists exactly where every group of systems, neither empty nor all, has
    /// lost something to the rest: its points lost are above 0. (Along a direction v the objective
    /// falls in the end at the rate sum of lost(i, j) * max(v_i - v_j, 0), which is a mean of that
    /// of v's upper level sets.) So the search ends with a proof either way: a gradient of 0, or a
    /// group, found among the level sets of its own steps, that lost nothing.
    pub(super) fn maximise(&self, lambda: f64) -> Result<Vec<f64>, PoweredError> {
        let refuse = |group: Option<Vec<usize>>| match group {
            Some(above) => Err(PoweredError::NoFiniteMaximum { lambda, above }),
            None => Ok(()),
        };
        refuse(self.find_apart())?;
        let (mut strengths, mut previous) = (vec![0.0; self.systems], f64::INFINITY);
        for iterations in 0..MAX_ITERATIONS {
            // Steps towards infinity move along a direction whose level sets show the group.
            refuse(self.find_unbeaten(&strengths))?;
            let next = self.advance(&strengths);
            let (next, size) = next.ok_or(not_converged(lambda, iterations))?;
            strengths = next;
            if size <= NEGLIGIBLE || (size <= SMALL && size >= previous / 2.0) {
                return Ok(strengths);
            }
            previous = size;
        }
        Err(not_converged(lambda, MAX_ITERATIONS))
    }

    /// The next point, and the size of the step that led to it before any halving.
    fn advance(&self, from: &[f64]) -> Option<(Vec<f64>, f64)> {
        let found = self.derivatives(from);
        let step = centred(laplacian_solve(&found.information, found.gradient)?);
        let step = shorten(step, LONGEST)?;
        // One step ahead, half a step, a quarter, ...: the first that does not lower the objective.
        let floor = self.value(from) - ROUNDING;
        let mut points = halved_steps(from, &step, MAX_HALVINGS).map(centred);
        let next = points.find(|next| self.value(next) >= floor)?;
        Some((next, largest(&step)))
    }

    /// Points of i against j.
    fn points(&self, i: usize, j: usize) -> f64 {
        self.points[i * self.systems + j]
    }

    /// A group that no weight connects with the others, or else all others: what one lost, if
    /// anything, the other won.
    fn find_apart(&self) -> Option<Vec<usize>> {
        let groups = components(self.systems, |i, j| self.weight(i, j) > ROUNDING);
        let (group, others) = groups.split_first()?;
        let others = in_order(&others.concat());
        let has_lost = self.lost_to(group, &others) > 0.0;
        let above = if has_lost { others } else { group.clone() };
        (groups.len() > 1).then_some(above)
    }

    /// The weight of a pair, in both directions.
    fn weight(&self, i: usize, j: usize) -> f64 {
        self.points(i, j) + self.points(j, i)
    }

    /// The points that a group lost to others.
    fn lost_to(&self, group: &[usize], others: &[usize]) -> f64 {
        let pairs = group
            .iter()
            .flat_map(|&i| others.iter().map(move |&j| (i, j)));
        pairs.map(|(i, j)| self.points(j, i)).sum()
    }

    /// A group of the strongest systems that lost nothing, on the whole, to the others.
    fn find_unbeaten(&self, strengths: &[f64]) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|&i, &j| strengths[j].total_cmp(&strengths[i]));
        let mut lost = 0.0;
        // All systems together lose nothing, so the last one is no group's boundary.
        for size in 0..order.len().saturating_sub(1) {
            // How much more the group loses to the rest once the next joins it.
            let (inside, outside) = order.split_at(size);
            let next = &order[size..=size];
            lost += self.lost_to(next, outside) - self.lost_to(inside, next);
            // Points that cancel leave rounding behind, of the size of all points and not of what
            // is left.
            if lost <= ROUNDING {
                return Some(in_order(&order[..=size]));
            }
        }
        None
    }

    /// The gradient and minus the Hessian, row-major.
    fn derivatives(&self, strengths: &[f64]) -> Derivatives {
        let mut found = Derivatives::zero(self.systems);
        for (i, j) in index::pairs(self.systems) {
            let lead = strengths[i] - strengths[j];
            let (wins, loses) = (win_chance(lead), win_chance(-lead));
            let slope = self.points(i, j) * loses - self.points(j, i) * wins;
            found.add_slope((i, j), slope);
            found.add_curvature((i, j), self.weight(i, j).max(0.0) * wins * loses);
        }
        found
    }

    fn value(&self, strengths: &[f64]) -> f64 {
        let values = index::pairs(self.systems).map(|(i, j)| {
            let lead = strengths[i] - strengths[j];
            self.points(i, j) * log_win_chance(lead) + self.points(j, i) * log_win_chance(-lead)
        });
        values.sum()
    }
}

pub(super) fn not_converged(lambda: f64, iterations: usize) -> PoweredError {
    PoweredError::NotConverged { lambda, iterations }
}

/// The systems by number.
fn in_order(systems: &[usize]) -> Vec<usize> {
    let mut systems = systems.to_vec();
    systems.sort_unstable();
    systems
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn objective(k: usize, rows: &[(usize, usize, f64, f64)]) -> Objective {
        let mut objective = Objective::new(k);
        let total: f64 = rows.iter().map(|row| row.2).sum();
        rows.iter()
            .for_each(|&(a, b, weight, outcome)| objective.add((a, b), weight / total, outcome));
        objective
    }

    #[test]
    fn two_systems_by_hand() {
        let found = objective(2, &[(0, 1, 4.0, 0.75)]).maximise(0.0).unwrap();
        assert!(
            (found[0] - 3f64.ln() / 2.0).abs() < 1e-12 && (found[0] + found[1]).abs() < 1e-15,
            "{found:?}"
        );
    }

    #[test]
    fn negative_points_can_be_outweighed() {
        // 1.2 : -0.2 between 0 and 1 alone has no maximum; with a way round there is one, and its
        // gradient is 0.
        let pair = (0, 1, 1.0, 1.2);
        let alone = objective(2, &[pair]).maximise(0.5);
        assert_eq!(
            alone,
            Err(PoweredError::NoFiniteMaximum {
                lambda: 0.5,
                above: vec![0]
            })
        );
        let round = objective(3, &[pair, (1, 2, 1.0, 0.5), (2, 0, 1.0, 0.5)]);
        let found = round.maximise(0.5).unwrap();
        assert!(
            largest(&round.derivatives(&found).gradient) < 1e-14,
            "{found:?}"
        );
    }

    #[test]
    fn a_group_that_lost_nothing_is_named() {
        let rows = [
            (0, 2, 1.0, 0.5),
            (1, 3, 1.0, 0.3),
            (2, 1, 5.0, 1.0),
            (0, 3, 1.0, 1.0),
        ];
        let found = objective(4, &rows).maximise(0.0);
        assert_eq!(
            found,
            Err(PoweredError::NoFiniteMaximum {
                lambda: 0.0,
                above: vec![0, 2]
            })
        );
    }

    /// The slow twin: every group of systems is looked at.
    fn some_group_lost_nothing(objective: &Objective) -> bool {
        let k = objective.systems;
        (1..(1u32 << k) - 1).any(|group| {
            let inside = |i: usize| group >> i & 1 == 1;
            let cells = (0..k).flat_map(|i| (0..k).map(move |j| (i, j)));
            let lost = cells
                .filter(|&(i, j)| inside(i) && !inside(j))
                .map(|(i, j)| objective.points[j * k + i]);
            lost.sum::<f64>() <= 1e-9
        })
    }

    proptest! {
        #[test]
        fn existence_meets_its_twin(rows in vec((0usize..5, 1usize..5, 1u8..5, -2i8..7), 1..14)) {
            let rows: Vec<_> = rows.iter().map(|&(a, d, w, x)| (a, (a + d) % 5, f64::from(w), f64::from(x) / 4.0)).collect();
            let objective = objective(5, &rows);
            match objective.maximise(1.0) {
                Ok(strengths) => {
                    prop_assert!(!some_group_lost_nothing(&objective));
                    prop_assert!(largest(&objective.derivatives(&strengths).gradient) < 1e-9);
                }
                Err(PoweredError::NoFiniteMaximum { .. }) => prop_assert!(some_group_lost_nothing(&objective)),
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }
}
