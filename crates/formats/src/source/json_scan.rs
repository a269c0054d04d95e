//! Where JSON values end, without judging what is inside them.

/// What is open of JSON at a point of it: lists and objects, and perhaps a string.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nesting {
    pub(crate) depth: usize,
    pub(crate) in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Takes the next byte.
    pub(crate) fn take_byte(&mut self, byte: u8) {
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

/// Finds the end of one JSON value in a stream.
#[derive(Default)]
pub(crate) struct JsonScan {
    begun: bool,
    nesting: Nesting,
    pub(crate) done: bool,
}

impl JsonScan {
    /// Returns how many of these bytes belong to the value; `done` says whether it ended in them.
    pub(crate) fn scan(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let Nesting {
                depth, in_string, ..
            } = self.nesting;
            // A number or a word ends only where something else begins.
            let is_boundary = matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
            if self.begun && depth == 0 && !in_string && is_boundary {
                self.done = true;
                return at;
            }
            self.begun = true;
            self.nesting.take_byte(byte);
            at += 1;
            if self.nesting.in_string && !self.nesting.escaped {
                // Nothing ends within a string.
                let rest = bytes.get(at..).unwrap_or_default();
                let inside = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
                at += inside.unwrap_or(rest.len());
            }
        }
        at
    }

    /// Whether an object or a list is open, and no text: a text cannot go over a line.
    pub(crate) fn goes_on(&self) -> bool {
        self.nesting.depth > 0 && !self.nesting.in_string
    }
}

/// Whether a value that begins here is open at the end of the line.
pub(crate) fn goes_on(line: &[u8]) -> bool {
    let mut scan = JsonScan::default();
    scan.scan(line);
    scan.goes_on()
}
