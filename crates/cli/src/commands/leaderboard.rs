//! `evenhand leaderboard`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, name_files};
use crate::args::{LeaderboardArgs, ListedNames};
use crate::commands::check_min_coverage;
use crate::condition::Conditions;
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::Coverage;
use evenhand_ranking::{
    Anchor, Ci, ClusterBy, LeaderboardOptions, Published, RankOptions, RecordedFormat, Report,
    ScoreUnit, update_board,
};
use evenhand_report::figures::figures_of_ranking;
use evenhand_report::{Usage, ranking_csv, ranking_json, recorded_table};
use std::sync::Arc;
use std::time::Instant;

/// Judgments, battles or scores that exist already, to a ranking.
pub(crate) fn leaderboard(args: &LeaderboardArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let output = &args.output;
    let conditions = Conditions::parse_option(output.fail_if.as_deref(), args.allow_missing)?;
    let figure = args.figure.path();
    args.report.check()?;
    check_place(figure)?;
    check_min_coverage(output.min_coverage)?;
    let report = rank_files(args, conditions.as_ref())?;
    if let Some(conditions) = &conditions {
        conditions.check_unit(report.unit)?;
    }
    let usage = Usage {
        seconds: started.elapsed().as_secs_f64(),
        ..Usage::default()
    };
    output.format.print_ranking(
        &report,
        || recorded_table(&report, &usage, output.verbose.view()) + "\n",
        || ranking_json(&report, &usage),
        || ranking_csv(&report),
    )?;
    let reported = Reported {
        command: "leaderboard",
        title: name_files(&args.files),
        json: ranking_json(&report, &usage),
        figures: figures_of_ranking(&report),
        run: None,
    };
    args.report.publish(output.quiet, reported)?;
    draw_first(figure, || figures_of_ranking(&report))?;
    check_verdicts(&report, output.min_coverage)?;
    let Some(conditions) = conditions else {
        return Ok(Done::Fine);
    };
    // Which systems there are is known only from the report, unlike those of `rank`.
    let rows = report.ranking.iter();
    let systems: Vec<Arc<str>> = rows.map(|row| row.system.as_str().into()).collect();
    conditions.check(&systems)?;
    conditions.end(&report)
}

/// Refuses files in which no judgment has a verdict, which is no success, as in `rank`, and those
/// whose share with one is below `least`.
fn check_verdicts(report: &Report, least: Option<f64>) -> Result<(), Failed> {
    let Coverage {
        trials,
        verdicts,
        failures,
    } = &report.coverage;
    let kinds = failures
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    if *trials > 0 && *verdicts == 0 {
        let why = format!("none of {trials} judgments has a verdict ({kinds})");
        return Err(Failed::Judge(why));
    }
    let share = *verdicts as f64 / (*trials).max(1) as f64;
    match least.filter(|least| *trials > 0 && share < *least) {
        Some(least) => Err(Failed::Judge(format!(
            "{verdicts} of {trials} judgments have a verdict ({:.1} %; {kinds}), less than \
             --min-coverage {least}",
            100.0 * share
        ))),
        None => Ok(()),
    }
}

fn rank_files(args: &LeaderboardArgs, conditions: Option<&Conditions>) -> Result<Report, Failed> {
    let options = leaderboard_options(args, conditions)?;
    let Some(board) = &args.update else {
        return Ok(evenhand_ranking::leaderboard(&options)?);
    };
    let date = args.date.as_deref().ok_or_else(|| {
        Failed::usage("--update: say of which day this edition is: --date YYYY-MM-DD")
    })?;
    // Said with --quiet too: what counts twice is no matter of progress.
    let (report, history) = update_board(board, date, &options, &mut |line| say(line))?;
    let (board, count) = (board.display(), history.len());
    let editions = if count == 1 { "edition" } else { "editions" };
    args.output
        .quiet
        .say(&format!("{board}: {count} {editions}, the last of {date}"));
    Ok(report)
}

