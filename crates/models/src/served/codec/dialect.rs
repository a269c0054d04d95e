//! How one model of one provider is spoken to.

use super::invalid;
use crate::Api;
use evenhand_core::{CallError, Decoding};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The field that limits the tokens of a reply (OpenAI's API; Anthropic's has only `max_tokens`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TokenLimit {
    /// The older name, which most servers take.
    MaxTokens,
    /// The newer name, which OpenAI's models that think need.
    MaxCompletionTokens,
}

/// The field that seeds a sampled reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Seed {
    /// There is none.
    None,
    /// `seed`.
    Seed,
    /// `random_seed` (Mistral).
    RandomSeed,
}

/// How a model is told to think first (Anthropic's API).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Thinking {
    /// With a budget of tokens.
    Budget,
    /// As much as it finds fit: what newer models want.
    Adaptive,
}

/// Who says what stands above the conversation (OpenAI's API).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SystemRole {
    /// `system`.
    System,
    /// `developer`.
    Developer,
    /// The model knows no such role: it is said at the beginning of the first turn of the person.
    User,
}

/// How a server says how probable a given text is (OpenAI's API).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scoring {
    /// It does not.
    None,
    /// vLLM's `prompt_logprobs`: the text is the unfinished last turn of a chat.
    PromptLogprobs,
    /// `echo` and `logprobs` of the older completions: the text ends a plain prompt.
    Echo,
}

/// How a server gives rewards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RewardWay {
    /// vLLM's `/classify` of a chat: the one number of a sequence classifier, without a sigmoid.
    #[default]
    Classify,
    /// vLLM's `/pooling` of a chat: of a number for each token that of the last.
    Pooling,
    /// vLLM's `/v1/score`: an instruction and a response as two texts.
    Score,
    /// `/v1/rerank` of vLLM, SGLang, infinity, Jina and Cohere: a query and a document.
    Rerank,
    /// `/rerank` of Text Embeddings Inference.
    Tei,
}

impl RewardWay {
    /// Returns the path that is appended to the base URL.
    pub(crate) fn path(self) -> &'static str {
        match self {
            RewardWay::Classify => "/classify",
            RewardWay::Pooling => "/pooling",
            RewardWay::Score => "/v1/score",
            RewardWay::Rerank => "/v1/rerank",
            RewardWay::Tei => "/rerank",
        }
    }
}

/// How one model of one provider is spoken to: a provider's row with the user's settings over it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dialect {
    /// The API.
    pub api: Api,
    /// The model, as the server calls it.
    pub model: String,
    /// The path appended to the base URL, for example `/chat/completions`; empty for that of
    /// [`Dialect::reward`].
    pub path: String,
    /// The field that limits the tokens.
    pub token_limit: TokenLimit,
    /// Whether the server gives the probabilities of tokens. They are asked for only where a
    /// request wants those of answers.
    pub logprobs: bool,
    /// The most alternatives of a token that the server names.
    pub top_logprobs: u32,
    /// The field of the seed.
    pub seed: Seed,
    /// Whether the model takes a temperature.
    pub temperature: bool,
    /// Whether the server holds a reply to a JSON schema; None where a probe is to say so.
    pub json_schema: Option<bool>,
    /// Added to the limit of tokens for a model that thinks first; 0 for one that does not think.
    /// With Anthropic's API it is at least 1024, the model is told to think, and no temperature is
    /// sent, which that API does not allow beside it.
    pub reasoning_tokens: u32,
    /// How it is told to.
    pub thinking: Thinking,
    /// Who says what stands above the conversation.
    pub system_role: SystemRole,
    /// Whether the server is asked to cache the beginning of the prompt (Anthropic's
    /// `cache_control`).
    pub cache: bool,
    /// Whether the server has embeddings (`/embeddings`).
    pub embeddings: bool,
    /// How it says how probable a text is.
    pub likelihood: Scoring,
    /// How a reward model's server gives rewards.
    pub reward: RewardWay,
    /// Of a classifier with several classes the one whose number is the reward, from 0.
    pub reward_class: Option<u32>,
    /// Whether the confidence of a decision is the largest probability times the mass that lay on
    /// labels, as vLLM's is: the mass can then be told from it where nothing else says it.
    pub confidence_has_mass: bool,
    /// Further fields of a chat's body. They replace what is there, but for `model`, `messages`,
    /// `system` and `stream`.
    pub extra: Map<String, Value>,
}

