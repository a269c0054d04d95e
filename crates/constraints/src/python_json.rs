//! Whether a text is JSON, as Python's `json.loads` has it.
//!
//! It differs from the standard and from `serde_json`: `NaN`, `Infinity` and `-Infinity` are
//! values, numbers of any size are taken, a lone surrogate may be escaped, and a whole number of
//! more than 4300 digits is refused. Nesting deeper than [`MOST_DEPTH`] is refused here; the
//! reference ends with an error (not a verdict) a little above it.

/// How deep lists and objects may nest.
const MOST_DEPTH: usize = 900;

/// Digits that Python converts to a whole number.
const MOST_DIGITS: usize = 4300;

pub(crate) fn is_json(text: &str) -> bool {
    let mut reader = JsonReader {
        bytes: text.as_bytes(),
        at: 0,
    };
    reader.skip_space();
    let is_value = reader.read_value(0).is_some();
    reader.skip_space();
    is_value && reader.peek().is_none()
}

/// Steps forward over what it reads; `None` where it is something else.
struct JsonReader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl JsonReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_while(&mut self, is: impl Fn(u8) -> bool) -> usize {
        let start = self.at;
        while self.peek().is_some_and(&is) {
            self.at += 1;
        }
        self.at - start
    }

    fn skip_space(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn take_word(&mut self, word: &str) -> Option<()> {
        let found = self.bytes.get(self.at..)?.starts_with(word.as_bytes());
        found.then(|| self.at += word.len())
    }

    /// Takes the first of these words that is here.
    fn take_any(&mut self, words: &[&str]) -> Option<()> {
        words.iter().find_map(|word| self.take_word(word))
    }

    fn read_value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' => self.read_list(depth, b'}', JsonReader::read_member),
            b'[' => self.read_list(depth, b']', JsonReader::read_value),
            b'"' => self.read_string(),
            _ => {
                let names = ["null", "true", "false", "NaN", "Infinity", "-Infinity"];
                self.take_any(&names).or_else(|| self.read_number())
            }
        }
    }

    /// Reads a list, or an object, whose elements are members.
    fn read_list(
        &mut self,
        depth: usize,
        close: u8,
        read_element: fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        // Each level is a call: the stack would end.
        if depth >= MOST_DEPTH {
            return None;
        }
        self.at += 1;
        self.skip_space();
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            read_element(self, depth + 1)?;
            self.skip_space();
            let mark = self.peek().filter(|mark| *mark == b',' || *mark == close)?;
            self.at += 1;
            if mark == close {
                return Some(());
            }
            self.skip_space();
        }
    }

    fn read_member(&mut self, depth: usize) -> Option<()> {
        (self.peek()? == b'"').then_some(())?;
        self.read_string()?;
        self.skip_space();
        self.take_word(":")?;
        self.skip_space();
        self.read_value(depth)
    }

    fn read_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.read_escape()?,
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn read_escape(&mut self) -> Option<()> {
        match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
            b'u' => {
                let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                self.at += 6;
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads a number as far as it goes: what follows a leading zero, or a point without digits, is
    /// left for the caller to refuse.
    fn read_number(&mut self) -> Option<()> {
        let _ = self.take_word("-");
        // The digits before a point; after a leading zero there are no more.
        let digits = match self.peek()? {
            b'0' => {
                self.at += 1;
                1
            }
            _ => self.read_digits(),
        };
        let has_fraction = self.read_digits_after(|reader| reader.take_word("."));
        let has_exponent = self.read_digits_after(|reader| {
            reader.take_any(&["e", "E"])?;
            let _ = reader.take_any(&["+", "-"]);
            Some(())
        });
        // Only whole numbers have a limit: others become floats, of any length.
        let is_whole = !has_fraction && !has_exponent;
        (digits > 0 && (!is_whole || digits <= MOST_DIGITS)).then_some(())
    }

    fn read_digits(&mut self) -> usize {
        self.skip_while(|byte| byte.is_ascii_digit())
    }

    /// Reads digits after what `mark` reads, and returns whether there are any; steps back where
    /// there are none.
    fn read_digits_after(&mut self, mark: impl FnOnce(&mut Self) -> Option<()>) -> bool {
        let start = self.at;
        let found = mark(self).is_some() && self.read_digits() > 0;
        self.at = if found { self.at } else { start };
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_has_it() {
        // Each line was tried with json.loads of Python 3.11.
        let yes = [
            "1",
            " [ ] ",
            "{}",
            r#"{"a": [1, -2.5e+3, "x\n\ud800"]}"#,
            "NaN",
            "-Infinity",
            "1e999",
            "0.5",
            "\"é\"",
            "true",
        ];
        let no = [
            "",
            "01",
            "1.",
            ".5",
            "[1,]",
            "{a: 1}",
            "'a'",
            "\"\n\"",
            r#""\x""#,
            "-",
            "[1",
            "nan",
            "1 2",
            "\u{feff}1",
            "+1",
            "--1",
        ];
        assert!(yes.into_iter().all(is_json));
        for text in no {
            assert!(!is_json(text), "{text:?}");
        }
        assert!(
            is_json(&"1".repeat(4300))
                && !is_json(&"1".repeat(4301))
                && is_json(&format!("{}.0", "1".repeat(4301)))
        );
        assert!(
            is_json(&format!("{}{}", "[".repeat(900), "]".repeat(900)))
                && !is_json(&"[".repeat(1_000_000))
        );
    }
}
