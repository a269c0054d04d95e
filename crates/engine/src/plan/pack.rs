//! Prompt packs: directories of prompt files that stand in place of the built-in ones.

use crate::EngineError;
use evenhand_protocols::Pack;
use std::fs;
use std::path::{Path, PathBuf};

/// The built-in prompts with those of a directory in their place: `NAME.toml`, and
/// `rubrics/NAME.toml`. A file of any other name is an error, so that a misspelt one is not passed
/// over.
pub fn load_pack(dir: &Path) -> Result<Pack, EngineError> {
    let mut pack = Pack::default();
    let mut files = toml_files(dir)?;
    let rubrics = dir.join("rubrics");
    if rubrics.is_dir() {
        files.extend(toml_files(&rubrics)?);
    }
    if files.is_empty() {
        return Err(EngineError::Setting(format!(
            "--prompt-pack {}: there is no .toml file here",
            dir.display()
        )));
    }
    for file in files {
        let name = file.strip_prefix(dir).unwrap_or(&file).with_extension("");
        let text = fs::read_to_string(&file).map_err(|e| unreadable(&file, &e))?;
        let replaced = pack.replace(
            &name.to_string_lossy().replace('\\', "/"),
            text,
            &file.to_string_lossy(),
        );
        replaced.map_err(|e| EngineError::Setting(format!("--prompt-pack: {e}")))?;
    }
    Ok(pack)
}

fn toml_files(dir: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let entries = fs::read_dir(dir)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|e| unreadable(dir, &e))?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    EngineError::Setting(format!(
        "--prompt-pack {}: cannot be read: {error}",
        path.display()
    ))
}
