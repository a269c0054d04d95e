//! The run that is migrated from.

use super::population::{Answer, Said, Says};
use evenhand_core::{Refusal, ShownFields};
use evenhand_engine::{EngineError, dataset_of_run};
use evenhand_formats::Dataset;
use evenhand_store::{Manifest, Reader, describe_calls_alone};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What a run of the old judge holds.
#[derive(Debug)]
pub struct OldRun {
    /// The run's directory.
    pub dir: PathBuf,
    /// The settings that decided what was asked.
    pub manifest: Manifest,
    reader: Reader,
    answers: Vec<OldAnswer>,
}

/// One judgment of the old judge.
#[derive(Debug)]
struct OldAnswer {
    item: String,
    /// In slot order.
    systems: Vec<String>,
    answer: Answer,
}

impl OldRun {
    /// Opens a run and reads what its judge said.
    ///
    /// # Errors
    /// A run that cannot be read, or whose judge came to no verdict.
    pub fn open(dir: &Path) -> Result<OldRun, EngineError> {
        let reader = Reader::open(dir)?;
        let manifest = reader.manifest()?;
        let mut answers = Vec::new();
        reader.for_each_judgment(0, |judgment| {
            let value = match judgment.preference {
                Some([first, tie, _]) => Some(first + tie / 2.0),
                None => judgment.score,
            };
            answers.push(OldAnswer {
                item: judgment.item.into(),
                systems: judgment.systems_shown(),
                answer: Answer {
                    says: value
                        .map(Says::Value)
                        .or_else(|| judgment.places().map(Says::Places)),
                    flipped: judgment.flipped,
                },
            });
        })?;
        if answers.iter().all(|one| one.answer.says.is_none()) {
            let why = describe_calls_alone(&manifest.settings);
            return Err(Refusal::of_input(format!(
                "{}: {}, so there is nothing to compare a new judge with; expected a run of pairs, \
                 lists or scores that was judged",
                dir.display(),
                why.as_deref().unwrap_or("its judge gave no verdict")
            ))
            .into());
        }
        Ok(OldRun {
            dir: dir.to_path_buf(),
            manifest,
            reader,
            answers,
        })
    }

    /// Returns the items and responses that were judged, with the labels that the run keeps.
    ///
    /// # Errors
    /// A run that keeps no texts.
    pub fn dataset(&self, shown: &ShownFields) -> Result<Dataset, EngineError> {
        dataset_of_run(&self.reader, shown)
    }

    /// Returns a setting of the run; None where it has none.
    pub fn setting(&self, key: &str) -> Option<&str> {
        self.manifest.settings.get(key).map(String::as_str)
    }

    /// Returns what was said of the items and systems of this data set, by their numbers.
    pub(super) fn said(&self, data: &Dataset) -> Said {
        let items: HashMap<&str, u32> = (data.items.iter().zip(0..))
            .map(|(item, number)| (item.id.as_str(), number))
            .collect();
        let systems: HashMap<&str, u32> = (data.systems.iter().zip(0..))
            .map(|(name, number)| (&**name, number))
            .collect();
        let mut said = Said::default();
        for one in &self.answers {
            let shown = one.systems.iter().map(|name| systems.get(name.as_str()));
            let shown: Option<Vec<u32>> = shown.map(|number| number.copied()).collect();
            if let Some((item, shown)) = items.get(&*one.item).zip(shown) {
                said.add(*item, &shown, &one.answer);
            }
        }
        said
    }
}
