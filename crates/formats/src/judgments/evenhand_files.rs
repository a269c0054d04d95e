//! Our own files: the judgments that `evenhand judge` writes, and people's labels.

use super::builder::{Builder, JudgedPair, RecordReader};
use super::games::{JudgeOutput, LineReader, PairLabel, ShownPair};
use super::judgment_row::JudgmentRow;
use super::{Options, RecordedComparison, UNPARSED};
use crate::error::Result;
use crate::records::{Fields, Format, Input, ItemRef, Mapping, Record, RecordKind, Vote};
use evenhand_core::{FailureKind, name_of_text};
use serde_json::Value;

const SHARE: &str = "a probability from 0 to 1";
const SHARES: [&str; 3] = ["p_first", "p_tie", "p_second"];
const THREE: &str = "`p_first`, `p_tie` and `p_second`, which sum to 1";
const OUTCOME: &str = "either a verdict or the kind of failure";
const KINDS: &str =
    "`unparsed`, `refused`, `truncated`, `too-long`, `invalid`, `model-error` or `drifted`";

/// How far from 1 the three probabilities of a verdict may sum: files round them.
const ROUNDING: f64 = 1e-6;

impl RecordReader<'_> {
    /// Reads a line of `evenhand judge`: a comparison if there is a second system, else a score;
    /// either may be a failure.
    pub(super) fn read_judgment(&mut self) -> Result {
        let [item, first] = self.row.required_names(["item", "first"])?;
        if self.builder.question.is_none() {
            self.builder.question = question_of_instruction(self.row);
        }
        if let Some(second) = self.row.optional_name("second")? {
            let pair = self.number_pair(item, [first, second])?;
            let weighted = read_shares(self.row)?.map(|weights| pair.weighted(weights));
            if weighted.is_none() && pair.a != pair.b && !holds_both_orders(self.row) {
                self.builder
                    .recorded
                    .failed
                    .push((pair.item, pair.systems()));
            }
            let compared = weighted.map(|compared| match holds_both_orders(self.row) {
                true => compared,
                false => compared.shown_in_order(),
            });
            return self.add_or_fail(compared, Builder::add_comparison);
        }
        let response = self.number_response_in(item, "first")?;
        let score = self.row.nullable_number("score")?;
        let scored = score.map(|score| response.scored(score));
        self.add_or_fail(scored, Builder::add_score)
    }

    /// Keeps the verdict, or counts the failure; a record has one of the two.
    fn add_or_fail<T>(&mut self, verdict: Option<T>, add: fn(&mut Builder, T)) -> Result {
        match (verdict, self.row.find("failure").unwrap_or(&Value::Null)) {
            (Some(verdict), Value::Null) => add(self.builder, verdict),
            (None, kind @ Value::String(_)) => match failure_kind(kind) {
                Some(known) => self.builder.add_failure(known.name()),
                None => return Err(self.row.unknown_word("failure", kind, KINDS)),
            },
            (_, other) => return Err(self.row.wrong_value("failure", OUTCOME, other)),
        }
        Ok(())
    }

    /// Reads a line of `labels.jsonl`.
    pub(super) fn read_label(&mut self) -> Result {
        let label = read_own_label(self.row, self.position, self.options)?;
        let pair = self.number_pair(label.item, label.systems)?;
        for vote in &label.votes {
            self.builder.add_judge(vote.annotator.clone());
        }
        for vote in &label.votes {
            self.builder
                .add_vote(pair.won_by(vote.preferred), vote.decides);
        }
        Ok(())
    }
}

impl LineReader<'_, '_> {
    /// Reads a line of `labels.jsonl`.
    pub(super) fn read_label(&mut self) -> Result {
        let label = read_own_label(self.row, self.position, self.options)?;
        self.give_label(PairLabel {
            cluster: self.question.clone(),
            ..PairLabel::of_votes(label.item, label.systems, &label.votes)
        })
    }

