//! The judge writes what speaks for and against each response, then gives its verdict, in one
//! reply.

use super::{Notes, ReasoningKind, take_none};

pub(super) const KIND: ReasoningKind = ReasoningKind {
    name: "pros-cons",
    about: "what speaks for and against each, then the verdict",
    source: "PRePair, figure 3",
    notes: Notes::None,
    in_reply: true,
    questions: &["pros-cons", "cot"],
    text: None,
    prompts: &[],
    take_notes: take_none,
};
