//! Simulations of what a report says of a head: without a signal the head is not recommended, a
//! planted signal is found, and intervals hold the truth about other systems and questions.
//!
//! A few sets always; with `EVENHAND_SLOW=1` the table of docs/heads.md, which `--nocapture` shows.

use super::*;
use evenhand_testing::is_slow_or_skips;
use rayon::prelude::*;

/// Numbers of a state.
const STATES: usize = 3;
/// Pairs of other systems by which a head's true accuracy is found.
const UNSEEN: u32 = 4000;

/// What decides which response of a pair is better.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Labels {
    /// A coin.
    Coin,
    /// The better system always wins, and states show who wrote a response.
    BySystem,
    /// One system wins always, which states show; between others a coin.
    OneWins,
    /// Two raters label half of the questions each: one prefers the longer response, the other the
    /// shorter one.
    Raters,
    /// Two raters label each pair, and contradict one another.
    Twice,
    /// The first number of the states: so much log-odds for each unit.
    Planted(f64),
    /// The first number of the states always, but of pairs with a system of a rare kind a coin: so
    /// many systems are of it.
    Odd(f64),
}

/// A system of a crowd, from which those that are labelled are drawn as others are.
struct System {
    quality: f64,
    is_odd: bool,
    /// What its states have in common.
    look: [f64; STATES],
}

fn draw_system(labels: Labels, next: &mut dyn FnMut() -> f64) -> System {
    let spread = match labels {
        Labels::BySystem | Labels::OneWins => 2.0,
        Labels::Planted(_) | Labels::Odd(_) => 0.5,
        Labels::Coin | Labels::Raters | Labels::Twice => 0.0,
    };
    System {
        quality: next(),
        is_odd: matches!(labels, Labels::Odd(share) if next() < share),
        look: [(); STATES].map(|()| spread * (2.0 * next() - 1.0)),
    }
}

/// Draws a pair on a question, by two systems with these numbers, and its label.
fn draw_pair(
    labels: Labels,
    question: u32,
    numbers: [u32; 2],
    [one, other]: [&System; 2],
    next: &mut dyn FnMut() -> f64,
) -> HeadPair {
    let mut response = |system: &System| {
        let mut noise = || 2.0 * next() - 1.0;
        let plain = (0..7).map(|_| noise()).collect();
        let states = system.look.iter().map(|look| (look + noise()) as f32);
        Arc::new(HeadFeatures {
            plain,
            states: vec![states.collect()],
        })
    };
    let features = [response(one), response(other)];
    let longer = features[0].plain[4] > features[1].plain[4];
    let [a, b] = [0, 1].map(|at: usize| f64::from(features[at].states[0][0]));
    let first = match labels {
        Labels::Coin | Labels::Twice => next() < 0.5,
        Labels::BySystem => one.quality > other.quality,
        Labels::OneWins => match numbers {
            [0, _] => true,
            [_, 0] => false,
            _ => next() < 0.5,
        },
        Labels::Raters => longer == question.is_multiple_of(2),
        Labels::Planted(strength) => next() < sigmoid(strength * (a - b)),
        Labels::Odd(_) if one.is_odd || other.is_odd => next() < 0.5,
        Labels::Odd(_) => a > b,
    };
    HeadPair {
        question,
        systems: numbers,
        first,
        features,
    }
}

/// Draws systems and labelled pairs of them, each on its own question, all pairs in turn.
fn draw_labels(labels: Labels, systems: u32, count: u32, seed: u64) -> HeadData {
    let mut next = uniform(seed);
    let crowd: Vec<System> = (0..systems)
        .map(|_| draw_system(labels, &mut next))
        .collect();
    let mut pairs = Vec::new();
    for question in 0..count {
        let one = question % systems;
        let other = (one + 1 + question / systems % (systems - 1)) % systems;
        let numbers = [one, other];
        let both = numbers.map(|number| &crowd[number as usize]);
        let pair = draw_pair(labels, question, numbers, both, &mut next);
        if labels == Labels::Twice {
            pairs.push(HeadPair {
                first: !pair.first,
                ..pair.clone()
            });
        }
        pairs.push(pair);
    }
    data(systems, pairs)
}

