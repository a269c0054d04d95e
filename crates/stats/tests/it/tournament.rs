//! Tournaments: their laws over all sizes, and what is promised of the ranking that rests on their
//! pairs, in simulations. Few of them always, hundreds where EVENHAND_SLOW=1 is set.

use crate::common::{finite, normals, uniforms};
use evenhand_stats::adaptive::{
    Adaptive, Allocation, Layout, Order, Plan, Population, StopRule, Unit,
};
use evenhand_stats::inference::{SmallSample, sandwich_clustered};
use evenhand_stats::tournament::{DECIDING_SHARE, Meeting, Tournament};
use evenhand_stats::{Cluster, Comparison, Comparisons, Estimate, Tally, bradley_terry, sigmoid};
use evenhand_testing::is_slow;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Plays a tournament with these shares of the first of a pair, on so many items.
fn play(
    tournament: Tournament,
    systems: usize,
    seed: u64,
    items: usize,
    mut share: impl FnMut([usize; 2]) -> f64,
) -> Vec<Meeting> {
    let mut past: Vec<Meeting> = Vec::new();
    loop {
        let pairs = tournament.next_round(systems, seed, &past).unwrap();
        if pairs.is_empty() {
            return past;
        }
        let round = past.last().map_or(0, |meeting| meeting.round + 1);
        for pair in pairs {
            past.push(Meeting {
                round,
                pair,
                share: share(pair),
                items,
            });
        }
    }
}

/// The slow twin of links: everybody who is reached from system 0.
fn are_linked(systems: usize, past: &[Meeting]) -> bool {
    let mut reached = BTreeSet::from([0]);
    for _ in 0..systems {
        for meeting in past {
            if meeting.pair.iter().any(|system| reached.contains(system)) {
                reached.extend(meeting.pair);
            }
        }
    }
    reached.len() == systems
}

/// What must hold whatever the outcomes: nobody meets twice, or twice in a round; the bound on
/// meetings holds; all systems are linked in the end.
fn check_laws(tournament: Tournament, systems: usize, past: &[Meeting]) {
    let sorted = past.iter().map(|meeting| {
        let [a, b] = meeting.pair;
        assert!(a != b && a.max(b) < systems);
        [a.min(b), a.max(b)]
    });
    let different: BTreeSet<[usize; 2]> = sorted.collect();
    assert_eq!(different.len(), past.len(), "nobody meets twice");
    assert!(past.len() <= tournament.most_meetings(systems));
    assert!(are_linked(systems, past), "{tournament:?} of {systems}");
    let Tournament::Swiss { rounds } = tournament else {
        assert_eq!(past.len(), tournament.most_meetings(systems));
        return;
    };
    for round in 0..rounds {
        let of_round = past.iter().filter(|meeting| meeting.round == round);
        let playing: Vec<usize> = of_round.flat_map(|meeting| meeting.pair).collect();
        assert_eq!(BTreeSet::from_iter(&playing).len(), playing.len());
        if 2 * round + 2 < systems {
            assert_eq!(
                playing.len(),
                systems - systems % 2,
                "round {round} is full"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if is_slow() { 3000 } else { 300 }))]
    #[test]
    fn the_laws_hold_whatever_the_outcomes(
        systems in 2usize..40, extra in 0usize..40, seed: u64, mut luck: u64, kinds in 1u64..6,
    ) {
        let range = Tournament::swiss_rounds(systems);
        let rounds = (range.start() + extra).min(*range.end());
        for tournament in [Tournament::Swiss { rounds }, Tournament::Swim] {
            // Few kinds of shares, so that many stand alike.
            let past = play(tournament, systems, seed, 5, |_| {
                luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((luck >> 33) % (kinds + 1)) as f64 / kinds as f64
            });
            check_laws(tournament, systems, &past);
        }
    }
}

/// A judge who is always right: the best of 2^r systems has won every round, and the standings of a
/// Swiss tournament let the best two of 16 meet.
#[test]
fn like_meets_like() {
    let better = |[a, b]: [usize; 2]| f64::from(u8::from(a < b));
    let mut distances = [0; 8];
    for seed in 0..50 {
        let past = play(Tournament::Swiss { rounds: 8 }, 16, seed, 1, better);
        let best = past
            .iter()
            .filter(|one| one.pair.contains(&0) && one.pair.contains(&1));
        assert_eq!(best.count(), 1, "seed {seed}");
        for (round, sum) in distances.iter_mut().enumerate() {
            let of_round = past.iter().filter(|one| one.round == round);
            *sum += of_round
                .map(|one| one.pair[0].abs_diff(one.pair[1]))
                .sum::<usize>();
        }
    }
    assert!(4 * distances[2] < 3 * distances[0], "{distances:?}");
    // A newcomer's last opponent stands next to it, or nearly.
    let past = play(Tournament::Swim, 16, 3, 20, |[a, b]| {
        sigmoid(b as f64 - a as f64)
    });
    let last = past.last().unwrap().pair;
    assert!(last[0].abs_diff(last[1]) <= 4, "{last:?}");
}

