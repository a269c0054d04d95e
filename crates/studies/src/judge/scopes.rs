//! Items of several files that have the same ids.

use evenhand_engine::files::{path_parts, short_names};
use evenhand_formats::judgments::games::PairLabel;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Returns the labels of all files. Where files that name no systems label the same ids, which are
/// then different items, the file is part of the ids of all of these: `natural:0`.
pub(super) fn kept_apart(files: Vec<(&PathBuf, Vec<PairLabel>)>) -> Vec<PairLabel> {
    let lack_systems = |labels: &[PairLabel]| labels.iter().any(|label| label.systems.is_none());
    let nameless = || files.iter().filter(|(_, labels)| lack_systems(labels));
    let mut seen = HashSet::new();
    let ids_collide = nameless().any(|(_, labels)| {
        let ids: HashSet<&str> = labels.iter().map(|label| label.item.as_str()).collect();
        ids.into_iter().any(|item| !seen.insert(item))
    });
    let mut scopes: HashMap<PathBuf, String> = HashMap::new();
    if ids_collide {
        let paths: Vec<PathBuf> = nameless().map(|(path, _)| path.to_path_buf()).collect();
        let names = short_names(&paths);
        scopes.extend(paths.into_iter().zip(names));
    }
    let mut all = Vec::new();
    for (path, mut labels) in files {
        if let Some(scope) = scopes.get(path)
            && lack_systems(&labels)
        {
            for label in &mut labels {
                label.item = format!("{scope}:{}", label.item);
            }
        }
        all.append(&mut labels);
    }
    all
}

/// Returns the names under which the items of a file may stand elsewhere: every run of the parts of
/// its path, the last ones first. Of `llmbar/natural/evaluators/GPT-4.jsonl` one is `natural`.
pub(super) fn names_of(path: &Path) -> Vec<String> {
    let parts = path_parts(path);
    let runs = (0..parts.len())
        .rev()
        .flat_map(|end| (0..=end).map(move |start| start..=end));
    runs.map(|run| parts[run].join("/")).collect()
}

/// Returns the names of the directories on the way to a file.
pub(super) fn parent_names(path: &Path) -> Vec<String> {
    let mut parts = path_parts(path);
    parts.pop();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::Side;

    fn label(item: &str, systems: Option<[String; 2]>) -> PairLabel {
        let preferred = vec![Side::First];
        PairLabel {
            item: item.into(),
            systems,
            preferred,
            ..PairLabel::default()
        }
    }

    fn ids(files: &[(&str, PairLabel)]) -> Vec<String> {
        let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.into()).collect();
        let files = paths
            .iter()
            .zip(files)
            .map(|(path, (_, label))| (path, vec![label.clone()]))
            .collect();
        kept_apart(files)
            .into_iter()
            .map(|label| label.item)
            .collect()
    }

    #[test]
    fn the_file_is_part_of_ids_that_collide() {
        let (plain, named) = (label("0", None), label("0", Some(["x".into(), "y".into()])));
        assert_eq!(
            ids(&[
                ("natural/d.json", plain.clone()),
                ("manual/d.json", plain.clone())
            ]),
            ["natural:0", "manual:0"]
        );
        assert_eq!(
            ids(&[("a.json", plain.clone()), ("b.json", label("1", None))]),
            ["0", "1"]
        );
        // With systems, votes on one pair from many files are votes on one pair.
        assert_eq!(
            ids(&[
                ("a.json", named.clone()),
                ("b.json", named.clone()),
                ("c.json", plain)
            ]),
            ["0", "0", "0"]
        );
    }

    #[test]
    fn a_path_has_a_name_for_every_run_of_its_parts() {
        assert_eq!(
            names_of(Path::new("x/natural/G.jsonl.gz")),
            ["x/natural/G", "natural/G", "G", "x/natural", "natural", "x"]
        );
    }
}