/// Returns how often a head is right about pairs of other systems of the same crowd.
fn true_accuracy(weights: &HeadWeights, labels: Labels, seed: u64) -> f64 {
    let mut next = uniform(seed);
    let score = |features: &HeadFeatures| {
        let states = weights.depth.map_or(&[][..], |_| &features.states[0][..]);
        weights.score(&features.plain, states).unwrap()
    };
    let mut sum = 0.0;
    for question in 0..UNSEEN {
        let both = [(); 2].map(|()| draw_system(labels, &mut next));
        // Numbers that no labelled system has.
        let [one, other] = &both;
        let pair = draw_pair(labels, question, [1000, 1001], [one, other], &mut next);
        let [a, b] = [0, 1].map(|at: usize| score(&pair.features[at]));
        sum += half_or_right(a - b, pair.first);
    }
    sum / f64::from(UNSEEN)
}

fn is_above(known: &Known, least: f64) -> bool {
    known.ci.is_some_and(|[low, _]| low > least)
}

/// Whether a report praises a head of labels without a signal: recommends it, or calls it better
/// than a coin. Where a system wins as such, a head may be right about the systems that it knows.
fn praises(report: &HeadReport, labels: Labels) -> bool {
    let follows_systems = matches!(labels, Labels::BySystem | Labels::OneWins);
    report.recommended == "head"
        || is_above(&report.unseen_systems.head, 0.5)
        || (!follows_systems && is_above(&report.unseen_questions.head, 0.5))
}

/// Worlds without a signal: systems and labels of each.
const WITHOUT: [(Labels, u32, u32); 10] = [
    (Labels::Coin, 2, 25),
    (Labels::BySystem, 2, 30),
    (Labels::OneWins, 3, 25),
    (Labels::Raters, 4, 40),
    (Labels::Twice, 5, 20),
    (Labels::BySystem, 5, 50),
    (Labels::Raters, 5, 40),
    (Labels::Coin, 6, 60),
    (Labels::OneWins, 6, 50),
    (Labels::BySystem, 6, 60),
];

/// At most 5 % of heads may be praised for nothing: more than 11 of 60 are then less probable than
/// 1 in 10,000 (0.00004).
#[test]
fn heads_of_labels_without_a_signal_are_not_praised() {
    let sets = WITHOUT
        .into_iter()
        .flat_map(|world| (0..6u64).map(move |round| (world, round)));
    let sets: Vec<_> = sets.collect();
    let praised = sets.par_iter().filter(|((labels, systems, count), round)| {
        let seed = 1000 * u64::from(*systems) + 10 * u64::from(*count) + *round;
        let report = fit(&draw_labels(*labels, *systems, *count, seed)).report;
        // A head judges other systems only, of which so few say nothing.
        let knows_others = report.unseen_systems.head.ci.is_some();
        assert!(*systems >= 5 || !knows_others, "{report:?}");
        assert!(knows_others || report.recommended != "head", "{report:?}");
        praises(&report, *labels)
    });
    let praised = praised.count();
    assert!(praised <= 11, "{praised} of {}", sets.len());
}

/// Of a strong signal on many systems at least half of the heads are recommended.
#[test]
fn a_planted_signal_is_found_on_other_systems() {
    let found = (0..8u64).into_par_iter().filter(|round| {
        let labels = Labels::Planted(12.0);
        let fitted = fit(&draw_labels(labels, 20, 300, 77 + round));
        let truth = true_accuracy(&fitted.weights, labels, 99 + round);
        assert!(truth > 0.75, "{truth}: {:?}", fitted.report);
        fitted.report.recommended == "head"
    });
    let found = found.count();
    assert!(found >= 4, "{found} of 8");
}

/// What a cell of the table counts, of all its sets.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Sets with an interval for other systems.
    known: f64,
    /// Of those: the truth lies below it, or above it.
    missed: [f64; 2],
    width: f64,
    estimate: f64,
    /// Of all sets.
    truth: f64,
    recommended: f64,
    praised: f64,
    /// Of heads of 25 labels on other systems: how often the interval lies above the truth, or
    /// below it, what was found, and the truth.
    of_25: [f64; 4],
}

/// Sets of each cell.
const ROUNDS: u64 = 100;

