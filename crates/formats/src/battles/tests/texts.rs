//! Columns of responses' texts, of which the style is counted.

use super::*;
use crate::StyleCovariate::{self, Bold, Headings, Length, Lists};
use crate::count_style;
use proptest::prelude::*;

/// A number that is read beside two texts.
type Row = (u8, String, String);

fn reading(counted: &[StyleCovariate], threads: usize, chunk_bytes: usize) -> Options {
    let texts = vec!["one".into(), "two".into()];
    let columns = Columns {
        covariates: vec!["n".into()],
        texts,
        counted: counted.to_vec(),
        ..Columns::default()
    };
    Options {
        columns,
        threads,
        chunk_bytes,
        ..Options::default()
    }
}

fn columns(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &Options,
) -> Result<Vec<Vec<f64>>, String> {
    let rows = read_rows(&mut [source(name, bytes)], options);
    rows.map(|rows| rows.covariates)
        .map_err(|error| error.to_string())
}

/// Every count of every text, one column after the other.
fn twin(rows: &[Row]) -> Vec<Vec<f64>> {
    let mut columns = vec![rows.iter().map(|row| f64::from(row.0)).collect()];
    for side in [
        |row: &Row| count_style(&row.1),
        |row: &Row| count_style(&row.2),
    ] {
        columns.push(
            rows.iter()
                .map(|row| side(row).list_items() as f64)
                .collect(),
        );
        columns.push(rows.iter().map(|row| side(row).tokens as f64).collect());
        columns.push(
            rows.iter()
                .map(|row| side(row).headings_of_any_level() as f64)
                .collect(),
        );
        columns.push(rows.iter().map(|row| side(row).bold as f64).collect());
    }
    columns
}

fn csv(rows: &[Row]) -> String {
    let cell = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |(n, one, two): &Row| format!("{},x,{n},y,tie,{}\n", cell(two), cell(one));
    "two,model_a,n,model_b,winner,one\n".to_owned() + &rows.iter().map(line).collect::<String>()
}

fn jsonl(rows: &[Row]) -> String {
    let line = |(n, one, two): &Row| {
        format!(
            "{}\n",
            serde_json::json!({"two": two, "model_a": "x", "n": n, "model_b": "y", "winner": "tie", "one": one})
        )
    };
    rows.iter().map(line).collect()
}

proptest! {
    #[test]
    fn they_are_counted_as_anywhere(
        rows in prop::collection::vec((any::<u8>(), "(?s)[-*#1. \\n\"\\\\a,é]{0,40}", "(?s)[-*# \\n\"é]{0,20}"), 1..30),
        chunk in 1..200_usize, threads in 1..4_usize,
    ) {
        let options = reading(&[Lists, Length, Headings, Bold], threads, chunk);
        prop_assert_eq!(columns("a.csv", csv(&rows), &options), Ok(twin(&rows)));
        prop_assert_eq!(columns("a.jsonl", jsonl(&rows), &options), Ok(twin(&rows)));
    }
}

#[test]
fn only_what_was_asked_for_is_kept() {
    let rows = [(7, "**a** b".to_owned(), String::new())];
    assert_eq!(
        columns("a.csv", csv(&rows), &reading(&[Length], 1, 1)),
        Ok(vec![vec![7.0], vec![6.0], vec![0.0]])
    );
    assert_eq!(
        columns("a.csv", csv(&rows), &reading(&[], 1, 1)),
        Ok(vec![vec![7.0]])
    );
}

#[test]
fn what_is_no_text_is_an_error() {
    let row = |one: &str| {
        format!(
            "{{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\",\"n\":1,\"two\":\"\",\"one\":{one}}}\n"
        )
    };
    let refused =
        |name: &str, bytes: &[u8]| columns(name, bytes, &reading(&[Bold], 1, 1 << 10)).unwrap_err();
    for (one, found) in [
        ("null", "null"),
        ("[\"a\"]", "an array"),
        ("{\"role\":\"user\"}", "an object"),
        ("3", "a number"),
    ] {
        let text = row("\"\"") + &row(one);
        assert_eq!(
            refused("a.jsonl", text.as_bytes()),
            format!("a.jsonl:2: field one: expected a response's text, found {found}")
        );
    }
    let head = "model_a,model_b,winner,n,one";
    let message = "no column `two`; expected a response's text under that name; the file has \
                   `model_a`, `model_b`, `winner`, `n`, `one`";
    assert_eq!(
        refused("a.csv", format!("{head}\nx,y,tie,1,a\n").as_bytes()),
        format!("a.csv: {message}")
    );
    let long = [
        format!("{head},two\nx,y,tie,1,{}", "a".repeat(500)).as_bytes(),
        b"\xff\xfe end of it,\n",
    ]
    .concat();
    let shown = format!("{}\u{fffd}\u{fffd} end of it", "a".repeat(20));
    assert_eq!(
        refused("a.csv", &long),
        format!("a.csv:2: field one: not valid UTF-8 (`{shown}`); save the file as UTF-8")
    );
}

