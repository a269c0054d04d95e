//! A sample that is ranked again must be what the leaderboard makes of the files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use super::*;
use crate::leaderboard::leaderboard;
use crate::{Ci, RankOptions};
use evenhand_stats::Bootstrap;
use std::path::PathBuf;

const PLAN: Bootstrap = Bootstrap {
    rounds: 50,
    level: 0.95,
    seed: 0,
    threads: 1,
};

fn options(path: PathBuf, aggregation: Aggregation) -> LeaderboardOptions {
    LeaderboardOptions {
        paths: vec![path],
        rank: RankOptions {
            aggregation: Some(aggregation),
            bootstrap: PLAN,
            ..RankOptions::default()
        },
        ..LeaderboardOptions::default()
    }
}

/// Scores of three systems on 30 items; the middle one lacks every fifth.
fn scores(dir: &tempfile::TempDir) -> PathBuf {
    let row = |item: usize, system: usize| {
        let score = (7 * item + 5 * system * item + 3 * system) % 11;
        format!("{{\"item\": \"q{item}\", \"system\": \"s{system}\", \"score\": {score}}}\n")
    };
    let all = (0..30).flat_map(|item| (0..3).map(move |system| (item, system)));
    let kept = all.filter(|(item, system)| !(*system == 1 && item % 5 == 0));
    let path = dir.path().join("scores.jsonl");
    std::fs::write(
        &path,
        kept.map(|(item, system)| row(item, system))
            .collect::<String>(),
    )
    .unwrap();
    path
}

#[test]
fn it_has_the_scores_of_the_leaderboard() {
    let dir = tempfile::tempdir().unwrap();
    let path = scores(&dir);
    use Aggregation::*;
    for aggregation in [
        Mean,
        Median,
        TrimmedMean,
        BradleyTerry,
        WinRatio,
        Davidson,
        Newman,
        Counting,
        Eigenvector,
    ] {
        let options = options(path.clone(), aggregation);
        let (sample, report) = (
            Sample::read(&options, Votes::Each).unwrap(),
            leaderboard(&options).unwrap(),
        );
        let how = SampleRanking {
            aggregation: Some(aggregation),
            ..SampleRanking::default()
        };
        let found = sample.rank(&how, &sample.items, &PLAN).unwrap();
        let ranking = found.ranking();
        assert_eq!(
            (
                sample.items.len(),
                found.rounds.len(),
                sample.aggregation(&how)
            ),
            (30, 50, aggregation.name())
        );
        for row in &report.ranking {
            let system = sample
                .systems
                .iter()
                .position(|name| *name == row.system)
                .unwrap();
            assert_eq!(found.point.ranks[system], row.rank, "{aggregation:?}");
            let sign = if aggregation == Eigenvector {
                -1.0
            } else {
                1.0
            };
            let score = sign * found.point.estimates[system].finite().unwrap();
            assert!(
                (score - row.score.unwrap()).abs() < 1e-9,
                "{aggregation:?} {score} {row:?}"
            );
            let ci = ranking.systems[system]
                .interval
                .ok()
                .map(|ends| [ends.low, ends.high]);
            // The same draws of the same items: the same intervals, to the bit where nothing is
            // fitted.
            assert!(
                !aggregation.needs_scores() || ci == row.ci,
                "{aggregation:?} {ci:?} {row:?}"
            );
        }
    }
}

#[test]
fn items_that_are_not_its_own_change_nothing_but_the_draws() {
    let dir = tempfile::tempdir().unwrap();
    let sample = Sample::read(&options(scores(&dir), Aggregation::Mean), Votes::Each).unwrap();
    let (how, plan) = (
        SampleRanking::default(),
        Bootstrap {
            rounds: 20,
            ..Bootstrap::default()
        },
    );
    let mut more = sample.items.clone();
    more.extend(["x".to_string(), "y".to_string()]);
    let (own, wider) = (
        sample.rank(&how, &sample.items, &plan).unwrap(),
        sample.rank(&how, &more, &plan).unwrap(),
    );
    assert_eq!(own.point, wider.point);
    assert_ne!(own.rounds, wider.rounds);
    let error = sample
        .rank(&how, &more[1..], &plan)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "item q0 is not among those that are resampled");
}

#[test]
fn a_round_counts_every_item_as_often_as_it_was_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let sample = Sample::read(&options(scores(&dir), Aggregation::Mean), Votes::Each).unwrap();
    let plan = Bootstrap {
        rounds: 5,
        seed: 4,
        ..Bootstrap::default()
    };
    let mut universe = sample.items.clone();
    universe.sort();
    let found = sample
        .rank(&SampleRanking::default(), &universe, &plan)
        .unwrap();
    for (number, round) in found.rounds.iter().enumerate() {
        for system in 0..3usize {
            let scores = evenhand_stats::draw_clusters(4, number as u64, 30).filter_map(|pick| {
                let item: usize = universe[pick as usize][1..].parse().unwrap();
                let lacks = system == 1 && item.is_multiple_of(5);
                (!lacks).then_some(((7 * item + 5 * system * item + 3 * system) % 11) as f64)
            });
            let scores: Vec<f64> = scores.collect();
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            let place = sample
                .systems
                .iter()
                .position(|name| *name == format!("s{system}"))
                .unwrap();
            assert!((round.estimates[place].finite().unwrap() - mean).abs() < 1e-12);
        }
    }
}

#[test]
fn length_control_is_that_of_the_leaderboard() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("preferences.jsonl");
    let row = |item: usize, model: usize| {
        let (a, b) = (
            100 + 13 * ((item * 7) % 19),
            90 + 20 * model + 11 * ((item * 5 + model) % 23),
        );
        let preference = 1.1 + 0.08 * ((item * (model + 2) + 3 * model) % 11) as f64;
        format!(
            "{{\"instruction_id\": \
             {item}, \"dataset\": \"d\", \"model\": \"m{model}\", \"reference\": \"r\", \"preference\": {preference}, \"len_output_1\": {a}, \"len_output_2\": {b}}}\n"
        )
    };
    let all = (0..60).flat_map(|item| (0..4).map(move |model| (item, model)));
    std::fs::write(
        &path,
        all.map(|(item, model)| row(item, model))
            .collect::<String>(),
    )
    .unwrap();
    let usual = options(path, Aggregation::WinRatio);
    let rank = RankOptions {
        aggregation: None,
        ci: Ci::None,
        ..usual.rank.clone()
    };
    let options = LeaderboardOptions {
        length_control: true,
        rank,
        ..usual
    };
    let (sample, report) = (
        Sample::read(&options, Votes::Each).unwrap(),
        leaderboard(&options).unwrap(),
    );
    let plan = Bootstrap {
        rounds: 10,
        ..Bootstrap::default()
    };
    let found = sample
        .rank(&SampleRanking::default(), &sample.items, &plan)
        .unwrap();
    for row in &report.ranking {
        let system = sample
            .systems
            .iter()
            .position(|name| *name == row.system)
            .unwrap();
        let score = found.point.estimates[system].finite().unwrap();
        assert!(
            (score - row.score.unwrap()).abs() < 1e-12,
            "{score} {row:?}"
        );
    }
    assert_ne!(found.rounds[0].estimates, found.rounds[1].estimates);
}
