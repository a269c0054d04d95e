//! How few judgments carry a conclusion: the smallest share whose removal overturns it.

use super::influence::{Cell, Influence};
use super::paired::common;
use super::{InferenceError, check_two};
use crate::{Estimate, ItemScores, Tally, Undefined, bradley_terry_near};

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
    /// That as a share of the weight of all comparisons, in (0, 1].
    pub share: f64,
    /// Weight that the linear approximation asked for; None if it reaches the other order with no
    /// removal.
    pub predicted: Option<f64>,
    /// What is left out, the most influential first.
    pub cells: Vec<Dropped>,
    /// Whether a refit without them confirmed the other order. If not, `removed` is the most that
    /// was tried.
    pub verified: bool,
    /// Fits made.
    pub refits: usize,
}

/// A few items without which the mean difference has the other sign.
#[derive(Clone, Debug, PartialEq)]
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
    let influence = Influence::of(tally, strengths)?;
    let pair = (
        influence.place(above, strengths)?,
        influence.place(below, strengths)?,
    );
    if !ahead(strengths[above], strengths[below]) {
        return Err(InferenceError::NotAhead { above, below });
    }
    Ok(Search::new(tally, strengths, &influence, pair).run())
}

/// The same for the leader and whichever system takes the fewest comparisons, by the linear
/// approximation, to be ahead of it.
///
/// # Errors
/// No single leader ([`Undefined::NoRank`]); a leader whose strength is infinite, or the errors of
/// [`super::sandwich`].
pub fn drop_leader(tally: &Tally, strengths: &[Estimate]) -> Result<JudgmentDrop, InferenceError> {
    let influence = Influence::of(tally, strengths)?;
    if let Some(system) = strengths.iter().position(|x| *x == Estimate::PlusInfinity) {
        return Err(InferenceError::Infinite { system });
    }
    let m = influence.systems.len();
    let leads = |i: usize| {
        (0..m).all(|j| j == i || influence.strengths[i] - influence.strengths[j] > RESOLUTION)
    };
    let leader = (0..m).find(|&i| leads(i)).ok_or(Undefined::NoRank)?;
    let mut rivals: Vec<(f64, usize)> = (0..m)
        .filter(|&j| j != leader)
        .map(|j| (at_least(&influence, (leader, j)), j))
        .collect();
    rivals.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut best: Option<Search> = None;
    for (bound, rival) in rivals {
        let fewest = best.as_ref().map_or(f64::INFINITY, Search::needed);
        if best.is_some() && bound >= fewest {
            break;
        }
        let search = Search::new(tally, strengths, &influence, (leader, rival));
        if best.is_none() || search.needed() < fewest {
            best = Some(search);
        }
    }
    best.map(Search::run).ok_or(Undefined::OneSystem.into())
}

/// The fewest items whose removal turns the mean difference of two systems' scores, over the items
/// that both have, to the other sign: exact, for the largest differences go first.
///
/// # Errors
/// No such system; no common items; `above` not ahead; no item with a difference of the other sign.
pub fn drop_items(
    data: &ItemScores,
    above: usize,
    below: usize,
) -> Result<ItemDrop, InferenceError> {
    let mut differences = common(data, above, below)?;
    let items = differences.len();
    if items == 0 {
        return Err(Undefined::NoData.into());
    }
    differences.sort_by(|x, y| y.1.total_cmp(&x.1));
    // From the smallest up: what is left when the largest are gone.
    let sums: Vec<f64> = differences
        .iter()
        .rev()
        .scan(0.0, |sum, x| {
            *sum += x.1;
            Some(*sum)
        })
        .collect();
    if sums[items - 1] <= 0.0 {
        return Err(InferenceError::NotAhead { above, below });
    }
    let left = sums
        .iter()
        .rposition(|&sum| sum < 0.0)
        .ok_or(InferenceError::Unanimous { above, below })?
        + 1;
    let dropped: Vec<u32> = differences[..items - left]
        .iter()
        .map(|&(item, _)| item)
        .collect();
    Ok(ItemDrop {
        share: dropped.len() as f64 / items as f64,
        dropped,
        items,
    })
}

/// Whether the first is ahead of the second.
fn ahead(x: Estimate, y: Estimate) -> bool {
    match (x, y) {
        (Estimate::Finite(x), Estimate::Finite(y)) => x - y > RESOLUTION,
        (Estimate::PlusInfinity, Estimate::Finite(_) | Estimate::MinusInfinity) => true,
        (Estimate::Finite(_), Estimate::MinusInfinity) => true,
        _ => false,
    }
}

/// By how much each row of a cell moves the difference in strength of a pair.
fn effect<'a>(
    influence: &'a Influence,
    (above, below): (usize, usize),
) -> impl Fn(&Cell) -> f64 + 'a {
    let contrast: Vec<f64> = influence
        .row(above)
        .iter()
        .zip(influence.row(below))
        .map(|(x, y)| x - y)
        .collect();
    move |cell| cell.residual * (contrast[cell.pair.0] - contrast[cell.pair.1])
}

fn gap(influence: &Influence, (above, below): (usize, usize)) -> f64 {
    influence.strengths[above] - influence.strengths[below]
}

