//! Which provider, server and model an identity names, and whether a row of the price table is
//! about it.

use evenhand_models::served::SERVED_APIS;

/// Who answers, as far as its price depends on it.
#[derive(Debug, PartialEq)]
pub(super) struct Identity<'a> {
    /// `openai`, `anthropic`, `systemone`, `decisions`, `gguf` or `simulated`.
    pub(super) provider: &'a str,
    /// Host and port, in lower case; None for the provider's own.
    pub(super) host: Option<String>,
    /// The model's name; of a gguf file with its digest and settings.
    pub(super) model: &'a str,
}

impl<'a> Identity<'a> {
    /// Reads `PROVIDER:MODEL[@URL][ {settings}]`.
    pub(super) fn read(identity: &'a str) -> Self {
        let (provider, rest) = identity.split_once(':').unwrap_or((identity, ""));
        if !SERVED_APIS.contains(&provider) {
            return Identity {
                provider,
                host: None,
                model: rest,
            };
        }
        let named = rest.split_once(" {").map_or(rest, |(named, _)| named);
        // A model's name may hold an `@`, but no scheme behind it.
        let marks = ["@https://", "@http://"].into_iter();
        let (model, host) = match marks.filter_map(|mark| named.find(mark)).min() {
            Some(at) => (&named[..at], host_of_url(provider, &named[at + 1..])),
            None => (named, None),
        };
        Identity {
            provider,
            host,
            model,
        }
    }
}

/// Returns host and port of a URL, with or without its scheme; None for the provider's own.
pub(super) fn host_of_url(provider: &str, url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.to_ascii_lowercase();
    // OpenAI's decisions are at the place of its chats.
    let owner = match provider {
        "decisions" => "openai",
        other => other,
    };
    let is_own = host.strip_suffix(":443").unwrap_or(&host) == format!("api.{owner}.com");
    (!is_own).then_some(host)
}

/// Returns how well the model of a row fits a model: None where it does not, else the more the
/// greater.
pub(super) fn model_fit(row: &str, identity: &Identity) -> Option<(usize, u8)> {
    let model = identity.model;
    if let Some(begin) = row.strip_suffix('*') {
        return model.starts_with(begin).then_some((begin.len(), 0));
    }
    match model.strip_prefix(row)? {
        "" => Some((row.len(), 2)),
        rest => is_version(rest, identity.provider).then_some((row.len(), 1)),
    }
}

/// Whether this behind a model's name is one of the same model at the same price: of a file its
/// digest; of a served model a date (`20250929`, `0613` or `2024-08-06`) or `latest`.
fn is_version(rest: &str, provider: &str) -> bool {
    if provider == "gguf" {
        return rest.starts_with(':');
    }
    let Some(snapshot) = rest.strip_prefix('-') else {
        return false;
    };
    let lengths: Vec<usize> = snapshot.split('-').map(str::len).collect();
    let mut bytes = snapshot.bytes();
    let is_date = bytes.all(|byte| byte.is_ascii_digit() || byte == b'-')
        && matches!(lengths[..], [8] | [4] | [4, 2, 2]);
    snapshot == "latest" || is_date
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(provider: &'a str, host: Option<&str>, model: &'a str) -> Identity<'a> {
        Identity {
            provider,
            host: host.map(String::from),
            model,
        }
    }

    #[test]
    fn of_a_served_judge_has_server_and_model() {
        assert_eq!(
            Identity::read("openai:gpt-4o"),
            read("openai", None, "gpt-4o")
        );
        assert_eq!(
            Identity::read("openai:gpt-4o@https://api.openai.com/v1"),
            read("openai", None, "gpt-4o")
        );
        let here = "openai:org/m@v1@http://me@LocalHost:8000/v1 {\"top\":1}";
        assert_eq!(
            Identity::read(here),
            read("openai", Some("localhost:8000"), "org/m@v1")
        );
        assert_eq!(
            Identity::read("anthropic:claude-opus-4-1 {}"),
            read("anthropic", None, "claude-opus-4-1")
        );
    }

    #[test]
    fn of_a_local_judge_is_all_its_name() {
        assert_eq!(
            Identity::read("gguf:a:7b46:ctx8192"),
            read("gguf", None, "a:7b46:ctx8192")
        );
        assert_eq!(Identity::read("simulated"), read("simulated", None, ""));
    }

    #[test]
    fn a_row_fits_its_model_and_its_snapshots() {
        let fits = |row: &str, judge: &str| model_fit(row, &Identity::read(judge));
        assert_eq!(fits("gpt-4", "openai:gpt-4"), Some((5, 2)));
        for snapshot in ["-0613", "-20250514", "-2024-08-06", "-latest"] {
            assert_eq!(
                fits("m", &format!("openai:m{snapshot}")),
                Some((1, 1)),
                "{snapshot}"
            );
        }
        for other in [
            "o",
            "-turbo",
            "-1",
            "-1106-preview",
            "-1-20250805",
            ".1",
            "-",
            "-2024-8-6",
        ] {
            assert_eq!(fits("m", &format!("openai:m{other}")), None, "{other}");
        }
        assert_eq!(fits("m-q8", "gguf:m-q8:7b46:ctx8192"), Some((4, 1)));
        assert_eq!(fits("m", "gguf:m-q8:7b46"), None);
        assert_eq!(fits("m*", "gguf:m-q8:7b46"), Some((1, 0)));
    }
}
