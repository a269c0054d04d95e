//! From what a builder gathered to a data set.

use super::builder::{DatasetBuilder, PendingLabel, SystemColumn};
use super::missing::find_missing;
use super::{Dataset, Label, Missing, TextRef};
use crate::records::{DataError, DataProblem, Result};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Of each system, its index among the selected ones.
type SelectedIndices<'a> = HashMap<&'a str, Option<u32>>;

impl DatasetBuilder {
    /// Returns the data set.
    ///
    /// # Errors
    /// A selected system that is nowhere; a label for a system without a response; unless it is
    /// allowed, an item that some system has not answered.
    pub fn finish(self, allow_missing: bool) -> Result<Dataset> {
        self.check_selection()?;
        let labels = self.resolve_labels()?;
        let (systems, responses) = select_columns(self.systems, self.items.len());
        let mut missing = find_missing(&self.items, &systems, &responses);
        if !self.whole.is_empty() {
            let whole = self
                .whole
                .iter()
                .filter_map(|&item| self.items.get(item as usize));
            let whole: BTreeSet<&str> = whole.map(|item| item.id.as_str()).collect();
            missing.retain(|missing| !whole.contains(missing.item.as_str()));
        }
        if !missing.is_empty() && !allow_missing {
            return Err(missing_responses(missing, self.items.len()));
        }
        Ok(Dataset {
            items: self.items,
            systems,
            labels,
            ratings: self.ratings.into_iter().map(|(rating, _)| rating).collect(),
            missing,
            notes: self.references.note().into_iter().collect(),
            unshown_fields: BTreeSet::new(),
            responses,
            conversations: self.conversations,
            texts: self.texts,
        })
    }

    fn check_selection(&self) -> Result {
        let unknown = self.unknown_systems();
        if unknown.is_empty() {
            return Ok(());
        }
        let known = self.system_names();
        Err(DataError::new(DataProblem::UnknownSystems {
            unknown,
            known,
        }))
    }

    /// Returns the systems that are asked for and nowhere.
    fn unknown_systems(&self) -> Vec<String> {
        let wanted = self.selection.systems.iter().flatten();
        wanted
            .filter(|name| !self.has_system(name))
            .cloned()
            .collect()
    }

    fn has_system(&self, name: &str) -> bool {
        self.systems.iter().any(|system| *system.name == *name)
    }

    fn system_names(&self) -> Vec<Arc<str>> {
        let systems = self.systems.iter();
        systems.map(|system| system.name.clone()).collect()
    }

    /// Returns the labels of selected systems, one for each vote.
    fn resolve_labels(&self) -> Result<Vec<Label>> {
        let selected = self.selected_indices();
        let mut labels = Vec::new();
        for label in &self.labels {
            let a = self.index_of(&label.a, label, &selected)?;
            let b = self.index_of(&label.b, label, &selected)?;
            // A label of a system that is not selected is left out with it.
            if let (Some(a), Some(b)) = (a, b) {
                labels.extend(list_votes(label, [a, b]));
            }
        }
        Ok(labels)
    }

    fn selected_indices(&self) -> SelectedIndices<'_> {
        let mut next = 0..;
        let systems = self.systems.iter();
        systems
            .map(|system| {
                let index = if system.selected { next.next() } else { None };
                (&*system.name, index)
            })
            .collect()
    }

    /// Returns the index of a label's system; `None` if it is not selected.
    fn index_of(
        &self,
        name: &str,
        label: &PendingLabel,
        selected: &SelectedIndices<'_>,
    ) -> Result<Option<u32>> {
        selected.get(name).copied().ok_or_else(|| {
            DataProblem::UnknownLabelSystem {
                system: name.to_owned(),
                known: self.system_names(),
            }
            .at(&label.place)
        })
    }
}

/// Returns each vote of a label, for the systems of these indices.
fn list_votes(label: &PendingLabel, [a, b]: [u32; 2]) -> impl Iterator<Item = Label> {
    label.votes.iter().map(move |vote| Label {
        item: label.item,
        a,
        b,
        preferred: vote.preferred,
        annotator: vote.annotator.clone(),
    })
}

fn missing_responses(missing: Vec<Missing>, items: usize) -> DataError {
    DataError::new(DataProblem::MissingResponses { missing, items })
}

/// Returns the selected systems, and of each its responses by item.
fn select_columns(
    systems: Vec<SystemColumn>,
    items: usize,
) -> (Vec<Arc<str>>, Vec<Vec<Option<TextRef>>>) {
    let selected = systems.into_iter().filter(|system| system.selected);
    selected
        .map(|system| {
            let responses = (0..items).map(|item| system.text_of(item));
            (system.name.clone(), responses.collect())
        })
        .unzip()
}
