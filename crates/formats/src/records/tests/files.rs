//! Files of our own and damaged ones, and the exact words of their errors.

use super::*;

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
        criteria: Vec::new(),
        turn: None,
        fields: Default::default(),
    };
    assert_eq!(records(&full), [Record::Item(expected)]);
    assert_eq!(records(GOOD), [response("1", "s", "x")]);
    let vote = Vote {
        preferred: Side::Tie,
        annotator: Some("ann".into()),
        decides: false,
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
fn what_a_decision_is_called_is_known_or_refused() {
    let said = |adjudicated: &str| {
        let label =
            format!(r#"{{"item":1,"a":"s","b":"t","preferred":"a","adjudicated":{adjudicated}}}"#);
        try_records(label.as_bytes(), &Input::new("labels.jsonl")).map(|(_, records)| {
            let [Record::Label { votes, .. }] = &records[..] else {
                panic!("{records:?}");
            };
            votes[0].decides
        })
    };
    for yes in ["true", "1", r#""Yes""#, r#"" TRUE ""#] {
        assert_eq!(said(yes), Ok(true), "{yes}");
    }
    for no in ["false", "0", "null", r#""no""#, r#""""#] {
        assert_eq!(said(no), Ok(false), "{no}");
    }
    for other in [r#""done""#, r#""ann""#, "2", "[true]"] {
        let error = said(other).unwrap_err().to_string();
        let expected = "labels.jsonl:1: field `adjudicated`: expected true or false, found ";
        assert!(error.starts_with(expected), "{other}: {error}");
    }
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
        (
            r#"{"item": NaN, "n": Infinity, "x": nothing}"#,
            "2:35",
            "expected `true`, `false` or `null`, found `nothing`",
        ),
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
    let bad = "r.jsonl:1: not valid UTF-8 (byte 0xff at byte offset 0 of the file); save the \
                 file as UTF-8";
    assert_eq!(error("r.jsonl", b"\xff{}"), bad);
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
            "field `output`: there is no response (`null`), as where a generation failed; go on \
             without such responses with `allow-missing`, or write \"\" where an empty answer is \
             meant"
                .to_owned(),
        ),
        (
            r#"{"item":"1","system":"s","output":{"x":1}}"#,
            "field `output`: expected a string, found an object".to_owned(),
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
    let field = "items.jsonl:1: field `instruction|messages|turns` (instruction): expected";
    let either = "a string, or a list of messages {role, content}, found";
    assert_eq!(expected("[]"), format!("{field} {either} an empty list"));
    assert_eq!(expected("{}"), format!("{field} {either} an object"));
    assert_eq!(
        expected(r#"[{"role":"tool","content":""}]"#),
        format!("{field} messages with a `role` of `system`, `user` or `assistant`, found `tool`")
    );
    assert_eq!(
        expected(r#"[{"role":"user","content":"x"}, "x"]"#),
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
fn the_mapping_that_an_unknown_format_suggests_is_one_that_is_read() {
    use crate::records::map::Target;

    let records = "{\"Question no. 1\":\"q\",\"Reply, prompt A\":\"x\",\"Reply \\\"B\\\"\":\"y\"}";
    let message = error("x.jsonl", records.as_bytes());
    let from = message.find("`map` '").unwrap() + "`map` '".len();
    let suggested = message[from..].split('\'').next().unwrap();
    assert_eq!(
        suggested,
        "instruction=\"Question no. 1\",output_1=\"Reply, prompt A\",output_2=\"Reply \"\"B\"\"\""
    );
    let mapping = Mapping::parse(suggested).unwrap();
    let record = serde_json::from_str(records).unwrap();
    assert_eq!(
        mapping.find(Target::Instruction, &record, 0),
        Some("q".into())
    );
    assert_eq!(mapping.find(Target::Output1, &record, 0), Some("x".into()));
    assert_eq!(mapping.find(Target::Output2, &record, 0), Some("y".into()));
}

#[test]
fn the_suggested_mapping_has_the_id_and_every_response() {
    let records = "{\"Ticket #\":\"T-1\",\"Question\":\"q\",\"Reply A\":\"x\",\"reply_length\":1,\
                   \"reference_answer\":\"r\",\"answer_type\":\"t\",\
                   \"Reply B\":\"y\",\"Reply C\":\"z\"}";
    let message = error("x.jsonl", records.as_bytes());
    let suggested = "`map` 'item=Ticket #,instruction=Question,output_1=Reply A,output_2=Reply B,\
                     output_3=Reply C'";
    assert!(message.contains(suggested), "{message}");
}

/// Names of fields that people have: those of responses are suggested, those of what is told of
/// them are not.
#[test]
fn the_suggested_mapping_takes_the_fields_with_texts() {
    for output in [
        "model_output",
        "system_response",
        "Answer of the old model v1",
        "corrected_answer",
        "formatted_reply",
        "completion",
    ] {
        for beside in [
            "reference_answer",
            "gold_answer",
            "correct_answer",
            "expected_output",
            "ideal_completion",
            "answer_type",
            "output_format",
            "response_model",
            "output_tokens",
            "response_length",
            "answer_score",
        ] {
            let record = format!(
                "{{\"question\":\"q\",\"{output}\":\"x\",\"{beside}\":\"r\",\"other_reply\":\"y\"}}"
            );
            let message = error("x.jsonl", record.as_bytes());
            let (both, one) = (format!("={output}"), format!("={beside}"));
            assert!(
                message.contains(&both) && message.contains("=other_reply"),
                "{message}"
            );
            let suggested = message.split("`map`").nth(1).unwrap_or_default();
            assert!(!suggested.contains(&one), "{message}");
        }
    }
}

/// Passes over fields that are called alike, before or behind those that are meant, and keeps the
/// fields that say who wrote each response.
#[test]
fn the_suggested_mapping_passes_over_what_is_only_called_alike() {
    for (fields, mapping) in [
        (
            "prompt_version question_category question answer_a answer_b answer_key best_answer",
            "instruction=question,output_1=answer_a,output_2=answer_b",
        ),
        (
            "user_id question_id system_prompt prompt_tokens user_prompt response model_version \
             model",
            "item=question_id,instruction=user_prompt,system=model,output=response",
        ),
        ("id prompt", "instruction=prompt"),
        ("id question category", "instruction=question"),
        ("item system response", "output=response"),
        ("item system answer latency", "output=answer"),
        ("id model response", "system=model,output=response"),
        ("id system output", "item=id"),
        ("item model output", "system=model"),
        (
            "model_id prompt completion",
            "instruction=prompt,system=model_id,output=completion",
        ),
        (
            "prompt left right choice worker",
            "item=prompt,system_1=left,system_2=right,label=choice,annotator=worker",
        ),
        (
            "item a b best annotator",
            "item=item,system_1=a,system_2=b,label=best,annotator=annotator",
        ),
        (
            "question_id model_x model_y vote rater",
            "item=question_id,system_1=model_x,system_2=model_y,label=vote,annotator=rater",
        ),
        (
            "id prompt model_a model_b response_b response_a output_price answer_url",
            "item=id,instruction=prompt,output_1=response_a,output_2=response_b,\
             system_1=model_a,system_2=model_b",
        ),
    ] {
        let fields = fields.split_whitespace();
        let fields: Vec<String> = fields.map(|field| format!("\"{field}\":\"x\"")).collect();
        let message = error("x.jsonl", format!("{{{}}}", fields.join(",")).as_bytes());
        assert!(message.contains(&format!("`map` '{mapping}'")), "{message}");
    }
}

/// One table with our own names that holds the questions beside the answers needs no mapping: it is
/// read as with one that names each field as itself.
#[test]
fn a_table_with_questions_and_answers_is_read_as_it_is() {
    for (map, rows) in [
        (
            "instruction=instruction,system=system,output=output",
            "instruction,system,output\nSay a,x,\nSay a,y,b\n",
        ),
        (
            "instruction=instruction,output_1=output_1,output_2=output_2,output_3=output_3",
            "id,instruction,output_1,output_2,output_3,category\n1,Say a,aa,b,c,letters\n",
        ),
    ] {
        let mapping = Mapping::parse(map).unwrap();
        let [known, own] = [Shape::Recognise, Shape::Mapped(&mapping)].map(|shape| {
            let input = Input {
                shape,
                ..Input::new("f.csv")
            };
            try_records(rows.as_bytes(), &input).unwrap().1
        });
        assert_eq!(known, own, "{map}");
        assert!(!known.is_empty());
    }
    // Responses of items that another file may hold, whatever they call an instruction.
    for apart in [
        "item,system,output\n1,x,aa\n",
        "item,system,output,instruction\n1,x,aa,Do\n",
    ] {
        let (found, _) = try_records(apart.as_bytes(), &Input::new("f.csv")).unwrap();
        assert_eq!(found.format, Some(Format::Responses));
    }
    // Other fields may say who wrote the two, or belong to the question.
    for others in [
        "generator_1",
        "model_1",
        "winner",
        "preference",
        "input",
        "context",
    ] {
        let rows = format!("instruction,output_1,output_2,{others}\nSay a,aa,b,z\n");
        let refused = error("f.csv", rows.as_bytes());
        assert!(refused.contains("the format is not known"), "{refused}");
    }
}

/// The mappings that are suggested for a file of items and for one of responses, in one; and that
/// the second is suggested where the first is given.
#[test]
fn one_mapping_serves_items_and_responses() {
    let second = mapped(
        "instruction=prompt",
        r#"{"item":"q","system":"s","response":"x"}"#,
    );
    let message = second.unwrap_err();
    assert!(message.contains("`map` 'output=response'"), "{message}");
    let map = "instruction=prompt,output=response";
    let items = mapped(map, r#"{"id":"q","prompt":"What?"}"#).unwrap();
    assert!(matches!(&items[..], [Record::Item(item)] if item.id == "q"));
    let responses = r#"{"item":"q","system":"ant","response":"That."}"#;
    assert_eq!(
        mapped(map, responses).unwrap(),
        [response("q", "ant", "That.")]
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
         with two systems; the record has `q`, `r`; one mapping serves all files: add what this one \
         needs, such as `map` 'item=FIELD,instruction=FIELD,system=FIELD,output=FIELD', or for two \
         responses a record `map` 'instruction=FIELD,output_1=FIELD,output_2=FIELD'"
    );
}

#[test]
fn a_table_is_read_as_it_is() {
    let mut found = Vec::new();
    let take = |record: serde_json::Value, place: &Place| -> Result<(), DataError> {
        found.push((record, place.to_string()));
        Ok(())
    };
    let table = "model,elo\na,\nb,2.5\n".as_bytes();
    assert_eq!(read_objects(table, &Input::new("t.csv"), take).unwrap(), 2);
    let (a, b) = (
        json!({"model": "a", "elo": null}),
        json!({"model": "b", "elo": "2.5"}),
    );
    assert_eq!(
        found,
        [(a, "t.csv:2".to_owned()), (b, "t.csv:3".to_owned())]
    );
    let empty = read_objects(&b""[..], &Input::new("t.csv"), |_, _| {
        Ok::<(), DataError>(())
    });
    assert!(empty.is_err());
}
