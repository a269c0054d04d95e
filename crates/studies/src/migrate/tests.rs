//! Runs of lists with planted judges: what a list is, and how often what is said of it is false.

use super::population::{Answers, Layout, Population, Said};
use super::report::orders_of;
use evenhand_core::{
    Failure, FailureKind, Item, Judgment, Message, Outcome, Trial, Verdict, VerdictSource,
};
use evenhand_engine::{Design, Job};
use evenhand_formats::records::{Place, Record, SystemOutput};
use evenhand_formats::{Dataset, DatasetBuilder};
use evenhand_protocols::{Judges, Protocol};
use evenhand_stats::draw_numbers;
use evenhand_stats::migration::{Migration, PairChange, RankingChange};
use evenhand_testing::is_slow;
use std::collections::BTreeSet;

fn dataset(items: usize, systems: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for item in 0..items {
        let record = Record::Item(Item {
            id: item.to_string(),
            messages: vec![Message::user(format!("Instruction {item}"))],
            ..Item::default()
        });
        builder.add_record(record, &place).unwrap();
    }
    for (item, system) in (0..items).flat_map(|item| (0..systems).map(move |system| (item, system)))
    {
        let answer = SystemOutput::new(format!("s{system}"), format!("answer {system} to {item}"));
        let record = Record::response(item.to_string(), answer);
        builder.add_record(record, &place).unwrap();
    }
    builder.finish(false).unwrap()
}

fn job(protocol: &str, design: &str, [items, systems]: [usize; 2]) -> Job {
    Job::new(
        dataset(items, systems),
        Protocol::parse(protocol).unwrap(),
        Design::parse(design).unwrap(),
        Judges::one("planted"),
        0,
    )
    .unwrap()
}

fn judged(trial: Trial, outcome: Outcome) -> Judgment {
    Judgment {
        trial,
        outcome,
        calls: Vec::new(),
        looks: Vec::new(),
    }
}

fn order(places: &[f64]) -> Outcome {
    Ok(Verdict::Listwise {
        places: places.to_vec(),
        source: VerdictSource::Text,
    })
}

fn failure() -> Outcome {
    Err(Failure::new(FailureKind::Unparsed, "no order"))
}

/// What is said of a job's trials, in their order.
fn said(job: &Job, outcomes: impl Fn(&Trial) -> Outcome) -> Answers {
    let mut answers = Answers::default();
    for trial in job.plan.trials() {
        let outcome = outcomes(&trial);
        answers.add(&judged(trial, outcome));
    }
    answers
}

fn population(job: &Job, old: Said, seed: u64) -> Population {
    Population::new(job, old, seed, 0.95).unwrap()
}

#[test]
fn a_list_says_something_of_each_two_and_a_failed_one_nothing_of_any() {
    // Every three of four systems, once: each two stand in two lists.
    let job = job("listwise:3/direct/single:fixed", "all-pairs", [1, 4]);
    let lists: Vec<Vec<u32>> = job.plan.trials().map(|trial| trial.systems).collect();
    assert_eq!(lists, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]);
    let population = population(&job, Said::default(), 0);
    let new = |outcomes: [Outcome; 4]| {
        let answers = said(&job, |trial| outcomes[trial.index as usize].clone());
        let of = |systems| population.new_difference(0, systems, &answers);
        [[0, 1], [1, 0], [0, 2], [2, 3]].map(|pair| of(pair).unwrap())
    };
    let best_first = || order(&[1.0, 2.0, 3.0]);
    let all = new([best_first(), best_first(), best_first(), best_first()]);
    assert_eq!(all, [[1.0; 2], [-1.0; 2], [1.0; 2], [1.0; 2]]);
    // 0 and 1 are equal in one list: half a win of two lists.
    let equal = new([
        order(&[1.5, 1.5, 3.0]),
        best_first(),
        best_first(),
        best_first(),
    ]);
    assert_eq!(equal, [[0.5; 2], [-0.5; 2], [1.0; 2], [1.0; 2]]);
    // A list without a verdict could have said anything of each two of its members, and so could
    // one that says too little.
    for failed in [failure(), order(&[1.0, 2.0])] {
        let found = new([failed, best_first(), best_first(), best_first()]);
        assert_eq!(found, [[0.0, 1.0], [-1.0, 0.0], [0.0, 1.0], [1.0; 2]]);
    }
    // While a list of the two is not asked, nothing is known.
    let mut part = Answers::default();
    for trial in job.plan.trials().take(2) {
        part.add(&judged(trial, best_first()));
    }
    assert_eq!(population.new_difference(0, [0, 1], &part), Some([1.0; 2]));
    assert_eq!(population.new_difference(0, [0, 2], &part), None);
    assert_eq!((part.asked(), part.verdicts), (2, 2));
}

