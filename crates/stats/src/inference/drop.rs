//! How few comparisons carry a conclusion: the smallest share whose removal overturns it.

use super::influence::{Cell, Influence};
use super::{InferenceError, check_two};
use crate::linear::{difference, greatest};
use crate::{Estimate, Tally, Undefined, bradley_terry_near, graph};

/// The most refits made for one answer.
const MAX_REFITS: usize = 60;

/// Closer strengths are not in order.
const RESOLUTION: f64 = 1e-9;

/// How a comparison of a with b ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairOutcome {
    /// The first won.
    Win,
    /// Neither.
    Tie,
    /// The second won.
    Loss,
}

/// Comparisons of one pair with one outcome that are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dropped {
    /// One system.
    pub a: usize,
    /// The other, with a higher number.
    pub b: usize,
    /// How the comparisons ended, seen from `a`.
    pub outcome: PairOutcome,
    /// Their weight: how many, where each has weight 1.
    pub weight: f64,
}

/// A few comparisons without which the order is another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JudgmentDrop {
    /// The system that is ahead with all comparisons.
    pub above: usize,
    /// The system that is ahead of it without those left out.
    pub below: usize,
    /// The system with rank 1 without them, as refitted; None where the remaining data do not
    /// determine it.
    pub leader: Option<usize>,
    /// Weight left out: how many comparisons, where each has weight 1.
    pub removed: f64,
    /// The weight left out as a share of the weight of all comparisons, in (0, 1].
    pub share: f64,
    /// Weight that the linear approximation asked for; None if it reaches the other order with no
    /// removal.
    pub predicted: Option<f64>,
    /// The comparisons left out, the most influential first.
    pub cells: Vec<Dropped>,
    /// Whether a refit without them confirmed the other order. If not, `removed` is the most that
    /// was tried.
    pub verified: bool,
    /// Fits made.
    pub refits: usize,
}

/// The smallest number of comparisons found whose removal puts `below` ahead of `above` in
/// Bradley-Terry strength (Broderick, Giordano and Meager 2020, "An automatic finite-sample
/// robustness metric"; Huang et al. 2025 for Bradley-Terry leaderboards).
///
/// A row with residual r (points less chance) of the pair (i, j) moves s_above - s_below by r
/// (e_above - e_below)' A⁻¹ (e_i - e_j), so all rows of one pair and outcome have the same
/// influence: they are left out in order of it. The number at which the sum reaches the difference
/// is tried by refitting, raised until a refit confirms the other order, and then lowered by
/// bisection as far as one does; at most 60 refits. It is an upper bound of the true minimum:
/// another choice of rows might need fewer.
///
/// `strengths` are the [`crate::bradley_terry`] strengths of `tally`, both systems' finite.
///
/// # Errors
/// No such system; a strength that is not finite; `above` not ahead; those of [`super::sandwich`].
pub fn drop_order(
    tally: &Tally,
    strengths: &[Estimate],
    above: usize,
    below: usize,
) -> Result<JudgmentDrop, InferenceError> {
    check_two(above, below, tally.systems())?;
    let influence = Influence::new(tally, strengths)?;
    let place_of = |system: usize| influence.place_of(system, strengths);
    let contest = Contest::new(&influence, place_of(above)?, place_of(below)?);
    if !is_ahead(strengths[above], strengths[below]) {
        return Err(InferenceError::NotAhead { above, below });
    }
    Ok(Search::new(tally, strengths, &contest).run())
}

/// The smallest number of comparisons found whose removal costs the leader its place, as
/// [`drop_order`] finds it for a pair: against the rival that takes the fewest by the linear
/// approximation.
///
/// # Errors
/// No single leader ([`Undefined::NoRank`]); a leader whose strength is infinite, or the errors of
/// [`super::sandwich`].
pub fn drop_leader(tally: &Tally, strengths: &[Estimate]) -> Result<JudgmentDrop, InferenceError> {
    let influence = Influence::new(tally, strengths)?;
    check_no_infinite_leader(strengths)?;
    let leader = find_leader(&influence).ok_or(Undefined::NoRank)?;
    let closest = closest_rival(tally, strengths, &influence, leader);
    closest.map(Search::run).ok_or(Undefined::OneSystem.into())
}

