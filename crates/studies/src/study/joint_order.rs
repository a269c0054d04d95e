//! Who is better than whom of several, by a figure in rounds that they share: one statement about
//! all of them together.

use evenhand_stats::Estimate;

/// Differences of figures up to this are rounding, and no difference.
pub(super) const RESOLUTION: f64 = 1e-9;

/// The orders of all pairs that rounds show at once.
///
/// Each order of each pair is a test of its own, at an equal part of 1 - level (Bonferroni). n of R
/// rounds that speak against an order count as (n + 1) / (R + 1), the data being one more round: n
/// / R would be 0 for what R rounds cannot exclude. A round without a figure of one of the two
/// speaks against every order.
pub(super) struct JointOrder<'a> {
    figures: Vec<&'a [Estimate]>,
    /// The rounds that all have.
    rounds: usize,
    /// The share of rounds that may speak against an order.
    most: f64,
}

impl JointOrder<'_> {
    /// Takes each one's figure in every round; rounds that not all have are left out.
    pub(super) fn new(figures: Vec<&[Estimate]>, level: f64) -> JointOrder<'_> {
        let orders = figures.len() * figures.len().saturating_sub(1);
        JointOrder {
            rounds: figures.iter().map(|one| one.len()).min().unwrap_or(0),
            most: (1.0 - level) / orders.max(1) as f64,
            figures,
        }
    }

    /// Whether one is shown to be better than another.
    pub(super) fn is_better(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|at| &self.figures[at][..self.rounds]);
        let both = one.iter().zip(other);
        let against = both.filter(|(one, other)| {
            let both = one.finite().zip(other.finite());
            !both.is_some_and(|(one, other)| one - other > RESOLUTION)
        });
        self.is_rare(against.count())
    }

    /// Whether so few rounds speak against an order that it is shown.
    fn is_rare(&self, against: usize) -> bool {
        (against + 1) as f64 / (self.rounds + 1) as f64 <= self.most * (1.0 + ROUNDING)
    }

    /// Returns how many rounds there must be to show any order; None where there are as many.
    pub(super) fn rounds_needed(&self) -> Option<usize> {
        let needed = (1.0 / self.most * (1.0 - ROUNDING)).ceil() as usize - 1;
        (self.figures.len() > 1 && !self.is_rare(0)).then_some(needed)
    }
}

