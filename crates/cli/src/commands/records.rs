//! Judgments with their texts, written one after the other: those of a large run are never held.

use super::end_printing;
use super::kept_run::{describe_unread, open_kept};
use crate::Failed;
use crate::host::Out;
use evenhand_core::{Clusters, Verdict};
use evenhand_engine::PriceTable;
use evenhand_pages::{Detail, OpenRun};
use evenhand_report::{JudgmentRecord, JudgmentWriter};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufWriter};
use std::path::Path;

/// The forms in which judgments are written with their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordForm {
    Json,
    Csv,
    Parquet,
}

/// Judgments of a run on their way to stdout.
struct Records<'a> {
    run: &'a OpenRun,
    keeps_texts: bool,
    /// The names of the items' questions, of those that have one.
    questions: HashMap<String, String>,
    out: JudgmentWriter<BufWriter<Out>>,
}

/// Writes the judgments of these rows, with what both orders say together.
pub(super) fn write_rows(run: &OpenRun, rows: &[u32], form: RecordForm) -> Result<(), Failed> {
    let judgments = rows.iter().flat_map(|row| run.index().judgments_of(*row));
    let trials = judgments.flatten().map(|at| run.index().trial_of(at));
    Records::new(run, form)?.write_all(trials, |out, detail, question, keeps_texts| {
        let record = JudgmentRecord::new(detail, question, keeps_texts);
        out.write_record(&record.with_row(&detail.row))
    })
}

/// Writes all judgments of a run in plan order, with the verdicts of people in place of the
/// judge's.
pub(super) fn write_judged(
    dir: &Path,
    prices: &PriceTable,
    reviewed: &BTreeMap<u64, Verdict>,
    form: RecordForm,
) -> Result<(), Failed> {
    let run = open_kept(dir, prices.clone())?;
    let index = run.index();
    let trials = (0..index.judgments() as u32).map(|at| index.trial_of(at));
    Records::new(&run, form)?.write_all(trials, |out, detail, question, keeps_texts| {
        if let Some(verdict) = reviewed.get(&detail.trial) {
            detail.verdict = Some(verdict.clone());
            detail.outcome.failure = None;
            detail.detail = None;
        }
        out.write_record(&JudgmentRecord::new(detail, question, keeps_texts))
    })
}

impl<'a> Records<'a> {
    fn new(run: &'a OpenRun, form: RecordForm) -> Result<Records<'a>, Failed> {
        let out = BufWriter::new(Out::open());
        let items = run.reader().items().map_err(describe_unread)?;
        let clusters = Clusters::of_items(&items);
        let names = clusters.names(&items);
        let named = items.into_iter().zip(clusters.numbers());
        Ok(Records {
            run,
            questions: named
                .filter_map(|(item, number)| Some((item.id, names[*number as usize].clone()?)))
                .collect(),
            keeps_texts: run.reader().keeps_texts().map_err(describe_unread)?,
            out: match form {
                RecordForm::Json => Ok(JudgmentWriter::Json(out)),
                RecordForm::Csv => JudgmentWriter::to_csv_of_records(out),
                RecordForm::Parquet => JudgmentWriter::to_parquet_of_records(out),
            }
            .map_err(|error| Failed::unwritten(&error))?,
        })
    }

    fn write_all(
        mut self,
        trials: impl Iterator<Item = u64>,
        write: impl Fn(
            &mut JudgmentWriter<BufWriter<Out>>,
            &mut Detail,
            Option<&str>,
            bool,
        ) -> io::Result<()>,
    ) -> Result<(), Failed> {
        for trial in trials {
            let found = self.run.judgment(trial).map_err(describe_unread)?;
            let Some(mut detail) = found else { continue };
            let question = self.questions.get(&detail.item.id).map(String::as_str);
            if let Err(error) = write(&mut self.out, &mut detail, question, self.keeps_texts) {
                return end_printing(Err(error));
            }
        }
        end_printing(self.out.finish())
    }
}
