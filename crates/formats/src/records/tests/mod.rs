//! The readers, end to end: what they hand over, and the exact words of their errors.

mod criteria;
mod files;
mod mappings;
mod trajectories;

use super::*;
use evenhand_core::{Item, Message, Role, Side};
use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use std::io::{BufReader, Write};

fn try_records(file: &[u8], input: &Input<'_>) -> Result<(FileContents, Vec<Record>), DataError> {
    let mut records = Vec::new();
    let found = read_records(file, input, &mut |record, _| {
        records.push(record);
        Ok(())
    })?;
    // A reader that gives one byte at a time must make no difference.
    let mut again = Vec::new();
    read_records(
        BufReader::with_capacity(1, file),
        input,
        &mut |record, _| {
            again.push(record);
            Ok(())
        },
    )?;
    assert_eq!(records, again);
    Ok((found, records))
}

fn records(file: &str) -> Vec<Record> {
    try_records(file.as_bytes(), &Input::new("f")).unwrap().1
}

fn error(name: &str, file: &[u8]) -> String {
    try_records(file, &Input::new(name))
        .unwrap_err()
        .to_string()
}

fn mapped(map: &str, file: &str) -> Result<Vec<Record>, String> {
    let mapping = Mapping::parse(map).unwrap();
    let input = Input {
        shape: Shape::Mapped(&mapping),
        default_system: Some("stem"),
        ..Input::new("f.jsonl")
    };
    try_records(file.as_bytes(), &input)
        .map(|(_, records)| records)
        .map_err(|error| error.to_string())
}

fn item(id: &str, instruction: &str) -> Item {
    Item {
        id: id.into(),
        messages: vec![Message::user(instruction)],
        ..Item::default()
    }
}

fn response(item: &str, system: &str, output: &str) -> Record {
    let answer = SystemOutput::new(system, output);
    Record::Response {
        item: ItemRef::Id(item.into()),
        answer,
    }
}

const GOOD: &str = "{\"item\":\"1\",\"system\":\"s\",\"output\":\"x\"}\n";
