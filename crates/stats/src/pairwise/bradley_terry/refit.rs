//! Fits to resamples: the same maximum as Newton's method finds, faster, because it is nearly known.

use super::Part;
use crate::data::{Pairs, Sheet};
use crate::linear::{Cholesky, centred, largest};
use crate::{Estimate, Fit};

/// Steps (in log-odds) below this end the search; they shrink about tenfold each, so the error is smaller still.
const NEGLIGIBLE: f64 = 1e-9;
/// Steps below this are let pass even where rounding keeps them from shrinking.
const SMALL: f64 = 1e-8;
/// Steps after which the search is left to Newton's method.
const MAX_ITERATIONS: usize = 40;
/// The largest strength for which exp is used without care.
const LARGEST: f64 = 300.0;

/// The scored part of a data set, ready to be fitted again to resamples of it.
///
/// The information matrix is decomposed once, at the strengths of the data set; a fit steps by it from there
/// ("chord" or simplified Newton steps), and costs one pass over the pairs and two triangular solutions a step.
#[derive(Debug)]
pub(crate) struct Refit {
    /// The systems of the part, in ascending order, and their strengths.
    systems: Vec<usize>,
    start: Vec<f64>,
    /// Of the information at `start`; without a prior the last system is held at 0.
    factor: Cholesky,
    held: bool,
    ridge: f64,
    /// Pairs within the part: number in the sheet, and the two systems by their position in `systems`.
    pairs: Vec<[u32; 3]>,
    /// True where every system is in the part.
    pub(crate) everyone: bool,
}

impl Refit {
    /// From the data set, the strengths of it, and the weight of the prior or 0; None where fewer than two are finite.
    pub(crate) fn new(sheet: &Sheet, point: &[Estimate], ridge: f64) -> Option<Refit> {
        let systems: Vec<usize> = (0..point.len()).filter(|&i| point[i].finite().is_some()).collect();
        let start: Vec<f64> = point.iter().filter_map(|estimate| estimate.finite()).collect();
        let everyone = systems.len() == point.len();
        let pairs = inside(sheet.pairs, &systems);
        let careful = start.iter().any(|strength| strength.abs() > LARGEST);
        let factor = (systems.len() > 1 && !careful).then(|| information(sheet, &pairs, &start, ridge)).flatten()?;
        Some(Refit { systems, start, factor, held: ridge == 0.0, ridge, pairs, everyone })
    }

    /// The strengths of the part in a resample, on the origin of the data set; None where the resample breaks the part
    /// or the search takes too long: Newton's method is for those.
    pub(crate) fn part(&self, sheet: &Sheet) -> Option<Part> {
        if self.held && !self.is_whole(sheet) {
            return None;
        }
        let mut strengths = self.start.clone();
        let mut last = f64::INFINITY;
        for iterations in 1..=MAX_ITERATIONS {
            let (step, gradient) = self.step(sheet, &strengths);
            let step = centred(step);
            let size = largest(&step);
            if size.is_nan() || size >= last && size > SMALL {
                return None;
            }
            strengths.iter_mut().zip(&step).for_each(|(strength, step)| *strength += step);
            if size <= NEGLIGIBLE || size >= last {
                let fit = Some(Fit { iterations, gradient, converged: true });
                return Some(Part { systems: self.systems.clone(), strengths, fit });
            }
            last = size;
        }
        None
    }

    /// The step at `strengths` and the largest absolute derivative there.
    fn step(&self, sheet: &Sheet, strengths: &[f64]) -> (Vec<f64>, f64) {
        let odds: Vec<f64> = strengths.iter().map(|strength| strength.exp()).collect();
        let mut gradient = vec![0.0; strengths.len()];
        for &[pair, i, j] in &self.pairs {
            let [wins, ties, losses] = sheet.won[pair as usize];
            let (i, j) = (i as usize, j as usize);
            // Won less expected; not the difference of the two, which cancels where the chance is close to 1.
            let slope = ((wins + 0.5 * ties) * odds[j] - (losses + 0.5 * ties) * odds[i]) / (odds[i] + odds[j]);
            gradient[i] += slope;
            gradient[j] -= slope;
        }
        gradient.iter_mut().zip(strengths).for_each(|(slope, strength)| *slope -= self.ridge * strength);
        let (most, free) = (largest(&gradient), gradient.len() - usize::from(self.held));
        self.factor.solve(&mut gradient[..free]);
        gradient[free..].fill(0.0);
        (gradient, most)
    }

    /// Whether everyone in the part still won something, directly or through others, from everyone else.
    fn is_whole(&self, sheet: &Sheet) -> bool {
        let words = self.systems.len().div_ceil(64);
        let (mut beats, mut beaten) = (vec![0u64; self.systems.len() * words], vec![0u64; self.systems.len() * words]);
        let mut edge = |from: usize, to: usize| {
            beats[from * words + to / 64] |= 1 << (to % 64);
            beaten[to * words + from / 64] |= 1 << (from % 64);
        };
        for &[pair, i, j] in &self.pairs {
            let [wins, ties, losses] = sheet.won[pair as usize];
            if wins + ties > 0.0 {
                edge(i as usize, j as usize);
            }
            if losses + ties > 0.0 {
                edge(j as usize, i as usize);
            }
        }
        reaches_all(&beats, words, self.systems.len()) && reaches_all(&beaten, words, self.systems.len())
    }
}

/// Whether all of `count` nodes can be reached from the first; `edges` has `words` words of bits for each node.
fn reaches_all(edges: &[u64], words: usize, count: usize) -> bool {
    let (mut seen, mut waiting, mut reached) = (vec![0u64; words], vec![0usize], 1);
    seen[0] = 1;
    while let Some(node) = waiting.pop() {
        for word in 0..words {
            let mut new = edges[node * words + word] & !seen[word];
            seen[word] |= new;
            reached += new.count_ones() as usize;
            while new != 0 {
                waiting.push(64 * word + new.trailing_zeros() as usize);
                new &= new - 1;
            }
        }
    }
    reached == count
}

fn inside(pairs: &Pairs, systems: &[usize]) -> Vec<[u32; 3]> {
    let mut place = vec![None; pairs.systems];
    (0..).zip(systems).for_each(|(position, &system)| place[system] = Some(position));
    let local = |(number, &[a, b]): (u32, &[u16; 2])| Some([number, place[usize::from(a)]?, place[usize::from(b)]?]);
    (0..).zip(&pairs.list).filter_map(local).collect()
}

/// The decomposed information matrix, without the last system unless there is a prior.
fn information(sheet: &Sheet, pairs: &[[u32; 3]], strengths: &[f64], ridge: f64) -> Option<Cholesky> {
    let n = strengths.len() - usize::from(ridge == 0.0);
    let mut matrix = vec![0.0; n * n];
    (0..n).for_each(|i| matrix[i * n + i] = ridge);
    for &[pair, i, j] in pairs {
        let (i, j) = (i as usize, j as usize);
        let games: f64 = sheet.won[pair as usize].iter().sum();
        let odds = (strengths[i] - strengths[j]).exp();
        let weight = games * odds / ((1.0 + odds) * (1.0 + odds));
        // i < j, so i is never the one that is held.
        matrix[i * n + i] += weight;
        if j < n {
            matrix[j * n + j] += weight;
            matrix[j * n + i] -= weight;
        }
    }
    Cholesky::new(n, matrix)
}
