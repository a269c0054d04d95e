//! From a judge's name and settings to how its server is spoken to.

use super::address::base_url;
use super::codec::{Dialect, check_scores};
use super::http::headers;
use super::key::{Key, KeySource};
use super::key_policy::{KeyPolicy, elsewhere, unencrypted, way};
use super::provider::{KeyNeed, Provider, is_loopback};
use super::schedule::{self, Backoff};
use super::spec::{ServedSpec, seconds};
use crate::identity::refuse_judge;
use crate::{Api, ModelError};
use reqwest::Url;
use reqwest::header::HeaderMap;
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

impl ServedSpec {
    /// Its provider and the base URLs of its servers.
    pub(crate) fn place(&self) -> Result<Service, ModelError> {
        let urls = self.urls();
        let provider = self.provider(urls.first().map(String::as_str))?;
        let usual = provider.base_url.clone().into_iter().collect();
        let urls = if urls.is_empty() { usual } else { urls };
        let addresses = urls
            .iter()
            .map(|url| self.address(&provider, url))
            .collect::<Result<Vec<_>, _>>()?;
        if addresses.is_empty() {
            let shown = self.shown();
            let name = &provider.name;
            let why = format!("{name} has no address of its own; give one: {shown}@BASE_URL");
            return Err(refuse_judge(&shown, why));
        }
        Ok(Service {
            provider,
            addresses,
        })
    }

    /// How the model is spoken to: its provider's row with the settings over it.
    pub(crate) fn dialect(&self) -> Result<Dialect, ModelError> {
        Ok(self
            .provider(self.urls().first().map(String::as_str))?
            .dialect(&self.model, &self.settings.dialect))
    }

    /// Whether its server may read marks of chat templates in a text as tokens: every one but a
    /// provider's own service.
    ///
    /// # Errors
    /// An address or a provider that is none.
    pub fn reads_marks(&self) -> Result<bool, ModelError> {
        let Service {
            provider,
            addresses,
        } = self.place()?;
        Ok(!(provider.marks_are_text && addresses.iter().all(|address| provider.owns(address))))
    }

    /// Refuses a judge whose API gives no likelihood of a text.
    pub fn check_scores(&self) -> Result<(), ModelError> {
        check_scores(&self.dialect()?).map_err(|error| ModelError::Open(error.message))
    }

    /// When and where calls go.
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
            hedge_after: seconds(settings.hedge_after),
            call_deadline: seconds(settings.call_deadline),
            backoff: Backoff {
                base: seconds(settings.backoff).unwrap_or(usual.backoff.base),
                ..usual.backoff
            },
            longest_pause: seconds(settings.longest_pause).or(usual.longest_pause),
            ..usual
        }
    }

    /// How long a reply is waited for: at least, and at most.
    pub(crate) fn waits(&self) -> (Duration, Duration) {
        let or = |setting, usual| seconds(setting).unwrap_or(usual);
        (
            or(self.settings.least_timeout, LEAST_TIMEOUT),
            or(self.settings.timeout, TIMEOUT),
        )
    }

    /// The key, and the headers of every call.
    pub(crate) fn key_and_headers(&self, place: &Service) -> Result<(Key, HeaderMap), ModelError> {
        let (key, provider) = (self.key(place)?, &place.provider);
        let header = key.as_ref().map(|key| {
            (
                provider.key_header.name(),
                provider.key_header.prefix(),
                key,
            )
        });
        let headers = headers(provider.api.headers(), header)?;
        Ok((key.unwrap_or_default(), headers))
    }

    /// The key, where one may go to every address and there is one. A server of one's own may go
    /// without, and so does what is reached without encryption.
    fn key(&self, place: &Service) -> Result<Option<Key>, ModelError> {
        let named = self.settings.key_env.is_some() || self.settings.key_file.is_some();
        let (way, optional) = (
            way(&place.provider, &place.addresses, named),
            place.provider.key == KeyNeed::Optional,
        );
        let Some(source) = self.key_source(Some(&place.provider.key_env)) else {
            return Ok(None);
        };
        let found = Key::read(&source, &self.shown());
        match (way, found) {
            (KeyPolicy::Elsewhere(_), _) if optional => Ok(None),
            (KeyPolicy::Elsewhere(host), _) => Err(self.refuse(&elsewhere(&place.provider, host))),
            (KeyPolicy::Unencrypted(host), Ok(_)) => Err(self.refuse(&unencrypted(&source, host))),
            (KeyPolicy::Unencrypted(_), Err(_)) if !named => Ok(None),
            (KeyPolicy::Safe, Err(_)) if !named && optional => Ok(self.usual_key(&place.addresses)),
            (_, found) => found.map(Some),
        }
    }

    /// The key of the API's own provider, for a server on this machine: another host never gets it.
    fn usual_key(&self, addresses: &[Url]) -> Option<Key> {
        let usual = Provider::by_name(&self.api).ok()?;
        let here = addresses.iter().all(is_loopback);
        here.then(|| Key::read(&KeySource::Environment(usual.key_env), "").ok())
            .flatten()
    }

    fn refuse(&self, why: &str) -> ModelError {
        refuse_judge(&self.shown(), why)
    }

    /// The base URLs that were given.
    fn urls(&self) -> Vec<String> {
        let is_url = |text: &&String| text.contains("://");
        if self.settings.endpoints.is_empty() {
            self.at.iter().filter(is_url).cloned().collect()
        } else {
            self.settings.endpoints.clone()
        }
    }

    fn provider(&self, url: Option<&str>) -> Result<Provider, ModelError> {
        let named = self.settings.provider.as_deref().or(self
            .at
            .first()
            .map(String::as_str)
            .filter(|at| !at.contains("://")));
        let refuse = |error: ModelError| refuse_judge(&self.shown(), error);
        let provider = match (named, url) {
            (Some(name), _) if self.name.as_deref() != Some(name) => {
                Provider::by_name(name).map_err(refuse)?
            }
            (_, Some(url)) => Provider::for_url(&base_url(url, &self.shown())?)?,
            (_, None) => Provider::by_name(&self.api).map_err(refuse)?,
        };
        match self.api == "anthropic" && provider.api != Api::Anthropic {
            true => Ok(provider.speaking_as(Provider::by_name(&self.api)?)),
            false => Ok(provider),
        }
    }

    fn address(&self, provider: &Provider, url: &str) -> Result<Url, ModelError> {
        let mut address = base_url(url, &self.shown())?;
        for (name, value) in &provider.query {
            if address.query_pairs().all(|(there, _)| there != *name) {
                address.query_pairs_mut().append_pair(name, value);
            }
        }
        Ok(address)
    }
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
            let Service { provider, .. } = spec(api, "m@https://h.example/v1", "").place().unwrap();
            assert_eq!(
                (provider.key_env.as_str(), provider.key),
                ("EVENHAND_API_KEY", KeyNeed::Required),
                "{api}"
            );
            assert_eq!(provider.api == Api::Anthropic, api == "anthropic");
        }
        let own = spec("anthropic", "m@openrouter", "")
            .place()
            .unwrap()
            .provider;
        assert_eq!(
            (own.key_env.as_str(), own.key_header.name()),
            ("OPENROUTER_API_KEY", "x-api-key")
        );
    }
}
