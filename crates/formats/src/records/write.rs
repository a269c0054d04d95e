//! Writers of our own files: one line each, with its newline.

use evenhand_core::{Item, Role};
use serde_json::{Map, Value, json};

/// Returns a line of `items.jsonl`.
pub fn item_line(item: &Item) -> String {
    let mut fields = Map::new();
    let mut insert = |name: &str, value: Option<Value>| {
        fields.extend(value.map(|value| (name.to_owned(), value)));
    };
    insert("id", Some(json!(item.id)));
    match &item.messages[..] {
        [message] if message.role == Role::User => {
            insert("instruction", Some(json!(message.content)));
        }
        messages => insert("messages", Some(json!(messages))),
    }
    insert("reference", item.reference.as_ref().map(|text| json!(text)));
    insert("category", item.category.as_ref().map(|text| json!(text)));
    insert(
        "question_id",
        item.question.as_ref().map(|text| json!(text)),
    );
    insert("constraints", item.constraints.clone());
    insert(
        "criteria",
        (!item.criteria.is_empty()).then(|| json!(item.criteria)),
    );
    format!("{}\n", Value::Object(fields))
}

/// Returns a line of `responses.jsonl`.
pub fn response_line(item: &str, system: &str, output: &str) -> String {
    let response = json!({"item": item, "system": system, "output": output});
    format!("{response}\n")
}
