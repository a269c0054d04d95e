//! Addresses of servers, checked before anything is sent.

use crate::ModelError;
use crate::identity::refuse_judge;
use reqwest::Url;

/// The part of a query that an address may carry.
const VERSION: &str = "api-version";

/// Reads a base URL such as `https://api.openai.com/v1`; `judge` is named in errors. Credentials in
/// it are refused.
pub(crate) fn base_url(text: &str, judge: &str) -> Result<Url, ModelError> {
    let mut url = Url::parse(text.trim()).map_err(|e| {
        let why = format!("the base URL is not one ({e}); expected http:// or https://");
        refuse_judge(judge, why)
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse_judge(judge, CREDENTIALS));
    }
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(refuse_judge(judge, NO_WEB_ADDRESS));
    }
    // Behind its path it has no more than a version: that is where keys are put by mistake.
    if url.query_pairs().any(|(name, _)| name != VERSION) || url.fragment().is_some() {
        return Err(refuse_judge(judge, OTHER_QUERY));
    }
    let path = url.path().trim_end_matches('/').to_string();
    url.set_path(&path);
    Ok(url)
}

const CREDENTIALS: &str = "the base URL holds credentials; give the key by the environment, and \
                           the URL without it";
const NO_WEB_ADDRESS: &str = "the base URL begins with neither http:// nor https://";
const OTHER_QUERY: &str = "the base URL may carry no query but api-version: a key given so would \
                           be written down";

/// Returns a base URL for people: without whatever could be a secret in it.
pub(crate) fn shown_address(base: &Url) -> String {
    let mut url = base.clone();
    // Only an address without a host has no place for them.
    _ = url.set_username("");
    _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}

/// Returns the address of a call below a base URL.
pub(crate) fn call_url(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let base = base.path().trim_end_matches('/');
    // Whether the version belongs to the base is not the same for all: it is said once.
    let is_root = path.starts_with("/v1/") || matches!(path, "/classify" | "/pooling" | "/rerank");
    let base = if is_root {
        base.strip_suffix("/v1").unwrap_or(base)
    } else {
        base
    };
    url.set_path(&format!("{base}{path}"));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        base_url(text, "openai:m").unwrap_err().to_string()
    }

    #[test]
    fn addresses_of_calls() {
        let call =
            |text: &str| call_url(&base_url(text, "j").unwrap(), "/chat/completions").to_string();
        assert_eq!(
            call("http://127.0.0.1:8000/v1"),
            "http://127.0.0.1:8000/v1/chat/completions"
        );
        assert_eq!(
            call("http://127.0.0.1:8000/v1/"),
            "http://127.0.0.1:8000/v1/chat/completions"
        );
        assert_eq!(
            call("https://x.example"),
            "https://x.example/chat/completions"
        );
        let messages =
            |text: &str| call_url(&base_url(text, "j").unwrap(), "/v1/messages").to_string();
        assert_eq!(
            messages("http://h.example/v1"),
            "http://h.example/v1/messages"
        );
        assert_eq!(messages("http://h.example"), "http://h.example/v1/messages");
        assert_eq!(
            call("https://x.example/a?api-version=2024-10-21"),
            "https://x.example/a/chat/completions?api-version=2024-10-21"
        );
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        let url = Url::parse("http://me:word@h.example:8000/v1/?key=abc#def").unwrap();
        assert_eq!(shown_address(&url), "http://h.example:8000/v1");
        let url = Url::parse("http://127.0.0.1:7999").unwrap();
        assert_eq!(shown_address(&url), "http://127.0.0.1:7999");
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        for text in [
            "https://me:secret@x.example/v1",
            "https://secret@x.example",
            "https://x.example/v1?key=secret",
            "https://x.example/#secret",
        ] {
            let error = error(text);
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(error("ftp://x.example").contains("http://"));
        assert!(error("localhost:80").contains("http"));
        assert!(error("").contains("not one"));
    }
}
