//! Loads the prompt files that a protocol needs.

use super::decide::{DECIDE, DecidePrompt, read_prompt};
use super::files::{
    self, BesideFile, LikelihoodFile, PartFile, PromptSource, Question, TextFile, VerdictFile,
};
use super::templates::Templates;
use super::{
    BESIDE, BESIDE_PARTS, EXTRACT, FENCING, INVERSE, MATERIAL, Needs, PARTS, Pack, PromptError,
    Prompts, QUESTION, RUBRIC_FILE, TASK, Turn, VERDICT,
};
use crate::extraction::Notation;
use crate::form::Form;
use evenhand_core::Role;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use toml::Spanned;

/// What the form's file asks with, and how the reply is read.
struct VerdictPrompt {
    marker: String,
    notation: Option<Notation>,
    dialogue: Vec<Turn>,
}

/// Gathers the templates of a protocol.
struct Loader<'a> {
    pack: &'a Pack,
    templates: Templates,
    /// The texts of the files so far.
    texts: Vec<&'a str>,
}

/// The fields of which a template must name one, so that it shows an answer.
const SHOWS_ANSWERS: [&str; 8] = [
    MATERIAL,
    TASK,
    "answers",
    "first",
    "first_text",
    "parts",
    "notes",
    "notes_text",
];

/// The fields of which it must name one where the answers may be shown in parts.
const SHOWS_PARTS: [&str; 4] = [MATERIAL, TASK, "answers", "parts"];

impl Prompts {
    /// Loads and checks what a protocol needs that asks for verdicts.
    pub(crate) fn load(needs: &Needs, pack: &Pack) -> Result<Prompts, PromptError> {
        let mut loader = Loader::new(pack);
        loader.load_part("rubric", &format!("rubrics/{}", needs.rubric))?;
        loader.load_part(MATERIAL, "material")?;
        let verdict = loader.load_verdict(needs)?;
        let mut dialogues = BTreeMap::from([(VERDICT, verdict.dialogue)]);
        let mut beside = None;
        for file in needs.files.iter().copied().chain([EXTRACT]) {
            if file == BESIDE {
                let (turns, answers) = loader.load_beside()?;
                dialogues.insert(file, turns);
                beside = Some(answers);
            } else {
                dialogues.insert(file, loader.load_text(file)?);
            }
        }
        let names_question = |turn: &Turn| loader.templates.uses_any(&turn.template, &[QUESTION]);
        if !loader.templates.has(QUESTION) && dialogues.values().flatten().any(names_question) {
            let best = needs.questions.first().copied().unwrap_or_default();
            let why = format!("[question] has no text `{best}`, which a template names");
            let path = pack.path(needs.form.prompt_file());
            return Err(PromptError::new(path, None, why));
        }
        // A place for the text of every template that is the same for all trials.
        let fixed = loader.templates.list_fixed().into_iter();
        Ok(Prompts {
            form: needs.form,
            null: String::new(),
            marker: verdict.marker,
            notation: verdict.notation,
            reasons_in_reply: needs.reasons_in_reply,
            own_words: pack.is_replaced(needs.form.prompt_file()),
            strict_reading: pack.strict_reading,
            dialogues,
            fingerprint: digest_texts(&loader.texts),
            decide: read_decide(needs.form, pack)?,
            beside,
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
            templates: loader.templates,
            null: file.null,
            fingerprint: digest_texts(&loader.texts),
            ..Prompts::bare(form)
        })
    }

