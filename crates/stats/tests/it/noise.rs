//! The noise floor holds: two identical systems seldom seem to differ by more. `EVENHAND_SLOW=1`
//! makes 4,000 data sets a cell.

use crate::common::Draws;
use evenhand_stats::{
    Aim, ItemScore, JudgeScope, LeadKind, PairLead, PairOutcome, designs_for, lead_spread, mcnemar,
    noise_of_leads, noise_of_scores, variance_components,
};
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

/// Pairs of systems that are far apart, each won or lost on questions that suit the one or the
/// other.
#[derive(Clone, Copy)]
struct Far {
    questions: u32,
    items: u32,
    orders: u32,
    /// Log-odds from the first system to the last of four.
    spread: f64,
    /// Standard deviation of log-odds between questions.
    suits: f64,
    /// How many are tied; below 0, the judge's probability is the verdict, and this the standard
    /// deviation of its log-odds.
    tied: f64,
}

impl Far {
    /// Leads of the pair (a, b) of systems, question by question, both orders of an item together.
    fn leads(self, draws: &mut Draws, [a, b]: [u32; 2], gap: f64) -> Vec<PairLead> {
        let mut leads = Vec::new();
        for question in 0..self.questions {
            let gap = gap + self.suits * draws.normal();
            for item in question * self.items..(question + 1) * self.items {
                for _ in 0..self.orders {
                    let won = draws.uniform() < 1.0 / (1.0 + (-gap).exp());
                    let lead = if self.tied < 0.0 {
                        ((gap + self.tied * draws.normal()) / 2.0).tanh()
                    } else if draws.uniform() < self.tied {
                        0.0
                    } else {
                        2.0 * f64::from(u8::from(won)) - 1.0
                    };
                    leads.push(PairLead {
                        pair: a * 4 + b,
                        item,
                        question,
                        lead,
                    });
                }
            }
        }
        leads
    }

    fn all_leads(self, draws: &mut Draws) -> Vec<PairLead> {
        let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b]));
        let step = self.spread / 3.0;
        let of_pair = |pair: [u32; 2]| self.leads(draws, pair, step * f64::from(pair[1] - pair[0]));
        pairs.flat_map(of_pair).collect()
    }
}

/// How far apart the systems of a run are says nothing of two that are identical.
#[test]
fn identical_systems_stay_below_the_floor_of_a_run_of_others() {
    let data_sets = if is_slow() { 4000 } else { 400 };
    let error = (0.05 * 0.95 / f64::from(data_sets)).sqrt();
    println!("two identical systems beyond the noise floor of four others, {data_sets} sets each");
    println!("questions x items x orders, log-odds of the others, suits, tied: beyond");
    let mut over = Vec::new();
    for [questions, items, orders] in [[20, 1, 1], [30, 1, 2], [100, 1, 2], [20, 6, 1]] {
        for (spread, suits) in [(0.0, 0.0), (2.0, 0.0), (4.0, 0.0), (6.0, 0.0), (4.0, 1.0)] {
            for tied in [0.0, 0.4, -0.2, -1.0, -4.0] {
                let far = Far {
                    questions,
                    items,
                    orders,
                    spread,
                    suits,
                    tied,
                };
                let beyond = (0..data_sets).filter(|seed| {
                    let mut draws = Draws::new(u64::from(*seed as u32), 11);
                    let leads = far.all_leads(&mut draws);
                    let floor = noise_of_leads(|| leads.iter().copied(), 0.95)
                        .map_or(f64::INFINITY, |found| found.difference);
                    let equal = far.leads(&mut draws, [0, 1], 0.0);
                    let sum: f64 = equal.iter().map(|row| row.lead).sum();
                    (sum / equal.len() as f64).abs() > floor
                });
                let share = beyond.count() as f64 / f64::from(data_sets);
                let line = format!(
                    "{questions} x {items} x {orders}, {spread}, {suits}, {tied}: {share:.3}"
                );
                println!("{line}");
                if share > 0.065 + 3.0 * error {
                    over.push(line);
                }
            }
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

/// A plan that is made from systems that are far apart finds two that are close as often as it
/// says.
#[test]
fn a_plan_from_systems_far_apart_finds_close_ones() {
    let pilots = if is_slow() { 2000 } else { 200 };
    for (spread, points, suits) in [
        (0.0, 10.0, 0.0),
        (3.0, 10.0, 0.0),
        (6.0, 15.0, 0.0),
        (4.0, 10.0, 1.0),
    ] {
        let far = Far {
            questions: 30,
            items: 1,
            orders: 2,
            spread,
            suits,
            tied: 0.0,
        };
        let aim = Aim {
            difference: points / 50.0,
            power: 0.8,
            level: 0.95,
            judges: JudgeScope::These,
            leads: LeadKind::WonOrLost,
        };
        // Log-odds of which the mean over questions is the lead that is planned for.
        let (mut low, mut high) = (0.0_f64, 6.0_f64);
        let mut shape = Draws::new(1, 12);
        let suited: Vec<f64> = (0..20_000).map(|_| suits * shape.normal()).collect();
        for _ in 0..30 {
            let gap = f64::midpoint(low, high);
            let chance = |own: &f64| 2.0 / (1.0 + (-gap - own).exp()) - 1.0;
            match suited.iter().map(chance).sum::<f64>() / suited.len() as f64 > aim.difference {
                true => high = gap,
                false => low = gap,
            }
        }
        let (mut found, mut items) = ([0.0; 2], [0, 0]);
        for seed in 0..pilots {
            let mut draws = Draws::new(seed, 13);
            let leads = far.all_leads(&mut draws);
            let outcomes: Vec<PairOutcome> = leads
                .iter()
                .enumerate()
                .map(|(at, row)| PairOutcome {
                    pair: row.pair,
                    item: row.item,
                    judge: 0,
                    swapped: at % 2 == 1,
                    lead: row.lead,
                })
                .collect();
            let mut pilot = variance_components(&outcomes).unwrap();
            pilot.spread = Some(lead_spread(|| leads.iter().copied()).unwrap());
            for design in designs_for(&aim, &pilot).unwrap() {
                let judged = Far {
                    questions: design.items as u32,
                    orders: design.each.orders,
                    ..far
                };
                let rows = judged.leads(&mut draws, [0, 1], low);
                let moves = rows
                    .chunks(judged.orders as usize)
                    .map(|item| item.iter().map(|row| row.lead).sum::<f64>() / item.len() as f64);
                let moves: Vec<f64> = moves.collect();
                let up = moves.iter().filter(|lead| **lead > 0.0).count() as u32;
                let down = moves.iter().filter(|lead| **lead < 0.0).count() as u32;
                let of = judged.orders as usize - 1;
                let finds = mcnemar(up, down).is_ok_and(|test| test.exact_p < 0.05);
                found[of] += f64::from(u8::from(finds)) / pilots as f64;
                items[of] += design.items as usize;
            }
        }
        println!(
            "pilot over {spread} log-odds, suits {suits}, {points} points, 0.80 promised: one order {:.3} \
             ({} items), both {:.3} ({})",
            found[0],
            items[0] / pilots as usize,
            found[1],
            items[1] / pilots as usize
        );
        let reach = 3.0 * (0.16 / pilots as f64).sqrt();
        for found in found {
            assert!(
                found > 0.77 - reach && found < 0.88 + reach,
                "{spread}: {found}"
            );
        }
    }
}
