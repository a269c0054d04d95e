//! `evenhand judgments`.

use super::kept_run::{describe_unread, open_judged};
use super::print;
use super::records::{RecordForm, write_rows};
use crate::args::help::{DATA, OUTPUT};
use crate::args::{PriceArgs, VerboseArgs};
use crate::host::{Out, keep_run_of_host};
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use evenhand_engine::files::label_files;
use evenhand_pages::{Filter, OpenRun, RowsError};
use evenhand_report::{RowTable, row_table};
use evenhand_viewer::read_labels;
use std::path::PathBuf;
use std::slice;

/// Which judgments of a run are listed, and how.
#[derive(Debug, Args)]
pub(crate) struct JudgmentsArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Only rows that match; if given more than once, all must match
    ///
    /// flipped, split, system=NAME, pair=A~B, item=ID, category=NAME, winner=NAME,
    /// outcome=a|b|tie|none, failure=any|KIND, confidence=LO..HI, cost=LO..HI, text=WORDS,
    /// people=agree|disagree|any. A row is both orders of a pair, a single response, or a list.
    #[arg(id = "where", long = "where", value_name = "FILTER", help_heading = DATA)]
    pub(crate) filters: Vec<String>,
    /// The order: plan, item, cost, -cost, confidence, -confidence
    #[arg(
        long, value_name = "ORDER", allow_hyphen_values = true, default_value = "plan",
        hide_possible_values = true, hide_default_value = true,
        value_parser = ["plan", "confidence", "-confidence", "cost", "-cost", "item"],
        help_heading = OUTPUT
    )]
    pub(crate) sort: String,
    /// At most N rows [default: 100 in a table, else all]
    #[arg(long, value_name = "N", help_heading = OUTPUT)]
    pub(crate) limit: Option<usize>,
    /// People's labels, instead of those that the run keeps
    ///
    /// Comparisons in any format of judgments, as for `view --labels`. If a pair has several
    /// labels, the majority counts.
    #[arg(long, num_args = 1.., value_name = "LABELS", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    /// Output format
    ///
    /// A table has a line for each row; the others have one for each judgment, with its texts and
    /// the judge's words. json is one object per line, as in JSON lines. parquet has the columns of
    /// csv, typed, and goes to a file: `> FILE.parquet`.
    #[arg(long, value_enum, default_value = "table", help_heading = OUTPUT)]
    pub(crate) format: JudgmentsFormat,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// The forms in which judgments are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgmentsFormat {
    Table,
    #[value(alias = "jsonl")]
    Json,
    Csv,
    Parquet,
}

impl JudgmentsArgs {
    /// Returns the filter with the order of rows.
    pub(crate) fn filter(&self) -> Result<Filter, Failed> {
        // The value of a filter stands as it is.
        let filters = self.filters.iter();
        let filters = filters.map(|filter| filter.split_once('=').unwrap_or((filter, "")));
        let pairs = filters.chain([("sort", self.sort.as_str())]);
        Filter::from_pairs(pairs).map_err(|error| Failed::usage(format!("--where {error}")))
    }
}

/// Rows of a table, where the command line does not say.
const ROWS: usize = 100;

/// The rows of a run that pass a filter, or their judgments with texts.
pub(crate) fn judgments(args: &JudgmentsArgs) -> Result<Done, Failed> {
    let filter = args.filter()?;
    if args.format == JudgmentsFormat::Parquet && matches!(Out::open(), Out::Terminal(..)) {
        return Err(Failed::usage(
            "--format parquet: a terminal cannot show Parquet; write it to a file, with \
             `> FILE.parquet` behind the command",
        ));
    }
    let run = open(args, &filter)?;
    let all = match run.select(&filter) {
        Ok(selected) => selected.rows,
        Err(RowsError::Filter(error)) => return Err(Failed::usage(format!("--where {error}"))),
        Err(RowsError::Store(error)) => return Err(describe_unread(error)),
    };
    let first = |most: usize| &all[..all.len().min(most)];
    let most = args.limit.unwrap_or(usize::MAX);
    match args.format {
        JudgmentsFormat::Table => {
            let rows = first(args.limit.unwrap_or(ROWS)).iter();
            let rows: Vec<_> = rows.map(|row| run.row_without_texts(*row)).collect();
            let table = row_table(&RowTable {
                rows: &rows,
                sums: run.index().sum_rows(&all),
                view: args.verbose.view(),
            });
            print(&format!("{table}\n"))?;
        }
        JudgmentsFormat::Json => write_rows(&run, first(most), RecordForm::Json)?,
        JudgmentsFormat::Csv => write_rows(&run, first(most), RecordForm::Csv)?,
        JudgmentsFormat::Parquet => write_rows(&run, first(most), RecordForm::Parquet)?,
    }
    Ok(Done::Fine)
}

fn open(args: &JudgmentsArgs, filter: &Filter) -> Result<OpenRun, Failed> {
    let mut run = open_judged(&args.run, args.prices.table()?)?;
    // Labels of a review stand in the run, and are found there; that there are none is said below.
    let labels = match args.labels.as_slice() {
        [] if filter.people.is_some() => {
            label_files(slice::from_ref(&args.run)).unwrap_or_default()
        }
        given => given.to_vec(),
    };
    if !labels.is_empty() {
        run.set_people(read_labels(&labels)?);
    }
    if filter.people.is_some() && !run.index().has_people() {
        return Err(Failed::usage(
            "--where people: there are no labels of what was judged; give some with --labels",
        ));
    }
    keep_run_of_host(Some(&args.run));
    Ok(run)
}
