//! How often `compare` finds a change where there is none, and where there is one, if several items
//! ask one question and what one of them shows the others show too. `EVENHAND_SLOW=1` makes 1,000
//! data sets a cell.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::Draws;
use evenhand_compare::{
    CompareOptions, SideData, SideItem, SideVerdict, compare_sides, compare_within,
};
use evenhand_stats::Bootstrap;
use evenhand_testing::is_slow;

/// Data sets of a cell.
fn data_sets() -> u64 {
    match is_slow() {
        true => 1000,
        false => 60,
    }
}

/// What is judged, and how.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Won or lost, in so many orders.
    Verdicts(u32),
    /// Whole scores from 1 to 10, now and before.
    Scores,
}

/// Questions with so many items each.
#[derive(Clone, Copy)]
struct World {
    form: Form,
    questions: u32,
    items: u32,
    /// The standard deviation between questions, in log-odds, or points of a score.
    deviation: f64,
    /// The true lead, in log-odds, or points of a score.
    lead: f64,
}

impl World {
    /// The p-value of one data set.
    fn p_value(self, seed: u64) -> Option<f64> {
        let mut draws = Draws::new(seed);
        let names = match self.form {
            Form::Verdicts(_) => vec!["old".to_string(), "new".to_string()],
            Form::Scores => vec!["new".to_string()],
        };
        let mut sides = [0, 1].map(|_| SideData {
            systems: names.clone(),
            ..SideData::default()
        });
        for question in 0..self.questions {
            let own = self.lead + self.deviation * draws.normal();
            for copy in 0..self.items {
                let item = question * self.items + copy;
                for side in &mut sides {
                    side.items.push(SideItem {
                        id: item.to_string(),
                        question: (self.items > 1).then_some(question),
                        ..SideItem::default()
                    });
                }
                self.judge(item, own, &mut sides, &mut draws);
            }
        }
        let plan = Bootstrap {
            rounds: 499,
            threads: 1,
            ..Bootstrap::default()
        };
        let pair = Some(["old".to_string(), "new".to_string()]);
        let [before, now] = &sides;
        let found = match self.form {
            Form::Verdicts(_) => compare_within(
                now,
                &CompareOptions {
                    pair,
                    plan,
                    ..CompareOptions::default()
                },
            ),
            Form::Scores => compare_sides(
                before,
                now,
                &CompareOptions {
                    plan,
                    ..CompareOptions::default()
                },
            ),
        };
        let found = found.unwrap();
        let change = &found.systems[0].observed;
        assert_eq!(change.items as u32, self.questions * self.items);
        assert_eq!(change.questions as u32, self.questions);
        change.p_value
    }

    fn judge(self, item: u32, own: f64, [before, now]: &mut [SideData; 2], draws: &mut Draws) {
        match self.form {
            Form::Verdicts(orders) => {
                let chance = 1.0 / (1.0 + (-own).exp());
                for order in 0..orders {
                    let won = f64::from(u8::from(draws.uniform() < chance));
                    now.verdicts.push(match order {
                        0 => SideVerdict::new(item, 1, Some(0), won),
                        _ => SideVerdict::new(item, 0, Some(1), 1.0 - won),
                    });
                }
            }
            Form::Scores => {
                let hard = 5.0 + 1.5 * draws.normal();
                for (side, value) in [(before, hard), (now, hard + own)] {
                    let score = (value + draws.normal()).round().clamp(1.0, 10.0);
                    side.verdicts.push(SideVerdict::new(item, 0, None, score));
                }
            }
        }
    }

    /// The share of data sets with p < 0.05; one without a p-value finds nothing.
    fn found(self) -> f64 {
        let found = (0..data_sets()).filter(|seed| self.p_value(*seed).is_some_and(|p| p < 0.05));
        found.count() as f64 / data_sets() as f64
    }
}

/// No cell errs in more than 5 % by more than three standard errors of it, nor does the mean of a
/// row by more than one.
#[test]
fn items_of_one_question_are_no_evidence_of_their_own() {
    let error = (0.05 * 0.95 / data_sets() as f64).sqrt();
    println!("false alarms at 0.05, and a lead of 0.8 log-odds or points that is found");
    println!("form           items       sd 0      sd 0.5    sd 1.0    sd 1.5");
    for form in [Form::Verdicts(1), Form::Verdicts(2), Form::Scores] {
        for (questions, items) in [(15, 6), (20, 10), (40, 2), (60, 1)] {
            let mut row = Vec::new();
            let mut line = format!("{:14} {questions:>3} x {items:<2}", format!("{form:?}"));
            for deviation in [0.0, 0.5, 1.0, 1.5] {
                let world = World {
                    form,
                    questions,
                    items,
                    deviation,
                    lead: 0.0,
                };
                let wrong = world.found();
                line += &format!("  {wrong:.3}");
                // For the table alone.
                if is_slow() {
                    line += &format!(" {:.2}", World { lead: 0.8, ..world }.found());
                }
                assert!(wrong <= 0.05 + 3.0 * error, "{line}");
                row.push(wrong);
            }
            println!("{line}");
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            assert!(
                mean <= 0.05 + 3.0 * error / (row.len() as f64).sqrt(),
                "{line}"
            );
        }
    }
    println!("(standard error of a cell at 0.05: {error:.4})");
}
