//! Our own judgments and labels, battles, AlpacaEval's annotations, and plain scores.

use super::super::alpaca_eval::weights;
use super::super::battles::{self, Battle};
use super::super::own::label_record;
use super::super::row::Row;
use super::super::scores::{item_column, score_column, system_column};
use super::{Error, Game, Grade, Line, LineSink, PairLabel, Said, Shown};
use crate::battles::{Outcome, Signs, Spellings};
use crate::judgments::Options;
use crate::records::{Format, Preference, name_of_text};
use evenhand_core::{FailureKind, Side};
use serde_json::Value;

/// A line of `labels.jsonl`.
pub(super) fn label(
    row: Row<'_>,
    position: u64,
    outcomes: &Spellings,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let (item, a, b, votes) = label_record(
        row,
        position,
        &Format::Labels.mapping()?.with(outcomes.clone()),
    )?;
    let preferred = votes.iter().map(|vote| vote.preferred).collect();
    sink(Line::Label(of_systems(item, a, b, preferred)), row.place)
}

/// A battle, whose item has a name.
pub(super) fn battle(
    row: Row<'_>,
    options: &Options,
    signs: &mut Signs,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let Battle {
        item,
        systems,
        outcome,
        sign,
    } = battles::read(row, options)?;
    if sign {
        signs.add(outcome);
    }
    let side = match outcome {
        Outcome::A => Side::First,
        Outcome::Tie | Outcome::BothBad => Side::Tie,
        Outcome::B => Side::Second,
    };
    let said = super::mt_bench::shares(Some(side));
    sink(
        Line::Battle(Game {
            item,
            shown: Shown::Unordered(systems),
            said,
            recorded: None,
        }),
        row.place,
    )
}

fn of_systems(item: String, a: String, b: String, preferred: Vec<Preference>) -> PairLabel {
    PairLabel {
        item,
        cluster: None,
        category: None,
        systems: Some([a, b]),
        lengths: None,
        preferred,
    }
}

/// A line of `evenhand judge`.
pub(super) fn judgment(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let (item, first) = (row.name("item")?, row.name("first")?);
    let Some(second) = row.name_if_given("second")? else {
        return sink(
            Line::Grade(Grade {
                item,
                system: first,
                text: None,
                score: row.number("score")?,
            }),
            row.place,
        );
    };
    let shares = [
        row.number("p_first")?,
        row.number("p_tie")?,
        row.number("p_second")?,
    ];
    let said = match shares {
        [Some(first), Some(tie), Some(second)] => Said::Shares([first, tie, second]),
        _ => Said::Nothing(failure(row)),
    };
    sink(
        Line::Game(Game {
            item,
            shown: Shown::Systems([first, second]),
            said,
            recorded: None,
        }),
        row.place,
    )
}

fn failure(row: Row<'_>) -> &'static str {
    let kind = row
        .find("failure")
        .cloned()
        .and_then(|kind| serde_json::from_value::<FailureKind>(kind).ok());
    kind.map_or(super::super::UNPARSED, FailureKind::name)
}

/// A record of AlpacaEval's `annotations.json`. The item is its instruction.
pub(super) fn annotation(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = name_of_text(row.text("instruction")?);
    preferred(
        row,
        item,
        [row.name("generator_1")?, row.name("generator_2")?],
        sink,
    )
}

/// A record without the texts: the reference is output 1.
pub(super) fn preference(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    preferred(
        row,
        row.name("instruction_id")?,
        [row.name("reference")?, row.name("model")?],
        sink,
    )
}

/// The order in which the outputs were shown is not kept.
fn preferred(
    row: Row<'_>,
    item: String,
    systems: [String; 2],
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let said = match row.number("preference")? {
        None => Said::Nothing(super::super::UNPARSED),
        Some(preference) => match weights(preference) {
            Some(shares) => Said::Shares(shares),
            None => {
                return super::super::wrong(
                    row,
                    "preference",
                    "a number from 1 to 2, or 0",
                    &Value::from(preference),
                );
            }
        },
    };
    sink(
        Line::Game(Game {
            item,
            shown: Shown::Unordered(systems),
            said,
            recorded: None,
        }),
        row.place,
    )
}

/// A score of a table.
pub(super) fn score(
    row: Row<'_>,
    options: &Options,
    position: u64,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    let item = row
        .name_if_given(item_column(options))?
        .unwrap_or_else(|| format!("{}:{}", row.place.source, position + 1));
    let (system, score) = (
        row.name(system_column(options))?,
        row.number(score_column(options))?,
    );
    sink(
        Line::Grade(Grade {
            item,
            system,
            text: None,
            score,
        }),
        row.place,
    )
}
