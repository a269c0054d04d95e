//! Prompt packs: directories of prompt files that stand in place of the built-in ones.

use crate::EngineError;
use crate::files::paths_in;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_protocols::{Pack, RUBRIC_FILE};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the built-in prompts with those of a directory in their place: `NAME.toml`, and
/// `rubrics/NAME.toml`.
///
/// # Errors
/// A file in place of a directory, and a directory without prompt files; a file that cannot be read
/// or is no prompt; a file of any other name, so that a misspelt one is not passed over.
pub fn load_pack(dir: &Path) -> Result<Pack, EngineError> {
    if dir.is_file() {
        let why = format!("expected a folder of prompts, found a file; {RUBRIC_FILE}");
        return Err(refuse_pack(why).with_value(dir.display()).into());
    }
    let mut files = toml_files(dir)?;
    let rubrics = dir.join("rubrics");
    if rubrics.is_dir() {
        files.extend(toml_files(&rubrics)?);
    }
    if files.is_empty() {
        let why = format!("there is no .toml file here; {RUBRIC_FILE}");
        return Err(refuse_pack(why).with_value(dir.display()).into());
    }
    let mut pack = Pack::default();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|e| refuse_unreadable(&file, &e))?;
        // The path within the pack, without its ending and with `/` on every system.
        let name = file.strip_prefix(dir).unwrap_or(&file).with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        pack.replace(&name, text, &file.to_string_lossy())
            .map_err(|e| refuse_pack(e.to_string()))?;
    }
    Ok(pack)
}

fn toml_files(dir: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let mut files = paths_in(dir).map_err(|e| refuse_unreadable(dir, &e))?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    Ok(files)
}

fn refuse_pack(why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::PromptPack, Cause::File, why)
}

fn refuse_unreadable(path: &Path, error: &io::Error) -> Refusal {
    refuse_pack(format!("cannot be read: {error}")).with_value(path.display())
}