    /// Returns the prompts of a form that asks for nothing.
    pub(crate) fn bare(form: Form) -> Prompts {
        Prompts {
            form,
            templates: Templates::new(),
            null: String::new(),
            marker: String::new(),
            notation: None,
            reasons_in_reply: false,
            own_words: false,
            strict_reading: false,
            dialogues: BTreeMap::new(),
            fingerprint: digest_texts(&[]),
            decide: DecidePrompt::default(),
            beside: None,
            fixed: BTreeMap::new(),
        }
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
        let part: PartFile = source.parse().map_err(|mut error| {
            // Most often it is the text alone, where TOML's words say nothing of what is wanted.
            if file.starts_with("rubrics/") {
                error.why += &format!("; {RUBRIC_FILE}");
            }
            error
        })?;
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

    /// Loads a file that asks for a text, and returns its dialogue.
    fn load_text(&mut self, file: &'static str) -> Result<Vec<Turn>, PromptError> {
        let source = self.find_source(file)?;
        let text: TextFile = source.parse()?;
        self.add_dialogue(file, &source, &text.into_turns())
    }

    /// Loads the file that asks about two responses side by side; returns the turns that begin, and
    /// the answers.
    fn load_beside(&mut self) -> Result<(Vec<Turn>, [String; 2]), PromptError> {
        let source = self.find_source(BESIDE)?;
        let file: BesideFile = source.parse()?;
        let [first, second] = &file.names;
        let texts = [&file.answer, first, second, &file.question];
        for (part, text) in BESIDE_PARTS.into_iter().zip(texts) {
            self.templates.add(part, &source, text)?;
        }
        if !self
            .templates
            .uses_any(BESIDE_PARTS[0], &["first", "first_text"])
        {
            let why = "`answer` shows no answer: it names neither `first` nor `first_text`";
            return Err(source.error_at(Some(file.answer.span().start), why.into()));
        }
        if file.answers.iter().any(String::is_empty) || file.answers[0] == file.answers[1] {
            let why = "`answers` must be two different words, such as [\"A\", \"B\"]";
            return Err(source.error_at(None, why.into()));
        }
        let turns = files::list_turns(file.system, Some(file.user), Vec::new());
        Ok((self.add_dialogue(BESIDE, &source, &turns)?, file.answers))
    }

    /// Loads and checks the file that asks for the form's verdict, with the first of its questions
    /// that suits.
    fn load_verdict(&mut self, needs: &Needs) -> Result<VerdictPrompt, PromptError> {
        let source = self.find_source(needs.form.prompt_file())?;
        let mut file: VerdictFile = source.parse()?;
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
        let mut suitable = needs.questions.iter();
        let question = suitable.find_map(|name| file.question.remove(*name));
        let (turns, text) = match question.map(|one| (one.span(), one.into_inner())) {
            Some((_, Question::Dialogue(turns))) => (file.with_system(turns), None),
            Some((span, Question::Text(text))) => {
                (file.take_turns(), Some(Spanned::new(span, text)))
            }
            None => (file.take_turns(), None),
        };
        let dialogue = self.add_dialogue(VERDICT, &source, &turns)?;
        if let Some(text) = &text {
            self.add_part(QUESTION, &source, text)?;
        }
        self.check_shown(needs, &source, &turns, &dialogue)?;
        Ok(VerdictPrompt {
            marker: file.marker,
            notation,
            dialogue,
        })
    }

    /// Adds the templates of a file's turns.
    fn add_dialogue(
        &mut self,
        file: &str,
        source: &PromptSource,
        turns: &[files::Turn],
    ) -> Result<Vec<Turn>, PromptError> {
        check_order(source, turns)?;
        let mut dialogue = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let role = turn.role;
            let is_first = turns[..at].iter().all(|earlier| earlier.role != role);
            let template = match is_first {
                true => format!("{file}.{}", role.name()),
                false => format!("{file}.turn{}", at + 1),
            };
            self.templates.add(&template, source, &turn.content)?;
            dialogue.push(Turn {
                role,
                template,
                follows_notes: turn.follows_notes,
            });
        }
        Ok(dialogue)
    }

    /// Checks that what asks for the verdict shows the answers, and criteria where there are some.
    fn check_shown(
        &self,
        needs: &Needs,
        source: &PromptSource,
        turns: &[files::Turn],
        dialogue: &[Turn],
    ) -> Result<(), PromptError> {
        let asks_with = |fields: &[&str]| {
            let own = dialogue.iter().filter(|turn| !turn.follows_notes);
            own.map(|turn| turn.template.as_str())
                .chain([QUESTION])
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
            return Ok(());
        };
        let own = turns.iter().rfind(|turn| !turn.follows_notes);
        Err(source.error_at(own.map(|turn| turn.content.span().start), why.into()))
    }
}

/// Checks that a dialogue can be sent: at most one turn of the system, the first; then the user
/// and the judge by turns; at last the user, whom the judge answers.
fn check_order(source: &PromptSource, turns: &[files::Turn]) -> Result<(), PromptError> {
    let mut before = None;
    for turn in turns {
        let may_follow: &[Role] = match before {
            None => &[Role::System, Role::User],
            Some(Role::System | Role::Assistant) => &[Role::User],
            Some(Role::User) => &[Role::Assistant],
        };
        if !may_follow.contains(&turn.role) {
            let expected: Vec<&str> = may_follow.iter().map(|role| role.name()).collect();
            let why = format!(
                "a turn of `{}` stands here; expected `{}`: `system` first, if at all, then `user` \
                 and `assistant` by turns",
                turn.role.name(),
                expected.join("` or `")
            );
            return Err(source.error_at(Some(turn.content.span().start), why));
        }
        before = Some(turn.role);
    }
    let why = match before {
        Some(Role::User) => return Ok(()),
        None | Some(Role::System) => {
            "it asks nothing: expected `user`, or [[turns]] with role and content".into()
        }
        Some(Role::Assistant) => {
            "the last turn is of `assistant`; expected `user`, whom the judge answers".into()
        }
    };
    let last = turns.last().map(|turn| turn.content.span().start);
    Err(source.error_at(last, why))
}

/// Reads what asks a judge that answers with probabilities. It is none of the texts that other
/// judges are asked by, and so no part of their fingerprint.
fn read_decide(form: Form, pack: &Pack) -> Result<DecidePrompt, PromptError> {
    let path = pack.path(DECIDE);
    match pack.text(DECIDE) {
        Some(text) => read_prompt(&PromptSource { path, text }, form),
        None => Err(PromptError::new(path, None, "there is no such prompt")),
    }
}

pub(super) fn digest_texts(texts: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().to_hex().chars().take(16).collect()
}
