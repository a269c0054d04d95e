//! Paths that the user names: files, directories of files, and names for what is in them.

use crate::EngineError;
use crate::plan::memory::is_in_memory;
use evenhand_core::Refusal;
use evenhand_formats::records::{DataProblem, Place};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The endings of data files, before a `.gz`.
const ENDINGS: [&str; 6] = [".jsonl", ".json", ".csv", ".tsv", ".parquet", ".eval"];

/// Returns the files of a path: itself, or the data files of a directory in the order of their
/// names.
///
/// # Errors
/// A path that cannot be read; a directory without data files.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let found = files_at(path).map_err(|e| refuse_unreadable(path, &e))?;
    if found.is_empty() {
        return Err(refuse_empty(path).into());
    }
    Ok(found)
}

fn files_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    let is_no_path = path == Path::new("-") || is_in_memory(path);
    if is_no_path || !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    data_files_in(path)
}

fn data_files_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = paths_in(dir)?;
    files.retain(|file| file.is_file() && is_data(file));
    files.sort();
    Ok(files)
}

fn paths_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir)?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn refuse_empty(dir: &Path) -> Refusal {
    Refusal::of_input(format!(
        "{}: the directory holds no data files; expected .json, .jsonl, .csv or .tsv, plain or \
         .gz, .parquet, or .eval",
        dir.display()
    ))
}

/// Whether a file has the ending of a data file.
fn is_data(path: &Path) -> bool {
    let name = file_name(path).to_lowercase();
    let plain = without_gz(&name);
    ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// Returns a file's name without its endings: what is in it is called so where it has no name of
/// its own.
pub fn stem(path: &Path) -> String {
    let name = file_name(path);
    let plain = without_gz(&name);
    let plain = plain.strip_suffix(".zip").unwrap_or(plain);
    let mut stems = ENDINGS.iter();
    let stem = stems.find_map(|ending| plain.strip_suffix(ending));
    stem.unwrap_or(plain).to_string()
}

fn without_gz(name: &str) -> &str {
    name.strip_suffix(".gz").unwrap_or(name)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name();
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Returns a name for each of several files that no other has: the shortest end of its path,
/// without what all paths end with. `a/natural/dataset.jsonl` and `manual/dataset.jsonl` are
/// `natural` and `manual`.
pub fn short_names(paths: &[PathBuf]) -> Vec<String> {
    let all: Vec<Vec<String>> = paths.iter().map(|path| path_parts(path)).collect();
    let shared = shared_end(&all);
    // What all have in common tells nothing apart.
    let own = all.iter().map(|parts| without_end(parts, shared));
    let own: Vec<&[String]> = own.collect();
    own.iter().map(|parts| short_name(parts, &own)).collect()
}

fn without_end(parts: &[String], length: usize) -> &[String] {
    &parts[..parts.len().saturating_sub(length)]
}

/// Returns the path's parts, the last without its endings.
fn path_parts(path: &Path) -> Vec<String> {
    let parents = path.parent().into_iter().flat_map(Path::components);
    parents.map(part_name).chain([stem(path)]).collect()
}

fn part_name(part: Component<'_>) -> String {
    part.as_os_str().to_string_lossy().into_owned()
}

/// Returns how many parts all paths have in common at their ends.
fn shared_end(all: &[Vec<String>]) -> usize {
    let Some((first, others)) = all.split_first() else {
        return 0;
    };
    // One path shares nothing, or nothing would be left of it.
    let most = if others.is_empty() { 0 } else { first.len() };
    (0..most)
        .take_while(|back| others.iter().all(|other| agree_at(first, other, *back)))
        .count()
}

/// Whether two paths have the same part at this distance from their ends.
fn agree_at(one: &[String], other: &[String], back: usize) -> bool {
    one.iter().nth_back(back) == other.iter().nth_back(back)
}

/// Returns the shortest end of these parts that no other path has.
fn short_name(own: &[String], all: &[&[String]]) -> String {
    let is_unique = |length: &usize| count_ends(all, last_parts(own, *length)) == 1;
    let length = (1..=own.len()).find(is_unique).unwrap_or(own.len());
    last_parts(own, length).join("/")
}

/// Counts the paths that end with these parts.
fn count_ends(all: &[&[String]], end: &[String]) -> usize {
    let all = all.iter();
    all.filter(|parts| last_parts(parts, end.len()) == end)
        .count()
}

fn last_parts(parts: &[String], length: usize) -> &[String] {
    &parts[parts.len().saturating_sub(length)..]
}

pub(crate) fn refuse_unreadable(path: &Path, error: &io::Error) -> EngineError {
    let place = Place::file(path.display().to_string());
    DataProblem::Io(error.to_string()).at(&place).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_name_is_called_after_its_file() {
        for (path, name) in [
            ("x/gpt-4.jsonl.gz", "gpt-4"),
            ("claude-2.1.json", "claude-2.1"),
            ("m", "m"),
            ("a.csv", "a"),
            ("b.tsv.gz", "b"),
            ("agent-1.eval", "agent-1"),
            ("c.jsonl.zip", "c"),
        ] {
            assert_eq!(stem(Path::new(path)), name);
        }
        assert!(
            is_data(Path::new("A.JSONL.gz"))
                && is_data(Path::new("a.parquet"))
                && is_data(Path::new("log.eval"))
                && !is_data(Path::new("README.md"))
        );
    }

    #[test]
    fn files_have_short_names_of_their_own() {
        let names =
            |paths: &[&str]| short_names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(
            names(&["natural/dataset.jsonl", "x/manual/dataset.jsonl"]),
            ["natural", "manual"]
        );
        let deep = [
            "d/manual/ev/G.jsonl.gz",
            "d/gptinst/ev/G.jsonl.gz",
            "b/c/gptout/ev/G.jsonl.gz",
        ];
        assert_eq!(names(&deep), ["manual", "gptinst", "gptout"]);
        assert_eq!(names(&["a/x.json", "a/y.json"]), ["x", "y"]);
        assert_eq!(
            names(&["1/a/d.json", "2/a/d.json", "2/b/d.json"]),
            ["1/a", "2/a", "b"]
        );
        assert_eq!(names(&["only/one.json"]), ["one"]);
    }
}
