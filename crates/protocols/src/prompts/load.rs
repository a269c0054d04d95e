//! Loading the prompt files that a protocol needs.

use super::file::{LikelihoodFile, PartFile, Source, Templates, TextFile, VerdictFile};
use super::{FENCING, INVERSE, Needs, PARTS, Pack, PromptError, Prompts};
use crate::extraction::{Notation, UnknownNotation};
use crate::form::Form;
use evenhand_core::Role;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use toml::Spanned;

/// Gathers the templates of a protocol.
struct Loader<'a> {
    pack: &'a Pack,
    templates: Templates,
    used: Vec<&'a str>,
}

/// What of a verdict file is no template.
struct Verdict {
    marker: String,
    notation: Option<Notation>,
    turns: Vec<Role>,
}

/// One of these must be shown where a judgment is asked for.
const ANSWERS: [&str; 7] = [
    "material",
    "answers",
    "first",
    "first_text",
    "parts",
    "notes",
    "notes_text",
];

impl Prompts {
    /// Loads and checks what a protocol needs that asks for verdicts.
    pub(crate) fn load(needs: &Needs, pack: &Pack) -> Result<Prompts, PromptError> {
        let mut loader = Loader {
            pack,
            templates: Templates::new(),
            used: Vec::new(),
        };
        loader.part("rubric", &format!("rubrics/{}", needs.rubric))?;
        loader.part("material", "material")?;
        let verdict = loader.verdict(needs)?;
        for file in &needs.files {
            loader.text(file)?;
        }
        loader.text("extract")?;
        let fixed = loader.templates.fixed();
        Ok(Prompts {
            form: needs.form,
            null: String::new(),
            marker: verdict.marker,
            notation: verdict.notation,
            reasons_in_reply: needs.reasons_in_reply,
            turns: verdict.turns,
            fingerprint: digest(&loader.used),
            fixed: fixed
                .into_iter()
                .map(|name| (name, OnceLock::new()))
                .collect(),
            templates: loader.templates,
        })
    }

    /// Loads and checks what the likelihood form is asked after.
    pub(crate) fn load_likelihood(form: Form, pack: &Pack) -> Result<Prompts, PromptError> {
        let source = Source {
            path: pack.path("likelihood"),
            text: pack.text("likelihood").unwrap_or_default(),
        };
        let file: LikelihoodFile = source.parse()?;
        let mut templates = Templates::new();
        templates.add(INVERSE, &source, &file.inverse)?;
        if !templates.uses(INVERSE, &["first", "first_text"]) {
            let why = "`inverse` shows no answer: it names neither `first` nor `first_text`";
            return Err(source.error(Some(file.inverse.span().start), why.into()));
        }
        Ok(Prompts {
            form,
            templates,
            null: file.null,
            marker: String::new(),
            notation: None,
            reasons_in_reply: false,
            turns: Vec::new(),
            fingerprint: digest(&[source.text]),
            fixed: BTreeMap::new(),
        })
    }
}

