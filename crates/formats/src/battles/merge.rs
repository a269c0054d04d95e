//! Numbers of systems and clusters that hold for all files.

use super::chunk::Chunk;
use super::fault::{Fault, Result};
use super::intern::Interner;
use super::parallel::Job;
use super::plan::{MAX_SYSTEMS, Part, Plan};
use super::source::BattleSource;
use crate::error::MOST_ERRORS;
use crate::error::{At, DataError, DataProblem};
use crate::outcomes::Signs;

/// The contents of the files so far, under numbers that hold for all of them.
#[derive(Debug, Default)]
pub(super) struct Merge {
    pub(super) names: Vec<String>,
    pub(super) rows: u64,
    /// The signs among the outcomes so far.
    pub(super) signs: Signs,
    /// How many rows were met, those that a filter leaves out included.
    pub(super) met: u64,
    /// How many of them are left out because the word for their outcome says so.
    pub(super) dropped: u64,
    /// The problem of each row that is left out, of all files, and the files that have no rows.
    pub(super) skipped: Vec<DataError>,
    /// What is wrong with the first file whose signs do not say what they mean.
    pub(super) unclear: Option<DataError>,
    /// How many rows there were, were met, and were dropped, before the file at hand.
    before: [u64; 3],
    /// How many of the file at hand.
    skipped_of_file: u64,
    /// What is wrong with further rows of the file at hand.
    errors: Vec<DataError>,
    systems: Interner,
    pub(super) clusters: Interner,
    pub(super) labels: Interner,
    /// A chunk's numbers to ours.
    system_map: Vec<u16>,
    cluster_map: Vec<u32>,
}

impl Merge {
    /// Checks that no row of the file that has ended is bad, but for those that are left out.
    ///
    /// # Errors
    /// What is wrong with the others.
    fn end_file(&mut self, skip_bad: u64) -> Result<(), DataError> {
        let skipped = std::mem::take(&mut self.skipped_of_file) as usize;
        match std::mem::take(&mut self.errors) {
            errors if errors.is_empty() => Ok(()),
            errors => {
                let before = self.skipped.len().saturating_sub(skipped);
                let skipped = self.skipped.split_off(before);
                Err(DataError::of_bad(skipped, errors, skip_bad))
            }
        }
    }

    /// Gives the rows of a chunk the numbers that hold for all.
    fn renumber(&mut self, chunk: &mut Chunk, plan: &Plan) -> Result {
        // A name that stands in rows alone that cannot be read is nobody's.
        let is_whole = chunk.bad.is_empty();
        let counted = chunk.cells.iter().flat_map(|cell| [cell.a, cell.b]);
        let rows = chunk.a.iter().zip(&chunk.b).flat_map(|(a, b)| [*a, *b]);
        let used = rows.chain(counted).map(usize::from);
        self.system_map.clear();
        self.system_map.resize(chunk.systems.len(), 0);
        for at in order_of_use(chunk.systems.len(), is_whole, used) {
            let name = chunk.systems.get(at);
            let (number, is_new) = self.systems.intern(name);
            if is_new {
                self.names.push(String::from_utf8_lossy(name).into_owned());
            }
            // More systems than fit are refused before a number is used.
            self.system_map[at] = number as u16;
        }
        if self.names.len() > MAX_SYSTEMS {
            return Err(plan.too_many_systems(0));
        }
        let counted = chunk.cells.iter_mut();
        let counted = counted.flat_map(|cell| [&mut cell.a, &mut cell.b]);
        for system in chunk.a.iter_mut().chain(&mut chunk.b).chain(counted) {
            let number = self.system_map.get(usize::from(*system));
            *system = number.copied().unwrap_or_default();
        }
        let used = chunk.cluster.iter().map(|cluster| *cluster as usize);
        self.cluster_map.clear();
        self.cluster_map.resize(chunk.clusters.len(), 0);
        for at in order_of_use(chunk.clusters.len(), is_whole, used) {
            let value = chunk.clusters.get(at);
            self.cluster_map[at] = self.clusters.intern(value).0;
        }
        if self.clusters.len() >= u32::MAX as usize {
            let field = plan.position(Part::Cluster);
            return Err(DataProblem::TooManyClusters {
                limit: u32::MAX,
                field: field.map_or_else(String::new, |field| plan.field_name(field)),
            });
        }
        for cluster in &mut chunk.cluster {
            let number = self.cluster_map.get(*cluster as usize);
            *cluster = number.copied().unwrap_or_default();
        }
        let used = chunk.label.iter().map(|label| *label as usize);
        let mut labels = vec![0; chunk.labels.len()];
        for at in order_of_use(chunk.labels.len(), is_whole, used) {
            labels[at] = self.labels.intern(chunk.labels.get(at)).0;
        }
        for label in &mut chunk.label {
            *label = labels.get(*label as usize).copied().unwrap_or_default();
        }
        Ok(())
    }
}

