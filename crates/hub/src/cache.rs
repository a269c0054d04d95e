//! Files of the hub that are on this machine already.

use crate::HubError;
use crate::hub::HubName;
use std::fs;
use std::path::{Path, PathBuf};

/// Finds a file of the hub in a directory of ours, or in the cache that the hub's own programs
/// keep; nothing is fetched. None where it is not there.
///
/// # Errors
/// Several files that the name fits.
pub fn find_cached(name: &HubName, folder: &Path) -> Result<Option<PathBuf>, HubError> {
    let mut found = files_in(folder, |file| {
        let prefix = name.file_name("");
        file.strip_prefix(&*prefix)
            .is_some_and(|file| name.fits(&file.replace('+', "/")))
    });
    if found.is_empty() {
        let repo = format!("models--{}", name.repo.replace('/', "--"));
        let repo = cache_of_hub().join(repo);
        // The commit that the main branch stood at when it was last looked at.
        let commit = fs::read_to_string(repo.join("refs/main")).unwrap_or_default();
        let commit = commit.trim();
        if !commit.is_empty() && !commit.contains(['/', '\\', '.']) {
            let snapshot = repo.join("snapshots").join(commit);
            found = files_in(&snapshot, |file| name.fits(file));
        }
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => {
            let names: Vec<String> = found.iter().map(|one| one.display().to_string()).collect();
            Err(HubError::new(format!(
                "hf:{}: several files match; name one after a colon: {}",
                name.repo,
                names.join(", ")
            )))
        }
    }
}

fn files_in(folder: &Path, fits: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(&fits))
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// Returns the directory where models are kept: `evenhand/models` in the user's cache directory.
pub fn models_folder() -> PathBuf {
    user_cache().join("evenhand/models")
}

fn cache_of_hub() -> PathBuf {
    let home = || variable("HF_HOME").unwrap_or_else(|| user_cache().join("huggingface"));
    variable("HF_HUB_CACHE").unwrap_or_else(|| home().join("hub"))
}

fn user_cache() -> PathBuf {
    variable("XDG_CACHE_HOME")
        .or_else(|| Some(variable("HOME")?.join(".cache")))
        .unwrap_or(".cache".into())
}

/// Returns what a variable names; an empty one names no directory.
fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| PathBuf::from(value))
}
