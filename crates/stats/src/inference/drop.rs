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
    // An infinite strength has no influence function: removal of rows cannot be predicted.
    if let Some(system) = strengths.iter().position(|x| *x == Estimate::PlusInfinity) {
        return Err(InferenceError::Infinite { system });
    }
    let finite = &influence.strengths;
    let leads = |i: usize, j: usize| j == i || finite[i] - finite[j] > RESOLUTION;
    let leader = (0..finite.len()).find(|&i| (0..finite.len()).all(|j| leads(i, j)));
    let leader = leader.ok_or(Undefined::NoRank)?;
    // All others with the fewest rows that their contest with the leader may take, the least first.
    let others = (0..influence.systems.len()).filter(|&rival| rival != leader);
    let bound = |rival: usize| Contest::new(&influence, leader, rival).fewest_rows();
    let mut rivals: Vec<(f64, usize)> = others.map(|rival| (bound(rival), rival)).collect();
    rivals.sort_by(|x, y| x.0.total_cmp(&y.0));
    // The search against the rival that is predicted to need the fewest.
    let mut best: Option<Search> = None;
    for (bound, rival) in rivals {
        let fewest = best.as_ref().map_or(f64::INFINITY, Search::rows_needed);
        // Rivals come in order of their bound, so no later one can need fewer.
        if best.is_some() && bound >= fewest {
            break;
        }
        let contest = Contest::new(&influence, leader, rival);
        let search = Search::new(tally, strengths, &contest);
        if best.is_none() || search.rows_needed() < fewest {
            best = Some(search);
        }
    }
    best.map(Search::run).ok_or(Undefined::OneSystem.into())
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

    fn gap(&self) -> f64 {
        self.influence.strengths[self.above] - self.influence.strengths[self.below]
    }

    /// No fewer rows than this can close the gap, by the linear approximation: a row has a residual
    /// of at most 1.
    fn fewest_rows(&self) -> f64 {
        let contrast = self.contrast.iter().copied();
        let span = greatest(contrast.clone()) - contrast.fold(0.0, f64::min);
        (self.gap() / span).ceil()
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
        // The cells that speak for the system above, the most influential first, each with how far
        // one of its rows moves the difference.
        let effect = |cell: &Cell| {
            let [i, j] = [cell.pair.0, cell.pair.1].map(|place| contest.contrast[place]);
            cell.residual * (i - j)
        };
        let cells = contest
            .influence
            .cells(tally)
            .map(|cell| (effect(&cell), cell));
        let mut cells: Vec<(f64, Cell)> = cells.filter(|(effect, _)| *effect > 0.0).collect();
        cells.sort_by(|x, y| y.0.total_cmp(&x.0));
        let systems = &contest.influence.systems;
        let helpful = cells.iter().map(|(_, cell)| Dropped {
            a: systems[cell.pair.0],
            b: systems[cell.pair.1],
            outcome: match cell.points {
                1.0 => PairOutcome::Win,
                0.0 => PairOutcome::Loss,
                _ => PairOutcome::Tie,
            },
            weight: cell.count,
        });
        let helpful: Vec<Dropped> = helpful.collect();
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
        // The fewest rows lie between `low`, which is known not to suffice, and `high`, which does
        // where `verified`: at first what the linear approximation predicts.
        let mut low = 0.0;
        let mut high = self.predicted.unwrap_or(1.0).min(self.most);
        let mut verified = self.is_overturned(high);
        let mut refits = 1;
        // An eighth more is left out until a refit confirms the other order. Half of the refits at
        // most go into it, so that some are left to lower the number again.
        while !verified && high < self.most && refits < MAX_REFITS / 2 {
            low = high;
            high = (high + (high / 8.0).ceil()).min(self.most);
            verified = self.is_overturned(high);
            refits += 1;
        }
        // Then fewer, by bisection, as long as a refit confirms the other order. The last refit is
        // that of the report.
        while verified && refits < MAX_REFITS - 1 {
            let middle = ((low + high) / 2.0).floor();
            if middle <= low || middle >= high {
                break;
            }
            if self.is_overturned(middle) {
                high = middle;
            } else {
                low = middle;
            }
            refits += 1;
        }
        let rest = self.tally_without(high);
        let ranks = bradley_terry_near(&rest, self.strengths).scores.ranks;
        JudgmentDrop {
            above: self.above,
            below: self.below,
            leader: ranks.iter().position(|&rank| rank == Some(1)),
            removed: high,
            share: high / self.tally.total(),
            predicted: self.predicted,
            cells: first_cells(&self.helpful, high),
            verified,
            refits: refits + 1,
        }
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
            let counts = match cell.outcome {
                PairOutcome::Win => [cell.weight, 0.0, 0.0],
                PairOutcome::Tie => [0.0, cell.weight, 0.0],
                PairOutcome::Loss => [0.0, 0.0, cell.weight],
            };
            let [wins, ties, losses] = counts.map(|count| -count);
            rest.add_checked(cell.a, cell.b, wins, ties, losses);
        }
        rest
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
