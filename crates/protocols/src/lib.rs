//! How a judge is asked, and how its reply is read.
//!
//! A protocol is straight-line pure code that is run again from the top whenever a reply has
//! arrived. [`Ask`] gives the reply if the transcript has it; else it notes the request, and the
//! protocol stops with "pending" through `?`. [`run`] is one pass.

mod ask;
mod asked;
mod calibration;
mod cut_short;
mod error;
pub mod extraction;
mod fence;
mod fitted;
mod form;
mod likelihood;
mod look;
mod marks;
mod name;
mod novel;
mod panel;
mod preset;
mod prompts;
mod protocol;
mod reading;
mod reasoning;
mod rewriting;
mod scene;
mod second_stage;
mod segments;
mod verdicts;

pub use ask::{
    Ask, Done, Judged, Judges, Missing, Pass, Pending, Prompt, SecondStage, Stop, all, run,
};
pub use calibration::{Calibration, Disagree, Portia};
pub use cut_short::{CutShort, MORE_ROOM};
pub use error::ProtocolError;
pub use extraction::{NoVerdict, Notation, Stated, Strength, UnknownNotation, extract};
pub use fitted::{Feature, Member};
pub use form::{Against, Counted, FLUENT, Form, Likely, Scale, Slots};
pub use marks::{broken_up, first_mark};
pub use panel::Panel;
pub use preset::{PRESETS, Preset};
pub use prompts::{FIELDS, Pack, PromptError, Prompts};
pub use protocol::{Protocol, ProtocolOptions};
pub use reasoning::{Reasoning, ReasoningKind};
pub use rewriting::{rewriting_instructions, rewriting_prompt};
