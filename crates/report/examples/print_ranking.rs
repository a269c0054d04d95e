//! Prints a ranking as the table that `evenhand rank` shows, and as CSV.
//!
//! `cargo run -p evenhand-report --example print_ranking`

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use evenhand_ranking::{
    Cluster, IntervalMethod, Intervals, RankingRow, Report, ReportJudge, ScoreUnit,
};
use evenhand_report::{Usage, View, ranking_csv, ranking_table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let report = Report {
        ranking: vec![
            ranked(1, "careful", 1087.0, [1021.0, 1160.0]),
            ranked(2, "hasty", 913.0, [840.0, 979.0]),
        ],
        unit: ScoreUnit::FittedElo,
        ci: IntervalMethod {
            method: Intervals::Bootstrap,
            cluster: Cluster::Item,
            column: None,
            units: None,
            rounds: 1000,
            level: 0.95,
        },
        protocol: "pairwise".into(),
        design: "all-pairs".into(),
        aggregation: "bradley-terry",
        judge: ReportJudge::Named("example".into()),
        ..Report::default()
    };
    println!(
        "{}\n",
        ranking_table(&report, &Usage::default(), View::default())
    );
    print!("{}", ranking_csv(&report)?);
    Ok(())
}

fn ranked(rank: u32, system: &str, score: f64, ci: [f64; 2]) -> RankingRow {
    RankingRow {
        system: system.into(),
        score: Some(score),
        ci: Some(ci.map(Some)),
        rank: Some(rank),
        rank_ci: Some([1, 2]),
        better_than: None,
        standard_error: None,
        n: 40,
        raw_win_rate: None,
        no_score: None,
        note: None,
    }
}
