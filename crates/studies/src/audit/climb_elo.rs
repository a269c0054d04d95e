//! Elo ratings of a field before and after its lowest systems are rewritten, with intervals: figure
//! 4 of Tripathi et al. 2025.
//!
//! A rating is the mean over shuffles of the games: one order alone would decide much. Intervals
//! are of the bootstrap over questions. In each round the questions are drawn once for all states
//! of the field, and the games of every state are played in the same orders, so that what a system
//! gains is a paired difference.

use super::rows::mean;
use crate::Figure;
use evenhand_stats::{
    Bootstrap, Comparison, Elo, EloRun, Error, Estimate, Game, Undefined, draw_numbers,
    elo_permuted, percentile_interval, resample,
};

/// The games of all pairs in one state of the field, by item; the wins of both add up to 1.
pub(super) type Games = Vec<Comparison>;

/// Orders of the games over which ratings are averaged.
const ORDERS: usize = 100;
/// Orders in a round of the bootstrap, and how many rounds there are.
const ORDERS_OF_A_ROUND: u64 = 8;
const ROUNDS: usize = 500;

/// The states of the field: before, asked again, rewritten, and in the neutral rewrite.
pub(super) const STATES: usize = 4;

/// Returns a game for Elo, counted so often.
fn elo_game(game: &Comparison, weight: f64) -> Game {
    Game {
        a: game.a,
        b: game.b,
        score: game.wins_a,
        weight,
    }
}

/// The ratings of a system in all states; None where it did not play.
pub(super) type StateRatings = [Option<f64>; STATES];

/// How the ratings are made.
#[derive(Clone, Copy)]
pub(super) struct EloPlan<'a> {
    pub(super) systems: usize,
    /// The number of the question that each item asks.
    pub(super) questions: &'a [u32],
    pub(super) seed: u64,
    pub(super) level: f64,
}

/// The ratings of all systems in all states.
pub(super) struct EloRatings {
    /// By system.
    points: Vec<StateRatings>,
    /// By round of the bootstrap, then system; empty where there are too few questions.
    rounds: Vec<Vec<StateRatings>>,
    /// By system: the ratings of a round in which every question is drawn once.
    centre: Vec<StateRatings>,
    level: f64,
}

impl EloPlan<'_> {
    /// Rates all systems in all states.
    pub(super) fn rate(self, states: &[Games; STATES]) -> Result<EloRatings, Error> {
        // Over all orders.
        let mut points = vec![[None; STATES]; self.systems];
        for (state, games) in states.iter().enumerate() {
            let played: Vec<Game> = games.iter().map(|game| elo_game(game, 1.0)).collect();
            let elo = elo_permuted(self.systems, &played, Elo::default(), ORDERS, self.seed, 1)?;
            for (point, rating) in points.iter_mut().zip(elo.scores.estimates) {
                point[state] = rating.finite();
            }
        }

        let orders = states.each_ref().map(|games| orders_of(games, self.seed));
        let clusters = self.questions.iter().max();
        let clusters = clusters.map_or(0, |last| *last as usize + 1);
        // There is nothing to draw from fewer than two questions.
        let mut rounds = Vec::new();
        if clusters >= 2 {
            let plan = Bootstrap {
                rounds: ROUNDS,
                level: self.level,
                seed: self.seed,
                threads: 0,
            };
            for round in resample(clusters, &plan, |weights| self.round(&orders, weights))? {
                rounds.push(round?);
            }
        }
        Ok(EloRatings {
            points,
            rounds,
            centre: self.round(&orders, &vec![1.0; clusters])?,
            level: self.level,
        })
    }

    /// Rates where each question counts so often: the mean over the orders of a round.
    fn round(
        self,
        states: &[Vec<Vec<&Comparison>>; STATES],
        weights: &[f64],
    ) -> Result<Vec<StateRatings>, Error> {
        let mut ratings = vec![[None; STATES]; self.systems];
        for (state, orders) in states.iter().enumerate() {
            for games in orders {
                for (rating, played) in ratings.iter_mut().zip(self.play(games, weights)?) {
                    let part = played.map(|played| played / ORDERS_OF_A_ROUND as f64);
                    rating[state] = part.map(|part| rating[state].unwrap_or(0.0) + part);
                }
            }
        }
        Ok(ratings)
    }

    /// Plays games in their order, each as often as its question counts.
    fn play(self, games: &[&Comparison], weights: &[f64]) -> Result<Vec<Option<f64>>, Error> {
        let mut run = EloRun::new(self.systems, Elo::default())?;
        for game in games {
            let question = self.questions[game.item as usize];
            let weight = weights[question as usize];
            // A question that was not drawn moves nobody.
            if weight > 0.0 {
                run.push_game(&elo_game(game, weight))?;
            }
        }
        let ratings = run.scores().estimates.into_iter();
        Ok(ratings.map(Estimate::finite).collect())
    }
}

/// Returns games in each order of a round, which are the same in every round: they depend on the
/// seed and the number of the order alone.
fn orders_of(games: &[Comparison], seed: u64) -> Vec<Vec<&Comparison>> {
    (0..ORDERS_OF_A_ROUND)
        .map(|order| {
            let mut shuffled: Vec<&Comparison> = games.iter().collect();
            // Numbers below the largest that is drawn: a remainder of so many is as good as even.
            let mut numbers = draw_numbers(seed ^ u64::MAX, order, u32::MAX);
            for last in (1..games.len()).rev() {
                let drawn = numbers.next().unwrap_or(0) as usize;
                shuffled.swap(last, drawn % (last + 1));
            }
            shuffled
        })
        .collect()
}

