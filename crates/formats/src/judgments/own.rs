//! Our own files: what `evenhand judge` writes, and people's labels.

use super::builder::{Builder, Pair};
use super::row::Row;
use super::{Compared, Error, Scored, wrong};
use crate::battles::Spellings;
use crate::records::{DataError, Fields, Format, ItemRef, Kind, Mapping, Preference, Record, Vote};
use evenhand_core::FailureKind;
use serde_json::Value;

const SHARE: &str = "a probability from 0 to 1";
const THREE: &str = "`p_first`, `p_tie` and `p_second`, which sum to 1";
const OUTCOME: &str = "either a verdict or the kind of failure";

/// A line of `evenhand judge`: a comparison if there is a second system, else a score; either may
/// be a failure.
pub(super) fn judgment(row: Row<'_>, builder: &mut Builder) -> Result<(), Error> {
    let (item, first) = (row.name("item")?, row.name("first")?);
    match row.name_if_given("second")? {
        Some(second) => comparison(row, builder.pair(item, first, second, row.place)?, builder),
        None => {
            let (item, system) = (
                builder.item(item, row.place)?,
                builder.system(first, row.place)?,
            );
            let score = row.number("score")?;
            verdict(
                row,
                score.map(|score| Scored {
                    item,
                    system,
                    score,
                }),
                builder,
                Builder::score,
            )
        }
    }
}

fn comparison(row: Row<'_>, pair: Pair, builder: &mut Builder) -> Result<(), Error> {
    let shares = [
        share(row, "p_first")?,
        share(row, "p_tie")?,
        share(row, "p_second")?,
    ];
    let compared = match shares {
        [Some(wins_a), Some(ties), Some(wins_b)]
            if ((wins_a + ties + wins_b) - 1.0).abs() < 1e-6 =>
        {
            Some(Compared {
                wins_a,
                ties,
                wins_b,
                ..pair.verdict()
            })
        }
        [None, None, None] => None,
        shares => {
            let found = shares
                .map(|share| share.map_or_else(|| "null".to_owned(), |share| share.to_string()))
                .join(", ");
            return Err(row.wrong("p_first|p_tie|p_second", THREE, found).into());
        }
    };
    verdict(row, compared, builder, Builder::compare)
}

fn share(row: Row<'_>, field: &str) -> Result<Option<f64>, DataError> {
    match row.number(field)? {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(row.wrong(field, SHARE, format!("`{share}`")))
        }
        share => Ok(share),
    }
}

/// Keeps the verdict, or counts the failure; a record has one of the two.
fn verdict<T>(
    row: Row<'_>,
    verdict: Option<T>,
    builder: &mut Builder,
    keep: fn(&mut Builder, T),
) -> Result<(), Error> {
    match (verdict, row.find("failure").unwrap_or(&Value::Null)) {
        (Some(verdict), Value::Null) => keep(builder, verdict),
        (None, kind @ Value::String(_)) => {
            match serde_json::from_value::<FailureKind>(kind.clone()) {
                Ok(kind) => builder.fail(kind.name()),
                Err(_) => return Err(super::unknown(row, "failure", kind, KINDS)),
            }
        }
        (_, other) => return wrong(row, "failure", OUTCOME, other),
    }
    Ok(())
}

const KINDS: &str =
    "`unparsed`, `refused`, `truncated`, `too-long`, `invalid`, `model-error` or `drifted`";

/// A line of `labels.jsonl`.
pub(super) fn label(
    row: Row<'_>,
    position: u64,
    outcomes: &Spellings,
    builder: &mut Builder,
) -> Result<(), Error> {
    let (item, a, b, given) = label_record(
        row,
        position,
        &Format::Labels.mapping()?.with(outcomes.clone()),
    )?;
    let pair = builder.pair(item, a, b, row.place)?;
    given
        .iter()
        .for_each(|vote| builder.judge(vote.annotator.clone()));
    votes(pair, &given).for_each(|verdict| builder.compare(verdict));
    Ok(())
}

/// A record that is read as a label under this mapping: its item, its two systems and the votes.
pub(super) fn label_record(
    row: Row<'_>,
    position: u64,
    mapping: &Mapping,
) -> Result<(String, String, String, Vec<Vote>), Error> {
    let Row { record, place } = row;
    let fields = Fields {
        record,
        position,
        place,
        mapping,
        default_system: None,
        tabular: false,
    };
    match fields.read(Kind::Labels)? {
        Record::Label {
            item: ItemRef::Id(item),
            a,
            b,
            votes,
        } => Ok((item, a, b, votes)),
        _ => wrong(row, "item", "an id", row.record),
    }
}

/// People's votes as verdicts, one each.
pub(super) fn votes(pair: Pair, votes: &[Vote]) -> impl Iterator<Item = Compared> {
    votes.iter().map(move |vote| match vote.preferred {
        Preference::A => Compared {
            wins_a: 1.0,
            ..pair.verdict()
        },
        Preference::B => Compared {
            wins_b: 1.0,
            ..pair.verdict()
        },
        Preference::Tie => Compared {
            ties: 1.0,
            ..pair.verdict()
        },
    })
}
