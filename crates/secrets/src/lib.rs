//! The secrets that this process knows, and texts without them.
//!
//! A server may repeat what it was sent: in an error, in a reply, in a log that it hands on. So no
//! text of a server is shown or written before [`strike`] has been over it. Secrets are those that
//! the environment names (`*_API_KEY`, and those of `AWS_*`, `AZURE_*`, `GOOGLE_*`, `HF_TOKEN`,
//! `PGPASSWORD`), and those that were read elsewhere, of which [`know`] is told.

use std::borrow::Cow;
use std::sync::{LazyLock, PoisonError, RwLock};

/// The word that stands for a secret wherever a text would show it.
pub const HIDDEN: &str = "[key]";

/// Shorter secrets than this are not looked for in texts: they would be found in words.
const SHORTEST: usize = 6;

/// The shortest run of letters in a file of keys that is taken for one.
const SHORTEST_IN_FILE: usize = 24;

/// The most bytes of a file of keys.
const LONGEST_FILE: u64 = 1 << 20;

/// The variables that name a file of keys.
const FILES: [&str; 5] = [
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_FEDERATED_TOKEN_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
];

/// Every way in which the secrets are written, the longest first.
static SPELLINGS: LazyLock<RwLock<Vec<String>>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (name, value) in std::env::vars_os() {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
            continue;
        };
        if FILES.contains(&name) {
            // The file is read where it is used; here only to know what not to show. What is no
            // file of keys is not waited for.
            let is_file = std::fs::metadata(value)
                .is_ok_and(|file| file.is_file() && file.len() <= LONGEST_FILE);
            if is_file {
                add_file(
                    &mut all,
                    &std::fs::read_to_string(value).unwrap_or_default(),
                );
            }
        } else if is_secret(name) {
            add(&mut all, value);
            add_file(&mut all, value);
        }
    }
    RwLock::new(all)
});

/// Whether a variable of the environment with this name holds a secret.
pub fn is_secret(name: &str) -> bool {
    let of_storage = ["AWS_", "AZURE_", "GOOGLE_"]
        .iter()
        .any(|begin| name.starts_with(begin));
    let endings = [
        "_KEY",
        "_TOKEN",
        "_SECRET",
        "_PASSWORD",
        "_CONNECTION_STRING",
    ];
    name.ends_with("_API_KEY")
        || [
            "HF_TOKEN",
            "HUGGING_FACE_HUB_TOKEN",
            "PGPASSWORD",
            "EVENHAND_STORE_KEY",
        ]
        .contains(&name)
        || (of_storage && endings.iter().any(|end| name.ends_with(end)))
}

/// Tells of a secret: from now on it is struck from texts.
pub fn know(secret: &str) {
    let mut all = SPELLINGS.write().unwrap_or_else(PoisonError::into_inner);
    add(&mut all, secret);
}

/// Returns a text with every known secret replaced by [`HIDDEN`], in whichever spelling it is
/// there. To be done before the text is cut or read: what is read may be cut within a secret.
pub fn strike(text: &str) -> Cow<'_, str> {
    let all = SPELLINGS.read().unwrap_or_else(PoisonError::into_inner);
    strike_all(&all, text)
}

/// One secret in every way in which it is written. What a server sent is read without the secret
/// that it was sent, and with those of others, which it cannot know and which may be ordinary words
/// of its replies.
#[derive(Clone, Default)]
pub struct Secret(Vec<String>);

impl Secret {
    /// Tells of a secret, as [`know`] does.
    pub fn known(secret: &str) -> Secret {
        know(secret);
        let mut spellings = Vec::new();
        add(&mut spellings, secret);
        Secret(spellings)
    }

    /// Returns what a server sent without this secret, whether it is UTF-8 or not. Bytes that do
    /// not hold it are returned as they are.
    pub fn strike_from(&self, bytes: Vec<u8>) -> Vec<u8> {
        match strike_all(&self.0, &String::from_utf8_lossy(&bytes)) {
            Cow::Owned(struck) => struck.into_bytes(),
            Cow::Borrowed(_) => bytes,
        }
    }
}

fn strike_all<'a>(spellings: &[String], text: &'a str) -> Cow<'a, str> {
    let mut struck = Cow::Borrowed(text);
    for spelling in spellings {
        if struck.contains(spelling.as_str()) {
            struck = Cow::Owned(struck.replace(spelling.as_str(), HIDDEN));
        }
    }
    struck
}

/// Adds a secret in every way in which a text may show it: as it is, in JSON, in an address, in
/// XML; and the secret parts of an address's query or of a connection string by themselves.
fn add(all: &mut Vec<String>, secret: &str) {
    let secret = secret.trim();
    if is_ordinary(secret) {
        return;
    }
    let mut secrets = vec![secret.to_string()];
    for part in secret.trim_start_matches('?').split(['&', ';']) {
        let value = ["sig=", "AccountKey=", "SharedAccessSignature="]
            .iter()
            .find_map(|name| part.strip_prefix(name));
        if let Some(value) = value {
            secrets.extend([value.to_string(), without_percents(value)]);
        }
    }
    for secret in secrets {
        // A slash may be escaped in JSON or not.
        let json = secret.replace('\\', "\\\\").replace('"', "\\\"");
        let percents = |digits: fn(String) -> String| -> String {
            secret
                .bytes()
                .map(|byte| in_address(byte, digits))
                .collect()
        };
        let xml = secret.replace('&', "&amp;").replace('<', "&lt;");
        let xml = xml.replace('>', "&gt;");
        let spellings = [
            json.replace('/', "\\/"),
            json,
            percents(|digits| digits.to_ascii_lowercase()),
            percents(|digits| digits),
            xml.replace('"', "&quot;").replace('\'', "&apos;"),
            xml,
            secret,
        ];
        for spelling in spellings {
            if spelling.len() >= SHORTEST && !all.contains(&spelling) {
                all.push(spelling);
            }
        }
    }
    // A secret may be a part of another.
    all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
}

