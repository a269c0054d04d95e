//! The readers, end to end: what they hand over, and the exact words of their errors.

use super::*;
use evenhand_core::{Item, Message, Role};
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
    let answer = SystemOutput {
        system: system.into(),
        output: output.into(),
    };
    Record::Response {
        item: ItemRef::Id(item.into()),
        answer,
    }
}

const GOOD: &str = "{\"item\":\"1\",\"system\":\"s\",\"output\":\"x\"}\n";

#[test]
fn our_own_files_are_read() {
    let full =
        r#"{"id":7,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],
        "reference":"r","category":"k","question_id":5,"constraints":{"n":1}}"#
            .replace('\n', " ");
    let expected = Item {
        id: "7".into(),
        messages: vec![
            Message::user("a"),
            Message {
                role: Role::Assistant,
                content: "b".into(),
            },
            Message::user("c"),
        ],
        reference: Some("r".into()),
        category: Some("k".into()),
        question: Some("5".into()),
        constraints: Some(json!({"n": 1})),
    };
    assert_eq!(records(&full), [Record::Item(expected)]);
    assert_eq!(records(GOOD), [response("1", "s", "x")]);
    let vote = Vote {
        preferred: Preference::Tie,
        annotator: Some("ann".into()),
    };
    let label = Record::Label {
        item: ItemRef::Id("1".into()),
        a: "s".into(),
        b: "t".into(),
        votes: vec![vote],
    };
    assert_eq!(
        records(r#"{"item":1,"a":"s","b":"t","preferred":"tie","annotator":"ann"}"#),
        [label]
    );
}

#[test]
fn ratings_are_csv() {
    let rating = |system: &str, rating, ci_low, ci_high| {
        Record::Rating(Rating {
            system: system.into(),
            rating,
            ci_low,
            ci_high,
        })
    };
    assert_eq!(
        records(
            "system,rating,ci_low,ci_high,more\n\"a, or\nb\",1114,,\nc,-2.5e1,-30,-20,x\nd,3\n"
        ),
        [
            rating("a, or\nb", 1114.0, None, None),
            rating("c", -25.0, Some(-30.0), Some(-20.0)),
            rating("d", 3.0, None, None)
        ]
    );
    let csv = |rows: &str| error("ratings.csv", format!("system,rating\n{rows}").as_bytes());
    assert_eq!(
        csv("a,1\nb,high"),
        "ratings.csv:3: field `rating`: expected a number, found `high`"
    );
    assert_eq!(
        csv("a,1\nb,inf"),
        "ratings.csv:3: field `rating`: expected a number, found `inf`"
    );
    assert_eq!(
        csv("a,1\n\"b\nc\",\n"),
        "ratings.csv:3: field `rating`: expected a number, found an empty cell"
    );
    assert_eq!(
        csv("a,1,2"),
        "ratings.csv:2: the row has 3 cells, but the header has 2; quote a cell that holds a \
         separator"
    );
    assert_eq!(
        csv(""),
        "ratings.csv: there is nothing after the first line, which is read as the header of a CSV \
         file; expected rows, or JSON"
    );
}

#[test]
fn lines_arrays_gzip_marks_and_blank_lines_are_the_same() {
    let lines = format!("{GOOD}\r\n\n  {}", GOOD.replace('1', "2"));
    let array = format!("\u{feff} [{GOOD},\n{}]\n", GOOD.replace('1', "2"));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(lines.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let expected = [response("1", "s", "x"), response("2", "s", "x")];
    for file in [
        lines.as_bytes(),
        array.as_bytes(),
        &gzip,
        &[b"\xef\xbb\xbf", lines.as_bytes()].concat(),
    ] {
        assert_eq!(try_records(file, &Input::new("f")).unwrap().1, expected);
    }
    // A gzip file may have several members.
    let member = |text: &str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    };
    let both = [member(GOOD), member(&GOOD.replace('1', "2"))].concat();
    assert_eq!(try_records(&both, &Input::new("f")).unwrap().1, expected);
}

