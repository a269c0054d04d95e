//! The test of an interaction of system and slice where what is not independent is in several
//! slices, such as a voter who votes on questions of all of them.

use super::permuted::{ROUNDING, SIGNS, pool, share_as_extreme};
use super::{Residual, SliceCell, SliceInteraction};
use crate::bootstrap::{keyed_generator, run_rounds};
use crate::checks::check_rows;
use crate::{Bootstrap, Error, Undefined};
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeSet;

/// Like [`slice_interaction`](super::slice_interaction), where clusters of items are independent
/// and items of one cluster are not, and are in several slices.
///
/// The statistic of a system in a slice is the mean of its residuals there less that of its others,
/// by a standard error that keeps clusters whole: what a voter adds to either mean is one number, so
/// that a preference which a voter has everywhere cancels (the sandwich of Liang and Zeger 1986).
/// In every round the residuals of whole clusters change their signs at random, and a p-value is
/// the share of rounds whose largest |t| over all systems and slices is as large: the wild cluster
/// bootstrap of a t that is computed anew (Cameron, Gelbach and Miller 2008), exact, but for the
/// mean that was taken off, where what a cluster shows is symmetrical about 0. No labels are
/// permuted: those of a cluster's items belong together.
///
/// `slices[item]` and `clusters[item]` are those of an item, each numbered from 0. A system is
/// tested in a slice where it has judgments of at least `least` clusters there, and of as many
/// outside it.
///
/// # Errors
/// Those of [`slice_interaction`](super::slice_interaction); a number of clusters that is not that
/// of the slices.
pub fn clustered_slice_interaction(
    residuals: &[Residual],
    slices: &[u32],
    clusters: &[u32],
    least: usize,
    plan: &Bootstrap,
) -> Result<SliceInteraction, Error> {
    check_rows(slices.len())?;
    let least = least.max(2);
    let systems = Clustered::systems(residuals, slices, clusters, least)?;
    if systems.iter().all(|system| !system.varies) {
        return Err(Undefined::NoVariance.into());
    }
    let count = clusters.iter().max().map_or(0, |last| *last as usize + 1);
    let own = vec![1.0; count];
    let parts = systems.iter().flat_map(|system| {
        let checks = system.parts.iter().map(|part| system.check(part));
        checks.collect::<Vec<_>>()
    });
    let tested = parts.filter(Result::is_ok).count();
    if tested == 0 {
        return Err(Undefined::TooFewSlices { least }.into());
    }
    let rounds = run_rounds(
        count,
        plan,
        || own.clone(),
        |signs, round| {
            let mut words = keyed_generator(plan.seed, SIGNS, round);
            for sign in signs.iter_mut() {
                *sign = if words.next_u32() & 1 == 0 { 1.0 } else { -1.0 };
            }
            let sizes = systems.iter().map(|system| system.largest(signs));
            sizes.fold(0.0, f64::max)
        },
    )?;
    let p_of = |t: f64| share_as_extreme(t, &rounds);
    let own = systems.iter().map(|system| system.largest(&own));
    Ok(SliceInteraction {
        p_value: p_of(own.fold(0.0, f64::max)),
        cells: (0..)
            .zip(&systems)
            .flat_map(|(number, system)| system.cells(number, p_of))
            .collect(),
        tested,
    })
}

/// What a cluster shows of a system in one slice, or in all.
#[derive(Clone, Copy, Default)]
struct Sum {
    cluster: usize,
    slice: usize,
    sum: f64,
    n: f64,
}

/// A slice of a system's judgments.
#[derive(Clone, Copy, Default)]
struct Part {
    n: f64,
    /// Clusters with a judgment there, and with one elsewhere.
    inside: usize,
    outside: usize,
}

/// How far a system's mean in a slice is from that of its other judgments.
#[derive(Clone, Copy)]
struct Lead {
    /// The mean in the slice.
    inside: f64,
    /// The variance of the difference.
    variance: f64,
    t: f64,
}

