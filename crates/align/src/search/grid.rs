//! A value for every pair of places in two answers.

/// Values of (j, q), j = 0..=n and q = 0..=m; row by row.
#[derive(Clone, Debug)]
pub(crate) struct Grid<T> {
    width: usize,
    values: Vec<T>,
}

impl<T: Copy> Grid<T> {
    pub(crate) fn new(n: usize, m: usize, value: T) -> Grid<T> {
        Grid {
            width: m + 1,
            values: vec![value; (n + 1) * (m + 1)],
        }
    }

    /// The values of (j, 0..=m). Empty for a j that is not there.
    pub(crate) fn row(&self, j: usize) -> &[T] {
        self.values
            .get(j * self.width..(j + 1) * self.width)
            .unwrap_or_default()
    }

    pub(crate) fn row_mut(&mut self, j: usize) -> &mut [T] {
        self.values
            .get_mut(j * self.width..(j + 1) * self.width)
            .unwrap_or_default()
    }
}

/// A grid for each number of segments t, 1 to k - 1.
#[derive(Clone, Debug)]
pub(crate) struct Layers<T>(Vec<Grid<T>>);

impl<T: Copy + Default> Layers<T> {
    pub(crate) fn new(k: usize, n: usize, m: usize, value: T) -> Layers<T> {
        Layers((1..k).map(|_| Grid::new(n, m, value)).collect())
    }

    /// The value of (t, j, q); the type's default for a t that is not there.
    pub(crate) fn at(&self, t: usize, j: usize, q: usize) -> T {
        self.row(t, j).get(q).copied().unwrap_or_default()
    }

    pub(crate) fn row(&self, t: usize, j: usize) -> &[T] {
        self.0
            .get(t.wrapping_sub(1))
            .map_or(&[], |grid| grid.row(j))
    }

    pub(crate) fn row_mut(&mut self, t: usize, j: usize) -> &mut [T] {
        self.0
            .get_mut(t.wrapping_sub(1))
            .map_or(&mut [], |grid| grid.row_mut(j))
    }
}
