//! Paths that the user names: files, directories of files, and names for what is in them.

use crate::EngineError;
use crate::plan::memory::is_in_memory;
use evenhand_core::{Refusal, Setting, nearest, shell_word};
use evenhand_formats::records::{DataProblem, Place};
use evenhand_objects::{Found, copy_of, is_address, local_path, look_at};
use glob::{MatchOptions, Pattern, PatternError, glob_with};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Component, Path, PathBuf};

/// The endings of data files, before a `.gz`.
const ENDINGS: [&str; 6] = [".jsonl", ".json", ".csv", ".tsv", ".parquet", ".eval"];

/// Returns the files of a path: itself, the data files of a directory in the order of their names,
/// or the files that a pattern such as `part-*/*.parquet` names. A folder of object storage is a
/// directory.
///
/// # Errors
/// A path that cannot be read; a directory without data files; a pattern that names no file.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    files_for(path, Wanted::Records)
}

/// What is asked for where a path is named, for the refusal of a run.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    /// What was judged, or said of it.
    Records,
    /// Items, with what they hold.
    Items,
}

/// Returns the files of a path as [`files`] does.
///
/// # Errors
/// Those of [`files`].
pub(crate) fn files_for(path: &Path, wanted: Wanted) -> Result<Vec<PathBuf>, EngineError> {
    // A file may be called so.
    let is_absent = || fs::symlink_metadata(local_path(path)).is_err();
    let unreadable = |error: io::Error| refuse_unreadable(path, &error);
    let mut files = if path == Path::new("-") || is_in_memory(path) {
        return Ok(vec![path.to_path_buf()]);
    } else if is_address(path) {
        match look_at(path) {
            Ok(Found::Object) => return Ok(vec![path.to_path_buf()]),
            Ok(Found::Folder(files)) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_pattern(path) => {
                objects_of_pattern(path)?
            }
            Err(error) => return Err(unreadable(error)),
        }
    } else if is_pattern(path) && is_absent() {
        return files_of_pattern(&local_path(path));
    } else {
        let local = local_path(path);
        if !fs::metadata(&local).map_err(unreadable)?.is_dir() {
            return Ok(vec![local]);
        }
        let mut files = paths_in(&local).map_err(unreadable)?;
        files.retain(|file| file.is_file());
        files
    };
    files.retain(|file| is_data(file));
    if path.join(RUN).is_file() {
        files.retain(|file| has_content(file));
        // Labels alone, whosever they are, make no data of a run.
        let is_other = |file: &PathBuf| !REVIEW.contains(&&*file_name(file));
        if files.iter().any(is_other) {
            files.retain(|file| !is_of_review(file));
        } else {
            let labels = path.join(REVIEW[0]);
            let held = match has_content(&labels) {
                true => format!("; people's labels of it are in {}", labels.display()),
                false => String::new(),
            };
            let run = path.display();
            return Err(Refusal::of_input(match wanted {
                Wanted::Records => format!(
                    "{run}: it is a run, not data; `judgments` writes what was judged there as JSON \
                     or CSV, and such a file is read here{held}"
                ),
                Wanted::Items => format!(
                    "{run}: it is a run, not data: of items it keeps what the judge was shown; give \
                     the data that were judged there (with {} {} nothing is asked again)",
                    Setting::Reuse,
                    shell_word(&run.to_string())
                ),
            })
            .into());
        }
    }
    if files.is_empty() {
        let others = match folders_within(path).is_empty() {
            true => String::new(),
            false => format!(
                "; '{}' stands for those of the folders within",
                within(path)
            ),
        };
        return Err(Refusal::of_input(format!(
            "{}: the directory holds no data files; expected .json, .jsonl, .csv or .tsv, plain \
             or .gz, .parquet, or .eval{others}",
            path.display()
        ))
        .into());
    }
    files.sort();
    Ok(files)
}

/// The file that makes a directory a run.
const RUN: &str = "run.sqlite";

/// The files of a review in a run: people's labels, and the pairs that they skipped.
const REVIEW: [&str; 2] = ["labels.jsonl", "labels.skipped.jsonl"];

