//! From a judge's name and settings to how its server is spoken to.

use super::address::base_url;
use super::codec::{Dialect, check_scores};
use super::http::make_headers;
use super::key::{Key, KeySource};
use super::key_policy::{KeyPolicy, describe_elsewhere, describe_unencrypted};
use super::provider::{KeyNeed, Provider, is_loopback};
use super::schedule::{self, Backoff};
use super::spec::{ServedSpec, to_duration};
use super::timeouts::WaitBounds;
use crate::identity::refuse_judge;
use crate::{Api, ModelError};
use reqwest::Url;
use reqwest::header::HeaderMap;
use std::fmt::Display;
use std::time::Duration;

/// How long an attempt may take, where nothing else is said: a long reasoning of a busy server.
const TIMEOUT: Duration = Duration::from_secs(600);
/// How long a reply is waited for in any case: a server may pause for a while.
const LEAST_TIMEOUT: Duration = Duration::from_secs(30);

/// Where a judge is served, and by whom.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) provider: Provider,
    pub(crate) addresses: Vec<Url>,
}

/// How far a judge's server holds replies to a JSON schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Whether it does; None where a probe is to say so.
    pub holds: Option<bool>,
    /// Whether it gives the probabilities of answers.
    pub measures: bool,
}

impl ServedSpec {
    /// Finds its provider and the base URLs of its servers.
    pub(crate) fn find_service(&self) -> Result<Service, ModelError> {
        let provider = self.find_provider()?;
        let mut urls = self.given_urls();
        if urls.is_empty() {
            let Some(own) = &provider.base_url else {
                let shown = self.display_name();
                let name = &provider.name;
                return Err(self.refuse(format!(
                    "{name} has no default address; give one: {shown}@BASE_URL"
                )));
            };
            urls.push(own.clone());
        }
        let mut addresses = Vec::with_capacity(urls.len());
        for url in urls {
            let mut address = base_url(&url, &self.display_name())?;
            for (name, value) in &provider.query {
                // Unless the user gave it a value.
                if address.query_pairs().all(|(there, _)| there != *name) {
                    address.query_pairs_mut().append_pair(name, value);
                }
            }
            addresses.push(address);
        }
        Ok(Service {
            provider,
            addresses,
        })
    }

    /// Returns how the model is spoken to: its provider's row with the settings over it.
    pub(crate) fn dialect(&self) -> Result<Dialect, ModelError> {
        let provider = self.find_provider()?;
        Ok(provider.dialect(&self.model, &self.settings.dialect))
    }

    /// Whether its server may read marks of chat templates in a text as tokens: every one but a
    /// provider's own service.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if an address cannot be read or the provider is unknown.
    pub fn reads_marks(&self) -> Result<bool, ModelError> {
        let Service {
            provider,
            addresses,
        } = self.find_service()?;
        Ok(!(provider.marks_are_text && addresses.iter().all(|address| provider.owns(address))))
    }

    /// Returns how far its server holds replies to a JSON schema, as far as that is known before it
    /// is asked.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the provider is unknown.
    pub fn holding(&self) -> Result<Holding, ModelError> {
        let dialect = self.dialect()?;
        Ok(Holding {
            holds: dialect.json_schema,
            measures: dialect.logprobs,
        })
    }

    /// Refuses a judge whose API gives no likelihood of a text.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] with what to do instead, or if the provider is unknown.
    pub fn check_scores(&self) -> Result<(), ModelError> {
        check_scores(&self.dialect()?).map_err(|error| ModelError::Open(error.message))
    }

    /// Returns when and where calls go.
    pub(crate) fn schedule(&self) -> schedule::Settings {
        let usual = schedule::Settings::default();
        let settings = &self.settings;
        let most = settings.concurrency.map_or(usual.most, |most| most as u32);
        schedule::Settings {
            start: usual.start.min(most),
            most,
            requests_per_minute: settings.requests_per_minute,
            tokens_per_minute: settings.tokens_per_minute,
            attempts: settings.attempts.unwrap_or(usual.attempts),
            attempts_by_chance: settings.attempts.unwrap_or(usual.attempts_by_chance),
            hedge_after: to_duration(settings.hedge_after),
            call_deadline: to_duration(settings.call_deadline),
            backoff: Backoff {
                base: to_duration(settings.backoff).unwrap_or(usual.backoff.base),
                ..usual.backoff
            },
            longest_pause: to_duration(settings.longest_pause).or(usual.longest_pause),
            // Who says how long to wait means a server that starts, too.
            longest_start: to_duration(settings.longest_pause).or(usual.longest_start),
            ..usual
        }
    }

    /// Returns how long a reply is waited for.
    pub(crate) fn wait_bounds(&self) -> WaitBounds {
        WaitBounds {
            least: to_duration(self.settings.least_timeout).unwrap_or(LEAST_TIMEOUT),
            longest: to_duration(self.settings.timeout).unwrap_or(TIMEOUT),
            watches_hangs: self.settings.least_timeout.is_none(),
        }
    }

    /// Returns the key, and the headers of every call.
    pub(crate) fn key_and_headers(
        &self,
        service: &Service,
    ) -> Result<(Key, HeaderMap), ModelError> {
        let key = self.load_key(service)?;
        let headers = make_headers(&service.provider, key.as_ref())?;
        // Whoever is refused without a key is told where one would be read.
        let none = || {
            let source = self.key_source(Some(&service.provider.key_env));
            source.as_ref().map(Key::none_in).unwrap_or_default()
        };
        Ok((key.unwrap_or_else(none), headers))
    }

