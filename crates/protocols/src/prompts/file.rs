//! Prompt files: TOML with templates, checked when they are loaded.

use super::PromptError;
use super::fields::{FIXED, KNOWN, made_up};
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use toml::Spanned;

/// A file that asks for a verdict.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct VerdictFile {
    /// What stands before the verdict at the end of a longer reply.
    #[serde(default)]
    pub(super) marker: String,
    /// The notation of the verdict, where it is not the answer itself after the marker.
    #[serde(default)]
    pub(super) notation: Option<Spanned<String>>,
    /// The answers between which the judge decides, for the reader of the file; checked against the
    /// form.
    #[serde(default)]
    pub(super) answers: Option<Spanned<Vec<String>>>,
    pub(super) system: Spanned<String>,
    pub(super) user: Spanned<String>,
    /// Turns that follow where there are analyses.
    #[serde(default)]
    pub(super) turns: Vec<Turn>,
    #[serde(default)]
    pub(super) question: BTreeMap<String, Spanned<String>>,
}

/// A turn of a conversation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    pub(super) role: evenhand_core::Role,
    pub(super) content: Spanned<String>,
}

/// A file that asks for a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextFile {
    pub(super) system: Spanned<String>,
    pub(super) user: Spanned<String>,
}

/// A template for use in others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFile {
    pub(super) text: Spanned<String>,
    /// Of material.toml: what a judge is told about the marks around the material.
    #[serde(default)]
    pub(super) fencing: Option<Spanned<String>>,
}

/// What the likelihood form is asked after.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LikelihoodFile {
    /// The null instruction.
    pub(super) null: String,
    /// What asks for the instruction of a response.
    pub(super) inverse: Spanned<String>,
}

/// A file's path and text, for what is said of it.
pub(super) struct Source<'a> {
    pub(super) path: String,
    pub(super) text: &'a str,
}

impl Source<'_> {
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, PromptError> {
        toml::from_str(self.text)
            .map_err(|e| self.error(e.span().map(|span| span.start), e.message().to_string()))
    }

    /// An error at a byte of the file.
    pub(super) fn error(&self, at: Option<usize>, why: String) -> PromptError {
        PromptError {
            file: self.path.clone(),
            line: at.map(|at| self.line(at)),
            why,
        }
    }

    fn line(&self, at: usize) -> usize {
        1 + self
            .text
            .bytes()
            .take(at)
            .filter(|byte| *byte == b'\n')
            .count()
    }

    /// An error on a line of a template, counted from 1.
    fn error_within(&self, template: &Spanned<String>, line: usize, why: String) -> PromptError {
        let start = template.span().start;
        let opening = self.text.get(start..start + 4).unwrap_or("");
        // TOML leaves out a line break that follows the opening quotes.
        let first = self.line(start) + usize::from(opening == "'''\n" || opening == "\"\"\"\n");
        PromptError {
            file: self.path.clone(),
            line: Some(first + line - 1),
            why,
        }
    }
}

/// So many steps a template may take: a loop over a long text is well within, one within another is
/// not.
const MOST_STEPS: u64 = 10_000_000;

/// Templates by name, and the fields that each uses.
pub(super) struct Templates {
    environment: Environment<'static>,
    fields: BTreeMap<String, Vec<&'static str>>,
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
        }
    }

    /// Adds a template without the line breaks at its ends; what it names must be known, and it
    /// must be possible to fill it in.
    pub(super) fn add(
        &mut self,
        name: &str,
        source: &Source,
        template: &Spanned<String>,
    ) -> Result<(), PromptError> {
        let from_first_line = template.get_ref().trim_start_matches('\n');
        let skipped = template.get_ref().len() - from_first_line.len();
        let text = from_first_line.trim_end_matches('\n');
        let at = |e: &minijinja::Error| skipped + e.line().unwrap_or(1);
        self.environment
            .add_template_owned(name.to_string(), text.to_string())
            .map_err(|e| source.error_within(template, at(&e), e.to_string()))?;
        let found = self
            .environment
            .get_template(name)
            .map(|template| template.undeclared_variables(false));
        let mut names: Vec<String> = found
            .map_err(|e| source.error_within(template, at(&e), e.to_string()))?
            .into_iter()
            .collect();
        names.sort();
        let mut fields = Vec::new();
        for name in names {
            match KNOWN.iter().find(|(known, _)| *known == name) {
                Some((known, _)) => fields.push(*known),
                None => {
                    return Err(source.error_within(
                        template,
                        skipped + line_of(text, &name),
                        unknown(&name),
                    ));
                }
            }
        }
        self.fields.insert(name.into(), fields);
        self.try_out(name)
            .map_err(|e| source.error_within(template, at(&e), told(&e)))
    }

    /// Fills a template in with made-up texts: with all that may be there, and with those alone
    /// that always are.
    fn try_out(&self, name: &str) -> Result<(), minijinja::Error> {
        let template = self.environment.get_template(name)?;
        [true, false]
            .into_iter()
            .try_for_each(|all| template.render(made_up(all)).map(drop))
    }

    /// Whether a template uses any of these fields.
    pub(super) fn uses(&self, name: &str, fields: &[&str]) -> bool {
        self.fields
            .get(name)
            .is_some_and(|used| used.iter().any(|field| fields.contains(field)))
    }

    /// The templates that name nothing of a trial, neither themselves nor by the parts that they
    /// hold.
    pub(super) fn fixed(&self) -> Vec<String> {
        let mut fixed: Vec<String> = Vec::new();
        loop {
            let known =
                |field: &&str| FIXED.contains(field) || fixed.iter().any(|name| name == field);
            let next = self
                .fields
                .iter()
                .find(|(name, fields)| !fixed.contains(name) && fields.iter().all(&known));
            match next {
                Some((name, _)) => fixed.push(name.clone()),
                None => return fixed,
            }
        }
    }

    /// A template with its fields filled in, as they are; empty where there is no such template.
    pub(super) fn render(
        &self,
        name: &str,
        field: impl Fn(&str) -> Result<Value, String>,
    ) -> Result<String, String> {
        let Some(fields) = self.fields.get(name) else {
            return Ok(String::new());
        };
        let values: Result<Vec<(&str, Value)>, String> = fields
            .iter()
            .map(|name| field(name).map(|value| (*name, value)))
            .collect();
        let template = self
            .environment
            .get_template(name)
            .map_err(|e| e.to_string())?;
        template
            .render(values?.into_iter().collect::<Value>())
            .map_err(|e| format!("{name}: {}", told(&e)))
    }
}

/// An error of a template that is filled in, in a line.
fn told(error: &minijinja::Error) -> String {
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

fn unknown(name: &str) -> String {
    let known: Vec<&str> = KNOWN.iter().map(|(known, _)| *known).collect();
    format!(
        "the template names `{name}`, which is unknown; known are {}",
        known.join(", ")
    )
}

/// The first line of a template that holds this name as a word.
fn line_of(template: &str, name: &str) -> usize {
    let word = |line: &str| {
        line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == name)
    };
    1 + template.lines().position(word).unwrap_or(0)
}
