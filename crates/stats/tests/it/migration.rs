//! The laws of a migration to another judge: over every order of small populations, and how often
//! what is said is false, over populations of any size and dependence.

use evenhand_stats::adaptive::{Order, Population};
use evenhand_stats::migration::{Migration, OldPair, PairChange, RankingChange};
use evenhand_testing::is_slow;
use proptest::prelude::*;

/// What two judges say of the systems of a run.
#[derive(Clone, Debug)]
pub(super) struct Judges {
    /// Of each pair of systems the places at which it is judged: items, by number.
    pub(super) places: Vec<Vec<usize>>,
    /// Of each pair, at each place: what the old and the new judge say for the one that the old has
    /// above.
    pub(super) old: Vec<Vec<f64>>,
    pub(super) new: Vec<Vec<f64>>,
    pub(super) apart: Vec<bool>,
    /// The systems of each pair where each system is judged by itself (arms); None where each pair
    /// is.
    pub(super) arms: Option<Vec<[usize; 2]>>,
    pub(super) items: usize,
}

/// What came of a migration.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// What was said of the ranking at the end, and first of all.
    pub(super) ranking: Option<RankingChange>,
    pub(super) pairs: Vec<PairChange>,
    /// The share of the calls that were made until anything was certain of the ranking, and until
    /// nothing was open.
    pub(super) first: f64,
    pub(super) share: f64,
    /// Whether any interval left out its mean at any look.
    pub(super) missed: bool,
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What is so: the pair's order under the new judge, were it asked everything.
pub(super) fn truth(new: &[f64]) -> PairChange {
    let sum: f64 = new.iter().sum();
    match sum.abs() <= 1e-9 {
        true => PairChange::Even,
        false if sum > 0.0 => PairChange::Kept,
        false => PairChange::Reversed,
    }
}

pub(super) fn is_same(judges: &Judges) -> bool {
    let mut pairs = judges.new.iter().zip(&judges.apart);
    pairs.all(|(new, apart)| !apart || truth(new) == PairChange::Kept)
}

/// How many items the next batch has.
fn batch_size(asked: usize) -> usize {
    (asked / 5).max(8)
}

/// Migrates in this order of the items.
pub(super) fn migrate(judges: &Judges, order: &[usize], alpha: f64, looks: bool) -> Outcome {
    let count = judges.old.len();
    let mut place_of = vec![vec![None; judges.items]; count];
    for (pair, places) in judges.places.iter().enumerate() {
        for (place, item) in places.iter().enumerate() {
            place_of[pair][*item] = Some(place);
        }
    }
    // Each pair's places in the order of the items.
    let queue = |pair: usize| -> Vec<usize> {
        let places = order.iter().filter_map(|item| place_of[pair][*item]);
        places.collect()
    };
    let queues: Vec<Vec<usize>> = (0..count).map(queue).collect();
    let pairs = (0..count).map(|pair| OldPair {
        old: queues[pair]
            .iter()
            .map(|place| judges.old[pair][*place])
            .collect(),
        apart: judges.apart[pair],
    });
    let mut migration = Migration::new(alpha, pairs.collect()).unwrap();
    let mut next = vec![0; count];
    let mut calls = std::collections::BTreeSet::new();
    let all: usize = match &judges.arms {
        None => queues.iter().map(Vec::len).sum(),
        Some(pairs) => {
            let mut systems: Vec<usize> = pairs.iter().flatten().copied().collect();
            systems.sort_unstable();
            systems.dedup();
            systems.len() * judges.items
        }
    };
    let mut outcome = Outcome {
        first: 1.0,
        ..Outcome::default()
    };
    let mut asked = 0;
    loop {
        let open = migration.open_pairs();
        if !open.contains(&true) {
            break;
        }
        let size = batch_size(asked);
        asked += size;
        for pair in (0..count).filter(|pair| open[*pair]) {
            let end = queues[pair].len().min(next[pair] + size);
            for place in &queues[pair][next[pair]..end] {
                let said = judges.new[pair][*place];
                migration.observe(pair, [said; 2]).unwrap();
                let item = judges.places[pair][*place];
                match &judges.arms {
                    None => drop(calls.insert((pair, item))),
                    Some(pairs) => pairs[pair].iter().for_each(|system| {
                        calls.insert((*system, item));
                    }),
                }
            }
            next[pair] = end;
        }
        if looks {
            let means = migration.means();
            let mut new = judges.new.iter().zip(&means);
            let misses = |(new, found): (&Vec<f64>, &evenhand_stats::migration::NewMean)| {
                !(found.low - 1e-9..=found.high + 1e-9).contains(&mean(new))
            };
            outcome.missed |= new.any(misses);
        }
        let share = calls.len() as f64 / all as f64;
        let now = migration.ranking();
        if now != RankingChange::Undecided && outcome.first == 1.0 {
            outcome.first = share;
        }
    }
    outcome.ranking = Some(migration.ranking());
    outcome.share = calls.len() as f64 / all as f64;
    outcome.pairs = migration.pairs();
    outcome
}