#[test]
fn what_the_old_judge_did_not_say_could_have_been_anything() {
    let job = job("listwise:3/direct/single:fixed", "all-pairs", [1, 4]);
    let mut part = Answers::default();
    for trial in job.plan.trials().skip(1) {
        part.add(&judged(trial, order(&[1.0, 2.0, 3.0])));
    }
    let failed = said(&job, |trial| match trial.index {
        0 => failure(),
        _ => order(&[1.0, 2.0, 3.0]),
    });
    // 0 and 1 stand in the list that lacks a verdict, and in one other; 2 and 3 in two others.
    for old in [part.said, failed.said] {
        let population = population(&job, old, 0);
        let of = |systems: [u32; 2]| {
            let mut pairs = population.pairs.iter();
            pairs.find(|pair| pair.systems == systems).unwrap()
        };
        assert_eq!(of([0, 1]).old_mean, Some(1.0));
        assert_eq!(of([0, 1]).old_bounds, [0.0, 1.0]);
        assert_eq!(of([2, 3]).old_bounds, [1.0, 1.0]);
    }
}

#[test]
fn lists_with_a_reference_compare_the_others_directly() {
    let layout = |protocol: &str| {
        let job = job(protocol, "reference:s0", [2, 4]);
        let population = population(&job, Said::default(), 0);
        (population.layout, population.pairs.len())
    };
    assert_eq!(layout("listwise:3/direct/single"), (Layout::Pairs, 6));
    assert_eq!(layout("listwise:2/direct/single"), (Layout::Against(0), 6));
}

#[test]
fn both_orders_of_one_list_are_held_against_each_other_and_no_others() {
    // Each list of three and its reverse. The judge always has the first slot best.
    let both = job("listwise:3/direct/swap", "all-pairs", [1, 4]);
    let slots = said(&both, |_| order(&[1.0, 2.0, 3.0]));
    let orders = orders_of(&slots.said, false);
    assert_eq!(orders.len(), 4 * 3, "each two in each list");
    assert!(orders.values().all(|found| *found == (0, 1)));
    let systems = said(&both, |trial| {
        let places: Vec<f64> = trial.systems.iter().map(|one| f64::from(*one)).collect();
        order(&places)
    });
    let orders = orders_of(&systems.said, false);
    assert!(orders.values().all(|found| *found == (1, 1)) && orders.len() == 12);
    // One order of each list: two that stand in several of them are no two orders of one.
    let once = job("listwise:3/direct/single", "all-pairs", [20, 4]);
    let drawn = said(&once, |_| order(&[1.0, 2.0, 3.0]));
    assert!(orders_of(&drawn.said, false).is_empty());
    // Whether the orders within a list agree is not known, also of a list of two.
    let within = job("listwise/direct/swap:average", "all-pairs", [5, 2]);
    let mean = said(&within, |_| order(&[1.0, 2.0]));
    assert!(orders_of(&mean.said, true).is_empty());
}

/// Two judges with opinions of every response, which lists change.
struct Planted {
    /// Of each judge, by item and system; the higher the better.
    strengths: [Vec<Vec<f64>>; 2],
    /// How much beside whom a response stands changes.
    context: f64,
    /// The share of the new judge's judgments that fail.
    failing: f64,
    seed: u64,
}

