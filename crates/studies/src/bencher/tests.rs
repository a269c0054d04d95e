//! Against slow obvious twins, and what must hold of any data.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests write the files that they read"
)]

use super::contest::{Contest, Draw, kendall_counts};
use super::figures::figures_of;
use super::names::Names;
use super::standing::Standing;
use super::tau_curve::tau_curve;
use super::*;
use evenhand_ranking::Aggregation;
use evenhand_stats::{
    Correlation, Estimate, correlation_interval, draw_clusters, percentile_interval, spearman,
    tau_u, tau_u_interval,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

fn standings(scores: &[f64], half: f64) -> Standings {
    let one = |(place, &score): (usize, &f64)| Standing {
        system: format!("s{place:02}"),
        score: Some(score),
        ends: Ok([score - half, score + half]),
        order: Ok(score),
        draws: Vec::new(),
    };
    Standings {
        systems: scores.iter().enumerate().map(one).collect(),
        ..Standings::default()
    }
}

fn contest(scores: &[f64], ratings: &[f64], half: f64) -> Contest {
    let (bencher, reference) = (standings(scores, 1.0), standings(ratings, half));
    let matching = Names::default()
        .pair(&bencher.names(), &reference.names())
        .unwrap();
    Contest::new(&bencher, &reference, &matching, Over::Systems)
}

/// Over items the interval of a correlation has what the pairs that are apart allow, and none where
/// no pair can be told apart.
#[test]
fn over_items_correlations_are_bounded_by_the_systems_that_are_apart() {
    let figures = |apart: Result<Vec<(usize, usize)>, String>| {
        let scores = [4.0, 3.0, 2.0, 1.0];
        let bencher = Standings {
            apart: Some(apart),
            ..standings(&scores, 1.0)
        };
        let reference = standings(&[40.0, 30.0, 20.0, 10.0], 1.0);
        let matching = Names::default()
            .pair(&bencher.names(), &reference.names())
            .unwrap();
        let contest = Contest::new(&bencher, &reference, &matching, Over::Items);
        let plan = Bootstrap::default();
        let correlated = Correlated::of_contest(&contest, &plan);
        figures_of(&contest, &correlated, &plan).unwrap()
    };
    let ends = |figure: &crate::Figure| figure.ci.map(|ends| ends.map(Option::unwrap));
    let near = |found: Option<[f64; 2]>, expected: [f64; 2]| {
        let both = found.unwrap().into_iter().zip(expected);
        assert!(both.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) < 1e-12);
    };
    let nothing = figures(Ok(Vec::new()));
    near(ends(&nothing.spearman), [-1.0, 1.0]);
    near(ends(&nothing.kendall_tau_b), [-1.0, 1.0]);
    // The upper two are apart from the lower two: at worst either two are turned.
    let halves = figures(Ok(vec![(0, 2), (0, 3), (1, 2), (1, 3)]));
    near(ends(&halves.spearman), [0.6, 1.0]);
    near(ends(&halves.kendall_tau_b), [1.0 / 3.0, 1.0]);
    let none = figures(Err("too few items".into())).spearman;
    assert_eq!(
        (none.value, none.ci, none.note.as_deref()),
        (Some(1.0), None, Some("too few items"))
    );
}

fn numbers() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec(
        (0..30u8, 0..60u8).prop_map(|(x, y)| (f64::from(x), f64::from(y))),
        2..14,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn over_systems_the_figures_are_those_of_the_statistics(points in numbers(), seed in 0..9u64) {
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let plan = Bootstrap { rounds: 60, seed, ..Bootstrap::default() };
        let contest = contest(&x, &y, 1.5);
        let correlated = Correlated::of_contest(&contest, &plan);
        let found = figures_of(&contest, &correlated, &plan).unwrap();
        for (which, figure) in [(Correlation::Spearman, &found.spearman), (Correlation::KendallTauB, &found.kendall_tau_b)] {
            prop_assert_eq!(figure.value, which.correlate(&x, &y).ok());
            let interval = correlation_interval(&x, &y, which, &plan).ok().map(|ends| [ends.low, ends.high]);
            prop_assert_eq!(figure.ci, interval);
        }
        let ratings: Vec<_> = contest.reference.iter().map(|one| one.bounded().unwrap()).collect();
        for row in tau_curve(&contest, &[7.0], &plan).unwrap() {
            let expected = row.u.and_then(|u| tau_u(&x, &ratings, u).ok());
            prop_assert_eq!(row.tau.value, expected.map(|found| found.tau));
            if let (Some(expected), Some(u)) = (expected, row.u) {
                prop_assert_eq!(row.pairs, expected.counts.pairs());
                let interval = tau_u_interval(&x, &ratings, u, &plan).ok().map(|ends| [ends.low, ends.high]);
                prop_assert_eq!(row.tau.ci, interval);
            }
        }
    }

    #[test]
    fn pairs_are_counted_one_by_one(points in prop::collection::vec((0..4u8, 0..4u8, 0..3u8), 2..9)) {
        let x: Vec<f64> = points.iter().map(|p| f64::from(p.0)).collect();
        let y: Vec<f64> = points.iter().map(|p| f64::from(p.1)).collect();
        let times: Vec<f64> = points.iter().map(|p| f64::from(p.2)).collect();
        let pairs: Vec<_> = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let found = kendall_counts(&pairs, &Draw { x: &x, y: &y, times: &times });
        let (mut agree, mut all) = (0u64, 0u64);
        for i in 0..x.len() {
            for j in 0..i {
                let times = (times[i] * times[j]) as u64;
                all += times;
                agree += if (x[i] - x[j]) * (y[i] - y[j]) > 0.0 { times } else { 0 };
            }
        }
        prop_assert_eq!((found.concordant, found.pairs()), (agree, all));
    }
}

