//! Writers of our own files: one line each, with its newline.

use super::record::{Preference, Vote};
use evenhand_core::{Item, Message, Role};
use serde_json::{Map, Value, json};

/// Returns a line of `items.jsonl`.
pub fn item_line(item: &Item) -> String {
    let mut fields = Map::new();
    let (name, value) = instruction_field(&item.messages);
    insert_some(&mut fields, "id", Some(json!(item.id)));
    insert_some(&mut fields, name, Some(value));
    insert_text(&mut fields, "reference", &item.reference);
    insert_text(&mut fields, "category", &item.category);
    insert_text(&mut fields, "question_id", &item.question);
    insert_some(&mut fields, "constraints", item.constraints.clone());
    let criteria = (!item.criteria.is_empty()).then(|| json!(item.criteria));
    insert_some(&mut fields, "criteria", criteria);
    end_line(Value::Object(fields))
}

fn insert_text(fields: &mut Map<String, Value>, name: &str, text: &Option<String>) {
    insert_some(fields, name, text.as_ref().map(|text| json!(text)));
}

fn insert_some(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    fields.extend(value.map(|value| (name.to_owned(), value)));
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
    let preferred = preference_name(vote.preferred);
    let mut label = json!({"item": item, "a": a, "b": b, "preferred": preferred});
    if let (Some(annotator), Some(fields)) = (&vote.annotator, label.as_object_mut()) {
        fields.insert("annotator".to_owned(), json!(annotator));
    }
    end_line(label)
}

fn preference_name(preferred: Preference) -> &'static str {
    match preferred {
        Preference::A => "a",
        Preference::B => "b",
        Preference::Tie => "tie",
    }
}

fn end_line(value: Value) -> String {
    format!("{value}\n")
}
