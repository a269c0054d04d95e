//! A served judge, by name and by the table of a configuration file.

use super::key::{KeySource, begins_like_a_key, is_variable};
use super::provider::{self, Provider};
use crate::ModelError;
use crate::identity::refuse_judge;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// A served judge, as it was named, with everything that was said of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServedSpec {
    /// `openai`, `anthropic`, `systemone`, `decisions` or `reward`: which API is spoken.
    pub api: String,
    /// The model's name at its server.
    pub model: String,
    /// The places after the `@`: base URLs, or the name of a provider.
    pub at: Vec<String>,
    /// Its name in the configuration, if it has one.
    pub name: Option<String>,
    /// The rest.
    pub settings: Settings,
}

/// The settings of a served judge in a configuration file, under `[judges.NAME]`. None: as the
/// provider's row has it, or as the scheduler does it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    /// A provider's name, where the address does not tell it.
    pub provider: Option<String>,
    /// Base URLs of servers that all serve this model.
    pub endpoints: Vec<String>,
    /// The variable of the environment that holds the key.
    pub key_env: Option<String>,
    /// A file that holds the key.
    pub key_file: Option<PathBuf>,
    /// The most requests in flight at one endpoint.
    pub concurrency: Option<usize>,
    /// The most requests in a minute to one endpoint.
    pub requests_per_minute: Option<f64>,
    /// The most tokens in a minute at one endpoint.
    pub tokens_per_minute: Option<f64>,
    /// Seconds until an attempt with no whole reply is given up, however long its replies are.
    pub timeout: Option<f64>,
    /// Seconds for which a reply is waited for in any case, however fast the others are.
    pub least_timeout: Option<f64>,
    /// Seconds until a call with all of its attempts is given up.
    pub call_deadline: Option<f64>,
    /// The most attempts at one call.
    pub attempts: Option<u32>,
    /// Seconds without a reply after which a call is sent to a second endpoint too.
    pub hedge_after: Option<f64>,
    /// Seconds of the longest wait before a call's second attempt; the longest wait doubles with
    /// each attempt after that.
    pub backoff: Option<f64>,
    /// Seconds that the whole run may be paused, because nothing gets through, before it ends.
    pub longest_pause: Option<f64>,
    /// Of a judge that answers with probabilities and no text: the least probability that must lie
    /// on the answers of a question; with less there is no verdict.
    pub least_label_mass: Option<f64>,
    /// Of such a judge: in which order the responses stand in the state.
    pub state_order: StateOrder,
    /// How the model is spoken to, over its provider's row.
    pub dialect: provider::Settings,
}

/// In which order two responses stand in the state of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateOrder {
    /// In one that is drawn for the pair and is the same in both looks, which so share one call.
    #[default]
    Drawn,
    /// In that of the look: both looks are calls of their own.
    AsShown,
}

impl ServedSpec {
    /// Reads what follows `openai:` or `anthropic:` in a judge's name:
    /// `MODEL[@BASE_URL[,BASE_URL...]]` or `MODEL@PROVIDER`.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the model or an address is empty.
    pub fn parse(api: &str, rest: &str) -> Result<ServedSpec, ModelError> {
        // The sign before an address, else the last one that does not begin the text.
        let sign = rest
            .find("@http")
            .or_else(|| rest.rfind('@').filter(|at| *at > 0));
        let (model, at): (&str, Vec<String>) = match sign {
            Some(sign) => {
                let places = rest[sign + 1..].split(',');
                let places = places.map(|place| place.trim().to_string());
                (&rest[..sign], places.collect())
            }
            None => (rest, Vec::new()),
        };
        if model.trim().is_empty() || at.iter().any(String::is_empty) {
            let why = format!("expected {api}:MODEL or {api}:MODEL@BASE_URL");
            return Err(refuse_judge(api, why));
        }
        Ok(ServedSpec {
            api: api.into(),
            model: model.into(),
            at,
            ..ServedSpec::default()
        })
    }

    /// Returns the judge with this identity, as far as an identity tells: enough to read its
    /// replies, not to ask it. One that goes by its name in a configuration is read as its API's
    /// own provider's would be.
    pub(crate) fn from_identity(identity: &str) -> Result<ServedSpec, ModelError> {
        let none = || ModelError::Open(format!("{identity} is not the identity of a served judge"));
        let (name, changes) = identity.split_once(" {").unwrap_or((identity, "}"));
        let dialect = serde_json::from_str(&format!("{{{changes}")).map_err(|_| none())?;
        let (api, rest) = name.split_once(':').ok_or_else(none)?;
        let mut spec = ServedSpec::parse(api, rest)?;
        spec.settings.dialect = dialect;
        // What follows the `@` is its name where it is neither an address nor a provider's name.
        let place = spec.at.first();
        let is_name = |at: &&String| !at.contains("://") && Provider::by_name(at).is_err();
        spec.name = place.filter(is_name).cloned();
        Ok(spec)
    }

    /// Whether it answers questions with probabilities, and writes no text.
    pub fn decides(&self) -> bool {
        matches!(self.api.as_str(), "systemone" | "decisions")
    }

