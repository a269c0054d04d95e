//! One side of a comparison: what a judge said of some systems, item by item.

use super::answers::AnswerSize;
use evenhand_core::Clusters;
use evenhand_store::RunProgress;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a judge said of some systems: read from a run, from files of judgments, or from a baseline
/// that was saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideData {
    /// Where it was read from.
    #[serde(skip)]
    pub source: String,
    /// The settings that decided what was asked, by name, as the run's manifest has them; empty for
    /// files of judgments.
    pub settings: BTreeMap<String, String>,
    /// The items, in the order of the data.
    pub items: Vec<SideItem>,
    /// The systems, in the order of the data.
    pub systems: Vec<String>,
    /// The digests of the responses whose texts are known.
    pub responses: Vec<SideResponse>,
    /// How long these responses are, and how long the systems took; none in the file of an earlier
    /// version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<SideAnswer>,
    /// The verdicts, in plan order.
    pub verdicts: Vec<SideVerdict>,
    /// The least and the most that a score can be, by the protocol and the items' own criteria;
    /// None where that is not known, and in the file of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_range: Option<[f64; 2]>,
    /// Judgments without a verdict.
    pub failures: u64,
    /// Those of them of which it is known whose they are; a file of judgments only counts them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<SideFailure>,
    /// The runs that replies behind the judgments were copied from, and how many from each; None
    /// where an earlier version did not keep the name. A baseline's file names no paths.
    #[serde(skip)]
    pub copied_from: Vec<(Option<String>, u64)>,
    /// When the run was begun, in microseconds since 1970: two sides that were begun together are
    /// one run, and the judge was asked once. None for files of judgments, and in the file of an
    /// earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<i64>,
    /// Who answered for the judges, as their servers say it; empty where nobody says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered_by: Vec<String>,
    /// How far the run had come; None for files of judgments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunProgress>,
}

/// Converts a part of a side from and to a row of a baseline's file, which has no names of fields.
macro_rules! row {
    ($part:ident { $($field:ident: $kind:ty),+ }) => {
        impl From<($($kind),+)> for $part {
            fn from(($($field),+): ($($kind),+)) -> Self {
                $part { $($field),+ }
            }
        }

        impl From<$part> for ($($kind),+) {
            fn from(part: $part) -> Self {
                ($(part.$field),+)
            }
        }
    };
}

row!(SideFailure { item: u32, systems: Vec<u32> });
row!(SideResponse {
    item: u32,
    system: u32,
    digest: Digest
});
row!(SideAnswer { item: u32, system: u32, length: u32, latency: Option<f64> });

/// A judgment that came to no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, Vec<u32>)", into = "(u32, Vec<u32>)")]
pub struct SideFailure {
    /// Index into [`SideData::items`].
    pub item: u32,
    /// The systems that were shown: indices into [`SideData::systems`].
    pub systems: Vec<u32>,
}

/// An item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideItem {
    /// Its id.
    pub id: String,
    /// Its category, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The number of its question, where other items ask the same one; None where it stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<u32>,
    /// The digest of what a judge sees of it; None where its text is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// The digest of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, Digest)", into = "(u32, u32, Digest)")]
pub struct SideResponse {
    /// Index into [`SideData::items`].
    pub item: u32,
    /// Index into [`SideData::systems`].
    pub system: u32,
    /// The digest of its text and its turns.
    pub digest: Digest,
}

/// The size of a response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    from = "(u32, u32, u32, Option<f64>)",
    into = "(u32, u32, u32, Option<f64>)"
)]
pub struct SideAnswer {
    /// Index into [`SideData::items`].
    pub item: u32,
    /// Index into [`SideData::systems`].
    pub system: u32,
    /// Its length in tokens.
    pub length: u32,
    /// The seconds that it took, where the data say; rounded to a millionth.
    pub latency: Option<f64>,
}

