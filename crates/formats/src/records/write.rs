//! Writers of our own files: one line each, with its newline.

use super::record::{Preference, Vote};
use evenhand_core::{Item, Message, Role};
use serde_json::{Map, Value, json};

/// A line of `items.jsonl`.
pub fn item_line(item: &Item) -> String {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), json!(item.id));
    let (name, value) = match &item.messages[..] {
        [
            Message {
                role: Role::User,
                content,
            },
        ] => ("instruction", json!(content)),
        messages => ("messages", json!(messages)),
    };
    fields.insert(name.to_owned(), value);
    let reference = item.reference.as_ref().map(|text| json!(text));
    let category = item.category.as_ref().map(|text| json!(text));
    let question = item.question.as_ref().map(|text| json!(text));
    let constraints = item.constraints.clone();
    for (name, value) in [
        ("reference", reference),
        ("category", category),
        ("question_id", question),
        ("constraints", constraints),
    ] {
        fields.extend(value.map(|value| (name.to_owned(), value)));
    }
    line(Value::Object(fields))
}

/// A line of `responses.jsonl`.
pub fn response_line(item: &str, system: &str, output: &str) -> String {
    line(json!({"item": item, "system": system, "output": output}))
}

/// A line of `labels.jsonl`.
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
    line(label)
}

fn line(value: Value) -> String {
    format!("{value}\n")
}