    /// Loads the key, where one may go to every address and there is one. A server of one's own may
    /// go without, and so does what is reached without encryption.
    fn load_key(&self, service: &Service) -> Result<Option<Key>, ModelError> {
        let provider = &service.provider;
        let Some(source) = self.key_source(Some(&provider.key_env)) else {
            return Ok(None);
        };
        // The user's own configuration names it.
        let is_named = self.settings.key_env.is_some() || self.settings.key_file.is_some();
        let is_optional = provider.key == KeyNeed::Optional;
        let found = Key::load(&source, &self.display_name());
        let policy = KeyPolicy::new(provider, &service.addresses, is_named);
        match (policy, found) {
            (KeyPolicy::Elsewhere(_), _) if is_optional => Ok(None),
            (KeyPolicy::Elsewhere(host), _) => Err(self.refuse(describe_elsewhere(provider, host))),
            (KeyPolicy::Unencrypted(host), Ok(_)) => {
                Err(self.refuse(describe_unencrypted(&source, host)))
            }
            (KeyPolicy::Unencrypted(_), Err(_)) if !is_named => Ok(None),
            (KeyPolicy::Safe, Err(_)) if !is_named && is_optional => {
                // The key of the API's own provider serves for a server on this machine: another
                // host never gets it.
                if !service.addresses.iter().all(is_loopback) {
                    return Ok(None);
                }
                let Ok(usual) = Provider::by_name(&self.api) else {
                    return Ok(None);
                };
                Ok(Key::load(&KeySource::Environment(usual.key_env), "").ok())
            }
            (_, found) => found.map(Some),
        }
    }

    fn refuse(&self, why: impl Display) -> ModelError {
        refuse_judge(&self.display_name(), why)
    }

    fn provider_by_name(&self, name: &str) -> Result<Provider, ModelError> {
        Provider::by_name(name).map_err(|error| self.refuse(error))
    }

    /// Returns the base URLs that were given.
    fn given_urls(&self) -> Vec<String> {
        if !self.settings.endpoints.is_empty() {
            return self.settings.endpoints.clone();
        }
        self.at.iter().filter(|at| is_url(at)).cloned().collect()
    }

    /// Finds the provider that is named, else the one at the first address, else the API's own.
    fn find_provider(&self) -> Result<Provider, ModelError> {
        let place = self.at.first().map(String::as_str);
        let named = self.settings.provider.as_deref();
        let named = named.or(place.filter(|place| !is_url(place)));
        // A judge of the configuration may go by its own name, which names no provider.
        let named = named.filter(|name| self.name.as_deref() != Some(*name));
        let provider = match (named, self.given_urls().first()) {
            (Some(name), _) => self.provider_by_name(name)?,
            (None, Some(url)) => Provider::for_url(&base_url(url, &self.display_name())?)?,
            (None, None) => self.provider_by_name(&self.api)?,
        };
        let spoken = match self.api.as_str() {
            "anthropic" => Api::Anthropic,
            "systemone" => Api::SystemOne,
            "decisions" => Api::Decisions,
            "reward" => Api::Reward,
            // The providers that speak no other are named by their rows.
            _ if !provider.api.writes() => {
                let (name, model) = (&provider.name, &self.model);
                return Err(self.refuse(format!("name the judge {name}:{model}")));
            }
            _ => return Ok(provider),
        };
        if provider.api == spoken {
            return Ok(provider);
        }
        Ok(provider.speaking_as(Provider::by_name(&self.api)?))
    }
}

fn is_url(text: &str) -> bool {
    text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::served::Settings;

    fn spec(api: &str, rest: &str, settings: &str) -> ServedSpec {
        let (settings, name): (Settings, _) = (
            toml::from_str(settings).unwrap(),
            (!settings.is_empty()).then(|| "mine".into()),
        );
        ServedSpec {
            settings,
            name,
            ..ServedSpec::parse(api, rest).unwrap()
        }
    }

    #[test]
    fn all_but_providers_own_services_may_read_marks() {
        for (api, rest, settings, expected) in [
            ("openai", "m", "", false),
            ("anthropic", "m", "", false),
            ("openai", "m@https://api.openai.com/v1", "", false),
            ("openai", "m@gemini", "", false),
            ("openai", "m@http://127.0.0.1:8000/v1", "", true),
            ("openai", "m@https://h.example/v1", "", true),
            ("anthropic", "m@https://h.example", "", true),
            ("openai", "m@together", "", true),
            ("openai", "qwen", "provider = 'vllm'", true),
            ("openai", "m", "endpoints = ['http://10.0.0.1/v1']", true),
            (
                "openai",
                "m",
                "provider = 'openai'\nendpoints = ['http://127.0.0.1:1/v1']",
                true,
            ),
            ("openai", "m", "provider = 'openai'\nconcurrency = 4", false),
        ] {
            assert_eq!(
                spec(api, rest, settings).reads_marks().unwrap(),
                expected,
                "{api}:{rest} {settings}"
            );
        }
    }

    #[test]
    fn both_apis_ask_for_the_same_key_elsewhere() {
        for api in ["openai", "anthropic"] {
            let Service { provider, .. } = spec(api, "m@https://h.example/v1", "")
                .find_service()
                .unwrap();
            assert_eq!(
                (provider.key_env.as_str(), provider.key),
                ("EVENHAND_API_KEY", KeyNeed::Required),
                "{api}"
            );
            assert_eq!(provider.api == Api::Anthropic, api == "anthropic");
        }
        let own = spec("anthropic", "m@openrouter", "")
            .find_service()
            .unwrap()
            .provider;
        assert_eq!(own.key_env.as_str(), "OPENROUTER_API_KEY");
        assert_eq!(own.key_header.name(), "x-api-key");
    }
}