#[test]
fn bad_meetings_are_refused() {
    let tournament = Tournament::Swiss { rounds: 2 };
    let with = |round, pair, share| {
        tournament
            .next_round(
                4,
                0,
                &[Meeting {
                    round,
                    pair,
                    share,
                    items: 1,
                }],
            )
            .is_err()
    };
    assert!(!with(0, [0, 1], 0.5));
    assert!(with(0, [0, 0], 0.5) && with(0, [0, 4], 0.5));
    assert!(with(0, [0, 1], 1.5) && with(0, [0, 1], f64::NAN) && with(2, [0, 1], 0.5));
}

/// A judge of systems of known strengths on items on which each does better or worse than usual.
struct World {
    strengths: Vec<f64>,
    /// How each system does on each item, beyond its strength.
    effects: Vec<Vec<f64>>,
    seed: u64,
}

const EFFECT: f64 = 0.7;

impl World {
    fn new(seed: u64, systems: usize, items: usize, spread: f64) -> World {
        let place = |system: usize| system as f64 / (systems - 1) as f64 - 0.5;
        let effects = (0..systems).map(|one| {
            normals(seed, 1000 + one as u64, items)
                .iter()
                .map(|x| EFFECT * x)
                .collect()
        });
        World {
            strengths: (0..systems).map(|one| -spread * place(one)).collect(),
            effects: effects.collect(),
            seed,
        }
    }

    /// What the first of a pair gets on each item: the mean of two looks, each a coin of the chance
    /// that the first is better there.
    fn shares(&self, [a, b]: [usize; 2]) -> Vec<f64> {
        let (low, high) = (a.min(b), a.max(b));
        let stream = 10_000 + (low * self.strengths.len() + high) as u64;
        let mut draws = uniforms(self.seed, stream);
        let ability = |one: usize, item: usize| self.strengths[one] + self.effects[one][item];
        let of_item = |item: usize| {
            let chance = sigmoid(ability(low, item) - ability(high, item));
            let mut look = || f64::from(u8::from(draws.next().unwrap() < chance));
            let share = (look() + look()) / 2.0;
            if a == low { share } else { 1.0 - share }
        };
        (0..self.effects[0].len()).map(of_item).collect()
    }

    /// The chance that a beats b on an item of the population.
    fn chance(&self, [a, b]: [usize; 2]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for step in -40..=40 {
            let z = f64::from(step) / 8.0;
            let weight = (-z * z / 2.0).exp();
            let lead =
                self.strengths[a] - self.strengths[b] + z * EFFECT * std::f64::consts::SQRT_2;
            sum += weight * sigmoid(lead);
            weights += weight;
        }
        sum / weights
    }

    /// The rows of these pairs on these items.
    fn rows(&self, pairs: &[[usize; 2]], items: std::ops::Range<usize>) -> Comparisons {
        let mut rows = Vec::new();
        for pair in pairs {
            let shares = self.shares(*pair);
            rows.extend(items.clone().map(|item| Comparison {
                item: item as u32,
                a: pair[0] as u16,
                b: pair[1] as u16,
                wins_a: shares[item],
                ties: 0.0,
                wins_b: 1.0 - shares[item],
            }));
        }
        Comparisons::new(self.strengths.len(), rows).unwrap()
    }

    /// The strengths of the population by these pairs.
    fn truth(&self, pairs: &[[usize; 2]]) -> Vec<f64> {
        let mut tally = Tally::new(self.strengths.len()).unwrap();
        for pair in pairs {
            let chance = self.chance(*pair);
            tally
                .add(pair[0], pair[1], chance, 0.0, 1.0 - chance)
                .unwrap();
        }
        finite(&bradley_terry(&tally).scores.estimates)
    }
}

/// Intervals that were made, and those that missed.
#[derive(Default)]
struct Missed {
    made: u64,
    missed: u64,
}

