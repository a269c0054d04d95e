//! Warnings: sentences for the reader of a report, each of a kind that a program can name.

use serde::{Serialize, Serializer};
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// A sentence that the reader of a report must know. As JSON it is the sentence alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Its kind, which stays when the wording changes.
    pub kind: WarningKind,
    /// The sentence.
    pub text: String,
}

/// The kinds of warnings, by the names that conditions on reports take (`warnings.KIND>0`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningKind {
    /// The judge keeps its verdict no more often than a coin when the responses change places.
    Position,
    /// The judge is not shown to keep its verdict more often than a coin, and separates no systems.
    Coin,
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
    /// Half or more of a system's responses are empty.
    EmptyResponses,
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
    /// Pairs have a verdict in one of their two orders alone.
    OneOrder,
    /// Records that cannot be read are left out.
    BadRecords,
    /// Battles name who voted, and each counts by itself.
    Voters,
}

impl WarningKind {
    /// The names of all kinds, in the order of the documentation.
    pub const NAMES: &[&str] = WarningKind::VARIANTS;

    /// Returns its name in reports and in conditions on them.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the kind of this name.
    pub fn from_name(name: &str) -> Option<WarningKind> {
        name.parse().ok()
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