    /// Whether it gives rewards, and writes no text.
    pub fn gives_rewards(&self) -> bool {
        self.api == "reward"
    }

    /// Returns the judge for people, without its address.
    pub fn display_name(&self) -> String {
        format!("{}:{}", self.api, self.model)
    }

    /// Returns what makes its replies its own: the API, the model, where it is served, and the
    /// settings that change a reply. A judge of the configuration with endpoints of its own goes by
    /// its name there, so that endpoints may come and go.
    pub fn identity(&self) -> String {
        let place = match &self.name {
            Some(name) if !self.settings.endpoints.is_empty() => name.clone(),
            _ => self.at.join(","),
        };
        let mut identity = self.display_name();
        if !place.is_empty() {
            identity = format!("{identity}@{place}");
        }
        if self.settings.dialect == provider::Settings::default() {
            return identity;
        }
        // Plain numbers, texts and maps of them can be written. What was not set is left out.
        let dialect = serde_json::to_value(&self.settings.dialect).unwrap_or_default();
        let set = dialect.as_object().into_iter().flatten();
        let set: Map<String, Value> = set
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        format!("{identity} {}", Value::from(set))
    }

    /// Returns what of it says where something is sent or read, beside its API's own provider: an
    /// address or a key; None where nothing does. A file that came with data may not say so by
    /// itself.
    pub fn outside_reach(&self) -> Option<&'static str> {
        let settings = &self.settings;
        if settings.key_env.is_some() {
            Some("key-env")
        } else if settings.key_file.is_some() {
            Some("key-file")
        } else if !settings.endpoints.is_empty() {
            Some("endpoints")
        } else {
            let names_address = self.at.iter().any(|at| at.contains("://"));
            names_address.then_some("an address")
        }
    }

    /// Returns where its key is looked for: as the settings say, else in the provider's variable.
    pub(crate) fn key_source(&self, usual: Option<&str>) -> Option<KeySource> {
        match (&self.settings.key_file, &self.settings.key_env) {
            (Some(file), _) => Some(KeySource::File(file.clone())),
            (None, Some(name)) => Some(KeySource::Environment(name.clone())),
            (None, None) => usual.map(|name| KeySource::Environment(name.into())),
        }
    }
}

impl Settings {
    /// Refuses settings that mean nothing; `judge` is named in errors.
    pub(crate) fn check(&self, judge: &str) -> Result<(), ModelError> {
        for (key, number) in [
            ("requests-per-minute", self.requests_per_minute),
            ("tokens-per-minute", self.tokens_per_minute),
            ("timeout", self.timeout),
            ("least-timeout", self.least_timeout),
            ("call-deadline", self.call_deadline),
            ("hedge-after", self.hedge_after),
            ("backoff", self.backoff),
            ("longest-pause", self.longest_pause),
        ] {
            if let Some(number) = number.filter(|number| !(*number > 0.0 && *number <= 1e9)) {
                let why = format!("{key} is {number}: expected a number above 0");
                return Err(refuse_judge(judge, why));
            }
        }
        if let Some(mass) = self
            .least_label_mass
            .filter(|mass| !(0.0..=1.0).contains(mass))
        {
            let why = format!("least-label-mass is {mass}: expected 0 to 1");
            return Err(refuse_judge(judge, why));
        }
        let attempts = self.attempts.map(|most| most as usize);
        for (key, number, most) in [
            ("concurrency", self.concurrency, 65_536),
            ("attempts", attempts, 100),
        ] {
            if number.is_some_and(|number| !(1..=most).contains(&number)) {
                let why = format!("{key}: expected 1 to {most}");
                return Err(refuse_judge(judge, why));
            }
        }
        if self.key_env.as_ref().is_some_and(|name| !is_variable(name)) {
            return Err(refuse_judge(judge, BAD_KEY_ENV));
        }
        if let Some(field) = self.dialect.extra.as_ref().and_then(find_secret_field) {
            let why = format!(
                "dialect.extra: `{field}` looks like a secret, and its value is written into the \
                 run and its reports; give the key by key-env or key-file"
            );
            return Err(refuse_judge(judge, why));
        }
        if self.key_env.is_some() && self.key_file.is_some() {
            let why = "key-env and key-file: expected one of them";
            return Err(refuse_judge(judge, why));
        }
        Ok(())
    }
}

const BAD_KEY_ENV: &str = "key-env: expected the name of a variable that holds the key; the value \
                           is not one, and is not shown here";

/// Names of fields that hold secrets, as small letters alone.
const SECRETS: [&str; 10] = [
    "apikey",
    "key",
    "xapikey",
    "authorization",
    "auth",
    "bearer",
    "token",
    "credential",
    "credentials",
    "passwd",
];
/// How such names end.
const SECRET_ENDS: [&str; 6] = [
    "apikey",
    "secret",
    "secretkey",
    "password",
    "accesstoken",
    "authtoken",
];