#[test]
fn malformed_json_is_located_to_the_column() {
    let rule = "; each line must be one whole JSON object";
    for (line, at, what) in [
        (
            r#"{"item": "é" "x"}"#,
            "2:14",
            "expected `,` or `}`, found `\"`",
        ),
        (
            r#"{"item": "1", "output": nothing}"#,
            "2:25",
            "expected `true`, `false` or `null`, found `nothing`",
        ),
        (r#"{"item": NaN}"#, "2:10", "expected a value, found `NaN`"),
        (
            r#"{"item": "1""#,
            "2:13",
            "expected `,` or `}`, found the end of the line",
        ),
        (
            r#"{"item": "1"#,
            "2:12",
            "expected a closing `\"`, found the end of the line",
        ),
        (
            r#"{"item": [1"#,
            "2:12",
            "expected `,` or `]`, found the end of the line",
        ),
        (
            r#"{"item":"#,
            "2:9",
            "expected a value, found the end of the line",
        ),
        (r#"{"item" "1"}"#, "2:9", "expected `:`, found `\"`"),
        (
            r#"{item: 1}"#,
            "2:2",
            "expected a key in double quotes, found `item`",
        ),
        (
            r#"{"item": "1",}"#,
            "2:14",
            "expected another entry after `,`, found `}`",
        ),
        (
            r#"{"item": "1"} {}"#,
            "2:15",
            "expected the end of the record, found `{`",
        ),
        (r#"{"item": "\q"}"#, "2:12", "invalid escape"),
    ] {
        let found = error(
            "responses.jsonl",
            format!("{GOOD}{line}\n{GOOD}").as_bytes(),
        );
        assert_eq!(
            found,
            format!("responses.jsonl:{at}: not valid JSON ({what}){rule}"),
            "{line}"
        );
    }
}

#[test]
fn malformed_arrays_are_located_too() {
    let rule = "; the file must be one JSON array of objects";
    let good = GOOD.trim_end();
    for (file, at, what) in [
        (
            format!("[{good}"),
            "1:40",
            "expected `,` or `]`, found the end of the file",
        ),
        (
            "[".to_owned(),
            "1:2",
            "expected a value or `]`, found the end of the file",
        ),
        (format!("[{good},\n]"), "2:1", "expected a value, found `]`"),
        (
            format!("[{good}\n{good}]"),
            "2:1",
            "expected `,` or `]`, found `{`",
        ),
        (
            format!("[{good},\n  {{\"item\" 1}}]"),
            "2:11",
            "expected `:`, found `1`",
        ),
        (
            format!("[{good},\n  {{\"item\":\n1"),
            "3:2",
            "expected `,` or `}`, found the end of the file",
        ),
        (
            format!("[{good}]\n[]"),
            "2:1",
            "expected the end of the file, found `[`",
        ),
        (
            format!("[{good},}}]"),
            "1:41",
            "expected a value, found `}`",
        ),
    ] {
        assert_eq!(
            error("outputs.json", file.as_bytes()),
            format!("outputs.json:{at}: not valid JSON ({what}){rule}"),
            "{file}"
        );
    }
}

#[test]
fn bytes_that_are_not_text_are_located_by_line_and_offset() {
    let file = [GOOD.as_bytes(), b"{\"item\":\"\xff\"}"].concat();
    let offset = GOOD.len() + 9;
    let expected = format!(
        "r.jsonl:2: not valid UTF-8 (byte 0xff at byte offset {offset} of the file); save the file \
         as UTF-8"
    );
    assert_eq!(error("r.jsonl", &file), expected);
    let array = [b"[\n", GOOD.as_bytes(), b",\"\xc3\"]"].concat();
    let offset = GOOD.len() + 4;
    let expected = format!(
        "r.json:3: not valid UTF-8 (byte 0xc3 at byte offset {offset} of the file); save the file \
         as UTF-8"
    );
    assert_eq!(error("r.json", &array), expected);
    let utf16 = "r.jsonl:1: not valid UTF-8 (byte 0xff at byte offset 0 of the file); save the \
                 file as UTF-8";
    assert_eq!(error("r.jsonl", b"\xff\xfe{\0}\0"), utf16);
}

#[test]
fn an_empty_file_is_an_error() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"\n").unwrap();
    for file in [
        &b""[..],
        b"\n \n",
        b"[]",
        b" [ ] ",
        b"\xef\xbb\xbf",
        &gzip.finish().unwrap(),
    ] {
        assert_eq!(
            error("r.jsonl", file),
            "r.jsonl: the file is empty; expected at least one record"
        );
    }
}

#[test]
fn a_damaged_gzip_file_is_an_error() {
    assert_eq!(
        error("r.gz", b"\x1f\x8b\x08"),
        "r.gz: cannot be read: unexpected end of file"
    );
}

#[test]
fn fields_that_are_missing_or_of_another_type_are_named() {
    let name = "a non-empty string or a whole number";
    for (line, what) in [
        (
            r#"{"item":"1","system":"s"}"#,
            "field `output` is missing; expected a string; the record has `item`, `system`"
                .to_owned(),
        ),
        (
            r#"{"item":"1","system":"s","output":5}"#,
            "field `output`: expected a string, found the number 5".to_owned(),
        ),
        (
            r#"{"item":"1","system":"s","output":null}"#,
            "field `output`: expected a string, found null".to_owned(),
        ),
        (
            r#"{"item":"1","system":"s","output":["x"]}"#,
            "field `output`: expected a string, found a list".to_owned(),
        ),
        (
            r#"{"item":"","system":"s","output":""}"#,
            format!("field `item`: expected {name}, found an empty string"),
        ),
        (
            r#"{"item":1.5,"system":"s","output":""}"#,
            format!("field `item`: expected {name}, found the number 1.5"),
        ),
        (
            r#"{"item":1,"system":{},"output":""}"#,
            format!("field `system`: expected {name}, found an object"),
        ),
        (
            "[1]",
            "expected a JSON object, found a list; each record must be an object with named fields"
                .to_owned(),
        ),
    ] {
        assert_eq!(
            error("responses.jsonl", format!("{GOOD}{line}").as_bytes()),
            format!("responses.jsonl:2: {what}")
        );
    }
}

#[test]
fn messages_are_checked() {
    let expected = |messages: &str| {
        error(
            "items.jsonl",
            format!(r#"{{"id":"1","messages":{messages}}}"#).as_bytes(),
        )
    };
    let field = "items.jsonl:1: field `instruction|messages` (instruction): expected";
    let either = "a string, or a list of messages {role, content}, found";
    assert_eq!(expected("[]"), format!("{field} {either} an empty list"));
    assert_eq!(expected("{}"), format!("{field} {either} an object"));
    assert_eq!(
        expected(r#"[{"role":"tool","content":""}]"#),
        format!("{field} messages with a `role` of `system`, `user` or `assistant`, found `tool`")
    );
    assert_eq!(
        expected(r#"["x"]"#),
        format!(
            "{field} messages with a `role` of `system`, `user` or `assistant`, found none in a \
             string"
        )
    );
    assert_eq!(
        expected(r#"[{"role":"user","content":1}]"#),
        format!("{field} messages with a `content` that is a string, found the number 1")
    );
    assert_eq!(
        expected(r#"[{"role":"assistant","content":""}]"#),
        format!(
            "{field} a last message with the role `user`, which the systems answered, found \
             another role"
        )
    );
}

#[test]
fn a_record_beyond_the_limit_is_an_error() {
    let input = Input {
        record_limit: 50,
        ..Input::new("r.jsonl")
    };
    let long = format!("{GOOD}{{\"item\":\"{}", "x".repeat(60));
    let expected = "r.jsonl:2: the record that begins here is longer than 50 bytes; is the file \
                    one record per line, or one JSON array?";
    assert_eq!(
        try_records(long.as_bytes(), &input)
            .unwrap_err()
            .to_string(),
        expected
    );
    let array = format!("[{}, {{\"item\":\"{}", GOOD, "x".repeat(60));
    assert_eq!(
        try_records(array.as_bytes(), &input)
            .unwrap_err()
            .to_string(),
        expected
    );
    assert!(
        try_records(
            GOOD.as_bytes(),
            &Input {
                record_limit: GOOD.len(),
                ..input
            }
        )
        .is_ok()
    );
}

#[test]
fn an_unknown_format_is_an_error_that_says_what_to_do() {
    let formats = Format::names().join(", ");
    assert_eq!(
        error("x.jsonl", br#"{"q":1,"r":2}"#),
        format!(
            "x.jsonl:1: the format is not known: the record has `q`, `r`; say which field is which \
             with \
             `map` 'item=FIELD,instruction=FIELD,system=FIELD,output=FIELD', or for two responses \
             a record \
             `map` 'instruction=FIELD,output_1=FIELD,output_2=FIELD', or name the format with \
             `input-format` ({formats})"
        )
    );
    let known = Input {
        shape: Shape::Known(Format::Responses),
        ..Input::new("x.jsonl")
    };
    assert_eq!(
        try_records(br#"{"q":1,"r":2}"#, &known)
            .unwrap_err()
            .to_string(),
        "x.jsonl:1: no field of the record is of use: expected `output`, `instruction`, or `label` \
         with two systems; the record has `q`, `r`"
    );
}

#[test]
fn a_mapping_serves_the_questions_and_the_answers() {
    let map = "output=answer,item=question_id,system=model,instruction=prompt";
    assert_eq!(
        mapped(map, r#"{"question_id":3,"prompt":"p"}"#),
        Ok(vec![Record::Item(item("3", "p"))])
    );
    assert_eq!(
        mapped(map, r#"{"question_id":3,"model":"m","answer":"x"}"#),
        Ok(vec![response("3", "m", "x")])
    );
    assert_eq!(
        mapped(map, r#"{"question_id":3,"answer":"x"}"#),
        Err(
            "f.jsonl:1: field `model` (system) is missing; expected a non-empty string or a whole \
             number; \
             the record has `question_id`, `answer`"
                .to_owned()
        )
    );
}

#[test]
fn a_mapped_output_may_be_a_number_or_a_truth_value_but_nothing_else() {
    let output = |value: &str| {
        mapped(
            "item=id,output=answer",
            &format!(r#"{{"id":1,"answer":{value}}}"#),
        )
    };
    assert_eq!(output("true"), Ok(vec![response("1", "stem", "true")]));
    assert_eq!(output("4.5"), Ok(vec![response("1", "stem", "4.5")]));
    for (value, found) in [("null", "null"), ("[1]", "a list"), ("{}", "an object")] {
        assert_eq!(
            output(value),
            Err(format!(
                "f.jsonl:1: field `answer` (output): expected a string, found {found}"
            ))
        );
    }
}

#[test]
fn a_system_that_is_not_mapped_is_the_files() {
    assert_eq!(
        mapped("output=answer", r#"{"item":"1","answer":"x"}"#),
        Ok(vec![response("1", "stem", "x")])
    );
    assert_eq!(
        mapped("output=answer", r#"{"item":"1","system":"s","answer":"x"}"#),
        Ok(vec![response("1", "s", "x")])
    );
    assert_eq!(
        mapped(
            "output=answer,system:=c",
            r#"{"item":"1","system":"s","answer":"x"}"#
        ),
        Ok(vec![response("1", "c", "x")])
    );
    let mapping = Mapping::parse("output=answer").unwrap();
    let input = Input {
        shape: Shape::Mapped(&mapping),
        ..Input::new("f")
    };
    assert_eq!(
        try_records(br#"{"item":"1","answer":"x"}"#, &input)
            .unwrap_err()
            .to_string(),
        "f:1: the record names no system, and none was given for the file; map one with `map` \
         system=FIELD or `map` system:=NAME"
    );
}

#[test]
fn labels_are_slots_or_systems_and_nothing_else() {
    let map = "item=id,instruction=q,output_1=x,output_2=y,system_1:=m,system_2:=n,label=best";
    let votes = |best: &str| match mapped(
        map,
        &format!(r#"{{"id":1,"q":"q","x":"","y":"","best":{best}}}"#),
    ) {
        Ok(records) => match &records[..] {
            [Record::Pair { votes, .. }] => Ok(votes
                .iter()
                .map(|v| (v.preferred, v.annotator.clone()))
                .collect::<Vec<_>>()),
            other => Err(format!("{other:?}")),
        },
        Err(error) => Err(error),
    };
    use Preference::{A, B, Tie};
    for (best, preferred) in [
        ("1", A),
        ("1.0", A),
        ("\"m\"", A),
        ("\"A>B\"", A),
        ("2", B),
        ("\"n\"", B),
        ("\"tie\"", Tie),
    ] {
        assert_eq!(votes(best), Ok(vec![(preferred, None)]));
    }
    assert_eq!(
        votes("[0,2]"),
        Ok(vec![(Tie, Some("1".into())), (B, Some("2".into()))])
    );
    assert_eq!(votes("null"), Ok(vec![]));
    assert_eq!(
        votes("[2,null,1]"),
        Ok(vec![(B, Some("1".into())), (A, Some("3".into()))])
    );
    assert_eq!(
        votes("3"),
        Err(
            "f.jsonl:1: field `best` (label): `3` names no preference; expected 1, `a` or `m` for \
             the first, \
             2, `b` or `n` for the second, 0 or `tie`; say what your words mean: \
             `outcomes` '3=first,...=second,...=tie'"
                .into()
        )
    );
    assert_eq!(
        votes("true"),
        Err(
            "f.jsonl:1: field `best` (label): expected a preference, or a list of them, found a \
             boolean"
                .into()
        )
    );
}

#[test]
fn the_first_record_says_what_a_file_holds() {
    let input = Input::new("f");
    let found = |format, kind| FileContents {
        format: Some(format),
        kind,
        records: 1,
        kept: 1,
        passed_over: 0,
    };
    assert_eq!(
        inspect_file(GOOD.as_bytes(), &input).unwrap(),
        found(Format::Responses, RecordKind::Responses)
    );
    let pair = br#"[{"input":"i","output_1":"a","output_2":"b","label":1}, broken"#;
    assert_eq!(
        inspect_file(&pair[..], &input).unwrap(),
        found(Format::LlmBar, RecordKind::Pairs)
    );
}

#[test]
fn an_error_of_the_sink_ends_the_reading() {
    let mut taken = 0;
    let end = |place: &Place| Err(DataProblem::NoItems.at(place));
    let result = read_records(
        GOOD.repeat(3).as_bytes(),
        &Input::new("f"),
        &mut |_, place| {
            taken += 1;
            if taken == 2 { end(place) } else { Ok(()) }
        },
    );
    assert_eq!(
        (taken, result.unwrap_err().place),
        (2, Some(Place::file("f").at_line(2)))
    );
}

/// Several people on the same two answers, and on other answers to the same instruction.
#[test]
fn cross_annotations_are_pairs_by_their_texts() {
    let line = |output: &str, preference: u8, annotator: u8| {
        let long = "x".repeat(300);
        format!(
            r#"{{"instruction": "{long}", "input": "", "output_1": "{output}", "output_2": "two", "preference": {preference}, "annotator_index": {annotator}}}"#
        ) + "\n"
    };
    let file = [line("one", 1, 0), line("one", 2, 1), line("other", 2, 0)].concat();
    let mut builder = crate::DatasetBuilder::default();
    read_records(
        file.as_bytes(),
        &Input::new("f.jsonl"),
        &mut |record, place| builder.add_record(record, place),
    )
    .unwrap();
    let data = builder.finish(false).unwrap();
    assert_eq!(
        (data.items.len(), data.labels.len(), data.systems.len()),
        (2, 3, 2)
    );
    assert!(
        data.items
            .iter()
            .all(|item| item.id.starts_with("text:") && item.instruction().len() == 300)
    );
    let annotators: Vec<&str> = data
        .labels
        .iter()
        .map(|label| label.annotator.as_deref().unwrap())
        .collect();
    assert_eq!(annotators, ["0", "1", "0"]);
}

#[test]
fn an_empty_cell_is_an_empty_answer_even_in_the_first_row() {
    let all = records("item,system,output\n1,s,\n2,s,x\n");
    assert_eq!(all, [response("1", "s", ""), response("2", "s", "x")]);
    let null = error("r.jsonl", br#"{"item":1,"system":"s","output":null}"#);
    assert!(null.contains("the format is not known"), "{null}");
}

#[test]
fn tables_are_apart_by_commas_tabs_or_semicolons() {
    let rows = ["item|system|output", "1|s|\"a, b; c\"", "2|s|\"with\ttab\""];
    let expected = [
        response("1", "s", "a, b; c"),
        response("2", "s", "with\ttab"),
    ];
    for separator in [",", "\t", ";"] {
        assert_eq!(
            records(&rows.join("\n").replace('|', separator)),
            expected,
            "{separator:?}"
        );
    }
    let named = try_records(b"item\tsystem\toutput\n1\ts\ta, b\n", &Input::new("x.tsv"))
        .unwrap()
        .1;
    assert_eq!(named, [response("1", "s", "a, b")]);
}

#[test]
fn a_table_that_is_cut_within_quotes_is_an_error() {
    assert_eq!(
        error("c.csv", b"item,system,output\n1,s,x\n2,s,\"cut her"),
        "c.csv:3: a quotation mark is opened in the row that begins here and never closed; is the \
         file cut short?"
    );
}

#[test]
fn a_zero_under_a_mapping_is_a_tie_only_beside_a_two_or_a_minus_one() {
    let map = "item=#,instruction=q,output_1=x,output_2=y,system_1:=m,system_2:=a,label=best";
    let votes = |bests: &[&str], outcomes: &str| {
        let lines = bests
            .iter()
            .map(|best| format!("{{\"q\":\"q\",\"x\":\"\",\"y\":\"\",\"best\":{best}}}\n"));
        let (mapping, spellings) = (
            Mapping::parse(map).unwrap(),
            crate::battles::Spellings::parse(outcomes).ok(),
        );
        let input = Input {
            shape: Shape::Mapped(&mapping),
            outcomes: spellings.as_ref(),
            ..Input::new("f")
        };
        let (_, records) =
            try_records(lines.collect::<String>().as_bytes(), &input).map_err(|e| e.to_string())?;
        let vote = |record: Record| match record {
            Record::Pair { votes, .. } => votes[0].preferred,
            other => panic!("{other:?}"),
        };
        Ok::<_, String>(records.into_iter().map(vote).collect::<Vec<_>>())
    };
    use Preference::{A, B, Tie};
    assert_eq!(votes(&["1", "0", "2"], ""), Ok(vec![A, Tie, B]));
    assert_eq!(votes(&["1", "0", "\"-1\""], ""), Ok(vec![A, Tie, B]));
    assert_eq!(votes(&["1", "0"], "1=first,0=second"), Ok(vec![A, B]));
    let unknown =
        "f:2: field `best` (label): the labels are 1 and 0 and never 2 or -1, so who is preferred";
    assert!(votes(&["1", "0"], "").unwrap_err().starts_with(unknown));
    // `a` is the first response, and here the second one's system.
    let either = "f:1: field `best` (label): `a` is the first or the second response, and here a \
                  system of that name";
    assert!(votes(&["\"a\""], "").unwrap_err().starts_with(either));
    assert_eq!(votes(&["\"a\""], "a=second"), Ok(vec![B]));
    assert_eq!(votes(&["\"m\"", "\"b\""], ""), Ok(vec![A, B]));
}
