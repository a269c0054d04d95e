//! `evenhand models`.

use crate::args::ModelsArgs;
use crate::{Done, Failed};
use evenhand_models::gguf::describe;
use evenhand_report::{ModelRow, models_csv, models_json, models_table};
use std::path::{Path, PathBuf};

/// Local models that are there, and how to get one; or one of them written anew as Q8_0.
pub(crate) fn models(args: &ModelsArgs) -> Result<Done, Failed> {
    match &args.requantize {
        Some(to) => write_requantized(&args.paths, to),
        None => list_models(args),
    }
}

fn list_models(args: &ModelsArgs) -> Result<Done, Failed> {
    let cache = cache_dir();
    let paths = match args.paths.as_slice() {
        [] => find_gguf_files(&cache),
        named => named.to_vec(),
    };
    let mut rows = Vec::new();
    for path in &paths {
        rows.push(describe_model(path)?);
    }
    let cache = cache.display().to_string();
    args.format.print(
        || models_table(&rows, &cache) + "\n",
        || models_json(&rows),
        || models_csv(&rows),
    )
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
    // An empty variable names no directory.
    let variable = |name| {
        let value = std::env::var_os(name)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    };
    let cache = variable("XDG_CACHE_HOME")
        .or_else(|| Some(variable("HOME")?.join(".cache")))
        .unwrap_or(".cache".into());
    cache.join("evenhand/models")
}

fn find_gguf_files(dir: &Path) -> Vec<PathBuf> {
    // No directory, no models: most users never had one.
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "gguf"));
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