/// One judgment: the item, two systems, and who is better.
type Vote = (usize, usize, usize, char);

fn votes(seed: u64, items: usize, skill: [f64; 5]) -> Vec<Vote> {
    let mut all = Vec::new();
    for item in 0..items {
        let mut draw = draw_clusters(seed, item as u64, 1000);
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 3)] {
            let chance = 500.0 + 60.0 * (skill[a] - skill[b]);
            let better = if f64::from(draw.next().unwrap()) < chance {
                'a'
            } else {
                'b'
            };
            all.push((
                item,
                a,
                b,
                if draw.next().unwrap() < 50 {
                    't'
                } else {
                    better
                },
            ));
        }
    }
    all
}

fn write_votes(path: &Path, votes: &[Vote]) {
    let mut text = String::new();
    for (item, a, b, preferred) in votes {
        let preferred = if *preferred == 't' {
            "tie".to_string()
        } else {
            preferred.to_string()
        };
        writeln!(
            text,
            r#"{{"item": "q{item:03}", "a": "s{a}", "b": "s{b}", "preferred": "{preferred}"}}"#
        )
        .unwrap();
    }
    std::fs::write(path, text).unwrap();
}

fn options(rankings: &[&Path], reference: Reference, aggregates: &[Aggregation]) -> BencherOptions {
    let judged = JudgedOptions {
        aggregates: aggregates.iter().map(|&one| Aggregate::By(one)).collect(),
        ..JudgedOptions::default()
    };
    BencherOptions {
        rankings: rankings
            .iter()
            .map(|path| BencherSource::parse(&path.display().to_string()).unwrap())
            .collect(),
        system_column: None,
        score_columns: Vec::new(),
        judged,
        reference,
        names: Names::default(),
        u: Vec::new(),
        plan: Bootstrap {
            rounds: 80,
            ..Bootstrap::default()
        },
    }
}

fn labels(path: &Path) -> Reference {
    Reference::Labels {
        paths: vec![path.to_path_buf()],
        votes: evenhand_ranking::Votes::Each,
    }
}

/// The share that every system won on the items, each as often as it was drawn.
fn shares(votes: &[Vote], times: &BTreeMap<usize, f64>) -> Vec<f64> {
    let (mut won, mut all) = ([0.0; 5], [0.0; 5]);
    for &(item, a, b, preferred) in votes {
        let times = times[&item];
        let points = match preferred {
            'a' => 1.0,
            'b' => 0.0,
            _ => 0.5,
        };
        won[a] += times * points;
        won[b] += times * (1.0 - points);
        all[a] += times;
        all[b] += times;
    }
    won.iter().zip(all).map(|(won, all)| won / all).collect()
}

#[test]
fn both_sides_are_resampled_by_the_same_items() {
    let dir = tempfile::tempdir().unwrap();
    let (judge, people) = (
        dir.path().join("judge.jsonl"),
        dir.path().join("people.jsonl"),
    );
    let (own, theirs) = (
        votes(1, 40, [0.0, 1.0, 2.0, 3.0, 4.0]),
        votes(2, 40, [0.5, 0.0, 2.0, 4.0, 3.0]),
    );
    write_votes(&judge, &own);
    write_votes(&people, &theirs);
    let report = benchers(&options(
        &[&judge],
        labels(&people),
        &[Aggregation::WinRatio],
    ))
    .unwrap();
    let round = |number| {
        let mut times: BTreeMap<usize, f64> = (0..40).map(|item| (item, 0.0)).collect();
        draw_clusters(0, number, 40)
            .for_each(|item| *times.entry(item as usize).or_default() += 1.0);
        spearman(
            &rounded(&shares(&own, &times)),
            &rounded(&shares(&theirs, &times)),
        )
        .unwrap()
    };
    let once: BTreeMap<usize, f64> = (0..40).map(|item| (item, 1.0)).collect();
    let rounds: Vec<Estimate> = (0..80)
        .map(|number| Estimate::Finite(round(number)))
        .collect();
    let found = &report.benchers[0];
    let point = spearman(&shares(&own, &once), &shares(&theirs, &once)).unwrap();
    let expected = percentile_interval(Estimate::Finite(point), &rounds, 0.95).unwrap();
    assert!((found.figures.spearman.value.unwrap() - point).abs() < 1e-12);
    let ci = found.figures.spearman.ci.unwrap();
    // Bounds of what unlimited items would give reach at least as far as the rounds.
    assert!(
        ci[0] <= expected.low && ci[1] >= expected.high,
        "{ci:?} {expected:?}"
    );
    assert_eq!(
        found.items,
        Some(Items {
            judged: 40,
            labelled: Some(40),
            both: Some(40)
        })
    );
}