fn has_content(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|file| file.len() > 0)
}

/// Whether a file in a run is of a review of it, and no part of the data that lie there too: it is
/// called as these are, and its first label says from which queue its pair came, which data do not.
/// What people said in a review is no judge's, and judged already.
fn is_of_review(file: &Path) -> bool {
    if file_name(file) != REVIEW[0] {
        return REVIEW.contains(&&*file_name(file));
    }
    let first = fs::File::open(file).map(|file| BufReader::new(file).lines().next());
    let Ok(Some(Ok(first))) = first else {
        return false;
    };
    let label: Result<serde_json::Value, _> = serde_json::from_str(&first);
    label.is_ok_and(|label| label.get("queue").is_some())
}

/// Returns where the labels are that a path names: the file in a run that people reviewed, and any
/// other path itself. For settings that ask for labels: elsewhere a run is no data.
///
/// # Errors
/// A run without labels.
pub fn labels_path(path: &Path) -> Result<PathBuf, EngineError> {
    if !path.join(RUN).is_file() {
        return Ok(path.to_path_buf());
    }
    // Before the first label of a review the file is empty.
    let labels = path.join(REVIEW[0]);
    if !has_content(&labels) {
        return Err(Refusal::of_input(format!(
            "{}: nobody has labelled what was judged there; a review of the run makes labels",
            path.display()
        ))
        .into());
    }
    Ok(labels)
}

/// Returns the files of these paths, which are asked for as labels.
///
/// # Errors
/// Those of [`labels_path`] and of [`files`].
pub fn label_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let all: Result<Vec<_>, _> = paths
        .iter()
        .map(|path| files(&labels_path(path)?))
        .collect();
    Ok(all?.concat())
}

/// Says which folders of a directory hold data files that it does not stand for, and how they are
/// read with it; None where there is none. Runs, and folders whose names begin with a dot, are no
/// data.
pub fn note_on_folders(path: &Path) -> Option<String> {
    let folders = folders_within(path);
    if folders.is_empty() {
        return None;
    }
    let named: Vec<String> = folders.iter().take(SHOWN).map(|it| file_name(it)).collect();
    let more = match folders.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{}: files in its folders are not read ({}{more}); name them too, or write '{}', in \
         quotes, for all",
        path.display(),
        named.join(", "),
        within(path)
    ))
}

/// How many folders a note names.
const SHOWN: usize = 3;

/// Returns the folders of a directory that hold data files themselves, in the order of their names.
fn folders_within(path: &Path) -> Vec<PathBuf> {
    if path == Path::new("-") || is_in_memory(path) || is_address(path) {
        return Vec::new();
    }
    let holds_data = |folder: &PathBuf| {
        let files = paths_in(folder).unwrap_or_default();
        files.iter().any(|file| is_data(file) && file.is_file())
    };
    let mut folders = paths_in(&local_path(path)).unwrap_or_default();
    folders.retain(|folder| {
        let is_hidden = file_name(folder).starts_with('.');
        let is_run = || folder.join(RUN).is_file();
        folder.is_dir() && !is_hidden && !is_run() && holds_data(folder)
    });
    folders.sort();
    folders
}

/// Returns the pattern of all files of a directory and of its folders.
fn within(path: &Path) -> String {
    path.join("**").display().to_string()
}

/// Returns how many bytes a file or an object has; None of what can be read only once, such as a
/// pipe, and of what is in memory or not there.
pub fn length_of(path: &Path) -> Option<u64> {
    let found = match is_address(path) {
        true => copy_of(path).and_then(|copy| copy.metadata()),
        false => fs::metadata(local_path(path)),
    };
    let found = found.ok()?;
    found.is_file().then_some(found.len())
}

