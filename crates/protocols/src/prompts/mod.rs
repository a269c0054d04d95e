//! Prompts are data: TOML files of templates, in our own words, compiled in; any of them can be
//! replaced.

mod fields;
mod file;
mod pack;

pub use fields::KNOWN as FIELDS;
pub(crate) use fields::{Context, Shown, letters};
pub use pack::Pack;

use crate::extraction::Notation;
use crate::fence::{ORDINARY, told};
use crate::protocol::text_prompts;
use crate::{Calibration, Form, Prompt, Reasoning, ReasoningKind};
use evenhand_core::{About, AnswerOptions, Decoding, Message, Role, Task, Wanted};
use file::{LikelihoodFile, PartFile, Source, Templates, TextFile, Turn, VerdictFile};
use minijinja::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use toml::Spanned;

/// The most tokens that a judge may spend on its reasoning and verdict, and on one analysis.
const REASONING_TOKENS: u32 = 512;
/// The most tokens of criteria.
const METRICS_TOKENS: u32 = 256;
/// The most tokens of a reference answer.
const REFERENCE_TOKENS: u32 = 1024;
/// The most tokens of a bare verdict, for a model that dresses it up.
const VERDICT_TOKENS: u32 = 8;
/// The most tokens of a bare verdict that is longer than one answer: two scores, or an order.
const LONG_VERDICT_TOKENS: u32 = 64;

/// A prompt file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub struct PromptError {
    /// The file: the user's by its path, a built-in one by its name under `prompts/`.
    pub file: String,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
}

impl std::fmt::Display for PromptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))?;
        write!(f, ": {}", self.why)
    }
}

/// The prompts of one protocol, ready to render.
#[derive(Debug)]
pub struct Prompts {
    form: Form,
    templates: Templates,
    null: String,
    marker: String,
    notation: Option<Notation>,
    /// Whether the verdict's reply holds the reasoning too.
    long: bool,
    turns: Vec<Role>,
    fingerprint: String,
    /// The templates that are the same for all trials, once they were filled in.
    fixed: BTreeMap<String, OnceLock<Result<String, String>>>,
}

/// A prompt of a run that asks for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPrompt {
    Analyse,
    AnalyseAll,
    Metrics,
    Reference,
}

impl TextPrompt {
    fn file(self) -> &'static str {
        match self {
            TextPrompt::Analyse => "analyse",
            TextPrompt::AnalyseAll => "analyse-all",
            TextPrompt::Metrics => "metrics",
            TextPrompt::Reference => "reference",
        }
    }

    fn tokens(self) -> u32 {
        match self {
            TextPrompt::Analyse | TextPrompt::AnalyseAll => REASONING_TOKENS,
            TextPrompt::Metrics => METRICS_TOKENS,
            TextPrompt::Reference => REFERENCE_TOKENS,
        }
    }
}

impl Prompts {
    /// Loads and checks what a protocol needs.
    pub(crate) fn load(
        form: Form,
        reasoning: Reasoning,
        calibration: Calibration,
        rubric: &str,
        pack: &Pack,
    ) -> Result<Prompts, PromptError> {
        if let Form::Likelihood(_) = form {
            return likelihood(form, pack);
        }
        let mut loader = Loader {
            pack,
            templates: Templates::new(),
            used: Vec::new(),
        };
        loader.part("rubric", &format!("rubrics/{rubric}"))?;
        loader.part("material", "material")?;
        let Verdict {
            marker,
            notation,
            turns,
        } = loader.verdict(
            form,
            reasoning,
            matches!(calibration, Calibration::Portia(_)),
        )?;
        for prompt in text_prompts(reasoning) {
            loader.text(prompt.file())?;
        }
        if matches!(calibration, Calibration::SwapCot(_)) {
            loader.text("reconsider")?;
        }
        loader.text("extract")?;
        let (fingerprint, templates) = (digest(&loader.used), loader.templates);
        let long = reasoning.is_in_the_reply();
        let fixed = templates
            .fixed()
            .into_iter()
            .map(|name| (name, OnceLock::new()))
            .collect();
        Ok(Prompts {
            form,
            templates,
            null: String::new(),
            marker,
            notation,
            long,
            turns,
            fingerprint,
            fixed,
        })
    }

