//! What people said, from files of labels.

use evenhand_core::{Cause, Refusal, Setting, Side};
use evenhand_engine::files::labels_path;
use evenhand_engine::{EngineError, open_input};
use evenhand_formats::judgments::{JudgmentReader, Options, other_turn_name};
use evenhand_pages::{PersonLabel, majority_labels};
use evenhand_store::KeptLabel;
use std::collections::HashSet;
use std::io::BufReader;
use std::path::PathBuf;

/// Reads labels of pairs, in any format of judgments. Of several labels of a pair the outcome with
/// more votes than each other counts; where none has, the pair is a tie.
///
/// # Errors
/// A file that cannot be read or understood, and scores, which say nothing of pairs.
pub fn read_labels(paths: &[PathBuf]) -> Result<Vec<PersonLabel>, EngineError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let options = Options {
        battles: true,
        ..Options::default()
    };
    let mut reader = JudgmentReader::new(&options);
    for path in paths {
        let path = labels_path(path)?;
        let shown = path.display().to_string();
        let file = open_input(&path)
            .map_err(|e| Refusal::of_input(format!("{shown}: cannot be read: {e}")))?;
        reader.add_file(BufReader::new(file), &shown)?;
    }
    let recorded = reader.finish()?;
    if recorded.are_scores {
        let why = "expected labels of pairs, found scores of single responses";
        return Err(Refusal::new(Setting::Labels, Cause::Data, why).into());
    }
    let mut said = Vec::new();
    for row in &recorded.comparisons {
        said.push(KeptLabel {
            item: recorded.items[row.item as usize].clone(),
            a: recorded.systems[usize::from(row.a)].clone(),
            b: recorded.systems[usize::from(row.b)].clone(),
            preferred: Side::plurality([row.wins_a, row.ties + row.both_bad, row.wins_b]),
            annotator: None,
        });
    }
    let mut labels = majority_labels(&said);
    // The labels stand by the other names of their items too: a question's first turn may go
    // without its number.
    let known: HashSet<&str> = labels.iter().map(|label| &*label.item).collect();
    let mut others = Vec::new();
    for label in &labels {
        let item = other_turn_name(&label.item);
        if !known.contains(&*item) {
            others.push(PersonLabel {
                item,
                ..label.clone()
            });
        }
    }
    labels.extend(others);
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Side)>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.jsonl");
        std::fs::write(&path, text).unwrap();
        let labels = read_labels(&[path]).map_err(|error| error.to_string())?;
        let told = labels.into_iter().map(|label| (label.item, label.outcome));
        Ok(told.collect())
    }

    #[test]
    fn the_majority_of_several_people_counts() {
        let line = |item: &str, a: &str, b: &str, preferred: &str| {
            format!(r#"{{"item":"{item}","a":"{a}","b":"{b}","preferred":"{preferred}"}}"#)
        };
        let lines = [
            line("q", "x", "y", "a"),
            line("q", "y", "x", "b"),
            line("q", "x", "y", "b"),
            line("r", "x", "y", "a"),
            line("r", "x", "y", "b"),
        ];
        let read = read(&lines.join("\n")).unwrap();
        assert_eq!(
            &read[..2],
            [("q".into(), Side::First), ("r".into(), Side::Tie)]
        );
        assert_eq!(read[2].0, "q/1");
    }

    #[test]
    fn scores_are_no_labels() {
        let error = read(r#"{"item":"q","system":"x","score":3}"#).unwrap_err();
        assert!(error.contains("expected labels of pairs"), "{error}");
    }
}
