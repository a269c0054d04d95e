//! Why the evaluation of a request ends without a reply.

use crate::identity::{self, failed};
use evenhand_core::{CallError, CallErrorKind};

/// Why the evaluation of a request ends without a reply.
#[derive(Debug)]
pub(super) enum Halt {
    /// The run is to end; the request stays unasked.
    Stopped,
    /// The request gets this error.
    Failed(CallError),
}

impl From<CallError> for Halt {
    fn from(error: CallError) -> Self {
        Halt::Failed(error)
    }
}

/// An error of llama.cpp is the model's failure.
impl From<String> for Halt {
    fn from(message: String) -> Self {
        Halt::Failed(failed(message))
    }
}

/// Returns the error of a request that makes no sense to this model, now and ever.
pub(super) fn invalid(message: impl Into<String>) -> Halt {
    Halt::Failed(identity::invalid(message))
}

/// Returns the error of a model whose logits are not numbers: it is broken.
pub(super) fn no_numbers() -> Halt {
    Halt::from("the model's output is not made of numbers: its file may be damaged".to_owned())
}

/// Returns the error of a request that does not fit the context, now and ever.
pub(super) fn too_long(prompt: usize, more: usize, room: usize) -> Halt {
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} to write"),
    };
    let message =
        format!("the prompt has {prompt} tokens{more}, and the model's context holds {room}");
    Halt::Failed(CallError {
        kind: CallErrorKind::TooLong,
        message,
    })
}
