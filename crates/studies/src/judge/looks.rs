//! How a pair's two orders were judged, and the looks of trials that hold both.

use super::{Game, LabelledPair};
use evenhand_core::{Look, Side, Stage, average};

/// How the two orders of a pair were judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OrdersSeen {
    /// In a trial of its own each: a game is a trial.
    #[default]
    Apart,
    /// In one trial, whose verdict stands as both games; with its looks.
    Within(PairLooks),
    /// Without an order: responses were scored alone, or a calibrated panel judged, and the outcome
    /// stands as both games.
    Unordered,
}

/// The looks of a trial that holds both orders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairLooks {
    /// The mean of the last stage's looks in each order, in terms of the pair; None where there was
    /// no look.
    pub orders: [Option<Game>; 2],
    /// Looks of all stages that prefer the response that was shown first.
    pub first: u64,
    /// Looks of all stages that prefer either response.
    pub winners: u64,
}

impl PairLooks {
    /// Returns the looks of a judgment; `swapped` where its trial's order is the reverse of the
    /// pair's. Of a panel all members look.
    pub(super) fn of_judgment(looks: &[Look], swapped: bool) -> PairLooks {
        // A panel's members and terms make up its own looks.
        let mut own: Vec<&Look> = looks.iter().collect();
        own.retain(|look| !matches!(look.stage, Stage::Member | Stage::Term));
        // The slots that looks prefer, in the order in which they saw the responses.
        let mut winners: Vec<Side> = own
            .iter()
            .filter_map(|look| Game::of_outcome(&look.outcome, look.swapped).side())
            .collect();
        winners.retain(|side| *side != Side::Tie);
        let first = winners.iter().filter(|side| **side == Side::First);
        let last = own.last().map(|look| &look.stage);
        let order = |reverse: bool| {
            let games: Vec<Game> = own
                .iter()
                .filter(|look| Some(&look.stage) == last && (look.swapped != swapped) == reverse)
                .map(|look| Game::of_outcome(&look.outcome, swapped))
                .collect();
            match average(games.iter().filter_map(Game::shares)) {
                Some(shares) => Some(Game::of_shares(shares)),
                // The first failure stands for all.
                None => games.into_iter().next(),
            }
        };
        PairLooks {
            orders: [order(false), order(true)],
            first: first.count() as u64,
            winners: winners.len() as u64,
        }
    }
}

impl LabelledPair {
    /// Returns what the judge said in an order: where one trial holds both, in its looks.
    pub(super) fn in_order(&self, at: usize) -> Option<&Game> {
        let games = match &self.seen {
            OrdersSeen::Within(looks) => &looks.orders,
            OrdersSeen::Apart | OrdersSeen::Unordered => &self.games,
        };
        games.get(at)?.as_ref()
    }

    /// Returns the games that are trials of their own: one where it stands for both orders.
    pub(super) fn trials(&self) -> impl Iterator<Item = &Game> {
        let most = if self.seen == OrdersSeen::Apart { 2 } else { 1 };
        self.games.iter().flatten().take(most)
    }
}

const WITHIN: &str = "each trial holds both orders: accuracy and kappa are of its verdict; \
                      forward, swapped, both, consistent, first slot and counts are of the looks \
                      in each order";

const UNORDERED: &str = "the order of the responses does not enter: forward = swapped, consistent \
                         100 % and first slot 50 % hold by construction";

/// Says what holds for such pairs because of how they were judged, and what the figures are of.
pub(super) fn note_on_orders(pairs: &[LabelledPair]) -> Option<String> {
    let has = |is: fn(&OrdersSeen) -> bool| pairs.iter().any(|pair| is(&pair.seen));
    if has(|seen| matches!(seen, OrdersSeen::Within(_))) {
        Some(WITHIN.into())
    } else if has(|seen| *seen == OrdersSeen::Unordered) {
        Some(UNORDERED.into())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Verdict, VerdictSource};

    fn look(stage: &'static str, swapped: bool, shares: [f64; 3]) -> Look {
        let outcome = Ok(Verdict::pair(shares, 0.0, VerdictSource::Mixed));
        Look {
            criterion: None,
            judge: 0,
            stage: stage.into(),
            sample: 0,
            swapped,
            outcome,
        }
    }

    #[test]
    fn looks_are_told_apart_by_the_pair_s_order() {
        // The judge prefers the first slot in both orders: the trial's first, then its second.
        let looks = [
            look("", false, [1.0, 0.0, 0.0]),
            look("", true, [0.0, 0.0, 1.0]),
        ];
        let sides = |found: &PairLooks| found.orders.clone().map(|game| game.unwrap().side());
        let found = PairLooks::of_judgment(&looks, false);
        assert_eq!(sides(&found), [Some(Side::First), Some(Side::Second)]);
        assert_eq!((found.first, found.winners), (2, 2));
        // Of a trial in the reverse of the pair's order the first look is the swapped one.
        let found = PairLooks::of_judgment(&looks, true);
        assert_eq!(sides(&found), [Some(Side::First), Some(Side::Second)]);
        assert_eq!((found.first, found.winners), (2, 2));
    }

    #[test]
    fn the_last_stage_counts_and_samples_are_averaged() {
        let early = [
            look("whole", false, [1.0, 0.0, 0.0]),
            look("whole", true, [0.0, 0.0, 1.0]),
        ];
        let late = [[0.9, 0.0, 0.1], [0.2, 0.0, 0.8]].map(|shares| look("split", false, shares));
        let looks: Vec<Look> = early
            .into_iter()
            .chain(late)
            .chain([look("split", true, [0.6, 0.0, 0.4])])
            .collect();
        let found = PairLooks::of_judgment(&looks, false);
        let shares = found.orders[0].clone().unwrap().outcome.unwrap();
        assert!((shares[0] - 0.55).abs() < 1e-12, "{shares:?}");
        assert_eq!(found.orders[1].clone().unwrap().side(), Some(Side::First));
        assert_eq!((found.first, found.winners), (3, 5));
        assert_eq!(PairLooks::of_judgment(&[], false), PairLooks::default());
    }
}
