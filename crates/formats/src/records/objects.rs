//! Records as they are, for tables whose fields are not ours to name.

use super::{DataError, Input, Place};
use crate::source::values::Values;
use serde_json::Value;
use std::io::BufRead;

/// Hands over a file's records one by one as JSON objects with their places, whatever their fields;
/// a cell of CSV is a string, an empty one null. Those that the input's filter leaves out are
/// passed over. Returns how many are left, at least 1.
///
/// # Errors
/// A file that cannot be read, is empty, or holds something else than records; nothing left; an
/// error of `sink`, which ends the reading.
pub fn read_objects<E: From<DataError>>(
    file: impl BufRead,
    input: &Input<'_>,
    mut sink: impl FnMut(Value, &Place) -> Result<(), E>,
) -> Result<u64, E> {
    let mut values = Values::open(Box::new(file), input)?;
    let first = values.first()?;
    let (mut kept, mut last) = (0, first.1.clone());
    values.for_each_from(first, |record, place, position| {
        last = place.clone();
        if input
            .filter
            .is_none_or(|filter| filter.keeps(&record, position))
        {
            sink(record, place)?;
            kept += 1;
        }
        Ok::<(), E>(())
    })?;
    match input.filter.filter(|_| kept == 0) {
        Some(filter) => Err(filter.nothing_left().at(&last).into()),
        None => Ok(kept),
    }
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
        assert_eq!(
            read_objects(
                "model,elo\na,\nb,2.5\n".as_bytes(),
                &Input::new("t.csv"),
                take
            )
            .unwrap(),
            2
        );
        assert_eq!(
            found,
            [
                (json!({"model": "a", "elo": null}), 2),
                (json!({"model": "b", "elo": "2.5"}), 3)
            ]
        );
        assert!(
            read_objects("".as_bytes(), &Input::new("t.csv"), |_, _| Ok::<
                (),
                DataError,
            >(()))
            .is_err()
        );
    }
}
