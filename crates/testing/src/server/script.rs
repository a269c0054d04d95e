//! The script of the server.

use super::Fault;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How the server treats each request. Every share is in 0..=1.
#[derive(Clone, Debug)]
pub struct Script {
    /// From a request's last byte to the reply's first.
    pub latency: Duration,
    /// Up to this much more, drawn for each attempt.
    pub latency_jitter: Duration,
    /// Requests beyond this many at the same time get 429 at once.
    pub capacity: Option<usize>,
    /// The words of a 429 for want of capacity, and of the fault `TooManyWithRetryAfter`, on when
    /// to ask again (the fault: 1 s if `None`).
    pub retry_after: Option<RetryAfter>,
    /// The share of attempts that end in a fault, drawn from the seed, the body, and the attempt's
    /// number for that body. Attempts that were turned away for want of capacity or of a key do not
    /// count.
    pub faults: f64,
    /// The faults to draw from, each as likely; with none there are no faults.
    pub fault_kinds: Vec<Fault>,
    /// The share of bodies of which every attempt ends in a fault: a function of seed and body.
    pub failing: f64,
    /// Only a body's first so many attempts can end in a fault.
    pub fault_attempts: Option<u64>,
    /// After this many requests the server is gone: the next one, every one still unanswered and
    /// every connection is cut, and new connections are refused.
    pub die_after: Option<u64>,
    /// Requests without this key (`Authorization: Bearer`, `x-api-key` or `api-key`) get 401, with
    /// the key that they sent in the body.
    pub require_key: Option<String>,
    /// Token log-probabilities for requests that ask for them.
    pub logprobs: bool,
    /// Whether a request that names a JSON schema (`response_format`) gets a reply of that schema;
    /// else the field is passed over, as by a server that does not know it.
    pub schemas: bool,
    /// Whether a verdict is made of each request.
    pub mode: Mode,
    /// Who makes the verdicts; None: they are drawn from the seed, as the next two say.
    pub judge: Option<Judge>,
    /// The answers that verdicts choose from.
    pub answers: Vec<String>,
    /// The model and the configuration that replies name as who answered; None: the model that was
    /// asked, and `loopback`.
    pub answers_as: Option<(String, String)>,
    /// A prompt that has this text is answered with a short analysis and, after this text, the
    /// verdict; another by the verdict alone.
    pub marker: String,
    /// How questions about a state are answered.
    pub decisions: DecisionScript,
    /// The seed of verdicts and faults.
    pub seed: u64,
    /// The first so many requests are kept, see `Server::requests`.
    pub keep: usize,
    /// The width of the bins in which `Stats::bins` counts; fixed at the start.
    pub bin: Duration,
    /// Threads that serve; fixed at the start, at least one.
    pub threads: usize,
    /// The port, or 0 for any that is free; fixed at the start.
    pub port: u16,
}

impl Default for Script {
    /// Returns a judge that chooses A or B at once, with log-probabilities and without faults.
    fn default() -> Script {
        Script {
            latency: Duration::ZERO,
            latency_jitter: Duration::ZERO,
            capacity: None,
            retry_after: None,
            faults: 0.0,
            failing: 0.0,
            fault_kinds: Vec::new(),
            fault_attempts: None,
            die_after: None,
            require_key: None,
            logprobs: true,
            schemas: false,
            mode: Mode::Judge,
            judge: None,
            answers: vec!["A".into(), "B".into()],
            answers_as: None,
            marker: "Verdict:".into(),
            decisions: DecisionScript::default(),
            seed: 0,
            keep: 0,
            bin: Duration::from_millis(100),
            threads: 1,
            port: 0,
        }
    }
}

/// How questions about a state are answered. Every share is in 0..=1.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecisionScript {
    /// Which server is played.
    pub server: DecisionServer,
    /// The share of states in which the answer that stands first wins, whichever it is.
    pub flips: f64,
    /// The share of questions whose probability lies on no answer.
    pub low_mass: f64,
    /// The share of answers that say the reverse, drawn anew each time.
    pub unstable: f64,
}

/// A server of decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecisionServer {
    /// It answers in both formats.
    #[default]
    Both,
    /// In System One's alone.
    OnlySystemOne,
    /// In OpenAI's alone.
    OnlyDecisions,
    /// A chat model behind llama.cpp: 501 in both.
    ChatModel,
    /// A model whose architecture vLLM does not read: 501 in both.
    UnreadArchitecture,
}

/// How a reply is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One prepared verdict for all: bodies are never parsed.
    Fast,
    /// A verdict that is a function of the messages and the seed.
    Judge,
}

/// The words of a reply on when to ask again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// `retry-after`, in seconds.
    Seconds(u64),
    /// `retry-after-ms`, in milliseconds.
    Millis(u64),
    /// `retry-after` with this text: an HTTP date, a decimal fraction, nonsense.
    Text(String),
}

impl RetryAfter {
    /// Returns the header's line, with its end.
    pub(super) fn header_line(&self) -> String {
        match self {
            RetryAfter::Seconds(seconds) => format!("retry-after: {seconds}\r\n"),
            RetryAfter::Millis(millis) => format!("retry-after-ms: {millis}\r\n"),
            RetryAfter::Text(text) => format!("retry-after: {text}\r\n"),
        }
    }
}

/// Who makes the verdicts in place of the draws from the seed: the reply to a prompt, the texts of
/// whose messages are joined by blank lines.
#[derive(Clone)]
pub struct Judge(Arc<dyn Fn(&str) -> String + Send + Sync>);

impl Judge {
    /// Makes a judge that replies so. The reply must be a function of the prompt alone, and may be
    /// asked from several threads.
    pub fn new(reply: impl Fn(&str) -> String + Send + Sync + 'static) -> Judge {
        Judge(Arc::new(reply))
    }

    pub(super) fn reply(&self, prompt: &str) -> String {
        (self.0)(prompt)
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}
