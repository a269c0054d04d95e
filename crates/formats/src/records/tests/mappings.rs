//! Mapped files, labels, pairs and tables.

use super::*;

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
    for (value, found) in [("[]", "an empty list"), ("{}", "an object")] {
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
    use Side::{First as A, Second as B, Tie};
    for (best, preferred) in [
        ("1", A),
        ("1.0", A),
        ("\"m\"", A),
        ("\"A>B\"", A),
        ("2", B),
        ("\"n\"", B),
        ("\"tie\"", Tie),
        // The fields of the two responses.
        ("\"x\"", A),
        ("\"y\"", B),
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
        too_short: 0,
        cut_short: 0,
        unshown: Unshown::default(),
        lone_surrogates: 0,
        skipped: Vec::new(),
        further_responses: None,
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
fn errors_of_the_sink_are_told_together_unless_nothing_can_be_read_on() {
    let mut taken = 0;
    let told = read_records(
        GOOD.repeat(20).as_bytes(),
        &Input::new("f"),
        &mut |_, place| {
            taken += 1;
            if taken % 2 == 0 {
                Err(DataProblem::NoItems.at(place))
            } else {
                Ok(())
            }
        },
    );
    let told = told.unwrap_err().to_string();
    let (first, more) = told.split_once('\n').unwrap();
    let places = "; the same in lines 4, 6, 8, 10, 12, 14, 16, 18, 20";
    assert!(
        first.starts_with("f:2: ") && first.ends_with(places),
        "{told}"
    );
    assert!(more.starts_with("there may be more"), "{told}");
    assert_eq!(taken, 20);
    let mut taken = 0;
    let end = |place: &Place| Err(DataProblem::Io("disk full".into()).at(place));
    let result = read_records(
        GOOD.repeat(3).as_bytes(),
        &Input::new("f"),
        &mut |_, place| {
            taken += 1;
            if taken == 2 { end(place) } else { Ok(()) }
        },
    );
    assert_eq!(taken, 2);
    assert_eq!(result.unwrap_err().place, Some(Place::file("f").at_line(2)));
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
    assert_eq!(data.items.len(), 2);
    assert_eq!(data.labels.len(), 3);
    assert_eq!(data.systems.len(), 2);
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
    // A comma needs no quotes in a name where the semicolon separates.
    let mapping = Mapping::parse("output=\"output, as sent\"").unwrap();
    let input = Input {
        shape: Shape::Mapped(&mapping),
        ..Input::new("x.csv")
    };
    let named = try_records(b"item;system;output, as sent\n1;s;a, b\n", &input);
    assert_eq!(named.unwrap().1, [response("1", "s", "a, b")]);
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
    use Side::{First as A, Second as B, Tie};
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