/// The residuals of one system, less its mean.
#[derive(Default)]
struct Clustered {
    /// By cluster and slice.
    sums: Vec<Sum>,
    /// By cluster.
    totals: Vec<Sum>,
    /// The position among the totals of each sum's cluster.
    total_of: Vec<usize>,
    parts: Vec<Part>,
    n: f64,
    squares: f64,
    least: usize,
    /// Whether the residuals are more than rounding.
    varies: bool,
}

impl Clustered {
    /// Lays out the residuals of each system.
    fn systems(
        residuals: &[Residual],
        slices: &[u32],
        clusters: &[u32],
        least: usize,
    ) -> Result<Vec<Clustered>, Error> {
        let last = residuals.iter().map(|row| row.item as usize + 1).max();
        let lengths = [last.unwrap_or(0).max(slices.len()), clusters.len()];
        if lengths[0] != slices.len() || lengths[1] != slices.len() {
            return Err(Error::Lengths {
                first: lengths[0].max(lengths[1]),
                second: slices.len(),
            });
        }
        let slice_count = slices.iter().max().map_or(0, |last| *last as usize + 1);
        let systems = residuals.iter().map(|row| usize::from(row.system) + 1);
        let mut found: Vec<Clustered> = Vec::new();
        found.resize_with(systems.max().unwrap_or(0), Clustered::default);
        let mut order: Vec<&Residual> = residuals.iter().collect();
        let place = |row: &Residual| (clusters[row.item as usize], slices[row.item as usize]);
        order.sort_by_key(|row| place(row));
        for row in order {
            let (cluster, slice) = place(row);
            let own = &mut found[usize::from(row.system)];
            own.n += row.n;
            let added = Sum {
                cluster: cluster as usize,
                slice: slice as usize,
                sum: row.sum,
                n: row.n,
            };
            match own.sums.last_mut() {
                Some(sum) if (sum.cluster, sum.slice) == (added.cluster, added.slice) => {
                    sum.sum += added.sum;
                    sum.n += added.n;
                }
                _ => own.sums.push(added),
            }
        }
        let mut largest = 0.0_f64;
        for own in &mut found {
            let all: f64 = own.sums.iter().map(|sum| sum.sum * sum.sum).sum();
            largest = largest.max(all);
            own.centre(slice_count);
            own.least = least;
        }
        for own in &mut found {
            // What is left of equal residuals is the rounding of the largest of them.
            own.varies = own.squares > ROUNDING * largest;
        }
        Ok(found)
    }

    /// Takes the mean off, and adds up what each cluster and each slice has.
    fn centre(&mut self, slices: usize) {
        let mean = self.sums.iter().map(|sum| sum.sum).sum::<f64>() / self.n;
        self.parts = vec![Part::default(); slices];
        let mut elsewhere: Vec<BTreeSet<usize>> = Vec::new();
        for sum in &mut self.sums {
            sum.sum -= mean * sum.n;
            self.squares += sum.sum * sum.sum;
            let part = &mut self.parts[sum.slice];
            part.n += sum.n;
            part.inside += 1;
            if self
                .totals
                .last()
                .is_none_or(|last| last.cluster != sum.cluster)
            {
                self.totals.push(Sum {
                    cluster: sum.cluster,
                    ..Sum::default()
                });
                elsewhere.push(BTreeSet::new());
            }
            let at = self.totals.len() - 1;
            self.totals[at].sum += sum.sum;
            self.totals[at].n += sum.n;
            self.total_of.push(at);
            elsewhere[at].insert(sum.slice);
        }
        // A cluster is outside a slice unless all that it has is in it.
        let clusters = elsewhere.len();
        for (slice, part) in self.parts.iter_mut().enumerate() {
            let within = elsewhere
                .iter()
                .filter(|has| has.len() == 1 && has.contains(&slice));
            part.outside = clusters - within.count();
        }
    }

    /// Says whether there is enough of a slice, and outside it, to be tested.
    fn check(&self, part: &Part) -> Result<(), Undefined> {
        if part.inside < self.least || part.outside < self.least {
            return Err(Undefined::SmallSlice {
                items: part.inside,
                outside: part.outside,
                least: self.least,
            });
        }
        match self.varies {
            true => Ok(()),
            false => Err(Undefined::NoVariance),
        }
    }

