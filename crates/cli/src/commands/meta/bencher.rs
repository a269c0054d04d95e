//! `evenhand meta bencher`.

use crate::args::choices::{any_name, names, parse_names, words};
use crate::args::help::{DATA, OUTPUT, STATISTICS};
use crate::args::output::parse_figure_file;
use crate::args::ranking::parse_aggregation;
use crate::args::{
    ConfigArgs, FormatArgs, JudgmentArgs, ListedNames, QuietArgs, RecordArgs, ReportFileArgs,
    ResamplingArgs, SeedArgs, ThreadArgs,
};
use crate::commands::figure::{check_place, draw_first};
use crate::commands::report::Reported;
use crate::condition::{decide_by_rows, end_by_gates, parse_conditions};
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use evenhand_compare::gate::{Figure, Grammar};
use evenhand_core::did_you_mean;
use evenhand_ranking::{Aggregation, EqualScores, RecordedFormat, Votes, check_prior};
use evenhand_report::figures::{figures_of_benchers, tau_u_figure};
use evenhand_report::meta::{bencher_csv, bencher_json, bencher_table};
use evenhand_studies::bencher::{
    Aggregate, BencherOptions, BencherRow, BencherSource, Columns, JudgedOptions, Names, Reference,
    benchers,
};
use std::path::PathBuf;

/// Which benchers are held against what.
#[derive(Debug, Args)]
pub(crate) struct BencherArgs {
    /// A bencher: a ranking, a table of scores, or judgments
    ///
    /// As PATH or NAME=PATH[,PATH...]: a ranking or table of scores, rows with bootstrap scores, or
    /// judgments, battles and scores as `leaderboard` reads them. A directory stands for its files.
    #[arg(long, required = true, num_args = 1.., value_name = "[NAME=]PATH", help_heading = DATA)]
    pub(crate) ranking: Vec<String>,
    /// Reference ratings
    ///
    /// A table with the columns system (or model), rating, and perhaps ci_low, ci_high.
    #[arg(
        long, value_name = "FILE", required_unless_present = "labels", conflicts_with = "labels",
        help_heading = DATA
    )]
    pub(crate) ratings: Option<PathBuf>,
    /// People's judgments, instead of ratings
    ///
    /// They are aggregated as the bencher's are, on the same resampled items.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// How several labels of the same pair count: each, or their majority once
    #[arg(
        long, default_value = "each", help_heading = STATISTICS,
        value_parser = words(&[("each", Votes::Each), ("majority", Votes::Majority)])
    )]
    pub(crate) votes: Votes,
    /// A table with one system per row, and its names in several vocabularies
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) names: Option<PathBuf>,
    /// How recorded judgments become scores, each a bencher
    ///
    /// See `evenhand help aggregations`; length-control is for AlpacaEval files. [default: mean for
    /// scores, else bradley-terry]
    #[arg(
        long, value_delimiter = ',', value_parser = names(aggregates(), parse_aggregate),
        hide_possible_values = true, value_name = "NAME,...", help_heading = STATISTICS
    )]
    pub(crate) aggregate: Vec<Aggregate>,
    /// Columns of published tables with a score, each a bencher
    ///
    /// [default: score, win_rate or rating]
    #[arg(long, value_parser = parse_names, value_name = "COLUMN,...", help_heading = DATA)]
    pub(crate) score_column: Vec<ListedNames>,
    /// The column of published tables with the system [default: system or model]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) system_column: Option<String>,
    /// The column of --ratings with the rating [default: rating or score]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) rating_column: Option<String>,
    /// The column of --ratings with the system [default: system or model]
    #[arg(long, value_name = "COLUMN", help_heading = DATA)]
    pub(crate) rating_system_column: Option<String>,
    /// Further thresholds of tau_u, in the unit of the ratings
    #[arg(long, value_delimiter = ',', value_name = "U,...", help_heading = STATISTICS)]
    pub(crate) u: Vec<f64>,
    /// Only these systems of the benchers
    #[arg(long, value_parser = parse_names, value_name = "A,B,...", help_heading = DATA)]
    pub(crate) systems: Option<Vec<ListedNames>>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    /// The judgments' format, if it is not recognised
    ///
    /// One of battles, counts, or a name of docs/formats.md.
    #[arg(
        long, value_name = "NAME", hide_possible_values = true,
        value_parser = names(RecordedFormat::names(), any_name), help_heading = DATA
    )]
    pub(crate) input_format: Option<String>,
    #[command(flatten)]
    pub(crate) judgments: JudgmentArgs,
    /// How equal scores count when scores become comparisons
    #[arg(long, value_enum, default_value = "tie", help_heading = STATISTICS)]
    pub(crate) equal_scores: EqualBy,
    /// Ridge prior on Bradley-Terry strengths
    ///
    /// Its variance is 1/WEIGHT, in log-odds.
    #[arg(long, value_name = "WEIGHT", help_heading = STATISTICS)]
    pub(crate) prior: Option<f64>,
    /// Draw the curves of tau_u to FILE
    ///
    /// As SVG or PNG by its ending, with their intervals.
    #[arg(
        long, value_name = "FILE.svg|FILE.png", value_parser = parse_figure_file,
        help_heading = OUTPUT
    )]
    pub(crate) figure: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Exit with 3 if a condition holds for any bencher
    ///
    /// Such as 'spearman<0.9' or 'tau_u<0.5' (over all pairs that differ).
    #[arg(long, value_name = "EXPR", help_heading = OUTPUT)]
    pub(crate) fail_if: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