/// How the new judge differs.
#[derive(Clone, Copy, Debug)]
struct Other {
    /// How much of what the judges think of single responses they have in common, to 1.
    shared: f64,
    /// How much more the new judge likes the last system, in gaps between neighbours: with 1 it is
    /// next to even with the one above it, with 2 they change places.
    lift: f64,
}

fn uniform(seed: u64, stream: u64) -> impl FnMut() -> f64 {
    let mut draws = draw_numbers(seed, stream, 1 << 24);
    move || f64::from(draws.next().unwrap()) / f64::from(1 << 24)
}

/// A number of mean 0 and variance 1.
fn normal(draw: &mut impl FnMut() -> f64) -> f64 {
    (0..6).map(|_| draw() - 0.5).sum::<f64>() * 2f64.sqrt()
}

impl Planted {
    fn new([items, systems]: [usize; 2], gap: f64, other: Other, seed: u64) -> Planted {
        let (mut common, mut own) = (uniform(seed, 0), uniform(seed, 1));
        let mut strengths = [Vec::new(), Vec::new()];
        let apart = (1.0 - other.shared * other.shared).sqrt();
        for _ in 0..items {
            let mut of_item = [Vec::new(), Vec::new()];
            for system in 0..systems {
                let quality = gap * (systems - system) as f64;
                let old = normal(&mut common);
                let new = other.shared * old + apart * normal(&mut own);
                let is_last = system + 1 == systems;
                let lift = if is_last { gap * other.lift } else { 0.0 };
                of_item[0].push(quality + old);
                of_item[1].push(quality + new + lift);
            }
            let [old, new] = of_item;
            strengths[0].push(old);
            strengths[1].push(new);
        }
        Planted {
            strengths,
            context: 0.0,
            failing: 0.0,
            seed,
        }
    }

    /// The places that a judge gives the systems of a trial: whole quarters of strength tie.
    fn places(&self, judge: usize, trial: &Trial) -> Vec<f64> {
        // Whom it stands beside counts the same for both judges.
        let mut beside = uniform(self.seed, 1000 + trial.index);
        let of_item = &self.strengths[judge][trial.item as usize];
        let seen = trial.systems.iter().map(|system| {
            let strength = of_item[*system as usize] + self.context * normal(&mut beside);
            (strength * 4.0).round()
        });
        let seen: Vec<f64> = seen.collect();
        let place = |own: &f64| {
            let above = seen.iter().filter(|other| *other > own).count() as f64;
            let equal = seen.iter().filter(|other| *other == own).count() as f64;
            above + (equal + 1.0) / 2.0
        };
        seen.iter().map(place).collect()
    }

    fn outcome(&self, judge: usize, trial: &Trial, form_is_list: bool) -> Outcome {
        let fails = uniform(self.seed, 9_000_000 + trial.index)() < self.failing;
        if judge == 1 && fails {
            return failure();
        }
        let places = self.places(judge, trial);
        if form_is_list {
            return order(&places);
        }
        let shares = match places[0].total_cmp(&places[1]) {
            std::cmp::Ordering::Less => [1.0, 0.0, 0.0],
            std::cmp::Ordering::Equal => [0.0, 1.0, 0.0],
            std::cmp::Ordering::Greater => [0.0, 0.0, 1.0],
        };
        Ok(Verdict::pair(shares, 0.0, VerdictSource::Text))
    }

    /// The new judge's mean difference of two systems on all items, by the definition: of each item
    /// the mean over the lists that both stand in, whether or not they come to a verdict.
    fn truth(&self, job: &Job, [a, b]: [u32; 2]) -> f64 {
        let items = job.dataset.items.len();
        let (mut sums, mut lists) = (vec![0.0; items], vec![0.0; items]);
        for trial in job.plan.trials() {
            let slot = |system: u32| trial.systems.iter().position(|one| *one == system);
            if let Some((a, b)) = slot(a).zip(slot(b)) {
                let places = self.places(1, &trial);
                let difference = f64::from(u8::from(places[a] < places[b]))
                    - f64::from(u8::from(places[a] > places[b]));
                sums[trial.item as usize] += difference;
                lists[trial.item as usize] += 1.0;
            }
        }
        let judged = sums.iter().zip(&lists).filter(|(_, lists)| **lists > 0.0);
        let means: Vec<f64> = judged.map(|(sum, lists)| sum / lists).collect();
        means.iter().sum::<f64>() / means.len() as f64
    }
}

