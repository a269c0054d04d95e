//! Our own judgments and labels, people's votes, AlpacaEval's annotations, and plain scores.

use super::super::alpaca_eval::weights;
use super::super::own::label_record;
use super::super::row::Row;
use super::super::scores::{item_column, score_column, system_column};
use super::{Error, Game, Grade, Line, LineSink, PairLabel, Said, Shown};
use crate::FailureKind;
use crate::formats::{Format, Preference, name_of_text};
use crate::judgments::Options;
use serde_json::Value;

const WINNER: &str = "`model_a`, `model_b`, `tie`, `tie (bothbad)` or `both_bad`";

/// A line of `labels.jsonl`.
pub(super) fn label(row: Row<'_>, position: u64, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let (item, a, b, votes) = label_record(row, position, &Format::Labels.mapping()?)?;
    let preferred = votes.iter().map(|vote| vote.preferred).collect();
    sink(Line::Label(of_systems(item, a, b, preferred)), row.place)
}

/// A person's vote on two models, as MT-Bench and Chatbot Arena record it.
pub(super) fn vote(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let preferred = match row.text("winner")? {
        "model_a" => Preference::A,
        "model_b" => Preference::B,
        "tie" | "tie (bothbad)" | "both_bad" => Preference::Tie,
        _ => return Err(super::super::unknown(row, "winner", row.need("winner", WINNER)?, WINNER)),
    };
    let question = row.name("question_id|item")?;
    let item = row.name_if_given("turn")?.map(|turn| format!("{question}/{turn}")).unwrap_or(question);
    sink(Line::Label(of_systems(item, row.name("model_a")?, row.name("model_b")?, vec![preferred])), row.place)
}

fn of_systems(item: String, a: String, b: String, preferred: Vec<Preference>) -> PairLabel {
    PairLabel { item, cluster: None, category: None, systems: Some([a, b]), lengths: None, preferred }
}

/// A line of `evenhand judge`.
pub(super) fn judgment(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let (item, first) = (row.name("item")?, row.name("first")?);
    let Some(second) = row.name_if_given("second")? else {
        return sink(Line::Grade(Grade { item, system: first, text: None, score: row.number("score")? }), row.place);
    };
    let shares = [row.number("p_first")?, row.number("p_tie")?, row.number("p_second")?];
    let said = match shares {
        [Some(first), Some(tie), Some(second)] => Said::Shares([first, tie, second]),
        _ => Said::Nothing(failure(row)),
    };
    sink(Line::Game(Game { item, shown: Shown::Systems([first, second]), said, recorded: None }), row.place)
}

fn failure(row: Row<'_>) -> &'static str {
    let kind = row.find("failure").cloned().and_then(|kind| serde_json::from_value::<FailureKind>(kind).ok());
    kind.map_or(super::super::UNPARSED, FailureKind::name)
}

/// A record of AlpacaEval's `annotations.json`. The item is its instruction.
pub(super) fn annotation(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = name_of_text(row.text("instruction")?);
    preferred(row, item, [row.name("generator_1")?, row.name("generator_2")?], sink)
}

/// A record without the texts: the reference is output 1.
pub(super) fn preference(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    preferred(row, row.name("instruction_id")?, [row.name("reference")?, row.name("model")?], sink)
}

/// The order in which the outputs were shown is not kept.
fn preferred(row: Row<'_>, item: String, systems: [String; 2], sink: &mut LineSink<'_>) -> Result<(), Error> {
    let said = match row.number("preference")? {
        None => Said::Nothing(super::super::UNPARSED),
        Some(preference) => match weights(preference) {
            Some(shares) => Said::Shares(shares),
            None => return super::super::wrong(row, "preference", "a number from 1 to 2, or 0", &Value::from(preference)),
        },
    };
    sink(Line::Game(Game { item, shown: Shown::Unordered(systems), said, recorded: None }), row.place)
}

/// A score of a table.
pub(super) fn score(row: Row<'_>, options: &Options, position: u64, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let item = row.name_if_given(item_column(options))?.unwrap_or_else(|| format!("{}:{}", row.place.source, position + 1));
    let (system, score) = (row.name(system_column(options))?, row.number(score_column(options))?);
    sink(Line::Grade(Grade { item, system, text: None, score }), row.place)
}
