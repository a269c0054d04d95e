//! From what a builder gathered to a data set.

use super::builder::{DatasetBuilder, PendingLabel};
use super::{Dataset, Label, Missing, TextRef};
use crate::error::{DataError, DataProblem, Result};
use evenhand_core::Item;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

impl DatasetBuilder {
    /// Expects only the responses that a label is about: those of other systems to its item are not
    /// missing.
    pub fn expect_labelled(&mut self) {
        self.labelled_only = true;
    }

    /// Leaves out votes that decide between people who disagree, and keeps theirs: who looks at how
    /// far people agree asks those who judged by themselves.
    pub fn leave_out_decisions(&mut self) {
        self.without_decisions = true;
    }

    /// Returns the data set. Where a vote decides between people who disagree, it is the one label
    /// of its pair.
    ///
    /// # Errors
    /// A selected system that is nowhere; a label for a system without a response; unless it is
    /// allowed, an item that some system has not answered, where not all responses stand in pairs.
    pub fn finish(self, allow_missing: bool) -> Result<Dataset> {
        self.check_selection()?;
        let labels = self.resolve_labels()?;
        let selected = self.systems.into_iter().filter(|system| system.selected);
        let (systems, responses): (Vec<_>, Vec<_>) = selected
            .map(|system| {
                let items = 0..self.items.len();
                let responses: Vec<_> = items.map(|item| system.text_of(item)).collect();
                (system.name, responses)
            })
            .unzip();
        let mut missing = find_missing(&self.items, &systems, &responses);
        if self.labelled_only {
            let named = labels.iter().flat_map(|label| {
                let item = self.items.get(label.item as usize).map(|item| &*item.id);
                let system = |at: u32| systems.get(at as usize);
                [label.a, label.b].map(|at| item.zip(system(at).map(|name| &**name)))
            });
            let labelled: BTreeSet<(&str, &str)> = named.flatten().collect();
            for Missing { item, systems } in &mut missing {
                systems.retain(|name| labelled.contains(&(item.as_str(), &**name)));
            }
            missing.retain(|one| !one.systems.is_empty());
        }
        // The records of these hold all responses that there are to them.
        let whole = self.whole.iter();
        let whole = whole.filter_map(|&item| self.items.get(item as usize));
        let whole: BTreeSet<&str> = whole.map(|item| item.id.as_str()).collect();
        missing.retain(|missing| !whole.contains(missing.item.as_str()));
        // A file of pairs, such as PandaLM's, shows two systems on each item: no more are expected
        // of one, and reports say which are not there. A file of single responses expects all.
        let paired = self.paired.iter().filter(|_| !self.has_singles);
        let paired = paired.filter_map(|&item| self.items.get(item as usize));
        let paired: BTreeSet<&str> = paired.map(|item| item.id.as_str()).collect();
        let unexpected = |one: &&Missing| !paired.contains(one.item.as_str());
        let missed: Vec<Missing> = missing.iter().filter(unexpected).cloned().collect();
        if !missed.is_empty() && !allow_missing {
            return Err(DataError::new(DataProblem::MissingResponses {
                missing: missed,
                items: self.items.len(),
            }));
        }
        let mut notes = Vec::new();
        if !self.references.is_empty() {
            let replaced = match self.replaced {
                0 => String::new(),
                some => format!(", {some} of them in the place of the items' own"),
            };
            let count = self.references.len();
            notes.push(format!(
                "{count} items have a reference answer of a file{replaced}"
            ));
        }
        Ok(Dataset {
            items: self.items,
            systems,
            labels,
            ratings: self.ratings.into_iter().map(|(rating, _)| rating).collect(),
            missing,
            notes,
            votes_on_other_turns: 0,
            unshown_fields: BTreeSet::new(),
            responses,
            conversations: self.conversations,
            texts: self.texts,
        })
    }

    /// Checks that the systems which are asked for are somewhere.
    fn check_selection(&self) -> Result {
        let wanted = self.selection.systems.iter().flatten();
        let unknown: Vec<String> = wanted
            .filter(|name| !self.systems.iter().any(|system| *system.name == ***name))
            .cloned()
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let known = self.system_names();
        Err(DataError::new(DataProblem::UnknownSystems {
            unknown,
            known,
        }))
    }

    fn system_names(&self) -> Vec<Arc<str>> {
        let systems = self.systems.iter();
        systems.map(|system| system.name.clone()).collect()
    }

    /// Returns the labels of selected systems, one for each vote.
    fn resolve_labels(&self) -> Result<Vec<Label>> {
        // Of each system, its index among the selected ones.
        let mut selected: HashMap<&str, Option<u32>> = HashMap::new();
        let mut next = 0..;
        for system in &self.systems {
            let index = if system.selected { next.next() } else { None };
            selected.insert(&system.name, index);
        }
        let index_of = |name: &str, label: &PendingLabel| match selected.get(name) {
            Some(index) => Ok(*index),
            None => Err(DataProblem::UnknownLabelSystem {
                system: name.to_owned(),
                known: self.system_names(),
            }
            .at(&label.place)),
        };
        let pair_of = |label: &PendingLabel| {
            let mut pair = [label.a.clone(), label.b.clone()];
            pair.sort();
            (label.item, pair)
        };
        let decides = |label: &&PendingLabel| label.votes.iter().any(|vote| vote.decides);
        let decided = self.labels.iter().filter(decides);
        let decided: HashSet<(u32, [String; 2])> = decided.map(pair_of).collect();
        let mut labels = Vec::new();
        for label in &self.labels {
            let (a, b) = (index_of(&label.a, label)?, index_of(&label.b, label)?);
            // A label of a system that is not selected is left out with it.
            let (Some(a), Some(b)) = (a, b) else {
                continue;
            };
            let counts_decisions =
                !self.without_decisions && !decided.is_empty() && decided.contains(&pair_of(label));
            let votes = label.votes.iter();
            let votes = votes.filter(|vote| vote.decides == counts_decisions);
            labels.extend(votes.map(|vote| Label {
                item: label.item,
                a,
                b,
                preferred: vote.preferred,
                annotator: vote.annotator.clone(),
            }));
        }
        Ok(labels)
    }
}

/// Returns each item that some system has not answered, with those systems.
fn find_missing(
    items: &[Item],
    systems: &[Arc<str>],
    responses: &[Vec<Option<TextRef>>],
) -> Vec<Missing> {
    let mut missing = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let columns = systems.iter().zip(responses);
        let silent = columns.filter(|(_, column)| column.get(index).is_none_or(Option::is_none));
        let silent: Vec<Arc<str>> = silent.map(|(name, _)| name.clone()).collect();
        if !silent.is_empty() {
            missing.push(Missing {
                item: item.id.clone(),
                systems: silent,
            });
        }
    }
    missing
}
