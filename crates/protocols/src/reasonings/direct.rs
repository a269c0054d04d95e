//! The verdict alone.

use super::{Notes, ReasoningKind, take_none};

pub(super) const KIND: ReasoningKind = ReasoningKind {
    name: "direct",
    about: "the verdict alone",
    source: "",
    notes: Notes::None,
    in_reply: false,
    questions: &["direct"],
    text: None,
    prompts: &[],
    take_notes: take_none,
};