/// Writes a file whole, or an object where the path is an address: what was there stays until all
/// is written.
///
/// # Errors
/// A place that cannot be written, as [`NewFile::begin`] has it; storage that refuses.
pub fn write_whole_file(path: &Path, contents: &[u8]) -> io::Result<()> {
    match is_address(path) {
        true => evenhand_objects::write(path, contents),
        false => evenhand_store::write_whole_file(&local_path(path), contents),
    }
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// Returns the objects of a folder whose names are as the last part of an address.
fn objects_of_pattern(address: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let text = address.to_string_lossy();
    let (folder, name) = text.rsplit_once('/').unwrap_or((&text, ""));
    if is_pattern(Path::new(folder)) || name.contains("**") {
        let why = "a pattern in an address matches names in one folder, as in \
                   s3://bucket/folder/*.parquet; name each folder";
        return Err(Refusal::of_input(format!("{text}: {why}")).into());
    }
    let bad = |error| refuse_pattern(&text, &error);
    let name = Pattern::new(name).map_err(bad)?;
    let found = look_at(Path::new(&format!("{folder}/")));
    let Found::Folder(mut objects) = found.map_err(|error| refuse_unreadable(address, &error))?
    else {
        return Ok(Vec::new());
    };
    objects.retain(|object| name.matches(&file_name(object)));
    if objects.is_empty() {
        return Err(Refusal::of_input(format!("{text}: no object has this address")).into());
    }
    Ok(objects)
}

fn refuse_pattern(pattern: &str, error: &PatternError) -> EngineError {
    Refusal::of_input(format!(
        "{pattern}: it is not a valid path pattern: {} at character {}; `*` matches any name, `**` \
         any directories, `?` a character, `[ab]` one of these",
        error.msg,
        error.pos + 1
    ))
    .into()
}

/// Returns the files that a pattern names, and the data files of directories that it names, in the
/// order of their paths. Of files with and without the ending of data, such as the notes that a
/// program leaves beside its parts, the first are taken.
fn files_of_pattern(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let pattern = path.to_string_lossy();
    // At the end it stands for directories alone.
    let is_deep = pattern.ends_with("**");
    let whole = if is_deep {
        format!("{pattern}/*")
    } else {
        pattern.to_string()
    };
    let options = MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..MatchOptions::default()
    };
    let found = glob_with(&whole, options).map_err(|error| refuse_pattern(&pattern, &error))?;
    let mut matched = Vec::new();
    for entry in found {
        let entry = entry.map_err(|error| refuse_unreadable(error.path(), error.error()))?;
        match entry.is_dir() {
            true if is_deep => {}
            true => matched.extend(files(&entry)?),
            false => matched.push(entry),
        }
    }
    if matched.iter().any(|file| is_data(file)) {
        matched.retain(|file| is_data(file));
    }
    if matched.is_empty() {
        return Err(Refusal::of_input(format!(
            "{pattern}: no file or directory matches; expected at least one"
        ))
        .into());
    }
    matched.sort();
    matched.dedup();
    Ok(matched)
}

/// Returns what is in a directory, in no order.
pub(crate) fn paths_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir)?;
    entries.map(|entry| Ok(entry?.path())).collect()
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
    // How many parts all have in common at their ends: these tell nothing apart. One path shares
    // nothing, or nothing would be left of it.
    let shared = match &all[..] {
        [first, others @ ..] if !others.is_empty() => {
            let part = |parts: &[String], back: usize| parts.iter().nth_back(back).cloned();
            let is_shared = |back: &usize| {
                others
                    .iter()
                    .all(|other| part(other, *back) == part(first, *back))
            };
            (0..first.len()).take_while(is_shared).count()
        }
        _ => 0,
    };
    let own = |parts: &[String]| parts[..parts.len().saturating_sub(shared)].to_vec();
    let all: Vec<Vec<String>> = all.iter().map(|parts| own(parts)).collect();
    let mut names = Vec::with_capacity(all.len());
    for own in &all {
        let mut ends = (1..=own.len()).map(|length| &own[own.len() - length..]);
        let is_own = |end: &&[String]| all.iter().filter(|parts| parts.ends_with(end)).count() == 1;
        names.push(ends.find(is_own).unwrap_or(own).join("/"));
    }
    names
}

/// Returns the names of a path's directories and of its file, the last without its endings.
pub fn path_parts(path: &Path) -> Vec<String> {
    let parents = path.parent().into_iter().flat_map(Path::components);
    let parents = parents.map(|part| part.as_os_str().to_string_lossy().into_owned());
    parents.chain([stem(path)]).collect()
}

