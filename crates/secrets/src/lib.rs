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

/// The variables that name a file of keys.
const FILES: [&str; 4] = [
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
            // The file is read where it is used; here only to know what not to show.
            let text = std::fs::read_to_string(value).unwrap_or_default();
            add_file(&mut all, &text);
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
        || ["HF_TOKEN", "PGPASSWORD", "EVENHAND_STORE_KEY"].contains(&name)
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
    let mut struck = Cow::Borrowed(text);
    for spelling in all.iter() {
        if struck.contains(spelling.as_str()) {
            struck = Cow::Owned(struck.replace(spelling.as_str(), HIDDEN));
        }
    }
    struck
}

/// Returns what a server sent without the known secrets, whether it is UTF-8 or not. Bytes that
/// hold none are returned as they are.
pub fn strike_bytes(bytes: Vec<u8>) -> Vec<u8> {
    match strike(&String::from_utf8_lossy(&bytes)) {
        Cow::Owned(struck) => struck.into_bytes(),
        Cow::Borrowed(_) => bytes,
    }
}

/// Adds a secret in every way in which a text may show it: as it is, in JSON, in an address, in
/// XML; and the secret parts of an address's query or of a connection string by themselves.
fn add(all: &mut Vec<String>, secret: &str) {
    let secret = secret.trim();
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
        know("very/Secret+\"1&2");
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
            assert_eq!(strike_bytes(bytes), "\u{fffd}[key]".as_bytes());
        }
        assert_eq!(strike_bytes(vec![0xff, b'a']), [0xff, b'a']);
        assert!(matches!(strike("as it is"), Cow::Borrowed("as it is")));
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