const LENGTH_CONTROL: &str = "length-control";

fn aggregates() -> impl Iterator<Item = &'static str> {
    Aggregation::NAMES.iter().copied().chain([LENGTH_CONTROL])
}

fn parse_aggregate(name: &str) -> Result<Aggregate, String> {
    match name {
        LENGTH_CONTROL => Ok(Aggregate::LengthControl),
        name => parse_aggregation(name).map(Aggregate::By).map_err(|_| {
            let known: Vec<&str> = aggregates().collect();
            let meant = did_you_mean(name, known.iter().copied());
            format!("expected one of {}{meant}", known.join(", "))
        }),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EqualBy {
    /// A tie, half a win for both
    Tie,
    /// No comparison
    Nothing,
}

impl From<EqualBy> for EqualScores {
    fn from(equal: EqualBy) -> Self {
        match equal {
            EqualBy::Tie => EqualScores::Tie,
            EqualBy::Nothing => EqualScores::Nothing,
        }
    }
}

static CONDITIONS: Grammar<BencherRow> = Grammar::of_figures(&[
    Figure::coefficient("spearman", |row| row.figures.spearman.value),
    Figure::coefficient("kendall_tau_b", |row| row.figures.kendall_tau_b.value),
    // Over all pairs that differ.
    Figure::coefficient("tau_u", |row| {
        let all = row.tau_u.iter().find(|tau| tau.share == Some(1.0))?;
        all.tau.value
    }),
    Figure::share("strict_agreement", |row| row.figures.strict_agreement.value),
    Figure::share("separability", |row| row.figures.separability.value),
    Figure::coefficient("agreement_with_confidence", |row| {
        row.figures.agreement_with_confidence.value
    }),
    Figure::share("brier", |row| row.figures.brier.value),
    Figure::count("log_loss", |row| row.figures.log_loss.value),
]);

/// Rankings against reference ratings, or against people's own judgments.
pub(crate) fn bencher(args: &BencherArgs) -> Result<Done, Failed> {
    let conditions = parse_conditions(args.fail_if.as_deref(), &CONDITIONS)?;
    args.report.check()?;
    check_place(args.figure.as_deref())?;
    let report = benchers(&bencher_options(args)?)?;
    draw_first(args.figure.as_deref(), || {
        Vec::from_iter(tau_u_figure(&report))
    })?;
    let gates = decide_by_rows(
        &conditions,
        &CONDITIONS,
        &report.benchers,
        |row| (&row.bencher, row),
        None,
    );
    let decided = gates.as_deref().unwrap_or_default();
    args.format.print_gated(
        decided,
        || bencher_table(&report),
        || bencher_json(&report, decided),
        || bencher_csv(&report),
    )?;
    let files = args.ratings.iter().chain(&args.labels);
    let reported = Reported {
        command: "meta bencher",
        title: "benchers against people".into(),
        files: files.map(PathBuf::as_path).collect(),
        json: bencher_json(&report, decided),
        figures: figures_of_benchers(&report),
        run: None,
    };
    args.report.publish(args.quiet, reported)?;
    Ok(end_by_gates(&gates?))
}

fn bencher_options(args: &BencherArgs) -> Result<BencherOptions, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    args.prior.map_or(Ok(()), check_prior)?;
    let mut rankings = Vec::new();
    for text in &args.ranking {
        rankings.push(BencherSource::parse(text)?);
    }
    let format = args.input_format.as_deref().map(RecordedFormat::named);
    // How judgments of a bencher become scores.
    let judged = JudgedOptions {
        aggregates: args.aggregate.clone(),
        format: format.transpose()?,
        systems: args.systems.as_deref().map(ListedNames::join),
        baseline: args.judgments.baseline.clone(),
        both_games: args.judgments.both_games,
        strength: args.judgments.strength()?,
        prior: args.prior,
        equal: args.equal_scores.into(),
        filter: args.records.filter.parse()?,
        outcomes: args.records.parse_outcomes()?,
    };
    let reference = match &args.ratings {
        Some(path) => Reference::Ratings {
            path: path.clone(),
            columns: Columns {
                system: args.rating_system_column.clone(),
                score: args.rating_column.clone(),
                ..Columns::default()
            },
        },
        None => Reference::Labels {
            paths: args.labels.clone(),
            votes: args.votes,
        },
    };
    let names = match &args.names {
        Some(file) => Names::read(file)?,
        None => Names::default(),
    };
    Ok(BencherOptions {
        rankings,
        system_column: args.system_column.clone(),
        score_columns: ListedNames::join(&args.score_column),
        judged,
        reference,
        names,
        u: args.u.clone(),
        plan,
    })
}