/// Returns the first field, at any depth, that holds a secret by its name or by the look of its
/// value.
fn find_secret_field(extra: &Map<String, Value>) -> Option<&str> {
    extra.iter().find_map(|(name, value)| match value {
        Value::Object(within) => find_secret_field(within),
        Value::Array(values) => values
            .iter()
            .find_map(Value::as_object)
            .and_then(find_secret_field),
        Value::String(text) if is_secret_name(name) || begins_like_a_key(text) => Some(name),
        _ => None,
    })
}

fn is_secret_name(name: &str) -> bool {
    // The letters alone, as small ones: `X-API-Key` and `api_key` are then alike.
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    SECRETS.contains(&name.as_str()) || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether an identity is that of a served judge.
pub fn is_served(identity: &str) -> bool {
    let api = identity.split_once(':').map_or("", |(api, _)| api);
    SERVED_APIS.contains(&api)
}

/// The names of the APIs that served judges speak, as judges are named.
pub const SERVED_APIS: [&str; 5] = ["openai", "anthropic", "systemone", "decisions", "reward"];

/// Returns a number of seconds, from a setting that was checked, as a duration.
pub(crate) fn to_duration(setting: Option<f64>) -> Option<Duration> {
    setting.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(rest: &str) -> ServedSpec {
        ServedSpec::parse("openai", rest).unwrap()
    }

    #[test]
    fn names_of_served_judges() {
        for (rest, model, at) in [
            ("gpt-4o-mini", "gpt-4o-mini", vec![]),
            (
                "m@http://127.0.0.1:1/v1",
                "m",
                vec!["http://127.0.0.1:1/v1"],
            ),
            (
                "a/b@main@https://x/v1,https://y/v1",
                "a/b@main",
                vec!["https://x/v1", "https://y/v1"],
            ),
            ("deepseek-chat@deepseek", "deepseek-chat", vec!["deepseek"]),
            ("@cf/llama", "@cf/llama", vec![]),
        ] {
            let spec = parse(rest);
            assert_eq!(
                (
                    spec.model.as_str(),
                    spec.at.iter().map(String::as_str).collect::<Vec<_>>()
                ),
                (model, at),
                "{rest}"
            );
        }
        for rest in ["", "@https://x", "m@https://x,"] {
            assert!(ServedSpec::parse("openai", rest).is_err(), "{rest}");
        }
    }

    #[test]
    fn identities_hold_what_changes_replies() {
        assert_eq!(parse("m@http://h/v1").identity(), "openai:m@http://h/v1");
        let settings: Settings = toml::from_str(
            "endpoints = ['http://a/v1', 'http://b/v1']\nrequests-per-minute = \
                            5\n[dialect]\nreasoning-tokens = 100\nextra = { top_k = 1 }",
        )
        .unwrap();
        let spec = ServedSpec {
            name: Some("mine".into()),
            settings,
            ..parse("m")
        };
        assert_eq!(
            spec.identity(),
            r#"openai:m@mine {"reasoning-tokens":100,"extra":{"top_k":1}}"#
        );
        let read = ServedSpec::from_identity(&spec.identity()).unwrap();
        assert_eq!(read.model.as_str(), "m");
        assert_eq!(read.settings.dialect, spec.settings.dialect);
        assert!(read.dialect().is_ok(), "its replies can be read");
        assert!(ServedSpec::from_identity("gguf-1").is_err());
    }

    #[test]
    fn secrets_among_the_extra_fields_are_refused_and_not_repeated() {
        for field in [
            "api_key = 'hidden'",
            "Authorization = 'hidden'",
            "headers = { x-api-key = 'hidden' }",
            "list = [{ client_secret = 'hidden' }]",
            "user = 'sk-hidden'",
        ] {
            let settings: Settings = toml::from_str(&format!("[dialect.extra]\n{field}")).unwrap();
            let error = settings.check("openai:m").unwrap_err().to_string();
            assert!(
                error.contains("looks like a secret") && !error.contains("hidden"),
                "{error}"
            );
        }
        let fields = "top_k = 1\nprompt_cache_key = 'evenhand'\nstop_token_ids = [1]\nmin_tokens = \
                      1\nservice_tier = 'flex'";
        let settings: Settings = toml::from_str(&format!("[dialect.extra]\n{fields}")).unwrap();
        assert!(settings.check("openai:m").is_ok());
    }

    #[test]
    fn settings_are_checked() {
        let error = |text: &str| {
            toml::from_str::<Settings>(text)
                .unwrap()
                .check("openai:m")
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error("timeout = 0"),
            "`judge` openai:m: timeout is 0: expected a number above 0"
        );
        assert!(error("concurrency = 0").contains("1 to 65536"));
        assert!(error("attempts = 0").contains("1 to 100"));
        assert!(error("key-env = 'A'\nkey-file = 'b'").contains("one of them"));
        let key = error("key-env = 'sk-very-secret'");
        assert!(
            key.contains("the name of a variable") && !key.contains("very"),
            "{key}"
        );
        assert!(toml::from_str::<Settings>("key = 'sk-1'").is_err());
    }
}
