//! A shared store in use: look-ups that are waited for, and entries that are given in the
//! background.

use crate::address::Place;
use crate::postgres_table::Table;
use crate::seal::{Sealed, SharedReply, Signer};
use crate::segments::Segments;
use crate::{SharedStoreError, StoreAddress};
use evenhand_core::RequestKey;
use evenhand_objects::is_address;
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Replies are given together when so many times what the last time took has passed, within these
/// bounds, or there are this many or this much of them. What is not given yet, others pay for.
const TIMES: u32 = 10;
const GIVE_EVERY: Duration = Duration::from_millis(5);
const GIVE_AT_LAST: Duration = Duration::from_millis(50);
const GIVE_MOST: usize = 512;
const GIVE_BYTES: usize = 4 << 20;
/// To object storage they are given as an object each time, which takes a while and costs money.
const PUT_EVERY: Duration = Duration::from_secs(1);
const PUT_MOST: usize = 1 << 15;
/// Replies that may wait to be given. Beyond them, a store that is slower than the judge holds
/// nothing up: the run has them, and gives them when it goes on.
const MOST_WAITING: usize = 1 << 16;
/// The longest that an answer is waited for: a connection may be made again meanwhile. What object
/// storage refuses for a while is tried again for a minute.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_WITH_OBJECTS: Duration = Duration::from_secs(75);

/// What became of entries in this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedCounts {
    /// Replies that were found.
    pub found: u64,
    /// Replies that were given.
    pub given: u64,
    /// Replies that were not given, as the store was away or too slow.
    pub kept_back: u64,
    /// Entries that were refused, as their seals did not fit.
    pub refused: u64,
}

/// A store of replies that several runs share.
///
/// Nothing that happens to it is an error of the run: a store that goes away finds nothing any
/// more and takes nothing, which [`SharedStore::take_notes`] says once.
#[derive(Debug)]
pub struct SharedStore {
    name: String,
    patience: Duration,
    messages: SyncSender<Message>,
    state: Arc<Mutex<State>>,
    worker: Option<JoinHandle<()>>,
    /// Told when the worker has ended.
    ended: Receiver<()>,
}

#[derive(Debug, Default)]
struct State {
    counts: SharedCounts,
    notes: Vec<String>,
    /// Nothing is asked of the store any more.
    is_away: bool,
}

enum Message {
    Find(Vec<RequestKey>, Sender<Vec<(RequestKey, SharedReply)>>),
    Lacking(Vec<RequestKey>, Sender<Vec<RequestKey>>),
    Give(Box<(RequestKey, SharedReply)>),
    Flush(Sender<()>),
    End,
}

impl SharedStore {
    /// Opens a store: a directory is made where there is none, and so is a table. A bucket is not.
    ///
    /// # Errors
    /// A directory that cannot be read or written, and a server that cannot be reached.
    pub fn open(address: &StoreAddress, signer: Signer) -> Result<SharedStore, SharedStoreError> {
        let name = address.name().to_string();
        let state = Arc::new(Mutex::new(State::default()));
        let (messages, inbox) = sync_channel(MOST_WAITING);
        let ((opened, is_open), (end, ended)) = (channel(), channel());
        let place = address.place.clone();
        let is_objects = address.segments().is_some_and(is_address);
        let (patience, every, most) = match is_objects {
            true => (PATIENCE_WITH_OBJECTS, PUT_EVERY, PUT_MOST),
            false => (PATIENCE, GIVE_EVERY, GIVE_MOST),
        };
        let (theirs, name_there) = (state.clone(), name.clone());
        // A thread of its own: a run may be asking from within an event loop, in which the client
        // of PostgreSQL must not wait.
        let worker = std::thread::Builder::new().name("shared-store".into());
        let worker = worker.spawn(move || {
            let kind = match place {
                Place::Segments(dir) => Segments::open(&dir).map(Kind::Segments),
                Place::Postgres(config) => Table::open(&config, &name_there).map(Kind::Table),
            };
            match kind {
                Ok(kind) => {
                    let _ = opened.send(Ok(()));
                    let worker = Worker {
                        kind,
                        signer,
                        state: theirs,
                        name: name_there,
                        soonest: every,
                        every,
                        most,
                        waiting: Vec::new(),
                        bytes: 0,
                        since: None,
                        given: HashSet::new(),
                    };
                    worker.serve(&inbox);
                }
                Err(error) => drop(opened.send(Err(error))),
            }
            let _ = end.send(());
        });
        let worker = worker.map_err(|e| SharedStoreError::Directory {
            name: name.clone(),
            why: format!("no thread can be started for it: {e}"),
        })?;
        match is_open.recv_timeout(patience * 2) {
            Ok(opened) => opened?,
            Err(_) => {
                let seconds = (patience * 2).as_secs();
                return Err(SharedStoreError::Silent { name, seconds });
            }
        }
        Ok(SharedStore {
            name,
            patience,
            messages,
            state,
            worker: Some(worker),
            ended,
        })
    }

