//! The mean of paired differences, with the test that they are symmetric around 0, inverted.

use super::flips::flip_p_value;
use super::{ChangeTest, MeanChange, Moves, agree, paired_counts};
use crate::checks::check_level;
use crate::{Error, Undefined};

/// The mean of paired differences, one for each independent item.
///
/// Where all that moved moved by one size, the test and the interval are those of
/// [`paired_counts`]. Else the test is the sign-flip test: if nothing changed but by chance, each
/// item's difference would as well have had the other sign. The interval has the shifts that this
/// test does not reject (Robinson 1982), cut off at the furthest that the mean can be. While fewer
/// than 6 items moved, and others did not, it is at least as wide as that of items of which none
/// moved: so few say little of how far the next one would move.
///
/// The test is exact for differences that would as well have had the other sign, as those of two
/// equal systems do. For differences that are skewed around a mean of 0 it errs as a t test does,
/// by the square of the skewness over the number of items.
///
/// # Errors
/// A bad level; a number that is not finite; no differences ([`Undefined::NoData`]).
pub fn paired_change(differences: &[f64], moves: Moves, level: f64) -> Result<MeanChange, Error> {
    check_level(level)?;
    check_finite(differences.iter().copied())?;
    if differences.is_empty() {
        return Err(Undefined::NoData.into());
    }
    if let Some(size) = size_of(differences, moves) {
        return counted_change(differences, size, moves, level);
    }
    let rows = differences.iter().map(|value| Contribution {
        value: *value,
        weight: 1.0,
    });
    Ok(flipped_change(&Vec::from_iter(rows), moves, level))
}

pub(super) fn check_finite(values: impl Iterator<Item = f64>) -> Result<(), Error> {
    for (row, value) in values.enumerate() {
        if !value.is_finite() {
            let (field, expected) = ("difference", "");
            return Err(Error::Value {
                row,
                field,
                value,
                expected,
            });
        }
    }
    Ok(())
}

/// The one size of all differences that are not 0; that of a step where all are 0.
fn size_of(differences: &[f64], moves: Moves) -> Option<f64> {
    let mut sizes = differences.iter().map(|x| x.abs()).filter(|x| *x > 0.0);
    let size = sizes.next().unwrap_or(moves.step);
    sizes
        .all(|other| (other - size).abs() < 1e-9)
        .then_some(size)
}

fn counted_change(
    differences: &[f64],
    size: f64,
    moves: Moves,
    level: f64,
) -> Result<MeanChange, Error> {
    let count = |is: fn(f64) -> bool| differences.iter().filter(|x| is(**x)).count();
    let (up, down, items) = (count(|x| x > 0.0), count(|x| x < 0.0), differences.len());
    let found = paired_counts(up as u32, down as u32, items as u32, level)?;
    let difference = found.difference * size;
    let moved = up + down;
    let interval = found.interval.map(|end| end * size);
    let interval = widen(interval, difference, [moved, items], moves, level);
    let rows = differences.iter();
    let squares: f64 = rows.map(|x| (x - difference).powi(2)).sum();
    Ok(MeanChange {
        test: ChangeTest::Sign,
        difference,
        deviation: (squares / (items.max(2) - 1) as f64).sqrt(),
        interval: Some(agree(interval, found.p_value, level)),
        p_value: found.p_value,
        moved,
    })
}

