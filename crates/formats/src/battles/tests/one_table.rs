//! One table has one outcome, whatever sort of file it is written into.

use super::*;
use crate::error::DataProblem;
use crate::judgments::{self, RecordedScore};
use ::parquet::data_type::{ByteArray, ByteArrayType};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A table of texts; None is a cell without a value.
struct Table {
    names: Vec<&'static str>,
    rows: Vec<Vec<Option<String>>>,
}

impl Table {
    fn csv(&self, separator: char, quoted: bool) -> String {
        let cell = |text: &str| match quoted || text.contains([separator, '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let line = |cells: Vec<String>| cells.join(&separator.to_string()) + "\n";
        let rows = self.rows.iter().map(|row| {
            line(
                row.iter()
                    .map(|text| text.as_deref().map_or_else(String::new, cell))
                    .collect(),
            )
        });
        line(self.names.iter().map(|name| cell(name)).collect()) + &rows.collect::<String>()
    }

    fn objects(&self) -> Vec<Value> {
        let rows = self.rows.iter().map(|row| {
            let cells = row
                .iter()
                .map(|text| text.clone().map_or(Value::Null, Value::String));
            let fields = self.names.iter().map(|name| (*name).to_owned()).zip(cells);
            Value::Object(fields.collect::<Map<_, _>>())
        });
        rows.collect()
    }

    fn lines(&self) -> String {
        let rows = self.objects().into_iter();
        rows.map(|row| format!("{row}\n")).collect()
    }

    fn pretty(&self) -> String {
        let rows = self.objects().into_iter();
        rows.map(|row| serde_json::to_string_pretty(&row).unwrap() + "\n")
            .collect()
    }

    fn parquet(&self) -> Vec<u8> {
        let columns = self.names.iter();
        let columns: String = columns
            .map(|name| format!("optional binary {name} (UTF8); "))
            .collect();
        let schema = Arc::new(parse_message_type(&format!("message t {{ {columns} }}")).unwrap());
        let properties = Arc::new(WriterProperties::default());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for column in 0..self.names.len() {
            let cells = self.rows.iter().map(|row| row[column].as_deref());
            let levels: Vec<i16> = cells
                .clone()
                .map(|cell| i16::from(cell.is_some()))
                .collect();
            let texts: Vec<ByteArray> = cells
                .flatten()
                .map(|text| ByteArray::from(text.as_bytes().to_vec()))
                .collect();
            let mut written = group.next_column().unwrap().unwrap();
            written
                .typed::<ByteArrayType>()
                .write_batch(&texts, Some(&levels), None)
                .unwrap();
            written.close().unwrap();
        }
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    /// Every sort of file that the table may be written into.
    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let utf16 = |text: &str, mark: bool| -> Vec<u8> {
            let mark = mark.then_some(0xfeff);
            let units = mark.into_iter().chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        };
        let list = Value::Array(self.objects());
        let csv = self.csv(',', false);
        vec![
            ("csv", csv.clone().into_bytes()),
            ("quoted csv", self.csv(',', true).into_bytes()),
            ("semicolons", self.csv(';', false).into_bytes()),
            ("tabs", self.csv('\t', false).into_bytes()),
            (
                "sep=;",
                format!("sep=;\r\n{}", self.csv(';', false)).into_bytes(),
            ),
            ("sep=,", format!("\"sep=,\"\n{csv}").into_bytes()),
            ("utf-16 csv", utf16(&self.csv('\t', false), true)),
            ("gzip", gzip(csv.as_bytes())),
            ("lines", self.lines().into_bytes()),
            ("utf-16 lines", utf16(&self.lines(), false)),
            ("list", list.to_string().into_bytes()),
            ("pretty list", serde_json::to_vec_pretty(&list).unwrap()),
            ("pretty records", self.pretty().into_bytes()),
            ("gzip list", gzip(list.to_string().as_bytes())),
            ("parquet", self.parquet()),
        ]
    }
}

fn counts_of(
    file: &[u8],
    outcomes: &str,
) -> Result<(Vec<String>, u64, u64, Vec<PairCount>), String> {
    let mut options = options(2, 64);
    options.columns.outcomes = Spellings::parse(outcomes).unwrap();
    let mut sources = [BattleSource::new("t", std::io::Cursor::new(file.to_vec()))];
    let counts = read_counts(&mut sources, &options).map_err(|error| match *error.problem {
        DataProblem::Many(errors) => errors[0].problem.to_string(),
        problem => problem.to_string(),
    })?;
    Ok((counts.names, counts.rows, counts.dropped, counts.pairs))
}

/// Systems, scores, and how many were left out for which reason.
type Scores = (Vec<String>, Vec<RecordedScore>, Vec<(String, u64)>);

fn scores_of(file: &[u8]) -> Result<Scores, String> {
    let read = judgments::read_judgments([("t", file)], &judgments::Options::default());
    let read = read.map_err(|_| "refused".to_owned())?;
    Ok((
        read.systems,
        read.scores,
        read.failures.into_iter().collect(),
    ))
}

proptest! {
    #[test]
    fn battles(
        rows in prop::collection::vec(
            (0..4_usize, 1..4_usize, prop_oneof![
                Just(Some("model_a")), Just(Some("model_b")), Just(Some("tie")), Just(Some("Both Bad")),
                Just(Some("x, \"y\"")), Just(Some("no")), Just(None), Just(Some(""))
            ]),
            1..40
        ),
        names in prop::sample::select(vec![["a", "b", "c", "d"], ["x, \"y\"", "é", "1", "2.0"], ["true", "null", "NaN", " p"]]),
        outcomes in prop::sample::select(vec!["=drop", "no=drop,=drop", "no=second", "no=tie,=both-bad"]),
    ) {
        let text = |text: &str| Some(text.to_owned());
        let table = Table {
            names: vec!["model_a", "model_b", "winner"],
            rows: rows.iter().map(|(a, step, winner)| {
                vec![text(names[*a]), text(names[(a + step) % 4]), winner.map(str::to_owned)]
            }).collect(),
        };
        let files = table.files();
        let expected = counts_of(&files[0].1, outcomes);
        for (sort, file) in &files {
            prop_assert_eq!(&counts_of(file, outcomes), &expected, "{}", sort);
        }
    }

    #[test]
    fn scores(
        rows in prop::collection::vec(
            (0..3_usize, 0..5_u32, prop_oneof![
                Just(Some("1")), Just(Some("0.25")), Just(Some("-3e2")), Just(Some("true")), Just(Some("FALSE")),
                Just(Some("NaN")), Just(Some("N/A")), Just(None), Just(Some(""))
            ]),
            1..40
        ),
        bad in prop::option::weighted(0.2, prop::sample::select(vec!["Infinity", "good", "1,5"])),
    ) {
        let mut rows: Vec<Vec<Option<String>>> = rows.iter().map(|(system, item, score)| {
            vec![Some(format!("s{system}")), Some(item.to_string()), score.map(str::to_owned)]
        }).collect();
        if let Some(bad) = bad {
            let last = rows.last_mut().unwrap();
            last[2] = Some(bad.to_owned());
        }
        let table = Table { names: vec!["system", "item", "score"], rows };
        let files = table.files();
        let expected = scores_of(&files[0].1);
        prop_assert_eq!(expected.is_err(), bad.is_some());
        for (sort, file) in &files {
            prop_assert_eq!(&scores_of(file), &expected, "{}", sort);
        }
    }
}

/// Typed values: truth values, whole and other numbers, as JSON has them, and as texts.
#[test]
fn typed_values_are_read_as_their_texts() {
    let typed = r#"{"system":"s","item":1,"score":true}
{"system":"s","item":2,"score":0.5}
{"system":"t","item":1,"score":NaN}
{"system":"t","item":2,"score":false}
"#;
    let texts = "system,item,score\ns,1,True\ns,2,0.5\nt,1,nan\nt,2,False\n";
    assert_eq!(scores_of(typed.as_bytes()), scores_of(texts.as_bytes()));
    let typed = "{\"model_a\":1,\"model_b\":2,\"winner\":true}\n{\"model_a\":2,\"model_b\":1,\"winner\":null}\n";
    let texts = "model_a,model_b,winner\n1,2,true\n2,1,\n";
    let words = "true=first,=drop";
    let read = counts_of(typed.as_bytes(), words);
    assert!(read.is_ok());
    assert_eq!(read, counts_of(texts.as_bytes(), words));
}

#[test]
fn a_column_for_each_outcome_is_a_winner() {
    let winners = "model_a,model_b,winner\nx,y,model_a\nx,y,model_b\nx,y,tie\nx,y,model_a\n";
    let marks = "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n\
                 x,y,1,0,0\nx,y,0,1,0\nx,y,0.0,0,1\nx,y,true,false,\n";
    assert_eq!(
        counts_of(marks.as_bytes(), "no=tie"),
        counts_of(winners.as_bytes(), "no=tie")
    );
    let none = format!("{marks}x,y,0,0,0\n");
    let error = counts_of(none.as_bytes(), "no=tie").unwrap_err();
    assert!(error.contains("does not say who won"), "{error}");
    assert_eq!(counts_of(none.as_bytes(), "=drop").unwrap().2, 1);
    let two = format!("{marks}x,y,1,1,0\n");
    let error = counts_of(two.as_bytes(), "=drop").unwrap_err();
    assert!(error.contains("2 of them are 1"), "{error}");
}

#[test]
fn a_path_goes_into_objects_whose_names_hold_dots() {
    let row = |lang: &str, math: bool| {
        format!(
            "{{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\",\"meta\":{{\"lang\":\"{lang}\"}},\
             \"tag\":{{\"math_v0.1\":{{\"math\":{math}}}}}}}\n"
        )
    };
    let file = row("de", true) + &row("en", false) + &row("de", false);
    for (condition, rows) in [
        ("meta.lang=de", 2),
        ("tag.math_v0.1.math=true", 1),
        ("meta.lang=fr", 0),
    ] {
        let mut options = options(2, 16);
        options.columns.filter = crate::records::Filter::parse(&[condition]).unwrap();
        let read = read_counts(&mut [source("t.jsonl", &file)], &options);
        assert_eq!(read.map_or(0, |counts| counts.rows), rows, "{condition}");
    }
}

#[test]
fn a_field_that_the_first_object_lacks_is_told_where_to_stand() {
    let row =
        |tag: &str| format!("{{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\"{tag}}}\n");
    let mut options = options(2, 16);
    options.columns.filter = crate::records::Filter::parse(&["tag=k"]).unwrap();
    let read = |first: &str| {
        let file = row(first) + &row(",\"tag\":\"k\"");
        let read = read_counts(&mut [source("t.jsonl", &file)], &options);
        read.map(|counts| counts.rows)
            .map_err(|error| error.to_string())
    };
    let error = read("").unwrap_err();
    let expected = "t.jsonl: `where`: the first record has no field `tag`, ";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(read(",\"tag\":null"), Ok(1));
    // Systems and winners must be in every object.
    let mut misspelt = [options.clone(), options.clone(), options];
    misspelt[0].columns.left = Some("modell_a".into());
    misspelt[1].columns.right = Some("modell_b".into());
    misspelt[2].columns.winner = Some("winer".into());
    for (options, (setting, near)) in misspelt.iter().zip([
        ("`left`: no column `modell_a`", "model_a"),
        ("`right`: no column `modell_b`", "model_b"),
        ("`winner`: no column `winer`", "winner"),
    ]) {
        let error = read_counts(&mut [source("t.jsonl", row(""))], options).unwrap_err();
        let expected = format!(
            "t.jsonl: {setting} (`{near}` comes near); the file has `model_a`, `model_b`, `winner`"
        );
        assert_eq!(error.to_string(), expected);
    }
}
