//! How a session tells its user how far it is.

use evenhand_core::{FailureKind, Item, Judgment, Response};
use evenhand_models::UnderWay;

/// How far a session is.
///
/// A [`Sink`] is handed one after each call, after each judgment, and every half second or so while
/// the model is waited for. All counts are of this process: what an earlier one stored is in none
/// but `judged`, `verdicts`, `failed`, `started` and `known`, since its trials are run again over
/// the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Judgments handed to the sink, in plan order.
    pub judged: u64,
    /// Trials that came to a verdict so far, in any order; some may still wait for their turn to be
    /// handed to the sink.
    pub verdicts: u64,
    /// Trials that failed so far, in any order: one count for each kind, in the order of
    /// [`FailureKind::ALL`].
    pub failed: [u64; FailureKind::ALL.len()],
    /// Calls that came back from the model.
    pub calls: u64,
    /// Of these, calls that came back without a reply and will be asked again by the next run.
    pub lost: u64,
    /// Calls whose replies were copied from other runs.
    pub reused: u64,
    /// Trials begun: those whose first calls are known.
    pub started: u64,
    /// Trials begun that needed nothing of the model: their replies were known.
    pub known: u64,
    /// Calls that the trials begun so far needed from the model: what is known of them, which is
    /// all unless [`Progress::asks_in_turn`].
    pub needed: u64,
    /// Whether a trial may need calls that are known only once others are answered: where a
    /// protocol asks in several rounds, or a second stage reads replies that the first cannot.
    pub asks_in_turn: bool,
    /// Calls whose replies ended at their token limit and that were asked again with more room.
    pub cut_short: u64,
    /// Calls asked again because [`Limits::retry`](crate::Limits::retry) names the failure that
    /// their stored replies came to.
    pub asked_again: u64,
    /// The work that the model has under way now.
    pub under_way: UnderWay,
}

impl Progress {
    /// Returns the tokens read and written so far; 0 where the model does not count them as it
    /// goes.
    pub fn tokens(&self) -> u64 {
        self.under_way.read.saturating_add(self.under_way.written)
    }

    pub(crate) fn count_judgment(&mut self, judgment: &Judgment) {
        match &judgment.outcome {
            Ok(_) => self.verdicts += 1,
            Err(failure) => self.failed[failure.kind as usize] += 1,
        }
    }
}

/// Takes the judgments of a session in plan order, and is told how it goes on.
pub trait Sink {
    /// Takes a judgment, with its item and the responses of its trial in slot order.
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]);

    /// Is told how far the session is.
    fn progress(&mut self, _: Progress) {}

    /// Is told something that the user must know of how the model served.
    fn note(&mut self, _: &str) {}

    /// Is told something that is so only now, such as that it is waited: no result is to say it.
    fn passing_note(&mut self, note: &str) {
        self.note(note);
    }
}

/// A sink that shows each judgment to somebody before it hands it on, as it does all else.
pub struct Passing<'a, F> {
    sink: &'a mut dyn Sink,
    see: F,
}

impl<'a, F: FnMut(&Judgment, &Item, &[Response])> Passing<'a, F> {
    /// Hands on to `sink` what `see` has seen.
    pub fn new(sink: &'a mut dyn Sink, see: F) -> Passing<'a, F> {
        Passing { sink, see }
    }
}

impl<F: FnMut(&Judgment, &Item, &[Response])> Sink for Passing<'_, F> {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        (self.see)(&judgment, item, responses);
        self.sink.judgment(judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        self.sink.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.sink.note(note);
    }

    fn passing_note(&mut self, note: &str) {
        self.sink.passing_note(note);
    }
}

/// A sink that drops everything, for sessions whose results are returned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Sink for Unwatched {
    fn judgment(&mut self, _: Judgment, _: &Item, _: &[Response]) {}
}