/// What an item adds to the sum whose signs are flipped, where the true mean is d:
/// `value` - d `weight`. The weights sum to the number of items.
#[derive(Clone, Copy)]
pub(super) struct Contribution {
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// Tests and estimates a mean by flipping the signs of what the items add to it.
pub(super) fn flipped_change(rows: &[Contribution], moves: Moves, level: f64) -> MeanChange {
    let n = rows.len() as f64;
    let less = |mean: f64| -> Vec<f64> {
        let rows = rows.iter();
        rows.map(|row| row.value - mean * row.weight).collect()
    };
    let difference = rows.iter().map(|row| row.value).sum::<f64>() / n;
    let largest = rows
        .iter()
        .fold(0.0, |most: f64, row| most.max(row.value.abs()));
    let moved = rows
        .iter()
        .filter(|row| row.value.abs() > 1e-12 * largest)
        .count();
    let squares: f64 = less(difference).iter().map(|x| x * x).sum();
    let p_value = flip_p_value(&less(0.0));
    let is_possible = |mean: f64| match mean {
        0.0 => p_value >= 1.0 - level,
        mean => flip_p_value(&less(mean)) >= 1.0 - level,
    };
    let reach = (squares.sqrt() / n).max(moves.step / n);
    let ends = [-1.0, 1.0].map(|sign| find_end(difference, sign * reach, moves.limit, is_possible));
    let interval = match ends {
        [Some(low), Some(high)] => {
            let interval = widen([low, high], difference, [moved, rows.len()], moves, level);
            Some(agree(interval, p_value, level))
        }
        _ => None,
    };
    MeanChange {
        test: ChangeTest::SignFlip,
        difference,
        deviation: (squares / (n - 1.0).max(1.0)).sqrt(),
        interval,
        p_value,
        moved,
    }
}

/// Halvings of the range in which an end of an interval lies.
const HALVINGS: u32 = 26;

/// The furthest mean from the one that was found, in steps of `reach`, that is still possible; None
/// where none is too far.
///
/// 0 is looked at first where it lies on the way, so that the end is on the side of it that the
/// test says.
fn find_end(found: f64, reach: f64, limit: f64, is_possible: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut kept, mut far) = (found, None);
    if found * reach < 0.0 {
        match is_possible(0.0) {
            true => kept = 0.0,
            false => far = Some(0.0),
        }
    }
    let mut step = reach;
    while far.is_none() {
        let next = (kept + step).clamp(-limit, limit);
        match is_possible(next) {
            true if next.abs() >= limit => return Some(next),
            // So far out, the items' own numbers no longer matter.
            true if step.abs() > 1e9 * reach.abs() => return None,
            true => (kept, step) = (next, 2.0 * step),
            false => far = Some(next),
        }
    }
    let mut far = far?;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(kept, far);
        match is_possible(middle) {
            true => kept = middle,
            false => far = middle,
        }
    }
    Some(kept)
}

/// From so many items that moved on, the sign-flip test can find something at the usual level.
const ENOUGH_MOVED: usize = 6;

/// While few items moved and others did not, no interval is narrower than where none moved; and
/// none reaches beyond what is possible.
fn widen(
    [mut low, mut high]: [f64; 2],
    difference: f64,
    [moved, items]: [usize; 2],
    moves: Moves,
    level: f64,
) -> [f64; 2] {
    if moved < ENOUGH_MOVED && moved < items {
        // The share of items that may move although none did (Clopper and Pearson 1934).
        let share = 1.0 - (0.5 - level / 2.0).powf(1.0 / items as f64);
        low = low.min(difference - share * moves.step);
        high = high.max(difference + share * moves.step);
    }
    [low.max(-moves.limit), high.min(moves.limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: Moves = Moves {
        step: 1.0,
        limit: f64::INFINITY,
    };

    fn draws(count: usize, mut state: u64) -> Vec<f64> {
        let mut uniform = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count).map(|_| uniform() - uniform()).collect()
    }

    #[test]
    fn it_is_the_t_interval_for_many_items() {
        let found = paired_change(&draws(4000, 5), SCORES, 0.95).unwrap();
        let [low, high] = found.interval.unwrap();
        let reach = (high - low) / 2.0 / (found.deviation / 4000f64.sqrt());
        assert!((reach - 1.96).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn few_that_moved_are_decided() {
        let mut differences = vec![0.0; 40];
        (differences[3], differences[17]) = (-4.0, -2.5);
        let found = paired_change(&differences, SCORES, 0.95).unwrap();
        assert_eq!(
            (found.test, found.p_value, found.moved),
            (ChangeTest::SignFlip, 0.5, 2)
        );
        let [low, high] = found.interval.unwrap();
        assert!(
            low < -0.3 && low > -1.0 && high > 0.0 && high < 0.5,
            "{found:?}"
        );
    }

    #[test]
    fn all_that_fell_is_overwhelming() {
        let differences: Vec<f64> = (0..40).map(|i| -0.1 - f64::from(i * i % 17)).collect();
        let found = paired_change(&differences, SCORES, 0.95).unwrap();
        assert_eq!(found.p_value, 2f64.powi(-39));
        assert!(found.interval.unwrap()[1] < 0.0, "{found:?}");
    }

    #[test]
    fn too_few_items_rule_nothing_out() {
        let found = paired_change(&[-1.0, -2.0, -3.0, -2.5, -2.0], SCORES, 0.95).unwrap();
        assert_eq!((found.p_value, found.interval), (0.0625, None));
        let shares = Moves {
            step: 1.0,
            limit: 1.0,
        };
        let found = paired_change(&[-0.1, -0.2, -0.3, -0.25, -0.2], shares, 0.95).unwrap();
        assert_eq!(found.interval, Some([-1.0, 1.0]), "{found:?}");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(
            paired_change(&[], SCORES, 0.95),
            Err(Undefined::NoData.into())
        );
        assert!(paired_change(&[1.0, f64::NAN], SCORES, 0.95).is_err());
        assert!(paired_change(&[1.0, 2.0], SCORES, 1.0).is_err());
    }
}
