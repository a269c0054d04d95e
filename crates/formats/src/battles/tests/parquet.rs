//! Parquet files, written by the `parquet` crate.

use super::*;
use ::parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use std::sync::Arc;

/// Cluster, two systems, winner (None is null), weight.
pub(super) type Row = (i64, String, String, Option<&'static str>, f64);

const SCHEMA: &str = "message battles {
    required int64 question_id; required binary model_a (UTF8); required binary model_b (UTF8);
    optional binary winner (UTF8); required double weight;
}";

pub(super) fn write(rows: &[Row], group: usize, properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for rows in rows.chunks(group) {
        write_group(&mut writer, rows);
    }
    writer.into_inner().unwrap()
}

fn write_group(writer: &mut SerializedFileWriter<Vec<u8>>, rows: &[Row]) {
    let mut group = writer.next_row_group().unwrap();
    let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<Int64Type>()
        .write_batch(
            &rows.iter().map(|row| row.0).collect::<Vec<_>>(),
            None,
            None,
        )
        .unwrap();
    column.close().unwrap();
    for names in [
        rows.iter().map(|row| text(&row.1)).collect::<Vec<_>>(),
        rows.iter().map(|row| text(&row.2)).collect(),
    ] {
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&names, None, None)
            .unwrap();
        column.close().unwrap();
    }
    let levels: Vec<_> = rows.iter().map(|row| i16::from(row.3.is_some())).collect();
    let winners: Vec<_> = rows.iter().filter_map(|row| row.3.map(text)).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<ByteArrayType>()
        .write_batch(&winners, Some(&levels), None)
        .unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<DoubleType>()
        .write_batch(
            &rows.iter().map(|row| row.4).collect::<Vec<_>>(),
            None,
            None,
        )
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
}

fn csv(rows: &[Row]) -> String {
    let line =
        |(id, a, b, winner, weight): &Row| format!("{id},{a},{b},{},{weight}\n", winner.unwrap());
    "question_id,model_a,model_b,winner,weight\n".to_owned()
        + &rows.iter().map(line).collect::<String>()
}

pub(super) fn some_rows(rows: usize) -> Vec<Row> {
    let winner = |row: usize| Some(["model_a", "tie", "model_b", "both_bad", "right"][row % 5]);
    let row = |row| {
        (
            row as i64 / 3,
            format!("m{}", row * 7 % 11),
            format!("n{}", row * 5 % 13),
            winner(row),
            (row % 4) as f64 / 4.0,
        )
    };
    (0..rows).map(row).collect()
}

fn properties(
    codec: Compression,
    dictionary: bool,
    version: WriterVersion,
    encoding: Encoding,
) -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_compression(codec)
        .set_dictionary_enabled(dictionary);
    let builder = builder
        .set_writer_version(version)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50);
    builder
        .set_column_encoding("model_b".into(), encoding)
        .build()
}

#[test]
fn every_codec_and_encoding_gives_the_rows_of_the_csv_file() {
    let rows = some_rows(1000);
    let expected = read_rows(&mut [source("a.csv", csv(&rows))], &Options::default()).unwrap();
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ];
    let encodings = [
        Encoding::PLAIN,
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
    ];
    for (at, codec) in codecs.into_iter().enumerate() {
        for (dictionary, version) in [
            (true, WriterVersion::PARQUET_1_0),
            (false, WriterVersion::PARQUET_1_0),
            (true, WriterVersion::PARQUET_2_0),
            (false, WriterVersion::PARQUET_2_0),
        ] {
            let file = write(
                &rows,
                300,
                properties(codec, dictionary, version, encodings[at % 3]),
            );
            for threads in [1, 2, 5] {
                assert_eq!(
                    read_rows(&mut [source("a.parquet", &file)], &options(threads, 1)).unwrap(),
                    expected
                );
            }
        }
    }
}

#[test]
fn errors_name_the_row() {
    let mut rows = some_rows(30);
    let read = |rows: &[Row]| {
        let file = write(rows, 10, WriterProperties::default());
        super::rows("a.parquet", file).unwrap_err()
    };
    rows[24].4 = f64::NAN;
    assert_eq!(
        read(&rows),
        "a.parquet: row 25: field weight: `NaN` is not a finite weight of at least 0"
    );
    rows[23].3 = None;
    assert_eq!(
        read(&rows),
        "a.parquet: row 24: field winner is empty: the row does not say who won; `outcomes` \
         '=drop' leaves such rows out and counts them\na.parquet: row 25: field weight: `NaN` is \
         not a finite weight of at least 0"
    );
    rows[22].2 = rows[22].1.clone();
    assert!(read(&rows).starts_with(
        "a.parquet: row 23: the system `m0` is compared with itself; remove the row, or give the \
         two systems different names\na.parquet: row 24: "
    ));
    rows[21].3 = Some("won");
    assert!(read(&rows).starts_with(
        "a.parquet: row 22: field winner: `won` is not an outcome that is known; expected"
    ));
}

