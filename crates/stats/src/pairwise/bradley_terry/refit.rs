//! Fits to resamples: the same maximum as Newton's method finds, faster, because it is nearly
//! known.

use super::Part;
use crate::data::Sheet;
use crate::estimate::finite_scores;
use crate::index::{finite_systems, places_of};
use crate::linear::{Cholesky, centred, diagonal, largest};
use crate::{Estimate, Fit};

/// Steps (in log-odds) below this end the search; they shrink about tenfold each, so the error is
/// smaller still.
const NEGLIGIBLE: f64 = 1e-9;
/// Steps below this are let pass even where rounding keeps them from shrinking.
const SMALL: f64 = 1e-8;
/// Steps after which the search is left to Newton's method.
const MAX_ITERATIONS: usize = 40;
/// The largest strength for which exp is used without care.
const LARGEST: f64 = 300.0;

/// Information below this share of the most that any system has is too little to be stepped in: see
/// [`Refit::is_firm`].
const FIRM: f64 = 1e-6;

/// The scored part of a data set, ready to be fitted again to resamples of it.
///
/// The information matrix is decomposed once, at the strengths of the data set; a fit steps by it
/// from there ("chord" or simplified Newton steps), and costs one pass over the pairs and two
/// triangular solutions a step.
#[derive(Debug)]
pub(crate) struct Refit {
    /// The systems of the part, in ascending order, and their strengths.
    systems: Vec<usize>,
    start: Vec<f64>,
    /// Of the information at `start`; without a prior the last system is held at 0.
    factor: Cholesky,
    held: bool,
    ridge: f64,
    /// The information that a pair must have in a resample to hold the part together.
    firm: f64,
    pairs: Vec<LocalPair>,
    /// True where every system is in the part.
    pub(crate) everyone: bool,
}

/// A pair within the part: its position in the sheet, and the two systems by their position in the
/// part, the lower first.
#[derive(Clone, Copy, Debug)]
struct LocalPair {
    pair: u32,
    i: u32,
    j: u32,
}

impl LocalPair {
    #[inline]
    fn ends(self) -> (usize, usize) {
        (self.i as usize, self.j as usize)
    }

    #[inline]
    fn outcome(self, sheet: &Sheet) -> [f64; 3] {
        sheet.won[self.pair as usize]
    }

    /// The weight of the pair's comparisons.
    #[inline]
    fn games(self, sheet: &Sheet) -> f64 {
        self.outcome(sheet).iter().sum()
    }

    /// The information of the pair on the difference of its systems.
    fn information(self, sheet: &Sheet, strengths: &[f64]) -> f64 {
        let lead = strengths[self.i as usize] - strengths[self.j as usize];
        let odds = (-lead.abs()).exp();
        self.games(sheet) * odds / ((1.0 + odds) * (1.0 + odds))
    }
}

impl Refit {
    /// From the data set, the strengths of it, and the weight of the prior or 0; None where fewer
    /// than two are finite.
    pub(crate) fn new(sheet: &Sheet, point: &[Estimate], ridge: f64) -> Option<Refit> {
        let start = finite_scores(point);
        if start.len() < 2 || start.iter().any(|strength| strength.abs() > LARGEST) {
            return None;
        }
        let systems = finite_systems(point);
        let places = places_of(&systems, sheet.pairs.systems);
        let place = |system: u16| places[usize::from(system)].map(|place| place as u32);
        let local = |(pair, &[a, b]): (u32, &[u16; 2])| {
            Some(LocalPair {
                pair,
                i: place(a)?,
                j: place(b)?,
            })
        };
        let pairs: Vec<LocalPair> = (0..).zip(&sheet.pairs.list).filter_map(local).collect();
        let held = ridge == 0.0;
        let n = start.len() - usize::from(held);
        // The lower triangle, without the system that is held; and the information that the pairs
        // of each system have together.
        let mut matrix = diagonal(n, ridge);
        let mut sums = vec![0.0; start.len()];
        for pair in &pairs {
            let information = pair.information(sheet, &start);
            let (i, j) = pair.ends();
            sums[i] += information;
            sums[j] += information;
            // i < j, so i is never the one that is held.
            matrix[i * n + i] += information;
            if j < n {
                matrix[j * n + j] += information;
                matrix[j * n + i] -= information;
            }
        }
        Some(Refit {
            factor: Cholesky::new(n, matrix)?,
            held,
            ridge,
            firm: FIRM * largest(&sums),
            everyone: systems.len() == point.len(),
            systems,
            start,
            pairs,
        })
    }

