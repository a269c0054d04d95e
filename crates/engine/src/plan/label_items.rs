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
        let Record::Label {
            item: ItemRef::Id(id),
            a,
            b,
            ..
        } = record
        else {
            return Ok(());
        };
        if self.items.insert(id.clone()) {
            let parts = id.rsplit_once('/').filter(|_| self.has_turns);
            let item = Item {
                id: id.clone(),
                messages: vec![Message::user("")],
                question: parts.map(|(question, _)| question.into()),
                ..Item::default()
            };
            builder.add_record(Record::Item(item), place)?;
        }
        for system in [a, b] {
            if self.responses.insert([id.clone(), system.clone()]) {
                let response = Record::Response {
                    item: ItemRef::Id(id.clone()),
                    answer: SystemOutput::new(system.clone(), ""),
                };
                builder.add_record(response, place)?;
            }
        }
        Ok(())
    }
}
