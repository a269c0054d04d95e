//! Why one attempt at a call gave no reply, and what that means for the next.

use std::fmt;
use std::time::Duration;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// No connection could be made: nobody listens, no such host, no answer to the attempt.
    Unreachable,
    /// A connection that broke before the reply was whole.
    Connection,
    /// No whole reply in time.
    Timeout,
    /// No whole reply in many times the time in which calls that were sent later had theirs.
    Hung,
    /// The server's certificate is not to be trusted: unknown issuer, another name, expired.
    Untrusted,
    /// The server asks for patience: 429 or 503.
    Overloaded,
    /// The server failed: 408, 409, 425 or another 5xx.
    Server,
    /// The reply is unusable: not JSON, cut off, of the wrong shape, without choices, or larger
    /// than is read.
    Malformed,
    /// The key is missing, wrong, or not allowed to: 401, 403.
    Denied,
    /// There is no such address, model or call: 404, 405, 501, or a redirection, which is not
    /// followed.
    NotFound,
    /// The server refuses the request as it stands: 400 or another 4xx.
    Rejected,
    /// The prompt is longer than the model's context.
    TooLong,
    /// A content filter stopped the request.
    Filtered,
}

impl FaultKind {
    /// Whether a retry may succeed.
    pub fn is_transient(self) -> bool {
        use FaultKind::*;
        matches!(
            self,
            Unreachable | Connection | Timeout | Hung | Overloaded | Server | Malformed
        )
    }

    /// Whether many such faults mean that the server has too much to do, though it does not say so
    /// itself.
    pub fn is_pressure(self) -> bool {
        matches!(self, FaultKind::Unreachable | FaultKind::Timeout)
    }

    /// Whether the fault is transient and says nothing of how much the server has to do.
    pub fn is_chance(self) -> bool {
        use FaultKind::*;
        matches!(self, Connection | Hung | Server | Malformed)
    }

    /// Whether the fault lies in the configuration, so that every other request will meet it too.
    pub fn is_misconfiguration(self) -> bool {
        use FaultKind::*;
        matches!(self, Untrusted | Denied | NotFound | Rejected)
    }

    /// Whether one such fault is enough to stop: nothing that is sent later can be answered.
    pub fn is_final_at_once(self) -> bool {
        self == FaultKind::Untrusted
    }

    /// Returns the name that notes and reports use.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Unreachable => "no connection",
            FaultKind::Connection => "connection lost",
            FaultKind::Timeout => "no reply in time",
            FaultKind::Hung => "call hung",
            FaultKind::Untrusted => "certificate not trusted",
            FaultKind::Overloaded => "server overloaded",
            FaultKind::Server => "server error",
            FaultKind::Malformed => "malformed reply",
            FaultKind::Denied => "access denied",
            FaultKind::NotFound => "not found",
            FaultKind::Rejected => "request rejected",
            FaultKind::TooLong => "prompt too long",
            FaultKind::Filtered => "content filter",
        }
    }
}

/// An attempt that gave no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A kind of fault.
    pub kind: FaultKind,
    /// The words of the server or the system, for the user, without any key.
    pub message: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
}

impl Fault {
    /// Makes a fault that does not say when to try again.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }
}

/// The kind, and the words in brackets, if there are any.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        match self.message.as_str() {
            "" => Ok(()),
            message => write!(f, " ({message})"),
        }
    }
}
