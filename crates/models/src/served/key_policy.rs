//! Where a key may go: to its provider's own hosts and to this machine, and elsewhere only where
//! the user names both together.

use super::key::KeySource;
use super::provider::{Provider, is_loopback};
use evenhand_core::Setting;
use reqwest::Url;

/// Whether a key may go to the addresses of a judge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeyPolicy<'a> {
    /// Every address may have it.
    Safe,
    /// This host is neither the provider's own nor this machine, and the user has not named the key
    /// for it.
    Elsewhere(&'a str),
    /// This host is another machine, and what is sent there can be read on the way.
    Unencrypted(&'a str),
}

impl KeyPolicy<'_> {
    /// Judges the way of a key of this provider to these addresses; `is_named` where the user's own
    /// configuration names the key beside them.
    ///
    /// A generic provider has no hosts of its own: its key is for whatever address the user names.
    pub(crate) fn new<'a>(
        provider: &Provider,
        addresses: &'a [Url],
        is_named: bool,
    ) -> KeyPolicy<'a> {
        let others = || addresses.iter().filter(|url| !is_loopback(url));
        let goes_anywhere = is_named || provider.is_generic();
        let elsewhere = others().find(|url| !goes_anywhere && !provider.owns(url));
        if let Some(url) = elsewhere {
            return KeyPolicy::Elsewhere(host_of(url));
        }
        match others().find(|url| url.scheme() != "https") {
            Some(url) => KeyPolicy::Unencrypted(host_of(url)),
            None => KeyPolicy::Safe,
        }
    }
}

fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

/// Says that a provider's key stays with the provider, and how the user says otherwise.
pub(crate) fn describe_elsewhere(provider: &Provider, host: &str) -> String {
    let Provider { name, key_env, .. } = provider;
    format!(
        "{key_env} is the key of {name}, and {host} is not one of its hosts: it is not sent there; \
         name the key that is meant for {host} \
         by key-env or key-file beside the address, in [judges.NAME] of {}",
        Setting::Config
    )
}

/// Says that a key is not sent in the open.
pub(crate) fn describe_unencrypted(source: &KeySource, host: &str) -> String {
    format!(
        "the key of {} would go to {host} over plain http, where anyone on the way can read it; \
         use https, or a tunnel to \
         this machine, or leave the key out if the server needs none",
        source.display_name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(provider: &str, addresses: &[&str], named: bool) -> String {
        let addresses: Vec<Url> = addresses
            .iter()
            .map(|url| Url::parse(url).unwrap())
            .collect();
        format!(
            "{:?}",
            KeyPolicy::new(&Provider::by_name(provider).unwrap(), &addresses, named)
        )
    }

    #[test]
    fn a_providers_key_goes_to_its_own_hosts_and_to_this_machine() {
        for (provider, url) in [
            ("openai", "https://api.openai.com/v1"),
            ("anthropic", "https://api.anthropic.com"),
            ("azure", "https://me.openai.azure.com/openai/deployments/d"),
            ("openai", "http://127.0.0.1:8000/v1"),
            ("vllm", "http://localhost:8000/v1"),
            ("deepseek", "http://[::1]:1/"),
            ("generic", "https://judge.example.org/v1"),
        ] {
            assert_eq!(told(provider, &[url], false), "Safe", "{provider} {url}");
        }
    }

    #[test]
    fn it_goes_nowhere_else_unless_the_user_names_both() {
        for (provider, url) in [
            ("openai", "https://api.openai.com.example.org/v1"),
            ("anthropic", "https://judge.example.org"),
            ("vllm", "https://10.0.0.1/v1"),
            ("azure", "https://example.org/openai/v1"),
            ("openai", "https://127.0.0.1.example.org/v1"),
        ] {
            assert!(
                told(provider, &[url], false).starts_with("Elsewhere"),
                "{provider} {url}"
            );
            assert!(
                told(provider, &["http://127.0.0.1:1/v1", url], false).starts_with("Elsewhere"),
                "one of a pool"
            );
            assert_eq!(told(provider, &[url], true), "Safe", "{provider} {url}");
        }
    }

    #[test]
    fn no_key_leaves_the_machine_over_plain_http() {
        for (provider, named) in [("generic", false), ("generic", true), ("openai", true)] {
            assert_eq!(
                told(provider, &["http://10.0.0.1:8000/v1"], named),
                "Unencrypted(\"10.0.0.1\")"
            );
        }
        assert_eq!(
            told("openai", &["http://api.openai.com/v1"], false),
            "Unencrypted(\"api.openai.com\")"
        );
    }
}
