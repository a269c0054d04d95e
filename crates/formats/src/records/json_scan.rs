//! The end of a JSON value in a stream, without judging what is inside it.

/// Finds the end of one JSON value.
#[derive(Default)]
pub(super) struct JsonScan {
    begun: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
    pub(super) done: bool,
}

impl JsonScan {
    /// Returns how many of these bytes belong to the value; `done` says whether it ended in them.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // A number or a word ends only where something else begins.
            if self.begun && self.depth == 0 && !self.in_string && is_boundary(byte) {
                self.done = true;
                return at;
            }
            self.take_byte(byte);
            at += 1;
            if self.in_string && !self.escaped {
                at += unquoted_length(bytes.get(at..).unwrap_or_default());
            }
        }
        at
    }

    /// Whether an object or a list is open, and no text: a text cannot go over a line.
    pub(super) fn goes_on(&self) -> bool {
        self.depth > 0 && !self.in_string
    }

    fn take_byte(&mut self, byte: u8) {
        self.begun = true;
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = self.in_string,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => self.depth += 1,
            b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

fn is_boundary(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace()
}

/// Returns how many bytes from here are nothing but the inside of a string.
fn unquoted_length(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|b| matches!(b, b'"' | b'\\'));
    end.unwrap_or(bytes.len())
}

/// Whether a value that begins here is open at the end of the line.
pub(crate) fn goes_on(line: &[u8]) -> bool {
    let mut scan = JsonScan::default();
    scan.scan(line);
    scan.goes_on()
}