/// An infinite strength has no influence function: removal of rows cannot be predicted.
fn check_no_infinite_leader(strengths: &[Estimate]) -> Result<(), InferenceError> {
    match strengths.iter().position(|x| *x == Estimate::PlusInfinity) {
        Some(system) => Err(InferenceError::Infinite { system }),
        None => Ok(()),
    }
}

/// The search against the rival that is predicted to need the fewest rows.
fn closest_rival<'a>(
    tally: &'a Tally,
    strengths: &'a [Estimate],
    influence: &Influence,
    leader: usize,
) -> Option<Search<'a>> {
    let mut best: Option<Search> = None;
    for (bound, rival) in rivals_of(influence, leader) {
        let fewest = best.as_ref().map_or(f64::INFINITY, Search::rows_needed);
        // Rivals come in order of their bound, so no later one can need fewer.
        if best.is_some() && bound >= fewest {
            break;
        }
        let contest = Contest::new(influence, leader, rival);
        let search = Search::new(tally, strengths, &contest);
        if best.is_none() || search.rows_needed() < fewest {
            best = Some(search);
        }
    }
    best
}

/// The place of the system that is ahead of all others.
fn find_leader(influence: &Influence) -> Option<usize> {
    let strengths = &influence.strengths;
    let leads = |i: usize, j: usize| j == i || strengths[i] - strengths[j] > RESOLUTION;
    (0..strengths.len()).find(|&i| (0..strengths.len()).all(|j| leads(i, j)))
}

/// All others with the fewest rows that their contest with the leader may take, the least first.
fn rivals_of(influence: &Influence, leader: usize) -> Vec<(f64, usize)> {
    let others = (0..influence.systems.len()).filter(|&rival| rival != leader);
    let bound = |rival: usize| Contest::new(influence, leader, rival).fewest_rows();
    let mut rivals: Vec<(f64, usize)> = others.map(|rival| (bound(rival), rival)).collect();
    rivals.sort_by(|x, y| x.0.total_cmp(&y.0));
    rivals
}

/// Whether the first is ahead of the second.
fn is_ahead(x: Estimate, y: Estimate) -> bool {
    match (x, y) {
        (Estimate::Finite(x), Estimate::Finite(y)) => x - y > RESOLUTION,
        (Estimate::PlusInfinity, Estimate::Finite(_) | Estimate::MinusInfinity) => true,
        (Estimate::Finite(_), Estimate::MinusInfinity) => true,
        _ => false,
    }
}

/// Two systems by place, and what a row does to the difference of their strengths.
struct Contest<'a> {
    influence: &'a Influence,
    above: usize,
    below: usize,
    /// By place: (e_above - e_below)' A⁻¹.
    contrast: Vec<f64>,
}

impl<'a> Contest<'a> {
    fn new(influence: &'a Influence, above: usize, below: usize) -> Contest<'a> {
        Contest {
            influence,
            above,
            below,
            contrast: difference(influence.row(above), influence.row(below)),
        }
    }

    /// By how much each row of a cell moves the difference.
    fn effect(&self, cell: &Cell) -> f64 {
        cell.residual * (self.contrast[cell.pair.0] - self.contrast[cell.pair.1])
    }

    fn gap(&self) -> f64 {
        self.influence.strengths[self.above] - self.influence.strengths[self.below]
    }

    /// No fewer rows than this can close the gap, by the linear approximation: a row has a residual
    /// of at most 1.
    fn fewest_rows(&self) -> f64 {
        (self.gap() / span_with_zero(&self.contrast)).ceil()
    }

    /// The cells that speak for the system above, with their effects, the most influential first.
    fn helpful_cells(&self, tally: &Tally) -> Vec<(f64, Cell)> {
        let cells = self.influence.cells(tally);
        let effects = cells.map(|cell| (self.effect(&cell), cell));
        let mut helpful: Vec<_> = effects.filter(|(effect, _)| *effect > 0.0).collect();
        helpful.sort_by(|x, y| y.0.total_cmp(&x.0));
        helpful
    }
}

/// Weights between which the fewest lies: `low` is known not to suffice, `high` does where
/// `verified`.
struct Bracket {
    low: f64,
    high: f64,
    verified: bool,
    refits: usize,
}

impl Bracket {
    /// An eighth above the upper end.
    fn raised_high(&self) -> f64 {
        self.high + (self.high / 8.0).ceil()
    }

