//! From a list of messages to the steps of a trajectory.

use super::calls::{ToolCall, read_id};
use super::content::{PARTS, Part, read_parts, read_texts};
use super::detect::THOUGHT_FIELDS;
use super::is_own;
use super::located::{Located, PartResult};
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
            "user" => self.read_user(message),
            "tool" | "function" => self.read_tool(message),
            "system" | "developer" => self.read_system(message),
            _ => Err(role.wrong(ROLE)),
        }
    }

    fn read_assistant(&mut self, message: &Located<'_>) -> PartResult {
        self.begin_first_turn();
        self.read_thought(message)?;
        self.read_saying(message)
    }

    fn begin_first_turn(&mut self) {
        self.turn = self.turn.max(1);
    }

    fn read_thought(&mut self, message: &Located<'_>) -> PartResult {
        if let Some(thought) = message.any_field(&THOUGHT_FIELDS) {
            self.add_thought(thought.text()?);
        }
        Ok(())
    }

    /// Reads the text of a message, then its calls.
    fn read_saying(&mut self, message: &Located<'_>) -> PartResult {
        let calls = list_calls(message)?;
        self.read_message_text(message, !calls.is_empty())?;
        self.read_calls(&calls)
    }

    /// Reads the text of a message; one that calls a tool may have none.
    fn read_message_text(&mut self, message: &Located<'_>, has_calls: bool) -> PartResult {
        match message.field("content") {
            Some(content) => self.read_content(&content, StepKind::Message),
            None if has_calls => Ok(()),
            None => self.read_refusal(message),
        }
    }

    fn read_refusal(&mut self, message: &Located<'_>) -> PartResult {
        let text = match message.field("refusal") {
            Some(refusal) => refusal.text()?,
            None => message.require("content", PARTS)?.text()?,
        };
        self.add(StepKind::Message, text.to_owned());
        Ok(())
    }

    /// Reads the parts of a content; its texts are steps of this kind.
    fn read_content(&mut self, content: &Located<'_>, kind: StepKind) -> PartResult {
        let mut texts = Vec::new();
        for part in read_parts(content)? {
            if !matches!(part, Part::Text(_)) {
                self.add_texts(kind, &mut texts);
            }
            texts.extend(self.read_part(part)?);
        }
        self.add_texts(kind, &mut texts);
        Ok(())
    }

    /// Reads a part, and returns its text where it is one.
    fn read_part(&mut self, part: Part<'_>) -> PartResult<Option<String>> {
        match part {
            Part::Text(_) => return Ok(part.into_text()),
            Part::Thinking(text) => self.add_thought(&text),
            Part::HiddenThinking => self.hidden += 1,
            Part::Call(call) => self.read_call(&call)?,
            Part::Result(result) => self.read_result_part(&result)?,
        }
        Ok(None)
    }

    fn read_result_part(&mut self, result: &Located<'_>) -> PartResult {
        let id = read_id(result, &["tool_use_id"])?;
        let text = read_result(result)?;
        self.add_result(id, result.is_true("is_error"), text);
        Ok(())
    }

    fn read_user(&mut self, message: &Located<'_>) -> PartResult {
        let content = message.require("content", PARTS)?;
        if !read_texts(&content)?.is_empty() {
            self.begin_turn();
        }
        self.read_content(&content, StepKind::User)
    }

    /// Ends a turn where the system has done something in it.
    fn begin_turn(&mut self) {
        let last = self.steps.last();
        if last.is_some_and(|(_, step)| is_own(step)) {
            self.turn += 1;
        }
    }

    fn read_system(&mut self, message: &Located<'_>) -> PartResult {
        let content = message.require("content", PARTS)?;
        self.add(StepKind::System, read_texts(&content)?);
        Ok(())
    }

    fn read_tool(&mut self, message: &Located<'_>) -> PartResult {
        self.begin_first_turn();
        let id = read_id(message, &["tool_call_id", "call_id"])?;
        let error = message.field("error");
        let text = add_error(read_result(message)?, error.as_ref())?;
        self.add_result(id, error.is_some(), text);
        Ok(())
    }

    fn read_calls(&mut self, calls: &[Located<'_>]) -> PartResult {
        calls.iter().try_for_each(|call| self.read_call(call))
    }

    fn read_call(&mut self, call: &Located<'_>) -> PartResult {
        let call = ToolCall::read(call)?;
        let number = self.add(StepKind::Call, call.write());
        let named = call.id.map(|id| (id.to_owned(), number));
        self.calls.extend(named);
        Ok(())
    }

    fn add_result(&mut self, id: Option<&str>, failed: bool, text: String) {
        let of = id.and_then(|id| self.find_call(id));
        self.add(StepKind::Result { of, failed }, text);
    }

    /// Returns the last step that called a tool under this id.
    fn find_call(&self, id: &str) -> Option<u32> {
        let call = self.calls.iter().rev().find(|(known, _)| known == id)?;
        Some(call.1)
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

/// Adds the message of a tool's error to the text that the tool returned.
fn add_error(text: String, error: Option<&Located<'_>>) -> PartResult<String> {
    match error.and_then(|error| error.field("message")) {
        Some(said) => Ok(format!("{text}\n{}", said.text()?).trim_start().to_owned()),
        None => Ok(text),
    }
}

/// Lists the calls of a message.
fn list_calls<'v>(message: &Located<'v>) -> PartResult<Vec<Located<'v>>> {
    let calls = message.field("tool_calls");
    let mut calls = calls.map_or(Ok(Vec::new()), |calls| calls.list(CALLS))?;
    calls.extend(message.field("function_call"));
    Ok(calls)
}

/// Reads what a tool returned: texts, or any other value as JSON; nothing where it returned none.
fn read_result(result: &Located<'_>) -> PartResult<String> {
    let Some(content) = result.field("content") else {
        return Ok(String::new());
    };
    match content.value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) if parts.iter().all(is_part) => read_texts(&content),
        other => Ok(other.to_string()),
    }
}

fn is_part(part: &Value) -> bool {
    part.is_string() || part.get("type").is_some_and(Value::is_string)
}
