//! Where the tests of the workspace find what the repository does not hold: recorded data, papers
//! and the small model; and a judge's [`server`].
//!
//! Each finder returns `None` where the file or folder is missing, after saying so on stderr, so
//! that a test can skip itself:
//!
//! ```no_run
//! fn recorded_verdicts_are_read_again() {
//!     let Some(data) = evenhand_testing::shared_data() else { return };
//!     // ... read files in `data` ...
//! }
//! ```
//!
//! Where the environment variable `CI` is set, a finder panics instead: nothing is skipped there.

pub mod objects;
mod scorer;
pub mod server;

pub use scorer::make_scorer;
use std::path::{Path, PathBuf};
use std::{env, fs};

const SET_DATA: &str = "set EVENHAND_SHARED_DATA to the folder of recorded data";
const FETCH_MODEL: &str = "`make model` fetches it, or set EVENHAND_MODEL to its file";
const FETCH_EMBEDDER: &str =
    "`scripts/fetch-embedder` fetches it, or set EVENHAND_EMBEDDER to its file";

/// Returns the folder of recorded data: `EVENHAND_SHARED_DATA`, else `../shared/data` beside the
/// checkout.
///
/// # Panics
/// If the folder is missing and `CI` is set.
pub fn shared_data() -> Option<PathBuf> {
    if_present(data_folder(), SET_DATA)
}

/// Returns the file of this name in `papers`, the folder beside the recorded data.
///
/// # Panics
/// If the file is missing and `CI` is set.
pub fn shared_paper(name: &str) -> Option<PathBuf> {
    if_present(data_folder().join("../papers").join(name), SET_DATA)
}

/// Returns the file of the small model: `EVENHAND_MODEL`, else the one in the user's cache
/// directory.
///
/// # Panics
/// If the file is missing and `CI` is set.
pub fn small_model() -> Option<PathBuf> {
    let named = env::var_os("EVENHAND_MODEL").map(PathBuf::from);
    let cached = || cache_folder().join("evenhand/models/SmolLM2-135M-Instruct-Q8_0.gguf");
    if_present(named.unwrap_or_else(cached), FETCH_MODEL)
}

/// Returns the file of the sentence-embedding model: `EVENHAND_EMBEDDER`, else the one in the
/// user's cache directory.
///
/// # Panics
/// If the file is missing and `CI` is set.
pub fn sentence_embedder() -> Option<PathBuf> {
    let named = env::var_os("EVENHAND_EMBEDDER").map(PathBuf::from);
    let cached = || cache_folder().join("evenhand/models/all-MiniLM-L6-v2-F16.gguf");
    if_present(named.unwrap_or_else(cached), FETCH_EMBEDDER)
}

/// Whether the long simulations run: where `EVENHAND_SLOW=1` is set.
pub fn is_slow() -> bool {
    env::var_os("EVENHAND_SLOW").is_some_and(|value| value == "1")
}

/// Whether the long simulations run; if not, says on stderr that this one is skipped.
pub fn is_slow_or_skips(what: &str) -> bool {
    if !is_slow() {
        eprintln!("skipped: {what}; set EVENHAND_SLOW=1 to run it");
    }
    is_slow()
}

/// Returns the Rust files below a folder that no `mod` line names, and that are thus compiled into
/// nothing: each crate's `tests/it` is held to have none.
///
/// # Panics
/// If there is no such folder.
pub fn forgotten_modules(folder: impl AsRef<Path>) -> Vec<String> {
    let folder = folder.as_ref();
    assert!(folder.is_dir(), "{} is no folder", folder.display());
    let owners = [
        folder.join("main.rs"),
        folder.join("mod.rs"),
        folder.with_extension("rs"),
    ];
    let owner: String = owners
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    let declared = |name: &str| {
        let ending = format!("mod {name};");
        owner.lines().any(|line| {
            line.strip_suffix(&ending)
                .is_some_and(|before| matches!(before, "" | "pub(crate) "))
        })
    };
    let mut forgotten = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_module = path.is_dir() || path.extension().is_some_and(|end| end == "rs");
        let is_owner = !path.is_dir() && (name == "main" || name == "mod");
        if is_module && !is_owner && !declared(&name) {
            forgotten.push(path.display().to_string());
        } else if path.is_dir() {
            forgotten.extend(forgotten_modules(&path));
        }
    }
    forgotten.sort();
    forgotten
}

fn data_folder() -> PathBuf {
    let beside_checkout = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    env::var_os("EVENHAND_SHARED_DATA").map_or_else(beside_checkout, PathBuf::from)
}

fn cache_folder() -> PathBuf {
    let in_home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache");
    env::var_os("XDG_CACHE_HOME").map_or_else(in_home, PathBuf::from)
}

/// Returns a path that exists. Otherwise reports that a test is skipped, or panics under CI.
fn if_present(path: PathBuf, remedy: &str) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    let missing = format!("{} is missing: {remedy}", path.display());
    assert!(env::var_os("CI").is_none(), "{missing}");
    eprintln!("skipped: {missing}");
    None
}
