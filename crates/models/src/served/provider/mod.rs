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
use std::net::IpAddr;

const ROWS: &str = include_str!("providers.toml");
const GENERIC: &str = "generic";

/// A service that answers requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Provider {
    /// The name that users give it.
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
#[non_exhaustive]
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
    /// Returns the header's name.
    pub fn name(self) -> &'static str {
        match self {
            KeyHeader::Authorization => "authorization",
            KeyHeader::ApiKey => "api-key",
            KeyHeader::XApiKey => "x-api-key",
        }
    }

    /// Returns what stands before the key in the header's value.
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
#[non_exhaustive]
pub enum KeyNeed {
    /// It does not.
    #[default]
    Required,
    /// It may: a server of one's own.
    Optional,
}

/// Models whose names begin alike; the longest prefix counts.
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
    /// Returns all that are known by name, in the order of the file.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the rows that were built in cannot be read, which a test rules out.
    pub fn all() -> Result<Vec<Provider>, ModelError> {
        read_rows(ROWS)
    }

    /// Returns the provider of this name.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if it is unknown, with the names that are known.
    pub fn by_name(name: &str) -> Result<Provider, ModelError> {
        let mut all = Provider::all()?;
        if let Some(at) = all.iter().position(|provider| provider.name == name) {
            return Ok(all.swap_remove(at));
        }
        // A known name may have a dot: `llama.cpp`.
        if name.contains([':', '/', '.']) {
            let mut parts = name.split('/');
            let host = parts.find(|part| !part.is_empty() && !part.ends_with(':'));
            return Err(ModelError::Open(format!(
                "`{name}` is no provider; an address begins with http:// or https://, such as \
                 http://{}/v1",
                host.unwrap_or("HOST")
            )));
        }
        let names: Vec<&str> = all.iter().map(|provider| provider.name.as_str()).collect();
        Err(ModelError::Open(format!(
            "there is no provider `{name}`: expected one of {}",
            names.join(", ")
        )))
    }

    /// Returns the provider at this base URL, by its host, with the URL as its own; `generic` where
    /// the host is nobody's. The URL is one that was checked.
    ///
    /// On a loopback address it needs no key; which server it is cannot be told from there.
    pub(crate) fn for_url(url: &Url) -> Result<Provider, ModelError> {
        let mut all = Provider::all()?;
        let is_below = |path: &String| url.path().starts_with(path.as_str());
        let at = all
            .iter()
            .position(|one| one.owns(url) && one.url_path.as_ref().is_none_or(is_below))
            .or_else(|| all.iter().position(Provider::is_generic))
            .ok_or_else(|| ModelError::Open("no generic provider".into()))?;
        let mut provider = all.swap_remove(at);
        provider.base_url = Some(url.as_str().trim_end_matches('/').to_owned());
        if is_loopback(url) {
            provider.key = KeyNeed::Optional;
        }
        Ok(provider)
    }

    /// Returns how this model is spoken to: the published API, the provider's settings, those of
    /// the model's family, and the user's, each over the one before.
    pub fn dialect(&self, model: &str, user: &Settings) -> Dialect {
        let published = match self.api {
            Api::OpenAi => Dialect::openai(model),
            Api::Anthropic => Dialect::anthropic(model),
            Api::SystemOne => Dialect::systemone(model),
            Api::Decisions => Dialect::decisions(model),
            Api::Reward => Dialect::reward(model),
        };
        let mut dialect = self.settings.apply_to(published);
        let families = self.models.iter().filter_map(|family| {
            let prefixes = family.prefixes.iter();
            let own = prefixes.filter(|prefix| model.starts_with(prefix.as_str()));
            Some((own.map(String::len).max()?, family))
        });
        if let Some((_, family)) = families.max_by_key(|(length, _)| *length) {
            dialect = family.settings.apply_to(dialect);
        }
        user.apply_to(dialect)
    }

    /// Whether the host of this URL is its own.
    pub(crate) fn owns(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or("");
        // A domain such as `.example.com` owns all hosts below it.
        self.hosts
            .iter()
            .any(|own| host == own || own.starts_with('.') && host.ends_with(own))
    }

    /// Whether it stands for addresses that are nobody's here, and its key for whatever the user
    /// names.
    pub(crate) fn is_generic(&self) -> bool {
        self.name == GENERIC
    }

    /// Returns the service at its own place and with its own key, spoken to in the API of another.
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
}

fn read_rows(rows: &str) -> Result<Vec<Provider>, ModelError> {
    let rows: Result<Rows, _> = toml::from_str(rows);
    rows.map(|rows| rows.provider).map_err(|error| {
        ModelError::Open(format!("providers.toml: {}", error.to_string().trim_end()))
    })
}

/// Whether an address is this machine's own.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or("");
    if host == "localhost" || host.ends_with(".localhost") {
        return true;
    }
    // An address of IPv6 stands between brackets in a URL.
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    address.is_ok_and(|address| address.is_loopback())
}
