//! Ratings that are moved by one game after another.

use crate::checks::{Entry, check_lengths, check_pair, check_setting, check_systems, check_weight};
use crate::data::ClusterSizes;
use crate::{Error, Estimate, LIMIT, Scores};
use std::collections::BTreeMap;

/// Ratings closer than this are rounding, and share a rank; in Elo points of the default scale.
const RESOLUTION: f64 = 1e-9;

/// One game, in the order in which games were played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Game {
    /// One system.
    pub a: u16,
    /// The other system.
    pub b: u16,
    /// The outcome for `a`, in [0, 1]: 1 if it won, 0.5 for a tie, 0 if `b` won.
    pub score: f64,
    /// Multiplies k; from 0 to 1e100, usually 1.
    pub weight: f64,
}

/// The options of Elo ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The most points that a game of weight 1 can move a rating by; above 0, at most 1e100.
    pub k: f64,
    /// The rating of a system before its first game; at most 1e100 in size.
    pub start: f64,
    /// The odds of a system that is ahead by one `scale`; above 1, at most 1e100.
    pub base: f64,
    /// The lead in points that multiplies the odds by `base`; from 1e-100 to 1e100.
    pub scale: f64,
}

impl Default for Elo {
    /// k 4, start 1000, base 10, scale 400.
    fn default() -> Self {
        Elo {
            k: 4.0,
            start: 1000.0,
            base: 10.0,
            scale: 400.0,
        }
    }
}

impl Elo {
    fn check(&self) -> Result<(), Error> {
        let good = self.k > 0.0 && self.k <= LIMIT;
        let expected = "a number above 0, at most 1e100, such as 4";
        check_setting("k of Elo", self.k, good, expected)?;
        let good = self.start.abs() <= LIMIT;
        let expected = "a number between -1e100 and 1e100, such as 1000";
        check_setting("start of Elo", self.start, good, expected)?;
        let good = self.base > 1.0 && self.base <= LIMIT;
        let expected = "a number above 1, at most 1e100, such as 10";
        check_setting("base of Elo", self.base, good, expected)?;
        let good = (1.0 / LIMIT..=LIMIT).contains(&self.scale);
        let expected = "a number from 1e-100 to 1e100, such as 400";
        check_setting("scale of Elo", self.scale, good, expected)
    }
}

/// Elo ratings after all games in the order given (Elo 1978), systems 0 to `systems` - 1.
///
/// ```text
/// expected = 1 / (1 + base^((rating(b) - rating(a)) / scale))
/// rating(a) += k * weight * (score - expected),   rating(b) -= the same
/// ```
///
/// Undefined ([`crate::Undefined::NoData`]) for a system without games of any weight. The order of
/// games matters: [`crate::elo_permuted`] takes the mean over many.
///
/// # Errors
/// Options out of range; too many systems; an unknown system, a system against itself, a score
/// outside [0, 1] or a weight outside [0, 1e100], with the position of the game.
pub fn elo(systems: usize, games: &[Game], options: Elo) -> Result<Scores, Error> {
    let mut run = EloRun::new(systems, options)?;
    for (row, game) in games.iter().enumerate() {
        check_game(row, game, systems)?;
        run.play(game);
    }
    Ok(run.scores())
}

/// Returns how many clusters of one size each system's rating rests on as much as on its own
/// ([`ClusterSizes`]).
///
/// A cluster is as large as its games still move the rating at the end: by their weights, and the
/// late ones most, as each game takes back a part of the lead that stood before it.
///
/// # Errors
/// Those of [`elo`]; not one cluster for each game.
pub fn elo_clusters(
    systems: usize,
    games: &[Game],
    clusters: &[u32],
    options: Elo,
) -> Result<Vec<usize>, Error> {
    check_lengths(games.len(), clusters.len())?;
    let mut run = EloRun::new(systems, options)?;
    let mut kept = Vec::with_capacity(games.len());
    for (row, game) in games.iter().enumerate() {
        check_game(row, game, systems)?;
        let [a, b] = [game.a, game.b].map(|system| run.seats[usize::from(system)].rating);
        let chance = 1.0 / (1.0 + ((b - a) * run.unit).exp());
        // By how much a lead of one point is less after the game.
        let taken = 2.0 * options.k * game.weight * run.unit * chance * (1.0 - chance);
        kept.push((1.0 - taken).max(0.0));
        run.play(game);
    }
    let mut left = vec![1.0; systems];
    let mut sizes = BTreeMap::<(u16, u32), f64>::new();
    for ((game, &cluster), kept) in games.iter().zip(clusters).zip(kept).rev() {
        for system in [game.a, game.b] {
            let left = &mut left[usize::from(system)];
            *sizes.entry((system, cluster)).or_default() += *left * game.weight;
            *left *= kept;
        }
    }
    let mut found = vec![ClusterSizes::default(); systems];
    for ((system, _), size) in sizes {
        found[usize::from(system)].add(size);
    }
    Ok(found.iter().map(ClusterSizes::clusters).collect())
}

pub(super) fn check_game(row: usize, game: &Game, systems: usize) -> Result<(), Error> {
    check_pair(row, game.a.into(), game.b.into(), systems)?;
    check_weight(row, "weight", game.weight)?;
    check_score(row, game.score)
}

fn check_score(row: usize, score: f64) -> Result<(), Error> {
    let found = Entry::new(row, "score", score);
    found.require_within(0.0..=1.0, "from 0 (b won) to 1 (a won)")
}

