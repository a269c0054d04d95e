//! The judge reasons in writing, then gives its verdict, in one reply.

use super::{Notes, ReasoningKind, take_none};

pub(super) const KIND: ReasoningKind = ReasoningKind {
    name: "cot",
    about: "reasoning in writing, then the verdict",
    source: "Wei et al. 2022, chain of thought",
    notes: Notes::None,
    in_reply: true,
    questions: &["cot"],
    text: None,
    prompts: &[],
    take_notes: take_none,
};
