//! Why a shared store cannot be used, told to the user. No text holds a password.

/// Why a shared store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharedStoreError {
    /// The address is of no kind that is known, or cannot be read.
    #[error("the shared store's address: {0}")]
    Address(String),
    /// The signature key cannot be used.
    #[error("the shared store's key: {0}")]
    Key(String),
    /// The directory cannot be listed, read or written.
    #[error("the shared store {name}: {why}")]
    Directory {
        /// The directory.
        name: String,
        /// What the system said, and about which file.
        why: String,
    },
    /// The server cannot be reached, or refuses what is asked of it.
    #[error("the shared store {name}: {why}")]
    Server {
        /// The kind, host and database.
        name: String,
        /// What the server or the system said.
        why: String,
    },
    /// It does not answer in time.
    #[error("the shared store {name}: no answer within {seconds} s")]
    Silent {
        /// Which one.
        name: String,
        /// How long it was waited for.
        seconds: u64,
    },
}
