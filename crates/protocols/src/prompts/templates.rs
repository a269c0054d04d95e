//! Templates, checked when they are added.

use super::PromptError;
use super::fields::{FIELDS, FIXED, MadeUp, make_up_values};
use super::files::PromptSource;
use super::foreign::{FieldText, ForeignField, ForeignValues, Owner};
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;

/// How many steps a template may take: a loop over a long text is well within, one within another
/// is not.
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
        let whole = template.get_ref();
        let from_first_line = whole.trim_start_matches('\n');
        let skipped = whole.len() - from_first_line.len();
        let text = from_first_line.trim_end_matches('\n');
        // Lines of the text, counted from 1.
        let error_on = |line, why| source.error_within(template, skipped + line, why);
        let invalid = |e: minijinja::Error| error_on(e.line().unwrap_or(1), e.to_string());
        self.environment
            .add_template_owned(name.to_string(), text.to_string())
            .map_err(invalid)?;
        let added = self.environment.get_template(name).map_err(invalid)?;
        let mut names: Vec<String> = added.undeclared_variables(false).into_iter().collect();
        names.sort();
        let paths = added.undeclared_variables(true).into_iter();
        let mut foreign: Vec<ForeignField> = paths
            .filter_map(|path| ForeignField::parse(&path))
            .collect();
        foreign.sort();
        let mut fields = Vec::new();
        // Of each of `item` and `response` a free field must be named.
        for owner in Owner::ALL {
            let is_named = foreign.iter().any(|field| field.owner == owner);
            let owner = owner.name();
            if names.iter().any(|used| used == owner) && !is_named {
                let why = format!(
                    "the template names `{owner}`, which is no text; name a field of it: \
                     {owner}.FIELD"
                );
                return Err(error_on(find_line(text, owner), why));
            }
        }
        names.retain(|used| Owner::ALL.iter().all(|owner| owner.name() != used));
        for used in &names {
            match FIELDS.iter().find(|field| field.name == used) {
                Some(field) => fields.push(field.name),
                None => {
                    let known = FIELDS.each_ref().map(|field| field.name).join(", ");
                    let why =
                        format!("the template names `{used}`, which is unknown; known are {known}");
                    return Err(error_on(find_line(text, used), why));
                }
            }
        }
        self.fields.insert(name.into(), fields);
        self.foreign.insert(name.into(), foreign);
        self.try_out(name)
            .map_err(|e| error_on(e.line().unwrap_or(1), explain_failure(&e)))
    }

    /// Returns the free fields that all templates show.
    pub(super) fn foreign_fields(&self) -> impl Iterator<Item = &ForeignField> {
        self.foreign.values().flatten()
    }

    /// Fills a template in with made-up texts: with all that may be there, and with those alone
    /// that always are.
    fn try_out(&self, name: &str) -> Result<(), minijinja::Error> {
        for texts in [MadeUp::All, MadeUp::Least] {
            let foreign = self.list_values(name, |_| match texts {
                MadeUp::All => Ok("text".to_owned()),
                MadeUp::Least => Err(String::new()),
            });
            let values = make_up_values(texts).into_iter().chain(foreign.objects());
            self.fill_in(name, values.collect())?;
        }
        Ok(())
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

    /// Whether there is a template of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
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
        loop {
            let is_fixed =
                |field: &&str| FIXED.contains(field) || fixed.iter().any(|name| name == field);
            let next = self.fields.iter().find(|(name, fields)| {
                let shows_none = self.foreign.get(*name).is_none_or(Vec::is_empty);
                !fixed.contains(name) && shows_none && fields.iter().all(is_fixed)
            });
            match next {
                Some((name, _)) => fixed.push(name.clone()),
                None => return fixed,
            }
        }
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

/// Returns the first line of a template that holds this name as a word, counted from 1.
fn find_line(template: &str, name: &str) -> usize {
    let line = template.lines().position(|line| {
        line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == name)
    });
    1 + line.unwrap_or(0)
}
