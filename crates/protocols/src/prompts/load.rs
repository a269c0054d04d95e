//! Loads the prompt files that a protocol needs.

use super::files::{LikelihoodFile, PartFile, PromptSource, TextFile, VerdictFile};
use super::templates::Templates;
use super::{FENCING, INVERSE, Needs, PARTS, Pack, PromptError, Prompts};
use crate::extraction::Notation;
use crate::form::Form;
use evenhand_core::Role;
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

/// A file that asks for a verdict, and where it comes from.
struct LoadedVerdict<'a> {
    source: PromptSource<'a>,
    file: VerdictFile,
}

/// The settings of a verdict file, beside its templates.
struct VerdictSettings {
    marker: String,
    notation: Option<Notation>,
    turns: Vec<Role>,
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
        let verdict = loader.load_verdict(needs)?;
        for file in &needs.files {
            loader.load_text(file)?;
        }
        loader.load_text("extract")?;
        Ok(Prompts {
            form: needs.form,
            null: String::new(),
            marker: verdict.marker,
            notation: verdict.notation,
            reasons_in_reply: needs.reasons_in_reply,
            own_words: pack.is_replaced(needs.form.prompt_file()),
            strict_reading: pack.strict_reading,
            turns: verdict.turns,
            fingerprint: digest_texts(&loader.texts),
            fixed: prepare_fixed(&loader.templates),
            templates: loader.templates,
        })
    }

    /// Loads and checks the prompts of the likelihood form.
    pub(crate) fn load_likelihood(form: Form, pack: &Pack) -> Result<Prompts, PromptError> {
        let mut loader = Loader::new(pack);
        let null = loader.load_likelihood()?;
        Ok(Prompts {
            form,
            templates: loader.templates,
            null,
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

/// Returns a place for the text of every template that is the same for all trials.
fn prepare_fixed(templates: &Templates) -> BTreeMap<String, OnceLock<Result<String, String>>> {
    let names = templates.list_fixed();
    names
        .into_iter()
        .map(|name| (name, OnceLock::new()))
        .collect()
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

    /// Loads the file that asks for the form's verdict.
    fn load_verdict(&mut self, needs: &Needs) -> Result<VerdictSettings, PromptError> {
        let source = self.find_source(needs.form.prompt_file())?;
        let file = source.parse()?;
        let verdict = LoadedVerdict { source, file };
        verdict.check_answers(needs.form)?;
        let notation = verdict.parse_notation()?;
        self.add_verdict_templates(&verdict)?;
        self.add_question(&verdict, &needs.questions)?;
        self.check_shows_answers(&verdict, needs.shows_parts)?;
        self.check_shows_criteria(&verdict, needs.form)?;
        Ok(VerdictSettings {
            turns: verdict.roles(),
            marker: verdict.file.marker,
            notation,
        })
    }

    fn add_verdict_templates(&mut self, verdict: &LoadedVerdict) -> Result<(), PromptError> {
        let LoadedVerdict { source, file } = verdict;
        let templates = &mut self.templates;
        templates.add("verdict.system", source, &file.system)?;
        templates.add("verdict.user", source, &file.user)?;
        for (at, turn) in file.turns.iter().enumerate() {
            templates.add(&format!("verdict.turn{at}"), source, &turn.content)?;
        }
        Ok(())
    }

    fn check_shows_answers(
        &self,
        verdict: &LoadedVerdict,
        shows_parts: bool,
    ) -> Result<(), PromptError> {
        let why = if !self.asks_with(&SHOWS_ANSWERS) {
            "the template shows no answer: it names none of `material`, `answers`, `first`, `parts`"
        } else if shows_parts && !self.asks_with(&SHOWS_PARTS) {
            "portia shows the answers in parts: the template must name `material`, `answers` or \
             `parts`"
        } else {
            return Ok(());
        };
        Err(verdict.error_at(&verdict.file.user, why.into()))
    }

    fn check_shows_criteria(&self, verdict: &LoadedVerdict, form: Form) -> Result<(), PromptError> {
        let is_checklist = matches!(form, Form::Checklist(_));
        if !is_checklist || self.asks_with(&["checklist"]) {
            return Ok(());
        }
        let why = "the template shows no criterion: it does not name `checklist`";
        Err(verdict.error_at(&verdict.file.user, why.into()))
    }

    /// Whether what asks for a verdict names any of these fields.
    fn asks_with(&self, fields: &[&str]) -> bool {
        ["verdict.system", "verdict.user", "question"]
            .iter()
            .any(|name| self.templates.uses_any(name, fields))
    }

    /// Adds the first of the questions in `suitable` that the file has.
    fn add_question(
        &mut self,
        verdict: &LoadedVerdict,
        suitable: &[&str],
    ) -> Result<(), PromptError> {
        let questions = &verdict.file.question;
        if let Some(question) = suitable.iter().find_map(|name| questions.get(*name)) {
            return self.add_part("question", &verdict.source, question);
        }
        if !self.templates.uses_any("verdict.user", &["question"]) {
            return Ok(());
        }
        Err(lacks_question(&verdict.source, suitable))
    }

    /// Loads the template of the likelihood form; returns the null instruction.
    fn load_likelihood(&mut self) -> Result<String, PromptError> {
        let source = self.find_source("likelihood")?;
        let file: LikelihoodFile = source.parse()?;
        self.templates.add(INVERSE, &source, &file.inverse)?;
        if !self.templates.uses_any(INVERSE, &["first", "first_text"]) {
            let why = "`inverse` shows no answer: it names neither `first` nor `first_text`";
            return Err(source.error_at(Some(file.inverse.span().start), why.into()));
        }
        Ok(file.null)
    }
}

fn lacks_question(source: &PromptSource, suitable: &[&str]) -> PromptError {
    let best = suitable.first().copied().unwrap_or_default();
    let why = format!("[question] has no `{best}`, which the template names");
    source.error_at(None, why)
}

impl LoadedVerdict<'_> {
    /// Checks that the answers that the file names are those of the form.
    fn check_answers(&self, form: Form) -> Result<(), PromptError> {
        let options = form.options();
        let Some(answers) = &self.file.answers else {
            return Ok(());
        };
        if *answers.get_ref() == options {
            return Ok(());
        }
        let why = format!("answers must be {options:?}, found {:?}", answers.get_ref());
        Err(self.error_at(answers, why))
    }

    fn parse_notation(&self) -> Result<Option<Notation>, PromptError> {
        let Some(name) = &self.file.notation else {
            return Ok(None);
        };
        match name.get_ref().parse::<Notation>() {
            Ok(notation) => Ok(Some(notation)),
            Err(e) => Err(self.error_at(name, e.to_string())),
        }
    }

    fn roles(&self) -> Vec<Role> {
        self.file.turns.iter().map(|turn| turn.role).collect()
    }

    fn error_at<T>(&self, place: &Spanned<T>, why: String) -> PromptError {
        self.source.error_at(Some(place.span().start), why)
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