/// Elo ratings in the making, for games that come one at a time: 16 bytes for each system and none
/// for a game.
///
/// ```
/// use evenhand_stats::{Elo, EloRun};
///
/// let mut run = EloRun::new(0, Elo::default())?;
/// run.push(0, 1, 1.0)?;
/// // Equals: 0.5 was expected of the winner, so 4 * (1 - 0.5) = 2 points change hands.
/// assert_eq!(run.scores().estimates[0].finite(), Some(1002.0));
/// # Ok::<(), evenhand_stats::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EloRun {
    options: Elo,
    /// ln(base) / scale.
    unit: f64,
    seats: Vec<Seat>,
    games: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Seat {
    rating: f64,
    weight: f64,
}

impl Seat {
    fn new(rating: f64) -> Seat {
        Seat {
            rating,
            weight: 0.0,
        }
    }
}

impl EloRun {
    /// No games yet; there are `systems` systems, or more if a game brings them.
    ///
    /// # Errors
    /// Options out of range, or more than [`crate::MAX_SYSTEMS`] systems.
    pub fn new(systems: usize, options: Elo) -> Result<Self, Error> {
        options.check()?;
        check_systems(systems)?;
        Ok(EloRun {
            options,
            unit: options.base.ln() / options.scale,
            seats: vec![Seat::new(options.start); systems],
            games: 0,
        })
    }

    /// One more game of weight 1, in which `a` scored 1 (won), 0.5 (tied) or 0 (`b` won), or
    /// anything between. Systems not seen before are added.
    ///
    /// # Errors
    /// A system against itself, more than [`crate::MAX_SYSTEMS`] systems, or a score outside [0,
    /// 1]; nothing is changed then.
    #[inline]
    pub fn push(&mut self, a: u16, b: u16, score: f64) -> Result<(), Error> {
        self.push_game(&Game {
            a,
            b,
            score,
            weight: 1.0,
        })
    }

    /// One more game of any weight.
    ///
    /// # Errors
    /// Those of [`EloRun::push`], and a weight outside [0, 1e100].
    #[inline]
    pub fn push_game(&mut self, game: &Game) -> Result<(), Error> {
        check_weight(self.games, "weight", game.weight)?;
        check_score(self.games, game.score)?;
        if game.a == game.b || usize::from(game.a.max(game.b)) >= self.seats.len() {
            self.make_room(game.a, game.b)?;
        }
        self.play(game);
        Ok(())
    }

    /// The ratings so far; as many as the highest system number seen needs.
    pub fn scores(&self) -> Scores {
        let seats = self.seats.iter();
        // Only a system that has played has a rating.
        let estimates = seats.clone().map(|seat| {
            let rating = (seat.weight > 0.0).then_some(seat.rating);
            Estimate::or_no_data(rating)
        });
        let weight = seats.map(|seat| seat.weight).collect();
        Scores::ranked(estimates.collect(), weight, RESOLUTION)
    }

    /// Makes room for both systems.
    #[cold]
    fn make_room(&mut self, a: u16, b: u16) -> Result<(), Error> {
        let systems = self.seats.len().max(usize::from(a.max(b)) + 1);
        check_pair(self.games, a.into(), b.into(), systems)?;
        check_systems(systems)?;
        self.seats.resize(systems, Seat::new(self.options.start));
        Ok(())
    }

    /// Plays a game of systems that have a seat; others change nothing.
    #[inline]
    pub(super) fn play(&mut self, game: &Game) {
        let (a, b) = (usize::from(game.a), usize::from(game.b));
        let (Some(&first), Some(&second)) = (self.seats.get(a), self.seats.get(b)) else {
            return;
        };
        // k * weight * (score - expected), so written that as little as can be waits for the
        // exponential.
        let most = self.options.k * game.weight;
        let lead = second.rating - first.rating;
        let moved = most * game.score - most / (1.0 + (lead * self.unit).exp());
        self.seats[a] = Seat {
            rating: first.rating + moved,
            weight: first.weight + game.weight,
        };
        self.seats[b] = Seat {
            rating: second.rating - moved,
            weight: second.weight + game.weight,
        };
        self.games += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(weights: &[f64], clusters: &[u32]) -> Vec<usize> {
        let games = weights.iter().map(|&weight| Game {
            a: 0,
            b: 1,
            score: 0.5,
            weight,
        });
        let games: Vec<Game> = games.collect();
        elo_clusters(3, &games, clusters, Elo::default()).unwrap()
    }

    #[test]
    fn a_rating_rests_on_what_still_moves_it() {
        // The third system has not played.
        assert_eq!(clusters(&[1.0; 4], &[5, 6, 7, 8]), [4, 4, 0]);
        assert_eq!(clusters(&[1.0; 4], &[5, 5, 5, 5]), [1, 1, 0]);
        assert_eq!(clusters(&[0.0, 1.0], &[0, 1]), [1, 1, 0]);
        // As much twice as once, and two that weigh most.
        assert_eq!(clusters(&[0.1; 8], &[0, 0, 1, 1, 2, 2, 3, 3]), [4, 4, 0]);
        let weights: Vec<f64> = (0..40).map(|i| if i < 2 { 9.0 } else { 0.1 }).collect();
        assert_eq!(clusters(&weights, &Vec::from_iter(0..40)), [2, 2, 0]);
        // Each game takes back 8 ln 10 / 1600 of a lead: 1 / 0.01151 of them are left.
        let many = Vec::from_iter(0..10_000);
        assert_eq!(clusters(&[1.0; 10_000], &many), [87, 87, 0]);
        // What a huge game leaves of those before it is nothing.
        assert_eq!(clusters(&[1.0, 1e100], &[0, 1]), [1, 1, 0]);
    }
}