    /// Returns its name, which holds no password.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Finds the replies to these requests that are there and whose seals fit.
    pub fn find(&self, keys: &[RequestKey]) -> Vec<(RequestKey, SharedReply)> {
        if keys.is_empty() {
            return Vec::new();
        }
        self.ask(|answer| Message::Find(keys.to_vec(), answer))
    }

    /// Returns those of these requests that no entry of the same signer stands under; none where
    /// the store is away.
    pub fn lacking(&self, keys: &[RequestKey]) -> Vec<RequestKey> {
        self.ask(|answer| Message::Lacking(keys.to_vec(), answer))
    }

    /// Gives a reply, in the background.
    pub fn give(&self, key: RequestKey, reply: SharedReply) {
        let sent = match self.state().is_away {
            true => false,
            false => self
                .messages
                .try_send(Message::Give(Box::new((key, reply))))
                .is_ok(),
        };
        if !sent {
            self.state().counts.kept_back += 1;
        }
    }

    /// Waits until all that was given is there.
    pub fn flush(&self) {
        let (done, is_done) = channel();
        if self.messages.send(Message::Flush(done)).is_ok() {
            let _ = is_done.recv_timeout(self.patience);
        }
    }

    /// Returns what became of entries in this process so far.
    pub fn counts(&self) -> SharedCounts {
        self.state().counts.clone()
    }