pub(crate) fn refuse_unreadable(path: &Path, error: &io::Error) -> EngineError {
    let place = Place::file(path.display().to_string());
    let reason = format!("{error}{}", hint_at_missing(path));
    DataProblem::Io(reason).at(&place).into()
}

/// The program that brings data which are not in a repository, beside the directory that it fills
/// (`examples/papers`).
const FETCHES: &str = "fetch-data";

/// Entries of a folder that are looked at for one of a similar name.
const MOST_ENTRIES: usize = 1000;

/// Returns the path that was probably meant by one that is not there: the same, but for one name
/// that is like one of its folder.
fn nearest_path(path: &Path) -> Option<PathBuf> {
    let folder = path.ancestors().skip(1).find(|folder| {
        let is_here = folder.as_os_str().is_empty();
        is_here || folder.is_dir()
    })?;
    let rest = path.strip_prefix(folder).ok()?;
    let missing = rest.components().next()?;
    let listed = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = fs::read_dir(listed).ok()?.flatten().take(MOST_ENTRIES);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    // A name with a line end would begin a line of the message.
    let names = names.filter(|name| !name.contains(char::is_control));
    let mut names: Vec<String> = names.collect();
    names.sort();
    let wanted = missing.as_os_str().to_string_lossy();
    let meant = folder.join(nearest(&wanted, &names)?);
    let below: PathBuf = rest.components().skip(1).collect();
    let meant = match below.as_os_str().is_empty() {
        true => meant,
        false => meant.join(below),
    };
    meant.exists().then_some(meant)
}

