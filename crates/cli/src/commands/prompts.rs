//! `evenhand prompts`.

use super::print;
use crate::args::QuietArgs;
use crate::args::{PromptsCommand, RenderArgs, RenderFormat};
use crate::data::load_dataset;
use crate::judges::build_protocol;
use crate::{Done, Failed};
use evenhand_core::{Message, Role, Task};
use evenhand_engine::{Bench, Design, Job, JudgeOptions, JudgeSpec, Rendered, bench, render};
use evenhand_models::Model;
use evenhand_protocols::{FIELDS, Judges, PRESETS, Pack, Panel};
use serde::Serialize;

/// Lists prompts, shows one, or shows what a judge would be sent.
pub(crate) fn prompts(command: &PromptsCommand) -> Result<Done, Failed> {
    let text = match command {
        PromptsCommand::List(pack) => list_prompts(&pack.load()?),
        PromptsCommand::Show { name, pack } => find_prompt(&pack.load()?, name)?,
        PromptsCommand::Render(args) => render_calls(args)?,
    };
    print(&text)?;
    Ok(Done::Fine)
}

fn list_prompts(pack: &Pack) -> String {
    let mut out = String::from("prompts (evenhand prompts show NAME)\n");
    for name in pack.names() {
        let about = pack
            .text(name)
            .and_then(|text| text.lines().next()?.strip_prefix("# "))
            .unwrap_or("");
        let replaced = if pack.is_replaced(name) {
            " [from the pack]"
        } else {
            ""
        };
        out += &format!("  {name:<18} {about}{replaced}\n");
    }
    out += "\npresets (--protocol NAME)\n";
    for preset in PRESETS {
        out += &format!(
            "  {:<26} {:<46} {}\n",
            preset.name, preset.protocol, preset.source
        );
    }
    out += "\nwhat templates can name\n";
    for field in &FIELDS {
        out += &format!("  {:<22} {}\n", field.name, field.about);
    }
    out
}

fn find_prompt(pack: &Pack, name: &str) -> Result<String, Failed> {
    let known = || pack.names().collect::<Vec<_>>().join(", ");
    let text = pack.text(name.trim_end_matches(".toml"));
    text.map(String::from)
        .ok_or_else(|| Failed::Usage(format!("no prompt is called {name}; there are {}", known())))
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
    let spec = match &args.judge {
        Some(name) => Some(JudgeSpec::parse(name)?),
        None => None,
    };
    let small = spec.as_ref().is_some_and(JudgeSpec::prefers_likelihood);
    let protocol = build_protocol(&args.ask, args.scale.scale, Panel::default(), small)?;
    let dataset = load_dataset(&args.data, QuietArgs { quiet: false })?;
    let (model, judges) = match spec {
        Some(spec) => {
            let options = JudgeOptions::default();
            let Bench { model, judges } = bench(&[spec], None, None, &dataset.systems, options)?;
            (Some(model), judges)
        }
        None => (None, Judges::one("judge")),
    };
    let design = Design::parse(&args.ask.design)?;
    let job = Job::new(dataset, protocol, design, judges, args.ask.seed)?;
    Ok((job, model))
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
    let item = &job.dataset.items[call.trial.item as usize].id;
    let systems = call
        .trial
        .systems
        .iter()
        .map(|system| job.dataset.systems[*system as usize].as_ref())
        .collect();
    let messages = &call.request.messages;
    let call = Call {
        trial: call.trial.index,
        item,
        systems,
        round: call.round,
        messages,
        prompt,
        task: &call.request.task,
    };
    match format {
        RenderFormat::Json => Ok(serde_json::to_string(&call).map_err(Failed::unprintable)? + "\n"),
        RenderFormat::Text => format_text(&call),
    }
}

fn format_text(call: &Call) -> Result<String, Failed> {
    let task = serde_json::to_string(call.task).map_err(Failed::unprintable)?;
    let mut out = format!(
        "=== item {}, {}, round {}\n",
        call.item,
        call.systems.join(" then "),
        call.round
    );
    match &call.prompt {
        Some(prompt) => out += &format!("{prompt}\n"),
        None => call.messages.iter().for_each(|message| {
            out += &format!("--- {}\n{}\n", role_name(message.role), message.content)
        }),
    }
    Ok(out + "--- wanted\n" + &task + "\n\n")
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}
