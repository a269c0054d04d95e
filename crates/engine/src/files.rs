//! Paths that the user names: files, directories of files, and names for what is in them.

use crate::EngineError;
use evenhand_formats::records::{Place, Problem};
use std::path::{Path, PathBuf};

/// The endings of data files, before a `.gz`.
const ENDINGS: [&str; 5] = [".jsonl", ".json", ".csv", ".tsv", ".parquet"];

/// The files of a path: itself, or the data files of a directory in the order of their names.
///
/// # Errors
/// A path that cannot be read; a directory without data files.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let unreadable = |e: std::io::Error| unreadable(path, &e);
    if path == Path::new("-") || !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()));
    let mut found: Vec<PathBuf> = entries.collect::<Result<_, _>>().map_err(unreadable)?;
    found.retain(|file| file.is_file() && is_data(file));
    found.sort();
    match found.is_empty() {
        false => Ok(found),
        true => Err(EngineError::Setting(format!(
            "{}: the directory holds no data files; expected .json, .jsonl, .csv or .tsv, plain or \
             .gz, or .parquet",
            path.display()
        ))),
    }
}

/// Whether a file has the ending of a data file.
fn is_data(path: &Path) -> bool {
    let name = name(path).to_lowercase();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// A file's name without its endings: what is in it is called so where it has no name of its own.
pub fn stem(path: &Path) -> String {
    let name = name(path);
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    ENDINGS
        .iter()
        .find_map(|ending| plain.strip_suffix(ending))
        .unwrap_or(plain)
        .to_string()
}

fn name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// A name for each of several files that no other has: the shortest end of its path, without what
/// all paths end with. `a/natural/dataset.jsonl` and `manual/dataset.jsonl` are `natural` and
/// `manual`.
pub fn short_names(paths: &[PathBuf]) -> Vec<String> {
    let all: Vec<Vec<String>> = paths.iter().map(|path| parts(path)).collect();
    let shared = shared_end(&all);
    all.iter()
        .map(|own| short_name(own, &all, shared))
        .collect()
}

/// The path's parts, the last without its endings.
fn parts(path: &Path) -> Vec<String> {
    let parents = path.parent().into_iter().flat_map(Path::components);
    let mut parts: Vec<String> = parents
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts.push(stem(path));
    parts
}

/// How many parts all paths have in common at their ends.
fn shared_end(all: &[Vec<String>]) -> usize {
    let Some(first) = all.first() else { return 0 };
    let same = |back: &usize| {
        all.iter()
            .all(|own| own.iter().nth_back(*back) == first.iter().nth_back(*back))
    };
    if all.len() < 2 {
        0
    } else {
        (0..first.len()).take_while(same).count()
    }
}

fn short_name(own: &[String], all: &[Vec<String>], shared: usize) -> String {
    let end = |path: &[String], length: usize| -> Vec<String> {
        let kept = path.len().saturating_sub(shared);
        path[kept.saturating_sub(length)..kept].to_vec()
    };
    let alone = |length: &usize| {
        all.iter()
            .filter(|other| end(other, *length) == end(own, *length))
            .count()
            == 1
    };
    let length = (1..=own.len()).find(alone).unwrap_or(own.len());
    end(own, length).join("/")
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    Problem::Io(error.to_string())
        .at(&Place::file(path.display().to_string()))
        .into()
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
        ] {
            assert_eq!(stem(Path::new(path)), name);
        }
        assert!(
            is_data(Path::new("A.JSONL.gz"))
                && is_data(Path::new("a.parquet"))
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