/// Whether what was said is false: the same ranking, and any pair.
pub(super) fn errors(judges: &Judges, outcome: &Outcome) -> (bool, bool) {
    let wrong_same = outcome.ranking == Some(RankingChange::Same) && !is_same(judges);
    let mut pairs = outcome.pairs.iter().zip(&judges.new);
    let is_claim = |said: &PairChange| {
        matches!(
            said,
            PairChange::Kept | PairChange::Reversed | PairChange::Even
        )
    };
    let wrong_pair = outcome.ranking != Some(RankingChange::Same)
        && pairs.any(|(said, new)| is_claim(said) && *said != truth(new));
    (wrong_same, wrong_pair)
}

pub(super) fn random_order(items: usize, seed: u64) -> Vec<usize> {
    let order = Order::random(items, Population::Finite, seed, 0).unwrap();
    order
        .places()
        .iter()
        .map(|place| place.item as usize)
        .collect()
}

#[test]
fn what_is_said_by_hand() {
    let pair = |apart| OldPair {
        old: vec![1.0, 1.0, -1.0, 1.0],
        apart,
    };
    assert!(
        Migration::new(
            0.05,
            vec![OldPair {
                old: vec![],
                apart: true
            }]
        )
        .is_err()
    );
    assert!(Migration::new(0.0, vec![pair(true)]).is_err());
    let nan = OldPair {
        old: vec![f64::NAN],
        apart: true,
    };
    assert!(Migration::new(0.05, vec![nan]).is_err());
    let nothing = Migration::new(0.05, vec![pair(false)]).unwrap();
    assert_eq!(nothing.ranking(), RankingChange::NothingToKeep);
    assert!(!nothing.is_open(0) && !nothing.is_open(7));

    let told = |said: [[f64; 2]; 4]| {
        let mut migration = Migration::new(0.05, vec![pair(true)]).unwrap();
        assert!(migration.is_open(0));
        said.iter()
            .for_each(|said| migration.observe(0, *said).unwrap());
        assert!(migration.observe(0, [0.0; 2]).is_err());
        assert!(!migration.is_open(0));
        let mean = migration.means()[0];
        (
            migration.ranking(),
            migration.pairs()[0],
            mean.low,
            mean.high,
        )
    };
    let known = |values: [f64; 4]| told(values.map(|value| [value; 2]));
    assert_eq!(
        known([1.0, 1.0, -1.0, 1.0]),
        (RankingChange::Same, PairChange::Kept, 0.5, 0.5)
    );
    let reversed = (RankingChange::Changed, PairChange::Reversed, -0.5, -0.5);
    assert_eq!(known([-1.0, -1.0, 1.0, -1.0]), reversed);
    let even = (RankingChange::Changed, PairChange::Even, 0.0, 0.0);
    assert_eq!(known([1.0, -1.0, 1.0, -1.0]), even);
    // Two places without a verdict, and what they could have said would turn it.
    let open = (RankingChange::Undecided, PairChange::Undecided, -0.25, 0.75);
    assert_eq!(
        told([[1.0; 2], [-1.0, 1.0], [-1.0, 1.0], [0.0, 0.0]].map(|x| x)),
        (open.0, open.1, -0.25, 0.75)
    );
    // What is out of bounds is refused.
    let mut migration = Migration::new(0.05, vec![pair(true)]).unwrap();
    assert!(migration.observe(0, [1.5, 1.5]).is_err() && migration.observe(1, [0.0; 2]).is_err());
    assert!(migration.observe(0, [f64::NAN, 0.0]).is_err());
}

