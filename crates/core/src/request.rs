//! Requests to models and their replies: plain data, found again by content.

use crate::{Embeddings, Item, Message, Question, Response, StateField};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use strum::IntoStaticStr;

/// One call to a model. Two requests with the same content are the same call, and are paid for
/// once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The model that is asked, by its identity (for a local model: a digest of its file and its
    /// fixed settings).
    pub judge: Arc<str>,
    /// The conversation, without any chat template.
    pub messages: Vec<Message>,
    /// The kind of reply that is wanted.
    pub task: Task,
    /// Which sample of this prompt this is: k samples of one prompt stay k calls.
    pub sample: u32,
    /// The subject of the request, for simulated judges only: never part of its content.
    #[serde(skip)]
    pub about: About,
}

/// The kinds of replies that a model can be asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Task {
    /// Write a reply, and say how probable the named answers are where one is due.
    Generate {
        /// How the reply is decoded.
        decoding: Decoding,
        /// The answers whose probabilities are wanted, if any.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        answers: Option<AnswerOptions>,
    },
    /// Say how probable this continuation of the conversation is; nothing is written.
    Score {
        /// The text of the assistant's turn to be scored.
        continuation: String,
        /// Spans of it, in bytes from its start, ascending and disjoint: the part of the
        /// log-probability on tokens that touch one is also given by itself.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        apart: Vec<Range<usize>>,
        /// How deep in the model its states are wanted beside that, in percent of the layers, from
        /// 1 to 100, ascending: for each the mean over the text's tokens of what the layer makes of
        /// them ([`Reply::embeddings`]). Only a model of this machine can be asked so.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        depths: Vec<u8>,
    },
    /// Give a vector for each of these texts, the pieces of one response; there are no messages,
    /// and nothing is written.
    Embed {
        /// The texts, none of them empty; at least one.
        pieces: Vec<String>,
    },
    /// Say how probable each answer of a question about a state is; there are no messages, and
    /// nothing is written. Requests with one judge, state and sample may share a call.
    Decide {
        /// The state that the question is about, field by field in the order in which it is shown.
        state: Vec<StateField>,
        /// The question, and the answers that it has.
        question: Question,
    },
    /// Say which of two texts is the better. Both follow the conversation, whose last turn is the
    /// user's and goes on with them: each is read blind to the other and from the same place on.
    /// Behind each stands a name, and behind both the question. It is asked with both ways of
    /// naming them, and nothing is written. Only a model of this machine can be asked so.
    SideBySide {
        /// The texts, in the order of their bytes: there is one request for both orders.
        texts: [String; 2],
        /// The names.
        names: [String; 2],
        /// The question.
        question: String,
        /// The answers: that the text with the first name is better, and that the other is.
        answers: [String; 2],
    },
    /// Score the conversation, whose last turn is the assistant's, as a reward model does; nothing
    /// is written.
    Reward,
}

/// How a reply is decoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decoding {
    /// The most tokens to write. A model that gives the probabilities of answers due at once may
    /// stop after one.
    pub max_tokens: u32,
    /// 0 is greedy.
    pub temperature: f64,
    /// The seed of a sampled reply (temperature above 0); the sample index is mixed in by the
    /// model.
    pub seed: u64,
    /// The JSON schema that the server is to hold the reply to; None: the reply is free. Only a
    /// model whose server was seen to do so is asked for it, and other models ignore it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema: Option<Arc<ReplySchema>>,
}

/// A JSON schema for a reply: an object whose fields come in the order of the schema, the verdict
/// last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ReplySchema(pub serde_json::Value);

impl ReplySchema {
    /// The field of the verdict, which is the last one.
    pub const VERDICT: &'static str = "verdict";
}

/// Answers whose probabilities are wanted, each over all of its tokenisations (with and without a
/// leading space).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerOptions {
    /// The answers, for example `A`, `B` or `1` to `10`. Distinct.
    pub options: Vec<String>,
    /// The answer is due as soon as the reply ends with this text (white space aside): empty means
    /// at once.
    pub after: String,
}

/// The content address of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey(pub [u8; 32]);

