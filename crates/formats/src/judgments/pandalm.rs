//! PandaLM (Wang et al. 2023): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.
//!
//! The pairs name the systems; the verdicts only the pair. With the pairs alone the people are the
//! judges; with verdicts too, the judge of the verdicts is.

use super::builder::{Builder, JudgedPair};
use super::evenhand_files::{LabelRecord, read_label_record, votes_to_verdicts};
use super::judgment_row::JudgmentRow;
use super::{Error, RecordedComparison};
use crate::records::{Mapping, name_of_text};
use evenhand_core::Side;
use std::collections::{HashMap, HashSet};

const VERDICTS: &str =
    "1 or 2 for the better response, 0 for a tie, or null where the judge gave none";

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
    pub(super) fn read_pair(
        &mut self,
        row: JudgmentRow<'_>,
        position: u64,
        builder: &mut Builder,
    ) -> Result<(), Error> {
        let label = read_pair_label(row, position)?;
        let index = label.item;
        let item = instruction_name(row).unwrap_or_else(|| index.clone());
        let pair = builder.number_pair(item, label.systems, row.place)?;
        for vote in &label.votes {
            self.add_annotator(vote.annotator.as_ref());
        }
        self.people.extend(votes_to_verdicts(pair, &label.votes));
        if self.pairs.insert(index.clone(), pair).is_some() {
            return Err(Error::DuplicatePair {
                place: row.place.clone(),
                found: index,
            });
        }
        Ok(())
    }

    fn add_annotator(&mut self, annotator: Option<&String>) {
        let new = annotator.filter(|annotator| !self.annotators.contains(annotator));
        self.annotators.extend(new.cloned());
    }

    /// Leaves a pair out, and with it the verdicts on it.
    pub(super) fn leave_out(&mut self, row: JudgmentRow<'_>) -> Result<(), Error> {
        self.left_out.insert(row.required_name("idx")?);
        Ok(())
    }

    /// Reads a judge's verdict on a pair.
    pub(super) fn read_verdict(
        &mut self,
        row: JudgmentRow<'_>,
        builder: &mut Builder,
    ) -> Result<(), Error> {
        let index = row.required_name("idx")?;
        if self.left_out.contains(&index) {
            return Ok(());
        }
        let pair = self.find_pair(row, index)?;
        builder.add_judge(row.optional_name("judge")?);
        self.judged = true;
        let found = row.require("verdict", VERDICTS)?;
        let side = match found.as_f64() {
            Some(1.0) => Some(Side::First),
            Some(2.0) => Some(Side::Second),
            Some(0.0) => Some(Side::Tie),
            None if found.is_null() => None,
            _ => return Err(row.unknown_word("verdict", found, VERDICTS)),
        };
        builder.add_side(pair, side);
        Ok(())
    }

    fn find_pair(&self, row: JudgmentRow<'_>, index: String) -> Result<JudgedPair, Error> {
        let place = row.place.clone();
        if self.pairs.is_empty() {
            return Err(Error::NoPairs { place });
        }
        let pair = self.pairs.get(&index).copied();
        pair.ok_or(Error::UnknownPair {
            place,
            found: index,
        })
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

/// Reads a pair with the labels of people; its item is the pair's `idx`.
pub(super) fn read_pair_label(row: JudgmentRow<'_>, position: u64) -> Result<LabelRecord, Error> {
    let fields = "item=idx,system_1=model_1,system_2=model_2,label=human";
    read_label_record(row, position, &Mapping::parse_exactly(fields)?)
}

/// Returns the name of the instruction with its input.
pub(super) fn instruction_name(row: JudgmentRow<'_>) -> Option<String> {
    let instruction = row.find_text("instruction")?;
    let input = row.find_text("input").unwrap_or_default();
    Some(name_of_text(&format!("{instruction}\n\n{input}")))
}
