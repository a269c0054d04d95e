//! PandaLM (Wang et al. 2023): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.
//!
//! The pairs name the systems; the verdicts only the pair. With the pairs alone the people are the
//! judges; with verdicts too, the judge of the verdicts is.

use super::builder::{Builder, JudgedPair};
use super::evenhand_files::{LabelRecord, read_label_record, votes_to_verdicts};
use super::judgment_row::{JudgmentRow, look_up_side};
use super::record_reader::RecordReader;
use super::{Error, RecordedComparison, Result};
use crate::records::{Mapping, Vote, name_of_text};
use evenhand_core::Side;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const VERDICTS: &str =
    "1 or 2 for the better response, 0 for a tie, or null where the judge gave none";

const SIDES: [(f64, Side); 3] = [(1.0, Side::First), (2.0, Side::Second), (0.0, Side::Tie)];

/// The pairs and the people's verdicts, until it is known whose verdicts are asked for.
#[derive(Default)]
pub(super) struct PandaLm {
    pairs: HashMap<String, JudgedPair>,
    people: Vec<RecordedComparison>,
    annotators: Vec<String>,
    judged: bool,
    /// The pairs that a filter leaves out.
    left_out: HashSet<String>,
}

impl PandaLm {
    /// Reads a pair with its labels. Pairs with the same instruction are the same item.
    pub(super) fn read_pair(&mut self, record: &mut RecordReader<'_>) -> Result {
        let row = record.row;
        let label = read_pair_label(row, record.position)?;
        let item = instruction_name(row).unwrap_or_else(|| label.item.clone());
        let pair = record.number_pair(item, label.systems)?;
        self.add_votes(pair, &label.votes);
        self.add_pair(row, label.item, pair)
    }

    fn add_votes(&mut self, pair: JudgedPair, votes: &[Vote]) {
        for vote in votes {
            self.add_annotator(vote.annotator.as_ref());
        }
        self.people.extend(votes_to_verdicts(pair, votes));
    }

    fn add_annotator(&mut self, annotator: Option<&String>) {
        let new = annotator.filter(|annotator| !self.annotators.contains(annotator));
        self.annotators.extend(new.cloned());
    }

    fn add_pair(&mut self, row: JudgmentRow<'_>, index: String, pair: JudgedPair) -> Result {
        match self.pairs.insert(index.clone(), pair) {
            Some(_) => Err(row.duplicate_pair(index)),
            None => Ok(()),
        }
    }

    /// Leaves a pair out, and with it the verdicts on it.
    pub(super) fn leave_out(&mut self, row: JudgmentRow<'_>) -> Result {
        self.left_out.insert(row.required_name("idx")?);
        Ok(())
    }

    /// Reads a judge's verdict on a pair, unless the pair is left out.
    pub(super) fn read_verdict(&mut self, record: &mut RecordReader<'_>) -> Result {
        let index = record.row.required_name("idx")?;
        // The filter speaks of pairs; verdicts do not have its fields.
        if self.left_out.contains(&index) {
            return Ok(());
        }
        let pair = self.find_pair(record.row, index)?;
        self.judged = true;
        record.add_judge_in(&pair.systems(), "judge")?;
        record.builder.add_side(pair, find_side(record.row)?);
        Ok(())
    }

    fn find_pair(&self, row: JudgmentRow<'_>, index: String) -> Result<JudgedPair> {
        match self.pairs.get(&index) {
            Some(pair) => Ok(*pair),
            None if self.pairs.is_empty() => Err(row.no_pairs()),
            None => Err(row.unknown_pair(index)),
        }
    }

    /// Keeps the people's verdicts where there are no others.
    pub(super) fn finish(self, builder: &mut Builder) {
        if self.judged {
            return;
        }
        for annotator in self.annotators {
            builder.add_judge(Some(annotator));
        }
        for verdict in self.people {
            builder.add_comparison(verdict);
        }
    }
}

impl JudgmentRow<'_> {
    fn duplicate_pair(&self, found: String) -> Error {
        let place = self.place.clone();
        Error::DuplicatePair { place, found }
    }

    fn unknown_pair(&self, found: String) -> Error {
        let place = self.place.clone();
        Error::UnknownPair { place, found }
    }

    fn no_pairs(&self) -> Error {
        let place = self.place.clone();
        Error::NoPairs { place }
    }
}

/// Returns the side that a verdict is for; `None` where the judge gave none.
fn find_side(row: JudgmentRow<'_>) -> Result<Option<Side>> {
    row.read_word("verdict", VERDICTS, |found| match found {
        Value::Null => Some(None),
        number => side_of_number(number.as_f64()).map(Some),
    })
}

pub(super) fn side_of_number(number: Option<f64>) -> Option<Side> {
    look_up_side(&SIDES, number?)
}

/// Reads a pair with the labels of people; its item is the pair's `idx`.
pub(super) fn read_pair_label(row: JudgmentRow<'_>, position: u64) -> Result<LabelRecord> {
    let fields = "item=idx,system_1=model_1,system_2=model_2,label=human";
    read_label_record(row, position, &Mapping::parse_exactly(fields)?)
}

/// Returns the name of the instruction with its input.
pub(super) fn instruction_name(row: JudgmentRow<'_>) -> Option<String> {
    let instruction = row.find_text("instruction")?;
    let input = row.find_text("input").unwrap_or_default();
    Some(name_of_text(&format!("{instruction}\n\n{input}")))
}
