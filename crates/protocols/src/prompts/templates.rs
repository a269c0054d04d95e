//! Templates, checked when they are added.

use super::PromptError;
use super::fields::{FIELDS, FIXED, Field, MadeUp, make_up_values};
use super::files::PromptSource;
use super::foreign::{FieldText, ForeignField, ForeignValues, Owner};
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;

/// How many steps a template may take: a loop over a long text is well within, one within another is
/// not.
const MOST_STEPS: u64 = 10_000_000;

/// Templates by name, and the fields that each uses.
pub(super) struct Templates {
    environment: Environment<'static>,
    fields: BTreeMap<String, Vec<&'static str>>,
    /// The free fields of items and responses that each shows.
    foreign: BTreeMap<String, Vec<ForeignField>>,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates")
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

impl Templates {
    pub(super) fn new() -> Templates {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(MOST_STEPS));
        Templates {
            environment,
            fields: BTreeMap::new(),
            foreign: BTreeMap::new(),
        }
    }

    /// Adds a template without the line breaks at its ends.
    ///
    /// # Errors
    /// It does not parse, it names an unknown field, or it cannot be filled in.
    pub(super) fn add(
        &mut self,
        name: &str,
        source: &PromptSource,
        template: &Spanned<String>,
    ) -> Result<(), PromptError> {
        let new = NewTemplate::of_source(source, template);
        self.environment
            .add_template_owned(name.to_string(), new.text.to_string())
            .map_err(|e| new.error(&e, e.to_string()))?;
        let names = self
            .list_names(name)
            .map_err(|e| new.error(&e, e.to_string()))?;
        let foreign = self
            .list_foreign(name)
            .map_err(|e| new.error(&e, e.to_string()))?;
        let names = new.check_foreign(names, &foreign)?;
        self.fields.insert(name.into(), new.check_names(&names)?);
        self.foreign.insert(name.into(), foreign);
        self.try_out(name)
            .map_err(|e| new.error(&e, explain_failure(&e)))
    }

    /// Returns the names that a template uses, in order.
    fn list_names(&self, template: &str) -> Result<Vec<String>, minijinja::Error> {
        let template = self.environment.get_template(template)?;
        let mut names: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        names.sort();
        Ok(names)
    }

    /// Returns the free fields that a template names, in order.
    fn list_foreign(&self, template: &str) -> Result<Vec<ForeignField>, minijinja::Error> {
        let template = self.environment.get_template(template)?;
        let names = template.undeclared_variables(true).into_iter();
        let mut fields: Vec<_> = names
            .filter_map(|name| ForeignField::parse(&name))
            .collect();
        fields.sort();
        Ok(fields)
    }

    /// Returns the free fields that all templates show.
    pub(super) fn foreign_fields(&self) -> impl Iterator<Item = &ForeignField> {
        self.foreign.values().flatten()
    }

    /// Fills a template in with made-up texts: with all that may be there, and with those alone
    /// that always are.
    fn try_out(&self, name: &str) -> Result<(), minijinja::Error> {
        for texts in [MadeUp::All, MadeUp::Least] {
            let foreign = self.make_up_foreign(name, texts);
            let values = make_up_values(texts).into_iter().chain(foreign.objects());
            self.fill_in(name, values.collect())?;
        }
        Ok(())
    }

    /// Makes up a text for every free field that a template names.
    fn make_up_foreign(&self, name: &str, texts: MadeUp) -> Arc<ForeignValues> {
        self.list_values(name, |_| match texts {
            MadeUp::All => Ok("text".to_owned()),
            MadeUp::Least => Err(String::new()),
        })
    }

    /// Returns the text of every free field that a template names.
    fn list_values(
        &self,
        name: &str,
        text: impl Fn(&ForeignField) -> FieldText,
    ) -> Arc<ForeignValues> {
        let fields = self.foreign.get(name).into_iter().flatten();
        ForeignValues::new(fields.map(|field| (field.clone(), text(field))).collect())
    }

    /// Whether a template uses any of these fields.
    pub(super) fn uses_any(&self, name: &str, fields: &[&str]) -> bool {
        self.fields
            .get(name)
            .is_some_and(|used| used.iter().any(|field| fields.contains(field)))
    }

    /// Returns the templates that name nothing of a trial, neither themselves nor by the parts that
    /// they hold.
    pub(super) fn list_fixed(&self) -> Vec<String> {
        let mut fixed: Vec<String> = Vec::new();
        // A template may hold others, so one may follow from those found before.
        while let Some(name) = self.find_next_fixed(&fixed) {
            fixed.push(name.clone());
        }
        fixed
    }

