//! Rows and filters against a slow obvious twin.

#![allow(clippy::unwrap_used)] // A test that cannot read its own filter has failed.

use evenhand_core::{FailureKind, Side};
use evenhand_pages::{EntryOutcome, Filter, JudgmentEntry, RunIndex};
use proptest::prelude::*;

const SYSTEMS: [&str; 3] = ["x", "y~z", "w"];
const ITEMS: [&str; 3] = ["1", "2", "3"];

/// A judgment: item, first system, second system (the same: a single response), replicate, and what
/// came of it.
type Drawn = (usize, usize, usize, u32, u8);

fn chances_of(drawn: u8) -> Option<[f64; 3]> {
    match drawn {
        0 => Some([1.0, 0.0, 0.0]),
        1 => Some([0.0, 1.0, 0.0]),
        2 => Some([0.25, 0.0, 0.75]),
        _ => None,
    }
}

fn entry(trial: u64, (item, first, second, replicate, outcome): Drawn) -> JudgmentEntry<'static> {
    let alone = first == second;
    JudgmentEntry {
        trial,
        item: ITEMS[item],
        systems: if alone {
            vec![SYSTEMS[first]]
        } else {
            vec![SYSTEMS[first], SYSTEMS[second]]
        },
        replicate,
        outcome: match chances_of(outcome) {
            None => EntryOutcome::Failed(FailureKind::Unparsed),
            Some(chances) if alone => EntryOutcome::Score(chances[0]),
            Some(chances) => EntryOutcome::Pair(chances),
        },
        ..JudgmentEntry::default()
    }
}

/// A row of the twin, by names.
#[derive(Debug, PartialEq)]
struct SlowRow {
    id: u64,
    item: &'static str,
    systems: Vec<&'static str>,
    outcome: Option<Side>,
    p: Option<f64>,
    flipped: bool,
    failed: bool,
}

fn slow_rows(drawn: &[Drawn]) -> Vec<SlowRow> {
    let mut order: Vec<usize> = Vec::new();
    for (_, first, second, ..) in drawn {
        for system in [first, second] {
            if !order.contains(system) {
                order.push(*system);
            }
        }
    }
    let place = |system: usize| order.iter().position(|other| *other == system).unwrap();
    let mut groups: Vec<Vec<(u64, Drawn)>> = Vec::new();
    for (trial, one) in (0..).zip(drawn.iter().copied()) {
        let (item, first, second, replicate, _) = one;
        let same = |(_, other): &(u64, Drawn)| {
            let same_pair =
                (other.1 == first && other.2 == second) || (other.1 == second && other.2 == first);
            other.0 == item
                && other.3 == replicate
                && same_pair
                && (first == second) == (other.1 == other.2)
        };
        let free = |group: &&mut Vec<(u64, Drawn)>| {
            same(&group[0])
                && group
                    .iter()
                    .all(|(_, other)| (other.1, other.2) != (first, second))
        };
        let last = groups.iter_mut().filter(|group| same(&group[0])).last();
        match last.filter(free) {
            Some(group) => group.push((trial, one)),
            None => groups.push(vec![(trial, one)]),
        }
    }
    groups.iter().map(|group| slow_row(group, &place)).collect()
}

fn slow_row(group: &[(u64, Drawn)], place: &dyn Fn(usize) -> usize) -> SlowRow {
    let (id, (item, first, second, ..)) = group[0];
    let (a, b) = if place(first) <= place(second) {
        (first, second)
    } else {
        (second, first)
    };
    let alone = a == b;
    let mut verdicts: Vec<[f64; 3]> = Vec::new();
    for (_, (_, shown, _, _, outcome)) in group {
        if let (false, Some([one, tie, other])) = (alone, chances_of(*outcome)) {
            verdicts.push(if *shown == a {
                [one, tie, other]
            } else {
                [other, tie, one]
            });
        }
    }
    let n = verdicts.len() as f64;
    let mean = [0, 1, 2].map(|at| verdicts.iter().map(|chances| chances[at]).sum::<f64>() / n);
    let side = |[a, tie, b]: [f64; 3]| {
        // Means of two orders that cancel may differ in their last bit.
        let above = |x: f64, y: f64| x - y > 1e-12;
        if above(tie, a.max(b)) {
            Side::Tie
        } else if above(a, b) {
            Side::First
        } else if above(b, a) {
            Side::Second
        } else {
            Side::Tie
        }
    };
    let sides: Vec<Side> = verdicts.iter().map(|chances| side(*chances)).collect();
    SlowRow {
        id,
        item: ITEMS[item],
        systems: if alone {
            vec![SYSTEMS[a]]
        } else {
            vec![SYSTEMS[a], SYSTEMS[b]]
        },
        outcome: (!verdicts.is_empty()).then(|| side(mean)),
        p: (!verdicts.is_empty()).then_some(mean[0] + mean[1] / 2.0),
        flipped: sides.contains(&Side::First) && sides.contains(&Side::Second),
        failed: group.iter().any(|(_, one)| chances_of(one.4).is_none()),
    }
}

fn index_of(drawn: &[Drawn]) -> RunIndex {
    let mut index = RunIndex::default();
    for (trial, one) in (0..).zip(drawn) {
        index.add(&entry(trial, *one));
    }
    index
}

