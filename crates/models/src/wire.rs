//! Requests as servers take them: what a batch file holds and what is sent over HTTP.

use evenhand_core::RequestKey;
use serde::{Deserialize, Serialize};

/// The API that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's chat completions, and the many servers that follow them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// System One's questions about a state, by name.
    SystemOne,
    /// OpenAI's decisions: questions about an input, in a list.
    Decisions,
    /// What servers of reward models and rerankers take: a conversation, and back comes a number.
    Reward,
}

impl Api {
    /// Whether questions are asked and answered with probabilities, and no text is written.
    pub fn decides(self) -> bool {
        matches!(self, Api::SystemOne | Api::Decisions)
    }

    /// Whether replies are written: not by judges that answer with probabilities or rewards alone.
    pub fn writes(self) -> bool {
        matches!(self, Api::OpenAi | Api::Anthropic)
    }

    /// Returns the headers that every request needs besides the key and the content type.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Api::OpenAi | Api::SystemOne | Api::Decisions | Api::Reward => &[],
            Api::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }
}

/// The kind of output that a request to OpenAI's API asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The next turn of a chat.
    Chat,
    /// The older completion of a plain prompt.
    Completions,
    /// Embeddings.
    Embeddings,
}

impl Target {
    /// Returns its address in OpenAI's API, as a line of a batch file names it.
    pub fn address(self) -> &'static str {
        match self {
            Target::Chat => "/v1/chat/completions",
            Target::Completions => "/v1/completions",
            Target::Embeddings => "/v1/embeddings",
        }
    }
}

/// A request as its server takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodedRequest {
    /// Which API it is for.
    pub api: Api,
    /// The kind of output. Each has its own address, and OpenAI's batch API wants a file for
    /// each.
    pub target: Target,
    /// The body, as JSON.
    pub body: String,
}

impl EncodedRequest {
    /// A request with this body, which is JSON.
    pub fn new(api: Api, target: Target, body: String) -> EncodedRequest {
        EncodedRequest { api, target, body }
    }

    /// Returns the line of a batch file that makes this call; the key is its `custom_id`.
    pub fn batch_line(&self, key: &RequestKey) -> String {
        let body = &self.body;
        match self.api {
            // Of the others no provider takes batches.
            Api::OpenAi | Api::SystemOne | Api::Decisions | Api::Reward => {
                let url = self.target.address();
                format!(r#"{{"custom_id":"{key}","method":"POST","url":"{url}","body":{body}}}"#)
            }
            Api::Anthropic => format!(r#"{{"custom_id":"{key}","params":{body}}}"#),
        }
    }
}