/// Returns what to say of a file that is not there: the program beside one of its directories that
/// may bring it, or a path that is like it; nothing of any other file.
pub(crate) fn hint_at_missing(path: &Path) -> String {
    if path.exists() {
        return String::new();
    }
    // Without the steps up and down again that a study's own directory leaves in a path.
    let mut plain = PathBuf::new();
    for part in path.components() {
        let is_step = matches!(plain.components().next_back(), Some(Component::Normal(_)));
        if part == Component::ParentDir && is_step {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    let beside = plain.ancestors().skip(1).map(|dir| dir.join(FETCHES));
    match beside.into_iter().find(|program| program.is_file()) {
        Some(program) => {
            let program = program.display();
            format!("; {program} brings such data")
        }
        None => nearest_path(path).map_or_else(String::new, |meant| {
            format!("; did you mean {}?", meant.display())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_brings_data_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let papers = dir.path().join("papers");
        fs::create_dir_all(papers.join("study")).unwrap();
        fs::write(papers.join("fetch-data"), "").unwrap();
        let missing = papers.join("study/../data/set/items.jsonl");
        let hint = hint_at_missing(&missing);
        let program = papers.join("fetch-data");
        assert!(
            hint.starts_with(&format!("; {} brings such data", program.display())),
            "{hint}"
        );
        assert_eq!(hint_at_missing(&program), "");
        assert_eq!(hint_at_missing(&dir.path().join("data/items.jsonl")), "");
    }

    #[test]
    fn a_pattern_stands_for_the_files_that_it_names() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for file in [
            "day-1/b.parquet",
            "day-1/a.parquet",
            "day-1/_SUCCESS",
            "day-1/.a.parquet.crc",
            "day-2/deep/c.csv",
            "day-2/d[1].csv",
            "notes",
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let named = |pattern: &str| match files(&root.join(pattern)) {
            Ok(found) => {
                let own = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
                Ok(found.iter().map(own).collect::<Vec<_>>())
            }
            Err(error) => Err(error
                .to_string()
                .replace(&root.display().to_string(), "DIR")),
        };
        let found = |pattern: &str| named(pattern).unwrap();
        assert_eq!(found("day-1/*"), ["day-1/a.parquet", "day-1/b.parquet"]);
        // A directory stands for its own files, and a note says what it leaves out.
        assert_eq!(found("day-2"), ["day-2/d[1].csv"]);
        let note = note_on_folders(&root.join("day-2")).unwrap();
        let note = note.replace(&root.display().to_string(), "DIR");
        let said = "DIR/day-2: files in its folders are not read (deep); name them too, or write \
                    'DIR/day-2/**', in quotes, for all";
        assert_eq!(note, said);
        assert_eq!(found("day-2/**"), ["day-2/d[1].csv", "day-2/deep/c.csv"]);
        for none in ["day-1", "day-2/deep", "day-2/d[1].csv", "nowhere"] {
            assert_eq!(note_on_folders(&root.join(none)), None, "{none}");
        }
        let refused = named("").unwrap_err();
        assert!(
            refused.ends_with("; 'DIR/**' stands for those of the folders within"),
            "{refused}"
        );
        // The directory `deep` stands for its file.
        let three = ["day-1/a.parquet", "day-2/d[1].csv", "day-2/deep/c.csv"];
        assert_eq!(found("day-?/[ad]*"), three);
        assert_eq!(found("d*/**").len(), 4);
        assert_eq!(found("**/c.csv"), ["day-2/deep/c.csv"]);
        // Directories stand for their files, and a file may have the name of a pattern.
        assert_eq!(found("day-[1]"), ["day-1/a.parquet", "day-1/b.parquet"]);
        assert_eq!(found("day-2/d[1].csv"), ["day-2/d[1].csv"]);
        assert_eq!(found("n*s"), ["notes"]);
        assert_eq!(
            named("*.parquet").unwrap_err(),
            "DIR/*.parquet: no file or directory matches; expected at least one"
        );
        let error = named("day-[1").unwrap_err();
        assert!(
            error.starts_with("DIR/day-[1: it is not a valid path pattern: "),
            "{error}"
        );
    }

    #[test]
    fn labels_of_a_run_are_read_where_labels_are_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        fs::create_dir(&run).unwrap();
        let write = |name: &str, text: &str| fs::write(run.join(name), text).unwrap();
        let refused = || {
            let error = files(&run).unwrap_err().to_string();
            error.replace(&run.display().to_string(), "RUN")
        };
        let not_data = "RUN: it is a run, not data; `judgments` writes what was judged there as \
                        JSON or CSV, and such a file is read here";
        write("run.sqlite", "");
        let labelled = || {
            let found = labels_path(&run).map_err(|error| error.to_string());
            found.map_err(|error| error.replace(&run.display().to_string(), "RUN"))
        };
        let none = Err(
            "RUN: nobody has labelled what was judged there; a review of the run makes \
                        labels"
                .to_string(),
        );
        // Before the first label, and where all that was seen was skipped.
        assert_eq!((refused(), labelled()), (not_data.into(), none.clone()));
        write("labels.jsonl", "");
        write("labels.skipped.jsonl", "{}\n");
        assert_eq!((refused(), labelled()), (not_data.into(), none.clone()));
        // A run that was made in a directory of data.
        let items = run.join("items.jsonl");
        write("items.jsonl", "{}\n");
        assert_eq!(files(&run).unwrap(), std::slice::from_ref(&items));
        assert_eq!(labelled(), none);
        write("labels.jsonl", "{\"item\":\"1\",\"queue\":\"random\"}\n");
        let labels = run.join("labels.jsonl");
        assert_eq!(files(&run).unwrap(), std::slice::from_ref(&items));
        assert_eq!(labelled(), Ok(labels.clone()));
        // Labels of the data themselves, which no review made.
        write("labels.jsonl", "{\"item\":\"1\"}\n");
        assert_eq!(files(&run).unwrap(), [items.clone(), labels.clone()]);
        assert_eq!(labelled(), Ok(labels.clone()));
        fs::remove_file(items).unwrap();
        assert_eq!(
            refused(),
            format!("{not_data}; people's labels of it are in RUN/labels.jsonl")
        );
        assert_eq!(labelled(), Ok(labels.clone()));
        let two = [run.clone(), labels.clone()];
        assert_eq!(label_files(&two).unwrap(), [labels.clone(), labels]);
    }

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
