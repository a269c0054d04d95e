//! Fields of items and responses that templates show: `{{ item.context }}`, `{{ response.notes }}`.

use evenhand_core::FreeFields;
use minijinja::Value;
use minijinja::value::{Object, ObjectRepr};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Whose field it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// The item's.
    Item,
    /// That of each response in view.
    Response,
}

impl Owner {
    pub(super) const ALL: [Owner; 2] = [Owner::Item, Owner::Response];

    /// Returns the name that templates use.
    pub(super) fn name(self) -> &'static str {
        match self {
            Owner::Item => "item",
            Owner::Response => "response",
        }
    }
}

/// A field that a template names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ForeignField {
    pub(super) owner: Owner,
    /// The field's name in the data; dots lead into objects.
    pub(super) path: String,
}

impl ForeignField {
    /// Reads a name such as `item.context`; None where it is no such field.
    pub(super) fn parse(name: &str) -> Option<ForeignField> {
        let (owner, path) = name.split_once('.')?;
        let owner = Owner::ALL.into_iter().find(|known| known.name() == owner)?;
        Some(ForeignField {
            owner,
            path: path.to_owned(),
        })
    }
}

impl fmt::Display for ForeignField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.owner.name(), self.path)
    }
}

/// What a template is shown of a field: its text between marks, or why there is none.
pub(super) type FieldText = Result<String, String>;

/// The values of the fields that a template names, and what it showed that is not there.
#[derive(Debug, Default)]
pub(super) struct ForeignValues {
    fields: Vec<(ForeignField, FieldText)>,
    /// Why the first field that was shown without being there is not.
    missing: OnceLock<String>,
}

impl ForeignValues {
    pub(super) fn new(fields: Vec<(ForeignField, FieldText)>) -> Arc<ForeignValues> {
        Arc::new(ForeignValues {
            fields,
            missing: OnceLock::new(),
        })
    }

    /// Returns the objects that templates call `item` and `response`, where they are named.
    pub(super) fn objects(self: &Arc<Self>) -> impl Iterator<Item = (&'static str, Value)> {
        let named = |owner: &Owner| self.fields.iter().any(|(field, _)| field.owner == *owner);
        let owners = Owner::ALL.into_iter().filter(named);
        let objects = owners.map(|owner| (owner.name(), self.node(owner, String::new())));
        objects.collect::<Vec<_>>().into_iter()
    }

    /// Returns why something that was shown is not there, where that is so.
    pub(super) fn missing(&self) -> Option<&String> {
        self.missing.get()
    }

    fn node(self: &Arc<Self>, owner: Owner, prefix: String) -> Value {
        Value::from_object(FieldNode {
            values: self.clone(),
            owner,
            prefix,
        })
    }

    fn find(self: &Arc<Self>, owner: Owner, path: &str) -> Option<Value> {
        let mut own = self.fields.iter().filter(|(field, _)| field.owner == owner);
        if let Some((_, text)) = own.clone().find(|(field, _)| field.path == path) {
            return Some(match text {
                Ok(text) => Value::from(text.as_str()),
                Err(why) => Value::from_object(AbsentField {
                    values: self.clone(),
                    why: why.clone(),
                }),
            });
        }
        let prefix = format!("{path}.");
        let leads_on = own.any(|(field, _)| field.path.starts_with(&prefix));
        leads_on.then(|| self.node(owner, prefix))
    }
}

/// An item, a response, or an object within one, as templates see it.
#[derive(Debug)]
struct FieldNode {
    values: Arc<ForeignValues>,
    owner: Owner,
    /// The path to it, with a dot at its end; empty for the item or response itself.
    prefix: String,
}

impl Object for FieldNode {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let path = format!("{}{}", self.prefix, key.as_str()?);
        self.values.find(self.owner, &path)
    }
}

/// A field that is not there: false where it is asked about, an error where it is shown.
#[derive(Debug)]
struct AbsentField {
    values: Arc<ForeignValues>,
    why: String,
}

impl Object for AbsentField {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        false
    }

    fn render(self: &Arc<Self>, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The template engine has no words for this error; they are looked up when it is done.
        let _ = self.values.missing.set(self.why.clone());
        Ok(())
    }
}

/// Returns the texts that free fields show.
pub(super) fn list_field_texts(fields: &FreeFields) -> impl Iterator<Item = String> {
    fields.values().flat_map(list_texts)
}

/// Returns the texts of a value: one, or one for each entry of a list. What is no text is JSON.
pub(super) fn list_texts(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Array(entries) if !entries.is_empty() => {
            entries.iter().map(write_value).collect()
        }
        single => vec![write_value(single)],
    }
}

fn write_value(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_else(|_| other.to_string()),
    }
}