/// The rounding of a share.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_stats::{Undefined, draw_clusters, draw_numbers, spearman};
    use evenhand_testing::is_slow;

    fn finite(figures: &[f64]) -> Vec<Estimate> {
        figures.iter().copied().map(Estimate::Finite).collect()
    }

    fn order_of(all: &[Vec<Estimate>]) -> JointOrder<'_> {
        JointOrder::new(all.iter().map(Vec::as_slice).collect(), 0.95)
    }

    /// 10 judges have 90 orders, each at 1/1800: as many rounds less the data's own show one if all
    /// of them agree, and one round fewer shows none.
    #[test]
    fn an_order_takes_as_many_rounds_as_its_level() {
        for (judges, needed) in [(2, 39), (3, 119), (5, 399), (10, 1799)] {
            let of = |rounds: usize| -> Vec<Vec<Estimate>> {
                (0..judges)
                    .map(|judge| finite(&vec![f64::from(judge); rounds]))
                    .collect()
            };
            let [enough, few] = [of(needed), of(needed - 1)];
            let [enough, few] = [order_of(&enough), order_of(&few)];
            assert_eq!(enough.rounds_needed(), None, "{judges}");
            assert_eq!(few.rounds_needed(), Some(needed), "{judges}");
            assert!(enough.is_better(1, 0) && !enough.is_better(0, 1));
            assert!(!few.is_better(1, 0));
        }
        assert_eq!(order_of(&[finite(&[1.0])]).rounds_needed(), None);
    }

    #[test]
    fn equals_and_what_is_unknown_show_nothing() {
        let equal = finite(&[0.5; 400]);
        let unknown = vec![Estimate::Undefined(Undefined::NoRank); 400];
        let all = [equal.clone(), equal, finite(&[0.4; 400]), unknown];
        let order = order_of(&all);
        assert!(!order.is_better(0, 1) && order.is_better(0, 2));
        assert!(!order.is_better(0, 3) && !order.is_better(3, 0));
    }

    /// The twin says it as a p-value: that of an order is the share of the rounds, the data among
    /// them, that speak against it, times the number of orders.
    #[test]
    fn what_is_shown_has_a_small_p_value() {
        let (rounds, judges) = (500_usize, 4_usize);
        for seed in 0..20 {
            let mut draws = draw_numbers(seed, 0, 1 << 20);
            let mut number = || f64::from(draws.next().unwrap()) / f64::from(1 << 20);
            let all: Vec<Vec<Estimate>> = (0..judges)
                .map(|judge| {
                    let lead = 0.35 * judge as f64;
                    finite(&(0..rounds).map(|_| lead + number()).collect::<Vec<_>>())
                })
                .collect();
            let order = order_of(&all);
            for (one, other) in (0..judges).flat_map(|x| (0..judges).map(move |y| (x, y))) {
                if one == other {
                    continue;
                }
                let figure = |judge: usize, at: usize| all[judge][at].finite().unwrap();
                let against = (0..rounds).filter(|at| figure(one, *at) <= figure(other, *at));
                let orders = judges * (judges - 1);
                let p = (1 + against.count()) as f64 / (1 + rounds) as f64 * orders as f64;
                assert_eq!(order.is_better(one, other), p <= 0.05, "{one} {other} {p}");
            }
        }
    }

    /// Of judges with the same noise some one is said to be worse than another in so many studies:
    /// each judge's mean scores of 8 systems on the same items, against people's order.
    #[test]
    fn equal_judges_are_seldom_told_apart() {
        let (studies, rounds) = if is_slow() { (400, 1000) } else { (20, 400) };
        let systems = 8;
        for items in [20, 300] {
            for spread in [0.3, 1.0] {
                let mut wrong = 0;
                for study in 0..studies {
                    let all = simulated_rhos(study, (5, systems, items), spread, rounds);
                    let order = order_of(&all);
                    let mut pairs = (0..5).flat_map(|x| (0..5).map(move |y| (x, y)));
                    wrong += u64::from(pairs.any(|(x, y)| order.is_better(x, y)));
                }
                let share = wrong as f64 / studies as f64;
                eprintln!("5 equal judges, {items} items, spread {spread}: {share:.4}");
                // Three standard errors above 0.05.
                let most = 0.05 + 3.0 * (0.05 * 0.95 / studies as f64).sqrt();
                assert!(share <= most, "{items} items, spread {spread}: {share}");
            }
        }
    }

    /// Returns each judge's rho in every round. A judge's score of a system on an item is the
    /// system's quality, evenly over `spread`, and noise of standard deviation 1.
    fn simulated_rhos(
        study: u64,
        (judges, systems, items): (usize, usize, usize),
        spread: f64,
        rounds: usize,
    ) -> Vec<Vec<Estimate>> {
        let mut draws = draw_numbers(study, 1 << 40, 1 << 24);
        let mut uniform = || (f64::from(draws.next().unwrap()) + 0.5) / f64::from(1 << 24);
        let mut normal = || {
            let (radius, turn) = (uniform(), uniform());
            (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
        };
        let people: Vec<f64> = (0..systems).map(|system| system as f64).collect();
        let scores: Vec<f64> = (0..judges * items * systems)
            .map(|at| (at % systems) as f64 * spread / (systems - 1) as f64 + normal())
            .collect();
        let drawn: Vec<Vec<usize>> = (0..rounds as u64)
            .map(|round| {
                let items = draw_clusters(study, round, items as u32);
                items.map(|item| item as usize).collect()
            })
            .collect();
        let rho = |judge: usize, drawn: &[usize]| {
            let mut sums = vec![0.0; systems];
            for item in drawn {
                let row = &scores[(judge * items + item) * systems..][..systems];
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            Estimate::Finite(spearman(&sums, &people).unwrap())
        };
        (0..judges)
            .map(|judge| drawn.iter().map(|drawn| rho(judge, drawn)).collect())
            .collect()
    }
}
