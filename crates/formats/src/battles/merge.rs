//! Numbers of systems and clusters that hold for all files.

use super::chunk::Chunk;
use super::error::{At, BattleProblem, Error, Fault, Result};
use super::intern::Interner;
use super::outcomes::Signs;
use super::parallel::Job;
use super::plan::{MAX_SYSTEMS, Part, Plan};
use crate::records::MOST_ERRORS;

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
    /// What is wrong with each row that is left out, of all files.
    pub(super) skipped: Vec<Error>,
    /// How many of the file at hand.
    skipped_of_file: u64,
    /// What is wrong with further rows of the file at hand.
    errors: Vec<Error>,
    systems: Interner,
    clusters: Interner,
    /// A chunk's numbers to ours.
    system_map: Vec<u16>,
    cluster_map: Vec<u32>,
}

impl Merge {
    pub(super) fn cluster_count(&self) -> u32 {
        self.clusters.len() as u32
    }

    /// Returns the values of the clusters, by number.
    pub(super) fn cluster_values(&self) -> Vec<String> {
        let values = self.clusters.iter();
        values
            .map(|value| String::from_utf8_lossy(value).into_owned())
            .collect()
    }

    fn count_rows(&mut self, chunk: &Chunk) {
        self.rows += chunk.a.len() as u64;
        self.met += chunk.met;
        self.dropped += chunk.dropped;
        self.signs.merge(chunk.signs);
    }

    /// Notes what is wrong with a row: it is left out, or the file is refused.
    ///
    /// # Errors
    /// The errors so far, where there are enough of them to be told.
    pub(super) fn note_bad(&mut self, error: Error, skip: u64) -> Result<(), Error> {
        if self.skipped_of_file < skip {
            self.skipped_of_file += 1;
            self.skipped.push(error);
            return Ok(());
        }
        self.errors.push(error);
        match self.errors.len() >= MOST_ERRORS {
            true => self.end_file(),
            false => Ok(()),
        }
    }

    /// Checks that no row of the file that has ended is bad, but for those that are left out.
    ///
    /// # Errors
    /// What is wrong with the others.
    pub(super) fn end_file(&mut self) -> Result<(), Error> {
        self.skipped_of_file = 0;
        let mut errors = std::mem::take(&mut self.errors);
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => {
                let source = errors[0].source.clone();
                Err(BattleProblem::Many(errors).at(&source, At::File))
            }
        }
    }

    /// Gives the rows of a chunk the numbers that hold for all.
    fn renumber(&mut self, chunk: &mut Chunk, plan: &Plan) -> Result {
        self.map_systems(&chunk.systems);
        if self.names.len() > MAX_SYSTEMS {
            return Err(plan.too_many_systems(0));
        }
        for system in chunk.a.iter_mut().chain(&mut chunk.b) {
            let number = self.system_map.get(usize::from(*system));
            *system = number.copied().unwrap_or_default();
        }
        self.renumber_clusters(chunk, plan)
    }

    fn map_systems(&mut self, systems: &Interner) {
        self.system_map.clear();
        for name in systems.iter() {
            let (number, is_new) = self.systems.intern(name);
            if is_new {
                self.names.push(String::from_utf8_lossy(name).into_owned());
            }
            // More systems than fit are refused before a number is used.
            self.system_map.push(number as u16);
        }
    }

    fn renumber_clusters(&mut self, chunk: &mut Chunk, plan: &Plan) -> Result {
        self.map_clusters(&chunk.clusters);
        if self.clusters.len() >= u32::MAX as usize {
            let field = plan.position(Part::Cluster);
            return Err(BattleProblem::TooManyClusters {
                limit: u32::MAX,
                field: field.map_or_else(String::new, |field| plan.field_name(field)),
            });
        }
        for cluster in &mut chunk.cluster {
            let number = self.cluster_map.get(*cluster as usize);
            *cluster = number.copied().unwrap_or_default();
        }
        Ok(())
    }

    fn map_clusters(&mut self, clusters: &Interner) {
        self.cluster_map.clear();
        for value in clusters.iter() {
            self.cluster_map.push(self.clusters.intern(value).0);
        }
    }
}

/// Where the parsed chunks of a file go, in the order of the file.
pub(super) struct ChunkSink<'a> {
    pub(super) merge: &'a mut Merge,
    /// Takes a chunk whose numbers hold for all files.
    pub(super) take: &'a mut dyn FnMut(&Plan, &Merge, &Chunk),
}

impl ChunkSink<'_> {
    /// Hands a parsed job over.
    ///
    /// # Errors
    /// The fault of the job; more systems or clusters than there are numbers.
    pub(super) fn accept(&mut self, job: &mut Job, plan: &Plan) -> Result<(), Fault> {
        if let Some(fault) = job.fault.take() {
            return Err(fault);
        }
        let renumbered = self.merge.renumber(&mut job.chunk, plan);
        renumbered.map_err(Fault::of_file)?;
        self.merge.count_rows(&job.chunk);
        if !job.chunk.a.is_empty() {
            (self.take)(plan, self.merge, &job.chunk);
        }
        Ok(())
    }
}
