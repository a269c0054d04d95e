//! The test of an interaction of system and slice.

use super::Residual;
use crate::bootstrap::{keyed_generator, run_rounds, shuffle};
use crate::checks::check_rows;
use crate::{Bootstrap, Error, Undefined};
use rand_chacha::rand_core::RngCore;

/// One system in one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SliceCell {
    /// The system.
    pub system: u16,
    /// The slice.
    pub slice: u32,
    /// Items of the slice on which the system has a judgment; at least 1.
    pub items: usize,
    /// How many judgments it rests on, by their weights; above 0.
    pub n: f64,
    /// Mean over those of what was observed less what was expected: how much better the system is
    /// in this slice than over all items.
    pub deviation: f64,
    /// Its own standard error, from how the system's items vary in the slice and outside it, each
    /// by themselves, but where items have unlike numbers of judgments no less than if all varied
    /// alike; None where either has one item, or nothing varies in both.
    pub standard_error: Option<f64>,
    /// The deviation shrunk towards 0, by as much as chance alone explains of the system's
    /// deviations (James and Stein 1961, by the method of moments).
    pub pooled: f64,
    /// Two-sided p-value, adjusted for all systems and slices; or why it was not tested
    /// ([`Undefined::SmallSlice`], or [`Undefined::NoVariance`] of a system that is the same on all
    /// items).
    pub p_value: Result<f64, Undefined>,
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

/// Tests whether what items show beyond the scores depends on their slices.
///
/// The statistic of a system in a slice is Welch's t: the mean of its residuals there less that of
/// its other items, by a standard error to which each of the two contributes its own variance. It
/// is computed anew in every round, and a p-value is the share of rounds whose largest |t| over all
/// systems and slices is as large (Westfall and Young 1993, single-step max-t; Phipson and Smyth
/// 2010 for the added ones). There are two kinds of rounds, and the larger p-value counts:
///
/// - The labels of whole items are permuted: exact where any item might as well have been in
///   another slice, and right for many items where slices differ in variance (Janssen 1997; Chung
///   and Romano 2013).
/// - The residuals of whole items change their signs at random: exact, but for the mean that was
///   taken off, where they are symmetrical about 0, whatever their variances (Fisher 1935; Wu 1986
///   and Liu 1988 as the wild bootstrap).
///
/// The first alone errs in up to 15 % where slices of 10 items are four times as noisy as the rest;
/// the second alone where few items are unlike the others. Where a small slice is both noisier and
/// skewed neither holds.
///
/// Where the items of a system have unlike numbers of judgments, whole items of one slice might not
/// as well have been in another: ten questions of one pair are all right where ten of six pairs are
/// not. There neither part's variance counts for less than it would be if all items varied alike,
/// either each judgment by itself or each item as one.
///
/// `slices[item]` is the slice of an item, numbered from 0. What belongs together and is not
/// independent, such as the turns of a conversation, is one item. A system is tested in a slice
/// where it has at least `least` items there and as many outside it, in every round alike; others
/// are permuted with the rest and not tested.
///
/// # Errors
/// A residual whose item has no slice; a plan that cannot be run; no system with `least` items in
/// a slice and outside it ([`Undefined::TooFewSlices`]); residuals that do not vary
/// ([`Undefined::NoVariance`]).
pub fn slice_interaction(
    residuals: &[Residual],
    slices: &[u32],
    least: usize,
    plan: &Bootstrap,
) -> Result<SliceInteraction, Error> {
    check_rows(slices.len())?;
    // A variance needs two items.
    let table = Table::new(residuals, slices, least.max(2))?;
    let signs = vec![1.0; slices.len()];
    let found = table.moments(slices, &signs);
    let own: Vec<Result<f64, Undefined>> = (0..found.len()).map(|at| table.t(&found, at)).collect();
    let tested = own.iter().filter(|t| t.is_ok()).count();
    if table.squares.iter().all(|squares| *squares == 0.0) {
        return Err(Undefined::NoVariance.into());
    }
    if tested == 0 {
        return Err(Undefined::TooFewSlices { least }.into());
    }
    let largest = |moments: &[[Moments; 2]]| {
        let sizes = (0..moments.len()).filter_map(|at| table.t(moments, at).ok());
        sizes.map(f64::abs).fold(0.0, f64::max)
    };
    let rounds = run_rounds(
        slices.len(),
        plan,
        || (slices.to_vec(), signs.clone()),
        |(drawn, turned), round| {
            drawn.copy_from_slice(slices);
            shuffle(drawn, &mut keyed_generator(plan.seed, LABELS, round));
            let mut words = keyed_generator(plan.seed, SIGNS, round);
            for sign in turned.iter_mut() {
                *sign = if words.next_u32() & 1 == 0 { 1.0 } else { -1.0 };
            }
            [
                largest(&table.moments(drawn, &signs)),
                largest(&table.moments(slices, turned)),
            ]
        },
    )?;
    let of_kind = |kind: usize| -> Vec<f64> { rounds.iter().map(|drawn| drawn[kind]).collect() };
    let kinds = [of_kind(0), of_kind(1)];
    let p_of = |t: f64| share_as_extreme(t, &kinds[0]).max(share_as_extreme(t, &kinds[1]));
    Ok(SliceInteraction {
        p_value: p_of(largest(&found)),
        cells: table.cells(&found, |at| own[at].map(|t| p_of(t.abs()))),
        tested,
    })
}

