//! Marks of chat templates: texts that a tokenizer reads as one control token wherever they stand.
//!
//! A server that tokenises a prompt with them would end a judge's turn, or open one of the
//! system's, within a response. Broken up by an invisible character behind its first one, a mark
//! reads the same, and is no token of any known family.

use std::borrow::Cow;

/// U+2060, word joiner: takes no room, is kept by every normalisation (NFC to NFKC), and is no
/// white space.
const JOINER: char = '\u{2060}';
/// The most characters of a mark's name.
const LONGEST: usize = 64;

/// Names between `<` and `>`, with or without `/`, in small letters: beginnings and ends of texts,
/// turns, roles and thoughts.
const WORDS: &str = "role instruction assistant response tool tools toolcall beginoftext \
    startoftext endoftext s bos eos pad unk mask cls sep eop sop eod eot eom eoh eoa think \
    thought reponame filename image video audio img quad ref bot human ai \
    \u{7528}\u{6237}";
/// The same in capitals alone, as the small ones are HTML's or nobody's (Code Llama's, Velvet's).
const CAPITAL_WORDS: &str = "PRE SUF MID REPO REP SYS";
/// Words that stand before a number between `<` and `>`, or `[` and `]`.
const NUMBERED: &str = "unused reserved special dummy extra control placeholder sp";
/// Words that stand before a colon between `<` and `>`.
const SPACES: &str = "seed minimax mask longcat mm atem sentinel";
/// Names between `[` and `]` (Mistral's, GLM's, BERT's).
const CAPITALS: &str = "INST IMG PREFIX MIDDLE SUFFIX AUDIO ARGS THINK CLS SEP PAD UNK MASK BOS \
    EOS EOT gMASK sMASK";
/// Marks that follow no pattern: MiniMax's and Jais's.
const ODD: [&str; 14] = [
    "]~b]",
    "]~!b[",
    "]!p~[",
    "]!d~[",
    "]<]",
    "<]",
    "[e~[",
    "[@BOS@]",
    "[@EOS@]",
    "[@PAD@]",
    "|ENDOFTEXT|",
    "|||IP_ADDRESS|||",
    "|||EMAIL_ADDRESS|||",
    "|||PHONE_NUMBER|||",
];

/// A mark in a text.
struct Mark {
    /// The byte at which it begins.
    at: usize,
    /// Its first character.
    first: char,
    /// Its length in bytes.
    length: usize,
}

/// Breaks up every mark of a text, which is returned as it is where it holds none.
pub fn break_marks(text: &str) -> Cow<'_, str> {
    let mut marks = find_marks(text).peekable();
    if marks.peek().is_none() {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for mark in marks {
        let behind = mark.at + mark.first.len_utf8();
        out.push_str(&text[from..behind]);
        out.push(JOINER);
        from = behind;
    }
    out.push_str(&text[from..]);
    out.into()
}

/// Returns the first mark in a text.
pub fn first_mark(text: &str) -> Option<&str> {
    let mark = find_marks(text).next()?;
    Some(&text[mark.at..mark.at + mark.length])
}

/// Finds the marks of a text. They may overlap.
fn find_marks(text: &str) -> impl Iterator<Item = Mark> {
    find_starts(text.as_bytes()).filter_map(|at| {
        let first = text[at..].chars().next()?;
        let length = measure_mark(first, &text[at..])?;
        Some(Mark { at, first, length })
    })
}

/// How many bytes of a text are looked at together: nearly all of them begin no mark.
const BLOCK: usize = 64;

/// Finds the bytes with which marks may begin; each is the first of a character.
fn find_starts(text: &[u8]) -> impl Iterator<Item = usize> {
    // Of the characters that are no ASCII, U+25C1 alone begins a mark; its first byte is this.
    let may_begin = |byte: u8| matches!(byte, b'<' | b'[' | b']' | b'>' | b'|' | 0xe2);
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(block) = text.get(at..at + BLOCK) {
            // Without an early end, the compiler makes a few instructions of it.
            let any = |any, byte: &u8| any | may_begin(*byte);
            if block.iter().fold(false, any) {
                break;
            }
            at += BLOCK;
        }
        let rest = text.get(at..)?;
        let found = at + rest.iter().position(|byte| may_begin(*byte))?;
        at = found + 1;
        Some(found)
    })
}