    /// Reads a line of `evenhand judge`.
    pub(super) fn read_judgment(&mut self) -> Result {
        let row = self.row;
        let [item, first] = row.required_names(["item", "first"])?;
        if self.question.is_none() {
            self.question = question_of_instruction(row);
        }
        let Some(second) = row.optional_name("second")? else {
            let score = row.nullable_number("score")?;
            return self.give_grade(item, first, None, score);
        };
        let [p_first, p_tie, p_second] = SHARES;
        let shares = [
            row.nullable_number(p_first)?,
            row.nullable_number(p_tie)?,
            row.nullable_number(p_second)?,
        ];
        let said = match shares {
            [Some(first), Some(tie), Some(second)] => JudgeOutput::Shares([first, tie, second]),
            _ => {
                let kind = row.find("failure").and_then(failure_kind);
                JudgeOutput::Nothing(kind.map_or(UNPARSED, FailureKind::name))
            }
        };
        let shown = match holds_both_orders(row) {
            true => ShownPair::Unordered([first, second]),
            false => ShownPair::Systems([first, second]),
        };
        self.give_game(item, shown, said, None)
    }
}

/// Names the question of a record without `question_id` by its instruction, where it has one, as
/// those of `evenhand judgments` have: items with the same one, and the same turns before it, ask
/// the same question. An item that says nothing is known by its name.
fn question_of_instruction(row: JudgmentRow<'_>) -> Option<String> {
    let instruction = row.find_text("instruction")?;
    let turns = row.find("turns").filter(|turns| !turns.is_null());
    (!instruction.trim().is_empty()).then(|| match turns {
        Some(turns) => name_of_text(&turns.to_string()),
        None => name_of_text(instruction),
    })
}

/// Whether a judgment's verdict is of both orders together, so that neither response was shown
/// first.
fn holds_both_orders(row: JudgmentRow<'_>) -> bool {
    // Tables have words in the place of `true`; files from before the field have the looks.
    let said = row.find("both_orders");
    let is_said = said.is_some_and(|said| *said == Value::Bool(true) || said == "true");
    let looks = row.find("looks").and_then(Value::as_array);
    is_said || looks.is_some_and(|looks| looks.iter().any(|look| look["swapped"] == true))
}

fn failure_kind(kind: &Value) -> Option<FailureKind> {
    serde_json::from_value(kind.clone()).ok()
}

/// Returns the probabilities of a verdict, which sum to 1; `None` where there are none.
fn read_shares(row: JudgmentRow<'_>) -> Result<Option<[f64; 3]>> {
    let mut shares = [None; 3];
    for (share, field) in shares.iter_mut().zip(SHARES) {
        *share = row.nullable_number(field)?;
        if let Some(wrong) = share.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(row.wrong_type(field, SHARE, format!("`{wrong}`")));
        }
    }
    match shares {
        [Some(first), Some(tie), Some(second)] if (first + tie + second - 1.0).abs() < ROUNDING => {
            Ok(Some([first, tie, second]))
        }
        [None, None, None] => Ok(None),
        shares => {
            let shown = shares.map(|share| match share {
                Some(share) => share.to_string(),
                None => "null".to_owned(),
            });
            Err(row.wrong_type(&SHARES.join("|"), THREE, shown.join(", ")))
        }
    }
}

/// People's votes on two systems' responses to an item.
pub(super) struct LabelRecord {
    pub(super) item: String,
    pub(super) systems: [String; 2],
    pub(super) votes: Vec<Vote>,
}

/// Reads a line of our `labels.jsonl`.
fn read_own_label(row: JudgmentRow<'_>, position: u64, options: &Options) -> Result<LabelRecord> {
    let mapping = Format::Labels.mapping()?;
    let mapping = mapping.with_outcomes(options.columns.outcomes.clone());
    read_label_record(row, position, &mapping)
}

/// Reads a record as a label under this mapping, which names its item.
pub(super) fn read_label_record(
    row: JudgmentRow<'_>,
    position: u64,
    mapping: &Mapping,
) -> Result<LabelRecord> {
    let input = Input::new("");
    let fields = Fields {
        record: row.record,
        position,
        place: row.place,
        mapping,
        input: &input,
        tabular: false,
        part: input.turn.only_part(),
    };
    match fields.read_record(RecordKind::Labels)? {
        Record::Label {
            item: ItemRef::Id(item),
            a,
            b,
            votes,
        } => Ok(LabelRecord {
            item,
            systems: [a, b],
            votes,
        }),
        _ => Err(row.wrong_value("item", "an id", row.record)),
    }
}

/// Turns people's votes into verdicts, one each.
pub(super) fn votes_to_verdicts(
    pair: JudgedPair,
    votes: &[Vote],
) -> impl Iterator<Item = RecordedComparison> {
    votes.iter().map(move |vote| pair.won_by(vote.preferred))
}