impl RequestKey {
    /// Returns the BLAKE3 of a request's canonical text.
    pub fn of(canonical: &str) -> Self {
        RequestKey(*blake3::hash(canonical.as_bytes()).as_bytes())
    }
}

impl fmt::Display for RequestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RequestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Task {
    /// Writes a reply of so many tokens at most, the likeliest ones and in no form; no probability
    /// is asked for.
    pub fn write(max_tokens: u32) -> Task {
        Task::Generate {
            decoding: Decoding::greedy(max_tokens),
            answers: None,
        }
    }

    /// Scores this continuation as a whole.
    pub fn score(continuation: impl Into<String>) -> Task {
        Task::Score {
            continuation: continuation.into(),
            apart: Vec::new(),
            depths: Vec::new(),
        }
    }
}

impl Decoding {
    /// Returns how the likeliest tokens are written, at most so many, in no form.
    pub fn greedy(max_tokens: u32) -> Decoding {
        Decoding {
            max_tokens,
            temperature: 0.0,
            seed: 0,
            schema: None,
        }
    }
}

impl Request {
    /// Returns the first sample of a request whose subject no judge needs to know.
    pub fn new(judge: Arc<str>, messages: Vec<Message>, task: Task) -> Request {
        Request {
            judge,
            messages,
            task,
            sample: 0,
            about: About::default(),
        }
    }

    /// Returns the request as the one text that is stored and addressed.
    pub fn canonical(&self) -> String {
        let text: usize = self
            .messages
            .iter()
            .map(|message| message.content.len())
            .sum();
        let mut out = Vec::with_capacity(text + text / 16 + 512);
        // Serialising plain structs of strings and finite numbers cannot fail, and gives UTF-8.
        let _ = serde_json::to_writer(&mut out, self);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns the address of [`Request::canonical`].
    pub fn key(&self) -> RequestKey {
        RequestKey::of(&self.canonical())
    }

    /// Returns a digest of what the questions of one call have in common: the judge, the state and
    /// the sample; None where this is no question about a state.
    pub fn state_digest(&self) -> Option<[u8; 32]> {
        let Task::Decide { state, .. } = &self.task else {
            return None;
        };
        let mut hash = blake3::Hasher::new();
        hash.update(&self.sample.to_le_bytes());
        let texts = state.iter().flat_map(|field| [&*field.name, &*field.text]);
        for text in [&*self.judge].into_iter().chain(texts) {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        Some(*hash.finalize().as_bytes())
    }
}

/// The subject of a request. Only a simulated judge looks at it: it is how its planted defects find
/// their cause.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The item's id.
    pub item: Arc<str>,
    /// The responses in view, in slot order.
    pub responses: Vec<Response>,
    /// The reply that is wanted.
    pub wanted: Wanted,
    /// Where the verdict is wanted in a notation: every answer, with what states it there.
    pub statements: Vec<Statement>,
    /// How many questions about this state belong together and are best asked in one call
    /// ([`Task::Decide`]); 0 and 1 are the same.
    pub together: u32,
}

/// An answer, and what states it in a notation of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The answer, such as `A` or `4`.
    pub answer: String,
    /// Its statement, such as `[RESULT] A`.
    pub text: String,
}

impl About {
    /// Makes the subject of a request over these responses.
    pub fn new(item: &Item, responses: &[Response]) -> Self {
        About {
            item: item.id.as_str().into(),
            responses: responses.to_vec(),
            wanted: Wanted::Text,
            statements: Vec::new(),
            together: 0,
        }
    }

    /// Sets the reply that is wanted.
    #[must_use]
    pub fn wanting(self, wanted: Wanted) -> Self {
        About { wanted, ..self }
    }
}

