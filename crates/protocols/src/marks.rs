//! Marks of chat templates: texts that a tokenizer reads as one control token wherever they stand.
//!
//! A server that tokenises a prompt with them would end a judge's turn, or open one of the
//! system's, within a response. Broken up by an invisible character behind its first one, a mark
//! reads the same, and is no token of any known family.

use std::borrow::Cow;

/// U+2060, word joiner: takes no room, is kept by every normalisation (NFC to NFKC), and is no
/// white space.
const JOINER: char = '\u{2060}';
/// The characters with which marks begin.
const FIRST: [char; 5] = ['<', '[', ']', '>', '\u{25c1}'];
/// Longer names, in characters, are none.
const LONGEST: usize = 64;

/// Names between `<` and `>`, with or without `/`, in small letters: beginnings and ends of texts,
/// turns and thoughts.
const WORDS: [&str; 29] = [
    "s",
    "bos",
    "eos",
    "pad",
    "unk",
    "mask",
    "cls",
    "sep",
    "eop",
    "sop",
    "eod",
    "eot",
    "eom",
    "eoh",
    "eoa",
    "think",
    "thought",
    "reponame",
    "filename",
    "image",
    "video",
    "audio",
    "img",
    "quad",
    "ref",
    "bot",
    "human",
    "ai",
    "\u{7528}\u{6237}",
];
/// What stands before a number between `<` and `>`, or `[` and `]`.
const NUMBERED: [&str; 8] = [
    "unused",
    "reserved",
    "special",
    "dummy",
    "extra",
    "control",
    "placeholder",
    "sp",
];
/// What stands before a colon between `<` and `>`.
const SPACES: [&str; 4] = ["seed", "minimax", "mask", "longcat"];
/// Names between `[` and `]` (Mistral's, GLM's, BERT's).
const CAPITALS: [&str; 17] = [
    "INST", "IMG", "PREFIX", "MIDDLE", "SUFFIX", "AUDIO", "ARGS", "THINK", "CLS", "SEP", "PAD",
    "UNK", "MASK", "BOS", "EOS", "gMASK", "sMASK",
];
/// Marks that follow no pattern (MiniMax's).
const ODD: [&str; 6] = ["]~b]", "]~!b[", "]!p~[", "]!d~[", "]<]", "[e~["];

/// The text with every mark broken up; as it is where it holds none.
pub fn broken_up(text: &str) -> Cow<'_, str> {
    let mut places = places(text).peekable();
    if places.peek().is_none() {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for (at, first, _) in places {
        let behind = at + first.len_utf8();
        out.push_str(&text[from..behind]);
        out.push(JOINER);
        from = behind;
    }
    out.push_str(&text[from..]);
    out.into()
}

/// The first mark in a text.
pub fn first_mark(text: &str) -> Option<&str> {
    places(text)
        .next()
        .map(|(at, _, length)| &text[at..at + length])
}

/// Where marks begin, with their first character and their length in bytes. They may overlap.
fn places(text: &str) -> impl Iterator<Item = (usize, char, usize)> {
    let found = |(at, first): (usize, &str)| {
        let first = first.chars().next()?;
        length(first, &text[at..]).map(|length| (at, first, length))
    };
    text.match_indices(FIRST).filter_map(found)
}

/// The length of the mark that a text begins with.
fn length(first: char, text: &str) -> Option<usize> {
    let behind = &text[first.len_utf8()..];
    let inner = match first {
        '<' => angled(behind),
        '[' => squared(behind),
        '>' => questioned(behind),
        '\u{25c1}' => closed(behind, &["\u{25b7}"]),
        _ => None,
    };
    let odd = || {
        ODD.iter()
            .find(|odd| text.starts_with(**odd))
            .map(|odd| odd.len())
    };
    inner.map(|length| first.len_utf8() + length).or_else(odd)
}

/// Behind `<`: `|name|>` and its kin, `name|>`, `<SYS>>`, `word>`, `two_words>`, `unused9>`,
/// `seed:bos>`.
fn angled(behind: &str) -> Option<usize> {
    let bar = |text: &str| text.strip_prefix(['|', '\u{ff5c}']).map(str::len);
    if let Some(rest) = bar(behind).map(|rest| &behind[behind.len() - rest..]) {
        return closed(rest, &["|>", "\u{ff5c}>", ">"])
            .map(|length| behind.len() - rest.len() + length);
    }
    if let Some(rest) = behind.strip_prefix('<') {
        let capitals = |name: &str| {
            name.trim_start_matches('/')
                .chars()
                .all(|c| c.is_ascii_uppercase())
        };
        return named(rest, ">>")
            .filter(|name| capitals(name))
            .map(|name| name.len() + 3);
    }
    let barred = ["|>", "\u{ff5c}>"]
        .iter()
        .find_map(|end| named(behind, end).map(|name| name.len() + end.len()));
    barred.or_else(|| {
        named(behind, ">")
            .filter(|name| is_word(name))
            .map(|name| name.len() + 1)
    })
}

/// Behind `[`: `|name|]`, `/WORD]`, `TWO_WORDS]`, `INST]`, `unused9]`.
fn squared(behind: &str) -> Option<usize> {
    if let Some(rest) = behind.strip_prefix('|') {
        return closed(rest, &["|]"]).map(|length| 1 + length);
    }
    let capital = |name: &str| {
        let bare = name.strip_prefix('/').unwrap_or(name);
        let capitals = bare.len() > 1
            && bare
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let lettered = bare.starts_with(|c: char| c.is_ascii_uppercase());
        CAPITALS.contains(&bare)
            || is_numbered(bare)
            || (capitals && lettered && (bare != name || bare.contains('_')))
    };
    named(behind, "]")
        .filter(|name| capital(name))
        .map(|name| name.len() + 1)
}

/// Behind `>`: `>QUESTION<<` (Falcon's).
fn questioned(behind: &str) -> Option<usize> {
    let name = named(behind.strip_prefix('>')?, "<<")?;
    name.chars()
        .all(|c| c.is_ascii_uppercase() || c == '_')
        .then_some(name.len() + 3)
}

fn is_word(name: &str) -> bool {
    let bare = name.strip_prefix('/').unwrap_or(name);
    let spaced = bare
        .split_once(':')
        .is_some_and(|(space, _)| SPACES.contains(&space));
    let joined = bare.contains('_') && !bare.contains(':') && bare.contains(char::is_alphabetic);
    joined || spaced || is_numbered(bare) || WORDS.contains(&bare.to_lowercase().as_str())
}

fn is_numbered(name: &str) -> bool {
    let word = name
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .to_ascii_lowercase();
    word.len() < name.len() && NUMBERED.contains(&word.trim_end_matches('_'))
}

/// The length of a name and of the one of these ends that follows it.
fn closed(text: &str, ends: &[&str]) -> Option<usize> {
    ends.iter()
        .find_map(|end| named(text, end).map(|name| name.len() + end.len()))
}

/// The name that a text begins with, if this end follows it at once.
fn named<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./:+*\"\u{2581}".contains(c);
    let length = text
        .char_indices()
        .find(|(_, c)| !is_part(*c))
        .map(|(at, _)| at)?;
    let name = &text[..length];
    (length > 0 && name.chars().count() <= LONGEST && text[length..].starts_with(end))
        .then_some(name)
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
