//! Records as they are, for tables whose fields are not ours to name.

use super::{DataError, Input, Place, Values};
use serde_json::Value;
use std::io::BufRead;

/// Hands over a file's records one by one as JSON objects with their places, whatever their fields; a cell of CSV is a
/// string, an empty one null. Gives the number of records, at least 1.
///
/// # Errors
/// A file that cannot be read, is empty, or holds something else than records; an error of `sink`, which ends the reading.
pub fn records<E: From<DataError>>(
    file: impl BufRead,
    input: &Input<'_>,
    mut sink: impl FnMut(Value, &Place) -> Result<(), E>,
) -> Result<u64, E> {
    let mut values = Values::open(Box::new(file), input)?;
    let (first, place) = values.first()?;
    sink(first, &place)?;
    let mut count = 1;
    while let Some((record, place)) = values.next()? {
        sink(record, &place)?;
        count += 1;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_is_read_as_it_is() {
        let mut found = Vec::new();
        let take = |record: Value, place: &Place| -> Result<(), DataError> {
            found.push((record, place.line));
            Ok(())
        };
        assert_eq!(records("model,elo\na,\nb,2.5\n".as_bytes(), &Input::new("t.csv"), take).unwrap(), 2);
        assert_eq!(found, [(json!({"model": "a", "elo": null}), 2), (json!({"model": "b", "elo": "2.5"}), 3)]);
        assert!(records("".as_bytes(), &Input::new("t.csv"), |_, _| Ok::<(), DataError>(())).is_err());
    }
}