    /// Returns what is to be said and was not said yet.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.state().notes)
    }

    fn ask<T>(&self, message: impl FnOnce(Sender<Vec<T>>) -> Message) -> Vec<T> {
        if self.state().is_away {
            return Vec::new();
        }
        let (answer, answered) = channel();
        if self.messages.send(message(answer)).is_err() {
            return Vec::new();
        }
        match answered.recv_timeout(self.patience) {
            Ok(found) => found,
            Err(_) => {
                let seconds = self.patience.as_secs();
                let name = self.name.clone();
                self.state()
                    .go_away(&SharedStoreError::Silent { name, seconds });
                Vec::new()
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for SharedStore {
    fn drop(&mut self) {
        // A worker that is stuck is left behind: what it holds, the run has.
        let told = match self.messages.try_send(Message::End) {
            Err(TrySendError::Full(end)) if !self.state().is_away => {
                self.messages.send(end).is_ok()
            }
            sent => sent.is_ok(),
        };
        if told
            && self.ended.recv_timeout(self.patience).is_ok()
            && let Some(worker) = self.worker.take()
        {
            let _ = worker.join();
        }
    }
}

impl State {
    /// Notes that the store is away, the first time.
    fn go_away(&mut self, error: &SharedStoreError) {
        if !std::mem::replace(&mut self.is_away, true) {
            self.notes.push(format!(
                "{error}; the run goes on without the store, and no longer reads from it or writes \
                 to it; once the store is back, the same command adds what is missing"
            ));
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Nothing in it can be half done.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Kind {
    Segments(Segments),
    Table(Table),
}

/// The thread that has the store.
struct Worker {
    kind: Kind,
    signer: Signer,
    state: Arc<Mutex<State>>,
    name: String,
    /// How soon entries are given, at the soonest and now, and how many at most together.
    soonest: Duration,
    every: Duration,
    most: usize,
    /// What is to be given, how much it is, and since when the first of it waits.
    waiting: Vec<Sealed>,
    bytes: usize,
    since: Option<Instant>,
    /// What was given: a reply is not given twice by one process.
    given: HashSet<RequestKey>,
}

impl Worker {
    fn serve(mut self, inbox: &Receiver<Message>) {
        self.note_damage();
        loop {
            let rest = self
                .since
                .map(|since| self.every.saturating_sub(since.elapsed()));
            let message = match rest {
                Some(rest) => inbox.recv_timeout(rest),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(Message::Find(keys, answer)) => drop(answer.send(self.find(&keys))),
                Ok(Message::Lacking(keys, answer)) => drop(answer.send(self.lacking(&keys))),
                Ok(Message::Give(entry)) => self.take(&entry.0, &entry.1),
                Ok(Message::Flush(done)) => {
                    self.give();
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => break,
            }
            let is_due = self
                .since
                .is_some_and(|since| since.elapsed() >= self.every);
            if is_due || self.waiting.len() >= self.most || self.bytes >= GIVE_BYTES {
                self.give();
            }
        }
        self.give();
        if let Kind::Segments(segments) = &mut self.kind
            && let Err(error) = segments.close()
        {
            lock(&self.state).go_away(&error);
        }
    }

    fn find(&mut self, keys: &[RequestKey]) -> Vec<(RequestKey, SharedReply)> {
        if lock(&self.state).is_away {
            return Vec::new();
        }
        let found = match &mut self.kind {
            Kind::Segments(segments) => segments.find(keys, &self.signer),
            Kind::Table(table) => table.find(keys, &self.signer),
        };
        let (entries, mut refused) = match found {
            Ok(found) => found,
            Err(error) => {
                lock(&self.state).go_away(&error);
                return Vec::new();
            }
        };
        let mut replies = Vec::with_capacity(entries.len());
        for entry in entries {
            match self.signer.open(&entry) {
                Some(reply) => replies.push((entry.key, reply)),
                None => refused += 1,
            }
        }
        let mut state = lock(&self.state);
        state.counts.found += replies.len() as u64;
        if refused > 0 && state.counts.refused == 0 {
            let why = match self.signer.is_signed() {
                true => "not signed with this key, or changed since",
                false => "changed since they were put there, or signed with a key that is not set",
            };
            state.notes.push(format!(
                "the shared store {}: entries are refused, as their seals do not match: {why}; the \
                 judge is asked where no other entry has the reply",
                self.name
            ));
        }
        state.counts.refused += refused;
        replies
    }

    fn lacking(&mut self, keys: &[RequestKey]) -> Vec<RequestKey> {
        let lacking = match &mut self.kind {
            Kind::Segments(segments) => segments.lacking(keys),
            Kind::Table(table) => table.lacking(keys, &self.signer),
        };
        lacking.unwrap_or_else(|error| {
            lock(&self.state).go_away(&error);
            Vec::new()
        })
    }

    fn take(&mut self, key: &RequestKey, reply: &SharedReply) {
        if !self.given.insert(*key) {
            return;
        }
        match self.signer.close(key, reply) {
            Some(entry) => {
                self.bytes += entry.body.len();
                self.waiting.push(entry);
                self.since.get_or_insert_with(Instant::now);
            }
            None => lock(&self.state).counts.kept_back += 1,
        }
    }

    /// Gives what waits.
    fn give(&mut self) {
        (self.since, self.bytes) = (None, 0);
        let entries = std::mem::take(&mut self.waiting);
        if entries.is_empty() {
            return;
        }
        let is_away = lock(&self.state).is_away;
        let begun = Instant::now();
        let given = match &mut self.kind {
            _ if is_away => None,
            Kind::Segments(segments) => Some(segments.put(&entries)),
            Kind::Table(table) => Some(table.put(&entries, &self.signer)),
        };
        let latest = GIVE_AT_LAST.max(self.soonest);
        self.every = (begun.elapsed() * TIMES).clamp(self.soonest, latest);
        let mut state = lock(&self.state);
        let count = entries.len() as u64;
        match given {
            Some(Ok(())) => state.counts.given += count,
            given => {
                state.counts.kept_back += count;
                if let Some(Err(error)) = given {
                    state.go_away(&error);
                }
            }
        }
    }

    /// Says that a part of the store cannot be read.
    fn note_damage(&self) {
        let Kind::Segments(segments) = &self.kind else {
            return;
        };
        let damaged = segments.count_damaged();
        if damaged > 0 {
            lock(&self.state).notes.push(format!(
                "the shared store {}: {damaged} of its segments cannot be read to the end, as \
                 their bytes were changed; what comes before is used",
                self.name
            ));
        }
    }
}

#[cfg(test)]
mod tests;
