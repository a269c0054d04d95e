//! How a judge is asked, and how its reply is read.
//!
//! A protocol is straight-line pure code that is run again from the top whenever a reply has
//! arrived. [`Ask`] gives the reply if the transcript has it; else it notes the request, and the
//! protocol stops with "pending" through `?`. [`run`] is one pass.

mod ask;
mod builtin;
mod checklist;
mod custom;
mod cut_short;
mod decide;
mod error;
pub mod extraction;
mod fence;
mod form;
mod head;
mod judged;
mod judges;
mod lexicon;
mod likelihood;
mod look;
mod look_steps;
mod methods;
mod orders;
mod panel;
mod pass;
mod preset;
mod probabilities;
mod prompts;
mod protocol;
mod protocol_name;
mod reading;
mod reasonings;
mod repeated_words;
mod replies;
mod reward;
mod rewriting;
mod scene;
mod second_stage;
mod segments;
mod structured;
mod template_marks;
mod verdicts;
mod weighed;
mod writer;

pub use ask::{
    Ask, Awaited, Missing, Pending, Prompt, Stop, VerdictOrStop, all, both, settled,
    show_between_marks,
};
pub use checklist::{MOST_WRITTEN_CRITERIA, find_unusable_criteria};
pub use custom::CustomProtocol;
pub use cut_short::{CutShort, MORE_ROOM};
pub use decide::{DECISION_VERSION, LEAST_LABEL_MASS};
pub use error::ProtocolError;
pub use extraction::{NoVerdict, Notation, Stated, Strength, UnknownNotation, extract};
pub use form::{
    AnswerReading, Baseline, ChecklistCalls, FLUENT, Form, GainUnit, LikelihoodVariant, Scale,
    Slots,
};
pub use head::{
    HEAD_DEPTHS, HEAD_FEATURES, HeadFeatures, HeadProtocol, HeadWeights, READY_LIKELIHOOD,
    read_head_features,
};
pub use judged::{JudgedProtocol, ProtocolOptions};
pub use judges::{DecidingJudge, HoldingJudge, Judges, SecondStage};
pub use methods::{Asked, Cost, METHODS, Method, Presentation, portia_segments};
pub use panel::{Certainty, Panel};
pub use pass::{Done, Pass, run, run_again};
pub use preset::{PRESETS, Preset};
pub use prompts::{FIELDS, Field, Pack, PromptError, Prompts, RUBRIC_FILE};
pub use protocol::Protocol;
pub use reading::draw_verdict;
pub use reasonings::{Notes, REASONINGS, Reasoning, ReasoningKind};
pub use rewriting::{rewriting_instructions, rewriting_prompt};
pub use structured::{HeldReplies, SCHEMA_VERSION, make_probe, read_probe};
pub use template_marks::{break_marks, first_mark};
pub use weighed::{Feature, Member, WeighedPanel};