/// Fits a head to each set of a cell, and holds what is said of it against the truth.
fn measure(labels: Labels, systems: u32, count: u32) -> Cell {
    let sets = (0..ROUNDS).into_par_iter().map(|round| {
        let seed = 10_000 * u64::from(systems * count) + round;
        let FittedHead { weights, report } = fit(&draw_labels(labels, systems, count, seed));
        (true_accuracy(&weights, labels, !seed), report)
    });
    // In order, so that sums do not depend on the threads.
    let sets: Vec<(f64, HeadReport)> = sets.collect();
    let one_if = |is: bool| f64::from(u8::from(is));
    // Where heads are tried on other systems, two of six groups of systems are left out.
    let small = (0..ROUNDS).into_par_iter().map(|round| {
        let data = draw_labels(labels, systems - systems.div_ceil(3), 25, 7 * round + 1);
        let rows: Vec<Row> = data.pairs.iter().map(Row::new).collect();
        let fitted = cross::fit_head_to(&rows.iter().collect::<Vec<&Row>>(), round).unwrap();
        true_accuracy(&weights_of(&fitted, &data), labels, !round)
    });
    let small: Vec<f64> = small.collect();
    let of_25_truth = mean_value(&small).unwrap();
    let mut cell = Cell::default();
    let mut of_25 = 0.0;
    for (truth, report) in &sets {
        cell.truth += truth;
        cell.recommended += one_if(report.recommended == "head");
        cell.praised += one_if(praises(report, labels));
        if let Some([low, high]) = report.unseen_systems.head.ci {
            cell.known += 1.0;
            cell.missed[0] += one_if(*truth < low);
            cell.missed[1] += one_if(*truth > high);
            cell.width += high - low;
            cell.estimate += value(&report.unseen_systems.head);
        }
        let point = report.curve.iter().find(|point| point.labels == 25);
        let worth = point.and_then(|point| point.unseen_systems.as_ref());
        if let Some((worth, [low, high])) = worth.and_then(|worth| Some((worth, worth.head.ci?))) {
            of_25 += 1.0;
            cell.of_25[0] += one_if(of_25_truth < low);
            cell.of_25[1] += one_if(of_25_truth > high);
            cell.of_25[2] += value(&worth.head);
        }
    }
    let of_known = |sum: f64| sum / cell.known;
    let of_all = |sum: f64| sum / ROUNDS as f64;
    Cell {
        known: cell.known,
        missed: cell.missed.map(of_known),
        width: of_known(cell.width),
        estimate: of_known(cell.estimate),
        truth: of_all(cell.truth),
        recommended: of_all(cell.recommended),
        praised: of_all(cell.praised),
        of_25: [
            cell.of_25[0] / of_25,
            cell.of_25[1] / of_25,
            cell.of_25[2] / of_25,
            of_25_truth,
        ],
    }
}

/// The intervals for other systems against the truth, for 100 and 300 labels of 6 to 20 systems;
/// and how often heads are recommended, and praised for nothing.
///
/// An interval may lie below the truth where labels are few: the heads that are tried are fitted to
/// fewer. It must not lie above it.
#[test]
fn intervals_hold_the_truth_about_other_systems() {
    if !is_slow_or_skips("a table that takes minutes") {
        return;
    }
    println!(
        "labels by     systems  labels  known  below  above  width  estimate  truth  \
         recommended  praised  25 labels: below  above  estimate  truth"
    );
    let kinds = [
        Labels::Coin,
        Labels::BySystem,
        Labels::Planted(3.0),
        Labels::Planted(12.0),
        Labels::Odd(0.1),
        Labels::Odd(0.3),
    ];
    let worlds = kinds.into_iter().flat_map(|labels| {
        let systems = [6, 8, 20].into_iter();
        systems.flat_map(move |systems| [100, 300].map(|count| (labels, systems, count)))
    });
    // What is promised, and four standard errors.
    let most = |share: f64, of: f64| share + 4.0 * (share * (1.0 - share) / of).sqrt();
    for (labels, systems, count) in worlds {
        let Cell {
            known,
            missed: [below, above],
            width,
            estimate,
            truth,
            recommended,
            praised,
            of_25,
        } = measure(labels, systems, count);
        let kind = format!("{labels:?}");
        println!(
            "{kind:12}  {systems:7}  {count:6}  {known:5}  {below:5.3}  {above:5.3}  {width:5.2}  \
             {estimate:8.2}  {truth:5.2}  {recommended:11.3}  {praised:7.3}  {:16.3}  {:5.3}  \
             {:8.2}  {:5.2}",
            of_25[0], of_25[1], of_25[2], of_25[3]
        );
        let case = format!("{kind}, {systems} systems, {count} labels");
        assert!(
            known == 0.0 || below <= most(0.025, known),
            "{case}: {below}"
        );
        // Where none is known the share is none, and nothing is claimed.
        assert!(
            of_25[0].is_nan() || of_25[0] <= most(0.025, ROUNDS as f64),
            "{case}: {of_25:?}"
        );
        let has_signal = matches!(labels, Labels::Planted(_) | Labels::Odd(_));
        assert!(
            has_signal || praised <= most(0.05, ROUNDS as f64),
            "{case}: {praised}"
        );
    }
}
