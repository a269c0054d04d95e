//! How few judgments carry a conclusion: the smallest share whose removal overturns it.

use super::influence::{Cell, Influence};
use super::paired::{ItemDifference, common_items};
use super::{InferenceError, check_two};
use crate::{Estimate, ItemScores, Scores, Tally, Undefined, bradley_terry_near};

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

/// A few items without which the mean difference has the other sign.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ItemDrop {
    /// Positions of the items left out, in ascending order of item, the most influential first.
    pub dropped: Vec<u32>,
    /// Number of items that both systems have scores for.
    pub items: usize,
    /// The share left out, in (0, 1).
    pub share: f64,
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
    let contest = Contest::new(
        &influence,
        influence.place_of(above, strengths)?,
        influence.place_of(below, strengths)?,
    );
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
    if let Some(system) = strengths.iter().position(|x| *x == Estimate::PlusInfinity) {
        return Err(InferenceError::Infinite { system });
    }
    let leader = find_leader(&influence).ok_or(Undefined::NoRank)?;
    let closest = closest_rival(tally, strengths, &influence, leader);
    closest.map(Search::run).ok_or(Undefined::OneSystem.into())
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
    let mut rivals: Vec<(f64, usize)> = (0..influence.systems.len())
        .filter(|&rival| rival != leader)
        .map(|rival| (Contest::new(influence, leader, rival).fewest_rows(), rival))
        .collect();
    rivals.sort_by(|x, y| x.0.total_cmp(&y.0));
    rivals
}

/// The fewest items whose removal turns the mean difference of two systems' scores, over the items
/// that both have, to the other sign: exact, since the largest differences go first.
///
/// # Errors
/// No such system; no common items; `above` not ahead; no item with a difference of the other sign.
pub fn drop_items(
    data: &ItemScores,
    above: usize,
    below: usize,
) -> Result<ItemDrop, InferenceError> {
    let mut items = common_items(data, above, below)?;
    items.sort_by(|x, y| y.difference.total_cmp(&x.difference));
    let sums = sums_from_smallest(&items);
    if *sums.last().ok_or(Undefined::NoData)? <= 0.0 {
        return Err(InferenceError::NotAhead { above, below });
    }
    let left = sums.iter().rposition(|&sum| sum < 0.0);
    let left = left.ok_or(InferenceError::Unanimous { above, below })? + 1;
    let dropped = &items[..items.len() - left];
    Ok(ItemDrop {
        share: dropped.len() as f64 / items.len() as f64,
        dropped: dropped.iter().map(|difference| difference.item).collect(),
        items: items.len(),
    })
}

/// The sums left when the largest differences are gone: of the smallest, of the two
/// smallest, and so on. `items` are in descending order.
fn sums_from_smallest(items: &[ItemDifference]) -> Vec<f64> {
    let mut sum = 0.0;
    let differences = items.iter().rev().map(|item| item.difference);
    differences
        .map(|difference| {
            sum += difference;
            sum
        })
        .collect()
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
        let rows = influence.row(above).iter().zip(influence.row(below));
        Contest {
            influence,
            above,
            below,
            contrast: rows.map(|(x, y)| x - y).collect(),
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
        let low = self.contrast.iter().copied().fold(0.0, f64::min);
        let high = self.contrast.iter().copied().fold(0.0, f64::max);
        (self.gap() / (high - low)).ceil()
    }

    /// The cells that speak for the system above, with their effects, the most influential first.
    fn helpful_cells(&self, tally: &Tally) -> Vec<(f64, Cell)> {
        let mut cells: Vec<(f64, Cell)> = self
            .influence
            .cells(tally)
            .map(|cell| (self.effect(&cell), cell))
            .filter(|&(effect, _)| effect > 0.0)
            .collect();
        cells.sort_by(|x, y| y.0.total_cmp(&x.0));
        cells
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
        let helpful = cells.iter().map(|(_, cell)| Dropped::new(cell, systems));
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
        let high = self.predicted.unwrap_or(1.0).min(self.most);
        let mut found = Bracket {
            low: 0.0,
            high,
            verified: self.is_overturned(high),
            refits: 1,
        };
        self.raise(&mut found);
        self.lower(&mut found);
        self.report(found)
    }

    /// Leaves out more until a refit confirms the other order.
    fn raise(&self, found: &mut Bracket) {
        while !found.verified && found.high < self.most && found.refits < MAX_REFITS / 2 {
            found.low = found.high;
            found.high = (found.high + (found.high / 8.0).ceil()).min(self.most);
            found.verified = self.is_overturned(found.high);
            found.refits += 1;
        }
    }

    /// Leaves out fewer, by bisection, as long as a refit confirms the other order.
    fn lower(&self, found: &mut Bracket) {
        while found.verified && found.refits < MAX_REFITS - 1 {
            let middle = ((found.low + found.high) / 2.0).floor();
            if middle <= found.low || middle >= found.high {
                break;
            }
            if self.is_overturned(middle) {
                found.high = middle;
            } else {
                found.low = middle;
            }
            found.refits += 1;
        }
    }

    /// By the scores, or by the ranks where both are infinite and one is above the other all the
    /// same.
    fn is_overturned(&self, weight: f64) -> bool {
        let scores = self.refit_without(weight);
        let (below, above) = (self.below, self.above);
        let ranked = match (scores.ranks[below], scores.ranks[above]) {
            (Some(below), Some(above)) => below < above,
            _ => false,
        };
        let scored = is_ahead(scores.estimates[below], scores.estimates[above]);
        scores.fit.is_none_or(|fit| fit.converged) && (scored || ranked)
    }

    fn refit_without(&self, weight: f64) -> Scores {
        let mut rest = self.tally.clone();
        for cell in first_cells(&self.helpful, weight) {
            let [wins, ties, losses] = cell.counts().map(|count| -count);
            rest.add_checked(cell.a, cell.b, wins, ties, losses);
        }
        bradley_terry_near(&rest, self.strengths).scores
    }

    fn report(&self, found: Bracket) -> JudgmentDrop {
        let removed = found.high;
        let total = self.tally.weights().iter().sum::<f64>() / 2.0;
        let ranks = self.refit_without(removed).ranks;
        JudgmentDrop {
            above: self.above,
            below: self.below,
            leader: ranks.iter().position(|&rank| rank == Some(1)),
            removed,
            share: removed / total,
            predicted: self.predicted,
            cells: first_cells(&self.helpful, removed),
            verified: found.verified,
            refits: found.refits + 1,
        }
    }
}

