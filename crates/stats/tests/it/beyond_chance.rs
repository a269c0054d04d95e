//! Intervals of kappa and alpha hold what they promise, above all where agreement is next to
//! perfect or labels of a kind are rare. `EVENHAND_SLOW=1` makes 1,000 data sets a cell, of all
//! cells.

use crate::common::Draws;
use evenhand_stats::{
    Confusion, Error, Interval, Measurement, preference_alpha, preference_alpha_interval,
    preference_kappa, preference_kappa_interval,
};
use evenhand_testing::is_slow;

/// People who say which of two responses is better.
#[derive(Clone, Copy)]
struct World {
    /// Pairs of a question, and the chance that one is labelled as the question's first kind is.
    pairs: usize,
    alike: f64,
    people: usize,
    /// The chance that one does not say anything.
    missing: f64,
    /// The share of ties, and of the others that the second is better.
    tied: f64,
    second: f64,
    /// The chance that one says what is so, and does not draw.
    right: f64,
}

/// What each of the people says of a pair, 0 for the first, 1 for a tie.
type Said = Vec<Option<usize>>;

impl World {
    fn label(self, draws: &mut Draws) -> usize {
        match (draws.uniform() < self.tied, draws.uniform() < self.second) {
            (true, _) => 1,
            (_, is_second) => 2 * usize::from(is_second),
        }
    }

    fn question(self, draws: &mut Draws) -> Vec<Said> {
        let kind = |draws: &mut Draws| {
            let label = self.label(draws);
            let people = (0..self.people).map(|_| draws.uniform() < self.right);
            (label, people.collect::<Vec<bool>>())
        };
        let first = kind(draws);
        let pairs = (0..self.pairs).map(|_| {
            let (label, right) = match draws.uniform() < self.alike {
                true => first.clone(),
                false => kind(draws),
            };
            let said = right.into_iter().map(|right| {
                let said = if right { label } else { self.label(draws) };
                (draws.uniform() >= self.missing).then_some(said)
            });
            said.collect()
        });
        pairs.collect()
    }

    /// The first of the people beside each other one, question by question.
    fn tables(questions: &[Vec<Said>]) -> Vec<Confusion> {
        let tables = questions.iter().map(|pairs| {
            let mut counts = vec![0.0; 9];
            for said in pairs {
                let Some(own) = said[0] else { continue };
                for other in said[1..].iter().flatten() {
                    counts[3 * own + other] += 1.0;
                }
            }
            Confusion::new(3, counts).unwrap()
        });
        tables.collect()
    }

    fn kappa(tables: &[Confusion]) -> Result<f64, Error> {
        let mut counts = vec![0.0; 9];
        for table in tables {
            for (at, count) in counts.iter_mut().enumerate() {
                *count += table.count(at / 3, at % 3);
            }
        }
        Ok(preference_kappa(&Confusion::new(3, counts)?)?.value)
    }

    /// Ratings of each pair, and its question.
    fn ratings(questions: &[Vec<Said>]) -> (Vec<Vec<Option<f64>>>, Vec<u32>) {
        let pairs = (0..).zip(questions).flat_map(|(question, pairs)| {
            let ratings = |said: &Said| {
                let of = |said: &Option<usize>| said.map(|said| said as f64 - 1.0);
                said.iter().map(of).collect::<Vec<_>>()
            };
            pairs.iter().map(move |said| (ratings(said), question))
        });
        pairs.unzip()
    }
}

/// How often an interval missed the truth.
#[derive(Default)]
struct Missed {
    of: f64,
    missed: f64,
}

impl Missed {
    fn add(&mut self, truth: f64, interval: Result<Interval, Error>) {
        if let Ok(found) = interval {
            let [low, high] = [found.low, found.high].map(Option::unwrap);
            self.of += 1.0;
            self.missed += f64::from(u8::from(truth < low - 1e-9 || truth > high + 1e-9));
        }
    }
}

#[test]
fn intervals_of_kappa_and_alpha_hold() {
    let data_sets = if is_slow() { 1000 } else { 200 };
    println!("missed by 95 % intervals, {data_sets} data sets each: kappa, alpha nominal, ordinal");
    let reach = 3.0 * (0.05 * 0.95 / f64::from(data_sets)).sqrt();
    let mut over = Vec::new();
    for (people, missing) in [(2, 0.0), (5, 0.3)] {
        for (pairs, alike) in [(1, 0.0), (3, 0.6), (6, 1.0)] {
            for tied in [0.0, 0.3, 0.9] {
                for right in [0.0, 0.5, 0.9, 0.97] {
                    let world = World {
                        pairs,
                        alike,
                        people,
                        missing,
                        tied,
                        second: 0.3,
                        right,
                    };
                    if !is_slow() && (pairs == 6 || tied == 0.3 || right == 0.5) {
                        continue;
                    }
                    let mut draws = Draws::new(1, 21);
                    let large = (0..60_000 / pairs).map(|_| world.question(&mut draws));
                    let large: Vec<Vec<Said>> = large.collect();
                    let kappa = World::kappa(&World::tables(&large)).unwrap();
                    let (ratings, _) = World::ratings(&large);
                    let scales = [Measurement::Nominal, Measurement::Ordinal];
                    let alphas =
                        scales.map(|scale| preference_alpha(&ratings, scale).unwrap().value);
                    for questions in [10, 20, 40, 100] {
                        let mut missed: [Missed; 3] = Default::default();
                        for seed in 0..u64::from(data_sets as u32) {
                            let mut draws = Draws::new(seed, 22);
                            let found = (0..questions).map(|_| world.question(&mut draws));
                            let found: Vec<Vec<Said>> = found.collect();
                            let tables = World::tables(&found);
                            missed[0].add(kappa, preference_kappa_interval(&tables, 0.95));
                            let (ratings, clusters) = World::ratings(&found);
                            for (at, scale) in scales.into_iter().enumerate() {
                                let interval =
                                    preference_alpha_interval(&ratings, &clusters, scale, 0.95);
                                missed[at + 1].add(alphas[at], interval);
                            }
                        }
                        let shares = missed.map(|it| it.missed / it.of.max(1.0));
                        let line = format!(
                            "{people} people, {questions} x {pairs} alike {alike}, tied {tied}, right \
                             {right}: kappa {kappa:.2}: {:.3} {:.3} {:.3}",
                            shares[0], shares[1], shares[2]
                        );
                        println!("{line}");
                        if shares.iter().any(|share| *share > 0.05 + reach) {
                            over.push(line);
                        }
                    }
                }
            }
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}