    /// A digest of the files that these prompts come from.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    pub(crate) fn notation(&self) -> Option<Notation> {
        self.notation
    }

    pub(crate) fn null_instruction(&self) -> &str {
        &self.null
    }

    /// The turn after which a likely instruction stands, for a response.
    pub(crate) fn inverse(&self, shown: &Shown) -> Result<Message, String> {
        self.render(INVERSE, &shown.measured()).map(Message::user)
    }

    /// Asks for a verdict on the responses in view.
    pub(crate) fn verdict(&self, shown: &Shown) -> Result<Prompt, String> {
        let shown = &shown.measured();
        let mut messages = self.messages("verdict", shown)?;
        if !shown.notes.is_empty() {
            for (at, role) in self.turns.iter().enumerate() {
                messages.push(Message {
                    role: *role,
                    content: self.render(&format!("verdict.turn{at}"), shown)?,
                });
            }
        }
        Ok(self.asking(messages, shown))
    }

    /// Asks for it again, with two assessments that contradict one another.
    pub(crate) fn reconsider(&self, shown: &Shown) -> Result<Prompt, String> {
        Ok(self.asking(self.messages("reconsider", &shown.measured())?, shown))
    }

    /// Asks for a text.
    pub(crate) fn text(&self, prompt: TextPrompt, shown: &Shown) -> Result<Prompt, String> {
        let decoding = Decoding {
            max_tokens: prompt.tokens(),
            temperature: 0.0,
            seed: 0,
        };
        let about = About::new(shown.scene.item, &shown.scene.responses);
        Ok(Prompt {
            messages: self.messages(prompt.file(), &shown.measured())?,
            task: Task::Generate {
                decoding,
                answers: None,
            },
            about,
        })
    }

    /// Asks which verdict a reply expresses.
    pub(crate) fn extract(&self, shown: &Shown, options: Vec<String>) -> Result<Prompt, String> {
        let max_tokens = if options.is_empty() {
            LONG_VERDICT_TOKENS
        } else {
            VERDICT_TOKENS
        };
        let decoding = Decoding {
            max_tokens,
            temperature: 0.0,
            seed: 0,
        };
        let answers = (!options.is_empty()).then(|| AnswerOptions {
            options,
            after: String::new(),
        });
        let about =
            About::new(shown.scene.item, &shown.scene.responses).wanting(Wanted::Extraction);
        Ok(Prompt {
            messages: self.messages("extract", &shown.measured())?,
            task: Task::Generate { decoding, answers },
            about,
        })
    }

    fn asking(&self, messages: Vec<Message>, shown: &Shown) -> Prompt {
        let after = if self.long {
            self.marker.clone()
        } else {
            String::new()
        };
        let options = self.form.options();
        let asked = !options.is_empty() && self.notation.is_none();
        let answers = asked.then(|| AnswerOptions {
            options,
            after: after.clone(),
        });
        let max_tokens = match (self.long, asked) {
            (true, _) => REASONING_TOKENS,
            (false, true) => VERDICT_TOKENS,
            (false, false) => LONG_VERDICT_TOKENS,
        };
        let about =
            About::new(shown.scene.item, &shown.scene.responses).wanting(wanted(self.form, after));
        let decoding = Decoding {
            max_tokens,
            temperature: 0.0,
            seed: 0,
        };
        Prompt {
            messages,
            task: Task::Generate { decoding, answers },
            about,
        }
    }

    fn messages(&self, file: &str, shown: &Shown) -> Result<Vec<Message>, String> {
        let system = self.render(&format!("{file}.system"), shown)?;
        let user = Message::user(self.render(&format!("{file}.user"), shown)?);
        Ok(if system.is_empty() {
            vec![user]
        } else {
            vec![Message::system(system), user]
        })
    }

    fn render(&self, name: &str, shown: &Shown) -> Result<String, String> {
        match self.fixed.get(name).filter(|_| shown.width() == ORDINARY) {
            Some(once) => once.get_or_init(|| self.fill(name, shown)).clone(),
            None => self.fill(name, shown),
        }
    }

    fn fill(&self, name: &str, shown: &Shown) -> Result<String, String> {
        self.templates
            .render(name, |field| self.field(field, shown))
    }

    fn field(&self, name: &str, shown: &Shown) -> Result<Value, String> {
        match name {
            FENCING => self
                .render(name, shown)
                .map(|about| Value::from(told(&about, shown.width()))),
            name if PARTS.contains(&name) => self.render(name, shown).map(Value::from),
            name => shown
                .field(name)
                .ok_or_else(|| format!("no field `{name}`")),
        }
    }
}