impl<'a> Loader<'a> {
    fn source(&mut self, file: &str) -> Result<Source<'a>, PromptError> {
        let path = self.pack.path(file);
        let absent = || PromptError {
            file: path.clone(),
            line: None,
            why: "there is no such prompt".into(),
        };
        let text = self.pack.text(file).ok_or_else(absent)?;
        self.used.push(text);
        Ok(Source { path, text })
    }

    fn part(&mut self, name: &str, file: &str) -> Result<(), PromptError> {
        let source = self.source(file)?;
        let part: PartFile = source.parse()?;
        self.add(name, &source, &part.text)?;
        part.fencing
            .map_or(Ok(()), |fencing| self.add(FENCING, &source, &fencing))
    }

    /// Adds a template that stands in others. It may name those that come before it in [`PARTS`]
    /// alone, so that none holds itself.
    fn add(
        &mut self,
        name: &str,
        source: &Source,
        template: &Spanned<String>,
    ) -> Result<(), PromptError> {
        self.templates.add(name, source, template)?;
        let later: Vec<&str> = PARTS
            .iter()
            .copied()
            .skip_while(|part| *part != name)
            .collect();
        if self.templates.uses(name, &later) {
            let why = format!(
                "`{name}` may not name {}: it would hold itself",
                later.join(", ")
            );
            return Err(source.error(Some(template.span().start), why));
        }
        Ok(())
    }

    fn text(&mut self, file: &'static str) -> Result<(), PromptError> {
        let source = self.source(file)?;
        let text: TextFile = source.parse()?;
        self.templates
            .add(&format!("{file}.system"), &source, &text.system)?;
        self.templates
            .add(&format!("{file}.user"), &source, &text.user)
    }

    fn verdict(&mut self, needs: &Needs) -> Result<Verdict, PromptError> {
        let source = self.source(needs.form.kind())?;
        let file: VerdictFile = source.parse()?;
        check_answers(&source, &file, needs.form)?;
        let notation = notation(&source, &file)?;
        self.templates
            .add("verdict.system", &source, &file.system)?;
        self.templates.add("verdict.user", &source, &file.user)?;
        for (at, turn) in file.turns.iter().enumerate() {
            let name = format!("verdict.turn{at}");
            self.templates.add(&name, &source, &turn.content)?;
        }
        self.question(&source, &file, needs.questions)?;
        self.check_shows_answers(&source, &file, needs.shows_parts)?;
        Ok(Verdict {
            marker: file.marker,
            notation,
            turns: file.turns.iter().map(|turn| turn.role).collect(),
        })
    }

    fn check_shows_answers(
        &self,
        source: &Source,
        file: &VerdictFile,
        shows_parts: bool,
    ) -> Result<(), PromptError> {
        let why = if !self.asks_with(&ANSWERS) {
            "the template shows no answer: it names none of `material`, `answers`, `first`, `parts`"
        } else if shows_parts && !self.asks_with(&["material", "answers", "parts"]) {
            "portia shows the answers in parts: the template must name `material`, `answers` or \
             `parts`"
        } else {
            return Ok(());
        };
        Err(source.error(Some(file.user.span().start), why.into()))
    }

    /// Returns whether what asks for a verdict names any of these fields.
    fn asks_with(&self, fields: &[&str]) -> bool {
        let asking = ["verdict.system", "verdict.user", "question"];
        asking.iter().any(|name| self.templates.uses(name, fields))
    }

    fn question(
        &mut self,
        source: &Source,
        file: &VerdictFile,
        suitable: &[&str],
    ) -> Result<(), PromptError> {
        let question = suitable.iter().find_map(|name| file.question.get(*name));
        match question {
            Some(question) => self.add("question", source, question),
            None if !self.templates.uses("verdict.user", &["question"]) => Ok(()),
            None => {
                let best = suitable.first().copied().unwrap_or_default();
                let why = format!("[question] has no `{best}`, which the template names");
                Err(source.error(None, why))
            }
        }
    }
}

fn check_answers(source: &Source, file: &VerdictFile, form: Form) -> Result<(), PromptError> {
    let options = form.options();
    match &file.answers {
        Some(answers) if *answers.get_ref() != options => Err(source.error(
            Some(answers.span().start),
            format!("answers must be {options:?}, found {:?}", answers.get_ref()),
        )),
        _ => Ok(()),
    }
}

fn notation(source: &Source, file: &VerdictFile) -> Result<Option<Notation>, PromptError> {
    let Some(name) = &file.notation else {
        return Ok(None);
    };
    let notation = name.get_ref().parse();
    notation
        .map(Some)
        .map_err(|e: UnknownNotation| source.error(Some(name.span().start), e.to_string()))
}

fn digest(texts: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes())
            .update(text.as_bytes());
    }
    hash.finalize().to_hex().chars().take(16).collect()
}
