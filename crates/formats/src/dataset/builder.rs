//! Puts a data set together from records, and keeps only what was selected.

use super::missing::missing;
use super::{Dataset, InMemory, Label, TextRef, Texts};
use crate::records::{Answer, DataError, ItemRef, Place, Problem, Rating, Record, Vote};
use evenhand_core::Item;
use std::collections::HashMap;
use std::sync::Arc;

/// Which part of the files is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The first so many items; None for all.
    pub items: Option<usize>,
    /// The systems of these names; None for all.
    pub systems: Option<Vec<String>>,
}

/// Puts a data set together from records. Items come before what speaks of them. What is not
/// selected is not kept.
#[derive(Debug)]
pub struct DatasetBuilder {
    selection: Selection,
    texts: Box<dyn Texts>,
    items: Vec<Item>,
    /// Every item that was read, selected or not, by its id.
    by_id: HashMap<Digest, Seen>,
    /// The first item with each conversation: where an item without an id is found again.
    by_text: HashMap<Digest, Seen>,
    systems: Vec<System>,
    labels: Vec<PendingLabel>,
    ratings: Vec<(Rating, Place)>,
    /// The ids of items that only records hold which a filter leaves out, by their ids and by their
    /// conversations: another record that holds the item makes it one of ours, under the number
    /// that it would have had.
    passed: HashMap<Digest, String>,
    /// Every file's name once, so that each record can remember its place in a few bytes.
    sources: Vec<Arc<str>>,
}

/// Of an id or a conversation: what is not selected costs these few bytes.
type Digest = [u8; 16];

#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Its index, if it is selected.
    index: Option<u32>,
    conversation: Digest,
    mark: Mark,
}

/// A place in few bytes.
#[derive(Clone, Copy, Debug)]
struct Mark {
    source: u32,
    line: u64,
}

#[derive(Debug)]
struct System {
    name: Arc<str>,
    selected: bool,
    /// By item.
    responses: Vec<Option<(TextRef, Mark)>>,
}

/// A label whose systems need not be known yet.
#[derive(Debug)]
struct PendingLabel {
    item: u32,
    a: String,
    b: String,
    votes: Vec<Vote>,
    place: Place,
}

impl Default for DatasetBuilder {
    fn default() -> Self {
        DatasetBuilder::new(Selection::default(), Box::<InMemory>::default())
    }
}

impl DatasetBuilder {
    /// An empty data set, which will keep its responses in `texts`.
    pub fn new(selection: Selection, texts: Box<dyn Texts>) -> Self {
        DatasetBuilder {
            selection,
            texts,
            items: Vec::new(),
            by_id: HashMap::new(),
            by_text: HashMap::new(),
            systems: Vec::new(),
            labels: Vec::new(),
            ratings: Vec::new(),
            passed: HashMap::new(),
            sources: Vec::new(),
        }
    }

    /// Takes a record that was read at this place.
    pub fn add(&mut self, record: Record, place: &Place) -> Result<(), DataError> {
        match record {
            Record::Item(item) => self.add_item(item, place),
            Record::Response { item, answer } => {
                let item = self.item(item, "response", place)?;
                self.add_response(item, answer, place)
            }
            Record::Pair { item, a, b, votes } => self.add_pair(item, a, b, votes, place),
            Record::Label { item, a, b, votes } => {
                let item = self.item(item, "label", place)?;
                self.add_label(item, a, b, votes, place);
                Ok(())
            }
            Record::Rating(rating) => self.add_rating(rating, place),
            Record::LeftOut(record) => {
                self.leave_out(*record, place);
                Ok(())
            }
        }
    }

    /// Remembers the item of a record that is left out: what speaks of an item that a file of items
    /// holds goes with it.
    fn leave_out(&mut self, record: Record, place: &Place) {
        let (item, passed) = match record {
            Record::Item(item) => (item, false),
            Record::Response {
                item: ItemRef::Inline(item),
                ..
            }
            | Record::Pair {
                item: ItemRef::Inline(item),
                ..
            } => (*item, true),
            _ => return,
        };
        let id = if item.id.is_empty() {
            self.next_number()
        } else {
            item.id.clone()
        };
        let seen = Seen {
            index: None,
            conversation: conversation(&item),
            mark: self.mark(place),
        };
        let known = if item.id.is_empty() {
            self.by_text.contains_key(&seen.conversation)
        } else {
            self.by_id.contains_key(&id_digest(&id))
        };
        if known {
            return;
        }
        self.by_id.insert(id_digest(&id), seen);
        let is_first = !self.by_text.contains_key(&seen.conversation);
        self.by_text.entry(seen.conversation).or_insert(seen);
        let by_text = is_first.then_some(seen.conversation);
        let keys = [Some(id_digest(&id)), by_text]
            .into_iter()
            .flatten()
            .filter(|_| passed);
        self.passed.extend(keys.map(|key| (key, id.clone())));
    }

