//! `evenhand leaderboard`.

use super::{print, unprintable};
use crate::args::{Ci, Format, LeaderboardArgs};
use crate::condition::Conditions;
use crate::job::{ranking, strength};
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
    let conditions = args
        .output
        .fail_if
        .as_deref()
        .map(Conditions::parse)
        .transpose()
        .map_err(Failed::Usage)?;
    let report = evenhand_engine::leaderboard(&options(args)?)?;
    let usage = Usage {
        seconds: started.elapsed().as_secs_f64(),
        ..Usage::default()
    };
    print(&match args.output.format {
        Format::Table => recorded_table(&report, &usage, args.output.view()) + "\n",
        Format::Json => ranking_json(&report, &usage).map_err(unprintable)?,
        Format::Csv => ranking_csv(&report).map_err(unprintable)?,
    })?;
    met(conditions.as_ref(), &report)
}

fn met(conditions: Option<&Conditions>, report: &Report) -> Result<Done, Failed> {
    let Some(conditions) = conditions else {
        return Ok(Done::Fine);
    };
    let systems: Vec<Arc<str>> = report
        .ranking
        .iter()
        .map(|row| row.system.as_str().into())
        .collect();
    conditions.check(&systems).map_err(Failed::Usage)?;
    Ok(conditions
        .met(report)
        .map_err(Failed::Usage)?
        .map_or(Done::Fine, Done::ConditionMet))
}

fn options(args: &LeaderboardArgs) -> Result<LeaderboardOptions, Failed> {
    let fitted = !args.control.is_empty() || !args.labels.is_empty() || length_control(args);
    let usual = if fitted { Ci::Sandwich } else { Ci::Bootstrap };
    let rank = ranking(&args.ranking, args.seed, args.threads)?;
    Ok(LeaderboardOptions {
        paths: args.files.clone(),
        filter: args.records.filter.parse()?,
        outcomes: args.records.outcomes()?,
        left: args.left.clone(),
        right: args.right.clone(),
        winner: args.winner.clone(),
        weight: args.weight.clone(),
        format: format(args)?,
        cluster: match args.cluster.as_deref() {
            None => ClusterBy::Auto,
            Some("item") => ClusterBy::Item,
            Some("none") => ClusterBy::None,
            Some(column) => ClusterBy::Column(column.into()),
        },
        both_bad: args.both_bad.map(Into::into),
        control: args.control.clone(),
        texts: texts(args)?,
        columns: [
            args.system_column.clone(),
            args.item_column.clone(),
            args.score_column.clone(),
        ],
        systems: args.systems.clone(),
        baseline: args.baseline.clone(),
        both_games: args.both_games,
        strength: strength(args.strength.as_deref())?,
        labels: args.labels.clone(),
        length_control: length_control(args),
        published: Published {
            weights: args.length_control_weights.clone(),
            difficulty: args.instruction_difficulty.clone(),
        },
        rank: RankOptions {
            ci: args.ci.unwrap_or(usual).into(),
            ..rank
        },
    })
}

/// What is published for length control is of no other use.
fn length_control(args: &LeaderboardArgs) -> bool {
    args.length_control
        || args.length_control_weights.is_some()
        || args.instruction_difficulty.is_some()
}

fn format(args: &LeaderboardArgs) -> Result<Option<RecordedFormat>, Failed> {
    match &args.input_format {
        Some(name) => Ok(Some(RecordedFormat::named(name)?)),
        None => Ok(args.counts.then_some(RecordedFormat::Counts)),
    }
}

fn texts(args: &LeaderboardArgs) -> Result<Option<[String; 2]>, Failed> {
    let Some(columns) = &args.texts else {
        return Ok(None);
    };
    let two = <[String; 2]>::try_from(columns.clone()).ok();
    two.map(Some).ok_or_else(|| {
        Failed::Usage("--texts: expected two columns, such as response_a,response_b".into())
    })
}
