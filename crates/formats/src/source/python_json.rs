//! JSON as Python's `json` writes it: `NaN`, `Infinity`, and escapes of half a character.

/// A text with what Python writes beside JSON put in JSON's words.
pub(crate) struct Mended {
    /// `NaN` is null, which is no value; an infinity is a text, which is no number; a lone
    /// surrogate is U+FFFD.
    pub(crate) text: String,
    /// How many lone surrogates there were.
    pub(crate) lone_surrogates: u64,
    /// Where in `text` something ends that is longer than it was, and by how many bytes.
    longer: Vec<(usize, usize)>,
}

/// The words of numbers that JSON has not, and what stands for them.
const WORDS: [(&str, &str); 3] = [
    ("NaN", "null"),
    ("-Infinity", "\"-Infinity\""),
    ("Infinity", "\"Infinity\""),
];

impl Mended {
    /// Whether there was anything to mend.
    pub(crate) fn changes(&self) -> bool {
        self.lone_surrogates > 0 || !self.longer.is_empty()
    }

    /// Returns how many bytes of the original the first so many of the mended text were.
    pub(crate) fn original_length(&self, length: usize) -> usize {
        let before = self.longer.iter().filter(|(end, _)| *end <= length);
        length - before.map(|(_, more)| more).sum::<usize>()
    }
}

/// Mends a text.
pub(crate) fn mend(text: &str) -> Mended {
    let mut mended = Mended {
        text: String::with_capacity(text.len()),
        lone_surrogates: 0,
        longer: Vec::new(),
    };
    let (mut rest, mut in_string) = (text, false);
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '\\' if in_string => mend_escape(rest, &mut mended),
            '"' => {
                in_string = !in_string;
                mended.text.push('"');
                1
            }
            _ if in_string => {
                let end = rest.find(['"', '\\']).unwrap_or(rest.len());
                mended.text.push_str(rest.get(..end).unwrap_or_default());
                end
            }
            'N' | 'I' | '-' => mend_word(rest, &mut mended),
            other => {
                mended.text.push(other);
                other.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    mended
}

/// Takes the word of a number, or a character that begins none. Returns how many bytes it was.
fn mend_word(rest: &str, mended: &mut Mended) -> usize {
    for (word, stands_for) in WORDS {
        let after = rest.strip_prefix(word);
        let ends = after.is_some_and(|after| !after.starts_with(char::is_alphanumeric));
        if ends {
            mended.text.push_str(stands_for);
            let more = stands_for.len() - word.len();
            mended.longer.push((mended.text.len(), more));
            return word.len();
        }
    }
    let first = rest.chars().next().unwrap_or_default();
    mended.text.push(first);
    first.len_utf8()
}

/// Takes an escape, or the two of a character beyond the Basic Multilingual Plane. Returns how many
/// bytes it was.
fn mend_escape(rest: &str, mended: &mut Mended) -> usize {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let taken = match unit(rest) {
        Some(0xd800..=0xdbff) => match rest.get(6..).and_then(unit) {
            Some(0xdc00..=0xdfff) => Some(12),
            _ => None,
        },
        Some(0xdc00..=0xdfff) => None,
        Some(_) => Some(6),
        // Of the others the mark and the next character, whatever it is.
        None => Some(1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
    };
    if let Some(taken) = taken {
        mended.text.push_str(rest.get(..taken).unwrap_or(rest));
        return taken;
    }
    mended.lone_surrogates += 1;
    mended.text.push_str("\\ufffd");
    6
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Value {
        serde_json::from_str(&mend(text).text).unwrap()
    }

    #[test]
    fn what_python_writes_is_read() {
        assert_eq!(
            read(r#"{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN, Infinity \" \\", "d": -1}"#),
            json!({"a": null, "b": ["-Infinity", "Infinity"], "c": "NaN, Infinity \" \\", "d": -1})
        );
        assert_eq!(
            read(r#"["\ud83d!", "\ude00", "\ud83d\ude00", "\\ud83d", "\ud83d\u0041", "é"]"#),
            json!([
                "\u{fffd}!",
                "\u{fffd}",
                "\u{1f600}",
                "\\ud83d",
                "\u{fffd}A",
                "é"
            ])
        );
    }

    #[test]
    fn places_are_those_of_the_original() {
        let text = r#"{"a": NaN, "b": Infinity, "c": x}"#;
        let mended = mend(text);
        let at = |part: &str, text: &str| text.find(part).unwrap();
        for part in ["\"b\"", "\"c\"", "x"] {
            assert_eq!(
                mended.original_length(at(part, &mended.text)),
                at(part, text)
            );
        }
        assert!(mended.changes() && !mend("{\"Name\": 1, \"In\": \"-\"}").changes());
    }
}