fn wanted(form: Form, after: String) -> Wanted {
    match form {
        Form::Pointwise(_) | Form::Likelihood(_) => Wanted::Score,
        Form::Pairwise | Form::PairwiseTie => Wanted::Choice,
        Form::Pairwise5Point | Form::PairwiseLikert => Wanted::Step,
        Form::PairwiseScore(scale) => Wanted::Scores {
            low: scale.low(),
            high: scale.high(),
            after,
        },
        Form::Listwise(_) => Wanted::Order { after },
    }
}

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

/// The template that shows a response and asks for its instruction.
const INVERSE: &str = "inverse.user";

/// The part that says what the marks mean.
const FENCING: &str = "fencing";

/// The templates that stand in others.
const PARTS: [&str; 4] = ["rubric", FENCING, "material", "question"];

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

    fn verdict(
        &mut self,
        form: Form,
        reasoning: Reasoning,
        splits: bool,
    ) -> Result<Verdict, PromptError> {
        let source = self.source(form.kind())?;
        let file: VerdictFile = source.parse()?;
        check_answers(&source, &file, form)?;
        let notation = notation(&source, &file)?;
        self.templates
            .add("verdict.system", &source, &file.system)?;
        self.templates.add("verdict.user", &source, &file.user)?;
        self.turns(&source, &file.turns)?;
        self.question(&source, &file, reasoning.kind)?;
        let asking = ["verdict.system", "verdict.user", "question"];
        let shows = |fields: &[&str]| asking.iter().any(|name| self.templates.uses(name, fields));
        if !shows(&ANSWERS) {
            return Err(source.error(
                Some(file.user.span().start),
                "the template shows no answer: it names none of `material`, `answers`, `first`, \
                 `parts`"
                    .into(),
            ));
        }
        if splits && !shows(&["material", "answers", "parts"]) {
            let why = "portia shows the answers in parts: the template must name `material`, \
                       `answers` or `parts`";
            return Err(source.error(Some(file.user.span().start), why.into()));
        }
        Ok(Verdict {
            marker: file.marker,
            notation,
            turns: file.turns.iter().map(|turn| turn.role).collect(),
        })
    }

    fn turns(&mut self, source: &Source, turns: &[Turn]) -> Result<(), PromptError> {
        turns.iter().enumerate().try_for_each(|(at, turn)| {
            self.templates
                .add(&format!("verdict.turn{at}"), source, &turn.content)
        })
    }

    fn question(
        &mut self,
        source: &Source,
        file: &VerdictFile,
        kind: ReasoningKind,
    ) -> Result<(), PromptError> {
        let wanted = match kind {
            ReasoningKind::Direct => ["direct", "direct"],
            ReasoningKind::Cot => ["cot", "cot"],
            ReasoningKind::ProsCons => ["pros-cons", "cot"],
            ReasoningKind::Prepair | ReasoningKind::PrepairStar => ["noted", "direct"],
        };
        match wanted.iter().find_map(|name| file.question.get(*name)) {
            Some(question) => self.add("question", source, question),
            None if !self.templates.uses("verdict.user", &["question"]) => Ok(()),
            None => Err(source.error(
                None,
                format!(
                    "[question] has no `{}`, which the template names",
                    wanted[0]
                ),
            )),
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
    let parse = |name: &Spanned<String>| {
        name.get_ref()
            .parse()
            .map_err(|e: crate::extraction::UnknownNotation| {
                source.error(Some(name.span().start), e.to_string())
            })
    };
    file.notation.as_ref().map(parse).transpose()
}

fn likelihood(form: Form, pack: &Pack) -> Result<Prompts, PromptError> {
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
        long: false,
        turns: Vec::new(),
        fingerprint: digest(&[source.text]),
        fixed: BTreeMap::new(),
    })
}

fn digest(texts: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes())
            .update(text.as_bytes());
    }
    hash.finalize().to_hex().chars().take(16).collect()
}
