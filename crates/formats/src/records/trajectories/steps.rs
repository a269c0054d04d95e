//! From a list of messages to the steps of a trajectory.

use super::calls::write_call;
use super::content::{PARTS, Part, read_parts, read_texts};
use super::is_own;
use super::located::{Located, PartResult};
use evenhand_core::{Piece, Step, StepKind};
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
        self.turn = self.turn.max(1);
        if let Some(thought) = message.any_field(&["reasoning_content", "reasoning"]) {
            self.add_thought(thought.text()?);
        }
        let calls = message.field("tool_calls");
        match message.field("content") {
            Some(content) => self.read_content(&content, StepKind::Message)?,
            None if calls.is_some() || message.field("function_call").is_some() => {}
            None => self.read_refusal(message)?,
        }
        for call in calls.map_or(Ok(Vec::new()), |calls| calls.list(CALLS))? {
            self.read_call(&call)?;
        }
        match message.field("function_call") {
            Some(call) => self.read_call(&call),
            None => Ok(()),
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
        let mut texts: Vec<String> = Vec::new();
        for part in read_parts(content)? {
            if let Part::Text(text) = part {
                texts.push(text);
                continue;
            }
            self.add_texts(kind, &mut texts);
            self.read_other_part(part)?;
        }
        self.add_texts(kind, &mut texts);
        Ok(())
    }

    fn read_other_part(&mut self, part: Part<'_>) -> PartResult {
        match part {
            Part::Text(_) => {}
            Part::Thinking(text) => self.add_thought(&text),
            Part::HiddenThinking => self.hidden += 1,
            Part::Call(call) => self.read_call(&call)?,
            Part::Result(result) => {
                let id = result.field("tool_use_id");
                let failed = result.field("is_error");
                let failed = failed.is_some_and(|failed| failed.value == true);
                self.add_result(&result, id.as_ref(), failed)?;
            }
        }
        Ok(())
    }

    fn read_user(&mut self, message: &Located<'_>) -> PartResult {
        let content = message.require("content", PARTS)?;
        let parts = read_parts(&content)?;
        let speaks = |part: &Part| matches!(part, Part::Text(text) if !text.is_empty());
        if parts.iter().any(speaks) {
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
        self.turn = self.turn.max(1);
        let id = message.any_field(&["tool_call_id", "call_id"]);
        let error = message.field("error");
        self.add_result(message, id.as_ref(), error.is_some())?;
        let said = error.and_then(|error| error.any_field(&["message"]));
        if let (Some(said), Some((_, step))) = (said, self.steps.last_mut()) {
            let said = said.text()?;
            step.text = [&*step.text, said].join("\n").trim_start().to_owned();
        }
        Ok(())
    }

    /// Reads a call: `{id, function: {name, arguments}}`, `{id, function, arguments}` or `{id, name,
    /// input}`.
    fn read_call(&mut self, call: &Located<'_>) -> PartResult {
        let function = call.field("function");
        let of_object = function
            .as_ref()
            .filter(|function| function.value.is_object());
        let inner = of_object.unwrap_or(call);
        let name = match function.as_ref().filter(|name| name.value.is_string()) {
            Some(name) => name.text()?,
            None => inner.text_field("name")?,
        };
        let arguments = inner.any_field(&["arguments", "input", "args"]);
        let text = write_call(name, arguments.map(|arguments| arguments.value));
        let number = self.add(StepKind::Call, text);
        if let Some(id) = call.any_field(&["id", "call_id"]) {
            self.calls.push((id.text()?.to_owned(), number));
        }
        Ok(())
    }

    fn add_result(
        &mut self,
        result: &Located<'_>,
        id: Option<&Located<'_>>,
        failed: bool,
    ) -> PartResult {
        let text = match result.field("content") {
            Some(content) => read_result(&content)?,
            None => String::new(),
        };
        let id = id.map(Located::text).transpose()?;
        let of = id.and_then(|id| self.find_call(id));
        self.add(StepKind::Result { of, failed }, text);
        Ok(())
    }

    /// Returns the last step that called a tool under this id.
    fn find_call(&self, id: &str) -> Option<u32> {
        let call = self.calls.iter().rev().find(|(known, _)| known == id)?;
        Some(call.1)
    }

    fn add_texts(&mut self, kind: StepKind, texts: &mut Vec<String>) {
        texts.retain(|text| !text.is_empty());
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
        let step = Step {
            number,
            kind,
            text,
            piece: Piece::Whole,
            for_context: false,
        };
        self.steps.push((self.turn, step));
        number
    }
}

/// Reads what a tool returned: texts, or any other value as JSON.
fn read_result(content: &Located<'_>) -> PartResult<String> {
    match content.value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) if parts.iter().all(is_part) => read_texts(content),
        other => Ok(other.to_string()),
    }
}

fn is_part(part: &Value) -> bool {
    part.is_string() || part.get("type").is_some_and(Value::is_string)
}
