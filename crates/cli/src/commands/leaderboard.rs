//! `evenhand leaderboard`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, name_files, name_of_board};
use crate::args::choices::{any_name, names, parse_names, words};
use crate::args::data::SkipArgs;
use crate::args::help::{DATA, OUTPUT, STATISTICS};
use crate::args::ranking::INTERVALS;
use crate::args::{
    FigureArgs, JudgmentArgs, ListedNames, OutputArgs, RankingArgs, RecordArgs, ReportFileArgs,
    SeedArgs, SystemsArgs, ThreadArgs, parse_label,
};
use crate::commands::verdicts::check_min_coverage;
use crate::condition::{Conditions, end_by_gates};
use crate::{Done, Failed};
use clap::Args;
use evenhand_compare::gate::GateResult;
use evenhand_core::{list_names, unquote};
use evenhand_engine::Coverage;
use evenhand_engine::files::note_on_folders;
use evenhand_formats::battles::{Column, Columns};
use evenhand_formats::judgments;
use evenhand_ranking::{
    Anchor, BothBad, Ci, ClusterBy, LeaderboardOptions, Published, RankOptions, RecordedFormat,
    Report, ScoreUnit, correct_board, update_board,
};
use evenhand_report::figures::figures_of_ranking;
use evenhand_report::{
    Usage, markdown_with_gates, ranking_csv, ranking_json, ranking_markdown, recorded_table,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The files to read, and how they are ranked.
#[derive(Clone, Debug, Args)]
pub(crate) struct LeaderboardArgs {
    /// Battles, counts, recorded judgments or scores
    ///
    /// CSV, JSON lines or Parquet; .gz too (see docs/formats.md). A directory means its files, a
    /// quoted pattern such as 'day-*/*.parquet' the files that match.
    #[arg(
        required_unless_present_any = ["length_control_weights", "update"],
        value_name = "FILE"
    )]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) skip: SkipArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingArgs,
    /// Decide conditions even if some judgments have no verdict
    #[arg(long, help_heading = DATA)]
    pub(crate) allow_missing: bool,
    /// Intervals
    ///
    /// [default: bootstrap; sandwich with --control; their own with --labels and --length-control]
    #[arg(long, value_parser = words(INTERVALS), help_heading = STATISTICS)]
    pub(crate) ci: Option<Ci>,
    /// Units that are resampled together
    ///
    /// Items, single judgments (none), or rows with the same value in COLUMN. [default: items where
    /// files name them]
    #[arg(long, value_name = "item|none|COLUMN", help_heading = STATISTICS)]
    pub(crate) cluster: Option<String>,
    /// The column with the first system
    ///
    /// [default: model_a, left or system_a]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) left: Option<String>,
    /// The column with the second system
    ///
    /// [default: model_b, right or system_b]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) right: Option<String>,
    /// The column with the winner [default: winner]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) winner: Option<String>,
    /// The column with a weight for each battle [default: weight, where there is one]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) weight: Option<String>,
    /// How ties count where both responses are bad
    ///
    /// A tie, or kept apart and not counted for either. [default: tie; apart for models of ties]
    #[arg(
        long, value_name = "AS", help_heading = DATA,
        value_parser = words(&[("tie", BothBad::Tie), ("apart", BothBad::Apart)])
    )]
    pub(crate) both_bad: Option<BothBad>,
    /// Take out the effect of covariates
    ///
    /// Columns of differences, or A/B for two columns; order, for which response was shown first
    /// (the one that a row names first); length, for AlpacaEval files.
    #[arg(
        long, value_parser = parse_names, value_name = "COLUMN,A/B,...", help_heading = STATISTICS
    )]
    pub(crate) control: Vec<ListedNames>,
    /// Columns with the two responses' texts, for --control
    ///
    /// Length, headings, lists and bold are counted in the first and in the second response's text.
    #[arg(
        long, value_parser = parse_names, num_args = 1, value_name = "COLUMN_A,COLUMN_B",
        help_heading = DATA
    )]
    pub(crate) texts: Option<Vec<ListedNames>>,
    /// The column that says who judged: better judges then count more
    ///
    /// Bradley-Terry with a discrimination for each judge, found without labels.
    #[arg(long, value_name = "COLUMN", help_heading = STATISTICS)]
    pub(crate) judge_column: Option<String>,
    /// People's labels of some of what FILE judges
    ///
    /// Comparisons or scores, in any format of judgments: the ranking is then prediction-powered.
    #[arg(long, num_args = 1.., value_name = "LABELS", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// Length-controlled win rates, as AlpacaEval's
    ///
    /// For AlpacaEval annotations, or preferences against their one reference.
    #[arg(long, help_heading = STATISTICS)]
    pub(crate) length_control: bool,
    /// Published weights of models, instead of FILE
    ///
    /// AlpacaEval's: model, w_length, w_difficulty, w_model, or its own names of these columns.
    /// Needs --instruction-difficulty. The rates are those that it publishes.
    #[arg(long, value_name = "WEIGHTS", help_heading = STATISTICS)]
    pub(crate) length_control_weights: Option<PathBuf>,
    /// Published difficulties of instructions, for --length-control
    ///
    /// A table with instruction_difficulty, and instruction_id unless its rows are in order.
    /// Without it, difficulties are fitted over the models of FILE.
    #[arg(long, value_name = "DIFFICULTIES", help_heading = STATISTICS)]
    pub(crate) instruction_difficulty: Option<PathBuf>,
    /// The files' format, if it is not recognised
    ///
    /// One of battles, counts, or a name of docs/formats.md.
    #[arg(
        long, value_name = "NAME", hide_possible_values = true,
        value_parser = names(RecordedFormat::names(), any_name), help_heading = DATA
    )]
    pub(crate) input_format: Option<String>,
    /// The file holds counts
    ///
    /// The columns are model_a, model_b, wins_a, wins_b, ties, by which counts are also recognised
    /// without this. With a column question_id or item, there are counts for each item.
    #[arg(long, help_heading = DATA)]
    pub(crate) counts: bool,
    /// The column of a file of scores with the system [default: system or model]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) system_column: Option<String>,
    /// The column with the item [default: item or question_id; of scores id too]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) item_column: Option<String>,
    /// The column with the score [default: score]
    ///
    /// Several columns, A,B,..., hold one system each, named after its column. True is 1, false 0.
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) score_column: Option<String>,
    #[command(flatten)]
    pub(crate) systems: SystemsArgs,
    /// Fix the rating of one system
    ///
    /// The other ratings, and their intervals, are differences from it.
    #[arg(long, value_name = "SYSTEM=RATING", help_heading = DATA)]
    pub(crate) anchor: Option<String>,
    /// Leave out systems with fewer battles
    #[arg(
        long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = DATA
    )]
    pub(crate) min_battles: u64,
    /// Add FILE's battles to those that BOARD counts, and rank them all
    ///
    /// BOARD is rewritten, with this ranking in its history, and created if missing. Files that
    /// repeat battles of the board are refused. --anchor, --by, --cluster, --control and --where
    /// are kept for later editions.
    #[arg(long, value_name = "BOARD.json", help_heading = DATA)]
    pub(crate) update: Option<PathBuf>,
    /// Take the edition of a day back, for --update
    ///
    /// Its files' battles are no longer counted, and FILE takes their place, if given. Editions
    /// that counted them are ranked again, with the settings of this call.
    #[arg(
        long, value_name = "YYYY-MM-DD", requires = "update", conflicts_with = "date",
        help_heading = DATA
    )]
    pub(crate) remove: Option<String>,
    /// Count duplicate files and rows
    ///
    /// Files given twice, or rows that the board already has.
    #[arg(long, help_heading = DATA)]
    pub(crate) allow_duplicates: bool,
    /// The day of this edition, for --update
    #[arg(long, value_name = "YYYY-MM-DD", requires = "update", help_heading = DATA)]
    pub(crate) date: Option<String>,
    /// The ranking's name on pages and sites
    ///
    /// A board keeps it, in place of an earlier name.
    #[arg(long, value_name = "NAME", value_parser = parse_label, help_heading = OUTPUT)]
    pub(crate) name: Option<String>,
    /// Also rank by value of FIELD, and test whether the values differ
    ///
    /// A field of the records, or a path such as meta.lang. Gives a ranking for each value, and
    /// says whether systems do better or worse there than overall.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) judgments: JudgmentArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Judgments, battles or scores that exist already, to a ranking.
