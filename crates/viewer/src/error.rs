//! Why nothing can be served.

use evenhand_store::StoreError;
use std::io;
use std::path::PathBuf;

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] StoreError),
    /// There is no such folder.
    #[error(
        "{}: there is no run and no folder of runs here; give the directory of a run, or the \
         folder that holds runs", path.display()
    )]
    NoFolder {
        /// The path that was given.
        path: PathBuf,
    },
    /// The labels cannot be kept there.
    #[error("{}: {why}", path.display())]
    Labels {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// One file of labels for several runs.
    #[error(
        "{}: one file cannot hold the labels of all runs in a folder; name one run, or leave the \
         file out: then each run has its own labels.jsonl", path.display()
    )]
    LabelsOfMany {
        /// The file.
        path: PathBuf,
    },
    /// The pairs that people are asked cannot be found.
    #[error("pairs to review: {why}")]
    Pairs {
        /// What is wrong with the question, and what to do.
        why: String,
    },
    /// The address cannot be listened on.
    #[error("{address}: cannot listen there: {why}; choose another port or address")]
    Bind {
        /// Host and port.
        address: String,
        /// What the system said.
        why: io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes, which are needed to keep others out: {0}")]
    Random(#[from] getrandom::Error),
    /// The server ended.
    #[error("the server ended: {0}")]
    Server(io::Error),
}

impl ViewError {
    /// Whether the user asked for what there is not.
    pub fn is_usage(&self) -> bool {
        !matches!(self, ViewError::Random(_) | ViewError::Server(_))
    }
}
