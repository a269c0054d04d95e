//! Whose address a page was opened at: what it may ask for, and what it is told.

use super::label::Label;
use super::queue::Queue;
use crate::Sample;
use crate::answer::Failure;

/// Whose address a page was opened at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// Who sees everything, and judges or decides as they like.
    Owner,
    /// Who judges the review's own sample, and sees nothing else.
    Annotator,
    /// Who decides where annotators disagree, and sees nothing else: not what they said, either.
    Adjudicator,
}

impl Seat {
    /// Returns the queue that is judged here; a page names it only at the owner's.
    pub(super) fn queue(self, named: Option<&str>, sample: Sample) -> Result<Queue, Failure> {
        match self {
            Seat::Owner => Queue::parse(named, sample),
            Seat::Annotator => Queue::parse(None, sample),
            Seat::Adjudicator => Ok(Queue::Adjudicate),
        }
    }

    /// Whether who sits here sees pairs and nothing that was said of them.
    pub(super) fn is_blind(self) -> bool {
        self != Seat::Owner
    }

    /// Whether a label may be taken back here: where it was given, or by the owner.
    pub(super) fn takes_back(self, label: &Label) -> bool {
        let is_decision = label.queue.as_deref() == Some(Queue::Adjudicate.name());
        match self {
            Seat::Owner => true,
            Seat::Annotator => label.blind && !is_decision,
            Seat::Adjudicator => label.blind && is_decision,
        }
    }
}
