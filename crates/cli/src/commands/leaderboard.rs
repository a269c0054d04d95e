//! `evenhand leaderboard`.

use crate::args::{Ci, LeaderboardArgs};
use crate::condition::Conditions;
use crate::{Done, Failed};
use evenhand_engine::{
    ClusterBy, LeaderboardOptions, Published, RankOptions, RecordedFormat, Report,
};
use evenhand_report::{Usage, ranking_csv, ranking_json, recorded_table};
use std::sync::Arc;
use std::time::Instant;

/// Judgments, battles or scores that exist already, to a ranking.
pub(crate) fn leaderboard(args: &LeaderboardArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let conditions = Conditions::parse_option(args.output.fail_if.as_deref())?;
    let report = evenhand_engine::leaderboard(&leaderboard_options(args)?)?;
    let usage = Usage {
        seconds: started.elapsed().as_secs_f64(),
        ..Usage::default()
    };
    args.output.format.print(
        || recorded_table(&report, &usage, args.output.verbose.view()) + "\n",
        || ranking_json(&report, &usage),
        || ranking_csv(&report),
    )?;
    match conditions {
        Some(conditions) => end_by_report(&conditions, &report),
        None => Ok(Done::Fine),
    }
}

/// Which systems there are is known only from the report, unlike those of `rank`.
fn end_by_report(conditions: &Conditions, report: &Report) -> Result<Done, Failed> {
    let systems: Vec<Arc<str>> = report
        .ranking
        .iter()
        .map(|row| row.system.as_str().into())
        .collect();
    conditions.check(&systems)?;
    conditions.end(report)
}

fn leaderboard_options(args: &LeaderboardArgs) -> Result<LeaderboardOptions, Failed> {
    let rank = rank_options(args)?;
    Ok(LeaderboardOptions {
        paths: args.files.clone(),
        filter: args.records.filter.parse()?,
        outcomes: args.records.parse_outcomes()?,
        left: args.left.clone(),
        right: args.right.clone(),
        winner: args.winner.clone(),
        weight: args.weight.clone(),
        format: choose_format(args)?,
        cluster: parse_cluster(args.cluster.as_deref()),
        both_bad: args.both_bad.map(Into::into),
        control: args.control.clone(),
        texts: text_columns(args)?,
        columns: [
            args.system_column.clone(),
            args.item_column.clone(),
            args.score_column.clone(),
        ],
        systems: args.systems.clone(),
        baseline: args.judgments.baseline.clone(),
        both_games: args.judgments.both_games,
        strength: args.judgments.strength()?,
        labels: args.labels.clone(),
        length_control: is_length_controlled(args),
        published: Published {
            weights: args.length_control_weights.clone(),
            difficulty: args.instruction_difficulty.clone(),
        },
        rank,
    })
}

fn rank_options(args: &LeaderboardArgs) -> Result<RankOptions, Failed> {
    let has_own_intervals =
        !args.control.is_empty() || !args.labels.is_empty() || is_length_controlled(args);
    let default_ci = if has_own_intervals {
        Ci::Sandwich
    } else {
        Ci::Bootstrap
    };
    Ok(RankOptions {
        ci: args.ci.unwrap_or(default_ci).into(),
        ..args.ranking.options(args.seed.seed, args.threads.count())?
    })
}

/// Whether win rates are controlled for length: what is published for that has no other use.
fn is_length_controlled(args: &LeaderboardArgs) -> bool {
    args.length_control
        || args.length_control_weights.is_some()
        || args.instruction_difficulty.is_some()
}

fn choose_format(args: &LeaderboardArgs) -> Result<Option<RecordedFormat>, Failed> {
    match &args.input_format {
        Some(name) => Ok(Some(RecordedFormat::named(name)?)),
        None => Ok(args.counts.then_some(RecordedFormat::Counts)),
    }
}

fn parse_cluster(name: Option<&str>) -> ClusterBy {
    match name {
        None => ClusterBy::Auto,
        Some("item") => ClusterBy::Item,
        Some("none") => ClusterBy::None,
        Some(column) => ClusterBy::Column(column.into()),
    }
}

fn text_columns(args: &LeaderboardArgs) -> Result<Option<[String; 2]>, Failed> {
    let Some(columns) = &args.texts else {
        return Ok(None);
    };
    match &columns[..] {
        [first, second] => Ok(Some([first.clone(), second.clone()])),
        _ => Err(Failed::usage(
            "--texts: expected two columns, such as response_a,response_b",
        )),
    }
}
