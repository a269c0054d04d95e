//! Puts a data set together from records, and keeps only what was selected.

use super::conversations::Conversations;
use super::item_index::{ItemIndex, KnownItem};
use super::marks::{Mark, Marks};
use super::{TextRef, Texts};
use crate::error::{DataError, DataProblem, Place, Result};
use crate::latency::check_latency;
use crate::records::{ItemRef, Rating, Record, SystemOutput, Vote};
use evenhand_core::Item;
use std::collections::{BTreeSet, HashMap};
use std::io;
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
#[derive(Debug, Default)]
pub struct DatasetBuilder {
    pub(super) selection: Selection,
    pub(super) texts: Box<dyn Texts>,
    pub(super) items: Vec<Item>,
    pub(super) systems: Vec<SystemColumn>,
    pub(super) labels: Vec<PendingLabel>,
    pub(super) ratings: Vec<(Rating, Place)>,
    pub(super) conversations: Conversations,
    /// The items that have a reference answer of a file, and where it stands.
    pub(super) references: HashMap<u32, Place>,
    /// How many of these answers stand in the place of the items' own.
    pub(super) replaced: usize,
    /// The items whose record holds all responses that there are to them.
    pub(super) whole: BTreeSet<u32>,
    /// The items that a pair holds.
    pub(super) paired: BTreeSet<u32>,
    /// Whether a record holds a single response.
    pub(super) has_singles: bool,
    /// Whether only responses of labelled pairs are expected.
    pub(super) labelled_only: bool,
    /// Whether votes that decide between others are left out, and not the others.
    pub(super) without_decisions: bool,
    index: ItemIndex,
    marks: Marks,
}

/// A system and its responses.
#[derive(Debug)]
pub(super) struct SystemColumn {
    pub(super) name: Arc<str>,
    pub(super) selected: bool,
    /// By item.
    responses: Vec<Option<KeptResponse>>,
}

#[derive(Clone, Copy, Debug)]
struct KeptResponse {
    text: TextRef,
    mark: Mark,
}

impl SystemColumn {
    pub(super) fn text_of(&self, item: usize) -> Option<TextRef> {
        let kept = self.responses.get(item).copied().flatten()?;
        Some(kept.text)
    }
}

/// A label whose systems need not be known yet.
#[derive(Debug)]
pub(super) struct PendingLabel {
    pub(super) item: u32,
    pub(super) a: String,
    pub(super) b: String,
    pub(super) votes: Vec<Vote>,
    pub(super) place: Place,
}

impl DatasetBuilder {
    /// Returns an empty data set, which will keep its responses in `texts`.
    pub fn new(selection: Selection, texts: Box<dyn Texts>) -> Self {
        DatasetBuilder {
            selection,
            texts,
            ..DatasetBuilder::default()
        }
    }

