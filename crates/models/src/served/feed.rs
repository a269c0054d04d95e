//! Between the engine, which waits, and the call loops, which never do: requests go out until
//! enough are under way, and their outcomes come back.

use super::call_loop::{Event, Handed, Offer};
use super::groups::Groups;
use crate::{ModelError, UnderWay, Work};
use evenhand_core::{CallError, Request};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// With nothing to do for this long, what has come is kept.
const REST_AFTER: Duration = Duration::from_millis(10);
/// How often a wait looks up whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// So many more calls are held while nothing gets through.
const MORE_IN_PAUSE: usize = 256;

/// The most questions that wait for others about the same state: both orders of all pairs of 90
/// systems on an item.
const MOST_WAITING: usize = 8192;

/// The engine's end of the call loops.
pub(crate) struct Feed<'a> {
    pub(crate) work: &'a mut dyn Work,
    /// One for each judge.
    pub(crate) loops: Vec<UnboundedSender<Offer>>,
    pub(crate) events: Receiver<Event>,
    /// How many calls the loops may hold.
    pub(crate) room: usize,
    /// How many they hold.
    pub(crate) open: usize,
    /// The work that each loop has under way.
    pub(crate) under_way: Vec<UnderWay>,
    /// Questions that wait for others about the same state.
    pub(crate) groups: Groups,
}

impl Feed<'_> {
    /// Serves from the first request until nothing is ready and nothing is under way, or the run is
    /// to stop. `find_judge` says which loop asks the judge of a request.
    pub(crate) fn run(
        mut self,
        first: Handed,
        find_judge: impl Fn(&Request) -> Result<usize, CallError>,
    ) -> Result<(), ModelError> {
        let mut next = Some(first);
        loop {
            while let Some(handed) = next.take() {
                if let Some(whole) = self.groups.add(handed) {
                    self.send_out(whole, &find_judge);
                }
                if self.has_room() {
                    next = self.work.next_request();
                }
            }
            // What waits for its others goes out where no more requests come: at once where none is
            // ready, and where there is no more room with nothing under way that could make some.
            if self.has_room() || self.open == 0 {
                for group in self.groups.take_all() {
                    self.send_out(group, &find_judge);
                }
            }
            if self.open == 0 || self.work.is_stopped() {
                break;
            }
            self.wait_for_event()?;
            if self.has_room() {
                next = self.work.next_request();
            }
        }
        // No more calls are sent: the loops end when what is under way has ended, or has had its
        // time.
        self.loops.clear();
        while let Ok(event) = self.events.recv() {
            self.take_event(event)?;
        }
        Ok(())
    }

    /// Whether more requests are taken: questions that wait for others take no call's room. While
    /// nothing gets through, more are taken: one of them may.
    fn has_room(&self) -> bool {
        let is_paused = self.under_way.iter().any(|one| one.paused.is_some());
        let room = self.room + if is_paused { MORE_IN_PAUSE } else { 0 };
        self.open < room && self.groups.count < MOST_WAITING
    }

    fn send_out(
        &mut self,
        parts: Vec<Handed>,
        find_judge: &impl Fn(&Request) -> Result<usize, CallError>,
    ) {
        let Some((_, first)) = parts.first() else {
            return;
        };
        match find_judge(first) {
            Ok(judge) => {
                let offer = Offer {
                    failed_before: parts.iter().any(|(key, _)| self.work.failed_before(key)),
                    parts,
                };
                // A loop that has ended says why on the other channel.
                self.open += usize::from(self.loops[judge].send(offer).is_ok());
            }
            Err(error) => {
                for (key, _) in parts {
                    self.work.deliver(key, Err(error.clone()).into());
                }
            }
        }
    }

    /// Takes all that has come; where nothing has, waits for something, and keeps what came before.
    fn wait_for_event(&mut self) -> Result<(), ModelError> {
        let mut patience = REST_AFTER;
        loop {
            match self.events.recv_timeout(patience) {
                Ok(event) => {
                    self.take_event(event)?;
                    while let Ok(event) = self.events.try_recv() {
                        self.take_event(event)?;
                    }
                    return Ok(());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the line to the server broke down";
                    return Err(ModelError::Serve(why.into()));
                }
                Err(RecvTimeoutError::Timeout) if self.work.is_stopped() => return Ok(()),
                Err(RecvTimeoutError::Timeout) => self.work.flush(),
            }
            patience = LOOK_EVERY;
        }
    }

    fn take_event(&mut self, event: Event) -> Result<(), ModelError> {
        match event {
            Event::Ended(key, answer, ends_call) => {
                self.open = self.open.saturating_sub(usize::from(ends_call));
                self.work.deliver(key, *answer);
            }
            Event::Note(note) => self.work.add_note(note),
            Event::PassingNote(note) => self.work.add_passing_note(note),
            Event::UnderWay(number, now) => {
                if let Some(of_loop) = self.under_way.get_mut(number) {
                    *of_loop = now;
                }
                self.work.under_way(self.under_way.iter().sum());
            }
            Event::Stop(why) => return Err(ModelError::Serve(why)),
        }
        Ok(())
    }
}
