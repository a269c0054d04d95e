//! A value for every pair of places in two answers.

use std::ops::Range;

/// Values of (j, q), j = 0..=n and q = 0..=m; row by row.
#[derive(Clone, Debug)]
pub(crate) struct Grid<T> {
    width: usize,
    values: Vec<T>,
}

impl<T: Copy> Grid<T> {
    /// Returns a grid that holds `value` everywhere.
    pub(crate) fn new(n: usize, m: usize, value: T) -> Grid<T> {
        Grid {
            width: m + 1,
            values: vec![value; (n + 1) * (m + 1)],
        }
    }

    /// Returns the values of (j, 0..=m); empty for a j outside the grid.
    pub(crate) fn row(&self, j: usize) -> &[T] {
        self.values.get(self.range(j)).unwrap_or_default()
    }

    pub(crate) fn row_mut(&mut self, j: usize) -> &mut [T] {
        let row = self.range(j);
        self.values.get_mut(row).unwrap_or_default()
    }

    fn range(&self, j: usize) -> Range<usize> {
        j * self.width..(j + 1) * self.width
    }
}

impl<T: Copy + Default> Grid<T> {
    /// Returns the value of (j, q); the type's default outside the grid.
    pub(crate) fn value_at(&self, j: usize, q: usize) -> T {
        self.row(j).get(q).copied().unwrap_or_default()
    }
}

/// A grid for each number of segments t, 1 to k - 1.
#[derive(Clone, Debug)]
pub(crate) struct Layers<T>(Vec<Grid<T>>);

impl<T: Copy + Default> Layers<T> {
    /// Returns k - 1 grids that hold `value` everywhere.
    pub(crate) fn new(k: usize, n: usize, m: usize, value: T) -> Layers<T> {
        Layers((1..k).map(|_| Grid::new(n, m, value)).collect())
    }

    /// Returns the value of (t, j, q); the type's default where there is no such t.
    pub(crate) fn value_at(&self, t: usize, j: usize, q: usize) -> T {
        self.row(t, j).get(q).copied().unwrap_or_default()
    }

    pub(crate) fn row(&self, t: usize, j: usize) -> &[T] {
        let grid = self.0.get(t.wrapping_sub(1));
        grid.map_or(&[], |grid| grid.row(j))
    }

    pub(crate) fn row_mut(&mut self, t: usize, j: usize) -> &mut [T] {
        self.0
            .get_mut(t.wrapping_sub(1))
            .map_or(&mut [], |grid| grid.row_mut(j))
    }

    /// Fills `states` with each of these t whose value at (j, q) `keep` accepts, and that value.
    pub(crate) fn collect_states(
        &self,
        layers: impl Iterator<Item = usize>,
        (j, q): (usize, usize),
        keep: impl Fn(T) -> bool,
        states: &mut Vec<(usize, T)>,
    ) {
        states.clear();
        states.extend(
            layers
                .map(|t| (t, self.value_at(t, j, q)))
                .filter(|(_, value)| keep(*value)),
        );
    }
}
