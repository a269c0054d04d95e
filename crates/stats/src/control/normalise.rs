//! From counts of two responses to a covariate.

use super::ControlError;
use super::input::{check_column, check_covariate};
use crate::checks::{Entry, check_weight};
use crate::linear::{centred, squared_deviations};

/// How the counts of two responses become one covariate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normalisation {
    /// Added to the sum of both counts, 0 or 1 as a rule.
    pub plus: f64,
    /// Whether the column's mean is taken off. That ties the fit to which response is named first:
    /// a constant is left, which speaks for the first. Without it, swapping the two responses of a
    /// row changes the sign and nothing else.
    pub centred: bool,
    /// The number taken off the rows in the variance: 0 for the population's, 1 for the
    /// sample's.
    pub ddof: u8,
}

impl Normalisation {
    const fn centred(plus: f64, ddof: u8) -> Normalisation {
        Normalisation {
            plus,
            centred: true,
            ddof,
        }
    }

    /// (a - b) / (a + b), centred, over the population's standard deviation (the formula of the
    /// style-control post).
    pub const RELATIVE: Normalisation = Normalisation::centred(0.0, 0);
    /// Arena-Hard-Auto 0.1 (`utils_math.py`): (a - b) / (a + b + 1), centred, population's standard
    /// deviation.
    pub const ARENA_HARD: Normalisation = Normalisation::centred(1.0, 0);
    /// The length of Arena-Hard-Auto 2.0 (`show_result.py`): (a - b) / (a + b), centred, sample's
    /// standard deviation.
    pub const ARENA_HARD_2_LENGTH: Normalisation = Normalisation::centred(0.0, 1);
    /// The marks of Arena-Hard-Auto 2.0, which are given as counts per token: (a - b) / (a + b +
    /// 1), else as its length.
    pub const ARENA_HARD_2_MARKS: Normalisation = Normalisation::centred(1.0, 1);
}

/// The normalised difference of what two responses have of something: `d = (a - b) / (a + b +
/// plus)`, 0 where both are 0; then `(d - mean) / sd`, or `d / sd` about 0 if not centred.
///
/// `x_a` and `x_b` have one entry for each row, 0 or more and at most 1e30. Without the centre the
/// spread is the root of the mean square about 0, over rows - ddof as well.
///
/// # Errors
/// Columns of different lengths, a value out of range (covariate 0 is `x_a`, 1 is `x_b`), a column
/// that does not vary.
pub fn normalised_difference(
    x_a: &[f64],
    x_b: &[f64],
    how: Normalisation,
) -> Result<Vec<f64>, ControlError> {
    standardised(relative_difference(x_a, x_b, how.plus)?, how)
}

/// The first step of [`normalised_difference`]: `(a - b) / (a + b + plus)`.
///
/// # Errors
/// Columns of different lengths, a value out of range.
pub fn relative_difference(x_a: &[f64], x_b: &[f64], plus: f64) -> Result<Vec<f64>, ControlError> {
    check_column("x_b", x_b.len(), x_a.len())?;
    check_amounts(0, x_a)?;
    check_amounts(1, x_b)?;
    check_weight(0, "plus", plus)?;
    let relative = |(&a, &b): (&f64, &f64)| match a == b {
        true => 0.0,
        false => (a - b) / (a + b + plus),
    };
    Ok(x_a.iter().zip(x_b).map(relative).collect())
}

/// The second step of [`normalised_difference`]: a column less its mean where that is asked for,
/// over its spread.
///
/// # Errors
/// A column that does not vary.
pub fn standardised(mut column: Vec<f64>, how: Normalisation) -> Result<Vec<f64>, ControlError> {
    if how.centred {
        column = centred(column);
    }
    let squares = squared_deviations(&column, 0.0);
    let spread = (squares / (column.len() as f64 - f64::from(how.ddof))).sqrt();
    // The mean of equal numbers may be off by rounding.
    let spread = varied_spread(spread, 1e-12, column.len())?;
    Ok(column.into_iter().map(|x| x / spread).collect())
}

/// Returns a spread where it is above `rounding`; `rows` is for the message.
pub(super) fn varied_spread(spread: f64, rounding: f64, rows: usize) -> Result<f64, ControlError> {
    let varies = spread.is_finite() && spread > rounding;
    varies
        .then_some(spread)
        .ok_or(ControlError::Constant { rows })
}

fn check_amounts(side: usize, column: &[f64]) -> Result<(), ControlError> {
    check_covariate(side, column)?;
    for (row, &value) in column.iter().enumerate() {
        let amount = Entry::new(row, "amount", value);
        amount.require(value >= 0.0, "of 0 or more")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_hand() {
        // Differences 1/2, 0, -1/2 (0 over 0 is 0): mean 0, mean square 1/6, sample variance 1/4.
        let (a, b) = ([3.0, 0.0, 1.0], [1.0, 0.0, 3.0]);
        let root = 6f64.sqrt() / 2.0;
        let close = |x: Vec<f64>, y: [f64; 3]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-15);
        assert!(close(
            normalised_difference(&a, &b, Normalisation::RELATIVE).unwrap(),
            [root, 0.0, -root]
        ));
        assert!(close(
            normalised_difference(&a, &b, Normalisation::ARENA_HARD_2_LENGTH).unwrap(),
            [1.0, 0.0, -1.0]
        ));
        // With 1 more below: 2/5, 0, 0 and, centred, 4/15, -2/15, -2/15, with mean square 8/225.
        let found = normalised_difference(
            &[3.0, 0.0, 1.0],
            &[1.0, 0.0, 1.0],
            Normalisation::ARENA_HARD,
        )
        .unwrap();
        assert!(close(
            found,
            [2f64.sqrt(), -(0.5f64.sqrt()), -(0.5f64.sqrt())]
        ));
        // About 0: 1/2, 0, 0 over the root of 1/12.
        let how = Normalisation {
            centred: false,
            ..Normalisation::RELATIVE
        };
        assert!(close(
            normalised_difference(&[3.0, 0.0, 1.0], &[1.0, 0.0, 1.0], how).unwrap(),
            [3f64.sqrt(), 0.0, 0.0]
        ));
    }

    #[test]
    fn what_says_nothing_is_said() {
        let run = |a: &[f64], b: &[f64]| normalised_difference(a, b, Normalisation::RELATIVE);
        assert_eq!(
            run(&[1.0, 0.1], &[1.0, 0.1]),
            Err(ControlError::Constant { rows: 2 })
        );
        assert_eq!(
            run(&[0.3; 7], &[0.1; 7]),
            Err(ControlError::Constant { rows: 7 })
        );
        assert_eq!(run(&[], &[]), Err(ControlError::Constant { rows: 0 }));
        assert!(matches!(
            run(&[1.0], &[]),
            Err(ControlError::Length { found: 0, .. })
        ));
        assert!(matches!(
            run(&[1.0], &[f64::NAN]),
            Err(ControlError::Covariate {
                covariate: 1,
                row: 0,
                ..
            })
        ));
        assert!(matches!(run(&[-1.0], &[2.0]), Err(ControlError::Input(_))));
    }
}