    /// The strengths of the part in a resample, on the origin of the data set; None where the
    /// resample breaks the part or the search takes too long: Newton's method is for those.
    pub(crate) fn fit_part(&self, sheet: &Sheet) -> Option<Part> {
        // With a prior the maximum is finite whatever was drawn.
        if self.held && !self.is_whole(sheet) {
            return None;
        }
        let mut strengths = self.start.clone();
        let mut last = f64::INFINITY;
        for iterations in 1..=MAX_ITERATIONS {
            let mut step = self.gradient(sheet, &strengths);
            let gradient = largest(&step);
            let free = step.len() - usize::from(self.held);
            self.factor.solve(&mut step[..free]);
            step[free..].fill(0.0);
            let step = centred(step);
            let size = largest(&step);
            // Growing steps mean that the resample is too far from the data set for its
            // information.
            if size.is_nan() || size >= last && size > SMALL {
                return None;
            }
            for (strength, step) in strengths.iter_mut().zip(&step) {
                *strength += step;
            }
            if size <= NEGLIGIBLE || size >= last {
                let fit = Fit {
                    iterations,
                    gradient,
                    converged: true,
                };
                return self.is_firm(sheet, &strengths).then(|| Part {
                    systems: self.systems.clone(),
                    strengths,
                    fit: Some(fit),
                });
            }
            last = size;
        }
        None
    }

    fn gradient(&self, sheet: &Sheet, strengths: &[f64]) -> Vec<f64> {
        let odds = odds_of(strengths);
        let mut gradient = vec![0.0; strengths.len()];
        for pair in &self.pairs {
            let (i, j) = pair.ends();
            let (own, other) = (odds[i], odds[j]);
            // Won less expected; not the difference of the two, which cancels where the chance is
            // close to 1.
            let [wins, ties, losses] = pair.outcome(sheet);
            let (wins, losses) = (wins + 0.5 * ties, losses + 0.5 * ties);
            let slope = (wins * other - losses * own) / (own + other);
            gradient[i] += slope;
            gradient[j] -= slope;
        }
        for (slope, strength) in gradient.iter_mut().zip(strengths) {
            *slope -= self.ridge * strength;
        }
        gradient
    }

    /// Whether the pairs that hold much information in the resample link all systems, or the prior
    /// does.
    ///
    /// If not, some systems hang on the others by next to nothing (comparisons of little weight, or
    /// between systems far apart). The steps are those of the data set's information: there they
    /// are negligible wherever the systems are.
    fn is_firm(&self, sheet: &Sheet, strengths: &[f64]) -> bool {
        if self.ridge >= self.firm {
            return true;
        }
        let odds = odds_of(strengths);
        let mut linked = BitGraph::new(self.systems.len());
        for pair in &self.pairs {
            let (i, j) = pair.ends();
            let share = odds[i] / (odds[i] + odds[j]);
            if pair.games(sheet) * share * (1.0 - share) >= self.firm {
                linked.add(i, j);
                linked.add(j, i);
            }
        }
        linked.reaches_all()
    }

    /// Whether everyone in the part still won something, directly or through others, from everyone
    /// else: the first system reaches all others along wins, and along losses.
    fn is_whole(&self, sheet: &Sheet) -> bool {
        let mut beats = BitGraph::new(self.systems.len());
        let mut beaten = beats.clone();
        for pair in &self.pairs {
            let [wins, ties, losses] = pair.outcome(sheet);
            let (i, j) = pair.ends();
            if wins + ties > 0.0 {
                add_win(&mut beats, &mut beaten, i, j);
            }
            if losses + ties > 0.0 {
                add_win(&mut beats, &mut beaten, j, i);
            }
        }
        beats.reaches_all() && beaten.reaches_all()
    }
}

fn odds_of(strengths: &[f64]) -> Vec<f64> {
    strengths.iter().map(|strength| strength.exp()).collect()
}

#[inline]
fn add_win(beats: &mut BitGraph, beaten: &mut BitGraph, winner: usize, loser: usize) {
    beats.add(winner, loser);
    beaten.add(loser, winner);
}

/// A directed graph with a bit for each pair of nodes: a round asks for it anew.
#[derive(Clone)]
struct BitGraph {
    nodes: usize,
    /// Words of bits for each node.
    words: usize,
    edges: Vec<u64>,
}

impl BitGraph {
    fn new(nodes: usize) -> BitGraph {
        let words = nodes.div_ceil(64);
        BitGraph {
            nodes,
            words,
            edges: vec![0; nodes * words],
        }
    }

    #[inline]
    fn add(&mut self, from: usize, to: usize) {
        self.edges[from * self.words + to / 64] |= 1 << (to % 64);
    }

