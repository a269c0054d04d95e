//! JSON values of a list, or one behind the other over many lines, as one value a line.

use super::json_scan::Nesting;
use std::collections::VecDeque;
use std::io::{self, Read};

/// Writes each value on a line of its own. What is no JSON within a value is left for whoever reads
/// the line.
pub(crate) struct ValueLines<R> {
    input: R,
    /// Whether the values are those of a list, and commas stand between them.
    is_list: bool,
    state: State,
    /// The brackets and strings that are open within the current value.
    nesting: Nesting,
    /// How many values have ended.
    values: u64,
    ready: VecDeque<u8>,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the bracket of the list.
    Start,
    /// Where a value may begin; in a list it must, but for the first.
    Before,
    Within,
    /// Where a comma or the closing bracket must stand.
    After,
    /// Behind the list.
    End,
}

impl<R: Read> ValueLines<R> {
    pub(crate) fn new(input: R, is_list: bool) -> Self {
        ValueLines {
            input,
            is_list,
            state: if is_list { State::Start } else { State::Before },
            nesting: Nesting::default(),
            values: 0,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    fn take_byte(&mut self, byte: u8) -> io::Result<()> {
        let blank = byte.is_ascii_whitespace();
        match (self.state, byte) {
            (State::Within, _) => self.take_within(byte),
            (_, _) if blank => {}
            (State::Start, b'[') => self.state = State::Before,
            (State::Before, b']') if self.is_list && self.values == 0 => self.state = State::End,
            (State::Before, b']' | b',') if self.is_list => {
                return Err(self.unexpected("a value", byte));
            }
            (State::Before, _) => {
                self.state = State::Within;
                self.take_within(byte);
            }
            (State::After, b',') => self.state = State::Before,
            (State::After, b']') => self.state = State::End,
            (State::After, _) => return Err(self.unexpected("`,` or `]`", byte)),
            (State::Start | State::End, _) => {
                return Err(self.unexpected("the end of the file", byte));
            }
        }
        Ok(())
    }

    fn take_within(&mut self, byte: u8) {
        let Nesting {
            depth, in_string, ..
        } = self.nesting;
        // A number or a word ends before what follows it.
        if depth == 0 && !in_string && self.is_list && matches!(byte, b',' | b']') {
            self.end_value();
            self.state = match byte {
                b',' => State::Before,
                _ => State::End,
            };
            return;
        }
        self.nesting.take_byte(byte);
        let is_line_end = !in_string && matches!(byte, b'\n' | b'\r');
        self.ready.push_back(if is_line_end { b' ' } else { byte });
        if !in_string && self.nesting.depth == 0 && matches!(byte, b'}' | b']') {
            self.end_value();
        }
    }

    fn end_value(&mut self) {
        self.ready.push_back(b'\n');
        self.values += 1;
        self.state = if self.is_list {
            State::After
        } else {
            State::Before
        };
    }

    fn unexpected(&self, expected: &str, found: u8) -> io::Error {
        let (found, values) = (found.escape_ascii(), self.values);
        io::Error::other(format!(
            "not valid JSON: expected {expected}, found `{found}`, after {values} records"
        ))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.ended = true;
        match self.state {
            State::End => Ok(()),
            // Whoever reads the line says what is wrong with it.
            State::Within => {
                self.end_value();
                Ok(())
            }
            State::Before if !self.is_list => Ok(()),
            _ => {
                let values = self.values;
                Err(io::Error::other(format!(
                    "not valid JSON: expected `,` or `]`, found the end of the file, after \
                     {values} records"
                )))
            }
        }
    }
}

impl<R: Read> Read for ValueLines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !self.ended && !bytes.is_empty() {
            let mut more = [0; 1 << 13];
            let read = self.input.read(&mut more)?;
            if read == 0 {
                self.finish()?;
            }
            for &byte in more.get(..read).unwrap_or_default() {
                self.take_byte(byte)?;
            }
        }
        self.ready.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn lines(text: &str, is_list: bool) -> io::Result<String> {
        let mut lines = String::new();
        ValueLines::new(text.as_bytes(), is_list).read_to_string(&mut lines)?;
        Ok(lines)
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i32>().prop_map(Value::from),
            "[a\\\\\"{}\\[\\],\n]{0,6}".prop_map(Value::from),
            Just(Value::Null)
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ab\"]{1,2}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn each_value_is_a_line(values in prop::collection::vec(value(), 0..6), indented in any::<bool>()) {
            let write = |value: &Value| if indented {
                serde_json::to_string_pretty(value).unwrap()
            } else {
                value.to_string()
            };
            let read = |text: String| -> Vec<Value> {
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
            };
            let list = write(&Value::from(values.clone()));
            prop_assert_eq!(read(lines(&list, true).unwrap()), values.clone());
            let objects: Vec<Value> = values.into_iter().filter(Value::is_object).collect();
            let stream: Vec<String> = objects.iter().map(write).collect();
            prop_assert_eq!(read(lines(&stream.join("\n"), false).unwrap()), objects);
        }
    }

    #[test]
    fn what_is_no_list_is_said() {
        for (text, said) in [
            ("[{} {}]", "expected `,` or `]`, found `{`, after 1 records"),
            ("[{},]", "expected a value, found `]`, after 1 records"),
            (
                "[{}] x",
                "expected the end of the file, found `x`, after 1 records",
            ),
            (
                "[{}",
                "expected `,` or `]`, found the end of the file, after 1 records",
            ),
        ] {
            assert!(
                lines(text, true).unwrap_err().to_string().ends_with(said),
                "{text}"
            );
        }
    }
}