    /// The weight half-way, where there is a whole number between the ends.
    fn middle(&self) -> Option<f64> {
        let middle = ((self.low + self.high) / 2.0).floor();
        (middle > self.low && middle < self.high).then_some(middle)
    }
}

/// The search for the fewest rows that put one system ahead of another.
struct Search<'a> {
    tally: &'a Tally,
    strengths: &'a [Estimate],
    above: usize,
    below: usize,
    /// Cells that speak for `above`, the most influential first.
    helpful: Vec<Dropped>,
    /// Weight of all of them.
    most: f64,
    predicted: Option<f64>,
}

impl<'a> Search<'a> {
    fn new(tally: &'a Tally, strengths: &'a [Estimate], contest: &Contest) -> Self {
        let cells = contest.helpful_cells(tally);
        let systems = &contest.influence.systems;
        let helpful = drop_cells(&cells, systems);
        Search {
            tally,
            strengths,
            above: systems[contest.above],
            below: systems[contest.below],
            most: helpful.iter().map(|cell| cell.weight).sum(),
            helpful,
            predicted: predict_rows(&cells, contest.gap()),
        }
    }

    fn rows_needed(&self) -> f64 {
        self.predicted.unwrap_or(f64::INFINITY)
    }

    fn run(self) -> JudgmentDrop {
        let mut found = self.first_bracket();
        self.raise(&mut found);
        self.lower(&mut found);
        self.report(found)
    }

    /// From nothing to the number that the linear approximation predicts.
    fn first_bracket(&self) -> Bracket {
        let high = self.predicted.unwrap_or(1.0).min(self.most);
        Bracket {
            low: 0.0,
            high,
            verified: self.is_overturned(high),
            refits: 1,
        }
    }

    /// Leaves out more until a refit confirms the other order. Half of the refits at most go into
    /// it, so that some are left to lower the number again.
    fn raise(&self, found: &mut Bracket) {
        while !found.verified && found.high < self.most && found.refits < MAX_REFITS / 2 {
            self.move_up(found);
        }
    }

    fn move_up(&self, found: &mut Bracket) {
        let more = found.raised_high().min(self.most);
        found.low = found.high;
        found.high = more;
        self.verify(found);
    }

    fn verify(&self, found: &mut Bracket) {
        found.verified = self.is_overturned(found.high);
        found.refits += 1;
    }

    /// Leaves out fewer, by bisection, as long as a refit confirms the other order. The last refit
    /// is that of the report.
    fn lower(&self, found: &mut Bracket) {
        while found.verified && found.refits < MAX_REFITS - 1 {
            let Some(middle) = found.middle() else { break };
            self.narrow(found, middle);
        }
    }

    /// Moves one end of the bracket to `middle`.
    fn narrow(&self, found: &mut Bracket, middle: f64) {
        if self.is_overturned(middle) {
            found.high = middle;
        } else {
            found.low = middle;
        }
        found.refits += 1;
    }