fn fast_row(index: &RunIndex, row: u32) -> SlowRow {
    let facts = index.facts(row);
    let name = |name: &str| *SYSTEMS.iter().find(|known| **known == name).unwrap();
    let systems = [Some(facts.a), facts.b].into_iter().flatten();
    let failed = index
        .select(&Filter::parse("failure=unparsed").unwrap(), None)
        .unwrap();
    SlowRow {
        id: index.row_id(row),
        item: ITEMS
            .iter()
            .find(|id| **id == index.items().get(facts.item))
            .unwrap(),
        systems: systems
            .map(|number| name(index.systems().get(number)))
            .collect(),
        outcome: facts.outcome,
        p: facts.p,
        flipped: facts.flipped,
        failed: failed.rows.contains(&row),
    }
}

fn ids(index: &RunIndex, query: &str) -> Vec<u64> {
    let Ok(found) = index.select(&Filter::parse(query).unwrap(), None) else {
        return Vec::new();
    };
    found.rows.iter().map(|row| index.row_id(*row)).collect()
}

fn slow_ids(rows: &[SlowRow], passes: impl Fn(&SlowRow) -> bool) -> Vec<u64> {
    rows.iter()
        .filter(|row| passes(row))
        .map(|row| row.id)
        .collect()
}

proptest! {
    #[test]
    fn rows_and_filters_are_those_of_the_twin(
        drawn in prop::collection::vec((0..3_usize, 0..3_usize, 0..3_usize, 0..2_u32, 0..4_u8), 0..40)
    ) {
        let (index, slow) = (index_of(&drawn), slow_rows(&drawn));
        let fast: Vec<SlowRow> = (0..index.row_count() as u32).map(|row| fast_row(&index, row)).collect();
        prop_assert_eq!(&fast, &slow);
        prop_assert_eq!(ids(&index, "flipped=1"), slow_ids(&slow, |row| row.flipped));
        prop_assert_eq!(ids(&index, "failure=any"), slow_ids(&slow, |row| row.failed));
        prop_assert_eq!(ids(&index, "system=w"), slow_ids(&slow, |row| row.systems.contains(&"w")));
        prop_assert_eq!(ids(&index, "item=2"), slow_ids(&slow, |row| row.item == "2"));
        let pair = |row: &SlowRow| row.systems.len() == 2 && !row.systems.contains(&"w");
        prop_assert_eq!(ids(&index, "pair=x~y~z"), slow_ids(&slow, pair));
        let winner = |row: &SlowRow| match row.outcome {
            Some(Side::First) => row.systems[0] == "x",
            Some(Side::Second) => row.systems[1] == "x",
            _ => false,
        };
        prop_assert_eq!(ids(&index, "winner=x"), slow_ids(&slow, winner));
        let sure = |row: &SlowRow| row.p.is_some_and(|p| (2.0 * p - 1.0).abs() >= 0.5);
        prop_assert_eq!(ids(&index, "confidence=0.5.."), slow_ids(&slow, sure));
    }

    #[test]
    fn pages_are_parts_of_the_whole(
        drawn in prop::collection::vec((0..3_usize, 0..3_usize, 0..3_usize, 0..2_u32, 0..4_u8), 0..40),
        offset in 0..30_usize,
        limit in 0..10_usize,
        sort in prop::sample::select(vec!["plan", "confidence", "-confidence", "item", "cost"]),
    ) {
        let index = index_of(&drawn);
        let all = ids(&index, &format!("sort={sort}"));
        let expected: Vec<u64> = all.iter().copied().skip(offset).take(limit).collect();
        prop_assert_eq!(ids(&index, &format!("sort={sort}&offset={offset}&limit={limit}")), expected);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, ids(&index, ""));
    }
}

#[test]
fn names_that_the_run_does_not_have_are_refused_with_those_it_has() {
    let index = index_of(&[(0, 0, 1, 0, 0)]);
    let filter = Filter::parse("system=nobody").unwrap();
    let error = index.select(&filter, None).unwrap_err().to_string();
    assert_eq!(error, "system: the run has no \"nobody\"; it has x, y~z");
}

/// Two responses that are the same make one prompt, whichever stands first: both orders rest on one
/// call, and a judge that named the first slot has not contradicted itself.
#[test]
fn orders_of_one_prompt_are_no_flip() {
    let pair = |trial, systems: [&'static str; 2], calls: &[u32]| JudgmentEntry {
        trial,
        item: "1",
        systems: systems.to_vec(),
        outcome: EntryOutcome::Pair([1.0, 0.0, 0.0]),
        calls: calls.to_vec(),
        ..JudgmentEntry::default()
    };
    let facts = |judgments: &[JudgmentEntry<'_>]| {
        let mut index = RunIndex::default();
        for judgment in judgments {
            index.add(judgment);
        }
        let [cell] = index.matrix()[..] else {
            panic!("one pair of systems");
        };
        (index.facts(0).flipped, cell.both, cell.consistent)
    };
    let orders = |calls: [&[u32]; 2]| {
        let [ab, ba] = calls;
        facts(&[pair(0, ["x", "w"], ab), pair(1, ["w", "x"], ba)])
    };
    assert_eq!(orders([&[1, 2], &[3, 4]]), (true, 1, 0));
    assert_eq!(orders([&[1, 2], &[1, 2]]), (false, 0, 0));
    // Of a run without its calls it is not known.
    assert_eq!(orders([&[], &[]]), (true, 1, 0));
}