impl Missed {
    /// Counts the 95 % intervals of all strengths and of all differences.
    fn count(&mut self, data: &Comparisons, truth: &[f64]) {
        let estimates = bradley_terry(&data.tally()).scores.estimates;
        let few = SmallSample::Clusters;
        let Ok(covariance) = sandwich_clustered(data, Cluster::Item, &estimates, few) else {
            return;
        };
        for (system, truth) in truth.iter().enumerate() {
            if let Ok(interval) = covariance.interval(system, 0.95) {
                self.made += 1;
                let holds = interval.low.is_some_and(|low| low <= *truth)
                    && interval.high.is_some_and(|high| *truth <= high);
                self.missed += u64::from(!holds);
            }
        }
    }

    fn share(&self) -> f64 {
        self.missed as f64 / self.made.max(1) as f64
    }
}

fn tournaments(systems: usize) -> [(&'static str, Tournament); 2] {
    let range = Tournament::swiss_rounds(systems);
    let rounds = (range.start() + 1).min(*range.end());
    [
        ("swiss", Tournament::Swiss { rounds }),
        ("swim", Tournament::Swim),
    ]
}

/// How many of so many items decide who meets whom.
fn deciding_of(items: usize) -> usize {
    ((DECIDING_SHARE * items as f64) as usize).max(1)
}

/// The pairs of a tournament that is played on the first items.
fn meetings(world: &World, tournament: Tournament, deciding: usize) -> Vec<[usize; 2]> {
    let systems = world.strengths.len();
    let past = play(tournament, systems, world.seed, deciding, |pair| {
        world.shares(pair)[..deciding].iter().sum::<f64>() / deciding as f64
    });
    past.iter().map(|one| one.pair).collect()
}

/// Intervals of the ranking on the other items miss as often as they say, of equal systems too; of
/// a tournament that is played on all items and ranked on the same they miss more often.
#[test]
fn intervals_hold_on_the_items_that_decided_nothing() {
    // (systems, seeds): the more systems, the more intervals a seed has.
    let sizes: &[(usize, u64)] = match is_slow() {
        true => &[(4, 500), (8, 400), (16, 200), (32, 80)],
        false => &[(4, 60), (8, 60)],
    };
    let mut naive_of_equals = Missed::default();
    for &(systems, seeds) in sizes {
        for items in if is_slow() {
            vec![20, 100, 400]
        } else {
            vec![40]
        } {
            for spread in [0.0, 2.0] {
                for (name, tournament) in tournaments(systems) {
                    let (mut split, mut naive) = (Missed::default(), Missed::default());
                    for seed in 0..seeds {
                        let world = World::new(seed, systems, items, spread);
                        let deciding = deciding_of(items);
                        let pairs = meetings(&world, tournament, deciding);
                        split.count(&world.rows(&pairs, deciding..items), &world.truth(&pairs));
                        let pairs = meetings(&world, tournament, items);
                        naive.count(&world.rows(&pairs, 0..items), &world.truth(&pairs));
                    }
                    let (found, error) = (split.share(), (0.05 * 0.95 / seeds as f64).sqrt());
                    eprintln!(
                        "{name} of {systems}, {items} items, spread {spread}: missed {found:.3} \
                         (decided on all and ranked on all: {:.3}), standard error at most \
                         {error:.3}, {} intervals",
                        naive.share(),
                        split.made
                    );
                    assert!(
                        found < 0.05 + 3.0 * error,
                        "{name} {systems} {items} {spread}: {found}"
                    );
                    if spread == 0.0 {
                        naive_of_equals.made += naive.made;
                        naive_of_equals.missed += naive.missed;
                    }
                }
            }
        }
    }
    eprintln!(
        "decided on all and ranked on all, equal systems: {:.4}",
        naive_of_equals.share()
    );
    assert!(naive_of_equals.share() > 0.06, "why the items are split");
}

/// The share of pairs of unlike systems that are in the wrong order.
fn wrong_order(estimates: &[Estimate], truth: &[f64]) -> f64 {
    let rank = |score: &Estimate| match score {
        Estimate::Finite(score) => *score,
        Estimate::PlusInfinity => f64::INFINITY,
        Estimate::MinusInfinity => f64::NEG_INFINITY,
        Estimate::Undefined(_) => 0.0,
    };
    let (mut wrong, mut pairs) = (0.0, 0.0);
    for a in 0..truth.len() {
        for b in a + 1..truth.len() {
            let lead = rank(&estimates[a]) - rank(&estimates[b]);
            let (is_right, is_even) = ((lead > 0.0) == (truth[a] > truth[b]), lead == 0.0);
            wrong += if is_even {
                0.5
            } else {
                f64::from(u8::from(!is_right))
            };
            pairs += 1.0;
        }
    }
    wrong / pairs
}

/// Orders as adaptive design judges them with so many comparisons.
fn adaptive_rows(world: &World, items: usize, budget: Option<u64>) -> (Comparisons, u64) {
    let systems = world.strengths.len();
    let pairs: Vec<[usize; 2]> = (0..systems)
        .flat_map(|a| (a + 1..systems).map(move |b| [a, b]))
        .collect();
    let orders: Vec<Order> = (0..pairs.len() as u64)
        .map(|pair| Order::random(items, Population::Finite, world.seed, pair).unwrap())
        .collect();
    let shares: Vec<Vec<f64>> = pairs.iter().map(|pair| world.shares(*pair)).collect();
    let plan = Plan {
        systems,
        layout: Layout::Pairs(orders),
        alpha: 0.05,
        stop: StopRule::AllPairs,
        budget,
        allocation: Allocation::Adaptive,
    };
    let (mut design, mut rows) = (Adaptive::new(plan).unwrap(), Vec::new());
    while design.stop_reason().is_none() {
        for wanted in design.next_judgments(4 * pairs.len()) {
            let Unit::Pair(a, b) = wanted.unit else {
                panic!("pairs")
            };
            let at = pairs.iter().position(|pair| *pair == [a, b]).unwrap();
            let share = shares[at][wanted.item as usize];
            design.observe(wanted.unit, wanted.place, share).unwrap();
            rows.push(Comparison {
                item: wanted.item,
                a: a as u16,
                b: b as u16,
                wins_a: share,
                ties: 0.0,
                wins_b: 1.0 - share,
            });
        }
    }
    (Comparisons::new(systems, rows).unwrap(), design.judged())
}

/// The error of the order beside the comparisons used. It is no promise; the table is in
/// docs/design/adaptive.md.
#[test]
fn what_the_order_costs() {
    let (sizes, seeds): (&[usize], u64) = match is_slow() {
        true => (&[4, 8, 16, 32], 40),
        false => (&[8], 4),
    };
    for &systems in sizes {
        for items in if is_slow() {
            vec![20, 100, 400]
        } else {
            vec![40]
        } {
            let everybody: Vec<[usize; 2]> = (0..systems)
                .flat_map(|a| (a + 1..systems).map(move |b| [a, b]))
                .collect();
            let mut rows: Vec<(String, Vec<f64>, f64)> = [
                "round robin",
                "swiss",
                "swim",
                "adaptive, as many as swiss",
                "adaptive, to the end",
            ]
            .map(|name| (name.to_owned(), Vec::new(), 0.0))
            .into();
            for seed in 0..seeds {
                let world = World::new(seed, systems, items, 3.0);
                let truth = &world.strengths;
                let mut add = |at: usize, data: &Comparisons, made: u64| {
                    let estimates = bradley_terry(&data.tally()).scores.estimates;
                    rows[at].1.push(wrong_order(&estimates, truth));
                    rows[at].2 += made as f64 / seeds as f64;
                };
                let all = world.rows(&everybody, 0..items);
                add(0, &all, (everybody.len() * items) as u64);
                let mut budget = 0;
                for (at, (_, tournament)) in tournaments(systems).into_iter().enumerate() {
                    let deciding = deciding_of(items);
                    let pairs = meetings(&world, tournament, deciding);
                    let made = (pairs.len() * items) as u64;
                    add(1 + at, &world.rows(&pairs, deciding..items), made);
                    if at == 0 {
                        budget = made;
                    }
                }
                let (data, made) = adaptive_rows(&world, items, Some(budget));
                add(3, &data, made);
                // A design of hundreds of pairs to its end takes minutes.
                if systems <= 16 && items <= 100 {
                    let (data, made) = adaptive_rows(&world, items, None);
                    add(4, &data, made);
                }
            }
            for (name, wrong, made) in rows.iter().filter(|row| !row.1.is_empty()) {
                let n = wrong.len() as f64;
                let mean = wrong.iter().sum::<f64>() / n;
                let squares = wrong.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
                let error = (squares / (n - 1.0) / n).sqrt();
                eprintln!(
                    "{systems} systems, {items} items, {name}: {made:.0} comparisons, wrong order {mean:.3} ({error:.3})"
                );
            }
            let wrong = |at: usize| rows[at].1.iter().sum::<f64>() / rows[at].1.len() as f64;
            assert!(
                wrong(1) < 0.4 && wrong(2) < 0.4,
                "an order is better than none"
            );
        }
    }
}
