//! Items and systems that nothing but labels names.

use evenhand_core::{Item, Message};
use evenhand_formats::DatasetBuilder;
use evenhand_formats::records::{DataError, ItemRef, Place, Record, SystemOutput, TurnChoice};
use std::collections::HashSet;

/// What the labels read so far have defined.
#[derive(Default)]
pub(super) struct LabelItems {
    /// Whether turns are items of their own, named `QUESTION/TURN`.
    has_turns: bool,
    items: HashSet<String>,
    /// Items with one of their systems.
    responses: HashSet<[String; 2]>,
}

impl LabelItems {
    pub(super) fn new(turn: TurnChoice) -> LabelItems {
        LabelItems {
            has_turns: turn == TurnChoice::Each,
            ..LabelItems::default()
        }
    }

    /// Defines the item that a label names and, by empty responses, its two systems, unless an
    /// earlier label has.
    pub(super) fn define(
        &mut self,
        record: &Record,
        place: &Place,
        builder: &mut DatasetBuilder,
    ) -> Result<(), DataError> {
        let Some((id, systems)) = named_in_label(record) else {
            return Ok(());
        };
        if self.items.insert(id.to_string()) {
            builder.add_record(self.empty_item(id), place)?;
        }
        for system in systems {
            self.define_system(id, system, place, builder)?;
        }
        Ok(())
    }

    fn empty_item(&self, id: &str) -> Record {
        Record::Item(Item {
            id: id.into(),
            messages: vec![Message::user("")],
            question: self.question_of(id),
            ..Item::default()
        })
    }

    fn question_of(&self, id: &str) -> Option<String> {
        let parts = id.rsplit_once('/').filter(|_| self.has_turns);
        parts.map(|(question, _)| question.into())
    }

    fn define_system(
        &mut self,
        item: &str,
        system: &str,
        place: &Place,
        builder: &mut DatasetBuilder,
    ) -> Result<(), DataError> {
        if self.responses.insert([item.into(), system.into()]) {
            builder.add_record(empty_response(item, system), place)?;
        }
        Ok(())
    }
}

/// Returns the item that a label names by its id, and the two systems.
fn named_in_label(record: &Record) -> Option<(&str, [&str; 2])> {
    match record {
        Record::Label {
            item: ItemRef::Id(id),
            a,
            b,
            ..
        } => Some((id, [a, b])),
        _ => None,
    }
}

fn empty_response(item: &str, system: &str) -> Record {
    Record::Response {
        item: ItemRef::Id(item.into()),
        answer: SystemOutput::new(system, ""),
    }
}