/// Every order of 7 items, three systems, at alpha 0.2: what is said is false in at most a fifth.
#[test]
fn over_every_order_of_a_small_population() {
    // Wins of three systems over each other by the new judge: 1 and 2 are reversed, 0 and 2 even.
    let old = vec![
        vec![1.0, 1.0, 1.0, 0.0, 1.0, -1.0, 1.0],
        vec![1.0, 1.0, -1.0, 1.0, 0.0, 1.0, 1.0],
        vec![1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
    ];
    let new = vec![
        vec![1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0],
        vec![1.0, 1.0, -1.0, -1.0, 1.0, 0.0, -1.0],
        vec![1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0],
    ];
    let judges = Judges {
        places: vec![(0..7).collect(); 3],
        old,
        new,
        apart: vec![true; 3],
        arms: None,
        items: 7,
    };
    let alpha = 0.2;
    let mut order: Vec<usize> = (0..7).collect();
    let (mut orders, mut wrong_pairs, mut missed, mut same) = (0, 0, 0, 0);
    loop {
        // A look after every item, whatever is open by then, and the worst of all looks.
        let pairs = judges.old.iter().map(|old| OldPair {
            old: order.iter().map(|item| old[*item]).collect(),
            apart: true,
        });
        let mut migration = Migration::new(alpha, pairs.collect()).unwrap();
        let (mut is_wrong, mut is_missed, mut is_same) = (false, false, false);
        for item in &order {
            for pair in 0..3 {
                migration
                    .observe(pair, [judges.new[pair][*item]; 2])
                    .unwrap();
            }
            let outcome = Outcome {
                ranking: Some(migration.ranking()),
                pairs: migration.pairs(),
                ..Outcome::default()
            };
            let (wrong_same, wrong_pair) = errors(&judges, &outcome);
            is_same |= wrong_same;
            is_wrong |= wrong_pair;
            is_missed |= migration
                .means()
                .iter()
                .zip(&judges.new)
                .any(|(found, new)| !(found.low - 1e-6..=found.high + 1e-6).contains(&mean(new)));
        }
        orders += 1;
        same += u32::from(is_same);
        wrong_pairs += u32::from(is_wrong);
        missed += u32::from(is_missed);
        let Some(at) = (1..7).rev().find(|k| order[k - 1] < order[*k]) else {
            break;
        };
        let next = (at..7).rev().find(|k| order[*k] > order[at - 1]).unwrap();
        order.swap(at - 1, next);
        order[at..].reverse();
    }
    assert_eq!(orders, 5040);
    for wrong in [same, wrong_pairs, missed] {
        assert!(
            f64::from(wrong) <= alpha * 5040.0,
            "{same} {wrong_pairs} {missed}"
        );
    }
}

proptest! {
    /// Once all is asked, what is said is what is so, whatever the tests said on the way, and
    /// nothing is open.
    #[test]
    fn all_asked_is_exact(
        rows in proptest::collection::vec((-2i32..=2, -2i32..=2), 1..30),
        gaps in proptest::collection::vec(proptest::bool::weighted(0.1), 30),
    ) {
        let halves = |value: i32| f64::from(value) / 2.0;
        let old = rows.iter().map(|row| halves(row.0)).collect();
        let mut migration = Migration::new(0.05, vec![OldPair { old, apart: true }]).unwrap();
        let (mut low, mut high) = (0.0, 0.0);
        for (row, gap) in rows.iter().zip(&gaps) {
            let said = if *gap { [-1.0, 1.0] } else { [halves(row.1); 2] };
            migration.observe(0, said).unwrap();
            low += said[0];
            high += said[1];
        }
        let expected = match (low, high) {
            (low, _) if low > 0.0 => PairChange::Kept,
            (_, high) if high < 0.0 => PairChange::Reversed,
            (low, high) if low == 0.0 && high == 0.0 => PairChange::Even,
            _ => PairChange::Undecided,
        };
        prop_assert_eq!(migration.pairs(), vec![expected]);
        prop_assert!(!migration.is_open(0));
        let mean = migration.means()[0];
        let count = rows.len() as f64;
        prop_assert!((mean.low - low / count).abs() < 1e-12);
        prop_assert!((mean.high - high / count).abs() < 1e-12);
    }

    /// What has no verdict never makes the same ranking more certain.
    #[test]
    fn a_failure_is_no_evidence(
        rows in proptest::collection::vec((-1.0f64..=1.0, -1.0f64..=1.0), 2..60),
        failed in 0usize..60, more in 0usize..20,
    ) {
        let mut old: Vec<f64> = rows.iter().map(|row| row.0).collect();
        old.extend(vec![0.5; more]);
        let start = Migration::new(0.05, vec![OldPair { old, apart: true }]).unwrap();
        let (mut whole, mut gap) = (start.clone(), start);
        for (place, row) in rows.iter().enumerate() {
            whole.observe(0, [row.1; 2]).unwrap();
            gap.observe(0, if place == failed { [-1.0, 1.0] } else { [row.1; 2] }).unwrap();
        }
        // Intervals of what is known hold it; those with a gap are of what could be.
        let (one, other) = (whole.means()[0], gap.means()[0]);
        prop_assert!(one.low <= one.high && other.low <= other.high);
        if more == 0 {
            prop_assert!(other.low <= one.low + 1e-9 && other.high >= one.high - 1e-9);
        }
    }
}

/// A population of `items` items of `systems` systems with a given share of agreement: each system
/// has a quality, each item a liking of each system that both judges share, and each judge its own.
fn population(systems: usize, items: usize, shared: f64, gap: f64, seed: u64) -> Judges {
    let draws = |stream: u64| {
        let mut state =
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03);
        move || {
            // splitmix64
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }
    };
    let normal =
        |draw: &mut dyn FnMut() -> f64| (0..6).map(|_| draw() - 0.5).sum::<f64>() * 2f64.sqrt();
    let (mut likes, mut first, mut second) = (draws(1), draws(2), draws(3));
    let own = (1.0 - shared * shared).sqrt();
    let mut strengths = [vec![Vec::new(); systems], vec![Vec::new(); systems]];
    for _ in 0..items {
        for system in 0..systems {
            let common = shared * normal(&mut likes);
            let quality = gap * (systems - system) as f64;
            // The new judge likes the last system more than the old one does, to be next to even.
            let lift = if system + 1 == systems { gap } else { 0.0 };
            let [old, new] = &mut strengths;
            old[system].push(quality + common + own * normal(&mut first));
            new[system].push(quality + lift + common + own * normal(&mut second));
        }
    }
    let mut judges = Judges {
        places: vec![],
        old: vec![],
        new: vec![],
        apart: vec![],
        arms: None,
        items,
    };
    let preference = |one: f64, other: f64| if one > other { 1.0 } else { -1.0 };
    for a in 0..systems {
        for b in a + 1..systems {
            let of = |judge: usize| -> Vec<f64> {
                let pairs = strengths[judge][a].iter().zip(&strengths[judge][b]);
                pairs.map(|(a, b)| preference(*a, *b)).collect()
            };
            let (mut old, mut new) = (of(0), of(1));
            if mean(&old) < 0.0 {
                old.iter_mut()
                    .chain(&mut new)
                    .for_each(|value| *value = -*value);
            }
            judges.apart.push(mean(&old) > 0.0);
            judges.old.push(old);
            judges.new.push(new);
            judges.places.push((0..items).collect());
        }
    }
    judges
}

