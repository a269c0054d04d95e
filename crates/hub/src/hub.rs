//! Repositories of a hub of models, by its own interface (huggingface.co/docs/hub/api).

use crate::HubError;
use crate::download::{Client, shown};
use serde::Deserialize;
use std::path::Path;

/// A file of a repository of the hub: `OWNER/REPO`, `OWNER/REPO:Q4_K_M` or `OWNER/REPO:FILE.gguf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubName {
    /// `OWNER/REPO`.
    pub repo: String,
    /// A quantisation or a file; None for the only one.
    pub file: Option<String>,
}

/// A file as the hub lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HubFile {
    pub(crate) name: String,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: String,
}

impl HubName {
    /// Reads a name.
    ///
    /// # Errors
    /// A text that is none: a repository has an owner and a name, of letters, digits and `-_.`.
    pub fn parse(text: &str) -> Result<HubName, HubError> {
        let (repo, file) = match text.split_once(':') {
            Some((repo, file)) => (repo, Some(file)),
            None => (text, None),
        };
        let is_plain = |part: &str| {
            let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !part.is_empty() && !part.starts_with('.') && part.chars().all(letters)
        };
        // The hub has no names with two dashes; in a file's name here they stand for a slash.
        let is_plain_repo = |part: &str| is_plain(part) && !part.contains("--");
        let is_repo = repo
            .split_once('/')
            .is_some_and(|(owner, name)| is_plain_repo(owner) && is_plain_repo(name));
        let is_file = file.is_none_or(|file| file.split('/').all(is_plain));
        if !is_repo || !is_file {
            return Err(HubError::new(format!(
                "hf:{text}: expected hf:OWNER/REPO, hf:OWNER/REPO:QUANTISATION such as Q4_K_M, or \
                 hf:OWNER/REPO:FILE.gguf"
            )));
        }
        Ok(HubName {
            repo: repo.into(),
            file: file.map(String::from),
        })
    }

    /// Returns the address of a file of the repository.
    pub(crate) fn address(&self, file: &str) -> String {
        format!("{}/{}/resolve/main/{file}", endpoint(), self.repo)
    }

    /// Returns the name that a file of the repository is kept under: no two repositories share one.
    pub(crate) fn file_name(&self, file: &str) -> String {
        format!(
            "{}--{}",
            self.repo.replace('/', "--"),
            file.replace('/', "+")
        )
    }

    /// Whether a file is one that this name may mean.
    pub(crate) fn fits(&self, file: &str) -> bool {
        let name = file.to_ascii_lowercase();
        let Some(wanted) = self.file.as_deref().map(str::to_ascii_lowercase) else {
            return name.ends_with(".gguf");
        };
        if wanted.ends_with(".gguf") {
            return name == wanted;
        }
        // A quantisation stands between other parts of the name: Q4_K is no Q4_K_M.
        let stem = name.strip_suffix(".gguf");
        stem.is_some_and(|stem| {
            let end = stem.strip_suffix(&*wanted);
            end.is_some_and(|before| before.is_empty() || before.ends_with(['-', '.', '_']))
        })
    }

    /// Chooses the file that is meant.
    pub(crate) fn choose(&self, listed: &[HubFile]) -> Result<HubFile, HubError> {
        let fits = listed.iter().filter(|file| self.fits(&file.name));
        let fits: Vec<&HubFile> = fits.filter(|file| !is_part(&file.name)).collect();
        let repo = &self.repo;
        match fits[..] {
            [one] => Ok(one.clone()),
            _ => {
                let of_use = listed.iter().filter(|file| is_gguf(&file.name));
                let (parts, of_use): (Vec<&HubFile>, Vec<&HubFile>) =
                    of_use.partition(|file| is_part(&file.name));
                let names = of_use.iter().map(|file| file.name.as_str());
                let shown: Vec<&str> = names.take(30).collect();
                let more = match of_use.len().saturating_sub(shown.len()) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let has = match (shown.len(), parts.len()) {
                    (0, 0) => "it has no GGUF files".to_string(),
                    (0, parts) => format!("its {parts} GGUF files are parts, which are not joined"),
                    (_, 0) => format!("it has {}{more}", shown.join(", ")),
                    (_, parts) => format!(
                        "it has {}{more}, and {parts} parts, which are not joined",
                        shown.join(", ")
                    ),
                };
                let what = match (&self.file, fits.len()) {
                    (Some(file), 0) => format!("no GGUF file is `{file}`"),
                    (None, 0) => return Err(HubError::new(format!("hf:{repo}: {has}"))),
                    _ => "several GGUF files match; name one after a colon".to_string(),
                };
                Err(HubError::new(format!("hf:{repo}: {what}; {has}")))
            }
        }
    }
}