/// The reply that is wanted, for simulated judges, which cannot read it from the prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Wanted {
    /// A text: an analysis, criteria, a reference answer.
    #[default]
    Text,
    /// The one response, rewritten.
    Rewritten,
    /// A score of the one response, between these ends.
    Score,
    /// One of the options: the first response is better, the second is, and, where there is a
    /// third, they tie.
    Choice,
    /// One of the options, which run from "the first is much better" to "the second is much
    /// better".
    Step,
    /// Two scores between these ends, after the options' marker or alone.
    Scores {
        /// The worst.
        low: f64,
        /// The best.
        high: f64,
        /// The text before them at the end of a longer reply; empty where they stand alone.
        after: String,
    },
    /// The letters of all responses from the best to the worst, joined by " > ".
    Order {
        /// The text before them at the end of a longer reply; empty where they stand alone.
        after: String,
    },
    /// One of the options: which verdict another text expresses.
    Extraction,
    /// Whether each of these criteria is met: one of the options where there are any, else a
    /// numbered list.
    Criteria {
        /// The criteria, in their order.
        asked: Vec<AskedCriterion>,
        /// The text before the list at the end of a longer reply; empty where it stands alone.
        after: String,
    },
    /// Criteria for an instruction, a line each.
    NewCriteria,
}

/// A criterion as a simulated judge is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedCriterion {
    /// Its place in the checklist, from 1.
    pub number: u32,
    /// Whether it is a fault.
    pub is_fault: bool,
}

/// Why a model stopped writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Finish {
    /// It was done.
    #[default]
    Stop,
    /// `max_tokens` was reached.
    Length,
    /// It declined to answer.
    Refusal,
}

impl Finish {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The log-probability of a continuation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Likelihood {
    /// Sum over its tokens, in nats.
    pub logprob: f64,
    /// How many tokens were summed.
    pub tokens: u32,
    /// The part of the sum on tokens that touch the spans; 0 where there are no spans.
    #[serde(skip_serializing_if = "is_nothing", default)]
    pub apart: f64,
}

impl Likelihood {
    /// Adds a token, or several that stand for these bytes of the continuation together.
    pub fn add(&mut self, logprob: f64, tokens: u32, bytes: Range<usize>, apart: &[Range<usize>]) {
        self.logprob += logprob;
        self.tokens += tokens;
        // The last span that begins before the token ends: those before it end earlier.
        let before = apart.partition_point(|span| span.start < bytes.end);
        if before > 0 && apart[before - 1].end > bytes.start {
            self.apart += logprob;
        }
    }
}

/// Tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens of the prompt, whether computed or found in a cache.
    pub prompt_tokens: u64,
    /// Tokens written, whether shown or not.
    pub completion_tokens: u64,
    /// Of the tokens of the prompt, those that a server found in its cache.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub cached_tokens: u64,
    /// Of the tokens written, those of a reasoning before the reply.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub reasoning_tokens: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// The most tokens that are believed of one call: what a server says beyond that counts as
    /// this.
    pub const MOST: u64 = 1 << 32;

    /// Returns the tokens of a call that wrote nothing.
    pub fn of_prompt(prompt_tokens: u64) -> Usage {
        Usage {
            prompt_tokens,
            ..Usage::default()
        }
    }

    fn is_nothing(&self) -> bool {
        *self == Usage::default()
    }

    /// Returns what `of` makes of each count and its counterpart.
    fn with(&self, other: &Usage, of: impl Fn(u64, u64) -> u64) -> Usage {
        Usage {
            prompt_tokens: of(self.prompt_tokens, other.prompt_tokens),
            completion_tokens: of(self.completion_tokens, other.completion_tokens),
            cached_tokens: of(self.cached_tokens, other.cached_tokens),
            reasoning_tokens: of(self.reasoning_tokens, other.reasoning_tokens),
        }
    }

    /// Caps each count at [`Usage::MOST`].
    pub fn capped(self) -> Usage {
        self.with(&self, |count, _| count.min(Usage::MOST))
    }

    /// Returns what is left without a part of it.
    pub fn without(&self, part: &Usage) -> Usage {
        self.with(part, u64::saturating_sub)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = self.with(&other, u64::saturating_add);
    }
}

/// A place of a reply at which an answer stands as a word, and how probable each was there; the
/// first may be where one was due, and no word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerPlace {
    /// Where the word ends, or where an answer was due, in bytes of [`Reply::text`].
    pub end: usize,
    /// The probability of each of [`AnswerOptions::options`] there, as [`Reply::answers`].
    pub answers: Vec<f64>,
    /// How far each may be from the true probability.
    pub within: f64,
}