/// How often what is said is false, over orders of one population after the other: the same
/// ranking, any pair, any interval at any look.
#[test]
fn what_is_said_is_seldom_false() {
    let sizes: &[(usize, usize)] = match is_slow() {
        true => &[
            (2, 3),
            (2, 10),
            (2, 50),
            (2, 300),
            (2, 2000),
            (5, 10),
            (5, 50),
            (5, 300),
            (20, 50),
            (20, 300),
        ],
        false => &[(2, 3), (2, 50), (5, 10), (5, 50)],
    };
    let alpha = 0.1;
    println!(
        "systems items agreement | same: said, false | pairs false | interval missed | share of \
         calls"
    );
    for (systems, items) in sizes {
        for shared in [0.0, 0.7, 0.95] {
            let runs = if is_slow() {
                (400_000 / (systems * systems * items)).clamp(200, 2000)
            } else {
                200
            };
            let (mut said, mut wrong_same, mut wrong_pair, mut missed) = (0, 0, 0, 0);
            let mut share = 0.0;
            for run in 0..runs as u64 {
                let gap = [0.0, 0.05, 0.2, 0.5][run as usize % 4];
                let judges = population(*systems, *items, shared, gap, run / 2);
                let looks = systems * systems * items <= 2000;
                let outcome = migrate(&judges, &random_order(*items, run), alpha, looks);
                let (same, pair) = errors(&judges, &outcome);
                said += u32::from(outcome.ranking == Some(RankingChange::Same));
                wrong_same += u32::from(same);
                wrong_pair += u32::from(pair);
                missed += u32::from(outcome.missed);
                share += outcome.share;
            }
            println!(
                "{systems} {items} {shared} | {said} {wrong_same} | {wrong_pair} | {missed} | {:.2} of {runs}",
                share / runs as f64
            );
            let most = alpha * runs as f64 + 3.0 * (alpha * runs as f64).sqrt();
            for wrong in [wrong_same, wrong_pair, missed] {
                assert!(
                    f64::from(wrong) <= most,
                    "{wrong} of {runs}, {systems} systems, {items} items"
                );
            }
        }
    }
}