pub(crate) fn leaderboard(args: &LeaderboardArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let output = &args.output;
    let conditions = Conditions::parse_option(output.fail_if.as_deref(), args.allow_missing)?;
    let figure = args.figure.path();
    args.report.check()?;
    check_place(figure)?;
    check_min_coverage(output.min_coverage)?;
    for path in args.files.iter().chain(&args.labels) {
        if let Some(note) = note_on_folders(path) {
            output.quiet.say(&note);
        }
    }
    let mut report = rank_files(args, conditions.as_ref())?;
    if let Some(conditions) = &conditions {
        conditions.check_unit(report.unit, None)?;
    }
    // Conditions may rest on differences that nobody asked to see.
    let gates = decide_gates(conditions.as_ref(), &report);
    args.ranking.drop_unasked(&mut report);
    let usage = Usage {
        seconds: started.elapsed().as_secs_f64(),
        ..Usage::default()
    };
    let decided = gates.as_deref().unwrap_or_default();
    output.format.print_with(
        || markdown_with_gates(ranking_markdown(&report), decided),
        || recorded_table(&report, &usage, output.verbose.view()) + "\n",
        || ranking_json(&report, &usage, decided),
        || ranking_csv(&report),
    )?;
    let files = args.files.iter().chain(&args.labels).chain(&args.update);
    let reported = Reported {
        command: "leaderboard",
        title: match &args.update {
            Some(board) => name_of_board(board),
            None => name_files(&args.files),
        },
        files: files.map(PathBuf::as_path).collect(),
        json: ranking_json(&report, &usage, decided),
        figures: figures_of_ranking(&report),
        run: None,
    };
    args.report.publish(output.quiet, reported)?;
    draw_first(figure, || figures_of_ranking(&report))?;
    check_verdicts(&report, output.min_coverage)?;
    Ok(end_by_gates(&gates?))
}

