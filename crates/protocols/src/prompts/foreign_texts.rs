//! The free fields of an item and its responses as a prompt shows them: between marks, like every
//! text that is not the program's own.

use super::field_values::list_texts;
use super::foreign::{FieldText, ForeignField, Owner};
use super::texts::{SlotLabels, Texts, join_blocks};
use evenhand_core::Response;
use serde_json::Value;

impl Texts<'_> {
    /// Returns a free field between marks: of the item, or of all responses in view.
    pub(super) fn foreign(&self, field: &ForeignField) -> FieldText {
        match field.owner {
            Owner::Item => self.fence_item_field(field),
            Owner::Response => self.fence_response_fields(field),
        }
    }

    fn fence_item_field(&self, field: &ForeignField) -> FieldText {
        let item = self.shown.scene.item;
        match item.fields.get(&field.path) {
            Some(value) => Ok(self.fence_value(&label_field(&field.path), value)),
            None => Err(format!(
                "it shows {field}, and the item `{}` has no field `{}`",
                item.id, field.path
            )),
        }
    }

    fn fence_response_fields(&self, field: &ForeignField) -> FieldText {
        let responses = &self.shown.scene.responses;
        if responses.is_empty() {
            return Err(format!(
                "it shows {field}, and there is no response in view"
            ));
        }
        let slots = responses.iter().enumerate();
        let blocks = slots.map(|(slot, response)| self.fence_response_field(field, slot, response));
        let blocks: Result<Vec<String>, String> = blocks.collect();
        Ok(join_blocks(blocks?))
    }

    fn fence_response_field(
        &self,
        field: &ForeignField,
        slot: usize,
        response: &Response,
    ) -> FieldText {
        let Some(value) = response.fields.get(&field.path) else {
            return Err(format!(
                "it shows {field}, and the response of `{}` to the item `{}` has no field `{}`",
                response.system, self.shown.scene.item.id, field.path
            ));
        };
        let whose = SlotLabels::new(slot, self.count(), response).name("ANSWER");
        let label = format!("{} OF {whose}", label_field(&field.path));
        Ok(self.fence_value(&label, value))
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

/// Returns the label of a field: `retrieved_documents` is `RETRIEVED DOCUMENTS`.
fn label_field(path: &str) -> String {
    path.replace('_', " ").to_uppercase()
}