/// What was said at the end, and what was asked for it.
struct Ended {
    ranking: RankingChange,
    pairs: Vec<PairChange>,
    asked: u64,
    /// Whether an interval left out what is so, at any look.
    is_missed: bool,
}

/// Migrates as [`super::migrate`] does, with a judge that answers at once.
fn migrate(job: &Job, population: &Population, planted: &Planted, alpha: f64) -> Ended {
    let is_list = job.protocol.form().to_string().starts_with("listwise");
    let pairs = population.pairs.iter();
    let truths: Vec<f64> = pairs.map(|pair| planted.truth(job, pair.systems)).collect();
    let mut migration = Migration::new(alpha, population.old_pairs()).unwrap();
    let (mut answers, mut asked) = (Answers::default(), BTreeSet::new());
    let (mut size, mut is_missed) = (0, false);
    loop {
        let batch = (size / super::GROWTH).max(super::LEAST_BATCH);
        size += batch;
        let trials = population.next_trials(&migration, batch, &answers);
        if trials.is_empty() {
            break;
        }
        assert!(
            trials.is_sorted_by_key(|trial| trial.index),
            "the plan's order"
        );
        for trial in trials {
            assert!(asked.insert(trial.index), "asked twice");
            let outcome = planted.outcome(1, &trial, is_list);
            answers.add(&judged(trial, outcome));
        }
        population.observe(&mut migration, &answers).unwrap();
        for ((pair, mean), truth) in population.pairs.iter().zip(migration.means()).zip(&truths) {
            let [low, high] = [mean.low, mean.high].map(|mean| pair.over_items(mean));
            is_missed |= !(low - 1e-6..=high + 1e-6).contains(truth);
        }
    }
    assert!(!migration.open_pairs().contains(&true));
    Ended {
        ranking: migration.ranking(),
        pairs: migration.pairs(),
        asked: answers.asked(),
        is_missed,
    }
}

#[test]
fn a_list_is_no_more_evidence_than_the_pairs_that_it_orders() {
    let size = [60, 4];
    let lists = job("listwise/direct/single", "all-pairs", size);
    let pairs = job("pairwise-tie/direct/single", "all-pairs", size);
    let other = Other {
        shared: 0.95,
        lift: 0.0,
    };
    let planted = Planted::new(size, 0.8, other, 3);
    let of = |job: &Job, is_list: bool| {
        let old = said(job, |trial| planted.outcome(0, trial, is_list)).said;
        let population = population(job, old, 5);
        let ended = migrate(job, &population, &planted, 0.05);
        (population.old_pairs(), ended)
    };
    let (old_of_lists, by_lists) = of(&lists, true);
    let (old_of_pairs, by_pairs) = of(&pairs, false);
    assert_eq!(old_of_lists, old_of_pairs);
    assert!(old_of_lists.iter().any(|pair| pair.apart));
    assert_eq!(by_lists.ranking, RankingChange::Same);
    assert_eq!(by_pairs.ranking, RankingChange::Same);
    // What a pair needs are items, and a list of an item is one judgment for all its pairs.
    let asked = [by_lists.asked, by_pairs.asked];
    assert!(asked[0] < asked[1] && asked[0] <= 60, "{asked:?}");
}

#[test]
fn all_asked_is_exact() {
    let size = [25, 4];
    let job = job("listwise:3/direct/swap", "sample:2", size);
    let other = Other {
        shared: 0.5,
        lift: 1.0,
    };
    let mut planted = Planted::new(size, 0.4, other, 8);
    planted.context = 0.5;
    let old = said(&job, |trial| planted.outcome(0, trial, true)).said;
    let population = population(&job, old, 1);
    let new = said(&job, |trial| planted.outcome(1, trial, true));
    let mut migration = Migration::new(0.05, population.old_pairs()).unwrap();
    population.observe(&mut migration, &new).unwrap();
    for (pair, mean) in population.pairs.iter().zip(migration.means()) {
        assert_eq!(mean.asked, mean.places);
        let truth = planted.truth(&job, pair.systems);
        for end in [mean.low, mean.high] {
            assert!((pair.over_items(end) - truth).abs() < 1e-9, "{end} {truth}");
        }
    }
}

