//! Foreign words as one line for the user.

/// The most characters of a line.
pub(super) const LONGEST: usize = 300;

/// Returns one line of at most [`LONGEST`] characters, without control characters and without what
/// looks like a key.
pub(super) fn one_line(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .map(|word| if looks_like_key(word) { "[key]" } else { word });
    // A word has a character at least, so that no more of them can be shown.
    let line = words.take(LONGEST).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some(_) => line.chars().take(LONGEST - 1).chain(['…']).collect(),
        None => line,
    }
}

/// The beginnings of well-known keys. Servers quote a wrong key, if masked.
const KEYS: [&str; 7] = ["sk-", "gsk_", "xai-", "fw_", "tgp_", "AIza", "Bearer"];

fn looks_like_key(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| c.is_ascii_punctuation());
    word.len() > 10 && (word.contains("***") || KEYS.iter().any(|key| word.starts_with(key)))
}