/// No fewer rows than this can close the gap, by the linear approximation: a row has a residual of
/// at most 1.
fn at_least(influence: &Influence, (above, below): (usize, usize)) -> f64 {
    let contrast = influence
        .row(above)
        .iter()
        .zip(influence.row(below))
        .map(|(x, y)| x - y);
    let (low, high) = contrast.fold((0.0, 0.0), |(low, high), x| {
        (f64::min(low, x), f64::max(high, x))
    });
    (gap(influence, (above, below)) / (high - low)).ceil()
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
    fn new(
        tally: &'a Tally,
        strengths: &'a [Estimate],
        influence: &'a Influence,
        pair: (usize, usize),
    ) -> Self {
        let effect = effect(influence, pair);
        let mut cells: Vec<(f64, Cell)> = influence
            .cells(tally)
            .map(|cell| (effect(&cell), cell))
            .filter(|x| x.0 > 0.0)
            .collect();
        cells.sort_by(|x, y| y.0.total_cmp(&x.0));
        let predicted = predicted(&cells, gap(influence, pair));
        let system = |place: usize| influence.systems[place];
        let helpful: Vec<Dropped> = cells
            .iter()
            .map(|(_, cell)| dropped(cell, system))
            .collect();
        let most = helpful.iter().map(|cell| cell.weight).sum();
        Search {
            tally,
            strengths,
            above: system(pair.0),
            below: system(pair.1),
            helpful,
            most,
            predicted,
        }
    }

    fn needed(&self) -> f64 {
        self.predicted.unwrap_or(f64::INFINITY)
    }

    fn run(self) -> JudgmentDrop {
        let high = self.predicted.unwrap_or(1.0).min(self.most);
        let mut found = Bracket {
            low: 0.0,
            high,
            verified: self.overturned(high),
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
            found.verified = self.overturned(found.high);
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
            let end = if self.overturned(middle) {
                &mut found.high
            } else {
                &mut found.low
            };
            *end = middle;
            found.refits += 1;
        }
    }

    /// By the scores, or by the ranks where both are infinite and one is above the other all the
    /// same.
    fn overturned(&self, weight: f64) -> bool {
        let scores = self.refit(weight);
        let ranked = matches!((scores.ranks[self.below], scores.ranks[self.above]), (Some(x), Some(y)) if x < y);
        let scored = ahead(scores.estimates[self.below], scores.estimates[self.above]);
        scores.fit.is_none_or(|fit| fit.converged) && (scored || ranked)
    }

    fn refit(&self, weight: f64) -> crate::Scores {
        let mut rest = self.tally.clone();
        for cell in first(&self.helpful, weight) {
            let of = |outcome| {
                if cell.outcome == outcome {
                    -cell.weight
                } else {
                    0.0
                }
            };
            rest.add_checked(
                cell.a,
                cell.b,
                of(PairOutcome::Win),
                of(PairOutcome::Tie),
                of(PairOutcome::Loss),
            );
        }
        bradley_terry_near(&rest, self.strengths).scores
    }

    fn report(&self, found: Bracket) -> JudgmentDrop {
        let (k, removed) = (self.tally.systems(), found.high);
        let total: f64 = (0..k).map(|i| self.tally.games_of(i)).sum::<f64>() / 2.0;
        let ranks = self.refit(removed).ranks;
        let first_rank = |&i: &usize| ranks[i] == Some(1);
        JudgmentDrop {
            above: self.above,
            below: self.below,
            leader: (0..k).find(first_rank),
            removed,
            share: removed / total,
            predicted: self.predicted,
            cells: first(&self.helpful, removed),
            verified: found.verified,
            refits: found.refits + 1,
        }
    }
}

fn dropped(cell: &Cell, system: impl Fn(usize) -> usize) -> Dropped {
    let outcome = match cell.points {
        1.0 => PairOutcome::Win,
        0.0 => PairOutcome::Loss,
        _ => PairOutcome::Tie,
    };
    Dropped {
        a: system(cell.pair.0),
        b: system(cell.pair.1),
        outcome,
        weight: cell.count,
    }
}

/// The number of rows at which the sum of effects reaches the gap, rounded up; None if it does not.
fn predicted(cells: &[(f64, Cell)], mut gap: f64) -> Option<f64> {
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
fn first(cells: &[Dropped], weight: f64) -> Vec<Dropped> {
    let mut left = weight;
    let taken = cells.iter().map(|cell| {
        let weight = cell.weight.min(left);
        left -= weight;
        Dropped { weight, ..*cell }
    });
    taken.take_while(|cell| cell.weight > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ItemScore, bradley_terry};

    fn tally(rows: &[(usize, usize, f64, f64, f64)], systems: usize) -> Tally {
        let mut tally = Tally::new(systems).unwrap();
        rows.iter()
            .for_each(|&(a, b, x, t, y)| tally.add(a, b, x, t, y).unwrap());
        tally
    }

    fn leader(tally: &Tally) -> Result<JudgmentDrop, InferenceError> {
        drop_leader(tally, &bradley_terry(tally).scores.estimates)
    }

    #[test]
    fn two_systems_by_hand() {
        // 10 won, 7 lost: without 4 wins, and no fewer, the other is ahead.
        let found = leader(&tally(&[(0, 1, 10.0, 0.0, 7.0)], 2)).unwrap();
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
        let found = leader(&tally(&[(1, 0, 10.0, 0.0, 7.0)], 2)).unwrap();
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
        assert_eq!(leader(&tally(&[], 1)), Err(Undefined::OneSystem.into()));
        assert_eq!(leader(&tally(&[], 3)), Err(Undefined::NoData.into()));
        assert_eq!(
            leader(&tally(&[(0, 1, 2.0, 0.0, 2.0)], 2)),
            Err(Undefined::NoRank.into())
        );
        let beaten = tally(&[(0, 1, 2.0, 0.0, 1.0), (2, 0, 1.0, 0.0, 0.0)], 3);
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
