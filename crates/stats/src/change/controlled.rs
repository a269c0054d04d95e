//! A change less what the measurement itself changed by.

use super::MeanChange;
use super::bootstrap::{Studentised, check_finite, studentised_bootstrap};
use crate::Bootstrap;
use crate::inference::InferenceError;

/// What one item says of a change, and of the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlledItem {
    /// The later value less the earlier; None where one of them is missing.
    pub difference: Option<f64>,
    /// Whether what is measured changed at all between the two. Where it did not, its change is 0,
    /// and the difference is the measurement's.
    pub changed: bool,
    /// The mean difference of what cannot have changed on this item: the measurement's own.
    pub shift: Option<f64>,
    /// The question that it asks; any number, the same for items that are not independent.
    pub question: u32,
}

/// The mean change of items whose measurement may have changed as well, such as answers scored by
/// a judge who became stricter.
///
/// With c an item's `changed`, d its difference and G the mean shift over the items that have one:
/// the mean of c (d - G) over all items with a difference, by the symmetric studentised bootstrap
/// of [`super::paired_change`] over questions; the standard error is that of the influence values, in
/// which an item's difference and shift stand together, summed by question. That the shift of what did not change is
/// that of what did is an assumption, as in any difference in differences (Angrist and Pischke
/// 2009, section 5.2).
///
/// # Errors
/// A plan that cannot be run; a number that is not finite; no differences, no shifts; no variance.
pub fn controlled_change(
    items: &[ControlledItem],
    plan: &Bootstrap,
) -> Result<MeanChange, InferenceError> {
    check_finite(items.iter().filter_map(|item| item.difference))?;
    check_finite(items.iter().filter_map(|item| item.shift))?;
    let mut numbers: Vec<u32> = items.iter().map(|item| item.question).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let number = |item: &ControlledItem| numbers.partition_point(|known| *known < item.question);
    let questions: Vec<usize> = items.iter().map(number).collect();
    studentised_bootstrap(numbers.len(), plan, |weights| {
        let sums = Sums::of(items, &questions, weights);
        sums.estimate(items, &questions, weights)
    })
}

/// Weighted sums over the items of a resample.
#[derive(Default)]
struct Sums {
    items: f64,
    /// Of items with a difference: how many, how many changed, the differences of the latter.
    paired: f64,
    changed: f64,
    differences: f64,
    /// Of items with a shift: how many, and the shifts.
    shifted: f64,
    shifts: f64,
}

impl Sums {
    /// `questions` holds the place of each item's question in `weights`.
    fn of(items: &[ControlledItem], questions: &[usize], weights: &[f64]) -> Sums {
        let mut sums = Sums::default();
        for (item, question) in items.iter().zip(questions) {
            sums.add(item, weights[*question]);
        }
        sums
    }

    fn add(&mut self, item: &ControlledItem, weight: f64) {
        self.items += weight;
        if let Some(difference) = item.difference {
            let changed = weight * f64::from(item.changed);
            self.paired += weight;
            self.changed += changed;
            self.differences += changed * difference;
        }
        if let Some(shift) = item.shift {
            self.shifted += weight;
            self.shifts += weight * shift;
        }
    }

    /// None where the resample has no difference or no shift.
    fn estimate(
        &self,
        items: &[ControlledItem],
        questions: &[usize],
        weights: &[f64],
    ) -> Option<Studentised> {
        if self.paired == 0.0 || self.shifted == 0.0 {
            return None;
        }
        let mut influences = vec![0.0; weights.len()];
        for (item, question) in items.iter().zip(questions) {
            influences[*question] += self.influence(item);
        }
        let rows = influences.iter().zip(weights);
        let squares: f64 = rows.map(|(own, weight)| weight * own.powi(2)).sum();
        let drawn: f64 = weights.iter().sum();
        Some(Studentised {
            value: (self.differences - self.changed * self.shift()) / self.paired,
            error: (squares * drawn / (drawn - 1.0)).sqrt() / self.items,
        })
    }

    fn shift(&self) -> f64 {
        self.shifts / self.shifted
    }