    /// Whether without this much the system below is ahead: by strength; by rank, where the part of
    /// both is infinite as a whole; or by the results alone, where it won from the other, itself or
    /// through others, and nothing leads back, though other systems leave the ranks open.
    fn is_overturned(&self, weight: f64) -> bool {
        let (below, above) = (self.below, self.above);
        let rest = self.tally_without(weight);
        let scores = bradley_terry_near(&rest, self.strengths).scores;
        let leads = |first, second| {
            graph::reaches(rest.systems(), first, second, |i, j| {
                rest.points(i, j) > 0.0
            })
        };
        scores.fit.is_none_or(|fit| fit.converged)
            && (is_ahead(scores.estimates[below], scores.estimates[above])
                || scores.ranks[below]
                    .zip(scores.ranks[above])
                    .is_some_and(|(x, y)| x < y)
                || leads(below, above) && !leads(above, below))
    }

    fn tally_without(&self, weight: f64) -> Tally {
        let mut rest = self.tally.clone();
        for cell in first_cells(&self.helpful, weight) {
            let [wins, ties, losses] = cell.counts().map(|count| -count);
            rest.add_checked(cell.a, cell.b, wins, ties, losses);
        }
        rest
    }

    fn report(&self, found: Bracket) -> JudgmentDrop {
        let removed = found.high;
        let rest = self.tally_without(removed);
        let ranks = bradley_terry_near(&rest, self.strengths).scores.ranks;
        JudgmentDrop {
            above: self.above,
            below: self.below,
            leader: ranks.iter().position(|&rank| rank == Some(1)),
            removed,
            share: removed / self.total_weight(),
            predicted: self.predicted,
            cells: first_cells(&self.helpful, removed),
            verified: found.verified,
            refits: found.refits + 1,
        }
    }

    /// The weight of all comparisons. Each is among the weights of two systems.
    fn total_weight(&self) -> f64 {
        self.tally.weights().iter().sum::<f64>() / 2.0
    }
}

impl PairOutcome {
    fn of_points(points: f64) -> PairOutcome {
        match points {
            1.0 => PairOutcome::Win,
            0.0 => PairOutcome::Loss,
            _ => PairOutcome::Tie,
        }
    }
}

/// From the lowest number, or 0, to the highest, or 0.
fn span_with_zero(values: &[f64]) -> f64 {
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = greatest(values.iter().copied());
    high - low
}

/// All comparisons of these cells.
fn drop_cells(cells: &[(f64, Cell)], systems: &[usize]) -> Vec<Dropped> {
    cells
        .iter()
        .map(|(_, cell)| Dropped::new(cell, systems))
        .collect()
}

impl Dropped {
    /// All comparisons of a cell; `systems` are those of the places.
    fn new(cell: &Cell, systems: &[usize]) -> Dropped {
        Dropped {
            a: systems[cell.pair.0],
            b: systems[cell.pair.1],
            outcome: PairOutcome::of_points(cell.points),
            weight: cell.count,
        }
    }

    /// The weight as wins, ties and losses.
    fn counts(&self) -> [f64; 3] {
        match self.outcome {
            PairOutcome::Win => [self.weight, 0.0, 0.0],
            PairOutcome::Tie => [0.0, self.weight, 0.0],
            PairOutcome::Loss => [0.0, 0.0, self.weight],
        }
    }
}

/// The number of rows at which the sum of effects reaches the gap, rounded up; None if it does not.
fn predict_rows(cells: &[(f64, Cell)], mut gap: f64) -> Option<f64> {
    let mut rows = 0.0;
    for (effect, cell) in cells {
        if effect * cell.count >= gap {
            return Some((rows + gap / effect).ceil());
        }
        gap -= effect * cell.count;
        rows += cell.count;
    }
    None
}

/// The first cells up to a weight, the last of them in part.
fn first_cells(cells: &[Dropped], weight: f64) -> Vec<Dropped> {
    let (mut left, mut taken) = (weight, Vec::new());
    for cell in cells {
        let weight = cell.weight.min(left);
        if weight <= 0.0 {
            break;
        }
        left -= weight;
        taken.push(Dropped { weight, ..*cell });
    }
    taken
}

#[cfg(test)]
mod tests;
