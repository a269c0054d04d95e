//! What the readers hand over, one by one, whatever the file looked like.

use evenhand_core::Item;

/// One record of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// An item. Its id is empty where the source gives none; [`crate::DatasetBuilder`] then numbers
    /// it.
    Item(Item),
    /// A system's response.
    Response {
        /// What it answers.
        item: ItemRef,
        /// Who wrote it.
        answer: Answer,
    },
    /// Two responses to one item, and what people said of them.
    Pair {
        /// What they answer.
        item: ItemRef,
        /// The first response.
        a: Answer,
        /// The second.
        b: Answer,
        /// None, one, or one for each annotator.
        votes: Vec<Vote>,
    },
    /// What people said of two systems' responses to one item.
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
    /// A reference rating of a system.
    Rating(Rating),
    /// One that a filter leaves out. What speaks of an item that is left out is left out with it.
    LeftOut(Box<Record>),
}

impl Record {
    /// Makes the scope a part of the id of the item that the record holds, where the item has one.
    pub fn scoped(self, scope: &str) -> Record {
        match self {
            Record::Item(item) => Record::Item(within(item, scope)),
            Record::Response { item, answer } => Record::Response {
                item: item.scoped(scope),
                answer,
            },
            Record::Pair { item, a, b, votes } => Record::Pair {
                item: item.scoped(scope),
                a,
                b,
                votes,
            },
            Record::LeftOut(record) => Record::LeftOut(Box::new(record.scoped(scope))),
            other => other,
        }
    }

    /// Makes the set a part of the id of the item that the record holds or speaks of, where the
    /// item has one.
    pub fn of_set(self, set: &str) -> Record {
        match self {
            Record::Item(item) => Record::Item(within(item, set)),
            Record::Response { item, answer } => Record::Response {
                item: item.of_set(set),
                answer,
            },
            Record::Pair { item, a, b, votes } => Record::Pair {
                item: item.of_set(set),
                a,
                b,
                votes,
            },
            Record::Label { item, a, b, votes } => Record::Label {
                item: item.of_set(set),
                a,
                b,
                votes,
            },
            Record::LeftOut(record) => Record::LeftOut(Box::new(record.of_set(set))),
            rating @ Record::Rating(_) => rating,
        }
    }
}

fn within(mut item: Item, scope: &str) -> Item {
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
    fn scoped(self, scope: &str) -> ItemRef {
        match self {
            ItemRef::Inline(item) => ItemRef::Inline(Box::new(within(*item, scope))),
            id => id,
        }
    }

    fn of_set(self, set: &str) -> ItemRef {
        match self {
            ItemRef::Id(id) => ItemRef::Id(format!("{set}:{id}")),
            inline => inline.scoped(set),
        }
    }
}

/// A system's response, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The system that wrote it.
    pub system: String,
    /// What it wrote.
    pub output: String,
}

/// Which of two responses is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preference {
    /// The first.
    A,
    /// The second.
    B,
    /// Neither.
    Tie,
}

/// One person's preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// What was preferred.
    pub preferred: Preference,
    /// Who said so, where it is known; the annotators of a list of labels are `1`, `2`, ...
    pub annotator: Option<String>,
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
