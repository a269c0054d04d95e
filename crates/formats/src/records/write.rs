//! Writers of our own files: one line each, with its newline.

use super::record::{Preference, Vote};
use evenhand_core::{Item, Message, Role};
use serde_json::{Map, Value, json};

/// Returns a line of `items.jsonl`.
pub fn item_line(item: &Item) -> String {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), json!(item.id));
    let (name, value) = instruction_field(&item.messages);
    fields.insert(name.to_owned(), value);
    let texts = [
        ("reference", &item.reference),
        ("category", &item.category),
        ("question_id", &item.question),
    ];
    for (name, text) in texts {
        fields.extend(text.as_ref().map(|text| (name.to_owned(), json!(text))));
    }
    let constraints = item.constraints.clone();
    fields.extend(constraints.map(|value| ("constraints".to_owned(), value)));
    end_line(Value::Object(fields))
}

/// Returns the field of an instruction, or of a conversation.
fn instruction_field(messages: &[Message]) -> (&'static str, Value) {
    match messages {
        [message] if message.role == Role::User => ("instruction", json!(message.content)),
        messages => ("messages", json!(messages)),
    }
}

/// Returns a line of `responses.jsonl`.
pub fn response_line(item: &str, system: &str, output: &str) -> String {
    end_line(json!({"item": item, "system": system, "output": output}))
}

/// Returns a line of `labels.jsonl`.
pub fn label_line(item: &str, a: &str, b: &str, vote: &Vote) -> String {
    let preferred = match vote.preferred {
        Preference::A => "a",
        Preference::B => "b",
        Preference::Tie => "tie",
    };
    let mut label = json!({"item": item, "a": a, "b": b, "preferred": preferred});
    if let (Some(annotator), Some(fields)) = (&vote.annotator, label.as_object_mut()) {
        fields.insert("annotator".to_owned(), json!(annotator));
    }
    end_line(label)
}

fn end_line(value: Value) -> String {
    format!("{value}\n")
}