    /// Returns the largest |t| of the slices that are tested, under these signs of clusters.
    fn largest(&self, signs: &[f64]) -> f64 {
        let leads = self.leads(signs).into_iter().zip(&self.parts);
        let tested = leads.filter(|(_, part)| self.check(part).is_ok());
        tested.map(|(lead, _)| lead.t.abs()).fold(0.0, f64::max)
    }

    /// Returns what is found of each slice in which the system, which has this number, is judged.
    fn cells(&self, number: u16, p_of: impl Fn(f64) -> f64) -> Vec<SliceCell> {
        let clusters = self.totals.iter().map(|total| total.cluster + 1).max();
        let leads = self.leads(&vec![1.0; clusters.unwrap_or(0)]);
        let mut cells = Vec::new();
        for ((slice, part), lead) in (0..).zip(&self.parts).zip(leads) {
            if part.n <= 0.0 {
                continue;
            }
            // A deviation from all items is this share of that from the other ones.
            let others = (self.n - part.n) / self.n;
            let is_known = part.inside > 1 && part.outside > 1;
            let variance = match is_known {
                true => others * others * lead.variance,
                false => 0.0,
            };
            let cell = SliceCell {
                system: number,
                slice,
                items: part.inside,
                n: part.n,
                deviation: lead.inside,
                standard_error: (variance > 0.0).then(|| variance.sqrt()),
                pooled: 0.0,
                p_value: self.check(part).map(|()| p_of(lead.t.abs())),
            };
            cells.push((cell, variance));
        }
        pool(&mut cells);
        cells.into_iter().map(|(cell, _)| cell).collect()
    }

    /// Returns the lead of each slice where the residuals of each cluster have these signs.
    fn leads(&self, signs: &[f64]) -> Vec<Lead> {
        let mut in_slices = vec![0.0; self.parts.len()];
        for sum in &self.sums {
            in_slices[sum.slice] += signs[sum.cluster] * sum.sum;
        }
        let (mut all, mut sums, mut products, mut counts) = (0.0, 0.0, 0.0, 0.0);
        for total in &self.totals {
            let sum = signs[total.cluster] * total.sum;
            all += sum;
            sums += sum * sum;
            products += sum * total.n;
            counts += total.n * total.n;
        }
        // The squares of what each cluster adds to the difference: as if it were outside each slice
        // alone, and then what it has inside.
        let means: Vec<[f64; 2]> = (self.parts.iter().zip(&in_slices))
            .map(|(part, inside)| [inside / part.n, (all - inside) / (self.n - part.n)])
            .collect();
        let mut squares: Vec<f64> = (self.parts.iter().zip(&means))
            .map(|(part, [_, outside])| {
                let share = (self.n - part.n).recip();
                let around = sums - outside * (2.0 * products - outside * counts);
                share * share * around
            })
            .collect();
        for (sum, at) in self.sums.iter().zip(&self.total_of) {
            let (part, [inside, outside]) = (&self.parts[sum.slice], means[sum.slice]);
            let (within, beyond) = (part.n.recip(), (self.n - part.n).recip());
            let (sign, total) = (signs[sum.cluster], &self.totals[*at]);
            let own = sign * sum.sum;
            let moved = within * (own - inside * sum.n) + beyond * (own - outside * sum.n);
            let whole = beyond * (sign * total.sum - outside * total.n);
            squares[sum.slice] += moved * (moved - 2.0 * whole);
        }
        let clusters = self.totals.len() as f64;
        let scale = clusters / (clusters - 1.0).max(1.0);
        (self.parts.iter().zip(means).zip(squares))
            .map(|((part, [inside, outside]), squares)| {
                let rest = (self.n - part.n).max(0.0);
                // The largest difference, and variance, that are none but for rounding.
                let none = (ROUNDING * self.squares).sqrt() / part.n.min(rest);
                let variance = scale * squares;
                let variance = if variance <= none * none {
                    0.0
                } else {
                    variance
                };
                let difference = inside - outside;
                let t = match difference.abs() <= none {
                    true => 0.0,
                    false => difference / variance.sqrt(),
                };
                Lead {
                    inside,
                    variance,
                    t,
                }
            })
            .collect()
    }
}
