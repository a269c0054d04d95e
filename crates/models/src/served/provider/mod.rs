//! Who serves models: rows of data (`providers.toml`) over the codecs.
//!
//! A [`Provider`] says where an API is, which key it wants, and how its models are spoken to;
//! [`Provider::dialect`] puts the rules of the model's family and the user's settings over that.

mod settings;
#[cfg(test)]
mod tests;

pub use settings::Settings;

use crate::served::codec::Dialect;
use crate::{Api, ModelError};
use reqwest::Url;
use serde::Deserialize;
use std::collections::BTreeMap;

const ROWS: &str = include_str!("providers.toml");
const GENERIC: &str = "generic";

/// A service that answers requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// What the user calls it.
    pub name: String,
    /// Where its API is, without a slash at the end; None where every user has another and must
    /// give it.
    pub base_url: Option<String>,
    /// The API that it speaks.
    pub api: Api,
    /// The environment variable that holds its key.
    pub key_env: String,
    /// How the key is sent.
    #[serde(default)]
    pub key_header: KeyHeader,
    /// Whether it answers without one.
    #[serde(default)]
    pub key: KeyNeed,
    /// Parameters of the URL, by name.
    #[serde(default)]
    pub query: BTreeMap<String, String>,
    /// Whether its own service is taken to read marks of chat templates in a message as text.
    #[serde(default)]
    pub(crate) marks_are_text: bool,
    #[serde(default)]
    hosts: Vec<String>,
    url_path: Option<String>,
    #[serde(default)]
    settings: Settings,
    #[serde(default)]
    models: Vec<Family>,
}

/// How a key is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyHeader {
    /// `authorization: Bearer KEY`.
    #[default]
    Authorization,
    /// `api-key: KEY` (Azure).
    ApiKey,
    /// `x-api-key: KEY` (Anthropic).
    XApiKey,
}

impl KeyHeader {
    /// The header's name.
    pub fn name(self) -> &'static str {
        match self {
            KeyHeader::Authorization => "authorization",
            KeyHeader::ApiKey => "api-key",
            KeyHeader::XApiKey => "x-api-key",
        }
    }

    /// What stands before the key in the header's value.
    pub fn prefix(self) -> &'static str {
        if self == KeyHeader::Authorization {
            "Bearer "
        } else {
            ""
        }
    }
}

/// Whether a provider answers without a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyNeed {
    /// It does not.
    #[default]
    Required,
    /// It may: a server of one's own.
    Optional,
}

/// Models whose names begin alike.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    prefixes: Vec<String>,
    settings: Settings,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    provider: Vec<Provider>,
}

impl Provider {
    /// All that are known by name, in the order of the file.
    ///
    /// Errors: the rows that were built in cannot be read, which a test rules out.
    pub fn all() -> Result<Vec<Provider>, ModelError> {
        read(ROWS)
    }

    /// The provider of this name; an unknown one is an error that names those there are.
    pub fn by_name(name: &str) -> Result<Provider, ModelError> {
        let all = Provider::all()?;
        let names = || {
            all.iter()
                .map(|provider| provider.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let found = all.iter().find(|provider| provider.name == name).cloned();
        found.ok_or_else(|| {
            ModelError::Open(format!(
                "there is no provider `{name}`: expected one of {}",
                names()
            ))
        })
    }

    /// The provider at this base URL, by its host, with the URL as its own; `generic` where the
    /// host is nobody's.
    ///
    /// On a loopback address it needs no key; which server it is cannot be told from there. The URL
    /// is one that was checked.
    pub(crate) fn for_url(url: &Url) -> Result<Provider, ModelError> {
        let mut all = Provider::all()?;
        let at = all.iter().position(|provider| provider.is_at(url));
        let at = at.or_else(|| all.iter().position(|provider| provider.name == GENERIC));
        let mut provider = at
            .map(|at| all.swap_remove(at))
            .ok_or_else(|| ModelError::Open("no generic provider".into()))?;
        provider.base_url = Some(url.as_str().trim_end_matches('/').to_owned());
        if is_loopback(url) {
            provider.key = KeyNeed::Optional;
        }
        Ok(provider)
    }

    /// How this model is spoken to: the published API, the provider's settings, those of the
    /// model's family, and the user's, each over the one before.
    pub fn dialect(&self, model: &str, user: &Settings) -> Dialect {
        let published = match self.api {
            Api::OpenAi => Dialect::openai(model),
            Api::Anthropic => Dialect::anthropic(model),
        };
        let family = self.family(model).map(|family| &family.settings);
        let layers = [Some(&self.settings), family, Some(user)];
        layers
            .into_iter()
            .flatten()
            .fold(published, |dialect, settings| settings.over(dialect))
    }

    /// The family with the longest prefix of this name.
    fn family(&self, model: &str) -> Option<&Family> {
        let longest = |family: &Family| {
            family
                .prefixes
                .iter()
                .filter(|p| model.starts_with(p.as_str()))
                .map(String::len)
                .max()
        };
        let families = self
            .models
            .iter()
            .filter_map(|family| Some((longest(family)?, family)));
        families
            .max_by_key(|(length, _)| *length)
            .map(|(_, family)| family)
    }

    /// Whether the host of this URL is its own.
    pub(crate) fn owns(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or("");
        let is_own = |own: &String| {
            if own.starts_with('.') {
                host.ends_with(own.as_str())
            } else {
                host == own
            }
        };
        self.hosts.iter().any(is_own)
    }

    /// Whether it stands for addresses that are nobody's here, and its key for whatever the user
    /// names.
    pub(crate) fn is_generic(&self) -> bool {
        self.name == GENERIC
    }

    /// The service at its own place and with its own key, spoken to in the API of another.
    pub(crate) fn speaking_as(self, other: Provider) -> Provider {
        let Provider {
            api,
            key_header,
            settings,
            models,
            ..
        } = other;
        Provider {
            api,
            key_header,
            settings,
            models,
            ..self
        }
    }

    fn is_at(&self, url: &Url) -> bool {
        self.owns(url)
            && self
                .url_path
                .as_ref()
                .is_none_or(|path| url.path().starts_with(path.as_str()))
    }
}

fn read(rows: &str) -> Result<Vec<Provider>, ModelError> {
    let rows: Result<Rows, _> = toml::from_str(rows);
    rows.map(|rows| rows.provider).map_err(|error| {
        ModelError::Open(format!("providers.toml: {}", error.to_string().trim_end()))
    })
}

/// Whether an address is this machine's own.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url
        .host_str()
        .unwrap_or("")
        .trim_start_matches('[')
        .trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback())
}
