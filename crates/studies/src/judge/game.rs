//! What a judge said of a pair: in each order, and in the looks of a trial that holds both.

use evenhand_core::{Look, Outcome, Side, Stage, Verdict, average};
use evenhand_stats::sigmoid;

/// What a judge said of a pair in one order, in terms of the pair: first is the pair's a, second
/// its b, whichever was shown first.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The probabilities of "a is better", "a tie", "b is better", which sum to 1; or the kind of
    /// failure.
    pub outcome: Result<[f64; 3], String>,
    /// The score of a less that of b, where the verdict is the comparison of two scores.
    pub margin: Option<f64>,
    /// What the source recorded, where it records a verdict beside the text; the inner None where
    /// it found no verdict.
    pub recorded: Option<Option<Side>>,
    /// Why no verdict was read, or another than the source recorded; for a person. None of a live
    /// judge's game.
    pub why: Option<String>,
}

impl Game {
    /// Returns a game that nothing was recorded of beside these shares.
    pub(crate) fn of_shares(shares: [f64; 3]) -> Game {
        Game::of_result(Ok(shares))
    }

    pub(super) fn failed(kind: impl Into<String>) -> Game {
        Game::of_result(Err(kind.into()))
    }

    fn of_result(outcome: Result<[f64; 3], String>) -> Game {
        Game {
            outcome,
            margin: None,
            recorded: None,
            why: None,
        }
    }

    /// Compares the scores of a and b, of which the higher is better.
    pub(super) fn of_scores(a: f64, b: f64) -> Game {
        Game {
            margin: Some(a - b),
            ..Game::of_shares(Side::of_scores([a, b]).certain())
        }
    }

    /// Compares the scores of a and b, of which the difference is the log-odds that a is better.
    pub(super) fn of_log_odds(a: f64, b: f64) -> Game {
        let first = sigmoid(a - b);
        Game {
            margin: Some(a - b),
            ..Game::of_shares([first, 0.0, 1.0 - first])
        }
    }

    /// Returns what was said, in terms of the reverse of its slots where they are `swapped`.
    pub(super) fn of_outcome(outcome: &Outcome, swapped: bool) -> Game {
        let shares = match outcome {
            Ok(Verdict::Listwise { places, .. }) => {
                let side = match places[..] {
                    // The smaller place is the better one.
                    [first, second] => Side::of_scores([second, first]),
                    _ => Side::Tie,
                };
                Ok(side.certain())
            }
            Ok(verdict) => verdict.preference().ok_or("invalid"),
            Err(failure) => Err(failure.kind.name()),
        };
        let game = Game::of_result(shares.map_err(String::from));
        if swapped { game.turned() } else { game }
    }

    /// Turns a game in terms of the slots to those of a pair whose b was shown first.
    pub(super) fn turned(self) -> Game {
        Game {
            outcome: self
                .outcome
                .map(|[first, tie, second]| [second, tie, first]),
            margin: self.margin.map(|margin| -margin),
            recorded: self.recorded.map(|side| side.map(Side::swapped)),
            why: self.why,
        }
    }

    /// Returns the verdict's probabilities, if there is a verdict.
    pub(super) fn shares(&self) -> Option<[f64; 3]> {
        self.outcome.as_ref().ok().copied()
    }

    /// Returns the verdict's side, if there is a verdict.
    pub fn side(&self) -> Option<Side> {
        self.shares().map(Side::of)
    }
}

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
    fn log_odds_say_how_sure_a_score_is() {
        let game = Game::of_log_odds(1.0 + 3f64.ln(), 1.0);
        let [first, tie, second] = game.shares().unwrap();
        assert!((first - 0.75).abs() < 1e-12 && tie == 0.0 && (second - 0.25).abs() < 1e-12);
        assert_eq!(game.side(), Some(Side::First));
        assert_eq!(Game::of_log_odds(2.0, 2.0).side(), Some(Side::Tie));
        assert_eq!(
            Game::of_log_odds(-700.0, 700.0).shares(),
            Some([0.0, 0.0, 1.0])
        );
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
