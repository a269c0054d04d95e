//! Chat templates: a conversation as the text that a model was trained on.
//!
//! A template is the Jinja source that a model file brings (`tokenizer.chat_template`), rendered as
//! Hugging Face renders it. What the messages say is kept apart from what the template says around
//! them, so that a message can never pose as the template: see [`Template::parts`].

mod date;
mod json;
mod marks;

use evenhand_core::{Message, Role};
use marks::Marked;
use minijinja::{Environment, UndefinedBehavior, context};

/// A compiled chat template.
#[derive(Debug)]
pub struct Template {
    environment: Environment<'static>,
    bos: String,
    eos: String,
}

/// A stretch of a rendered conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text of the template: control tokens in it are meant.
    Template(String),
    /// Text of a message: whatever it looks like, it is only text.
    Content(String),
}

/// Why a conversation cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TemplateError(String);

const NAME: &str = "chat template";

impl Template {
    /// Compiles a template. `bos` and `eos` are the texts of the vocabulary's first and last token.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] if the source is not a template.
    pub fn new(source: &str, bos: &str, eos: &str) -> Result<Template, TemplateError> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_fuel(Some(FUEL));
        // What templates may call beside Jinja's own.
        let raise_exception = |message: String| -> Result<String, minijinja::Error> {
            let kind = minijinja::ErrorKind::InvalidOperation;
            Err(minijinja::Error::new(kind, message))
        };
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", date::format_date);
        environment.add_filter("tojson", json::dump_json);
        // Hugging Face's `{% generation %}` marks what is trained on; it writes nothing.
        let source = replace_tag(source.to_owned(), "generation", "if true");
        let source = replace_tag(source, "endgeneration", "endif");
        let added = environment.add_template_owned(NAME, source);
        added.map_err(|error| TemplateError::new(&error))?;
        Ok(Template {
            environment,
            bos: bos.to_owned(),
            eos: eos.to_owned(),
        })
    }

    /// Returns the conversation as one text, up to where the assistant's turn begins.
    ///
    /// A system message that the template refuses or leaves out is put before the first message of
    /// the user.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] if the template does not take the conversation.
    pub fn render(&self, messages: &[Message]) -> Result<String, TemplateError> {
        let (messages, _) = self.fold_if_needed(messages)?;
        self.render_as_given(&messages)
    }

    /// Returns the conversation as [`Template::render`] gives it, with what the messages say kept
    /// apart.
    ///
    /// The template is rendered with marks in the contents' place, and the contents are put where
    /// the marks come out, trimmed where the template trims. Where a template does more to a
    /// content than that, the parts are not what it would have written; then, if no content is
    /// `risky` (looks like a control token), its own text is given as one part.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] if the template does not take the conversation.
    pub fn parts(
        &self,
        messages: &[Message],
        risky: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Part>, TemplateError> {
        let (messages, parts) = self.fold_if_needed(messages)?;
        if messages.iter().any(|message| risky(&message.content)) {
            return Ok(parts);
        }
        let own = self.render_as_given(&messages)?;
        let joined: String = parts.iter().map(Part::text).collect();
        Ok(if joined == own {
            parts
        } else {
            vec![Part::Template(own)]
        })
    }

    /// Returns the messages as the template takes them, and their parts.
    fn fold_if_needed(
        &self,
        messages: &[Message],
    ) -> Result<(Vec<Message>, Vec<Part>), TemplateError> {
        match self.render_marked(messages) {
            Ok(marked) if !has_system(messages) || marked.has_all() => {
                Ok((messages.to_vec(), marked.parts))
            }
            Err(error) if !has_system(messages) => Err(error),
            _ => {
                let folded = fold_system(messages);
                let parts = self.render_marked(&folded)?.parts;
                Ok((folded, parts))
            }
        }
    }

    fn render_marked(&self, messages: &[Message]) -> Result<Marked, TemplateError> {
        let text = self.render_as_given(&marks::mark_contents(messages))?;
        Ok(Marked::new(&text, messages))
    }

    fn render_as_given(&self, messages: &[Message]) -> Result<String, TemplateError> {
        let none = minijinja::Value::from(());
        let given = context! {
            messages, add_generation_prompt => true, tools => none, documents => none,
            bos_token => self.bos, eos_token => self.eos,
        };
        let template = self.environment.get_template(NAME);
        let rendered = template.and_then(|template| template.render(given));
        rendered.map_err(|error| TemplateError::new(&error))
    }
}

/// How many instructions a template may run: a template is a program in a file from somewhere, and
/// must end.
const FUEL: u64 = 10_000_000;

fn has_system(messages: &[Message]) -> bool {
    messages
        .iter()
        .any(|message| message.role == Role::System && !message.content.is_empty())
}

/// Returns the conversation with its system messages put before the first message of the user, a
/// blank line between.
#[must_use]
pub fn fold_system(messages: &[Message]) -> Vec<Message> {
    let (system, mut rest): (Vec<Message>, Vec<Message>) = messages
        .iter()
        .cloned()
        .partition(|message| message.role == Role::System);
    let join = |mut texts: Vec<String>| {
        texts.retain(|text| !text.is_empty());
        texts.join("\n\n")
    };
    let mut texts: Vec<String> = system.into_iter().map(|message| message.content).collect();
    match rest.iter_mut().find(|message| message.role == Role::User) {
        Some(first) => {
            texts.push(std::mem::take(&mut first.content));
            first.content = join(texts);
        }
        None => rest.insert(0, Message::user(join(texts))),
    }
    rest
}

/// Replaces what a tag says, with or without the dashes that trim white space.
fn replace_tag(mut text: String, tag: &str, instead: &str) -> String {
    for (open, close) in [("{%", "%}"), ("{%-", "%}"), ("{%", "-%}"), ("{%-", "-%}")] {
        let found = format!("{open} {tag} {close}");
        text = text.replace(&found, &format!("{open} {instead} {close}"));
    }
    text
}

impl Part {
    /// Returns the text itself.
    pub fn text(&self) -> &str {
        match self {
            Part::Template(text) | Part::Content(text) => text,
        }
    }
}

impl TemplateError {
    fn new(error: &minijinja::Error) -> TemplateError {
        let what = error.detail();
        let what = what.map_or_else(|| error.kind().to_string(), str::to_owned);
        let line = error.line();
        let place = line.map_or_else(String::new, |line| {
            format!(" (line {line} of the template)")
        });
        TemplateError(format!(
            "the model's chat template does not take this conversation: {what}{place}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_message_goes_before_the_first_user_message() {
        let system = Message {
            role: Role::System,
            content: "Judge.".to_owned(),
        };
        assert_eq!(
            fold_system(&[system.clone(), Message::user("Which?")]),
            [Message::user("Judge.\n\nWhich?")]
        );
        assert_eq!(
            fold_system(std::slice::from_ref(&system)),
            [Message::user("Judge.")]
        );
        assert_eq!(
            fold_system(&[system, Message::user("")]),
            [Message::user("Judge.")]
        );
    }
}
