//! API keys: read from the environment or a file, sent in one header, and shown nowhere.

use crate::ModelError;
use std::fmt;
use std::path::{Path, PathBuf};

/// What stands for a key wherever a text would show it.
const HIDDEN: &str = "[key]";
/// Shorter keys than this are not looked for in texts: they would be found in words.
const SHORTEST: usize = 6;

/// A secret. It cannot be printed.
#[derive(Clone, Default)]
pub struct Key(String);

/// Where a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In this variable of the environment.
    Environment(String),
    /// In this file, alone but for white space.
    File(PathBuf),
}

impl Key {
    /// A key for tests.
    #[cfg(test)]
    pub(crate) fn new(text: &str) -> Key {
        Key(text.into())
    }

    /// Reads the key; `judge` is named in errors.
    pub fn read(source: &KeySource, judge: &str) -> Result<Key, ModelError> {
        match source {
            KeySource::Environment(name) => from_environment(name, judge),
            KeySource::File(path) => from_file(path, judge),
        }
    }

    /// The text, for the one header that it is sent in.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// The text with the key hidden, however it got there.
    pub(crate) fn hide<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        let found = self.written().into_iter().filter(|key| text.contains(key.as_str())).collect::<Vec<_>>();
        if found.is_empty() {
            text.into()
        } else {
            found.iter().fold(text.to_string(), |text, key| text.replace(key, HIDDEN)).into()
        }
    }

    /// The same for what a server sent, before anything is read from it: what is read may be cut within the key.
    pub(crate) fn hide_in(&self, bytes: Vec<u8>) -> Vec<u8> {
        match std::str::from_utf8(&bytes).map(|text| self.hide(text)) {
            Ok(std::borrow::Cow::Owned(hidden)) => hidden.into_bytes(),
            _ => bytes,
        }
    }

    /// The ways in which the key is written, in a text or in JSON; none for one that is too short.
    fn written(&self) -> Vec<String> {
        let all = if self.0.contains(['/', '"', '\\']) {
            let escaped = self.0.replace('\\', "\\\\").replace('"', "\\\"");
            vec![escaped.replace('/', "\\/"), escaped, self.0.clone()]
        } else {
            vec![self.0.clone()]
        };
        all.into_iter().filter(|key| key.len() >= SHORTEST).collect()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

fn from_environment(name: &str, judge: &str) -> Result<Key, ModelError> {
    let text = std::env::var(name).unwrap_or_default();
    let none = || {
        format!("--judge {judge}: no API key; set the environment variable {name}, or name a file by key-file in [judges.NAME]")
    };
    sound(&text).ok_or_else(|| ModelError::Open(none()))
}

fn from_file(path: &Path, judge: &str) -> Result<Key, ModelError> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|e| ModelError::Open(format!("--judge {judge}: key-file {shown} cannot be read: {e}")))?;
    sound(&text).ok_or_else(|| {
        ModelError::Open(format!("--judge {judge}: key-file {shown} holds no key: expected one line of printable characters"))
    })
}

fn sound(text: &str) -> Option<Key> {
    let text = text.trim();
    (!text.is_empty() && text.chars().all(|c| c.is_ascii_graphic())).then(|| Key(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new("sk-very-secret");
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(key.hide("invalid key sk-very-secret given"), "invalid key [key] given");
        assert_eq!(Key::new("").hide("as it is"), "as it is");
        assert_eq!(Key::new("sk/ve\"ry").hide(r#"{"a":"sk\/ve\"ry sk/ve\"ry"}"#), r#"{"a":"[key] [key]"}"#);
        assert_eq!(key.hide_in(b"no: sk-very-secret!".to_vec()), b"no: [key]!");
        assert_eq!(key.hide_in(vec![0xff, b'a']), [0xff, b'a']);
    }

    #[test]
    fn a_file_holds_one_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Key::read(&KeySource::File(path.clone()), "openai:x")
        };
        assert_eq!(read("  abc-123\n").unwrap().expose(), "abc-123");
        for text in ["", " \n", "two words", "two\nlines", "caf\u{e9}"] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("holds no key") && !error.contains("two"), "{error}");
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        let source = KeySource::Environment("EVENHAND_NO_SUCH_KEY".into());
        let error = Key::read(&source, "openai:x").unwrap_err().to_string();
        assert!(error.contains("set the environment variable EVENHAND_NO_SUCH_KEY"), "{error}");
    }
}