fn decide_gates(
    conditions: Option<&Conditions>,
    report: &Report,
) -> Result<Vec<GateResult>, Failed> {
    let Some(conditions) = conditions else {
        return Ok(Vec::new());
    };
    // Which systems there are is known only from the report, unlike those of `rank`.
    let rows = report.ranking.iter();
    let systems: Vec<Arc<str>> = rows.map(|row| row.system.as_str().into()).collect();
    conditions.check(&systems)?;
    conditions.decide(report, None)
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
    let quiet = args.output.quiet;
    let mut warn = |line: &str| quiet.say(line);
    let (report, done) = match (&args.remove, &args.date) {
        (Some(day), _) => {
            let (report, corrected) = correct_board(board, day, &options, &mut warn)?;
            let what = match args.files.is_empty() {
                true => "taken back",
                false => "made anew",
            };
            let again = ranked_again(&corrected.ranked_again);
            (report, format!("the one of {day} {what}{again}"))
        }
        (None, Some(date)) => {
            let (report, again) = update_board(board, date, &options, &mut warn)?;
            let last = report.history.last().map(|edition| &*edition.date);
            let done = match last {
                Some(last) if last != date => {
                    format!("the one of {date} put in its place{}", ranked_again(&again))
                }
                _ => format!("the last of {date}"),
            };
            (report, done)
        }
        (None, None) => {
            let why = "--update: say which day this edition is for: --date YYYY-MM-DD";
            return Err(Failed::usage(why));
        }
    };
    let (board, count) = (board.display(), report.history.len());
    let editions = if count == 1 { "edition" } else { "editions" };
    args.output
        .quiet
        .say(&format!("{board}: {count} {editions}, {done}"));
    Ok(report)
}

/// Says which editions were ranked again, if any.
fn ranked_again(days: &[String]) -> String {
    match days {
        [] => String::new(),
        days => format!(", those of {} ranked again", list_names(days.to_vec())),
    }
}

/// Reads `SYSTEM=RATING`; a system's name may hold the sign.
fn parse_anchor(text: &str) -> Result<Anchor, Failed> {
    let parts = text.rsplit_once('=');
    let rating = parts.and_then(|(_, rating)| rating.trim().parse::<f64>().ok());
    match (parts, rating) {
        (Some((system, _)), Some(rating)) if !system.is_empty() && rating.is_finite() => {
            Ok(Anchor {
                system: unquote(system.trim()),
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
    let columns = Columns {
        left: args.left.clone(),
        right: args.right.clone(),
        winner: args.winner.clone(),
        weight: args.weight.clone().map_or(Column::Auto, Column::Named),
        skip_bad: args.skip.skip_bad,
        ..args.records.columns()?
    };
    Ok(LeaderboardOptions {
        paths: args.files.clone(),
        name: args.name.clone(),
        reading: judgments::Options {
            baseline: args.judgments.baseline.clone(),
            both_games: args.judgments.both_games,
            system: args.system_column.clone(),
            item: args.item_column.clone(),
            score: args.score_column.clone(),
            columns,
            ..judgments::Options::default()
        },
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
        systems: args.systems.names(),
        strength: args.judgments.strength()?,
        labels: args.labels.clone(),
        anchor: args.anchor.as_deref().map(parse_anchor).transpose()?,
        min_battles: args.min_battles,
        allow_duplicates: args.allow_duplicates,
        by: args.by.clone(),
        of_board: false,
        of_slice: false,
        counting: false,
        ci_is_chosen: args.ci.is_some(),
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
            let unit = aggregation.unit(options.scale, ScoreUnit::FilePoints);
            conditions.check_unit(unit, None)?;
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