    fn add_item(&mut self, item: Item, place: &Place) -> Result<(), DataError> {
        let known = if item.id.is_empty() {
            self.by_text.get(&conversation(&item))
        } else {
            self.by_id.get(&id_digest(&item.id))
        };
        match known {
            Some(seen) if seen.conversation != conversation(&item) => {
                Err(Problem::ConflictingItem {
                    item: item.id,
                    first: self.place(seen.mark),
                }
                .at(place))
            }
            Some(seen) => Err(Problem::DuplicateItem {
                item: self.name(&item, seen),
                first: self.place(seen.mark),
            }
            .at(place)),
            None => self.define(item, place).map(|_| ()),
        }
    }

    /// The id of an item that has been seen already; of one that has none, the id that it was
    /// given.
    fn name(&self, item: &Item, seen: &Seen) -> String {
        let given = seen
            .index
            .and_then(|index| self.items.get(index as usize))
            .map(|item| item.id.clone());
        if item.id.is_empty() {
            given.unwrap_or_default()
        } else {
            item.id.clone()
        }
    }

    /// The index of the item, if it is selected.
    fn item(
        &mut self,
        item: ItemRef,
        what: &'static str,
        place: &Place,
    ) -> Result<Option<u32>, DataError> {
        match item {
            ItemRef::Id(id) => match self.by_id.get(&id_digest(&id)) {
                Some(seen) => Ok(seen.index),
                None => Err(Problem::UnknownItem { what, item: id }.at(place)),
            },
            ItemRef::Inline(item) => self.inline_item(*item, place),
        }
    }

    /// The item that a record holds: found again, or new.
    fn inline_item(&mut self, item: Item, place: &Place) -> Result<Option<u32>, DataError> {
        let conversation = conversation(&item);
        let key = if item.id.is_empty() {
            conversation
        } else {
            id_digest(&item.id)
        };
        let known = if item.id.is_empty() {
            self.by_text.get(&key)
        } else {
            self.by_id.get(&key)
        };
        match known {
            Some(seen) if seen.conversation == conversation => {
                match (seen.index, self.passed.remove(&key)) {
                    (None, Some(id)) => self.define(Item { id, ..item }, place),
                    (index, _) => Ok(index),
                }
            }
            Some(seen) => Err(Problem::ConflictingItem {
                item: item.id,
                first: self.place(seen.mark),
            }
            .at(place)),
            None => self.define(item, place),
        }
    }

    /// A new item, with the next number for an id if it has none. Gives its index, if it is
    /// selected.
    fn define(&mut self, mut item: Item, place: &Place) -> Result<Option<u32>, DataError> {
        if item.id.is_empty() {
            item.id = self.next_number();
        }
        let index = self.next_index();
        let seen = Seen {
            index,
            conversation: conversation(&item),
            mark: self.mark(place),
        };
        self.by_id.insert(id_digest(&item.id), seen);
        let known = self.by_text.entry(seen.conversation).or_insert(seen);
        known.index = known.index.or(index);
        self.items.extend(index.map(|_| item));
        Ok(index)
    }

    /// The item's position among all items as a string, or the next that is no item's id.
    fn next_number(&self) -> String {
        let numbers = (self.by_id.len()..).map(|number| number.to_string());
        numbers
            .skip_while(|id| self.by_id.contains_key(&id_digest(id)))
            .take(1)
            .collect()
    }

    fn next_index(&self) -> Option<u32> {
        let selected = self
            .selection
            .items
            .is_none_or(|items| self.items.len() < items);
        selected
            .then_some(u32::try_from(self.items.len()).ok())
            .flatten()
    }

    fn add_response(
        &mut self,
        item: Option<u32>,
        answer: Answer,
        place: &Place,
    ) -> Result<(), DataError> {
        let system = self.system(&answer.system);
        let Some(item) = item.filter(|_| self.is_selected(system)) else {
            return Ok(());
        };
        if let Some((_, mark)) = self.kept(item, system) {
            return Err(self.duplicate(item, answer.system, mark, place));
        }
        self.keep(item, system, &answer.output, place)
    }

