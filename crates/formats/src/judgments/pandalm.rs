//! PandaLM (Wang et al. 2024): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.
//!
//! The pairs name the systems; the verdicts only the pair. With the pairs alone the people are the
//! judges; with verdicts too, the judge of the verdicts is.

use super::RecordedComparison;
use super::builder::{Builder, JudgedPair, RecordReader};
use super::evenhand_files::{LabelRecord, read_label_record, votes_to_verdicts};
use super::games::{JudgeOutput, LineReader, PairLabel, ShownPair};
use super::judgment_row::{JudgmentRow, look_up_side};
use crate::error::{DataProblem, Result};
use crate::records::Mapping;
use evenhand_core::{Side, name_of_text};
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
    /// Reads a pair with its labels. Pairs with the same instruction ask the same question; an item
    /// has the name that it has where a judge is asked, so that labels and verdicts meet.
    pub(super) fn read_pair(&mut self, record: &mut RecordReader<'_>) -> Result {
        let row = record.row;
        let label = read_pair_label(row, record.position)?;
        record.builder.question = instruction_name(row);
        let pair = record.number_pair(label.item.clone(), label.systems)?;
        for annotator in label
            .votes
            .iter()
            .filter_map(|vote| vote.annotator.as_ref())
        {
            if !self.annotators.contains(annotator) {
                self.annotators.push(annotator.clone());
            }
        }
        self.people.extend(votes_to_verdicts(pair, &label.votes));
        match self.pairs.insert(label.item.clone(), pair) {
            None => Ok(()),
            Some(_) => Err(DataProblem::PairTwice { found: label.item }.at(row.place)),
        }
    }

    /// Leaves a pair out, and with it the verdicts on it.
    pub(super) fn leave_out(&mut self, row: JudgmentRow<'_>) -> Result {
        self.left_out.insert(row.required_name("idx")?);
        Ok(())
    }

    /// Reads a judge's verdict on a pair, unless the pair is left out.
    pub(super) fn read_verdict(&mut self, record: &mut RecordReader<'_>) -> Result {
        let row = record.row;
        let index = row.required_name("idx")?;
        // The filter speaks of pairs; verdicts do not have its fields.
        if self.left_out.contains(&index) {
            return Ok(());
        }
        let Some(&pair) = self.pairs.get(&index) else {
            let problem = match self.pairs.is_empty() {
                true => DataProblem::NoPairs,
                false => DataProblem::UnknownPair { found: index },
            };
            return Err(problem.at(row.place));
        };
        self.judged = true;
        record.add_judge_in(&pair.systems(), "judge")?;
        let side = row.read_word("verdict", VERDICTS, |found| match found {
            Value::Null => Some(None),
            number => look_up_side(&SIDES, number.as_f64()?).map(Some),
        });
        record.builder.add_side(pair, side?, false);
        Ok(())
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

impl LineReader<'_, '_> {
    /// Reads a pair with its labels. Pairs on the same instruction belong together.
    pub(super) fn read_instruction_pair(&mut self) -> Result {
        let label = read_pair_label(self.row, self.position)?;
        self.give_label(PairLabel {
            cluster: instruction_name(self.row),
            lengths: self.response_lengths(["response_1", "response_2"]),
            same: self.has_same_responses(["response_1", "response_2"]),
            ..PairLabel::of_votes(label.item, label.systems, &label.votes)
        })
    }

    /// Reads a verdict, which names the pair alone; the first response was shown first.
    pub(super) fn read_verdict(&mut self) -> Result {
        let verdict = self.row.nullable_number("verdict")?;
        let recorded = verdict.and_then(|number| look_up_side(&SIDES, number));
        let text = self.row.find_text("raw_result");
        let said = JudgeOutput::of_reply(text, "first-line", recorded);
        let item = self.row.required_name("idx")?;
        self.give_game(item, ShownPair::Forward, said, Some(recorded))
    }
}

/// Reads a pair with the labels of people; its item is the pair's `idx`.
fn read_pair_label(row: JudgmentRow<'_>, position: u64) -> Result<LabelRecord> {
    let fields = "item=idx,system_1=model_1,system_2=model_2,label=human";
    read_label_record(row, position, &Mapping::parse_exactly(fields)?)
}

/// Returns the name of the instruction with its input; None where neither says anything.
fn instruction_name(row: JudgmentRow<'_>) -> Option<String> {
    let instruction = row.find_text("instruction")?;
    let input = row.find_text("input").unwrap_or_default();
    let text = format!("{instruction}\n\n{input}");
    (!text.trim().is_empty()).then(|| name_of_text(&text))
}