/// Whether a text is a short word or number, as are put where a server wants some key and looks at
/// none (`ollama`, `minioadmin`, `123456`): struck from messages, it would spoil them.
fn is_ordinary(secret: &str) -> bool {
    let is_word = secret
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || letter == '-');
    let is_number = secret.chars().all(|digit| digit.is_ascii_digit());
    secret.len() <= 12 && is_word || secret.len() <= 8 && is_number
}

/// Adds the long words of a file of keys: the lines of a private key, tokens.
fn add_file(all: &mut Vec<String>, text: &str) {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || "+/=_-".contains(letter);
    let text = text.replace("\\n", "\n");
    for word in text.split(|letter: char| !is_of_word(letter)) {
        if word.len() >= SHORTEST_IN_FILE && word.contains(|c: char| c.is_ascii_digit()) {
            add(all, word);
        }
    }
}

/// Returns a byte as an address has it; `digits` spells those behind a percent sign.
fn in_address(byte: u8, digits: fn(String) -> String) -> String {
    match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        true => char::from(byte).to_string(),
        false => digits(format!("%{byte:02X}")),
    }
}

/// Returns a text without the percent signs of an address.
fn without_percents(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => bytes.extend(format!("%{part}").bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_struck_in_every_spelling() {
        let secret = Secret::known("very/Secret+\"1&2");
        for spelling in [
            "very/Secret+\"1&2",
            r#"very/Secret+\"1&2"#,
            r#"very\/Secret+\"1&2"#,
            "very%2FSecret%2B%221%262",
            "very%2fSecret%2b%221%262",
            "very/Secret+\"1&amp;2",
            "very/Secret+&quot;1&amp;2",
        ] {
            assert_eq!(strike(&format!("no {spelling}!")), "no [key]!");
            let mut bytes = vec![0xff];
            bytes.extend(spelling.bytes());
            assert_eq!(secret.strike_from(bytes), "\u{fffd}[key]".as_bytes());
        }
        assert_eq!(secret.strike_from(vec![0xff, b'a']), [0xff, b'a']);
        assert!(matches!(strike("as it is"), Cow::Borrowed("as it is")));
    }

    /// A reply is read as it came, whatever other secrets there are: a password may be a word or a
    /// number in it.
    #[test]
    fn a_reply_is_read_without_the_secret_of_its_own_judge_alone() {
        let own = Secret::known("sk-own-0123456789");
        know("choices2");
        know("0.0123456");
        let reply = br#"{"choices2": [{"logprob": -0.0123456}], "text": "sk-own-0123456789"}"#;
        let struck = own.strike_from(reply.to_vec());
        let expected = br#"{"choices2": [{"logprob": -0.0123456}], "text": "[key]"}"#;
        assert_eq!(struck, expected);
    }

    #[test]
    fn keys_that_are_put_where_none_is_looked_at_spoil_no_message() {
        for word in ["ollama", "lm-studio", "minioadmin", "postgres", "123456"] {
            know(word);
            assert_eq!(strike(word), word);
        }
        know("hunter2-hunter2");
        assert_eq!(strike("hunter2-hunter2"), HIDDEN);
    }

    #[test]
    fn a_secret_within_another_leaves_no_rest() {
        know("shorter-secret");
        know("shorter-secret-and-longer");
        assert_eq!(strike("a shorter-secret-and-longer b"), "a [key] b");
        // Too short to be told from a word.
        know("word");
        know("");
        assert_eq!(strike("a word"), "a word");
    }

    #[test]
    fn parts_of_an_access_signature_are_secrets() {
        know("?sv=2024-01-01&sp=rl&sig=ab%2Bcd%3D%3D99");
        for text in ["sig=ab%2Bcd%3D%3D99&sp=rl", "sig ab+cd==99"] {
            assert!(strike(text).contains(HIDDEN), "{text}");
        }
        know("DefaultEndpointsProtocol=https;AccountName=x;AccountKey=q1/w2e3r4==");
        assert_eq!(strike("AccountName=x, q1/w2e3r4=="), "AccountName=x, [key]");
    }

    #[test]
    fn a_file_of_keys_holds_them_in_its_long_words() {
        let mut all = Vec::new();
        add_file(
            &mut all,
            r#"{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nend",
                "token_uri": "https://oauth2.example.com/token"}"#,
        );
        assert_eq!(all, ["MIIEvQIBADANBgkqhkiG9w0BAQ"]);
    }

    #[test]
    fn names_tell_which_variables_are_secret() {
        for name in [
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AZURE_STORAGE_SAS_TOKEN",
            "AZURE_STORAGE_ACCOUNT_KEY",
            "AZURE_CLIENT_SECRET",
            "GOOGLE_SERVICE_ACCOUNT_KEY",
            "HF_TOKEN",
            "PGPASSWORD",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "AWS_ACCESS_KEY_ID",
            "AWS_REGION",
            "HOME",
            "MONKEY",
            "SORT_KEY",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
