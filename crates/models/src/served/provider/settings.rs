//! Settings of a dialect, by a provider, a family of models or a user.

use crate::served::codec::{Dialect, RewardWay, Scoring, Seed, SystemRole, Thinking, TokenLimit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Settings of a dialect; what is None stays as it was. Unknown keys are errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// [`Dialect::path`].
    pub path: Option<String>,
    /// [`Dialect::token_limit`].
    pub token_limit: Option<TokenLimit>,
    /// [`Dialect::logprobs`].
    pub logprobs: Option<bool>,
    /// [`Dialect::top_logprobs`].
    pub top_logprobs: Option<u32>,
    /// [`Dialect::seed`].
    pub seed: Option<Seed>,
    /// [`Dialect::temperature`].
    pub temperature: Option<bool>,
    /// [`Dialect::json_schema`].
    pub json_schema: Option<bool>,
    /// [`Dialect::reasoning_tokens`].
    pub reasoning_tokens: Option<u32>,
    /// [`Dialect::thinking`].
    pub thinking: Option<Thinking>,
    /// [`Dialect::system_role`].
    pub system_role: Option<SystemRole>,
    /// [`Dialect::cache`].
    pub cache: Option<bool>,
    /// [`Dialect::embeddings`].
    pub embeddings: Option<bool>,
    /// [`Dialect::likelihood`].
    pub likelihood: Option<Scoring>,
    /// [`Dialect::reward`].
    pub reward: Option<RewardWay>,
    /// [`Dialect::reward_class`].
    pub reward_class: Option<u32>,
    /// [`Dialect::confidence_has_mass`].
    pub confidence_has_mass: Option<bool>,
    /// Added to [`Dialect::extra`].
    pub extra: Option<Map<String, Value>>,
}

impl Settings {
    /// Returns the dialect with these settings in place of its own.
    pub fn apply_to(&self, dialect: Dialect) -> Dialect {
        let mut extra = dialect.extra;
        extra.extend(self.extra.clone().unwrap_or_default());
        Dialect {
            path: self.path.clone().unwrap_or(dialect.path),
            token_limit: self.token_limit.unwrap_or(dialect.token_limit),
            logprobs: self.logprobs.unwrap_or(dialect.logprobs),
            top_logprobs: self.top_logprobs.unwrap_or(dialect.top_logprobs),
            seed: self.seed.unwrap_or(dialect.seed),
            temperature: self.temperature.unwrap_or(dialect.temperature),
            json_schema: self.json_schema.or(dialect.json_schema),
            reasoning_tokens: self.reasoning_tokens.unwrap_or(dialect.reasoning_tokens),
            thinking: self.thinking.unwrap_or(dialect.thinking),
            system_role: self.system_role.unwrap_or(dialect.system_role),
            cache: self.cache.unwrap_or(dialect.cache),
            embeddings: self.embeddings.unwrap_or(dialect.embeddings),
            likelihood: self.likelihood.unwrap_or(dialect.likelihood),
            reward: self.reward.unwrap_or(dialect.reward),
            reward_class: self.reward_class.or(dialect.reward_class),
            confidence_has_mass: self
                .confidence_has_mass
                .unwrap_or(dialect.confidence_has_mass),
            extra,
            api: dialect.api,
            model: dialect.model,
        }
    }
}