/// Fields that [`Dialect::extra`] may not set: they are the request's content, and a streamed reply
/// is not read.
const NOT_EXTRA: [&str; 13] = [
    "model",
    "messages",
    "system",
    "stream",
    "state",
    "input",
    "questions",
    "query",
    "documents",
    "texts",
    "text_1",
    "text_2",
    "data",
];

impl Dialect {
    /// Returns the dialect of OpenAI's chat completions as published, for this model.
    pub fn openai(model: impl Into<String>) -> Dialect {
        Dialect {
            api: Api::OpenAi,
            model: model.into(),
            path: "/chat/completions".to_owned(),
            token_limit: TokenLimit::MaxTokens,
            logprobs: true,
            top_logprobs: 20,
            seed: Seed::Seed,
            temperature: true,
            json_schema: None,
            reasoning_tokens: 0,
            thinking: Thinking::Budget,
            system_role: SystemRole::System,
            cache: false,
            embeddings: true,
            likelihood: Scoring::None,
            reward: RewardWay::default(),
            reward_class: None,
            confidence_has_mass: false,
            extra: Map::new(),
        }
    }

    /// Returns the dialect of Anthropic's messages as published, for this model: no probabilities,
    /// no seed, no embeddings.
    pub fn anthropic(model: impl Into<String>) -> Dialect {
        Dialect {
            api: Api::Anthropic,
            path: "/v1/messages".to_owned(),
            logprobs: false,
            top_logprobs: 0,
            json_schema: Some(false),
            seed: Seed::None,
            embeddings: false,
            ..Dialect::openai(model)
        }
    }

    /// Returns the dialect of System One's questions, for this model: probabilities and no text.
    pub fn systemone(model: impl Into<String>) -> Dialect {
        Dialect {
            api: Api::SystemOne,
            path: "/v1/systemone".to_owned(),
            json_schema: Some(false),
            embeddings: false,
            ..Dialect::openai(model)
        }
    }

    /// Returns the dialect of OpenAI's decisions, for this model: probabilities and no text.
    pub fn decisions(model: impl Into<String>) -> Dialect {
        Dialect {
            api: Api::Decisions,
            path: "/v1/decisions".to_owned(),
            ..Dialect::systemone(model)
        }
    }

    /// Returns the dialect of servers of reward models, for this model: a number and no text.
    pub fn reward(model: impl Into<String>) -> Dialect {
        Dialect {
            api: Api::Reward,
            path: String::new(),
            json_schema: Some(false),
            embeddings: false,
            ..Dialect::openai(model)
        }
    }

    /// Returns what is appended to the base URL for what the API is for.
    pub fn main_path(&self) -> &str {
        match self.path.as_str() {
            "" => self.reward.path(),
            path => path,
        }
    }

    /// Returns what is appended to the base URL for embeddings: `/embeddings` in the place of
    /// `/chat/completions` at the end of the path.
    pub fn embeddings_path(&self) -> String {
        format!("{}/embeddings", self.path_before_chat())
    }

    /// Returns what is appended to the base URL for a text that is to be scored.
    pub fn score_path(&self) -> String {
        match self.likelihood {
            Scoring::Echo => format!("{}/completions", self.path_before_chat()),
            _ => self.path.clone(),
        }
    }

    fn path_before_chat(&self) -> &str {
        self.path
            .strip_suffix("/chat/completions")
            .unwrap_or_default()
    }

    pub(super) fn add_extra(&self, body: &mut Map<String, Value>) -> Result<(), CallError> {
        if let Some(name) = NOT_EXTRA
            .iter()
            .find(|name| self.extra.contains_key(**name))
        {
            return Err(invalid(format!(
                "the field `{name}` cannot be set among a model's extra fields: remove it there"
            )));
        }
        body.extend(self.extra.clone());
        Ok(())
    }

    /// Returns the temperature of a reply, where the model takes one.
    pub(super) fn temperature_of(&self, decoding: &Decoding) -> Option<Value> {
        self.temperature.then(|| Value::from(decoding.temperature))
    }
}
