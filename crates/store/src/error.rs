//! Why a run directory cannot be used, told to the user.

use crate::manifest::Difference;
use evenhand_core::{Setting, shell_word};
use std::path::{Path, PathBuf};

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be created or written.
    #[error("{}: the run directory cannot be written: {why}; {}", path.display(), choose_another())]
    Unwritable {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// Another process is using it.
    #[error("{}: another evenhand process is using this run directory; wait for it, stop it, or \
             {}", path.display(), choose_another())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// It was made by a run with other settings.
    #[error("{}: this run directory belongs to another configuration; give the same settings, or \
             another {} DIR (with {} {} that does not repeat the calls made here):{}",
        path.display(), Setting::Run, Setting::Reuse, shell_word(&path.display().to_string()),
        list(keys))]
    OtherConfiguration {
        /// The directory.
        path: PathBuf,
        /// The settings that differ: `here` is the directory's, `there` the one asked for.
        keys: Vec<Difference>,
    },
    /// It holds something that is not a run, or a run of a later format.
    #[error("{}: {why}", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// What was found, and what to do.
        why: String,
    },
    /// It is gone since the run began, or another run has taken its place.
    #[error(
        "{}: the run directory is gone, or another run has taken its place: replies that came \
         since are not kept there; \
         if it was moved, move it back; then run the same command again, and leave the directory \
         alone while it runs",
        path.display()
    )]
    Gone {
        /// The directory.
        path: PathBuf,
    },
    /// A call is not under the key of its own text, or names another judge.
    #[error("{}: the call {call} was changed since it was kept: its request or its judge is \
             another; do not use this run", path.display())]
    Changed {
        /// The directory.
        path: PathBuf,
        /// The call's key.
        call: String,
    },
    /// A call was made before, and nobody wants it again.
    #[error("the call {call} is kept already: nothing is paid for twice")]
    PaidTwice {
        /// The call's key.
        call: String,
    },
    /// SQLite failed.
    #[error("the run's database failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// A stored reply cannot be read.
    #[error("the run's database holds a row that cannot be read: {0}")]
    Corrupt(String),
}

fn list(keys: &[Difference]) -> String {
    let line = |difference: &Difference| {
        let Difference { key, here, there } = difference;
        // A digest of data says to nobody what differs.
        let counted = |data: &str| match data.split_once(", digest ") {
            Some((count, _)) if key == "data" => count.to_string(),
            _ => data.to_string(),
        };
        let [one, other] = [here, there].map(|value| counted(value));
        if one != other || here == there {
            return format!("\n  {key}: the directory has {one}, this command has {other}");
        }
        format!(
            "\n  {key}: both have {one}, whose ids, texts, responses, fields or categories differ; \
             {} and {} are part of the data",
            Setting::By,
            Setting::Map
        )
    };
    keys.iter().map(line).collect()
}

/// Advice on a directory that cannot be used.
pub(crate) fn choose_another() -> String {
    format!("choose another with {} DIR", Setting::Run)
}

/// Returns the error of a directory that is no run to read, with the reason.
pub(crate) fn not_a_run(dir: &Path, why: String) -> StoreError {
    StoreError::NotARun {
        path: dir.to_path_buf(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_in_a_command_is_one_word_of_it() {
        let error = StoreError::OtherConfiguration {
            path: "two words".into(),
            keys: Vec::new(),
        };
        let said = error.to_string();
        assert!(said.contains(" 'two words' that does not repeat"), "{said}");
    }
}
