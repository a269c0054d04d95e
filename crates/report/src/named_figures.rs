//! Figures under their names: as members of a JSON object, and as columns of CSV.

use crate::columns::Columns;
use crate::serialize::{end_cell, optional_cell};
use evenhand_studies::Figure;
use evenhand_studies::people::CountedFigure;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

/// The name of a figure, and where an object has it.
pub(crate) type FigureOf<T, F = Figure> = (&'static str, fn(&T) -> &F);

/// A figure under its name, with how many it rests on where that is said.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    name: &'static str,
    figure: &'a Figure,
    n: Option<usize>,
}

impl<'a> From<(&'static str, &'a Figure)> for Named<'a> {
    fn from((name, figure): (&'static str, &'a Figure)) -> Self {
        let n = None;
        Named { name, figure, n }
    }
}

impl<'a> From<(&'static str, &'a CountedFigure)> for Named<'a> {
    fn from((name, counted): (&'static str, &'a CountedFigure)) -> Self {
        Named {
            name,
            figure: &counted.figure,
            n: Some(counted.n),
        }
    }
}

/// Figures as members of an object: the value of each as `NAME`, its interval as `NAME_ci`, and how
/// many it rests on as `NAME_n`. Why any is missing stands in the object's `notes`, behind the
/// first figure that has to say so; without `NOTES` that is left to others. `T` is the type that
/// has the figures as fields: their descriptions are those in the schema.
pub(crate) struct NamedFigures<'a, T, const NOTES: bool = true> {
    /// All figures of the object.
    all: Vec<Named<'a>>,
    /// Those that stand here; others come later.
    here: Range<usize>,
    of: PhantomData<T>,
}

impl<'a, T, const NOTES: bool> NamedFigures<'a, T, NOTES> {
    /// Takes the figures that a table names from an object.
    pub(crate) fn new<F: 'a>(table: &[FigureOf<T, F>], object: &'a T) -> Self
    where
        Named<'a>: From<(&'static str, &'a F)>,
    {
        let figures = table.iter();
        let all: Vec<Named> = figures
            .map(|(name, figure)| (*name, figure(object)).into())
            .collect();
        NamedFigures {
            here: 0..all.len(),
            all,
            of: PhantomData,
        }
    }

    /// Returns these, and others that stand further down in the same object, which has one `notes`
    /// for all.
    pub(crate) fn and_later<L>(
        mut self,
        later: impl IntoIterator<Item = Named<'a>>,
    ) -> (Self, NamedFigures<'a, L, NOTES>) {
        self.all.extend(later);
        let later = NamedFigures {
            all: self.all.clone(),
            here: self.here.end..self.all.len(),
            of: PhantomData,
        };
        (self, later)
    }
}

impl<T, const NOTES: bool> Serialize for NamedFigures<'_, T, NOTES> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_note = |named: &Named| NOTES && named.figure.note.is_some();
        let first_with_note = self.all.iter().position(has_note);
        let mut object = serializer.serialize_map(None)?;
        for at in self.here.clone() {
            let Named { name, figure, n } = self.all[at];
            object.serialize_entry(name, &figure.value)?;
            object.serialize_entry(&format!("{name}_ci"), &figure.ci)?;
            if first_with_note == Some(at) {
                let noted = self.all.iter().filter(|named| has_note(named));
                let notes: Map<String, Value> = noted
                    .map(|named| (named.name.into(), json!(named.figure.note)))
                    .collect();
                object.serialize_entry("notes", &notes)?;
            }
            if let Some(n) = n {
                object.serialize_entry(&format!("{name}_n"), &n)?;
            }
        }
        object.end()
    }
}

impl<T: JsonSchema, const NOTES: bool> JsonSchema for NamedFigures<'_, T, NOTES> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("FiguresOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let fields = T::json_schema(generator);
        let fields = fields.get("properties").and_then(Value::as_object);
        for (name, field) in fields.into_iter().flatten() {
            let referred = field["$ref"]
                .as_str()
                .or(field["anyOf"][0]["$ref"].as_str());
            let kind = referred.and_then(|path| path.rsplit('/').next());
            let is_counted = kind == Some("CountedFigure");
            if !is_counted && kind != Some("Figure") {
                continue;
            }
            let about = |what: &str| format!("{what} of `{name}`.");
            properties.insert(
                name.clone(),
                json!({"type": ["number", "null"], "description": field["description"]}),
            );
            properties.insert(
                format!("{name}_ci"),
                json!({
                    "description": about("The ends of the interval"),
                    "type": ["array", "null"],
                    "items": {"type": ["number", "null"]},
                    "minItems": 2,
                    "maxItems": 2,
                }),
            );
            if is_counted {
                properties.insert(
                    format!("{name}_n"),
                    json!({"type": "integer", "description": about("How many are counted")}),
                );
            }
            // A figure that an object has at times is not among its required members.
            if field.get("anyOf").is_none() {
                let members = ["", "_ci", "_n"].map(|end| format!("{name}{end}"));
                let all = if is_counted { 3 } else { 2 };
                required.extend(members.into_iter().take(all));
            }
        }
        if NOTES {
            properties.insert(
                "notes".into(),
                json!({
                    "description": "Why a figure or its interval is missing, by the figure's name.",
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                }),
            );
        }
        json_schema!({"type": "object", "properties": properties, "required": required})
    }
}

impl<'a, R: 'a> Columns<'a, R> {
    /// Adds the columns of a figure and of the two ends of its interval, whose names end as given.
    pub(crate) fn push_figure(
        &mut self,
        name: &str,
        [low, high]: [&str; 2],
        figure: impl Fn(&R) -> &Figure + Copy + 'a,
    ) {
        self.push(name, move |row| optional_cell(figure(row).value));
        for (at, end) in [low, high].into_iter().enumerate() {
            self.push(format!("{name}_{end}"), move |row| {
                end_cell(figure(row).ci, at)
            });
        }
    }
}
