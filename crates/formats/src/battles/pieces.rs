//! Pieces of a file that have numbers: row groups of Parquet, batches of a table.

use super::error::{At, Error};
use super::merge::ChunkSink;
use super::options::Options;
use super::parallel::{Job, in_order};
use super::plan::Plan;
use super::source::BattleSource;

/// So many pieces of a source, which are read by its plan.
pub(super) struct Pieces<'a> {
    pub(super) source: &'a BattleSource,
    pub(super) plan: &'a Plan,
    pub(super) count: usize,
}

impl Pieces<'_> {
    /// Reads each piece by several threads, and gives them to the sink in their order.
    pub(super) fn read(
        &self,
        options: &Options,
        sink: &mut ChunkSink<'_>,
        read: impl Fn(&mut Job) + Sync,
    ) -> Result<(), Error> {
        let mut given = 0;
        let next = |job: &mut Job| {
            job.text.clear();
            job.group = given;
            given += 1;
            Ok(job.group < self.count)
        };
        let mut rows = 0;
        in_order(options.threads, next, read, |job| {
            self.hand_over(job, rows, sink, options.columns.skip_bad)?;
            rows += job.chunk.met;
            Ok(())
        })
    }

    /// Gives a piece to the sink; `rows` come before it.
    fn hand_over(
        &self,
        job: &mut Job,
        rows: u64,
        sink: &mut ChunkSink<'_>,
        skip: u64,
    ) -> Result<(), Error> {
        let accepted = sink.accept(job, self.plan);
        let row = |before| At::Row(rows + before + 1);
        accepted.map_err(|fault| fault.locate(&self.source.name, row))?;
        for fault in job.chunk.bad.drain(..) {
            sink.merge
                .note_bad(fault.locate(&self.source.name, row), skip)?;
        }
        Ok(())
    }
}
