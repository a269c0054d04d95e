//! The free fields of an item and its responses as a prompt shows them: between marks, like every
//! text that is not the program's own.

use super::foreign::{FieldText, ForeignField, Owner, list_texts};
use super::labels::SlotLabels;
use super::texts::{Texts, join_blocks};
use serde_json::Value;

impl Texts<'_> {
    /// Returns a free field between marks: of the item, or of all responses in view.
    pub(super) fn foreign(&self, field: &ForeignField) -> FieldText {
        let path = &field.path;
        // `retrieved_documents` is `RETRIEVED DOCUMENTS`.
        let label = path.replace('_', " ").to_uppercase();
        let (item, responses) = (self.shown.scene.item, &self.shown.scene.responses);
        if field.owner == Owner::Item {
            return match item.fields.get(path) {
                Some(value) => Ok(self.fence_value(&label, value)),
                None => Err(format!(
                    "it shows {field}, and the item `{}` has no field `{path}`",
                    item.id
                )),
            };
        }
        if responses.is_empty() {
            return Err(format!(
                "it shows {field}, and there is no response in view"
            ));
        }
        let mut blocks = Vec::new();
        for (slot, response) in responses.iter().enumerate() {
            let Some(value) = response.fields.get(path) else {
                return Err(format!(
                    "it shows {field}, and the response of `{}` to the item `{}` has no field \
                     `{path}`",
                    response.system, item.id
                ));
            };
            let whose = SlotLabels::new(slot, self.count(), response).name("ANSWER");
            blocks.push(self.fence_value(&format!("{label} OF {whose}"), value));
        }
        Ok(join_blocks(blocks))
    }

    /// Puts a value between marks; the texts of a list each between marks of their own.
    fn fence_value(&self, label: &str, value: &Value) -> String {
        let texts = list_texts(value);
        let count = texts.len();
        let texts = texts.iter().enumerate();
        join_blocks(texts.map(|(at, text)| match count {
            1 => self.fence(label, text),
            _ => self.fence(&format!("{label}, {} OF {count}", at + 1), text),
        }))
    }
}