    /// How much the item moves the estimate, times the number of items.
    fn influence(&self, item: &ControlledItem) -> f64 {
        let changed = self.changed / self.paired;
        let own = item.difference.map_or(0.0, |difference| {
            let here = f64::from(item.changed);
            let moved = here * difference - self.differences / self.paired;
            (moved - self.shift() * (here - changed)) * self.items / self.paired
        });
        let shift = item.shift.map_or(0.0, |shift| {
            changed * (shift - self.shift()) * self.items / self.shifted
        });
        own - shift
    }
}

#[cfg(test)]
mod tests {
    use super::super::paired_change;
    use super::*;

    fn item(difference: f64, changed: bool, shift: Option<f64>) -> ControlledItem {
        ControlledItem {
            difference: Some(difference),
            changed,
            shift,
            question: 0,
        }
    }

    /// Makes every item its own question.
    fn apart(mut items: Vec<ControlledItem>) -> Vec<ControlledItem> {
        for (item, question) in items.iter_mut().zip(0..) {
            item.question = question;
        }
        items
    }

    /// Differences of changed items around `change + drift`, and shifts around `drift`.
    fn items(count: usize, change: f64, drift: f64) -> Vec<ControlledItem> {
        let wave = |i: usize| ((i * 37 % 101) as f64 / 101.0 - 0.5) * 0.6;
        let one = |i: usize| {
            item(
                change + drift + wave(i),
                true,
                Some(drift + wave(i * 7 + 3)),
            )
        };
        apart((0..count).map(one).collect())
    }

    #[test]
    fn the_judge_s_shift_is_taken_out() {
        let plan = Bootstrap::default();
        let found = controlled_change(&items(101, 0.2, -0.5), &plan).unwrap();
        assert!((found.difference - 0.2).abs() < 0.01, "{found:?}");
        assert!(found.p_value < 0.01);
        let none = controlled_change(&items(101, 0.0, -0.5), &plan).unwrap();
        assert!(none.p_value > 0.2, "{none:?}");
    }

    #[test]
    fn without_a_shift_it_is_the_paired_change() {
        let plan = Bootstrap::default();
        let mut all = items(50, 0.1, 0.0);
        all.iter_mut().for_each(|item| item.shift = Some(0.0));
        let differences: Vec<f64> = all.iter().filter_map(|item| item.difference).collect();
        let (one, other) = (
            controlled_change(&all, &plan).unwrap(),
            paired_change(&differences, &plan).unwrap(),
        );
        assert!((one.difference - other.difference).abs() < 1e-12);
        assert!((one.standard_error / other.standard_error - 1.0).abs() < 1e-9);
        assert_eq!(one.p_value, other.p_value);
    }

    #[test]
    fn what_did_not_change_changed_by_nothing() {
        let all: Vec<_> = (0..40)
            .map(|i| item(f64::from(i % 3) - 1.0, false, Some(f64::from(i % 3) - 1.0)))
            .collect();
        let found = controlled_change(&apart(all), &Bootstrap::default());
        assert!(found.is_err(), "{found:?}");
    }

    /// Items that are copied six times say no more than once, and what is counted apart says more.
    #[test]
    fn copies_of_items_under_one_question_change_nothing() {
        let plan = Bootstrap::default();
        let once = items(40, 0.1, 0.05);
        let often: Vec<ControlledItem> = once.iter().flat_map(|item| [*item; 6]).collect();
        let (one, six) = (
            controlled_change(&once, &plan).unwrap(),
            controlled_change(&often, &plan).unwrap(),
        );
        assert!((one.difference - six.difference).abs() < 1e-12);
        assert!((one.standard_error / six.standard_error - 1.0).abs() < 1e-9);
        assert!((one.interval[0] - six.interval[0]).abs() < 1e-9);
        assert_eq!(one.p_value, six.p_value);
        let wrong = controlled_change(&apart(often), &plan).unwrap();
        assert!(wrong.standard_error < 0.5 * one.standard_error);
    }

    #[test]
    fn no_shift_is_said() {
        let all = apart(vec![item(0.5, true, None); 9]);
        assert!(controlled_change(&all, &Bootstrap::default()).is_err());
    }
}
