//! `evenhand models`.

use crate::args::ModelsArgs;
use crate::{Done, Failed};
use evenhand_models::gguf::describe;
use evenhand_report::{ModelRow, models_csv, models_json, models_table};
use std::path::{Path, PathBuf};

/// Local models that are there, and how to get one; or one of them written anew as Q8_0.
pub(crate) fn models(args: &ModelsArgs) -> Result<Done, Failed> {
    if let Some(to) = &args.requantize {
        return write_requantized(&args.paths, to);
    }
    let cache = cache_dir();
    let paths = if args.paths.is_empty() {
        find_gguf_files(&cache)
    } else {
        args.paths.clone()
    };
    let rows = paths
        .iter()
        .map(|path| describe_model(path))
        .collect::<Result<Vec<_>, _>>()?;
    args.format.print(
        || models_table(&rows, &cache.display().to_string()) + "\n",
        || models_json(&rows),
        || models_csv(&rows),
    )?;
    Ok(Done::Fine)
}

fn describe_model(path: &Path) -> Result<ModelRow, Failed> {
    let info = describe(path).map_err(|e| Failed::Usage(e.to_string()))?;
    Ok(ModelRow {
        judge: format!("gguf:{}", path.display()),
        architecture: info.architecture,
        parameters: info.parameters,
        quantisation: info.quantisation,
        context_length: info.context_length,
        chat_template: info.has_chat_template,
        bytes: info.bytes,
        sha256: info.sha256,
        hint: info.hint,
    })
}

/// Where models are kept: `evenhand/models` in the user's cache directory.
fn cache_dir() -> PathBuf {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache
        .unwrap_or_else(|| PathBuf::from(".cache"))
        .join("evenhand/models")
}

fn find_gguf_files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "gguf"))
        .collect();
    files.sort();
    files
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
    crate::progress::say(&format!("wrote {}", to.display()));
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
