//! The permutation test of an interaction of system and slice.

use super::Residual;
use crate::bootstrap::{keyed_generator, run_rounds, shuffle};
use crate::checks::check_rows;
use crate::{Bootstrap, Error, Undefined};

/// One system in one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SliceCell {
    /// The system.
    pub system: u16,
    /// The slice.
    pub slice: u32,
    /// How many judgments it rests on, by their weights; above 0.
    pub n: f64,
    /// Mean over those of what was observed less what was expected: how much better the system is
    /// in this slice than over all items.
    pub deviation: f64,
    /// Its standard error, if slices do not matter; None where nothing varies.
    pub standard_error: Option<f64>,
    /// The deviation shrunk towards 0, by as much as chance alone explains of the system's
    /// deviations (James and Stein 1961, by the method of moments).
    pub pooled: f64,
    /// Two-sided p-value, adjusted for all systems and slices; None where the slice is too small,
    /// or nothing varies.
    pub p_value: Option<f64>,
}

/// What [`slice_interaction`] finds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SliceInteraction {
    /// Every system in every slice in which it has a judgment, in order of system and slice.
    pub cells: Vec<SliceCell>,
    /// The smallest adjusted p-value: that of "no slice matters to any system".
    pub p_value: f64,
    /// How many systems and slices were tested together.
    pub tested: usize,
}

/// Tests whether what items show beyond the scores depends on their slices: if slices do not
/// matter, any item might as well have been in another one. The labels of whole items are permuted,
/// and a p-value is the share of permutations whose largest |z| over all systems and slices is as
/// large (Westfall and Young 1993, single-step max-t; Phipson and Smyth 2010 for the added ones). z
/// is the sum of a system's residuals in a slice by its exact mean and variance over permutations.
///
/// `slices[item]` is the slice of an item, numbered from 0. Slices of fewer than `least` items are
/// permuted with the rest and not tested themselves.
///
/// # Errors
/// A residual whose item has no slice; a plan that cannot be run; fewer than two slices, or none of
/// `least` items ([`Undefined::TooFewSlices`]); residuals that do not vary
/// ([`Undefined::NoVariance`]).
pub fn slice_interaction(
    residuals: &[Residual],
    slices: &[u32],
    least: usize,
    plan: &Bootstrap,
) -> Result<SliceInteraction, Error> {
    check_rows(slices.len())?;
    let table = Table::new(residuals, slices)?;
    let found = table.sums(slices);
    let tested: Vec<usize> = (0..found.len())
        .filter(|at| table.is_tested(*at, least))
        .collect();
    table.check_slices(least)?;
    if tested.is_empty() {
        return Err(Undefined::NoVariance.into());
    }
    let largest = |sums: &[f64]| {
        let sizes = tested.iter().map(|at| table.z(*at, sums[*at]).abs());
        sizes.fold(0.0, f64::max)
    };
    let permuted = run_rounds(
        slices.len(),
        plan,
        || slices.to_vec(),
        |drawn, round| {
            drawn.copy_from_slice(slices);
            shuffle(drawn, &mut keyed_generator(plan.seed, LABELS, round));
            largest(&table.sums(drawn))
        },
    )?;
    let p_value = |at: usize| p_of(table.z(at, found[at]).abs(), &permuted);
    Ok(SliceInteraction {
        cells: table.cells(&found, |at| tested.contains(&at).then(|| p_value(at))),
        p_value: p_of(largest(&found), &permuted),
        tested: tested.len(),
    })
}

/// The key of the random labels, beside those of resamples and orders.
const LABELS: u8 = 0x73;

/// Below this share of the largest sum of squares, a variance is 0 but for rounding.
const ROUNDING: f64 = 1e-12;

fn p_of(z: f64, permuted: &[f64]) -> f64 {
    // Sums in another order round differently: a hair less is as extreme.
    let limit = z - 1e-9 * z.max(1.0);
    let extreme = permuted.iter().filter(|drawn| **drawn >= limit).count();
    (1 + extreme) as f64 / (1 + permuted.len()) as f64
}

/// The residuals, and what is known of their sums before any label is drawn.
struct Table<'a> {
    residuals: &'a [Residual],
    slices: usize,
    items: f64,
    /// Items of each slice.
    sizes: Vec<f64>,
    /// Judgments of each system in each slice.
    n: Vec<f64>,
    /// Mean and variance over items of each system's residuals.
    moments: Vec<[f64; 2]>,
}

