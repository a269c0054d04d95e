//! Our own files: the judgments that `evenhand judge` writes, and people's labels.

use super::builder::{Builder, JudgedPair};
use super::judgment_row::JudgmentRow;
use super::record_reader::RecordReader;
use super::{Error, Options, RecordedComparison, Result};
use crate::records::{
    ConversationPart, Fields, Format, ItemRef, Mapping, Preference, Record, RecordKind,
    TrajectoryOptions, Vote,
};
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

const SHARE: &str = "a probability from 0 to 1";
const SHARE_FIELDS: &str = "p_first|p_tie|p_second";
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
        match self.row.optional_name("second")? {
            Some(second) => {
                let pair = self.number_pair(item, [first, second])?;
                self.read_comparison(pair)
            }
            None => self.read_scored(item),
        }
    }

    fn read_scored(&mut self, item: String) -> Result {
        let response = self.number_response_in(item, "first")?;
        let score = self.row.nullable_number("score")?;
        let scored = score.map(|score| response.scored(score));
        self.add_or_fail(scored, Builder::add_score)
    }

    fn read_comparison(&mut self, pair: JudgedPair) -> Result {
        let weights = whole_shares(self.row)?;
        let compared = weights.map(|weights| pair.weighted(weights));
        self.add_or_fail(compared, Builder::add_comparison)
    }

    /// Keeps the verdict, or counts the failure; a record has one of the two.
    fn add_or_fail<T>(&mut self, verdict: Option<T>, add: fn(&mut Builder, T)) -> Result {
        match (verdict, self.row.find("failure").unwrap_or(&Value::Null)) {
            (Some(verdict), Value::Null) => add(self.builder, verdict),
            (None, kind @ Value::String(_)) => self.add_failure(kind)?,
            (_, other) => return Err(self.row.wrong_value("failure", OUTCOME, other)),
        }
        Ok(())
    }

    fn add_failure(&mut self, kind: &Value) -> Result {
        let known = failure_kind(kind);
        let known = known.ok_or_else(|| self.row.unknown_word("failure", kind, KINDS))?;
        self.builder.add_failure(known.name());
        Ok(())
    }

    /// Reads a line of `labels.jsonl`.
    pub(super) fn read_label(&mut self) -> Result {
        let label = read_own_label(self.row, self.position, self.options)?;
        let pair = self.number_pair(label.item, label.systems)?;
        for vote in &label.votes {
            self.builder.add_judge(vote.annotator.clone());
        }
        for verdict in votes_to_verdicts(pair, &label.votes) {
            self.builder.add_comparison(verdict);
        }
        Ok(())
    }
}

pub(super) fn failure_kind(kind: &Value) -> Option<FailureKind> {
    serde_json::from_value(kind.clone()).ok()
}

/// Returns the probabilities of a verdict, which sum to 1; `None` where there are none.
fn whole_shares(row: JudgmentRow<'_>) -> Result<Option<[f64; 3]>> {
    match read_shares(row)? {
        [Some(first), Some(tie), Some(second)] if sum_to_one([first, tie, second]) => {
            Ok(Some([first, tie, second]))
        }
        [None, None, None] => Ok(None),
        shares => Err(row.wrong_shares(shares)),
    }
}

impl JudgmentRow<'_> {
    fn wrong_shares(&self, shares: [Option<f64>; 3]) -> Error {
        let found = shares.map(show_share).join(", ");
        self.wrong_type(SHARE_FIELDS, THREE, found)
    }
}

fn read_shares(row: JudgmentRow<'_>) -> Result<[Option<f64>; 3]> {
    Ok([
        read_share(row, "p_first")?,
        read_share(row, "p_tie")?,
        read_share(row, "p_second")?,
    ])
}

fn sum_to_one([first, tie, second]: [f64; 3]) -> bool {
    (first + tie + second - 1.0).abs() < ROUNDING
}

fn show_share(share: Option<f64>) -> String {
    share.map_or_else(|| "null".to_owned(), |share| share.to_string())
}

fn read_share(row: JudgmentRow<'_>, field: &str) -> Result<Option<f64>> {
    let share = row.nullable_number(field)?;
    match share.filter(|share| !(0.0..=1.0).contains(share)) {
        Some(wrong) => Err(row.wrong_type(field, SHARE, format!("`{wrong}`"))),
        None => Ok(share),
    }
}

/// People's votes on two systems' responses to an item.
pub(super) struct LabelRecord {
    pub(super) item: String,
    pub(super) systems: [String; 2],
    pub(super) votes: Vec<Vote>,
}

/// Reads a line of our `labels.jsonl`.
pub(super) fn read_own_label(
    row: JudgmentRow<'_>,
    position: u64,
    options: &Options,
) -> Result<LabelRecord> {
    let mapping = Format::Labels.mapping()?;
    read_label_record(
        row,
        position,
        &mapping.with_outcomes(options.outcomes.clone()),
    )
}

/// Reads a record as a label under this mapping.
pub(super) fn read_label_record(
    row: JudgmentRow<'_>,
    position: u64,
    mapping: &Mapping,
) -> Result<LabelRecord> {
    let fields = Fields {
        record: row.record,
        position,
        place: row.place,
        mapping,
        default_system: None,
        tabular: false,
        part: ConversationPart::FIRST,
        shown: None,
        trajectories: TrajectoryOptions::default(),
        allow_missing: false,
    };
    let label = label_of(fields.read_record(RecordKind::Labels)?);
    label.ok_or_else(|| row.wrong_value("item", "an id", row.record))
}

/// Returns the label that a record is, if it names its item.
fn label_of(record: Record) -> Option<LabelRecord> {
    match record {
        Record::Label {
            item: ItemRef::Id(item),
            a,
            b,
            votes,
        } => Some(LabelRecord {
            item,
            systems: [a, b],
            votes,
        }),
        _ => None,
    }
}

/// Turns people's votes into verdicts, one each.
pub(super) fn votes_to_verdicts(
    pair: JudgedPair,
    votes: &[Vote],
) -> impl Iterator<Item = RecordedComparison> {
    votes
        .iter()
        .map(move |vote| pair.won_by(side_of(vote.preferred)))
}

fn side_of(preferred: Preference) -> Side {
    match preferred {
        Preference::A => Side::First,
        Preference::Tie => Side::Tie,
        Preference::B => Side::Second,
    }
}