/// Without the last bits, in which equal shares may differ.
fn rounded(shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|share| (share * 1e10).round()).collect()
}

#[test]
fn a_judge_that_says_what_people_say_agrees_in_every_round() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("people.jsonl");
    write_votes(&file, &votes(3, 25, [0.0, 1.0, 1.0, 1.5, 2.0]));
    let all = [
        Aggregation::BradleyTerry,
        Aggregation::WinRatio,
        Aggregation::Newman,
    ];
    let report = benchers(&options(&[&file], labels(&file), &all)).unwrap();
    assert_eq!(report.benchers.len(), 3);
    for row in &report.benchers {
        // On so few items hardly anything is known of either order.
        let [low, high] = row.figures.spearman.ci.unwrap();
        assert_eq!((row.figures.spearman.value, high), (Some(1.0), Some(1.0)));
        assert!(low.unwrap() < -0.5, "{low:?}");
        assert_eq!((row.ci.over, row.ci.rounds, row.n), (Over::Items, 80, 5));
    }
    // The same items: differences to the first, none of them other than 0.
    assert_eq!(report.differences.len(), 2);
    let difference = &report.differences[1].spearman;
    assert_eq!((difference.value, difference.ci), (Some(0.0), None));
}

#[test]
fn scores_are_compared_and_equal_ones_tie_or_count_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (file, ratings) = (
        dir.path().join("scores.jsonl"),
        dir.path().join("ratings.csv"),
    );
    let rows = ["a 5 5 1 9", "b 5 4 1 1", "c 1 1 1 1"].map(|row| {
        let (system, scores) = row.split_once(' ').unwrap();
        let one = |(item, score): (usize, &str)| {
            format!("{{\"item\": \"{item}\", \"system\": \"{system}\", \"score\": {score}}}\n")
        };
        scores.split(' ').enumerate().map(one).collect::<String>()
    });
    std::fs::write(&file, rows.concat()).unwrap();
    std::fs::write(&ratings, "system,rating\na,3\nb,2\nc,1\n").unwrap();
    let table = || Reference::Ratings {
        path: ratings.clone(),
        columns: Columns::default(),
    };
    let found = |equal| {
        let mut options = options(&[&file], table(), &[Aggregation::WinRatio]);
        options.judged.equal = equal;
        benchers(&options).unwrap().benchers[0]
            .systems
            .iter()
            .map(|row| row.score.unwrap())
            .collect::<Vec<f64>>()
    };
    // Of a's eight comparisons five are won (4, 4 > 1; 5, 5 > 1; 9 > 1 twice) and three tied.
    assert_eq!(
        found(evenhand_ranking::EqualScores::Tie)[0],
        (5.0 + 0.5 * 3.0) / 8.0
    );
    assert_eq!(found(evenhand_ranking::EqualScores::Nothing)[0], 1.0);
    let report = benchers(&options(&[&file], table(), &[])).unwrap();
    let row = &report.benchers[0];
    assert_eq!(
        (row.aggregation, row.figures.spearman.value),
        (Some("mean"), Some(1.0))
    );
    // The ratings have no intervals.
    assert_eq!(
        row.tau_u[0].tau.note.as_deref(),
        Some("a has no interval of its score: its file gives none")
    );
    assert_eq!(row.figures.agreement_with_confidence.value, None);
}

#[test]
fn threads_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (judge, people) = (
        dir.path().join("judge.jsonl"),
        dir.path().join("people.jsonl"),
    );
    write_votes(&judge, &votes(1, 30, [0.0, 1.0, 2.0, 3.0, 4.0]));
    write_votes(&people, &votes(2, 30, [0.5, 0.0, 2.0, 4.0, 3.0]));
    let run = |threads| {
        let mut options = options(&[&judge], labels(&people), &[]);
        options.plan.threads = threads;
        let row = benchers(&options).unwrap().benchers.remove(0);
        (row.figures, row.tau_u, row.systems)
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn too_few_systems_in_common_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (file, ratings) = (dir.path().join("mine.csv"), dir.path().join("ratings.csv"));
    std::fs::write(&file, "model,win_rate\nalpha,3\nbeta,2\n").unwrap();
    std::fs::write(&ratings, "system,rating\nbeta,3\nB,2\n").unwrap();
    let reference = Reference::Ratings {
        path: ratings,
        columns: Columns::default(),
    };
    let error = benchers(&options(&[&file], reference, &[]))
        .unwrap_err()
        .to_string();
    let expected = "mine: 1 of its 2 systems (alpha, beta) can be compared with the 2 of the \
                    reference (beta, B); at least 2 are needed: give a table of names with \
                    `names`";
    assert_eq!(error, expected);
}
