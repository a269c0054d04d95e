//! Whether a text is JSON, as Python's `json.loads` has it.
//!
//! It differs from the standard and from `serde_json`: `NaN`, `Infinity` and `-Infinity` are
//! values, numbers of any size are taken, a lone surrogate may be escaped, and a whole number of
//! more than 4300 digits is refused. Nesting deeper than [`DEPTH`] is refused here; the reference
//! ends with an error (not a verdict) a little above it.

/// How deep lists and objects may nest.
const DEPTH: usize = 900;

/// Digits that Python converts to a whole number.
const DIGITS: usize = 4300;

pub(crate) fn is_json(text: &str) -> bool {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
    };
    reader.space();
    reader.value(0).is_some() && {
        reader.space();
        reader.at == reader.bytes.len()
    }
}

/// Steps forward over what it reads; `None` where it is something else.
struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn while_is(&mut self, is: impl Fn(u8) -> bool) -> usize {
        let start = self.at;
        while self.peek().is_some_and(&is) {
            self.at += 1;
        }
        self.at - start
    }

    fn space(&mut self) {
        self.while_is(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let found = self.bytes.get(self.at..)?.starts_with(word.as_bytes());
        found.then(|| self.at += word.len())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' => self.list(depth, '}', Reader::member),
            b'[' => self.list(depth, ']', Reader::value),
            b'"' => self.string(),
            _ => self.name().or_else(|| self.number()),
        }
    }

    fn name(&mut self) -> Option<()> {
        ["null", "true", "false", "NaN", "Infinity", "-Infinity"]
            .into_iter()
            .find_map(|name| self.word(name))
    }

    fn list(
        &mut self,
        depth: usize,
        close: char,
        element: fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        self.at += 1;
        self.space();
        if depth >= DEPTH || self.peek()? == close as u8 {
            self.at += 1;
            return (depth < DEPTH).then_some(());
        }
        loop {
            element(self, depth + 1)?;
            self.space();
            match self.peek()? {
                b',' => self.at += 1,
                byte => return (byte == close as u8).then(|| self.at += 1),
            }
            self.space();
        }
    }

    fn member(&mut self, depth: usize) -> Option<()> {
        (self.peek()? == b'"').then_some(())?;
        self.string()?;
        self.space();
        self.word(":")?;
        self.space();
        self.value(depth)
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let width = match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' => self
                .bytes
                .get(self.at + 2..self.at + 6)?
                .iter()
                .all(u8::is_ascii_hexdigit)
                .then_some(6)?,
            _ => return None,
        };
        self.at += width;
        Some(())
    }

    /// A number as far as it goes: what follows a leading zero, or a point without digits, is left
    /// for the caller to refuse.
    fn number(&mut self) -> Option<()> {
        let _ = self.word("-");
        let digits = if self.peek()? == b'0' {
            self.word("0").map(|()| 1)?
        } else {
            self.digits()
        };
        let whole = !self.tail(|reader| reader.word(".")) & !self.tail(Reader::exponent);
        (digits > 0 && (!whole || digits <= DIGITS)).then_some(())
    }

    fn digits(&mut self) -> usize {
        self.while_is(|byte| byte.is_ascii_digit())
    }

    fn exponent(&mut self) -> Option<()> {
        self.word("e").or_else(|| self.word("E"))?;
        let _ = self.word("+").or_else(|| self.word("-"));
        Some(())
    }

    /// Digits after what `mark` reads; steps back where there are none.
    fn tail(&mut self, mark: impl FnOnce(&mut Self) -> Option<()>) -> bool {
        let start = self.at;
        let found = mark(self).is_some() && self.digits() > 0;
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