impl Dropped {
    /// All comparisons of a cell; `systems` are those of the places.
    fn new(cell: &Cell, systems: &[usize]) -> Dropped {
        let outcome = match cell.points {
            1.0 => PairOutcome::Win,
            0.0 => PairOutcome::Loss,
            _ => PairOutcome::Tie,
        };
        Dropped {
            a: systems[cell.pair.0],
            b: systems[cell.pair.1],
            outcome,
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
mod tests {
    use super::*;
    use crate::testing::tally_of;
    use crate::{ItemScore, bradley_terry};

    fn leader(tally: &Tally) -> Result<JudgmentDrop, InferenceError> {
        drop_leader(tally, &bradley_terry(tally).scores.estimates)
    }

    #[test]
    fn two_systems_by_hand() {
        // 10 won, 7 lost: without 4 wins, and no fewer, the other is ahead.
        let found = leader(&tally_of(2, &[(0, 1, 10.0, 0.0, 7.0)])).unwrap();
        assert_eq!(
            (
                found.above,
                found.below,
                found.leader,
                found.removed,
                found.verified
            ),
            (0, 1, Some(1), 4.0, true)
        );
        assert_eq!(
            found.cells,
            [Dropped {
                a: 0,
                b: 1,
                outcome: PairOutcome::Win,
                weight: 4.0
            }]
        );
        assert!((found.share - 4.0 / 17.0).abs() < 1e-15);
        // From the other side.
        let found = leader(&tally_of(2, &[(1, 0, 10.0, 0.0, 7.0)])).unwrap();
        assert_eq!(
            found.cells,
            [Dropped {
                a: 0,
                b: 1,
                outcome: PairOutcome::Loss,
                weight: 4.0
            }]
        );
    }

    #[test]
    fn what_is_undefined_is_said() {
        assert_eq!(leader(&tally_of(1, &[])), Err(Undefined::OneSystem.into()));
        assert_eq!(leader(&tally_of(3, &[])), Err(Undefined::NoData.into()));
        assert_eq!(
            leader(&tally_of(2, &[(0, 1, 2.0, 0.0, 2.0)])),
            Err(Undefined::NoRank.into())
        );
        let beaten = tally_of(3, &[(0, 1, 2.0, 0.0, 1.0), (2, 0, 1.0, 0.0, 0.0)]);
        assert_eq!(leader(&beaten), Err(InferenceError::Infinite { system: 2 }));
        let strengths = bradley_terry(&beaten).scores.estimates;
        let order = |above, below| drop_order(&beaten, &strengths, above, below);
        assert_eq!(
            order(1, 0),
            Err(InferenceError::NotAhead { above: 1, below: 0 })
        );
        assert_eq!(order(2, 0), Err(InferenceError::Infinite { system: 2 }));
        assert!(order(0, 1).unwrap().verified);
    }

    #[test]
    fn items_are_dropped_from_the_largest_down() {
        // Differences 5, 2, 1, -1, -3 (sum 4): without 5 the rest sums to -1.
        let scores = [1.0, 5.0, -3.0, 2.0, -1.0];
        let rows = scores.iter().zip(0..).flat_map(|(&score, item)| {
            [
                ItemScore {
                    item,
                    system: 0,
                    score,
                },
                ItemScore {
                    item,
                    system: 1,
                    score: 0.0,
                },
            ]
        });
        let data = ItemScores::new(2, rows.collect()).unwrap();
        assert_eq!(
            drop_items(&data, 0, 1),
            Ok(ItemDrop {
                dropped: vec![1],
                items: 5,
                share: 0.2
            })
        );
        assert_eq!(
            drop_items(&data, 1, 0),
            Err(InferenceError::NotAhead { above: 1, below: 0 })
        );
    }
}
