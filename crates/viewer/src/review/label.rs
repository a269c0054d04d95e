//! A label, as a line of the file.

use evenhand_core::Side;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a person said of a pair, as the file has it. The readers of `leaderboard --labels` and
/// `meta people` take item, systems, preference and annotator, and leave the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Label {
    /// The item's id.
    pub(crate) item: String,
    /// The system that stands earlier in the data.
    pub(crate) a: String,
    /// The other.
    pub(crate) b: String,
    /// Which is better; None for a pair that was skipped, which is kept in a file of its own.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_side",
        deserialize_with = "read_side"
    )]
    pub(crate) preferred: Option<Side>,
    /// Who said it.
    #[serde(default)]
    pub(crate) annotator: String,
    /// A tie because neither will do.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) both_bad: bool,
    /// What they had to say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
    /// Which system stood on the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<Slot>,
    /// The queue that the pair came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) queue: Option<String>,
    /// Decides between annotators that disagree.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) adjudicated: bool,
    /// Given at the address that shows the review alone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) blind: bool,
    /// What the page knows the label by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) key: String,
}

/// Sides by the names that the file has for them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Side")]
enum NamedSide {
    #[serde(rename = "a")]
    First,
    #[serde(rename = "tie")]
    Tie,
    #[serde(rename = "b")]
    Second,
}

/// Which of a pair is better, as a value of its own.
#[derive(Serialize, Deserialize)]
struct InFile(#[serde(with = "NamedSide")] Side);

fn write_side<S: Serializer>(side: &Option<Side>, out: S) -> Result<S::Ok, S::Error> {
    side.map(InFile).serialize(out)
}

fn read_side<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Side>, D::Error> {
    let read = Option::<InFile>::deserialize(input)?;
    Ok(read.map(|InFile(side)| side))
}

/// One of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Slot {
    /// The earlier system.
    A,
    /// The other.
    B,
}

/// What a person may say, in terms of what is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Choice {
    /// The left one is better.
    Left,
    /// Neither is.
    Tie,
    /// Neither will do.
    BothBad,
    /// The right one is better.
    Right,
    /// I cannot say.
    Skip,
}

impl Choice {
    /// Returns which system is meant, where this one stands on the left.
    pub(crate) fn prefers(self, left: Slot) -> Option<Side> {
        match (self, left) {
            (Choice::Skip, _) => None,
            (Choice::Tie | Choice::BothBad, _) => Some(Side::Tie),
            (Choice::Left, Slot::A) | (Choice::Right, Slot::B) => Some(Side::First),
            (Choice::Right, Slot::A) | (Choice::Left, Slot::B) => Some(Side::Second),
        }
    }
}

impl Label {
    /// Returns what was said, in terms of what is seen where this system stands on the left.
    pub(crate) fn choice(&self, left: Slot) -> Choice {
        match self.preferred {
            None => Choice::Skip,
            Some(Side::Tie) if self.both_bad => Choice::BothBad,
            Some(Side::Tie) => Choice::Tie,
            Some(Side::First) if left == Slot::A => Choice::Left,
            Some(Side::Second) if left == Slot::B => Choice::Left,
            Some(_) => Choice::Right,
        }
    }

    /// Returns the side that the annotator saw; of a label that does not say, the earlier system
    /// stands on the left.
    pub(crate) fn seen(&self) -> Choice {
        self.choice(self.left.unwrap_or(Slot::A))
    }

    /// Whether both say the same of the same pair.
    pub(crate) fn says_the_same(&self, other: &Label) -> bool {
        let pair = |label: &Label| [label.item.clone(), label.a.clone(), label.b.clone()];
        let said = |label: &Label| (label.preferred, label.both_bad, label.adjudicated);
        pair(self) == pair(other) && said(self) == said(other)
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_and_what_is_meant_belong_together() {
        for left in [Slot::A, Slot::B] {
            for choice in [
                Choice::Left,
                Choice::Tie,
                Choice::BothBad,
                Choice::Right,
                Choice::Skip,
            ] {
                let label = Label {
                    item: "q".into(),
                    a: "x".into(),
                    b: "y".into(),
                    preferred: choice.prefers(left),
                    annotator: "me".into(),
                    both_bad: choice == Choice::BothBad,
                    comment: None,
                    left: Some(left),
                    queue: None,
                    adjudicated: false,
                    blind: false,
                    key: String::new(),
                };
                assert_eq!((label.seen(), label.choice(left)), (choice, choice));
            }
        }
        assert_eq!(Choice::Left.prefers(Slot::B), Some(Side::Second));
    }
}
