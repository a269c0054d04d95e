//! Between the engine, which waits, and the line, which never does: requests go out until enough
//! are under way, and what became of them comes back.

use super::call_loop::{Event, Job};
use crate::{ModelError, UnderWay, Work};
use evenhand_core::{CallError, Request, RequestKey};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// With nothing to do for this long, what has come is kept.
const REST_AFTER: Duration = Duration::from_millis(10);
/// How often a wait looks up whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The engine's end of the line.
pub(crate) struct Feed<'a> {
    pub(crate) work: &'a mut dyn Work,
    /// One for each judge.
    pub(crate) lines: Vec<UnboundedSender<Job>>,
    pub(crate) events: Receiver<Event>,
    /// How many calls may be on the line.
    pub(crate) room: usize,
    /// How many are.
    pub(crate) open: usize,
    /// What each line has under way.
    pub(crate) under_way: Vec<UnderWay>,
}

/// A request as the engine hands it out.
pub(crate) type Handed = (RequestKey, Arc<Request>);

impl Feed<'_> {
    /// From the first request until nothing is ready and nothing is under way, or the run is to
    /// stop.
    pub(crate) fn run(
        mut self,
        first: Handed,
        job: impl Fn(&Handed) -> Result<(usize, Job), CallError>,
    ) -> Result<(), ModelError> {
        self.put(first, &job);
        loop {
            while self.open < self.room
                && let Some(handed) = self.work.next_request()
            {
                self.put(handed, &job);
            }
            if self.open == 0 || self.work.is_stopped() {
                return self.close();
            }
            self.wait()?;
        }
    }

    /// No more calls: the lines end when what is under way has ended, or has had its time.
    fn close(&mut self) -> Result<(), ModelError> {
        self.lines.clear();
        while let Ok(event) = self.events.recv() {
            self.take(event)?;
        }
        Ok(())
    }

    fn put(&mut self, handed: Handed, job: &impl Fn(&Handed) -> Result<(usize, Job), CallError>) {
        match job(&handed) {
            // A closed line says why on the other channel.
            Ok((line, job)) => self.open += usize::from(self.lines[line].send(job).is_ok()),
            Err(error) => self.work.deliver(handed.0, Err(error).into()),
        }
    }

    /// Takes what has come; where nothing has, waits for something, and keeps what came before.
    fn wait(&mut self) -> Result<(), ModelError> {
        let mut patience = REST_AFTER;
        loop {
            match self.events.recv_timeout(patience) {
                Ok(event) => return self.take(event).and_then(|()| self.drain()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ModelError::Serve(
                        "the line to the server broke down".into(),
                    ));
                }
                Err(RecvTimeoutError::Timeout) if self.work.is_stopped() => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    self.work.flush();
                    patience = LOOK_EVERY;
                }
            }
        }
    }

    /// Takes everything that has come.
    fn drain(&mut self) -> Result<(), ModelError> {
        while let Ok(event) = self.events.try_recv() {
            self.take(event)?;
        }
        Ok(())
    }

    fn take(&mut self, event: Event) -> Result<(), ModelError> {
        match event {
            Event::Ended(key, answer) => {
                self.open = self.open.saturating_sub(1);
                self.work.deliver(key, *answer);
            }
            Event::Note(note) => self.work.add_note(note),
            Event::UnderWay(line, now) => {
                self.under_way
                    .iter_mut()
                    .skip(line)
                    .take(1)
                    .for_each(|of_line| *of_line = now);
                self.work.under_way(
                    self.under_way
                        .iter()
                        .copied()
                        .fold(UnderWay::default(), |sum, one| sum + one),
                );
            }
            Event::Stop(why) => return Err(ModelError::Serve(why)),
        }
        Ok(())
    }
}