/// Returns the p-value of a statistic: the share of rounds, this one among them, in which it is as
/// large.
pub(super) fn share_as_extreme(t: f64, rounds: &[f64]) -> f64 {
    // Sums in another order round differently: a hair less is as extreme.
    let limit = if t.is_finite() {
        t - 1e-9 * t.max(1.0)
    } else {
        t
    };
    let extreme = rounds.iter().filter(|drawn| **drawn >= limit).count();
    (1 + extreme) as f64 / (1 + rounds.len()) as f64
}

/// The key of the random labels, beside those of resamples and orders; then that of the signs.
const LABELS: u8 = 0x73;
pub(super) const SIGNS: u8 = 0x74;

/// Below this share of all a system's squares, a sum of squares is 0 but for rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// What the items of one system add up to, in a slice or in all.
#[derive(Clone, Copy, Default)]
struct Moments {
    items: f64,
    n: f64,
    sum: f64,
    squares: f64,
    /// Of sums times numbers of judgments.
    products: f64,
    /// Of the numbers of judgments.
    n_squares: f64,
}

impl Moments {
    fn add(&mut self, row: &Residual, sign: f64) {
        self.items += 1.0;
        self.n += row.n;
        self.sum += sign * row.sum;
        self.squares += row.sum * row.sum;
        self.products += sign * row.sum * row.n;
        self.n_squares += row.n * row.n;
    }

    /// Those of all items but some of them.
    fn without(&self, some: &Moments) -> Moments {
        Moments {
            items: self.items - some.items,
            n: self.n - some.n,
            sum: self.sum - some.sum,
            squares: self.squares - some.squares,
            products: self.products - some.products,
            n_squares: self.n_squares - some.n_squares,
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.n
    }

    /// The variance of the mean over independent items that have unlike numbers of judgments: that
    /// of a ratio, linearised. At least 2 items.
    fn variance(&self, rounding: f64) -> f64 {
        let mean = self.mean();
        let around = self.squares - mean * (2.0 * self.products - mean * self.n_squares);
        if around <= rounding {
            return 0.0;
        }
        self.items / (self.items - 1.0) * around / (self.n * self.n)
    }
}

/// The residuals, less the mean of their system.
struct Table {
    rows: Vec<Residual>,
    /// How many there are.
    slices: usize,
    systems: usize,
    least: f64,
    /// The sum of squares of each system's residuals; 0 where that is rounding.
    squares: Vec<f64>,
    /// How the items of each system vary.
    spreads: Vec<Spread>,
}

/// How the items of a system vary, taken together.
#[derive(Clone, Copy, Default)]
struct Spread {
    /// Whether they have unlike numbers of judgments.
    is_uneven: bool,
    /// The variance of a judgment, if each varies by itself.
    of_judgment: f64,
    /// The variance of an item's mean, if its judgments vary as one.
    of_item: f64,
}

impl Spread {
    /// The variance of the mean over some items that vary as all do, by the larger of the two.
    fn variance(&self, items: &Moments) -> f64 {
        let apart = self.of_judgment / items.n;
        apart.max(self.of_item * items.n_squares / (items.n * items.n))
    }
}

impl Table {
    fn new(residuals: &[Residual], slices: &[u32], least: usize) -> Result<Table, Error> {
        let systems = residuals.iter().map(|row| usize::from(row.system) + 1);
        let mut table = Table {
            rows: residuals.to_vec(),
            slices: slices.iter().max().map_or(0, |last| *last as usize + 1),
            systems: systems.max().unwrap_or(0),
            least: least as f64,
            squares: Vec::new(),
            spreads: Vec::new(),
        };
        let mut all = vec![Moments::default(); table.systems];
        for row in residuals {
            if row.item as usize >= slices.len() {
                return Err(Error::Lengths {
                    first: row.item as usize + 1,
                    second: slices.len(),
                });
            }
            all[usize::from(row.system)].add(row, 1.0);
        }
        for row in &mut table.rows {
            row.sum -= row.n * all[usize::from(row.system)].mean();
        }
        // What is left of equal residuals is the rounding of the largest of them.
        let largest = all.iter().map(|own| own.squares).fold(0.0, f64::max);
        table.squares = vec![0.0; table.systems];
        for row in &table.rows {
            table.squares[usize::from(row.system)] += row.sum * row.sum;
        }
        for squares in &mut table.squares {
            if *squares <= ROUNDING * largest {
                *squares = 0.0;
            }
        }
        table.spreads = table.spreads(&all);
        Ok(table)
    }

