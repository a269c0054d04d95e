//! How often "on the same pairs" errs: two methods of equal accuracy that look once or twice, and
//! agree with themselves more or less. A small form runs always; with EVENHAND_SLOW=1 the whole
//! table, as `make test-slow` has it.

use evenhand_core::Side;
use evenhand_stats::{Bootstrap, draw_numbers};
use evenhand_studies::judge::{Game, JudgedPairs, LabelledPair, Settings, paired_differences};
use evenhand_testing::is_slow_or_skips;

/// How two methods look at a pair.
#[derive(Clone, Copy, Debug)]
enum Design {
    /// One look against the mean of two.
    OneAndTwo,
    /// Two looks that err apart against two that err together.
    ApartAndTogether,
    /// One look against two, which agree on most pairs: hard pairs are hard for both.
    Shared,
    /// As the first, four pairs an item, all of which are hard or easy.
    Clusters,
}

const DESIGNS: [Design; 4] = [
    Design::OneAndTwo,
    Design::ApartAndTogether,
    Design::Shared,
    Design::Clusters,
];

/// What came of many data sets.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    sets: usize,
    /// P-values below 0.05.
    told_apart: usize,
    /// Intervals without the true difference.
    missed: usize,
    /// Intervals that say another thing than the p-value.
    contradictions: usize,
}

impl Found {
    fn share(self, count: usize) -> f64 {
        count as f64 / self.sets as f64
    }

    /// The standard error of a share of 0.05.
    fn error(self) -> f64 {
        (0.05 * 0.95 / self.sets as f64).sqrt()
    }
}

fn game(right: bool) -> Option<Game> {
    let shares = match right {
        true => [1.0, 0.0, 0.0],
        false => [0.0, 0.0, 1.0],
    };
    Some(Game {
        outcome: Ok(shares),
        margin: None,
        recorded: None,
        why: None,
    })
}

/// Two methods on the same pairs, right with these chances.
fn two_methods(design: Design, chances: [f64; 2], items: usize, seed: u64) -> [JudgedPairs; 2] {
    let mut draws = draw_numbers(seed, 5, 1 << 24).map(|draw| f64::from(draw) / f64::from(1 << 24));
    let mut draw = || draws.next().unwrap();
    let per_item = match design {
        Design::Clusters => 4,
        _ => 1,
    };
    let mut games: [Vec<[Option<Game>; 2]>; 2] = Default::default();
    for _ in 0..items {
        let item = draw();
        for _ in 0..per_item {
            let pair = match design {
                Design::Clusters => item,
                _ => draw(),
            };
            // A look repeats what the pair says, or is drawn anew: the chance stays the same.
            let mut look = |chance: f64, shared: f64| match draw() < shared {
                true => pair < chance,
                false => draw() < chance,
            };
            let [x, y] = chances;
            let (first, second) = match design {
                Design::OneAndTwo => {
                    let one = look(x, 0.0);
                    ([one, one], [look(y, 0.0), look(y, 0.0)])
                }
                Design::ApartAndTogether => {
                    let together = look(y, 0.0);
                    ([look(x, 0.0), look(x, 0.0)], [together, together])
                }
                Design::Shared | Design::Clusters => {
                    let one = look(x, 0.7);
                    ([one, one], [look(y, 0.7), look(y, 0.7)])
                }
            };
            games[0].push(first.map(game));
            games[1].push(second.map(game));
        }
    }
    let mut number = 0;
    games.map(|games| {
        number += 1;
        let pairs = games
            .into_iter()
            .enumerate()
            .map(|(at, games)| LabelledPair {
                name: at.to_string(),
                cluster: (at / per_item) as u32,
                label: Side::First,
                games,
                ..LabelledPair::default()
            });
        JudgedPairs {
            judge: format!("method {number}"),
            subsets: vec!["all".into()],
            pairs: pairs.collect(),
            ..JudgedPairs::default()
        }
    })
}

fn simulate(design: Design, chances: [f64; 2], items: usize, sets: usize) -> Found {
    let mut found = Found::default();
    for set in 0..sets as u64 {
        let seed = set << 20 | (items as u64) << 8 | design as u64;
        let both = two_methods(design, chances, items, seed);
        let settings = Settings::of_plan(Bootstrap {
            seed,
            ..Bootstrap::default()
        });
        let one = &paired_differences(&both, &settings).unwrap().differences[0];
        let [low, high] = one.difference.ci.unwrap().map(Option::unwrap);
        let told_apart = one.p.unwrap() < 0.05;
        let truth = chances[0] - chances[1];
        found.sets += 1;
        found.told_apart += usize::from(told_apart);
        found.missed += usize::from(truth < low - 1e-12 || truth > high + 1e-12);
        found.contradictions += usize::from(told_apart != (low > 0.0 || high < 0.0));
    }
    found
}

/// Prints the table, and holds every cell and the mean of every row to the promise.
fn check(sizes: &[usize], chances: &[[f64; 2]], sets: usize) {
    eprintln!("| design | accuracies | items | p < 0.05 | interval misses | s.e. |");
    eprintln!("| --- | --- | --- | --- | --- | --- |");
    for design in DESIGNS {
        for &chances in chances {
            let equal = chances[0] == chances[1];
            let (mut errors, mut variance) = (0.0, 0.0);
            for &items in sizes {
                let found = simulate(design, chances, items, sets);
                let (told, missed, error) = (
                    found.share(found.told_apart),
                    found.share(found.missed),
                    found.error(),
                );
                eprintln!(
                    "| {design:?} | {chances:?} | {items} | {told:.3} | {missed:.3} | {error:.3} |"
                );
                assert_eq!(found.contradictions, 0, "{design:?} {chances:?} {items}");
                assert!(!equal || told <= 0.05 + 3.0 * error, "{design:?} {found:?}");
                assert!(
                    missed <= 0.05 + 3.0 * error,
                    "{design:?} {chances:?} {found:?}"
                );
                errors += missed;
                variance += error * error;
            }
            let n = sizes.len() as f64;
            assert!(
                errors / n <= 0.05 + 2.0 * variance.sqrt() / n,
                "{design:?} {chances:?}"
            );
        }
    }
}

#[test]
fn methods_of_equal_accuracy_are_told_apart_as_rarely_as_the_level_says() {
    check(&[20, 80], &[[0.8, 0.8], [0.95, 0.85]], 100);
}

#[test]
fn the_whole_table() {
    if !is_slow_or_skips("a slow simulation") {
        return;
    }
    let equal = [0.35, 0.5, 0.8, 0.95, 0.99].map(|x| [x, x]);
    let apart = [[0.8, 0.7], [0.95, 0.85], [0.99, 0.95], [0.9, 0.3]];
    check(
        &[6, 20, 40, 80, 319, 700],
        &[&equal[..], &apart[..]].concat(),
        500,
    );
}