    /// A pair may repeat a response that another pair of the same item holds too.
    fn add_pair(
        &mut self,
        item: ItemRef,
        a: Answer,
        b: Answer,
        votes: Vec<Vote>,
        place: &Place,
    ) -> Result<(), DataError> {
        if a.system == b.system {
            return Err(Problem::SameSystem { system: a.system }.at(place));
        }
        let item = self.item(item, "pair", place)?;
        let names = (a.system.clone(), b.system.clone());
        for answer in [a, b] {
            if !self.is_repeated(item, &answer, place)? {
                self.add_response(item, answer, place).map_err(of_a_pair)?;
            }
        }
        self.add_label(item, names.0, names.1, votes, place);
        Ok(())
    }

    fn is_repeated(
        &mut self,
        item: Option<u32>,
        answer: &Answer,
        place: &Place,
    ) -> Result<bool, DataError> {
        let system = self.system(&answer.system);
        let Some((text, _)) = item.and_then(|item| self.kept(item, system)) else {
            return Ok(false);
        };
        Ok(*self.texts.get(text).map_err(|e| unreadable(&e, place))? == *answer.output)
    }

    fn keep(
        &mut self,
        item: u32,
        system: usize,
        output: &str,
        place: &Place,
    ) -> Result<(), DataError> {
        let text = self.texts.push(output).map_err(|e| unreadable(&e, place))?;
        let mark = self.mark(place);
        if let Some(system) = self.systems.get_mut(system) {
            let item = item as usize;
            system
                .responses
                .resize(system.responses.len().max(item + 1), None);
            system
                .responses
                .get_mut(item)
                .into_iter()
                .for_each(|kept| *kept = Some((text, mark)));
        }
        Ok(())
    }

    fn kept(&self, item: u32, system: usize) -> Option<(TextRef, Mark)> {
        *self.systems.get(system)?.responses.get(item as usize)?
    }

    fn duplicate(&self, item: u32, system: String, first: Mark, place: &Place) -> DataError {
        let item = self
            .items
            .get(item as usize)
            .map(|item| item.id.clone())
            .unwrap_or_default();
        Problem::DuplicateResponse {
            item,
            system,
            first: self.place(first),
        }
        .at(place)
    }

    /// The index of the system among all that were read.
    fn system(&mut self, name: &str) -> usize {
        self.systems
            .iter()
            .position(|system| *system.name == *name)
            .unwrap_or_else(|| {
                let selected = self
                    .selection
                    .systems
                    .as_ref()
                    .is_none_or(|names| names.iter().any(|wanted| wanted == name));
                self.systems.push(System {
                    name: name.into(),
                    selected,
                    responses: Vec::new(),
                });
                self.systems.len() - 1
            })
    }

    fn is_selected(&self, system: usize) -> bool {
        self.systems
            .get(system)
            .is_some_and(|system| system.selected)
    }

    fn add_label(
        &mut self,
        item: Option<u32>,
        a: String,
        b: String,
        votes: Vec<Vote>,
        place: &Place,
    ) {
        if !votes.is_empty() {
            self.labels.extend(item.map(|item| PendingLabel {
                item,
                a,
                b,
                votes,
                place: place.clone(),
            }));
        }
    }

    fn add_rating(&mut self, rating: Rating, place: &Place) -> Result<(), DataError> {
        if let Some((_, first)) = self
            .ratings
            .iter()
            .find(|(known, _)| known.system == rating.system)
        {
            return Err(Problem::DuplicateRating {
                system: rating.system,
                first: first.clone(),
            }
            .at(place));
        }
        self.ratings.push((rating, place.clone()));
        Ok(())
    }

    fn mark(&mut self, place: &Place) -> Mark {
        let known = self
            .sources
            .iter()
            .rposition(|source| *source == place.source);
        let source = known.unwrap_or_else(|| {
            self.sources.push(place.source.clone());
            self.sources.len() - 1
        });
        Mark {
            source: u32::try_from(source).unwrap_or(u32::MAX),
            line: place.line,
        }
    }

    fn place(&self, mark: Mark) -> Place {
        let source = self
            .sources
            .get(mark.source as usize)
            .cloned()
            .unwrap_or_default();
        Place {
            source,
            line: mark.line,
            column: 0,
        }
    }

