//! The records that the readers hand over, one by one, whatever the file looked like.

use evenhand_core::{FreeFields, Item, Message, Role, Side, Trajectory};

/// One record of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// An item. Its id is empty where the source gives none; [`crate::DatasetBuilder`] then numbers
    /// it.
    Item(Item),
    /// A system's response.
    Response {
        /// The item that it answers.
        item: ItemRef,
        /// The system and what it wrote.
        answer: SystemOutput,
    },
    /// Two responses to one item, and what people said of them.
    Pair {
        /// The item that they answer.
        item: ItemRef,
        /// The first response.
        a: SystemOutput,
        /// The second.
        b: SystemOutput,
        /// None, one, or one for each annotator.
        votes: Vec<Vote>,
    },
    /// Several responses to one item, all that there are, and what is known of pairs of them.
    Set {
        /// The item that they answer.
        item: ItemRef,
        /// The responses, of different systems.
        answers: Vec<SystemOutput>,
        /// Of some pairs of them, by their places, which is better.
        votes: Vec<([usize; 2], Vec<Vote>)>,
    },
    /// People's votes on two systems' responses to one item.
    Label {
        /// The item.
        item: ItemRef,
        /// The first system.
        a: String,
        /// The second.
        b: String,
        /// At least one.
        votes: Vec<Vote>,
    },
    /// A reference answer to an item, beside the item.
    Reference {
        /// The item.
        item: ItemRef,
        /// The answer.
        answer: String,
    },
    /// A reference rating of a system.
    Rating(Rating),
    /// One that a filter leaves out. What speaks of an item that is left out is left out with it.
    LeftOut(Box<Record>),
}

impl Record {
    /// Makes a response to the item of this id.
    pub fn response(item: impl Into<String>, answer: SystemOutput) -> Record {
        Record::Response {
            item: ItemRef::Id(item.into()),
            answer,
        }
    }

    /// Makes the scope a part of the id of the item that the record holds, where the item has one.
    #[must_use]
    pub fn with_item_scope(self, scope: &str) -> Record {
        match self {
            Record::Item(item) => Record::Item(scope_item(item, scope)),
            Record::LeftOut(record) => Record::LeftOut(Box::new(record.with_item_scope(scope))),
            other => other.map_item_ref(|item| match item {
                ItemRef::Inline(_) => item.scope(scope),
                // Another record holds the item.
                ItemRef::Id(_) => item,
            }),
        }
    }

    /// Makes the set a part of the id of the item that the record holds or speaks of, where the
    /// item has one.
    #[must_use]
    pub fn with_set(self, set: &str) -> Record {
        match self {
            Record::Item(item) => Record::Item(scope_item(item, set)),
            Record::LeftOut(record) => Record::LeftOut(Box::new(record.with_set(set))),
            other => other.map_item_ref(|item| item.scope(set)),
        }
    }

    /// Makes a response a reference answer, of a conversation judged as one all answers; None where
    /// the record is no response.
    #[must_use]
    pub fn into_reference(self) -> Option<Record> {
        match self {
            Record::Response { item, answer } => Some(Record::Reference {
                item,
                answer: join_answers(answer),
            }),
            Record::LeftOut(record) => Some(Record::LeftOut(Box::new(record.into_reference()?))),
            _ => None,
        }
    }

    /// Returns the responses that the record holds.
    pub(super) fn answers(&self) -> Vec<&SystemOutput> {
        match self {
            Record::Response { answer, .. } => vec![answer],
            Record::Pair { a, b, .. } => vec![a, b],
            Record::Set { answers, .. } => answers.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Changes the reference to the item that the record speaks of.
    fn map_item_ref(mut self, change: impl FnOnce(ItemRef) -> ItemRef) -> Record {
        if let Record::Response { item, .. }
        | Record::Pair { item, .. }
        | Record::Set { item, .. }
        | Record::Label { item, .. }
        | Record::Reference { item, .. } = &mut self
        {
            let before = std::mem::replace(item, ItemRef::Id(String::new()));
            *item = change(before);
        }
        self
    }
}

fn scope_item(mut item: Item, scope: &str) -> Item {
    if !item.id.is_empty() {
        item.id = format!("{scope}:{}", item.id);
    }
    item
}

/// Which item a record speaks of.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemRef {
    /// The one with this id, which another record defines.
    Id(String),
    /// The record holds the item itself. Where the id is empty, it is the item with the same
    /// conversation, in whatever file.
    Inline(Box<Item>),
}

impl ItemRef {
    /// Makes the set a part of the id of the item.
    fn scope(self, set: &str) -> ItemRef {
        match self {
            ItemRef::Id(id) => ItemRef::Id(format!("{set}:{id}")),
            ItemRef::Inline(item) => ItemRef::Inline(Box::new(scope_item(*item, set))),
        }
    }
}

/// A system's response, as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemOutput {
    /// The system that wrote it.
    pub system: String,
    /// The text that it wrote.
    pub output: String,
    /// The turns of its conversation before the text, as in [`evenhand_core::Response::earlier`].
    pub earlier: Vec<Message>,
    /// Whether the earlier answers are judged with the text.
    pub whole: bool,
    /// The steps before the text, as in [`evenhand_core::Response::trajectory`].
    pub trajectory: Option<Trajectory>,
    /// The free fields that prompts show.
    pub fields: FreeFields,
    /// How many thoughts of its trajectory are left out.
    pub hidden_thoughts: u32,
    /// Whether there is no response: its generation failed. The text is then empty.
    pub failed: bool,
}

impl SystemOutput {
    /// Makes an answer to one instruction.
    pub fn new(system: impl Into<String>, output: impl Into<String>) -> Self {
        SystemOutput {
            system: system.into(),
            output: output.into(),
            ..SystemOutput::default()
        }
    }
}

/// Returns the answers of a response as one text: all where they are judged together, else the
/// last.
fn join_answers(answer: SystemOutput) -> String {
    let earlier = answer.earlier.into_iter().filter(|_| answer.whole);
    let answers = earlier.filter(|turn| turn.role == Role::Assistant);
    let answers = answers.map(|turn| turn.content).chain([answer.output]);
    answers.collect::<Vec<_>>().join("\n\n")
}

/// One person's preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The response that was preferred.
    pub preferred: Side,
    /// Who said so, where it is known; the annotators of a list of labels are `1`, `2`, ...
    pub annotator: Option<String>,
    /// Decides between people who disagree: it counts in the place of their votes.
    pub decides: bool,
}

/// A reference rating of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// The system.
    pub system: String,
    /// Its rating. Finite.
    pub rating: f64,
    /// The lower end of its interval.
    pub ci_low: Option<f64>,
    /// The upper end.
    pub ci_high: Option<f64>,
}