impl SideAnswer {
    /// Returns what is known of it.
    pub fn size(&self) -> AnswerSize {
        AnswerSize {
            length: self.length,
            latency: self.latency,
        }
    }
}

/// The first 8 bytes of a BLAKE3 hash, in hexadecimal digits.
pub type Digest = String;

/// A verdict on a response, or on two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "VerdictRow", into = "VerdictRow")]
pub struct SideVerdict {
    /// Index into [`SideData::items`].
    pub item: u32,
    /// The system shown first, or alone: an index into [`SideData::systems`].
    pub first: u32,
    /// The system shown second; None for a score.
    pub second: Option<u32>,
    /// The share of the first, ties half, in [0, 1]; or its score. Rounded to a millionth.
    pub value: f64,
    /// Whether it rests on replies that were copied from another run.
    pub copied: bool,
    /// The trial in its run, where there is one.
    pub trial: Option<u64>,
}

/// A verdict in a baseline's file: item, first, second, value, copied.
type VerdictRow = (u32, u32, Option<u32>, f64, u8);

impl SideVerdict {
    /// Returns a verdict of no trial, on no copied reply.
    pub fn new(item: u32, first: u32, second: Option<u32>, value: f64) -> Self {
        SideVerdict {
            item,
            first,
            second,
            value,
            copied: false,
            trial: None,
        }
    }
}

impl From<VerdictRow> for SideVerdict {
    fn from((item, first, second, value, copied): VerdictRow) -> Self {
        SideVerdict {
            copied: copied != 0,
            ..SideVerdict::new(item, first, second, value)
        }
    }
}

impl From<SideVerdict> for VerdictRow {
    fn from(verdict: SideVerdict) -> Self {
        let (item, first, second) = (verdict.item, verdict.first, verdict.second);
        (item, first, second, verdict.value, verdict.copied.into())
    }
}

/// Returns the least and the most that a score of either side can be; None where that is not known
/// of both.
pub(super) fn score_range(sides: [&SideData; 2]) -> Option<[f64; 2]> {
    let [one, other] = sides.map(|side| side.score_range);
    let ([low, high], [other_low, other_high]) = one.zip(other)?;
    Some([low.min(other_low), high.max(other_high)])
}

impl SideData {
    /// Returns the place of a system, if it is here.
    pub fn find_system(&self, name: &str) -> Option<u32> {
        let place = self.systems.iter().position(|system| system == name);
        place.map(|place| place as u32)
    }

    /// Whether the verdicts are scores of single responses, and not on pairs.
    pub fn is_scored(&self) -> bool {
        self.verdicts
            .first()
            .is_some_and(|verdict| verdict.second.is_none())
    }

    /// Returns how many judgments came to a verdict: one on a list is a verdict on each two of it.
    pub fn judged(&self) -> u64 {
        let trials = self.verdicts.iter().map(|verdict| verdict.trial);
        let mut known = FxHashSet::default();
        trials
            .filter(|trial| trial.is_none_or(|trial| known.insert(trial)))
            .count() as u64
    }

    /// Takes over which items ask one question, from the clusters of the first items.
    pub(super) fn set_questions(&mut self, clusters: &Clusters) {
        for (item, question) in self.items.iter_mut().zip(clusters.shared()) {
            item.question = question;
        }
    }

    /// Numbers of the items' questions: one by itself has a number that no other has.
    pub(super) fn questions(&self) -> Vec<u32> {
        let named = self.items.iter().filter_map(|item| item.question).max();
        let alone = named.map_or(0, |most| most.saturating_add(1));
        let items = (0..).zip(&self.items);
        items
            .map(|(place, item): (u32, _)| item.question.unwrap_or(alone.saturating_add(place)))
            .collect()
    }

    /// The name of a system.
    pub(super) fn system(&self, system: u32) -> &str {
        &self.systems[system as usize]
    }
}

/// Rounds to a millionth: a baseline's file then says the same as the run it was made of.
pub(super) fn round_value(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
