//! The noise floor holds: two identical systems seldom seem to differ by more. `EVENHAND_SLOW=1`
//! makes 4,000 data sets a cell.

use crate::common::Draws;
use evenhand_stats::{ItemScore, PairLead, noise_of_leads, noise_of_scores};
use evenhand_testing::is_slow;

/// Identical systems, judged on questions with so many items each.
#[derive(Clone, Copy)]
struct World {
    questions: u32,
    items: u32,
    systems: u32,
    /// Share of verdicts that are tied.
    tied: f64,
}

impl World {
    fn question(self, item: u32) -> u32 {
        item / self.items
    }

    /// The share of pairs of systems whose mean lead is beyond the floor. Each system is good at
    /// some questions by chance.
    fn beyond_by_verdicts(self, draws: &mut Draws) -> f64 {
        let mut leads = Vec::new();
        for question in 0..self.questions {
            let own: Vec<f64> = (0..self.systems).map(|_| draws.normal()).collect();
            for item in question * self.items..(question + 1) * self.items {
                for a in 0..self.systems {
                    for b in a + 1..self.systems {
                        let gap = own[a as usize] - own[b as usize];
                        let won = draws.uniform() < 1.0 / (1.0 + (-gap).exp());
                        let lead = match draws.uniform() < self.tied {
                            true => 0.0,
                            false => 2.0 * f64::from(u8::from(won)) - 1.0,
                        };
                        leads.push(PairLead {
                            pair: a * self.systems + b,
                            item,
                            question,
                            lead,
                        });
                    }
                }
            }
        }
        let mut sums: std::collections::BTreeMap<u32, f64> = Default::default();
        for row in &leads {
            *sums.entry(row.pair).or_default() += row.lead;
        }
        let items = f64::from(self.questions * self.items);
        // Without any verdict for a side nothing is said, and nothing is beyond it.
        let floor = noise_of_leads(|| leads.iter().copied(), 0.95)
            .map_or(f64::INFINITY, |found| found.difference);
        let beyond = sums.values().filter(|sum| sum.abs() / items > floor);
        beyond.count() as f64 / sums.len() as f64
    }

    fn beyond_by_scores(self, draws: &mut Draws) -> f64 {
        let mut rows = Vec::new();
        for question in 0..self.questions {
            let hard = draws.normal();
            let own: Vec<f64> = (0..self.systems).map(|_| draws.normal()).collect();
            for item in question * self.items..(question + 1) * self.items {
                for (system, own) in (0..).zip(&own) {
                    let score = (5.5 + hard + own + draws.normal()).round().clamp(1.0, 10.0);
                    rows.push(ItemScore::new(item, system, score));
                }
            }
        }
        let mut means = vec![0.0; self.systems as usize];
        for row in &rows {
            means[usize::from(row.system)] += row.score / f64::from(self.questions * self.items);
        }
        let found = noise_of_scores(
            self.systems as usize,
            &rows,
            |item| self.question(item),
            0.95,
        );
        let floor = found.map_or(f64::INFINITY, |found| found.difference);
        let mut beyond = [0, 0];
        for (at, mean) in means.iter().enumerate() {
            for other in &means[at + 1..] {
                beyond[0] += usize::from((mean - other).abs() > floor);
                beyond[1] += 1;
            }
        }
        beyond[0] as f64 / beyond[1] as f64
    }
}

#[test]
fn identical_systems_stay_below_the_floor() {
    let data_sets = if is_slow() { 4000 } else { 300 };
    // Of several pairs the share is a mean, whose error is no larger than that of one.
    let error = (0.05 * 0.95 / f64::from(data_sets)).sqrt();
    println!("identical systems beyond the noise floor (95 %), of {data_sets} data sets each");
    println!("systems  judged    10 items   20         40         10 x 6     20 x 3");
    for systems in [2, 3, 6] {
        for (what, tied) in [("won/lost", 0.0), ("with ties", 0.5), ("scores", f64::NAN)] {
            let mut row = Vec::new();
            for (questions, items) in [(10, 1), (20, 1), (40, 1), (10, 6), (20, 3)] {
                let world = World {
                    questions,
                    items,
                    systems,
                    tied,
                };
                let beyond = (0..data_sets).map(|seed| {
                    let mut draws = Draws::new(u64::from(seed as u32), 9);
                    match tied.is_nan() {
                        true => world.beyond_by_scores(&mut draws),
                        false => world.beyond_by_verdicts(&mut draws),
                    }
                });
                row.push(beyond.sum::<f64>() / f64::from(data_sets));
            }
            let line: Vec<String> = row.iter().map(|share| format!("{share:.4}")).collect();
            println!("{systems:7}  {what:9} {}", line.join("     "));
            assert!(
                row.iter().all(|share| *share <= 0.05 + 3.0 * error),
                "{line:?}"
            );
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            assert!(
                mean <= 0.05 + 3.0 * error / (row.len() as f64).sqrt(),
                "{line:?}"
            );
        }
    }
    println!("(standard error of a cell at 0.05: {error:.4})");
}