impl<'a> Table<'a> {
    fn new(residuals: &'a [Residual], slices: &[u32]) -> Result<Table<'a>, Error> {
        let systems = residuals.iter().map(|row| usize::from(row.system) + 1);
        let count = slices.iter().max().map_or(0, |last| *last as usize + 1);
        let mut table = Table {
            residuals,
            slices: count,
            items: slices.len() as f64,
            sizes: vec![0.0; count],
            n: vec![0.0; count * systems.max().unwrap_or(0)],
            moments: Vec::new(),
        };
        slices
            .iter()
            .for_each(|slice| table.sizes[*slice as usize] += 1.0);
        for row in residuals {
            let slice = slices.get(row.item as usize).ok_or(Error::Lengths {
                first: row.item as usize + 1,
                second: slices.len(),
            })?;
            let at = table.place(row.system, *slice);
            table.n[at] += row.n;
        }
        table.moments = table.measure_moments();
        Ok(table)
    }

    fn place(&self, system: u16, slice: u32) -> usize {
        usize::from(system) * self.slices + slice as usize
    }

    fn measure_moments(&self) -> Vec<[f64; 2]> {
        let mut sums = vec![[0.0; 2]; self.n.len() / self.slices.max(1)];
        for row in self.residuals {
            let [sum, squares] = &mut sums[usize::from(row.system)];
            *sum += row.sum;
            *squares += row.sum * row.sum;
        }
        let largest = sums.iter().map(|[_, squares]| *squares).fold(0.0, f64::max);
        let moments = sums.iter().map(|[sum, squares]| {
            let mean = sum / self.items;
            let spread = squares - self.items * mean * mean;
            let spread = if spread > ROUNDING * largest {
                spread
            } else {
                0.0
            };
            [mean, spread / (self.items - 1.0).max(1.0)]
        });
        moments.collect()
    }

    /// The sum of each system's residuals in each slice, under these labels.
    fn sums(&self, slices: &[u32]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n.len()];
        for row in self.residuals {
            sums[self.place(row.system, slices[row.item as usize])] += row.sum;
        }
        sums
    }

    /// Variance of a sum over permutations: that of a sample without replacement.
    fn variance(&self, at: usize) -> f64 {
        let size = self.sizes[at % self.slices];
        size * (1.0 - size / self.items) * self.moments[at / self.slices][1]
    }

    fn z(&self, at: usize, sum: f64) -> f64 {
        let mean = self.moments[at / self.slices][0] * self.sizes[at % self.slices];
        (sum - mean) / self.variance(at).sqrt()
    }

    fn is_tested(&self, at: usize, least: usize) -> bool {
        let size = self.sizes[at % self.slices];
        self.n[at] > 0.0 && size >= least as f64 && self.variance(at) > 0.0
    }

    fn check_slices(&self, least: usize) -> Result<(), Undefined> {
        let filled = self.sizes.iter().filter(|size| **size > 0.0).count();
        let large = self.sizes.iter().any(|size| *size >= least as f64);
        if filled < 2 || !large {
            return Err(Undefined::TooFewSlices { least });
        }
        Ok(())
    }

    fn cells(&self, sums: &[f64], p_value: impl Fn(usize) -> Option<f64>) -> Vec<SliceCell> {
        let mut cells = Vec::new();
        for first in (0..self.n.len()).step_by(self.slices.max(1)) {
            let places = (first..first + self.slices).filter(|at| self.n[*at] > 0.0);
            let mut own: Vec<SliceCell> = places
                .map(|at| self.cell(at, sums[at], p_value(at)))
                .collect();
            pool(&mut own);
            cells.extend(own);
        }
        cells
    }

    fn cell(&self, at: usize, sum: f64, p_value: Option<f64>) -> SliceCell {
        let variance = self.variance(at);
        SliceCell {
            system: (at / self.slices) as u16,
            slice: (at % self.slices) as u32,
            n: self.n[at],
            deviation: sum / self.n[at],
            standard_error: (variance > 0.0).then(|| variance.sqrt() / self.n[at]),
            pooled: 0.0,
            p_value,
        }
    }
}

/// Shrinks the deviations of one system by what chance explains of them.
fn pool(cells: &mut [SliceCell]) {
    let known = cells.iter().filter_map(|cell| {
        let error = cell.standard_error?;
        // Slices count by what they say.
        Some((cell.n, cell.deviation * cell.deviation - error * error))
    });
    let [weight, sum] = known.fold([0.0; 2], |[w, s], (n, excess)| [w + n, s + n * excess]);
    let between = if weight > 0.0 {
        (sum / weight).max(0.0)
    } else {
        0.0
    };
    for cell in cells {
        let within = cell.standard_error.map_or(0.0, |error| error * error);
        if between > 0.0 {
            cell.pooled = cell.deviation * between / (between + within);
        }
    }
}
