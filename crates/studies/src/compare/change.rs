//! The size of a change, by the method that fits the data.

use crate::figure::mean;
use evenhand_core::items_in_words;
use evenhand_stats::change::{
    ControlledItem, MeanChange, controlled_change, paired_change, paired_counts,
};
use evenhand_stats::{Bootstrap, SignTest, minimum_detectable_difference};
use std::collections::BTreeSet;

/// How a change was estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeMethod {
    /// Items that moved by one step: the exact sign test, with Tango's score interval.
    SignTest,
    /// Items that were right or wrong on both sides: McNemar's exact test, with Tango's score
    /// interval.
    McNemar,
    /// A studentised bootstrap of the paired differences, over items.
    PairedBootstrap,
    /// The same, less the judge's own change on responses that did not change.
    ControlledBootstrap,
}

impl ChangeMethod {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            ChangeMethod::SignTest => "sign-test",
            ChangeMethod::McNemar => "mcnemar",
            ChangeMethod::PairedBootstrap => "paired-bootstrap",
            ChangeMethod::ControlledBootstrap => "controlled-bootstrap",
        }
    }
}

/// A mean difference over items, the current side less the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// How it was estimated.
    pub method: ChangeMethod,
    /// Items with a value on both sides.
    pub items: usize,
    /// Questions that they ask: what is independent, and counts once in the interval and the test.
    pub questions: usize,
    /// Items on which the current side is higher.
    pub up: usize,
    /// Items on which it is lower.
    pub down: usize,
    /// The mean difference, in the unit of the measure.
    pub difference: f64,
    /// The ends of its interval; None where it is undefined.
    pub interval: Option<[f64; 2]>,
    /// Two-sided p-value of no difference; None where it is undefined.
    pub p_value: Option<f64>,
    /// The smallest true difference that this many questions would show with a power of 80 %, None
    /// where it is undefined.
    pub detectable: Option<f64>,
    /// The standard deviation of an item's difference, or of a question's, where several items ask
    /// one; None where it is undefined.
    pub deviation: Option<f64>,
    /// Why there is no interval.
    pub undefined: Option<String>,
}

/// The power at which the smallest difference to be seen is stated.
pub const POWER: f64 = 0.8;

/// Estimates the mean of paired differences; None without any.
pub(super) fn estimate_change(
    differences: &[f64],
    is_binary: bool,
    plan: &Bootstrap,
) -> Option<Change> {
    if differences.is_empty() {
        return None;
    }
    Some(match step_of(differences) {
        Some(step) => count_moves(differences, step, is_binary, plan.level),
        None => bootstrap_mean(differences, plan),
    })
}

/// The one size of all differences that are not 0; 1 where all are 0.
fn step_of(differences: &[f64]) -> Option<f64> {
    let mut sizes = differences.iter().map(|x| x.abs()).filter(|x| *x > 0.0);
    let step = sizes.next().unwrap_or(1.0);
    sizes.all(|size| (size - step).abs() < 1e-9).then_some(step)
}

fn count_moves(differences: &[f64], step: f64, is_binary: bool, level: f64) -> Change {
    let mut change = Change::of(differences, ChangeMethod::SignTest);
    if is_binary {
        change.method = ChangeMethod::McNemar;
    }
    let (up, down, items) = (change.up as u32, change.down as u32, change.items as u32);
    match paired_counts(up, down, items, level) {
        Ok(found) => {
            change.interval = Some(found.interval.map(|end| end * step));
            change.p_value = Some(found.p_value);
        }
        Err(error) => change.undefined = Some(error.to_string()),
    }
    let test = SignTest {
        items: items.into(),
        moved: f64::from(up + down) / f64::from(items),
        size: step,
    };
    change.detectable = test.detectable_mean(level, POWER).ok().flatten();
    change
}

fn bootstrap_mean(differences: &[f64], plan: &Bootstrap) -> Change {
    let mut change = Change::of(differences, ChangeMethod::PairedBootstrap);
    match paired_change(differences, plan) {
        Ok(found) => change.take(&found),
        Err(error) => change.undefined = Some(error.to_string()),
    }
    change.detectable = change.deviation.and_then(|deviation| {
        minimum_detectable_difference(differences.len(), deviation, plan.level, POWER).ok()
    });
    change
}

/// Estimates the mean change less the judge's own; None without differences or shifts.
pub(super) fn estimate_controlled(items: &[ControlledItem], plan: &Bootstrap) -> Option<Change> {
    let shifts: Vec<f64> = items.iter().filter_map(|item| item.shift).collect();
    let shift = mean(&shifts)?;
    let own = |item: &ControlledItem| {
        let difference = item.difference? - shift;
        Some(if item.changed { difference } else { 0.0 })
    };
    let differences: Vec<f64> = items.iter().filter_map(own).collect();
    if differences.is_empty() {
        return None;
    }
    let mut change = Change::of(&differences, ChangeMethod::ControlledBootstrap);
    change.questions = count_questions(items);
    match controlled_change(items, plan) {
        Ok(found) => change.take(&found),
        Err(_) if differences.iter().all(|own| *own == 0.0) => change.settle(),
        Err(error) => change.undefined = Some(error.to_string()),
    }
    Some(change)
}

/// Counts the questions of the items with a difference.
fn count_questions(items: &[ControlledItem]) -> usize {
    let paired = items.iter().filter(|item| item.difference.is_some());
    let questions: BTreeSet<u32> = paired.map(|item| item.question).collect();
    questions.len()
}

impl Change {
    fn of(differences: &[f64], method: ChangeMethod) -> Change {
        Change {
            method,
            items: differences.len(),
            questions: differences.len(),
            up: differences.iter().filter(|x| **x > 0.0).count(),
            down: differences.iter().filter(|x| **x < 0.0).count(),
            difference: differences.iter().sum::<f64>() / differences.len() as f64,
            interval: None,
            p_value: None,
            detectable: None,
            deviation: deviation_of(differences),
            undefined: None,
        }
    }

    fn take(&mut self, found: &MeanChange) {
        self.difference = found.difference;
        self.interval = Some(found.interval);
        self.p_value = Some(found.p_value);
        self.deviation = Some(found.standard_error * (self.questions as f64).sqrt());
    }

    /// No response changed: there is no change, whatever the judge says.
    fn settle(&mut self) {
        self.interval = Some([0.0, 0.0]);
        self.p_value = Some(1.0);
    }

    /// Says on how many items it rests: "90 items of 15 questions".
    pub fn items_in_words(&self) -> String {
        items_in_words(self.items as u64, self.questions as u64)
    }

    /// Whether the current side is significantly lower, at this level.
    pub fn is_worse(&self, level: f64) -> Option<bool> {
        self.p_value
            .map(|p| self.difference < 0.0 && p < 1.0 - level)
    }
}

fn deviation_of(differences: &[f64]) -> Option<f64> {
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|x| (x - mean).powi(2)).sum();
    (n > 1.0).then(|| (squares / (n - 1.0)).sqrt())
}
