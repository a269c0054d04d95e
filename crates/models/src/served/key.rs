//! API keys: read from the environment or a file, sent in one header, and shown nowhere.

use crate::ModelError;
use crate::identity::refuse_judge;
use evenhand_secrets::{HIDDEN, Secret};
use std::fmt;
use std::path::PathBuf;

/// A secret. It cannot be printed.
#[derive(Clone, Default)]
pub struct Key {
    text: String,
    secret: Secret,
    /// Where it was read, or would be: the name, never the text.
    source: String,
}

/// Where a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// In this variable of the environment.
    Environment(String),
    /// In this file, alone but for white space.
    File(PathBuf),
}

impl KeySource {
    /// Returns its name for people. What does not look like the name of a variable, or looks like a
    /// key, is not repeated.
    pub(crate) fn display_name(&self) -> String {
        match self {
            KeySource::Environment(name) if is_variable(name) && !looks_secret(name) => {
                name.clone()
            }
            KeySource::Environment(_) => "the variable that key-env names".into(),
            KeySource::File(path) if looks_secret(&path.to_string_lossy()) => {
                "the file that key-file names".into()
            }
            KeySource::File(path) => format!("key-file {}", path.display()),
        }
    }
}

/// Whether a text can be the name of a variable: letters, digits and `_`, no digit first.
pub(crate) fn is_variable(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// How keys begin that providers give out.
const BEGINNINGS: [&str; 12] = [
    "sk-", "sk_", "pk-", "xai-", "gsk_", "hf_", "AIza", "AKIA", "ghp_", "glpat-", "Bearer ",
    "bearer ",
];
/// Texts of this length that mix digits and small letters, without a space, a dot or a slash, are
/// no words.
const LONG: usize = 20;

/// Whether a text looks like a key.
pub(crate) fn looks_secret(text: &str) -> bool {
    let is_mixed = || {
        text.contains(|c: char| c.is_ascii_digit())
            && text.contains(|c: char| c.is_ascii_lowercase())
            && !text.contains([' ', '.', '/', '\\', ':'])
    };
    begins_like_a_key(text) || (text.len() >= LONG && is_mixed())
}

/// Whether a text begins as keys do that providers give out.
pub(crate) fn begins_like_a_key(text: &str) -> bool {
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning))
}

impl Key {
    /// Returns a key for tests.
    #[cfg(test)]
    pub(crate) fn new(text: &str) -> Key {
        Key::known(text)
    }

    /// Returns a key that is struck from texts from now on.
    fn known(text: &str) -> Key {
        Key {
            text: text.into(),
            secret: Secret::known(text),
            source: String::new(),
        }
    }

    /// Returns no key, where one would be read from here.
    pub(crate) fn none_in(source: &KeySource) -> Key {
        Key {
            source: source.display_name(),
            ..Key::default()
        }
    }

    /// Says which key was sent, for whoever is refused for it; blank where nobody knows.
    pub(crate) fn describe_sent(&self) -> String {
        match (self.source.as_str(), self.text.is_empty()) {
            ("", _) => String::new(),
            (source, true) => format!("no key was sent; one would be read from {source}"),
            (source, false) => format!("the key that was sent is in {source}"),
        }
    }

    /// Reads the key; `judge` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if the variable or the file holds no key, with what to do about it.
    pub fn load(source: &KeySource, judge: &str) -> Result<Key, ModelError> {
        let shown = source.display_name();
        let with_source = |key: Key| Key {
            source: source.display_name(),
            ..key
        };
        match source {
            KeySource::Environment(name) => {
                let text = std::env::var(name).unwrap_or_default();
                parse_key(&text).map(with_source).ok_or_else(|| {
                    let which = if shown == *name {
                        format!("the environment variable {name}")
                    } else {
                        shown
                    };
                    let why = format!(
                        "no API key; set {which}, or name a file by key-file in [judges.NAME]"
                    );
                    refuse_judge(judge, why)
                })
            }
            KeySource::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|e| refuse_judge(judge, format!("{shown} cannot be read: {e}")))?;
                parse_key(&text).map(with_source).ok_or_else(|| {
                    let why =
                        format!("{shown} holds no key: expected one line of printable characters");
                    refuse_judge(judge, why)
                })
            }
        }
    }

    /// Returns the text, for the one header that it is sent in.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// Returns the text with this and every other known key hidden, however they got there.
    pub(crate) fn hide<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        evenhand_secrets::strike(text)
    }

    /// Returns what a server sent with this key hidden, the one that it was sent. To be done before
    /// anything is read from it: what is read may be cut within a key.
    pub(crate) fn hide_in_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.secret.strike_from(bytes)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

fn parse_key(text: &str) -> Option<Key> {
    let text = text.trim();
    (!text.is_empty() && text.chars().all(|c| c.is_ascii_graphic())).then(|| Key::known(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new("sk-very-secret");
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(
            key.hide("invalid key sk-very-secret given"),
            "invalid key [key] given"
        );
        assert_eq!(Key::new("").hide("as it is"), "as it is");
        assert_eq!(
            Key::new("sk/ve\"ry").hide(r#"{"a":"sk\/ve\"ry sk/ve\"ry"}"#),
            r#"{"a":"[key] [key]"}"#
        );
        assert_eq!(
            key.hide_in_bytes(b"no: sk-very-secret!".to_vec()),
            b"no: [key]!"
        );
        assert_eq!(key.hide_in_bytes(vec![0xff, b'a']), [0xff, b'a']);
    }

    #[test]
    fn a_file_holds_one_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Key::load(&KeySource::File(path.clone()), "openai:x")
        };
        assert_eq!(read("  abc-123\n").unwrap().expose(), "abc-123");
        for text in ["", " \n", "two words", "two\nlines", "caf\u{e9}"] {
            let error = read(text).unwrap_err().to_string();
            assert!(
                error.contains("holds no key") && !error.contains("two"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_key_in_the_place_of_its_name_is_not_repeated() {
        for secret in [
            "sk-abc",
            "sk_live_7",
            "AIzaSyA",
            "0f3a9c1b77e2d4c5a6b8",
            "gsk_x",
            "hf_abcdef",
        ] {
            for source in [
                KeySource::Environment(secret.into()),
                KeySource::File(secret.into()),
            ] {
                let error = Key::load(&source, "openai:x").unwrap_err().to_string();
                assert!(
                    !error.contains(secret) && error.contains("names"),
                    "{error}"
                );
            }
        }
        for name in ["MY_KEY", "my_key", "VLLM_API_KEY", "K2"] {
            assert!(is_variable(name) && !looks_secret(name), "{name}");
        }
        for path in ["secret/key", "/run/secrets/judge-2.key", "key"] {
            assert!(!looks_secret(path), "{path}");
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        let source = KeySource::Environment("EVENHAND_NO_SUCH_KEY".into());
        let error = Key::load(&source, "openai:x").unwrap_err().to_string();
        assert!(
            error.contains("set the environment variable EVENHAND_NO_SUCH_KEY"),
            "{error}"
        );
    }
}