impl EloRatings {
    /// Returns a figure of a system: of its ratings in the states, `value`.
    pub(super) fn figure(
        &self,
        system: usize,
        value: impl Fn(&StateRatings) -> Option<f64>,
    ) -> Result<Figure, Error> {
        self.figure_of(|field| value(&field[system]))
    }

    /// Returns a figure of the mean of several systems.
    pub(super) fn mean_figure(
        &self,
        systems: &[u32],
        value: impl Fn(&StateRatings) -> Option<f64>,
    ) -> Result<Figure, Error> {
        self.figure_of(|field| {
            let values = systems.iter().map(|system| value(&field[*system as usize]));
            let values: Option<Vec<f64>> = values.collect();
            mean(&values?)
        })
    }

    /// Returns a figure with the interval of the rounds.
    fn figure_of(&self, value: impl Fn(&[StateRatings]) -> Option<f64>) -> Result<Figure, Error> {
        let point = value(&self.points);
        // A round has fewer orders than the point, which moves all rounds alike; that is taken off.
        let centre = value(&self.centre);
        let shift = point
            .zip(centre)
            .map_or(0.0, |(point, centre)| point - centre);
        let number = |found: Option<f64>| {
            found.map_or(Estimate::Undefined(Undefined::NoData), Estimate::Finite)
        };
        let rounds = self.rounds.iter();
        let rounds: Vec<Estimate> = rounds
            .map(|round| number(value(round).map(|found| found + shift)))
            .collect();
        let interval = percentile_interval(number(point), &rounds, self.level);
        Figure::new(point.ok_or(Error::Undefined(Undefined::NoData)), interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_testing::is_slow;

    /// A field of three systems, of which the last beats the others with these chances before and
    /// after; the draws follow from the seed.
    fn field(chances: [f64; 2], items: u32, seed: u64) -> [Games; 2] {
        let mut numbers = draw_numbers(seed, 0, 1 << 30);
        chances.map(|chance| {
            let pairs = [
                ([0, 1], 0.5),
                ([0, 2], 1.0 - chance),
                ([1, 2], 1.0 - chance),
            ];
            let all = (0..items).flat_map(|item| pairs.map(|pair| (item, pair)));
            all.map(|(item, ([a, b], chance))| {
                let a_won = f64::from(numbers.next().unwrap()) < chance * f64::from(1 << 30);
                Comparison::won(item, a, b, a_won)
            })
            .collect()
        })
    }

    fn gained(chances: [f64; 2], items: u32, seed: u64) -> Figure {
        let [before, after] = field(chances, items, seed);
        let questions: Vec<u32> = (0..items).collect();
        let plan = EloPlan {
            systems: 3,
            questions: &questions,
            seed,
            level: 0.9,
        };
        let states = [before.clone(), before.clone(), after, before];
        let ratings = plan.rate(&states).unwrap();
        let gain = |states: &StateRatings| Some(states[2]? - states[0]?);
        ratings.figure(2, gain).unwrap()
    }

    #[test]
    fn a_climb_is_measured_and_standing_still_is_not_one() {
        let climb = gained([0.2, 0.7], 60, 1);
        let [low, high] = climb.ci.unwrap().map(Option::unwrap);
        let value = climb.value.unwrap();
        assert!(low > 0.0 && low < value && value < high, "{climb:?}");
        let [before, _] = field([0.3, 0.3], 30, 2);
        let questions: Vec<u32> = (0..30).collect();
        let plan = EloPlan {
            systems: 3,
            questions: &questions,
            seed: 2,
            level: 0.9,
        };
        let same = plan.rate(&[(); STATES].map(|()| before.clone())).unwrap();
        let still = same.mean_figure(&[1, 2], |states| Some(states[2]? - states[0]?));
        let still = still.unwrap();
        assert_eq!((still.value, still.ci), (Some(0.0), Some([Some(0.0); 2])));
    }

    #[test]
    fn a_single_question_has_no_interval() {
        let figure = gained([0.2, 0.7], 1, 3);
        assert!(figure.value.is_some() && figure.ci.is_none(), "{figure:?}");
        assert!(figure.note.is_some());
    }

    /// The gain whose mean over many fields is known holds in about as many intervals as promised.
    #[test]
    fn intervals_hold_the_true_gain() {
        let chances = [0.3, 0.6];
        let fields = if is_slow() { 400 } else { 40 };
        let figures: Vec<Figure> = (0..fields)
            .map(|seed| gained(chances, 40, seed + 10))
            .collect();
        let values: Vec<f64> = figures.iter().filter_map(|figure| figure.value).collect();
        let truth = mean(&values).unwrap();
        let holds = |figure: &&Figure| {
            let [low, high] = figure.ci.unwrap().map(Option::unwrap);
            (low..=high).contains(&truth)
        };
        let share = figures.iter().filter(holds).count() as f64 / fields as f64;
        eprintln!(
            "Elo gained: {truth:.1} held by {:.1} % of 90 % intervals",
            100.0 * share
        );
        assert!((0.78..=0.99).contains(&share), "{share}");
    }
}
