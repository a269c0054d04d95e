//! Loads the prompt files that a protocol needs.

use super::files::{LikelihoodFile, PartFile, PromptSource, TextFile, VerdictFile};
use super::templates::Templates;
use super::{FENCING, INVERSE, Needs, PARTS, Pack, PromptError, Prompts};
use crate::extraction::Notation;
use crate::form::Form;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use toml::Spanned;

/// Gathers the templates of a protocol.
struct Loader<'a> {
    pack: &'a Pack,
    templates: Templates,
    /// The texts of the files so far.
    texts: Vec<&'a str>,
}

/// The fields of which a template must name one, so that it shows an answer.
const SHOWS_ANSWERS: [&str; 7] = [
    "material",
    "answers",
    "first",
    "first_text",
    "parts",
    "notes",
    "notes_text",
];

/// The fields of which it must name one where the answers may be shown in parts.
const SHOWS_PARTS: [&str; 3] = ["material", "answers", "parts"];

impl Prompts {
    /// Loads and checks what a protocol needs that asks for verdicts.
    pub(crate) fn load(needs: &Needs, pack: &Pack) -> Result<Prompts, PromptError> {
        let mut loader = Loader::new(pack);
        loader.load_part("rubric", &format!("rubrics/{}", needs.rubric))?;
        loader.load_part("material", "material")?;
        let (verdict, notation) = loader.load_verdict(needs)?;
        for file in &needs.files {
            loader.load_text(file)?;
        }
        loader.load_text("extract")?;
        // A place for the text of every template that is the same for all trials.
        let fixed = loader.templates.list_fixed().into_iter();
        Ok(Prompts {
            form: needs.form,
            null: String::new(),
            marker: verdict.marker,
            notation,
            reasons_in_reply: needs.reasons_in_reply,
            own_words: pack.is_replaced(needs.form.prompt_file()),
            strict_reading: pack.strict_reading,
            turns: verdict.turns.iter().map(|turn| turn.role).collect(),
            fingerprint: digest_texts(&loader.texts),
            fixed: fixed.map(|name| (name, OnceLock::new())).collect(),
            templates: loader.templates,
        })
    }

    /// Loads and checks the prompts of the likelihood form.
    pub(crate) fn load_likelihood(form: Form, pack: &Pack) -> Result<Prompts, PromptError> {
        let mut loader = Loader::new(pack);
        let source = loader.find_source("likelihood")?;
        let file: LikelihoodFile = source.parse()?;
        loader.templates.add(INVERSE, &source, &file.inverse)?;
        if !loader.templates.uses_any(INVERSE, &["first", "first_text"]) {
            let why = "`inverse` shows no answer: it names neither `first` nor `first_text`";
            return Err(source.error_at(Some(file.inverse.span().start), why.into()));
        }
        Ok(Prompts {
            form,
            templates: loader.templates,
            null: file.null,
            marker: String::new(),
            notation: None,
            reasons_in_reply: false,
            own_words: false,
            strict_reading: false,
            turns: Vec::new(),
            fingerprint: digest_texts(&loader.texts),
            fixed: BTreeMap::new(),
        })
    }
}

impl<'a> Loader<'a> {
    fn new(pack: &'a Pack) -> Loader<'a> {
        Loader {
            pack,
            templates: Templates::new(),
            texts: Vec::new(),
        }
    }

    fn find_source(&mut self, file: &str) -> Result<PromptSource<'a>, PromptError> {
        let path = self.pack.path(file);
        let Some(text) = self.pack.text(file) else {
            return Err(PromptError::new(path, None, "there is no such prompt"));
        };
        self.texts.push(text);
        Ok(PromptSource { path, text })
    }

    /// Loads a template that stands in others.
    fn load_part(&mut self, name: &str, file: &str) -> Result<(), PromptError> {
        let source = self.find_source(file)?;
        let part: PartFile = source.parse()?;
        self.add_part(name, &source, &part.text)?;
        match &part.fencing {
            Some(fencing) => self.add_part(FENCING, &source, fencing),
            None => Ok(()),
        }
    }

    /// Adds a template that stands in others. It may name only those that come before it in
    /// [`PARTS`], so that none holds itself.
    fn add_part(
        &mut self,
        name: &str,
        source: &PromptSource,
        template: &Spanned<String>,
    ) -> Result<(), PromptError> {
        self.templates.add(name, source, template)?;
        let parts = PARTS.iter().copied();
        let later: Vec<&str> = parts.skip_while(|part| *part != name).collect();
        if !self.templates.uses_any(name, &later) {
            return Ok(());
        }
        let later = later.join(", ");
        let why = format!("`{name}` may not name {later}: it would hold itself");
        Err(source.error_at(Some(template.span().start), why))
    }

    /// Loads a file that asks for a text.
    fn load_text(&mut self, file: &'static str) -> Result<(), PromptError> {
        let source = self.find_source(file)?;
        let text: TextFile = source.parse()?;
        let (system, user) = (format!("{file}.system"), format!("{file}.user"));
        self.templates.add(&system, &source, &text.system)?;
        self.templates.add(&user, &source, &text.user)
    }

    /// Loads and checks the file that asks for the form's verdict, with the first of its questions
    /// that suits.
    fn load_verdict(
        &mut self,
        needs: &Needs,
    ) -> Result<(VerdictFile, Option<Notation>), PromptError> {
        let source = self.find_source(needs.form.prompt_file())?;
        let file: VerdictFile = source.parse()?;
        let options = needs.form.options();
        if let Some(answers) = &file.answers
            && *answers.get_ref() != options
        {
            let why = format!("answers must be {options:?}, found {:?}", answers.get_ref());
            return Err(source.error_at(Some(answers.span().start), why));
        }
        let notation = match &file.notation {
            None => None,
            Some(name) => Some(
                name.get_ref()
                    .parse::<Notation>()
                    .map_err(|e| source.error_at(Some(name.span().start), e.to_string()))?,
            ),
        };
        self.templates
            .add("verdict.system", &source, &file.system)?;
        self.templates.add("verdict.user", &source, &file.user)?;
        for (at, turn) in file.turns.iter().enumerate() {
            let name = format!("verdict.turn{at}");
            self.templates.add(&name, &source, &turn.content)?;
        }
        let mut suitable = needs.questions.iter();
        if let Some(question) = suitable.find_map(|name| file.question.get(*name)) {
            self.add_part("question", &source, question)?;
        } else if self.templates.uses_any("verdict.user", &["question"]) {
            let best = needs.questions.first().copied().unwrap_or_default();
            let why = format!("[question] has no `{best}`, which the template names");
            return Err(source.error_at(None, why));
        }
        // What asks for the verdict must show the answers, and criteria where there are some.
        let asks_with = |fields: &[&str]| {
            ["verdict.system", "verdict.user", "question"]
                .iter()
                .any(|name| self.templates.uses_any(name, fields))
        };
        let is_checklist = matches!(needs.form, Form::Checklist(_));
        let why = if !asks_with(&SHOWS_ANSWERS) {
            "the template shows no answer: it names none of `material`, `answers`, `first`, `parts`"
        } else if needs.shows_parts && !asks_with(&SHOWS_PARTS) {
            "portia shows the answers in parts: the template must name `material`, `answers` or \
             `parts`"
        } else if is_checklist && !asks_with(&["checklist"]) {
            "the template shows no criterion: it does not name `checklist`"
        } else {
            return Ok((file, notation));
        };
        Err(source.error_at(Some(file.user.span().start), why.into()))
    }
}

fn digest_texts(texts: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().to_hex().chars().take(16).collect()
}