#[cfg(feature = "parquet")]
mod in_parquet {
    use super::*;
    use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
    use ::parquet::file::properties::{WriterProperties, WriterVersion};
    use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use ::parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    const SCHEMA: &str = "message battles {
        required binary two (UTF8); required binary model_a (UTF8); required int32 n; required binary model_b (UTF8);
        required binary winner (UTF8); optional binary one (UTF8);
    }";

    /// A first text that is None is null.
    fn write(
        rows: &[(u8, Option<String>, String)],
        group: usize,
        properties: WriterProperties,
    ) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let mut writer =
            SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        for rows in rows.chunks(group) {
            let mut group = writer.next_row_group().unwrap();
            let mut column = |fill: &mut dyn FnMut(&mut SerializedColumnWriter)| {
                let mut column = group.next_column().unwrap().unwrap();
                fill(&mut column);
                column.close().unwrap();
            };
            let texts = |column: &mut SerializedColumnWriter,
                         values: Vec<ByteArray>,
                         levels: Option<&[i16]>| {
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&values, levels, None)
                    .unwrap();
            };
            column(&mut |column| {
                texts(column, rows.iter().map(|row| text(&row.2)).collect(), None)
            });
            column(&mut |column| texts(column, vec![text("x"); rows.len()], None));
            column(&mut |column| {
                let numbers: Vec<_> = rows.iter().map(|row| i32::from(row.0)).collect();
                column
                    .typed::<Int32Type>()
                    .write_batch(&numbers, None, None)
                    .unwrap();
            });
            column(&mut |column| texts(column, vec![text("y"); rows.len()], None));
            column(&mut |column| texts(column, vec![text("tie"); rows.len()], None));
            let levels: Vec<_> = rows.iter().map(|row| i16::from(row.1.is_some())).collect();
            column(&mut |column| {
                texts(
                    column,
                    rows.iter()
                        .filter_map(|row| row.1.as_deref().map(text))
                        .collect(),
                    Some(&levels),
                )
            });
            group.close().unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn some_rows(rows: usize) -> Vec<Row> {
        let text = |n: usize| {
            "# head\n- item **bold** words\n".repeat(n % 7) + &"word ".repeat(n * 37 % 101)
        };
        (0..rows)
            .map(|row| (row as u8, text(row), text(row / 3 + 5)))
            .collect()
    }

    fn nullable(rows: &[Row]) -> Vec<(u8, Option<String>, String)> {
        rows.iter()
            .map(|(n, one, two)| (*n, Some(one.clone()), two.clone()))
            .collect()
    }

    #[test]
    fn they_are_counted_likewise_in_every_layout() {
        let rows = some_rows(1000);
        for (dictionary, version) in [
            (true, WriterVersion::PARQUET_1_0),
            (false, WriterVersion::PARQUET_2_0),
        ] {
            let properties = WriterProperties::builder()
                .set_dictionary_enabled(dictionary)
                .set_writer_version(version);
            let file = write(
                &nullable(&rows),
                600,
                properties.set_data_page_row_count_limit(100).build(),
            );
            for threads in [1, 3] {
                let options = reading(&[Lists, Length, Headings, Bold], threads, 1);
                assert_eq!(columns("a.parquet", &file, &options), Ok(twin(&rows)));
            }
        }
    }

    #[test]
    fn errors_name_the_row() {
        let mut rows = nullable(&some_rows(700));
        rows[650].1 = None;
        let read = |rows: &[_]| {
            columns(
                "a.parquet",
                write(rows, 400, WriterProperties::default()),
                &reading(&[Bold], 2, 1),
            )
        };
        assert_eq!(
            read(&rows).unwrap_err(),
            "a.parquet: row 651: field one: expected a response's text, found null"
        );
        let number = Columns {
            texts: vec!["n".into(), "two".into()],
            counted: vec![Bold],
            ..Columns::default()
        };
        let file = write(&rows, 400, WriterProperties::default());
        let error = columns(
            "a.parquet",
            file,
            &Options {
                columns: number,
                ..Options::default()
            },
        )
        .unwrap_err();
        assert_eq!(
            error,
            "a.parquet: column n: expected a column of text, found the Parquet type INT32"
        );
    }
}