    fn find_next_fixed(&self, fixed: &[String]) -> Option<&String> {
        let mut others = self.fields.iter().filter(|(name, _)| !fixed.contains(name));
        let next = others.find(|(name, fields)| {
            let shows_none = self.foreign.get(*name).is_none_or(Vec::is_empty);
            shows_none && fields.iter().all(|field| is_fixed(field, fixed))
        });
        next.map(|(name, _)| name)
    }

    /// Fills in a template; empty where there is no such template. `value` gives a field's value,
    /// `foreign` the text of a free field.
    pub(super) fn render(
        &self,
        name: &str,
        value: impl Fn(&str) -> Result<Value, String>,
        foreign: impl Fn(&ForeignField) -> FieldText,
    ) -> Result<String, String> {
        let Some(fields) = self.fields.get(name) else {
            return Ok(String::new());
        };
        let fields = fields.iter();
        let values: Result<Vec<(&str, Value)>, String> =
            fields.map(|field| Ok((*field, value(field)?))).collect();
        let shown = self.list_values(name, foreign);
        let values = values?.into_iter().chain(shown.objects());
        let text = self
            .fill_in(name, values.collect())
            .map_err(|e| format!("{name}: {}", explain_failure(&e)))?;
        match shown.missing() {
            Some(why) => Err(format!("{name}: {why}")),
            None => Ok(text),
        }
    }

    fn fill_in(&self, name: &str, values: Value) -> Result<String, minijinja::Error> {
        self.environment.get_template(name)?.render(values)
    }
}

/// Whether a field is the same in all trials, itself or as one of the fixed templates.
fn is_fixed(field: &str, fixed: &[String]) -> bool {
    FIXED.contains(&field) || fixed.iter().any(|name| name == field)
}

/// A template that is being added.
struct NewTemplate<'a> {
    source: &'a PromptSource<'a>,
    template: &'a Spanned<String>,
    /// The template without the line breaks at its ends.
    text: &'a str,
    /// How many line breaks stood before it.
    skipped: usize,
}

impl<'a> NewTemplate<'a> {
    fn of_source(source: &'a PromptSource, template: &'a Spanned<String>) -> NewTemplate<'a> {
        let whole = template.get_ref();
        let from_first_line = whole.trim_start_matches('\n');
        NewTemplate {
            source,
            template,
            text: from_first_line.trim_end_matches('\n'),
            skipped: whole.len() - from_first_line.len(),
        }
    }

    /// Returns the names without `item` and `response`, of each of which a free field must be named.
    fn check_foreign(
        &self,
        names: Vec<String>,
        foreign: &[ForeignField],
    ) -> Result<Vec<String>, PromptError> {
        let mut others = names;
        for owner in Owner::ALL.map(Owner::name) {
            let at = others.iter().position(|name| name == owner);
            let Some(at) = at else { continue };
            others.remove(at);
            if !foreign.iter().any(|field| field.owner.name() == owner) {
                return Err(self.lacks_field_of(owner));
            }
        }
        Ok(others)
    }

    fn lacks_field_of(&self, owner: &str) -> PromptError {
        let line = find_line(self.text, owner);
        self.error_on(line, explain_owner(owner))
    }

    /// Returns the names as fields, all of which must be known.
    fn check_names(&self, names: &[String]) -> Result<Vec<&'static str>, PromptError> {
        let fields = names.iter().map(|name| match Field::find(name) {
            Some(field) => Ok(field.name),
            None => Err(self.error_on(find_line(self.text, name), explain_unknown(name))),
        });
        fields.collect()
    }

    fn error(&self, error: &minijinja::Error, why: String) -> PromptError {
        self.error_on(error.line().unwrap_or(1), why)
    }

    /// Returns an error on a line of the text, counted from 1.
    fn error_on(&self, line: usize, why: String) -> PromptError {
        self.source
            .error_within(self.template, self.skipped + line, why)
    }
}

/// Explains in a line why a template cannot be filled in.
fn explain_failure(error: &minijinja::Error) -> String {
    match error.kind() {
        ErrorKind::OutOfFuel => {
            "the template takes too many steps: does it loop over a text within another loop?"
                .into()
        }
        ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction => {
            format!(
                "the template cannot be filled in: {error}; prompts have no filters, tests and \
                 functions"
            )
        }
        _ => format!("the template cannot be filled in: {error}"),
    }
}

fn explain_owner(owner: &str) -> String {
    format!("the template names `{owner}`, which is no text; name a field of it: {owner}.FIELD")
}

fn explain_unknown(name: &str) -> String {
    let known = FIELDS.each_ref().map(|field| field.name);
    format!(
        "the template names `{name}`, which is unknown; known are {}",
        known.join(", ")
    )
}

/// Returns the first line of a template that holds this name as a word, counted from 1.
fn find_line(template: &str, name: &str) -> usize {
    let line = template.lines().position(|line| holds_word(line, name));
    1 + line.unwrap_or(0)
}

fn holds_word(line: &str, name: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| word == name)
}