/// Lists the numbers below `count` that rows use, in the order of their first use; where no row of
/// the chunk was left out, that is all of them as they stand.
fn order_of_use(count: usize, is_whole: bool, used: impl Iterator<Item = usize>) -> Vec<usize> {
    if is_whole {
        return (0..count).collect();
    }
    let mut seen = vec![false; count];
    used.filter(|at| !std::mem::replace(&mut seen[*at], true))
        .collect()
}

/// Where the parsed chunks of a file go, in the order of the file.
pub(super) struct ChunkSink<'a> {
    pub(super) merge: &'a mut Merge,
    /// How many rows of a file that cannot be read are left out.
    pub(super) skip_bad: u64,
    /// Takes a chunk whose numbers hold for all files.
    pub(super) take: &'a mut dyn FnMut(&Plan, &Merge, &Chunk),
}

impl ChunkSink<'_> {
    /// Ends the file of this plan. One without rows is noted: who writes a table in parts may leave
    /// some of them empty.
    ///
    /// # Errors
    /// The problems of rows of the file.
    pub(super) fn end_file(&mut self, plan: &Plan, source: &BattleSource) -> Result<(), DataError> {
        let merge = &mut *self.merge;
        merge.end_file(self.skip_bad)?;
        let now = [merge.rows, merge.met, merge.dropped];
        let [rows, met, dropped] = std::mem::replace(&mut merge.before, now);
        if merge.rows == rows && merge.dropped == dropped {
            let filter = plan.filter.to_string();
            merge.skipped.push(source.file_error(match merge.met > met {
                true => DataProblem::NoRowLeft { filter },
                false => DataProblem::NoRows,
            }));
        }
        if merge.unclear.is_none() && merge.signs.are_unclear() {
            // The outcome comes after the two systems.
            let field = plan.field_name(2);
            merge.unclear = Some(source.file_error(DataProblem::Signs { field: Some(field) }));
        }
        Ok(())
    }

    /// Hands a parsed job over; `at` finds the place in the file behind so many lines or rows of
    /// the piece.
    ///
    /// # Errors
    /// The fault of the job; more systems or clusters than there are numbers; what is wrong with
    /// rows, where there are enough of them to be told.
    pub(super) fn accept(
        &mut self,
        job: &mut Job,
        plan: &Plan,
        source: &BattleSource,
        at: impl Fn(u64) -> At,
    ) -> Result<(), DataError> {
        let (merge, chunk) = (&mut *self.merge, &mut job.chunk);
        if let Some(fault) = job.fault.take() {
            return Err(fault.locate(&source.name, at));
        }
        if let Err(problem) = merge.renumber(chunk, plan) {
            return Err(Fault::of_file(problem).locate(&source.name, at));
        }
        merge.rows += chunk.a.len() as u64;
        merge.rows += chunk.cells.iter().map(|cell| cell.rows).sum::<u64>();
        merge.met += chunk.met;
        merge.dropped += chunk.dropped;
        merge.signs.merge(chunk.signs);
        if !chunk.a.is_empty() || !chunk.cells.is_empty() {
            (self.take)(plan, merge, chunk);
        }
        for fault in chunk.bad.drain(..) {
            let error = fault.locate(&source.name, &at);
            if merge.skipped_of_file < self.skip_bad {
                merge.skipped_of_file += 1;
                merge.skipped.push(error);
                continue;
            }
            merge.errors.push(error);
            if merge.errors.len() >= MOST_ERRORS {
                merge.end_file(self.skip_bad)?;
            }
        }
        Ok(())
    }
}