/// A model's reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The text that was written, without its reasoning; empty for a scored continuation and for
    /// embeddings.
    pub text: String,
    /// The text that the model wrote before the reply and apart from it; a verdict is read from it
    /// only where the reply has no text of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<String>,
    /// Whether the reply had no text, and `text` is the arguments of its one tool call.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_tool_call: bool,
    /// Why it ended.
    pub finish: Finish,
    /// The probability of each of [`AnswerOptions::options`], in their order, where the answer was
    /// due; they sum to at most 1. None where the model gives no probabilities, or the place was
    /// never reached. For [`Task::Decide`] of each of
    /// [`QuestionAnswers::names`](crate::QuestionAnswers::names), as the server gave them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answers: Option<Vec<f64>>,
    /// How far each of `answers` may be from the true probability, where a server named only the
    /// likeliest tokens: they are then the middles of their bounds, and this is half of the widest.
    /// 0 where all were seen.
    #[serde(skip_serializing_if = "is_nothing", default)]
    pub answers_within: f64,
    /// Where `text` goes on beyond a bare answer, so that `answers` is None: the place at which one
    /// was due, whatever was written there, and those at which an answer stands as a word of its
    /// own, in their order, each with the probabilities there.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub places: Vec<AnswerPlace>,
    /// Whether a server gave log-probabilities that cannot be (above 0, or of more than 1
    /// together), so that `answers` is None.
    #[serde(skip_serializing_if = "is_false", default)]
    pub answers_impossible: bool,
    /// For [`Task::Decide`]: how much of the probability lay on answers of the question at all,
    /// where the server says so; `answers` are then shares of this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label_mass: Option<f64>,
    /// For [`Task::Decide`]: whether the most probable token was an answer of the question, where
    /// the server says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub argmax_is_label: Option<bool>,
    /// For [`Task::Score`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub likelihood: Option<Likelihood>,
    /// For [`Task::Reward`]: any finite number, the higher the better.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reward: Option<f64>,
    /// For [`Task::Embed`]: a vector for each piece, in their order. For [`Task::Score`] with
    /// depths: a vector for each depth.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub embeddings: Option<Embeddings>,
    /// Who answered, where the server says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answered_by: Option<Answerer>,
    /// Tokens.
    #[serde(skip_serializing_if = "Usage::is_nothing", default)]
    pub usage: Usage,
}

/// The model behind a name, as the server that answered tells it: `gpt-4o` is asked for, and
/// `gpt-4o-2024-08-06` answers. Lines of at most 300 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Answerer {
    /// The model.
    pub model: String,
    /// The configuration of the server (`system_fingerprint`), where it names one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fingerprint: Option<String>,
}

impl fmt::Display for Answerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fingerprint {
            Some(fingerprint) => write!(f, "{} ({fingerprint})", self.model),
            None => write!(f, "{}", self.model),
        }
    }
}

fn is_false(it_is: &bool) -> bool {
    !*it_is
}

fn is_nothing(amount: &f64) -> bool {
    *amount == 0.0
}

/// Why a call gave no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallErrorKind {
    /// The prompt does not fit the model's context. Final: asking again gives the same.
    TooLong,
    /// The request asks for something that has no answer, such as the likelihood of an empty text.
    /// Final.
    Invalid,
    /// The server declined to pass the request on to the model (a content filter). Final.
    Refused,
    /// A recorded run holds no reply to this very request. Never stored.
    Drifted,
    /// The model failed. Never stored: a later run asks again.
    Model,
}

impl CallErrorKind {
    /// Whether asking again gives the same, so that the error is kept like a reply.
    pub fn is_final(self) -> bool {
        matches!(
            self,
            CallErrorKind::TooLong | CallErrorKind::Invalid | CallErrorKind::Refused
        )
    }
}

/// A call that gave no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallError {
    /// The kind.
    pub kind: CallErrorKind,
    /// The error, for the user.
    pub message: String,
}

/// The reply to a call, or why there is none.
pub type CallResult = Result<Reply, CallError>;
