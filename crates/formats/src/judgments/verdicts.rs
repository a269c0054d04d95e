//! Recorded judgments and scores as data, whatever the files looked like.

use super::JudgmentFormat;
use crate::error::DataError;

use evenhand_core::{Clusters, whole_pairs};
use std::collections::{BTreeMap, BTreeSet};

/// How sure a judge on a five-step scale was of the winner (`A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// `A>B`: slightly better.
    Slight,
    /// `A>>B`: significantly better. Arena-Hard counts it three times (Li et al. 2024, "From
    /// Crowdsourced Data to High-Quality Benchmarks: Arena-Hard and BenchBuilder Pipeline").
    Great,
}

/// One recorded verdict on two systems' responses to an item.
///
/// The four weights of one verdict are in [0, 1] and sum to 1 (up to 1e-6 where a file rounds
/// them); they are not multiplied by the strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedComparison {
    /// Index into [`RecordedJudgments::items`].
    pub item: u32,
    /// Index into [`RecordedJudgments::systems`]; never that of `b`.
    pub a: u16,
    /// Index into [`RecordedJudgments::systems`].
    pub b: u16,
    /// Weight of "a is better".
    pub wins_a: f64,
    /// Weight of "equally good".
    pub ties: f64,
    /// Weight of "both are bad"; only battles have such a verdict.
    pub both_bad: f64,
    /// Weight of "b is better".
    pub wins_b: f64,
    /// Whether `a` is known to have been shown first, as in our own judgments, Arena-Hard, MT-Bench
    /// pairs, reviews with two scores, and battles, whose first column is the first response.
    pub in_order: bool,
    /// How strong the verdict was; None for a tie and for formats with no strength.
    pub strength: Option<Strength>,
    /// Length of a's response in characters, where the file has it.
    pub length_a: Option<f64>,
    /// Length of b's response in characters, where the file has it.
    pub length_b: Option<f64>,
}

impl RecordedComparison {
    /// Returns the verdict as one of which it is known that `a` was shown first.
    pub(super) fn shown_in_order(self) -> RecordedComparison {
        RecordedComparison {
            in_order: true,
            ..self
        }
    }
}

/// One recorded score of a system's response to an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedScore {
    /// Index into [`RecordedJudgments::items`].
    pub item: u32,
    /// Index into [`RecordedJudgments::systems`].
    pub system: u16,
    /// Finite; on the scale of the file.
    pub score: f64,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, as it was given.
    pub name: String,
    /// The format that it was found to have.
    pub kind: JudgmentFormat,
    /// How many records it holds; at least 1.
    pub records: u64,
}

/// Recorded judgments: either comparisons or scores, the other list is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedJudgments {
    /// Names of the systems, in the order of their first appearance, those with nothing but
    /// failures included.
    pub systems: Vec<String>,
    /// Names of the items, in the order of their first appearance. Where a file gives no id, the
    /// name is made of the instruction (`text:` and its BLAKE3 hash) or of the record's place
    /// (`FILE:N`).
    pub items: Vec<String>,
    /// The `question_id` of each item, from its first record that has one beside the item's id:
    /// items that name one question are not independent, as are turns of one conversation.
    pub questions: Vec<Option<String>>,
    /// Verdicts on pairs, in the order of the files.
    pub comparisons: Vec<RecordedComparison>,
    /// Scores of single responses, in the order of the files.
    pub scores: Vec<RecordedScore>,
    /// Judgments without a verdict, by kind: one of [`evenhand_core::FailureKind`], or `missing`
    /// for an empty score of an unknown source. They are in neither list.
    pub failures: BTreeMap<String, u64>,
    /// The item and the systems of those failures of which it is known how they were shown: of
    /// pairs, in our own judgments of one order.
    pub failed: Vec<(u32, [u16; 2])>,
    /// Verdicts that [`RecordedJudgments::set_half_pairs_aside`] took out.
    pub half_pairs: u64,
    /// Verdicts on a system and itself, such as AlpacaEval's reference as its own opponent. They
    /// rank no system and are in neither list.
    pub self_comparisons: u64,
    /// The files, in the order in which they were read.
    pub sources: Vec<SourceFile>,
    /// Judges and annotators that the files name, in the order of their first appearance.
    pub judges: Vec<String>,
    /// The judges that judged each system, by its index, as indices into `judges`: those of formats
    /// in which they are models and not people.
    pub judges_of: Vec<BTreeSet<u32>>,
    /// Whether the records are of single responses, even if none of them came to a score.
    pub are_scores: bool,
    /// What is wrong with each of the records that are left out because they cannot be read; their
    /// judgments are counted among the failures.
    pub skipped: Vec<DataError>,
    /// How many records are of a pair that was judged in one of its two orders, in formats whose
    /// records hold both.
    pub one_order: u64,
}

impl RecordedJudgments {
    /// Returns which items ask one question, and so count as one in intervals and tests.
    pub fn clusters(&self) -> Clusters {
        let named = self.items.iter().zip(&self.questions);
        Clusters::of_names(named.map(|(item, question)| (&**item, question.as_deref())))
    }

    /// Takes verdicts out that say what the judge thinks of a slot, and not of systems: of a pair
    /// whose other order failed ([`whole_pairs`]).
    pub fn set_half_pairs_aside(&mut self) {
        let failed = self.failed.iter();
        let failed = failed.map(|(item, systems)| (*item, systems.map(u32::from)));
        let shown = |row: &RecordedComparison| (row.item, [u32::from(row.a), u32::from(row.b)]);
        let in_order = self.comparisons.iter().filter(|row| row.in_order);
        let Some(counts) = whole_pairs(in_order.map(shown), failed) else {
            return;
        };
        let before = self.comparisons.len();
        let mut counts = counts.into_iter();
        self.comparisons
            .retain(|row| !row.in_order || counts.next().unwrap_or(true));
        self.half_pairs += (before - self.comparisons.len()) as u64;
    }

    /// Returns how many judgments there were, failures and self-comparisons included.
    pub fn judgment_count(&self) -> u64 {
        let verdicts = (self.comparisons.len() + self.scores.len()) as u64;
        verdicts + self.half_pairs + self.self_comparisons + self.failures.values().sum::<u64>()
    }
}