#[test]
fn a_column_of_another_type_is_an_error() {
    let columns = Columns {
        weight: Column::Named("model_a".into()),
        ..Columns::default()
    };
    let file = write(&some_rows(3), 10, WriterProperties::default());
    let error = read_rows(
        &mut [source("a.parquet", file)],
        &Options {
            columns,
            ..Options::default()
        },
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.parquet: column model_a: expected an integer or floating-point column, found the \
         Parquet type BYTE_ARRAY"
    );
}

#[test]
fn it_is_told_by_content() {
    let file = write(&some_rows(3), 10, WriterProperties::default());
    assert_eq!(
        detect_table(&mut source("a", file)),
        Some(TableKind::Battles)
    );
}

#[test]
fn a_cut_file_is_said_to_be_one() {
    let file = write(&some_rows(30), 10, WriterProperties::default());
    for end in 4..file.len() {
        let error = rows("a.parquet", &file[..end]).unwrap_err();
        assert!(
            error.starts_with("a.parquet: the Parquet file is damaged or cut short"),
            "{error}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_changed_byte_never_makes_it_panic(at in any::<prop::sample::Index>(), byte: u8) {
        let mut file = write(&some_rows(30), 10, WriterProperties::default());
        let at = at.index(file.len() - 4) + 4;
        file[at] = byte;
        let result = rows("a.parquet", file);
        prop_assert!(result.is_err() || result.is_ok_and(|rows| rows.a.len() == rows.b.len()));
    }
}

/// A null is a fault of the rows that are ranked alone.
#[test]
fn nulls_of_rows_that_are_not_ranked_are_passed() {
    let schema = "message battles {
        required binary left (UTF8); required binary right (UTF8); required binary winner (UTF8);
        optional double n; optional binary t (UTF8);
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let text = |text: &&str| ByteArray::from(text.as_bytes().to_vec());
    for texts in [
        ["x", "z", "x", "x"],
        ["y", "x", "y", "y"],
        ["left", "left", "both_bad", "right"],
    ] {
        let mut column = group.next_column().unwrap().unwrap();
        let texts: Vec<ByteArray> = texts.iter().map(text).collect();
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&texts, None, None).unwrap();
        column.close().unwrap();
    }
    let levels = [1, 0, 0, 1];
    let mut column = group.next_column().unwrap().unwrap();
    let typed = column.typed::<DoubleType>();
    typed.write_batch(&[1.0, 4.0], Some(&levels), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let texts: Vec<ByteArray> = ["a b", "c"].iter().map(text).collect();
    let typed = column.typed::<ByteArrayType>();
    typed.write_batch(&texts, Some(&levels), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    let file = writer.into_inner().unwrap();
    let read = |ranked: RankedRows| {
        let columns = Columns {
            covariates: vec!["n".into()],
            texts: vec!["t".into()],
            counted: vec![crate::StyleCovariate::Length],
            covariates_of: ranked,
            ..Columns::default()
        };
        let options = Options {
            columns,
            ..Options::default()
        };
        read_rows(&mut [source("a.parquet", &file)], &options).map_err(|error| error.to_string())
    };
    let ranked = RankedRows {
        systems: Some(vec!["x".into(), "y".into()]),
        without_both_bad: true,
    };
    let rows = read(ranked.clone()).unwrap();
    assert_eq!(
        rows.covariates,
        [[1.0, 0.0, 0.0, 4.0], [2.0, 0.0, 0.0, 1.0]]
    );
    let is_row = |ranked: RankedRows, row: &str| {
        let error = read(ranked).unwrap_err();
        assert!(
            error.starts_with("a.parquet") && error.contains(row),
            "{error}"
        );
    };
    is_row(RankedRows::default(), "row 2");
    let any_outcome = RankedRows {
        without_both_bad: false,
        ..ranked
    };
    is_row(any_outcome, "row 3");
}
