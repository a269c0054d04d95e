//! How often two raters gave which pair of labels.

use crate::Error;
use crate::checks::{check_lengths, check_weights, ensure};

/// The most categories that can be counted: a [`Confusion`] is a dense table of their pairs.
pub const MAX_CATEGORIES: usize = 1024;

/// Weighted counts of the pairs of labels of two raters, a square table.
#[derive(Clone, Debug, PartialEq)]
pub struct Confusion {
    categories: usize,
    /// Row-major: `counts[i * categories + j]` is how often the first rater said i and the second
    /// j.
    counts: Vec<f64>,
}

impl Confusion {
    /// A table of `categories` x `categories` counts, row by row: row i, column j is how often the
    /// first rater said i and the second j; each from 0 to 1e100.
    ///
    /// # Errors
    /// More than [`MAX_CATEGORIES`]; another number of counts; a count out of range (its position
    /// is the row).
    pub fn new(categories: usize, counts: Vec<f64>) -> Result<Self, Error> {
        check_categories(categories)?;
        let found = counts.len();
        ensure(found == categories * categories, || Error::Cells {
            categories,
            found,
        })?;
        check_weights("count", &counts)?;
        Ok(Confusion { categories, counts })
    }

    /// Counts two raters' labels of the same rows, categories numbered from 0.
    ///
    /// # Errors
    /// Lists of different length; more than [`MAX_CATEGORIES`]; a label that is not below
    /// `categories`.
    pub fn of_labels(first: &[usize], second: &[usize], categories: usize) -> Result<Self, Error> {
        check_categories(categories)?;
        check_lengths(first.len(), second.len())?;
        for labels in [first, second] {
            if let Some(row) = labels.iter().position(|&category| category >= categories) {
                return Err(Error::NoSuchCategory {
                    row,
                    category: labels[row],
                    categories,
                });
            }
        }
        let mut counts = vec![0.0; categories * categories];
        for (i, j) in first.iter().zip(second) {
            counts[i * categories + j] += 1.0;
        }
        Ok(Confusion { categories, counts })
    }

    /// How many categories there are.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// How often the first rater said `i` and the second `j`; 0 for an unknown category.
    pub fn count(&self, i: usize, j: usize) -> f64 {
        if i < self.categories && j < self.categories {
            self.counts[i * self.categories + j]
        } else {
            0.0
        }
    }

    /// The number of rows, weighted.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// How often the first rater used each category.
    pub fn first_totals(&self) -> Vec<f64> {
        self.sum_lines(|i, j| self.count(i, j))
    }

    /// How often the second rater used each category.
    pub fn second_totals(&self) -> Vec<f64> {
        self.sum_lines(|i, j| self.count(j, i))
    }

    /// The sum of each row, or of each column, of the counts.
    fn sum_lines(&self, count: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let categories = 0..self.categories;
        let line = |i: usize| categories.clone().map(|j| count(i, j)).sum();
        categories.clone().map(line).collect()
    }

    /// All cells that were counted: the two labels and the count.
    pub(super) fn counted_cells(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let cells = self.counts.iter().enumerate();
        let counted = cells.filter(|&(_, &count)| count > 0.0);
        counted.map(|(cell, &count)| (cell / self.categories, cell % self.categories, count))
    }
}

fn check_categories(categories: usize) -> Result<(), Error> {
    ensure(categories <= MAX_CATEGORIES, || Error::TooManyCategories {
        categories,
        limit: MAX_CATEGORIES,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_first_rater() {
        let table = Confusion::of_labels(&[0, 0, 2, 0], &[1, 1, 2, 0], 3).unwrap();
        assert_eq!(
            (
                table.count(0, 1),
                table.count(1, 0),
                table.count(2, 2),
                table.count(7, 0)
            ),
            (2.0, 0.0, 1.0, 0.0)
        );
        assert_eq!(
            (table.first_totals(), table.second_totals(), table.total()),
            (vec![3.0, 0.0, 1.0], vec![1.0, 2.0, 1.0], 4.0)
        );
        assert_eq!(
            Confusion::new(3, vec![1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
            Ok(table)
        );
    }

    #[test]
    fn bad_input_is_an_error() {
        let labels = Confusion::of_labels;
        assert_eq!(
            labels(&[0], &[2], 2),
            Err(Error::NoSuchCategory {
                row: 0,
                category: 2,
                categories: 2
            })
        );
        assert_eq!(
            labels(&[0], &[], 2),
            Err(Error::Lengths {
                first: 1,
                second: 0
            })
        );
        assert!(matches!(
            labels(&[0], &[0], 5000),
            Err(Error::TooManyCategories { .. })
        ));
        assert_eq!(
            Confusion::new(2, vec![1.0; 3]),
            Err(Error::Cells {
                categories: 2,
                found: 3
            })
        );
        assert!(matches!(
            Confusion::new(1, vec![-1.0]),
            Err(Error::Value { field: "count", .. })
        ));
    }
}