    /// How the items of each system vary, which add up to `all`.
    fn spreads(&self, all: &[Moments]) -> Vec<Spread> {
        let mut spreads = vec![Spread::default(); self.systems];
        for row in &self.rows {
            let system = usize::from(row.system);
            let (spread, all) = (&mut spreads[system], &all[system]);
            spread.is_uneven |= (row.n * all.items - all.n).abs() > 1e-9 * all.n;
            spread.of_item += (row.sum / row.n).powi(2) / (all.items - 1.0).max(1.0);
            let freedom = all.n * (all.items - 1.0).max(1.0) / all.items;
            spread.of_judgment += row.sum * row.sum / freedom;
        }
        spreads
    }

    /// The variance of a system's mean over some of its items; at least 2 items.
    fn variance(&self, system: usize, items: &Moments) -> f64 {
        let own = items.variance(ROUNDING * self.squares[system]);
        let spread = &self.spreads[system];
        match spread.is_uneven {
            true => own.max(spread.variance(items)),
            false => own,
        }
    }

    /// What the items of each system in each slice, and in all others, add up to, under these
    /// labels and signs of items; in order of system and slice.
    fn moments(&self, slices: &[u32], signs: &[f64]) -> Vec<[Moments; 2]> {
        let mut inside = vec![Moments::default(); self.systems * self.slices];
        let mut all = vec![Moments::default(); self.systems];
        for row in &self.rows {
            let (item, system) = (row.item as usize, usize::from(row.system));
            inside[system * self.slices + slices[item] as usize].add(row, signs[item]);
            all[system].add(row, signs[item]);
        }
        let outside = |at: usize| all[at / self.slices].without(&inside[at]);
        (0..inside.len())
            .map(|at| [inside[at], outside(at)])
            .collect()
    }

    /// Welch's t; infinite where the two parts differ and neither varies.
    fn t(&self, moments: &[[Moments; 2]], at: usize) -> Result<f64, Undefined> {
        let parts = moments[at];
        if parts.iter().any(|part| part.items < self.least) {
            let [items, outside] = parts.map(|part| part.items as usize);
            let least = self.least as usize;
            return Err(Undefined::SmallSlice {
                items,
                outside,
                least,
            });
        }
        let system = at / self.slices;
        let rounding = ROUNDING * self.squares[system];
        if rounding == 0.0 {
            return Err(Undefined::NoVariance);
        }
        let [inside, outside] = parts;
        let difference = inside.mean() - outside.mean();
        let variance = self.variance(system, &inside) + self.variance(system, &outside);
        // The largest difference that is none but for rounding.
        let none = (rounding * (inside.items + outside.items)).sqrt() / (inside.n + outside.n);
        Ok(match difference.abs() <= none {
            true => 0.0,
            false => difference / variance.sqrt(),
        })
    }

    fn cells(
        &self,
        moments: &[[Moments; 2]],
        p_value: impl Fn(usize) -> Result<f64, Undefined>,
    ) -> Vec<SliceCell> {
        let mut cells = Vec::new();
        for (system, of_slices) in moments.chunks(self.slices.max(1)).enumerate() {
            let mut own: Vec<(SliceCell, f64)> = Vec::new();
            for (slice, [inside, outside]) in of_slices.iter().enumerate() {
                if inside.n <= 0.0 {
                    continue;
                }
                let n = inside.n + outside.n;
                // A deviation from all items is this share of that from the other ones.
                let others = outside.n / n;
                let is_known = inside.items > 1.0 && outside.items > 1.0;
                let variance = is_known.then(|| {
                    let [own, other] = [inside, outside].map(|part| self.variance(system, part));
                    others * others * (own + other)
                });
                // The variance where all items vary alike: that of a few may be far too small.
                let alike = others * self.spreads[system].variance(inside);
                let cell = SliceCell {
                    system: system as u16,
                    slice: slice as u32,
                    items: inside.items as usize,
                    n: inside.n,
                    deviation: inside.mean(),
                    standard_error: variance.filter(|v| *v > 0.0).map(f64::sqrt),
                    pooled: 0.0,
                    p_value: p_value(system * self.slices + slice),
                };
                own.push((cell, variance.unwrap_or(0.0).max(alike)));
            }
            pool(&mut own);
            cells.extend(own.into_iter().map(|(cell, _)| cell));
        }
        cells
    }
}

/// Shrinks the deviations of one system by what chance explains of them; beside each is its
/// variance by chance.
pub(super) fn pool(cells: &mut [(SliceCell, f64)]) {
    // Slices count by what they say.
    let excess = |(cell, within): &(SliceCell, f64)| cell.n * (cell.deviation.powi(2) - within);
    let weight: f64 = cells.iter().map(|(cell, _)| cell.n).sum();
    let between = (cells.iter().map(excess).sum::<f64>() / weight).max(0.0);
    for (cell, within) in cells {
        if between > 0.0 {
            cell.pooled = cell.deviation * between / (between + *within);
        }
    }
}