/// Reads `SYSTEM=RATING`; a system's name may hold the sign.
fn parse_anchor(text: &str) -> Result<Anchor, Failed> {
    let parts = text.rsplit_once('=');
    let rating = parts.and_then(|(_, rating)| rating.trim().parse::<f64>().ok());
    match (parts, rating) {
        (Some((system, _)), Some(rating)) if !system.is_empty() && rating.is_finite() => {
            Ok(Anchor {
                system: system.trim().into(),
                rating,
            })
        }
        _ => Err(Failed::Usage(format!(
            "--anchor {text}: expected a system and its rating, such as gpt-4=1163"
        ))),
    }
}

fn leaderboard_options(
    args: &LeaderboardArgs,
    conditions: Option<&Conditions>,
) -> Result<LeaderboardOptions, Failed> {
    let rank = rank_options(args, conditions)?;
    Ok(LeaderboardOptions {
        paths: args.files.clone(),
        filter: args.records.filter.parse()?,
        skip_bad: args.skip.skip_bad,
        outcomes: args.records.parse_outcomes()?,
        left: args.left.clone(),
        right: args.right.clone(),
        winner: args.winner.clone(),
        weight: args.weight.clone(),
        format: match &args.input_format {
            Some(name) => Some(RecordedFormat::named(name)?),
            None => args.counts.then_some(RecordedFormat::Counts),
        },
        cluster: match args.cluster.as_deref() {
            None => ClusterBy::Auto,
            Some("item") => ClusterBy::Item,
            Some("none") => ClusterBy::None,
            Some(column) => ClusterBy::Column(column.into()),
        },
        both_bad: args.both_bad,
        control: ListedNames::join(&args.control),
        texts: match args.texts.as_deref().map(ListedNames::join) {
            None => None,
            Some(columns) => Some(columns.try_into().map_err(|_| {
                Failed::usage("--texts: expected two columns, such as response_a,response_b")
            })?),
        },
        judge_column: args.judge_column.clone(),
        // Of a file of scores: system, item, score.
        columns: [&args.system_column, &args.item_column, &args.score_column].map(Option::clone),
        systems: args.systems.names(),
        baseline: args.judgments.baseline.clone(),
        both_games: args.judgments.both_games,
        strength: args.judgments.strength()?,
        labels: args.labels.clone(),
        anchor: args.anchor.as_deref().map(parse_anchor).transpose()?,
        min_battles: args.min_battles,
        allow_duplicates: args.allow_duplicates,
        by: args.by.clone(),
        length_control: is_length_controlled(args),
        published: Published {
            weights: args.length_control_weights.clone(),
            difficulty: args.instruction_difficulty.clone(),
        },
        rank,
    })
}

fn rank_options(
    args: &LeaderboardArgs,
    conditions: Option<&Conditions>,
) -> Result<RankOptions, Failed> {
    // Estimators with their own intervals need no resamples.
    let has_own = !args.control.is_empty() || !args.labels.is_empty() || is_length_controlled(args);
    let usual = if has_own { Ci::Sandwich } else { Ci::Bootstrap };
    let mut options = RankOptions {
        ci: args.ci.unwrap_or(usual),
        ..args.ranking.options(args.seed.seed, args.threads.count())?
    };
    if let Some(conditions) = conditions {
        conditions.ask_for_pairs(&mut options);
        // Known before a board is changed, where the aggregation is named.
        if let Some(aggregation) = options.aggregation {
            conditions.check_unit(aggregation.unit(options.scale, ScoreUnit::FilePoints))?;
        }
    }
    Ok(options)
}

/// Whether win rates are controlled for length: what is published for that has no other use.
fn is_length_controlled(args: &LeaderboardArgs) -> bool {
    args.length_control
        || args.length_control_weights.is_some()
        || args.instruction_difficulty.is_some()
}
