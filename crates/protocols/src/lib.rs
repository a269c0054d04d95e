//! How a judge is asked, and how its reply is read.
//!
//! A protocol is straight-line pure code that is run again from the top whenever a reply has
//! arrived. [`Ask`] gives the reply if the transcript has it; else it notes the request, and the
//! protocol stops with "pending" through `?`. [`run`] is one pass.

mod ask;
mod asked;
mod builtin;
mod custom;
mod cut_short;
mod error;
pub mod extraction;
mod fence;
mod form;
mod judged;
mod judges;
mod likelihood;
mod look;
mod marks;
mod methods;
mod name;
mod novel;
mod orders;
mod panel;
mod pass;
mod preset;
mod prompts;
mod protocol;
mod reading;
mod reasonings;
mod rewriting;
mod scene;
mod second_stage;
mod segments;
mod verdicts;
mod weighed;
mod writer;

pub use ask::{Ask, Missing, Pending, Prompt, Stop, VerdictOrStop, all, both, settled};
pub use custom::CustomProtocol;
pub use cut_short::{CutShort, MORE_ROOM};
pub use error::ProtocolError;
pub use extraction::{NoVerdict, Notation, Stated, Strength, UnknownNotation, extract};
pub use form::{Against, Counted, FLUENT, Form, Likely, Scale, Slots};
pub use judged::{JudgedProtocol, ProtocolOptions};
pub use judges::{Judges, SecondStage};
pub use marks::{broken_up, first_mark};
pub use methods::{Asked, Cost, METHODS, Method, Presentation};
pub use panel::Panel;
pub use pass::{Done, Pass, run};
pub use preset::{PRESETS, Preset};
pub use prompts::{FIELDS, Pack, PromptError, Prompts};
pub use protocol::Protocol;
pub use reasonings::{Notes, REASONINGS, Reasoning, ReasoningKind};
pub use rewriting::{rewriting_instructions, rewriting_prompt};
pub use weighed::{Feature, Member, WeighedPanel};
