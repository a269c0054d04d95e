//! Our own files: the judgments that `evenhand judge` writes, and people's labels.

use super::builder::{Builder, JudgedPair};
use super::judgment_row::JudgmentRow;
use super::{Error, RecordedComparison, RecordedScore};
use crate::battles::Spellings;
use crate::records::{
    DataError, Fields, Format, ItemRef, Mapping, Preference, Record, RecordKind, Vote,
};
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

const SHARE: &str = "a probability from 0 to 1";
const THREE: &str = "`p_first`, `p_tie` and `p_second`, which sum to 1";
const OUTCOME: &str = "either a verdict or the kind of failure";

/// Reads a line of `evenhand judge`: a comparison if there is a second system, else a score; either
/// may be a failure.
pub(super) fn read_judgment(row: JudgmentRow<'_>, builder: &mut Builder) -> Result<(), Error> {
    let (item, first) = (row.required_name("item")?, row.required_name("first")?);
    match row.optional_name("second")? {
        Some(second) => {
            let pair = builder.number_pair(item, [first, second], row.place)?;
            read_comparison(row, pair, builder)
        }
        None => {
            let item = builder.number_item(item, row.place)?;
            let system = builder.number_system(first, row.place)?;
            let scored = row.nullable_number("score")?.map(|score| RecordedScore {
                item,
                system,
                score,
            });
            add_or_fail(row, scored, builder, Builder::add_score)
        }
    }
}

fn read_comparison(
    row: JudgmentRow<'_>,
    pair: JudgedPair,
    builder: &mut Builder,
) -> Result<(), Error> {
    let shares = [
        read_share(row, "p_first")?,
        read_share(row, "p_tie")?,
        read_share(row, "p_second")?,
    ];
    let compared = match shares {
        [Some(first), Some(tie), Some(second)] if (first + tie + second - 1.0).abs() < 1e-6 => {
            Some(pair.weighted([first, tie, second]))
        }
        [None, None, None] => None,
        shares => {
            let found = shares.map(show_share).join(", ");
            return Err(row
                .wrong_type("p_first|p_tie|p_second", THREE, found)
                .into());
        }
    };
    add_or_fail(row, compared, builder, Builder::add_comparison)
}

fn show_share(share: Option<f64>) -> String {
    share.map_or_else(|| "null".to_owned(), |share| share.to_string())
}

fn read_share(row: JudgmentRow<'_>, field: &str) -> Result<Option<f64>, DataError> {
    match row.nullable_number(field)? {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(row.wrong_type(field, SHARE, format!("`{share}`")))
        }
        share => Ok(share),
    }
}

/// Keeps the verdict, or counts the failure; a record has one of the two.
fn add_or_fail<T>(
    row: JudgmentRow<'_>,
    verdict: Option<T>,
    builder: &mut Builder,
    add: fn(&mut Builder, T),
) -> Result<(), Error> {
    match (verdict, row.find("failure").unwrap_or(&Value::Null)) {
        (Some(verdict), Value::Null) => add(builder, verdict),
        (None, kind @ Value::String(_)) => {
            let known: Result<FailureKind, _> = serde_json::from_value(kind.clone());
            let known = known.map_err(|_| row.unknown_word("failure", kind, KINDS))?;
            builder.add_failure(known.name());
        }
        (_, other) => return Err(row.wrong_value("failure", OUTCOME, other)),
    }
    Ok(())
}

const KINDS: &str =
    "`unparsed`, `refused`, `truncated`, `too-long`, `invalid`, `model-error` or `drifted`";

/// Reads a line of `labels.jsonl`.
pub(super) fn read_label(
    row: JudgmentRow<'_>,
    position: u64,
    outcomes: &Spellings,
    builder: &mut Builder,
) -> Result<(), Error> {
    let mapping = Format::Labels.mapping()?.with_outcomes(outcomes.clone());
    let label = read_label_record(row, position, &mapping)?;
    let pair = builder.number_pair(label.item, label.systems, row.place)?;
    for vote in &label.votes {
        builder.add_judge(vote.annotator.clone());
    }
    for verdict in votes_to_verdicts(pair, &label.votes) {
        builder.add_comparison(verdict);
    }
    Ok(())
}

/// People's votes on two systems' responses to an item.
pub(super) struct LabelRecord {
    pub(super) item: String,
    pub(super) systems: [String; 2],
    pub(super) votes: Vec<Vote>,
}

/// Reads a record as a label under this mapping.
pub(super) fn read_label_record(
    row: JudgmentRow<'_>,
    position: u64,
    mapping: &Mapping,
) -> Result<LabelRecord, Error> {
    let fields = Fields {
        record: row.record,
        position,
        place: row.place,
        mapping,
        default_system: None,
        tabular: false,
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
    votes.iter().map(move |vote| {
        pair.won_by(match vote.preferred {
            Preference::A => Side::First,
            Preference::Tie => Side::Tie,
            Preference::B => Side::Second,
        })
    })
}