    /// Takes a record that was read at this place.
    ///
    /// # Errors
    /// A record that contradicts an earlier one, or speaks of an item that no earlier one holds; a
    /// text that cannot be kept.
    pub fn add_record(&mut self, record: Record, place: &Place) -> Result {
        match record {
            Record::Item(item) => self.add_item(item, place),
            Record::Response { item, answer } => {
                self.has_singles = true;
                let item = self.find_item(item, "response", place)?;
                self.add_response(item, answer, place)
            }
            Record::Pair { item, a, b, votes } => self.add_pair(item, [a, b], votes, place),
            Record::Set {
                item,
                answers,
                votes,
            } => self.add_set(item, answers, votes, place),
            Record::Label { item, a, b, votes } => {
                let item = self.find_item(item, "label", place)?;
                self.add_label(item, [a, b], votes, place);
                Ok(())
            }
            Record::Reference { item, answer } => {
                let item = self.find_item(item, "reference answer", place)?;
                self.add_reference(item, answer, place)
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
        let (item, may_return) = match record {
            Record::Item(item) => (item, false),
            Record::Response {
                item: ItemRef::Inline(item),
                ..
            }
            | Record::Pair {
                item: ItemRef::Inline(item),
                ..
            }
            | Record::Set {
                item: ItemRef::Inline(item),
                ..
            } => (*item, true),
            _ => return,
        };
        let known = KnownItem::new(&item, None, self.marks.mark(place));
        if self.index.find(&item).is_none() {
            let id = self.id_or_number(item.id);
            self.index.insert_left_out(&id, known, may_return);
        }
    }

    /// Returns the id, or the next number where it is empty.
    fn id_or_number(&self, id: String) -> String {
        if id.is_empty() {
            self.index.next_number()
        } else {
            id
        }
    }

    fn add_item(&mut self, item: Item, place: &Place) -> Result {
        let Some(&known) = self.index.find(&item) else {
            self.define_item(item, place)?;
            return Ok(());
        };
        if !known.has_conversation_of(&item) {
            return Err(self.conflicting_item(item, &known).at(place));
        }
        // An item without an id has the one that it was given.
        let given = || self.items.get(known.index? as usize);
        let item = match item.id.as_str() {
            "" => given().map(|item| item.id.clone()).unwrap_or_default(),
            _ => item.id,
        };
        let first = self.marks.place(known.mark);
        Err(DataProblem::DuplicateItem { item, first }.at(place))
    }

    fn conflicting_item(&self, item: Item, known: &KnownItem) -> DataProblem {
        DataProblem::ConflictingItem {
            item: item.id,
            first: self.marks.place(known.mark),
        }
    }

    /// Returns the index of the item, if it is selected.
    fn find_item(
        &mut self,
        item: ItemRef,
        what: &'static str,
        place: &Place,
    ) -> Result<Option<u32>> {
        match item {
            ItemRef::Id(id) => match self.index.find_id(&id) {
                Some(known) => Ok(known.index),
                None => Err(DataProblem::UnknownItem { what, item: id }.at(place)),
            },
            ItemRef::Inline(item) => self.find_or_define(*item, place),
        }
    }

    /// Returns the index of an item that a record holds: found again, or new.
    fn find_or_define(&mut self, item: Item, place: &Place) -> Result<Option<u32>> {
        let Some(&known) = self.index.find(&item) else {
            return self.define_item(item, place);
        };
        if !known.has_conversation_of(&item) {
            return Err(self.conflicting_item(item, &known).at(place));
        }
        match (known.index, self.index.take_passed(&item)) {
            (None, Some(id)) => self.define_item(Item { id, ..item }, place),
            (index, _) => Ok(index),
        }
    }

    /// Adds a new item, with the next number for an id if it has none. Returns its index, if it is
    /// selected.
    fn define_item(&mut self, mut item: Item, place: &Place) -> Result<Option<u32>> {
        item.id = self.id_or_number(item.id);
        let most = self.selection.items.unwrap_or(usize::MAX);
        let index = match self.items.len() < most {
            true => u32::try_from(self.items.len()).ok(),
            false => None,
        };
        let known = KnownItem::new(&item, index, self.marks.mark(place));
        self.index.insert(&item.id, known);
        self.items.extend(index.map(|_| item));
        Ok(index)
    }

    fn add_response(&mut self, item: Option<u32>, answer: SystemOutput, place: &Place) -> Result {
        let system = self.system_number(&answer.system);
        let is_selected = self
            .systems
            .get(system)
            .is_some_and(|system| system.selected);
        let Some(item) = item.filter(|_| is_selected && !answer.failed) else {
            return Ok(());
        };
        check_latency(&answer.fields, place)?;
        // Which of two responses counts is for the user to say.
        if let Some(kept) = self.kept_response(item, system) {
            return Err(DataProblem::DuplicateResponse {
                item: self.item_id(item),
                system: answer.system,
                first: self.marks.place(kept.mark),
            }
            .at(place));
        }
        let texts = &mut *self.texts;
        let kept = self.conversations.keep(item as usize, &answer, texts);
        let text = kept.and_then(|()| texts.push(&answer.output));
        let text = text.map_err(|e| text_error(&e, place))?;
        let mark = self.marks.mark(place);
        if let Some(system) = self.systems.get_mut(system) {
            let item = item as usize;
            let length = system.responses.len().max(item + 1);
            system.responses.resize(length, None);
            if let Some(response) = system.responses.get_mut(item) {
                *response = Some(KeptResponse { text, mark });
            }
        }
        Ok(())
    }

    /// Adds a pair, which may repeat a response that another pair of the same item holds too.
    fn add_pair(
        &mut self,
        item: ItemRef,
        answers: [SystemOutput; 2],
        votes: Vec<Vote>,
        place: &Place,
    ) -> Result {
        let systems = answers.each_ref().map(|answer| answer.system.clone());
        if systems[0] == systems[1] {
            let [system, _] = systems;
            return Err(DataProblem::SameSystem { system }.at(place));
        }
        let item = self.find_item(item, "pair", place)?;
        self.paired.extend(item);
        for answer in answers {
            if !self.is_repeated(item, &answer, place)? {
                let added = self.add_response(item, answer, place);
                added.map_err(advise_on_pairs)?;
            }
        }
        self.add_label(item, systems, votes, place);
        Ok(())
    }

    /// Adds all the responses that there are to an item, of which other items may have more.
    fn add_set(
        &mut self,
        item: ItemRef,
        answers: Vec<SystemOutput>,
        votes: Vec<([usize; 2], Vec<Vote>)>,
        place: &Place,
    ) -> Result {
        let systems: Vec<String> = answers.iter().map(|answer| answer.system.clone()).collect();
        for (at, system) in systems.iter().enumerate() {
            if systems.iter().take(at).any(|before| before == system) {
                let system = system.clone();
                return Err(DataProblem::SameSystem { system }.at(place));
            }
        }
        let item = self.find_item(item, "responses", place)?;
        let has_failed = answers.iter().any(|answer| answer.failed);
        for answer in answers {
            self.add_response(item, answer, place)?;
        }
        self.whole.extend(item.filter(|_| !has_failed));
        for ([a, b], votes) in votes {
            if let (Some(a), Some(b)) = (systems.get(a), systems.get(b)) {
                self.add_label(item, [a.clone(), b.clone()], votes, place);
            }
        }
        Ok(())
    }

    /// Whether another pair of the item holds the same response.
    fn is_repeated(
        &mut self,
        item: Option<u32>,
        answer: &SystemOutput,
        place: &Place,
    ) -> Result<bool> {
        let system = self.system_number(&answer.system);
        let Some(item) = item.filter(|_| !answer.failed) else {
            return Ok(false);
        };
        let Some(kept) = self.kept_response(item, system) else {
            return Ok(false);
        };
        let texts = &*self.texts;
        let kept = texts.get(kept.text).map_err(|e| text_error(&e, place))?;
        if *kept != *answer.output {
            return Ok(false);
        }
        let same = self
            .conversations
            .has_turns_of(item as usize, answer, texts);
        same.map_err(|e| text_error(&e, place))
    }

    fn kept_response(&self, item: u32, system: usize) -> Option<KeptResponse> {
        let responses = &self.systems.get(system)?.responses;
        responses.get(item as usize).copied().flatten()
    }

    fn item_id(&self, item: u32) -> String {
        match self.items.get(item as usize) {
            Some(item) => item.id.clone(),
            None => String::new(),
        }
    }

    /// Returns the index of the system among all that were read, of which it may be the newest.
    fn system_number(&mut self, name: &str) -> usize {
        let known = self.systems.iter().position(|known| *known.name == *name);
        known.unwrap_or_else(|| {
            let wanted = self.selection.systems.as_ref();
            self.systems.push(SystemColumn {
                name: name.into(),
                selected: wanted.is_none_or(|names| names.iter().any(|wanted| wanted == name)),
                responses: Vec::new(),
            });
            self.systems.len() - 1
        })
    }

    /// Keeps the votes on two systems, where there are any and the item is selected.
    fn add_label(
        &mut self,
        item: Option<u32>,
        [a, b]: [String; 2],
        votes: Vec<Vote>,
        place: &Place,
    ) {
        let item = item.filter(|_| !votes.is_empty());
        self.labels.extend(item.map(|item| PendingLabel {
            item,
            a,
            b,
            votes,
            place: place.clone(),
        }));
    }

    /// Gives an item the reference answer of a file, in the place of its own.
    fn add_reference(&mut self, item: Option<u32>, answer: String, place: &Place) -> Result {
        let Some(item) = item else {
            return Ok(());
        };
        if let Some(first) = self.references.insert(item, place.clone()) {
            let item = self.item_id(item);
            return Err(DataProblem::DuplicateReference { item, first }.at(place));
        }
        if let Some(item) = self.items.get_mut(item as usize) {
            self.replaced += usize::from(item.reference.is_some());
            item.reference = Some(answer);
        }
        Ok(())
    }

    fn add_rating(&mut self, rating: Rating, place: &Place) -> Result {
        let mut ratings = self.ratings.iter();
        if let Some((_, first)) = ratings.find(|(known, _)| known.system == rating.system) {
            return Err(DataProblem::DuplicateRating {
                system: rating.system,
                first: first.clone(),
            }
            .at(place));
        }
        self.ratings.push((rating, place.clone()));
        Ok(())
    }
}

/// Gives the advice for a second response to an item, where records hold pairs.
fn advise_on_pairs(error: DataError) -> DataError {
    match *error.problem {
        DataProblem::DuplicateResponse {
            item,
            system,
            first,
        } => DataError {
            problem: Box::new(DataProblem::DuplicatePair {
                item,
                system,
                first,
            }),
            ..error
        },
        _ => error,
    }
}

fn text_error(error: &io::Error, place: &Place) -> DataError {
    DataProblem::Io(error.to_string()).at(place)
}