/// Returns the length of the mark that a text begins with.
fn measure_mark(first: char, text: &str) -> Option<usize> {
    let behind = &text[first.len_utf8()..];
    let inner = match first {
        '<' => measure_angled(behind),
        // `|name|]`, `/WORD]`, `TWO_WORDS]`, `INST]`, `unused9]`
        '[' => match behind.strip_prefix('|') {
            Some(rest) => measure_closed(rest, &["|]"]).map(|length| 1 + length),
            None => measure_named(behind, "]", is_capital_word),
        },
        // `>QUESTION<<` (Falcon's).
        '>' => behind.strip_prefix('>').and_then(|rest| {
            let is_question = |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            Some(1 + measure_named(rest, "<<", is_question)?)
        }),
        '\u{25c1}' => measure_closed(behind, &["\u{25b7}"]),
        _ => None,
    };
    if let Some(length) = inner {
        return Some(first.len_utf8() + length);
    }
    let odd = ODD.iter().find(|odd| text.starts_with(**odd))?;
    Some(odd.len())
}

/// Measures what stands behind `<`: `|name|>` and its kin, `name|>`, `<SYS>>`, `word>`,
/// `two_words>`, `unused9>`, `seed:bos>`.
fn measure_angled(behind: &str) -> Option<usize> {
    if let Some(rest) = behind.strip_prefix(['|', '\u{ff5c}']) {
        let bar = behind.len() - rest.len();
        return measure_closed(rest, &["|>", "\u{ff5c}>", ">"]).map(|length| bar + length);
    }
    if let Some(rest) = behind.strip_prefix('<') {
        let is_in_capitals = |name: &str| {
            let mut letters = name.trim_start_matches('/').chars();
            letters.all(|c| c.is_ascii_uppercase())
        };
        return measure_named(rest, ">>", is_in_capitals).map(|length| 1 + length);
    }
    measure_closed(behind, &["|>", "\u{ff5c}>"]).or_else(|| measure_named(behind, ">", is_word))
}

/// Whether a word is one of these, which stand apart by spaces.
fn holds(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Whether a name is one that stands between square brackets.
fn is_capital_word(name: &str) -> bool {
    let bare = name.strip_prefix('/').unwrap_or(name);
    let closes_or_joins = bare != name || bare.contains('_');
    // Capitals, digits and underscores, a capital first.
    let is_constant = bare.len() > 1
        && bare.starts_with(|c: char| c.is_ascii_uppercase())
        && bare
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    holds(CAPITALS, bare) || is_numbered(bare) || (closes_or_joins && is_constant)
}

/// Whether a name is one that stands between angle brackets.
fn is_word(name: &str) -> bool {
    let bare = name.strip_prefix('/').unwrap_or(name);
    // `two_words`
    let is_joined = bare.contains('_') && !bare.contains(':') && bare.contains(char::is_alphabetic);
    // `seed:bos`
    let space = bare.split_once(':').map(|(space, _)| space);
    let has_known_space = space.is_some_and(|space| holds(SPACES, space));
    // `0x0A`, a byte of SentencePiece's
    let digits = bare.strip_prefix("0x").unwrap_or_default();
    let is_byte = digits.len() == 2 && digits.bytes().all(|c| c.is_ascii_hexdigit());
    is_joined
        || has_known_space
        || is_byte
        || is_numbered(bare)
        || bare.starts_with("fim-")
        || holds(CAPITAL_WORDS, bare)
        || holds(WORDS, &bare.to_lowercase())
}

/// `unused9`
fn is_numbered(name: &str) -> bool {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let word_alone = word.to_ascii_lowercase();
    word.len() < name.len() && holds(NUMBERED, word_alone.trim_end_matches('_'))
}

/// Returns the length of a name of this kind and of the end that follows it.
fn measure_named(text: &str, end: &str, is_known: fn(&str) -> bool) -> Option<usize> {
    let may_be_in_a_name = |c: char| c.is_alphanumeric() || "_-./:+*\"\u{2581}".contains(c);
    let (name, rest) = text.split_at(text.find(|c| !may_be_in_a_name(c))?);
    let is_name = !name.is_empty() && name.chars().count() <= LONGEST && rest.starts_with(end);
    (is_name && is_known(name)).then_some(name.len() + end.len())
}

/// Returns the length of a name and of the one of these ends that follows it.
fn measure_closed(text: &str, ends: &[&str]) -> Option<usize> {
    let mut ends = ends.iter();
    ends.find_map(|end| measure_named(text, end, |_| true))
}

#[cfg(test)]
#[path = "template_marks_tests.rs"]
mod tests;