/// How often what is said of lists is false, over populations and orders of the items: the same
/// ranking where it is another, any pair, any interval at any look.
#[test]
fn what_is_said_of_lists_is_seldom_false() {
    let runs = if is_slow() { 1000 } else { 24 };
    let alpha = 0.05;
    let benches = [
        ("listwise/direct/single", "all-pairs", [40, 4]),
        ("listwise/direct/swap", "all-pairs", [30, 3]),
        ("listwise:3/direct/single", "sample:2", [60, 5]),
        ("listwise:3/direct/single", "reference:s0", [30, 4]),
    ];
    let others = [(1.0, 0.0), (0.95, 1.0), (0.0, 1.0), (0.5, 2.0)];
    println!(
        "lists, design, items and systems, shared, lift | the same: so, said, false | changed: so, \
         said | a pair false | an interval missed | share of the judgments"
    );
    for (protocol, design, size) in benches {
        let job = job(protocol, design, size);
        for (shared, lift) in others {
            let (mut so, mut not_so, mut same, mut wrong_same, mut changed) = (0, 0, 0, 0, 0);
            let (mut wrong_pair, mut missed, mut asked) = (0, 0, 0);
            for run in 0..runs {
                let gap = [0.3, 0.6, 1.2][run as usize % 3];
                let mut planted = Planted::new(size, gap, Other { shared, lift }, run / 2);
                planted.context = [0.0, 0.5][run as usize / 3 % 2];
                planted.failing = if run % 4 == 3 { 0.03 } else { 0.0 };
                let old = said(&job, |trial| planted.outcome(0, trial, true)).said;
                let population = population(&job, old, run);
                let ended = migrate(&job, &population, &planted, alpha);
                let fate = |systems: [u32; 2]| match planted.truth(&job, systems) {
                    truth if truth > 1e-9 => PairChange::Kept,
                    truth if truth < -1e-9 => PairChange::Reversed,
                    _ => PairChange::Even,
                };
                let apart = population.pairs.iter().filter(|pair| pair.apart);
                let is_same = apart
                    .clone()
                    .all(|pair| fate(pair.systems) == PairChange::Kept);
                so += u32::from(is_same && apart.count() > 0);
                not_so += u32::from(!is_same);
                let says_same = ended.ranking == RankingChange::Same;
                same += u32::from(says_same);
                wrong_same += u32::from(says_same && !is_same);
                changed += u32::from(ended.ranking == RankingChange::Changed);
                let mut named = population.pairs.iter().zip(&ended.pairs);
                let is_wrong = named.any(|(pair, named)| match named {
                    PairChange::Undecided | PairChange::NotApart => false,
                    named => *named != fate(pair.systems),
                });
                wrong_pair += u32::from(is_wrong && !says_same);
                missed += u32::from(ended.is_missed);
                asked += ended.asked;
            }
            println!(
                "{protocol} {design} {size:?} {shared} {lift} | {so} {same} {wrong_same} | \
                 {not_so} {changed} | {wrong_pair} | {missed} | {:.2}",
                asked as f64 / (runs * job.plan.len()) as f64
            );
            let most = |runs: f64| alpha * runs + 3.0 * (alpha * runs).sqrt();
            // The same ranking errs in so many of those runs alone in which it is another.
            for (wrong, of) in [
                (wrong_same, f64::from(not_so)),
                (wrong_pair, runs as f64),
                (missed, runs as f64),
            ] {
                assert!(
                    f64::from(wrong) <= most(of),
                    "{protocol} {design}: {wrong} of {of}"
                );
            }
            // The same judge is found out to be the same.
            assert!(shared < 1.0 || same > 0, "{protocol} {design}");
        }
    }
}