    /// The data set. Unless it is allowed, it is an error that a system has not answered an item.
    pub fn finish(self, allow_missing: bool) -> Result<Dataset, DataError> {
        self.check_selection()?;
        let labels = self.resolved_labels()?;
        let (systems, responses) = columns(self.systems, self.items.len());
        let missing = missing(&self.items, &systems, &responses);
        if !missing.is_empty() && !allow_missing {
            return Err(DataError::new(Problem::MissingResponses {
                missing,
                items: self.items.len(),
            }));
        }
        let ratings = self.ratings.into_iter().map(|(rating, _)| rating).collect();
        let (items, notes, texts) = (self.items, Vec::new(), self.texts);
        Ok(Dataset {
            items,
            systems,
            labels,
            ratings,
            missing,
            notes,
            responses,
            texts,
        })
    }

    fn check_selection(&self) -> Result<(), DataError> {
        let is_known = |wanted: &String| self.systems.iter().any(|system| *system.name == **wanted);
        let wanted = self.selection.systems.iter().flatten();
        let unknown: Vec<String> = wanted.filter(|wanted| !is_known(wanted)).cloned().collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(DataError::new(Problem::UnknownSystems {
            unknown,
            known: self.system_names(),
        }))
    }

    fn system_names(&self) -> Vec<Arc<str>> {
        self.systems
            .iter()
            .map(|system| system.name.clone())
            .collect()
    }

    /// The labels of selected systems, one for each vote.
    fn resolved_labels(&self) -> Result<Vec<Label>, DataError> {
        let selected = self.selected_indices();
        let mut labels = Vec::new();
        for label in &self.labels {
            let index = |name| self.known_system(name, &selected, &label.place);
            if let (Some(a), Some(b)) = (index(&label.a)?, index(&label.b)?) {
                let to_label = |vote: &Vote| Label {
                    item: label.item,
                    a,
                    b,
                    preferred: vote.preferred,
                    annotator: vote.annotator.clone(),
                };
                labels.extend(label.votes.iter().map(to_label));
            }
        }
        Ok(labels)
    }

    /// Of each system, its index among the selected ones.
    fn selected_indices(&self) -> HashMap<&str, Option<u32>> {
        let mut next = 0..;
        self.systems
            .iter()
            .map(|system| {
                (
                    &*system.name,
                    if system.selected { next.next() } else { None },
                )
            })
            .collect()
    }

    /// The index of a label's system; None if it is not selected.
    fn known_system(
        &self,
        name: &str,
        selected: &HashMap<&str, Option<u32>>,
        place: &Place,
    ) -> Result<Option<u32>, DataError> {
        let unknown = || {
            Problem::UnknownLabelSystem {
                system: name.to_owned(),
                known: self.system_names(),
            }
            .at(place)
        };
        selected.get(name).copied().ok_or_else(unknown)
    }
}

/// The selected systems, and of each its responses by item.
fn columns(systems: Vec<System>, items: usize) -> (Vec<Arc<str>>, Vec<Vec<Option<TextRef>>>) {
    let selected = systems.into_iter().filter(|system| system.selected);
    selected
        .map(|system| (system.name, column(&system.responses, items)))
        .unzip()
}

fn column(responses: &[Option<(TextRef, Mark)>], items: usize) -> Vec<Option<TextRef>> {
    (0..items)
        .map(|item| responses.get(item).copied().flatten().map(|(text, _)| text))
        .collect()
}

/// The advice for a second response to an item, where records hold pairs.
fn of_a_pair(error: DataError) -> DataError {
    match *error.problem {
        Problem::DuplicateResponse {
            item,
            system,
            first,
        } => DataError {
            problem: Box::new(Problem::DuplicatePair {
                item,
                system,
                first,
            }),
            ..error
        },
        _ => error,
    }
}

fn unreadable(error: &std::io::Error, place: &Place) -> DataError {
    Problem::Io(error.to_string()).at(place)
}

fn id_digest(id: &str) -> Digest {
    shortened(&blake3::hash(id.as_bytes()))
}

/// Of who says what; two items with the same are the same question.
fn conversation(item: &Item) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for message in &item.messages {
        hasher
            .update(&[message.role as u8])
            .update(&(message.content.len() as u64).to_le_bytes())
            .update(message.content.as_bytes());
    }
    shortened(&hasher.finalize())
}

fn shortened(hash: &blake3::Hash) -> Digest {
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}
