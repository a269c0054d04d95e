//! How a judge is asked, and how its reply is read.
//!
//! A protocol is straight-line pure code that is run again from the top whenever a reply has arrived. [`Ask`] gives the reply if
//! the transcript has it; else it notes the request, and the protocol stops with "pending" through `?`. [`run`] is one pass.

mod ask;
mod extraction;
mod fence;
mod form;
mod likelihood;
mod prompts;
mod protocol;
mod reading;

pub use ask::{Ask, Judged, Missing, Pass, Pending, Prompt, Stop, all, run};
pub use extraction::{NoVerdict, Notation, Stated, Strength, UnknownNotation, extract};
pub use form::{Form, Scale};
pub use prompts::{PromptError, Prompts};
pub use protocol::{Calibration, Protocol, ProtocolError, Reasoning};
