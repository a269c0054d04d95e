//! `evenhand prompts`.

use super::{print, print_data};
use crate::args::help::{JUDGE, OUTPUT, PROTOCOL};
use crate::args::{AskArgs, ConfigArgs, DataArgs, JudgeScaleArgs, PackArgs};
use crate::data::load_dataset;
use crate::judges::build_protocol;
use crate::progress::SPEAKING;
use crate::{Done, Failed};
use clap::{Args, Subcommand, ValueEnum};
use evenhand_engine::{Bench, Design, Job, JudgeOptions, JudgeSpec, NamedJudges, bench, render};
use evenhand_models::Model;
use evenhand_protocols::{FIELDS, Judges, PRESETS, Pack, Panel, Preset};
use evenhand_report::{PromptLine, printable};
use serde::Serialize;

/// The prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the prompts, the presets, and what templates can name
    List(PackArgs),
    /// Show the text of a prompt file
    Show {
        /// Its name, as in `evenhand prompts list`
        name: String,
        #[command(flatten)]
        pack: PackArgs,
    },
    /// Show the calls that a judge would be sent for given items
    Render(Box<RenderArgs>),
}

/// The calls to show.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// A judge whose chat template is used (gguf:PATH)
    ///
    /// The prompts are then shown as this judge reads them.
    #[arg(long, help_heading = JUDGE)]
    pub(crate) judge: Option<String>,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    /// How many trials to show
    #[arg(long, default_value_t = 1, value_name = "N", help_heading = PROTOCOL)]
    pub(crate) trials: usize,
    /// Output format
    ///
    /// Text, or JSON lines.
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    pub(crate) format: RenderFormat,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    Text,
    Json,
}

/// Lists prompts, shows one, or shows what a judge would be sent.
pub(crate) fn prompts(command: &PromptsCommand) -> Result<Done, Failed> {
    match command {
        PromptsCommand::List(pack) => print(&list_all(&pack.load()?)),
        // Whoever makes a pack begins with this text.
        PromptsCommand::Show { name, pack } => {
            let pack = pack.load()?;
            let text = pack.text(name.trim_end_matches(".toml"));
            print_data(text.ok_or_else(|| {
                let known: Vec<&str> = pack.names().collect();
                let known = known.join(", ");
                Failed::Usage(format!("no prompt is called {name}; there are {known}"))
            })?)
        }
        PromptsCommand::Render(args) => match args.format {
            RenderFormat::Json => print_data(&render_calls(args)?),
            RenderFormat::Text => print(&render_calls(args)?),
        },
    }?;
    Ok(Done::Fine)
}

fn list_all(pack: &Pack) -> String {
    let mut prompts = String::new();
    for name in pack.names() {
        // The comment in the first line of a prompt says what it is for.
        let first = pack.text(name).and_then(|text| text.lines().next());
        let about = first.and_then(|line| line.strip_prefix("# ")).unwrap_or("");
        let mark = if pack.is_replaced(name) {
            " [from the pack]"
        } else {
            ""
        };
        prompts += &format!("  {name:<18} {about}{mark}\n");
    }
    let mut presets = String::new();
    for preset in PRESETS {
        let Preset {
            name,
            protocol,
            source,
            ..
        } = preset;
        presets += &format!("  {name:<26} {protocol:<46} {source}\n");
    }
    let mut fields = String::new();
    for field in &FIELDS {
        fields += &format!("  {:<22} {}\n", field.name, field.about);
    }
    format!(
        "prompts (evenhand prompts show NAME)\n{prompts}\npresets (--protocol NAME)\n{presets}\n\
         what templates can name\n{fields}{FREE_FIELDS}"
    )
}

/// The names that the data decide.
const FREE_FIELDS: &str = "  item.FIELD             a field of the item's record, fenced; false in \
                           {% if %} where it is not there\n  response.FIELD         that of each \
                           response in view, fenced\n";

fn render_calls(args: &RenderArgs) -> Result<String, Failed> {
    let (job, model) = prepare(args)?;
    let mut out = String::new();
    for trial in job.plan.trials().take(args.trials) {
        for rendered in render(&job, &trial)? {
            let prompt = model
                .as_ref()
                .and_then(|model| model.render_prompt(&rendered.request));
            let (dataset, shown) = (&job.dataset, &rendered.trial);
            let systems = shown.systems.iter();
            let call = PromptLine {
                trial: shown.index,
                item: &dataset.items[shown.item as usize].id,
                systems: systems
                    .map(|system| &*dataset.systems[*system as usize])
                    .collect(),
                round: rendered.round,
                messages: &rendered.request.messages,
                prompt,
                task: &rendered.request.task,
            };
            match args.format {
                RenderFormat::Json => out += &(to_json(&call)? + "\n"),
                RenderFormat::Text => out += &format_text(&call)?,
            }
        }
    }
    Ok(out)
}

/// Returns the job, and the judge whose template is used where one is named.
fn prepare(args: &RenderArgs) -> Result<(Job, Option<Box<dyn Model>>), Failed> {
    let named = |name| JudgeSpec::named(name, &args.judges);
    let spec = args.judge.as_deref().map(named).transpose()?;
    let protocol = build_protocol(
        &args.ask,
        args.scale.scale,
        Panel::default(),
        spec.as_slice(),
    )?;
    let dataset = load_dataset(&args.data, protocol.shown_fields(), SPEAKING)?;
    // A name alone stands for a judge that is not named.
    let (model, judges) = match spec {
        None => (None, Judges::one("judge")),
        Some(spec) => {
            let options = JudgeOptions::default();
            let Bench { model, judges, .. } =
                bench(&[spec], None, None, &dataset.systems, options)?;
            (Some(model), judges)
        }
    };
    let design = Design::parse(&args.ask.design)?;
    let job = Job::new(dataset, protocol, design, judges, args.ask.seed)?;
    Ok((job, model))
}

fn to_json(value: &impl Serialize) -> Result<String, Failed> {
    serde_json::to_string(value).map_err(Failed::unprintable)
}

fn format_text(call: &PromptLine) -> Result<String, Failed> {
    let task = to_json(call.task)?;
    let (item, systems, round) = (call.item, call.systems.join(" then "), call.round);
    // An id with a line end in it begins no other heading.
    let heading = printable(&format!("item {item}, {systems}, round {round}")).into_owned();
    // The prompt as the judge's template makes it, or else the messages.
    let prompt = match &call.prompt {
        Some(prompt) => format!("{prompt}\n"),
        None => {
            if let evenhand_core::Task::Decide { state, question } = call.task {
                let words = question.in_words(state);
                return Ok(format!("=== {heading}\n{words}\n\n"));
            }
            let texts = call
                .messages
                .iter()
                .map(|message| format!("--- {}\n{}\n", message.role.name(), message.content));
            texts.collect()
        }
    };
    Ok(format!("=== {heading}\n{prompt}--- wanted\n{task}\n\n"))
}
