//! The next meeting of a Swim tournament.

use super::{Meeting, log2_up};
use crate::{Error, Ridge, Tally, bradley_terry_ridge};

/// How many of the systems of a leaderboard a newcomer meets.
pub(super) fn meetings_of_newcomer(ranked: usize) -> usize {
    log2_up(ranked).max(1)
}

/// The newcomer and whom it meets next; None when all have come. Systems come in the drawn order.
pub(super) fn next_pair(drawn: &[usize], past: &[Meeting]) -> Result<Option<[usize; 2]>, Error> {
    let (mut ranked, mut made) = (1, past.len());
    while ranked < drawn.len() && made >= meetings_of_newcomer(ranked) {
        made -= meetings_of_newcomer(ranked);
        ranked += 1;
    }
    let Some(&newcomer) = drawn.get(ranked) else {
        return Ok(None);
    };
    let strengths = strengths(drawn.len(), past)?;
    let mut board: Vec<usize> = drawn[..ranked].to_vec();
    board.sort_by(|a, b| strengths[*a].total_cmp(&strengths[*b]));
    let own = &past[past.len() - made..];
    let opponent = if made == 0 {
        board.get(ranked / 2).copied()
    } else {
        let is_new = |system: &&usize| !own.iter().any(|meeting| meeting.pair.contains(system));
        let distance = |system: &usize| (strengths[*system] - strengths[newcomer]).abs();
        let left = board.iter().filter(is_new);
        left.min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .copied()
    };
    Ok(opponent.map(|opponent| [newcomer, opponent]))
}

/// Bradley-Terry strengths by all meetings so far, finite by a prior of weight 1 (a standard
/// deviation of 1 in log-odds): 0 for a system that has met nobody.
fn strengths(systems: usize, past: &[Meeting]) -> Result<Vec<f64>, Error> {
    let mut tally = Tally::sized(systems);
    for Meeting {
        pair: [a, b],
        share,
        items,
        ..
    } in past
    {
        let items = *items as f64;
        tally.add_checked(*a, *b, share * items, 0.0, (1.0 - share) * items);
    }
    let scores = bradley_terry_ridge(&tally, Ridge::new(1.0)?);
    let finite = scores.estimates.iter().map(|score| score.finite());
    Ok(finite.map(|score| score.unwrap_or(0.0)).collect())
}
