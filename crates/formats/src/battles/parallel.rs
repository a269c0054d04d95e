//! Pieces of a file, parsed by several threads and taken in the order of the file.

use super::chunk::Chunk;
use super::fault::{Fault, Result};
#[cfg(feature = "parquet")]
use super::parquet::PlannedFile;
use std::collections::BTreeMap;
#[cfg(feature = "parquet")]
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A piece and what was parsed of it.
#[derive(Default)]
pub(super) struct Job {
    index: u64,
    /// The piece: text, or empty for Parquet.
    pub(super) text: Vec<u8>,
    /// The piece's number in a Parquet file or a table.
    #[cfg(any(feature = "parquet", feature = "arrow"))]
    pub(super) group: usize,
    /// The Parquet file that the piece is of.
    #[cfg(feature = "parquet")]
    pub(super) file: Option<Arc<PlannedFile>>,
    /// The number of the source that the piece is of, where several are read together.
    #[cfg(feature = "parquet")]
    pub(super) source: usize,
    pub(super) chunk: Chunk,
    /// How many lines the piece has.
    pub(super) lines: u64,
    pub(super) fault: Option<Fault>,
}

/// The part that the workers share: the pieces that are left, and the jobs to put them in.
struct Queue<N> {
    next: N,
    free: Receiver<Job>,
    given: u64,
    ended: bool,
}

impl<N: FnMut(&mut Job) -> Result<bool>> Queue<N> {
    /// Takes the next piece in a free job. There is a fixed number of jobs, so memory is bounded:
    /// who waits here for a free one holds none, and the job that is taken next is always under
    /// way.
    fn take_job(&mut self) -> Option<Job> {
        if self.ended {
            return None;
        }
        let mut job = self.free.recv().ok()?;
        job.index = self.given;
        job.fault = None;
        match (self.next)(&mut job) {
            Ok(more) => self.ended = !more,
            Err(problem) => {
                self.ended = true;
                job.fault = Some(Fault::after(0, problem));
            }
        }
        self.given += 1;
        (!self.ended || job.fault.is_some()).then_some(job)
    }
}

/// Fills jobs with `next` until it says false, does `work` on them in `threads` threads, and hands
/// them to `take` in order; an error of `take` ends it all. The result does not depend on the
/// number of threads.
pub(super) fn in_order<E>(
    threads: usize,
    next: impl FnMut(&mut Job) -> Result<bool> + Send,
    work: impl Fn(&mut Job) + Sync,
    mut take: impl FnMut(&mut Job) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.max(1);
    let (put_free, free) = channel();
    // For each thread one job under way, one that is done and one to be filled.
    for _ in 0..threads * 3 {
        // The receiver is here: this cannot fail.
        _ = put_free.send(Job::default());
    }
    let queue = Mutex::new(Queue {
        next,
        free,
        given: 0,
        ended: false,
    });
    let run_worker = |put_done: Sender<Job>| {
        while let Ok(Some(mut job)) = queue.lock().map(|mut queue| queue.take_job()) {
            if job.fault.is_none() {
                work(&mut job);
            }
            if put_done.send(job).is_err() {
                return;
            }
        }
    };
    let (put_done, done) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (put_done, run_worker) = (put_done.clone(), &run_worker);
            scope.spawn(move || run_worker(put_done));
        }
        drop(put_done);
        // Where this ends early, `put_free` goes with it, and whoever waits for a free job ends
        // too.
        let put_free = put_free;
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        for job in done {
            waiting.insert(job.index, job);
            while let Some(mut job) = waiting.remove(&next) {
                take(&mut job)?;
                next += 1;
                // The workers may have ended already.
                _ = put_free.send(job);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_taken_in_order_and_an_error_ends_it() {
        for threads in [1, 2, 5] {
            let mut given = 0;
            let mut seen = Vec::new();
            let next = |job: &mut Job| {
                given += 1;
                job.lines = given;
                Ok(given <= 100)
            };
            let result = in_order(
                threads,
                next,
                |job| job.lines *= 2,
                |job| {
                    seen.push(job.lines);
                    if job.lines == 120 {
                        Err("stop")
                    } else {
                        Ok(())
                    }
                },
            );
            assert_eq!(result, Err("stop"));
            assert_eq!(seen, (1..=60).map(|number| number * 2).collect::<Vec<_>>());
        }
    }
}
