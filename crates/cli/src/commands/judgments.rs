//! `evenhand judgments`.

use super::kept_run::{describe_unread, open_kept};
use super::print;
use super::records::{RecordForm, write_rows};
use crate::args::{JudgmentsArgs, JudgmentsFormat};
use crate::host::keep_run_of_host;
use crate::{Done, Failed};
use evenhand_pages::{Filter, OpenRun, RowsError};
use evenhand_report::{RowTable, row_table};
use evenhand_viewer::read_labels;

/// Rows of a table, where the command line does not say.
const ROWS: usize = 100;

/// The rows of a run that pass a filter, or their judgments with texts.
pub(crate) fn judgments(args: &JudgmentsArgs) -> Result<Done, Failed> {
    let filter = args.filter()?;
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
    }
    Ok(Done::Fine)
}

fn open(args: &JudgmentsArgs, filter: &Filter) -> Result<OpenRun, Failed> {
    let mut run = open_kept(&args.run, args.prices.table()?)?;
    // Labels of a review stand in the run, and are found there.
    let kept = args.run.join("labels.jsonl");
    let labels = match args.labels.as_slice() {
        [] if filter.people.is_some() && kept.is_file() => vec![kept],
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
