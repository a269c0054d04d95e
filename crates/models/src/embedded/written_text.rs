//! The text that a model writes, token by token.

/// Bytes that become text; a token may end within a character.
#[derive(Debug, Default)]
pub(super) struct WrittenText {
    /// The bytes written so far.
    pub(super) bytes: Vec<u8>,
}

impl WrittenText {
    /// Whether the text ends with this, white space aside.
    pub(super) fn ends_with(&self, end: &str) -> bool {
        self.to_text().trim_end().ends_with(end.trim_end())
    }

    /// Returns the text: a character that is not complete at its end is left out, and bytes that
    /// are none within it are replaced.
    pub(super) fn to_text(&self) -> String {
        let complete = self.bytes.len() - incomplete_end(&self.bytes);
        String::from_utf8_lossy(&self.bytes[..complete]).into_owned()
    }
}

/// Returns how many bytes at the end begin a character and do not finish it.
fn incomplete_end(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    let begins = (0..last.len()).find(|from| {
        matches!(std::str::from_utf8(&last[*from..]), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
    });
    begins.map_or(0, |from| last.len() - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> WrittenText {
        WrittenText {
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn an_incomplete_character_at_the_end_is_left_out() {
        for whole in ["a", "é", "€", "😀", "a😀b"] {
            assert_eq!(written(whole.as_bytes()).to_text(), whole);
        }
        for cut in 1..4 {
            assert_eq!(written(&"a😀".as_bytes()[..1 + cut]).to_text(), "a");
        }
        assert_eq!(written(b"a\xffb\xe2\x82").to_text(), "a\u{fffd}b");
        assert_eq!(written(b"").to_text(), "");
    }

    #[test]
    fn an_end_is_found_with_white_space_aside() {
        assert!(written(b"so: Verdict: \n").ends_with("Verdict: "));
        assert!(!written(b"so: verdict:").ends_with("Verdict:"));
        assert!(written(b"").ends_with(""));
    }
}