/// Whether a file is a part of a model, as `m-00001-of-00003.gguf` is.
fn is_part(file: &str) -> bool {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    stem.rsplit_once("-of-").is_some_and(|(before, count)| {
        let number = before.rsplit_once('-').map(|(_, number)| number);
        digits(count) && number.is_some_and(digits)
    })
}

fn is_gguf(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("gguf"))
}

/// Returns the hub's address, with the credentials that it may hold.
pub(crate) fn endpoint() -> String {
    let named = std::env::var("HF_ENDPOINT").ok();
    let named = named.filter(|address| !address.trim().is_empty());
    let address = named.unwrap_or_else(|| "https://huggingface.co".into());
    address.trim_end_matches('/').to_string()
}

#[derive(Deserialize)]
struct Repository {
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: Option<String>,
    size: Option<u64>,
}

/// Lists the files of a repository whose digest the hub tells.
pub(crate) fn list_files(client: &Client, name: &HubName) -> Result<Vec<HubFile>, HubError> {
    let address = format!("{}/api/models/{}?blobs=true", endpoint(), name.repo);
    let text = client.read(&address, "application/json")?;
    let found: Repository = serde_json::from_str(&text).map_err(|error| {
        HubError::new(format!(
            "{}: not what a hub answers: {error}",
            shown(&address)
        ))
    })?;
    let files = found.siblings.into_iter().filter_map(|file| {
        // A name that leads elsewhere is none.
        HubName::parse(&format!("{}:{}", name.repo, file.rfilename)).ok()?;
        let lfs = file.lfs?;
        Some(HubFile {
            name: file.rfilename,
            bytes: lfs.size.or(file.size),
            sha256: lfs.sha256?,
        })
    });
    Ok(files.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> HubFile {
        HubFile {
            name: name.into(),
            bytes: None,
            sha256: String::new(),
        }
    }

    #[test]
    fn a_quantisation_is_the_whole_of_it() {
        let listed = ["m-Q4_K.gguf", "m-Q4_K_M.gguf", "m-IQ4_K.gguf", "README.md"].map(file);
        let chosen = |name: &str| {
            let name = HubName::parse(name).unwrap();
            name.choose(&listed).map(|file| file.name)
        };
        assert_eq!(chosen("a/m:q4_k").unwrap(), "m-Q4_K.gguf");
        assert_eq!(chosen("a/m:Q4_K_M").unwrap(), "m-Q4_K_M.gguf");
        assert_eq!(chosen("a/m:m-iq4_k.gguf").unwrap(), "m-IQ4_K.gguf");
        let error = chosen("a/m").unwrap_err().to_string();
        assert_eq!(
            error,
            "hf:a/m: several GGUF files match; name one after a colon; it has m-Q4_K.gguf, \
             m-Q4_K_M.gguf, m-IQ4_K.gguf"
        );
        let error = chosen("a/m:Q8_0").unwrap_err().to_string();
        assert!(
            error.starts_with("hf:a/m: no GGUF file is `Q8_0`; it has "),
            "{error}"
        );
    }

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        for text in [
            "a",
            "a/b/c",
            "../b",
            "a/..",
            "a/b:../c.gguf",
            "a/b:",
            "a b/c",
            "a/b:x/.y",
            "a--b/c",
        ] {
            assert!(HubName::parse(text).is_err(), "{text}");
        }
        let name = HubName::parse("a/b:sub/m.gguf").unwrap();
        assert_eq!(name.file_name("m.gguf"), ["a", "b", "m.gguf"].join("--"));
        assert!(name.file_name("sub/m.gguf").ends_with("sub+m.gguf"));
    }
}