    /// Whether all nodes can be reached from the first.
    fn reaches_all(&self) -> bool {
        let (mut seen, mut waiting, mut reached) = (vec![0u64; self.words], vec![0usize], 1);
        seen[0] = 1;
        while let Some(node) = waiting.pop() {
            let edges = &self.edges[node * self.words..(node + 1) * self.words];
            for (word, (seen, edges)) in seen.iter_mut().zip(edges).enumerate() {
                let mut new = edges & !*seen;
                *seen |= new;
                reached += new.count_ones() as usize;
                while new != 0 {
                    waiting.push(64 * word + new.trailing_zeros() as usize);
                    new &= new - 1;
                }
            }
        }
        reached == self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ridge, bradley_terry, bradley_terry_near, bradley_terry_ridge};
    use super::*;
    use crate::data::Pairs;
    use crate::testing::tally_without_ties;
    use proptest::collection::vec;
    use proptest::prelude::*;

    type Row = (usize, usize, f64, f64);

    /// The largest difference to Newton's method on the same resample; 0 where the search is left
    /// to it.
    fn error(k: usize, data: &[Row], drawn: &[Row], ridge: Option<f64>) -> f64 {
        let prior = ridge.map(|ridge| Ridge::new(ridge).unwrap());
        let (data, drawn) = (tally_without_ties(k, data), tally_without_ties(k, drawn));
        let point = prior
            .map_or_else(
                || bradley_terry(&data).scores,
                |prior| bradley_terry_ridge(&data, prior),
            )
            .estimates;
        let pairs = Pairs::of_tally(&data);
        let refit = Refit::new(&pairs.sheet(&data), &point, ridge.unwrap_or(0.0));
        let Some(part) = refit.and_then(|refit| refit.fit_part(&pairs.sheet(&drawn))) else {
            return 0.0;
        };
        let slow = prior.map_or_else(
            || bradley_terry_near(&drawn, &point).scores,
            |prior| bradley_terry_ridge(&drawn, prior),
        );
        let pairs = part.systems.iter().zip(&part.strengths);
        pairs
            .map(|(&i, own)| {
                slow.estimates[i]
                    .finite()
                    .map_or(f64::INFINITY, |x| (x - own).abs())
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn systems_that_hang_by_little_weight_are_left_to_newton() {
        // 2 is linked by two comparisons of weight 1 and four of weight 1e-10; the former are not
        // drawn.
        let firm = [(0, 1, 5.0, 5.0)];
        let light = [(1, 2, 3e-10, 1e-10)];
        let data = [&firm[..], &light, &[(1, 2, 1.0, 1.0)]].concat();
        assert!(error(3, &data, &[&firm[..], &light].concat(), None) < 1e-8);
    }

    #[test]
    fn groups_that_hang_by_far_differences_are_left_to_newton() {
        // 0 > 1 > ... > 17 in steps of 3 log-odds, and 18, 19 beside the ends: 18 lost to 0 only
        // and 19 beat 17 only, but for two comparisons with the middle that are not drawn.
        let mut chain: Vec<Row> = (0..17).map(|i| (i, i + 1, 20.0, 1.0)).collect();
        chain.extend([
            (18, 19, 20.0, 20.0),
            (0, 18, 10.0, 0.0),
            (19, 17, 10.0, 0.0),
        ]);
        let data = [&chain[..], &[(8, 18, 2.0, 1.0), (9, 19, 1.0, 1.0)]].concat();
        assert!(error(20, &data, &chain, None) < 1e-8);
    }

    #[test]
    fn a_weak_prior_alone_is_left_to_newton() {
        let data = [(0, 1, 5.0, 3.0), (2, 3, 5.0, 3.0), (1, 2, 2.0, 1.0)];
        assert!(error(4, &data, &data[..2], Some(1e-11)) < 1e-6);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn rounds_are_those_of_newton(
            k in 2usize..7,
            spread in 0.0f64..4.0,
            rows in vec((0usize..7, 1usize..7, 0.0f64..1.0, 0u32..4, 0usize..3), 4..80),
            ridge in prop_oneof![Just(None), (0.001f64..2.0).prop_map(Some)],
        ) {
            // Each row: two systems, which wins by chance, how often it is drawn, and its weight.
            let row = |&(a, d, chance, _, weight): &(usize, usize, f64, u32, usize)| {
                let (a, b) = (a % k, (a % k + 1 + d % (k - 1)) % k);
                let (won, weight) = (chance < 1.0 / (1.0 + (spread * (b as f64 - a as f64)).exp()), [1.0, 0.25, 3.0][weight]);
                if won { (a, b, weight, 0.0) } else { (a, b, 0.0, weight) }
            };
            let data: Vec<Row> = rows.iter().map(row).collect();
            let drawn: Vec<Row> = rows.iter().flat_map(|x| std::iter::repeat_n(row(x), x.3 as usize)).collect();
            let found = error(k, &data, &drawn, ridge);
            prop_assert!(found < 1e-8, "{found}");
        }
    }
}
