//! From a list of messages to the steps of a trajectory.

use super::calls::{read_call, read_id};
use super::content::{PARTS, Part, read_parts, read_texts};
use super::located::{Located, PartResult};
use super::{THOUGHT_FIELDS, is_own};
use evenhand_core::{Step, StepKind};
use serde_json::Value;

const ROLE: &str = "`system`, `developer`, `user`, `assistant` or `tool`";
const CALLS: &str = "a list of calls";

/// The steps of a list of messages, and the turn that each belongs to.
#[derive(Debug, Default)]
pub(super) struct StepReader {
    /// Each with its turn, from 1.
    pub(super) steps: Vec<(u32, Step)>,
    /// How many thoughts are not among them.
    pub(super) hidden: u32,
    shows_thinking: bool,
    /// The turn of the next step; 0 before the first thing that the system did.
    turn: u32,
    /// The ids of calls, and their steps.
    calls: Vec<(String, u32)>,
}

impl StepReader {
    pub(super) fn new(shows_thinking: bool) -> StepReader {
        StepReader {
            shows_thinking,
            ..StepReader::default()
        }
    }

    pub(super) fn read_message(&mut self, message: &Located<'_>) -> PartResult {
        let role = message.require("role", ROLE)?;
        match role.text()? {
            "assistant" => self.read_assistant(message),
            "user" => {
                let content = message.require("content", PARTS)?;
                let ended = self.steps.last().is_some_and(|(_, step)| is_own(step));
                // The person's words end a turn where the system has done something in it.
                if !read_texts(&content)?.is_empty() && ended {
                    self.turn += 1;
                }
                self.read_content(&content, StepKind::User)
            }
            "tool" | "function" => {
                self.turn = self.turn.max(1);
                let id = read_id(message, &["tool_call_id", "call_id"])?;
                let mut text = read_result(message)?;
                let error = message.field("error");
                if let Some(said) = error.as_ref().and_then(|error| error.field("message")) {
                    text = format!("{text}\n{}", said.text()?).trim_start().to_owned();
                }
                self.add_result(id, error.is_some(), text);
                Ok(())
            }
            "system" | "developer" => {
                let content = message.require("content", PARTS)?;
                self.add(StepKind::System, read_texts(&content)?);
                Ok(())
            }
            _ => Err(role.wrong(ROLE)),
        }
    }

    /// Reads the thought of a message, then its text, then its calls.
    fn read_assistant(&mut self, message: &Located<'_>) -> PartResult {
        self.turn = self.turn.max(1);
        if let Some(thought) = message.any_field(&THOUGHT_FIELDS) {
            self.add_thought(thought.text()?);
        }
        let mut calls = match message.field("tool_calls") {
            Some(calls) => calls.list(CALLS)?,
            None => Vec::new(),
        };
        calls.extend(message.field("function_call"));
        match (message.field("content"), message.field("refusal")) {
            (Some(content), _) => self.read_content(&content, StepKind::Message)?,
            // A message that calls a tool may have no text.
            _ if !calls.is_empty() => {}
            (None, Some(refusal)) => {
                self.add(StepKind::Message, refusal.text()?.to_owned());
            }
            (None, None) => {
                let text = message.require("content", PARTS)?.text()?;
                self.add(StepKind::Message, text.to_owned());
            }
        }
        for call in &calls {
            self.read_call(call)?;
        }
        Ok(())
    }

    /// Reads the parts of a content; its texts, as far as they follow one another, are steps of
    /// this kind.
    fn read_content(&mut self, content: &Located<'_>, kind: StepKind) -> PartResult {
        let mut texts = Vec::new();
        for part in read_parts(content)? {
            if let Part::Text(text) = part {
                texts.extend(Some(text).filter(|text| !text.is_empty()));
                continue;
            }
            self.add_texts(kind, &mut texts);
            match part {
                Part::Text(_) => {}
                Part::Thinking(text) => self.add_thought(&text),
                Part::HiddenThinking => self.hidden += 1,
                Part::Call(call) => self.read_call(&call)?,
                Part::Result(result) => {
                    let id = read_id(&result, &["tool_use_id"])?;
                    let text = read_result(&result)?;
                    self.add_result(id, result.is_true("is_error"), text);
                }
            }
        }
        self.add_texts(kind, &mut texts);
        Ok(())
    }

    fn read_call(&mut self, call: &Located<'_>) -> PartResult {
        let (written, id) = read_call(call)?;
        let number = self.add(StepKind::Call, written);
        self.calls.extend(id.map(|id| (id.to_owned(), number)));
        Ok(())
    }

    /// Adds a result, which is of the last step that called a tool under its id.
    fn add_result(&mut self, id: Option<&str>, failed: bool, text: String) {
        let mut calls = self.calls.iter().rev();
        let call = id.and_then(|id| calls.find(|(known, _)| known == id));
        let of = call.map(|(_, number)| *number);
        self.add(StepKind::Result { of, failed }, text);
    }

    fn add_texts(&mut self, kind: StepKind, texts: &mut Vec<String>) {
        if !texts.is_empty() {
            self.add(kind, std::mem::take(texts).join("\n\n"));
        }
    }

    fn add_thought(&mut self, text: &str) {
        if !self.shows_thinking {
            self.hidden += 1;
        } else if !text.is_empty() {
            self.add(StepKind::Thinking, text.to_owned());
        }
    }

    /// Adds a step, and returns its number. What comes before the system did anything is the
    /// item's.
    fn add(&mut self, kind: StepKind, text: String) -> u32 {
        if self.turn == 0 {
            return 0;
        }
        let number = u32::try_from(self.steps.len() + 1).unwrap_or(u32::MAX);
        self.steps.push((self.turn, Step::new(number, kind, text)));
        number
    }
}

/// Reads what a tool returned: texts, or any other value as JSON; nothing where it returned none.
fn read_result(result: &Located<'_>) -> PartResult<String> {
    let Some(content) = result.field("content") else {
        return Ok(String::new());
    };
    let is_part = |part: &Value| part.is_string() || part.get("type").is_some_and(Value::is_string);
    match content.value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) if parts.iter().all(is_part) => read_texts(&content),
        other => Ok(other.to_string()),
    }
}
