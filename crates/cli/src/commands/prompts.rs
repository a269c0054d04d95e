//! `evenhand prompts`.

use super::{print, print_data};
use crate::args::QuietArgs;
use crate::args::{PromptsCommand, RenderArgs, RenderFormat};
use crate::data::load_dataset;
use crate::judges::build_protocol;
use crate::{Done, Failed};
use evenhand_core::{Message, Role, Task};
use evenhand_engine::{
    Bench, Design, EngineError, Job, JudgeOptions, JudgeSpec, Rendered, bench, render,
};
use evenhand_formats::Dataset;
use evenhand_models::Model;
use evenhand_protocols::{FIELDS, Field, Judges, PRESETS, Pack, Panel, Preset};
use evenhand_report::printable;
use serde::Serialize;

/// Lists prompts, shows one, or shows what a judge would be sent.
pub(crate) fn prompts(command: &PromptsCommand) -> Result<Done, Failed> {
    match command {
        PromptsCommand::List(pack) => print(&list_all(&pack.load()?)),
        // Whoever makes a pack begins with this text.
        PromptsCommand::Show { name, pack } => print_data(&find_prompt(&pack.load()?, name)?),
        PromptsCommand::Render(args) => match args.format {
            RenderFormat::Json => print_data(&render_calls(args)?),
            RenderFormat::Text => print(&render_calls(args)?),
        },
    }?;
    Ok(Done::Fine)
}

fn list_all(pack: &Pack) -> String {
    let prompts: String = pack
        .names()
        .map(|name| describe_prompt(pack, name))
        .collect();
    let presets: String = PRESETS.iter().map(describe_preset).collect();
    let fields: String = FIELDS.iter().map(describe_field).collect();
    format!(
        "prompts (evenhand prompts show NAME)\n{prompts}\npresets (--protocol NAME)\n{presets}\n\
         what templates can name\n{fields}{}",
        FREE_FIELDS
    )
}

/// The names that the data decide.
const FREE_FIELDS: &str = "  item.FIELD             a field of the item's record, fenced; false in \
                           {% if %} where it is not there\n  response.FIELD         that of each \
                           response in view, fenced\n";

fn describe_prompt(pack: &Pack, name: &str) -> String {
    let about = pack.text(name).and_then(first_comment).unwrap_or("");
    let mark = mark_replaced(pack, name);
    format!("  {name:<18} {about}{mark}\n")
}

fn mark_replaced(pack: &Pack, name: &str) -> &'static str {
    if pack.is_replaced(name) {
        " [from the pack]"
    } else {
        ""
    }
}

/// Returns the comment in the first line of a prompt, which says what it is for.
fn first_comment(prompt: &str) -> Option<&str> {
    prompt.lines().next()?.strip_prefix("# ")
}

fn describe_preset(preset: &Preset) -> String {
    let Preset {
        name,
        protocol,
        source,
        ..
    } = preset;
    format!("  {name:<26} {protocol:<46} {source}\n")
}

fn describe_field(field: &Field) -> String {
    format!("  {:<22} {}\n", field.name, field.about)
}

fn find_prompt(pack: &Pack, name: &str) -> Result<String, Failed> {
    match pack.text(name.trim_end_matches(".toml")) {
        Some(text) => Ok(text.into()),
        None => Err(describe_unknown(pack, name)),
    }
}

fn describe_unknown(pack: &Pack, name: &str) -> Failed {
    let known: Vec<&str> = pack.names().collect();
    Failed::Usage(format!(
        "no prompt is called {name}; there are {}",
        known.join(", ")
    ))
}

fn render_calls(args: &RenderArgs) -> Result<String, Failed> {
    let (job, model) = prepare(args)?;
    let mut out = String::new();
    for trial in job.plan.trials().take(args.trials) {
        for call in render(&job, &trial)? {
            out += &format_call(&job, &call, model.as_deref(), args.format)?;
        }
    }
    Ok(out)
}

/// Returns the job, and the judge whose template is used where one is named.
fn prepare(args: &RenderArgs) -> Result<(Job, Option<Box<dyn Model>>), Failed> {
    let spec = args.judge.as_deref().map(JudgeSpec::parse).transpose()?;
    let small = spec.as_ref().is_some_and(JudgeSpec::prefers_likelihood);
    let protocol = build_protocol(&args.ask, args.scale.scale, Panel::default(), small)?;
    let dataset = load_dataset(
        &args.data,
        protocol.shown_fields(),
        QuietArgs { quiet: false },
    )?;
    let (model, judges) = open_judge(spec, &dataset)?;
    let design = Design::parse(&args.ask.design)?;
    let job = Job::new(dataset, protocol, design, judges, args.ask.seed)?;
    Ok((job, model))
}

/// Opens the judge that is named; a name alone stands for one that is not.
fn open_judge(
    spec: Option<JudgeSpec>,
    dataset: &Dataset,
) -> Result<(Option<Box<dyn Model>>, Judges), EngineError> {
    let Some(spec) = spec else {
        return Ok((None, Judges::one("judge")));
    };
    let options = JudgeOptions::default();
    let Bench { model, judges, .. } = bench(&[spec], None, None, &dataset.systems, options)?;
    Ok((Some(model), judges))
}

#[derive(Serialize)]
struct Call<'a> {
    trial: u64,
    item: &'a str,
    systems: Vec<&'a str>,
    round: usize,
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    task: &'a Task,
}

fn format_call(
    job: &Job,
    call: &Rendered,
    model: Option<&dyn Model>,
    format: RenderFormat,
) -> Result<String, Failed> {
    let prompt = model.and_then(|model| model.render_prompt(&call.request));
    let call = Call::new(job, call, prompt);
    match format {
        RenderFormat::Json => Ok(to_json(&call)? + "\n"),
        RenderFormat::Text => format_text(&call),
    }
}

fn to_json(value: &impl Serialize) -> Result<String, Failed> {
    serde_json::to_string(value).map_err(Failed::unprintable)
}

impl<'a> Call<'a> {
    fn new(job: &'a Job, call: &'a Rendered, prompt: Option<String>) -> Self {
        let (dataset, trial) = (&job.dataset, &call.trial);
        let systems = trial.systems.iter();
        Call {
            trial: trial.index,
            item: &dataset.items[trial.item as usize].id,
            systems: systems
                .map(|system| &*dataset.systems[*system as usize])
                .collect(),
            round: call.round,
            messages: &call.request.messages,
            prompt,
            task: &call.request.task,
        }
    }

    fn heading(&self) -> String {
        let Call { item, round, .. } = self;
        let systems = self.systems.join(" then ");
        // An id with a line end in it begins no other heading.
        let of = format!("item {item}, {systems}, round {round}");
        format!("=== {}\n", printable(&of))
    }

    /// Returns the prompt as the judge's template makes it, or else the messages.
    fn shown_prompt(&self) -> String {
        match &self.prompt {
            Some(prompt) => format!("{prompt}\n"),
            None => self.messages.iter().map(format_message).collect(),
        }
    }
}

fn format_message(message: &Message) -> String {
    format!("--- {}\n{}\n", role_name(message.role), message.content)
}

fn format_text(call: &Call) -> Result<String, Failed> {
    let task = to_json(call.task)?;
    let (heading, prompt) = (call.heading(), call.shown_prompt());
    Ok(format!("{heading}{prompt}--- wanted\n{task}\n\n"))
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}
