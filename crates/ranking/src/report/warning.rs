//! Warnings: sentences for the reader of a report, each of a kind that a program can name.

use serde::{Serialize, Serializer};
use std::fmt;

/// A sentence that the reader of a report must know. As JSON it is the sentence alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Its kind, which stays when the wording changes.
    pub kind: WarningKind,
    /// The sentence.
    pub text: String,
}

/// The kinds of warnings, by the names that conditions on reports take (`warnings.KIND>0`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// The judge keeps its verdict no more often than a coin when the responses change places.
    Position,
    /// The ranking rests on a form or a model with measured limits.
    SmallModel,
    /// The weights of a panel come from other data.
    OtherData,
    /// Many trials have no verdict, or verdicts were left out of what is certified.
    Failures,
    /// Most of the judge's probability lies on none of the answers.
    Outside,
    /// Verdicts were read from the text where probabilities were asked for.
    TextAlone,
    /// Responses spell marks of chat templates.
    ChatMarks,
    /// Items lack the response of a system.
    MissingResponses,
    /// The judge's server was disturbed.
    Service,
    /// Scores are shrunk by a prior.
    Prior,
    /// No chain of comparisons links all systems.
    Disconnected,
    /// A fit did not converge.
    Unconverged,
    /// Intervals rest on fewer than 10 items.
    FewItems,
    /// Too few resamples, or items, for the rank intervals asked for.
    FewRounds,
    /// Neighbours in the ranking are not distinguishable.
    NotToldApart,
    /// Judgments were chosen by what was found.
    Adaptive,
    /// People's labels are missing, do not match, or are no random sample.
    Labels,
    /// Records compare a system with itself.
    SelfComparisons,
    /// Length control had to leave something out.
    LengthControl,
    /// Items are there again under other ids.
    Copies,
    /// Verdicts are on two responses that are the same.
    SameResponses,
    /// Battles are there twice: in two files, or in a file and the board.
    Repeats,
    /// Most verdicts were read from prose.
    Prose,
    /// Verdicts whose most probable answer is not what the text states.
    AgainstText,
    /// The judge names one slot in every verdict, and its probabilities differ.
    OneSlot,
    /// Systems have names that differ by white space or capitals alone.
    SimilarNames,
    /// Systems that are compared were judged by different judges.
    JudgesApart,
    /// Pairs of recordings were judged in one of their two orders.
    OneOrder,
    /// Records that cannot be read are left out.
    BadRecords,
}

impl WarningKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [WarningKind; 29] = [
        WarningKind::Position,
        WarningKind::SmallModel,
        WarningKind::OtherData,
        WarningKind::Failures,
        WarningKind::Outside,
        WarningKind::TextAlone,
        WarningKind::ChatMarks,
        WarningKind::MissingResponses,
        WarningKind::Service,
        WarningKind::Prior,
        WarningKind::Disconnected,
        WarningKind::Unconverged,
        WarningKind::FewItems,
        WarningKind::FewRounds,
        WarningKind::NotToldApart,
        WarningKind::Adaptive,
        WarningKind::Labels,
        WarningKind::SelfComparisons,
        WarningKind::LengthControl,
        WarningKind::Copies,
        WarningKind::SameResponses,
        WarningKind::Repeats,
        WarningKind::Prose,
        WarningKind::AgainstText,
        WarningKind::OneSlot,
        WarningKind::SimilarNames,
        WarningKind::JudgesApart,
        WarningKind::OneOrder,
        WarningKind::BadRecords,
    ];

    /// Returns its name in reports and in conditions on them.
    pub fn name(self) -> &'static str {
        match self {
            WarningKind::Position => "position",
            WarningKind::SmallModel => "small-model",
            WarningKind::OtherData => "other-data",
            WarningKind::Failures => "failures",
            WarningKind::Outside => "outside",
            WarningKind::TextAlone => "text-alone",
            WarningKind::ChatMarks => "chat-marks",
            WarningKind::MissingResponses => "missing-responses",
            WarningKind::Service => "service",
            WarningKind::Prior => "prior",
            WarningKind::Disconnected => "disconnected",
            WarningKind::Unconverged => "unconverged",
            WarningKind::FewItems => "few-items",
            WarningKind::FewRounds => "few-rounds",
            WarningKind::NotToldApart => "not-told-apart",
            WarningKind::Adaptive => "adaptive",
            WarningKind::Labels => "labels",
            WarningKind::SelfComparisons => "self-comparisons",
            WarningKind::LengthControl => "length-control",
            WarningKind::Copies => "copies",
            WarningKind::SameResponses => "same-responses",
            WarningKind::Repeats => "repeats",
            WarningKind::Prose => "prose",
            WarningKind::AgainstText => "against-text",
            WarningKind::OneSlot => "one-slot",
            WarningKind::SimilarNames => "similar-names",
            WarningKind::JudgesApart => "judges-apart",
            WarningKind::OneOrder => "one-order",
            WarningKind::BadRecords => "bad-records",
        }
    }

    /// Returns the kind of this name.
    pub fn from_name(name: &str) -> Option<WarningKind> {
        WarningKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Makes a warning of this kind.
    pub fn says(self, text: impl Into<String>) -> Warning {
        Warning {
            kind: self,
            text: text.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in WarningKind::ALL {
            assert_eq!(WarningKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(WarningKind::from_name("warnings"), None);
    }
}
