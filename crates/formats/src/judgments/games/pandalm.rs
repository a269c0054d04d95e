//! PandaLM (Wang et al. 2023): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.

use super::super::own::label_record;
use super::super::pandalm::instruction;
use super::super::row::Row;
use super::{Error, Game, Line, LineSink, PairLabel, Said, Shown};
use crate::records::Mapping;
use evenhand_core::Side;
use serde_json::Value;

/// Pairs on the same instruction belong together.
pub(super) fn pair(row: Row<'_>, position: u64, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let mapping = Mapping::exactly("item=idx,system_1=model_1,system_2=model_2,label=human")?;
    let (item, a, b, votes) = label_record(row, position, &mapping)?;
    let length =
        |field| Some(u32::try_from(row.find(field)?.as_str()?.chars().count()).unwrap_or(u32::MAX));
    let lengths = length("response_1")
        .zip(length("response_2"))
        .map(|(a, b)| [a, b]);
    let preferred = votes.iter().map(|vote| vote.preferred).collect();
    let (cluster, systems) = (instruction(row), Some([a, b]));
    sink(
        Line::Label(PairLabel {
            item,
            cluster,
            category: None,
            systems,
            lengths,
            preferred,
        }),
        row.place,
    )
}

/// A verdict names the pair alone, and the first response was shown first.
pub(super) fn verdict(row: Row<'_>, sink: &mut LineSink<'_>) -> Result<(), Error> {
    let recorded = match row.number("verdict")? {
        Some(1.0) => Some(Side::First),
        Some(2.0) => Some(Side::Second),
        Some(0.0) => Some(Side::Tie),
        _ => None,
    };
    let raw = row.find("raw_result").and_then(Value::as_str);
    let said = raw.map_or_else(
        || super::mt_bench::shares(recorded),
        |text| Said::Text(text, Some("first-line")),
    );
    let game = Game {
        item: row.name("idx")?,
        shown: Shown::Forward,
        said,
        recorded: Some(recorded),
    };
    sink(Line::Game(game), row.place)
}
